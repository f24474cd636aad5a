/* SPDX-License-Identifier: GPL-2.0 */
/* What the lab's programs for the guest share; each is one file. */
#ifndef COMMON_H
#define COMMON_H

#define _GNU_SOURCE	/* setns; included first, before the system's own headers */
#include <err.h>
#include <fcntl.h>
#include <netdb.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline struct addrinfo *resolve(const char *host, const char *port, int passive)
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | (passive ? AI_PASSIVE : 0),
	}, *found;

	if (getaddrinfo(host, port, &hints, &found))
		errx(1, "bad address %s port %s", host ? host : "*", port);
	return found;
}

static inline int listen_on(const char *port)
{
	struct addrinfo *at = resolve("::", port, 1);
	int fd = socket(at->ai_family, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, 4096))
		err(1, "listen on %s", port);
	freeaddrinfo(at);
	return fd;
}

/* Enter the network namespace of that file; an empty name: stay. */
static inline void enter(const char *host)
{
	int fd;

	if (!*host)
		return;
	fd = open(host, O_RDONLY);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "network namespace %s", host);
	close(fd);
}

/* For qsort of uint32_t. */
static inline int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What follows NAME= among the words; without an `otherwise` it must be there. */
static inline const char *value_of(char **words, const char *name, const char *otherwise)
{
	size_t length = strlen(name);

	for (; *words; words++)
		if (!strncmp(*words, name, length) && (*words)[length] == '=')
			return *words + length + 1;
	if (!otherwise)
		errx(2, "missing: %s=", name);
	return otherwise;
}

#endif
