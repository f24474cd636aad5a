// SPDX-License-Identifier: GPL-2.0
/*
 * The module itself: loaded and removed, its parameters changed, its files read.
 */
#include "stress.h"

#include <dirent.h>
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

/* Every parameter gets every value, good or bad, again and again; one of four is what it had at first, which all take. */
int change_parameters(char **words)
{
	static const char *const values[] = {
		"0", "1", "2", "99", "100", "333", "500", "700", "900", "901", "1000", "1001", "2000", "32000", "32001", "4294967295",
		"4294967296", "-1", "x", "", " 7", "v1", "v4", "v5", "v6", "0x10",
	};
	uint64_t until = end_after(words[0]);
	unsigned long accepted[64] = { 0 }, rejected = 0;
	char *names[64], path[320], text[64], first[64][64] = { "" };
	struct dirent *entry;
	DIR *folder = opendir(PARAMETERS);
	int count = 0, i, fd;

	if (!folder)
		err(1, PARAMETERS);
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && count < 64)
			names[count++] = strdup(entry->d_name);
	while (!is_over(until)) {
		const char *value = values[chance(sizeof(values) / sizeof(*values))];

		i = chance(count);
		snprintf(path, sizeof(path), PARAMETERS "/%s", names[i]);
		fd = open(path, O_RDWR);
		if (fd < 0)
			err(1, "%s", path);
		if (!*first[i] && read(fd, first[i], sizeof(*first) - 1) <= 0)
			err(1, "read %s", path);
		if (!chance(4))
			value = first[i];
		if (write(fd, value, strlen(value)) > 0)
			accepted[i]++;
		else
			rejected++;
		lseek(fd, 0, SEEK_SET);
		if (read(fd, text, sizeof(text)) <= 0)
			err(1, "read %s", path);
		close(fd);
		usleep(chance(2000));
	}
	for (i = 0; i < count; i++)
		printf("accepted_%s %lu\n", names[i], accepted[i]);
	printf("rejected %lu\n", rejected);
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
