// SPDX-License-Identifier: GPL-2.0
/*
 * Network namespaces that end while connections in them live: with data under way, half closed, waiting for their last ACK.
 */
#include "stress.h"

#include <net/if.h>
#include <sys/ioctl.h>

static void raise_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		err(1, "lo");
	close(fd);
}

/* A connection to itself: the ends are fds[0], which connected with that algorithm, and fds[1]. */
static void connect_local(const char *algorithm, int *fds)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);

	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (set_algorithm(fds[0], algorithm) || bind(listener, (void *)&at, size) || listen(listener, 1) ||
	    getsockname(listener, (void *)&at, &size) || connect(fds[0], (void *)&at, size))
		err(1, "connect with %s", algorithm);
	fds[1] = accept(listener, NULL, NULL);
	close(listener);
}

static void live_and_end(void)
{
	static char data[200000];
	char text[1024];
	int fds[2], i, fd;

	if (unshare(CLONE_NEWNET))
		err(1, "unshare");
	raise_loopback();
	for (i = 0; i < 4; i++) {
		connect_local(algorithms[i], fds);
		fcntl(fds[0], F_SETFL, O_NONBLOCK);
		if (write(fds[0], data, sizeof(data)) <= 0)
			err(1, "write");
		if (chance(2))
			shutdown(fds[chance(2)], SHUT_WR);
		if (!chance(3))
			close(fds[chance(2)]);
		set_algorithm(fds[0], any_algorithm());
	}
	fd = open("/proc/self/net/tcp_ndm", O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
		err(1, "/proc/self/net/tcp_ndm");
	if (chance(2))
		usleep(chance(5000));
	_exit(0);	/* with all that is open: the last reference to the namespace */
}

int namespaces(char **words)
{
	int times = atoi(words[0]), status, i;

	for (i = 0; i < times; i++) {
		pid_t child = fork();

		if (!child)
			live_and_end();
		if (waitpid(child, &status, 0) != child || status)
			errx(1, "namespace %d: status %d", i, status);
	}
	printf("namespaces %d\n", i);
	return 0;
}
