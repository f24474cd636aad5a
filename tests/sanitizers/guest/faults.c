// SPDX-License-Identifier: GPL-2.0
/*
 * faults WHAT FILE: does it again and again. The first time its first allocation fails, then its second, until there are no more, so
 * that each way out of an error is taken once.
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
		close(fd);
	}
	return failed;
}

static void arm(unsigned int nth)
{
	char text[16];
	int fd = open(NTH, O_WRONLY | O_CLOEXEC), size = sprintf(text, "%u", nth);

	if (fd < 0 || write(fd, text, size) != size)
		err(1, NTH);
	close(fd);
}

/* What is left of it is not zero when there were fewer allocations. */
static int was_reached(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		err(1, NTH);
	return atoi(text) == 0;
}

int faults(char **words)
{
	int (*act)(void) = !strcmp(words[0], "load") ? load : !strcmp(words[0], "namespace") ? make_namespace : use_connections;
	unsigned int nth, failed = 0;
	int status;

	file = open(words[1], O_RDONLY | O_CLOEXEC);
	if (file < 0)
		err(1, "%s", words[1]);
	for (nth = 1; nth < MOST; nth++) {
		if (!fork()) {
			int fd = open(NTH, O_RDONLY | O_CLOEXEC), result;

			arm(nth);
			result = act();
			if (!was_reached(fd)) {
				arm(0);
				_exit(2);
			}
			_exit(result != 0);
		}
		wait(&status);
		if (act == load)
			syscall(SYS_delete_module, "tcp_ndm", 0);
		if (!WIFEXITED(status))
			errx(1, "%s, allocation %u: status %d", words[0], nth, status);
		if (WEXITSTATUS(status) == 2)
			break;
		failed += WEXITSTATUS(status) == 1;
	}
	printf("faults_%s %u\nfailed_%s %u\n", words[0], nth - 1, words[0], failed);
	return nth == MOST;
}
