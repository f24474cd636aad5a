// SPDX-License-Identifier: GPL-2.0
/*
 * faults WHAT FILE LAST: does it again and again. The first time its first allocation fails, then its second, until there are no more,
 * so that each way out of an error is taken once. LAST: only about so many allocations at the end; 0: all.
 */
#include "stress.h"

#include <sys/syscall.h>

#define MOST 5000
#define NTH "/proc/thread-self/fail-nth"

static int file;

static int load(void)
{
	return syscall(SYS_finit_module, file, "", 0);
}

static int make_namespace(void)
{
	return unshare(CLONE_NEWNET);
}

/* A connection for each of our algorithms, with data: what fails is told to the program, or retried by TCP. */
static int use_connections(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(5000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static char data[20000];
	int i, fd, failed = 0;

	for (i = 0; i < 4; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0)
			return -1;
		failed |= set_algorithm(fd, algorithms[i]);
		failed |= connect(fd, (void *)&at, sizeof(at));
		failed |= write(fd, data, sizeof(data)) < 0;
		/* Closed when the process ends: without memory for its FIN the kernel would never end a connection. */
	}
	return failed;
}

static void arm(int fd, unsigned int nth)
{
	char text[16];
	int size = sprintf(text, "%u", nth);

	if (pwrite(fd, text, size, 0) != size)
		err(3, NTH);
}

/* How many more allocations it would have taken; at least one if it was this reading that failed. */
static unsigned int left_over(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 1;
}

/* In a process of its own, with that allocation failing. Returns 0, 1 when it failed, 2 when there were fewer allocations. */
static int act_failing(int (*act)(void), unsigned int nth, unsigned int *left)
{
	int status, ends[2];

	if (pipe(ends))
		err(1, "pipe");
	if (!fork()) {
		int fd = open(NTH, O_RDWR | O_CLOEXEC), result;

		arm(fd, nth);
		result = act();
		*left = left_over(fd);
		arm(fd, 0);
		if (write(ends[1], left, sizeof(*left)) < 0)
			err(3, "pipe");
		_exit(*left ? 2 : result != 0);
	}
	close(ends[1]);
	wait(&status);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 2)
		errx(1, "allocation %u: status %d", nth, status);
	if (read(ends[0], left, sizeof(*left)) != sizeof(*left))
		err(1, "pipe");
	close(ends[0]);
	return WEXITSTATUS(status);
}

int faults(char **words)
{
	int (*act)(void) = !strcmp(words[0], "load") ? load : !strcmp(words[0], "namespace") ? make_namespace : use_connections;
	unsigned int nth = 1, left, last = atoi(words[2]), failed = 0, tried = 0;
	int result = 0;

	file = open(words[1], O_RDONLY | O_CLOEXEC);
	if (file < 0)
		err(1, "%s", words[1]);
	if (last && act_failing(act, MOST, &left) == 2 && MOST - left > last)
		nth = MOST - left - last;
	for (; nth < MOST && result != 2; nth++, tried++) {
		result = act_failing(act, nth, &left);
		if (act == load)
			syscall(SYS_delete_module, "tcp_ndm", 0);
		failed += result == 1;
	}
	printf("faults_%s %u\nfailed_%s %u\n", words[0], tried, words[0], failed);
	return nth == MOST;
}
