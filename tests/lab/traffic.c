// SPDX-License-Identifier: GPL-2.0
/*
 * traffic ALGORITHM MEGABYTES: moves that much over loopback TCP with that
 * congestion control and prints one line:
 *   ALGORITHM BYTES NANOSECONDS RETRANSMISSIONS
 * NANOSECONDS runs from the first byte written to the last one read.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (128 * 1024)	/* bytes a write; iperf3 uses the same */

static char buffer[CHUNK];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int listen_anywhere(struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET };
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (void *)at, size) || listen(fd, 1) ||
	    getsockname(fd, (void *)at, &size))
		err(1, "listen");
	return fd;
}

static void receive_all(int listener, uint64_t bytes)
{
	int fd = accept(listener, NULL, NULL);
	ssize_t got;

	while (bytes && (got = read(fd, buffer, CHUNK)) > 0)
		bytes -= got;
	if (bytes || write(fd, "", 1) != 1)
		err(1, "receive");
	close(fd);
}

static void send_all(const char *algorithm, const struct sockaddr_in *to,
		     uint64_t bytes)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct tcp_info info;
	socklen_t size = sizeof(info);
	uint64_t start, left = bytes;

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, algorithm, strlen(algorithm)))
		err(1, "congestion control %s", algorithm);
	if (connect(fd, (const void *)to, sizeof(*to)))
		err(1, "connect");
	start = now_ns();
	while (left) {
		ssize_t put = write(fd, buffer, left < CHUNK ? left : CHUNK);

		if (put < 0)
			err(1, "write");
		left -= put;
	}
	if (read(fd, buffer, 1) != 1)
		err(1, "read");
	start = now_ns() - start;
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		err(1, "TCP_INFO");
	printf("%s %llu %llu %u\n", algorithm, (unsigned long long)bytes,
	       (unsigned long long)start, info.tcpi_total_retrans);
	close(fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at;
	int listener, status;
	uint64_t bytes;
	pid_t child;

	if (argc != 3)
		errx(2, "usage: traffic ALGORITHM MEGABYTES");
	bytes = strtoull(argv[2], NULL, 10) * 1000000;
	listener = listen_anywhere(&at);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		receive_all(listener, bytes);
		return 0;
	}
	send_all(argv[1], &at, bytes);
	waitpid(child, &status, 0);
	return status != 0;
}
