/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of `stress` share. Each command prints lines `NAME N`, which a story compares with what it needs. */
#ifndef STRESS_H
#define STRESS_H

#include "common.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int churn(char **words);
int sink(char **words);
int loads(char **words);
int readers(char **words);
int namespaces(char **words);
int faults(char **words);

/* Another course in each process; which one is as good as any. */
static inline unsigned int chance(unsigned int below)
{
	static uint64_t state;

	if (!state)
		state = now_ns() ^ (uint64_t)getpid() << 32;
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static const char *const algorithms[] = {
	"ndm", "ndm_v1", "ndm_v4", "ndm_v5", "ndm", "ndm_v1", "ndm_v4", "ndm_v5", "cubic", "reno", "bbr", "dctcp",
};

#define ALGORITHMS (sizeof(algorithms) / sizeof(*algorithms))

static inline const char *any_algorithm(void)
{
	return algorithms[chance(ALGORITHMS)];
}

static inline int set_algorithm(int fd, const char *name)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name));
}

static inline uint64_t end_after(const char *seconds)
{
	return now_ns() + atof(seconds) * 1e9;
}

/* Its time is over, or the story says that all shall end. */
static inline int is_over(uint64_t until)
{
	return now_ns() >= until || !access("/tmp/end", F_OK);
}

#endif
