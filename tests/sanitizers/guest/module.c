// SPDX-License-Identifier: GPL-2.0
/*
 * The module itself: loaded and removed, its files read.
 */
#include "stress.h"

#include <sys/syscall.h>

#define PARAMETERS "/sys/module/tcp_ndm/parameters"

int loads(char **words)
{
	int file = open(words[0], O_RDONLY | O_CLOEXEC), times = atoi(words[1]), i;
	unsigned long held = 0;

	if (file < 0)
		err(1, "%s", words[0]);
	for (i = 0; i < times; i++) {
		if (syscall(SYS_finit_module, file, i % 2 ? "variant=v5" : "", 0))
			err(1, "load %d", i);
		usleep(chance(8) ? chance(2000) : chance(20000));
		while (syscall(SYS_delete_module, "tcp_ndm", O_NONBLOCK)) {
			if (errno != EAGAIN && errno != EWOULDBLOCK)
				err(1, "unload %d", i);
			held++;
			usleep(500);
		}
	}
	printf("loads %d\nheld %lu\n", i, held);
	return 0;
}

/* Whole files, parts of a few bytes, and backwards. */
static unsigned long read_all(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return 0;
	while (read(fd, text, chance(2) ? 7 : sizeof(text)) > 0 && chance(200))
		;
	lseek(fd, 0, SEEK_SET);
	/* EIO, ENODEV: the module was removed meanwhile. */
	if (read(fd, text, sizeof(text)) < 0 && errno != EIO && errno != ENODEV)
		err(1, "read %s", path);
	close(fd);
	return 1;
}

int readers(char **words)
{
	static const char *const paths[] = { "/proc/net/tcp_ndm", "/proc/net/tcp_ndm", "/proc/net/tcp", "/proc/net/tcp6",
		"/proc/net/netstat", "/proc/sys/net/ipv4/tcp_available_congestion_control", PARAMETERS "/variant", PARAMETERS "/keep_noise" };
	uint64_t until = end_after(words[0]);
	int workers = atoi(words[1]), status, failed = 0;

	while (workers-- > 0) {
		if (!fork()) {
			unsigned long reads = 0;

			while (!is_over(until)) {
				reads += read_all(paths[chance(sizeof(paths) / sizeof(*paths))]);
				usleep(chance(500));
			}
			printf("reads %lu\n", reads);
			return 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
