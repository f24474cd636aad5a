// SPDX-License-Identifier: GPL-2.0
/*
 * Connections that begin and end all the time, and change their algorithm at random in every state: `churn` opens them, `sink` takes
 * them. Both count in which states of TCP and of congestion control a change was made.
 */
#include "stress.h"

#include <netinet/ip.h>
#include <poll.h>

#define STATES 16
#define PEERS 64

static unsigned long switched[STATES], ca[STATES], refused, connections;
static char data[1 << 16];
static int brief;	/* connections end soon, so that the module can be removed */

static void print_counts(void)
{
	int i;

	for (i = 0; i < STATES; i++) {
		if (switched[i])
			printf("state_%d %lu\n", i, switched[i]);
		if (ca[i])
			printf("ca_%d %lu\n", i, ca[i]);
	}
	printf("refused %lu\nconnections %lu\n", refused, connections);
	fflush(stdout);
}

/* Another algorithm, and everything that can be read of the connection before and after. */
static void change(int fd)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);
	char answer[64];

	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return;
	if (set_algorithm(fd, any_algorithm())) {
		/* What is not loaded at the moment; the module may also go while the name is looked up. */
		if (errno != ENOENT && errno != EBUSY)
			err(1, "TCP_CONGESTION");
		refused++;
		return;
	}
	if (info.tcpi_state < STATES)
		switched[info.tcpi_state]++;
	if (info.tcpi_state == 1)
		ca[info.tcpi_ca_state]++;
	size = sizeof(answer);
	getsockopt(fd, IPPROTO_TCP, TCP_CC_INFO, answer, &size);
	size = sizeof(answer);
	getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, answer, &size);
}

/* Move data for a while, in bursts and with pauses, also longer than an RTO. */
static void use(int fd, int rounds)
{
	while (rounds-- > 0) {
		if (write(fd, data, chance(sizeof(data)) + 1) < 0 && errno != EAGAIN)
			return;
		while (read(fd, data, sizeof(data)) > 0)
			;
		if (chance(2))
			change(fd);
		usleep(brief || chance(10) ? chance(8000) : chance(300000));
	}
}

static void end(int fd)
{
	struct linger at_once = { .l_onoff = 1 };
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int i;

	switch (chance(4)) {
	case 0:	/* with a RST */
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		break;
	case 1:	/* FIN_WAIT1, FIN_WAIT2, perhaps CLOSING */
		shutdown(fd, SHUT_WR);
		/* Long enough for most of what was written to arrive; unread data would make close() send a RST. */
		for (i = 0; i < (brief ? 2 : 60); i++) {
			change(fd);
			while (read(fd, data, sizeof(data)) > 0)
				;
			usleep(chance(10000));
		}
		break;
	case 2:	/* back to CLOSE, and the same socket may be used again */
		connect(fd, &none, sizeof(none));
		change(fd);
		break;
	}
	close(fd);
}

static void work(struct addrinfo *to, uint64_t until, int rounds)
{
	while (!is_over(until)) {
		int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK, 0), i;
		struct pollfd ready = { .fd = fd, .events = POLLOUT };

		if (fd < 0)
			err(1, "socket");
		if (chance(2))
			change(fd);
		if (connect(fd, to->ai_addr, to->ai_addrlen) && errno != EINPROGRESS && errno != ECONNREFUSED && errno != EADDRNOTAVAIL &&
		    errno != ENOMEM && errno != ENOBUFS)
			err(1, "connect");
		for (i = chance(3); i > 0; i--)
			change(fd);
		if (poll(&ready, 1, 3000) == 1) {
			connections++;
			use(fd, 1 + chance(rounds));
		}
		end(fd);
	}
}

/* SECONDS below zero: brief connections. */
int churn(char **words)
{
	struct addrinfo *to = resolve(words[0], words[1], 0);
	int workers = atoi(words[3]), status, failed = 0;
	uint64_t until;

	brief = words[2][0] == '-';
	until = end_after(words[2] + brief);
	while (workers-- > 0) {
		if (!fork()) {
			work(to, until, brief ? 2 : 40);
			print_counts();
			return 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

/* CLOSE_WAIT, then LAST_ACK, which only a socket without an owner has: the last change is before it. */
static void take_end(int fd)
{
	change(fd);
	/* The other end is in FIN_WAIT2 meanwhile. */
	if (!chance(4))
		usleep(chance(20000));
	shutdown(fd, SHUT_WR);
	change(fd);
	usleep(chance(2) * 1000);
	change(fd);
	close(fd);
}

int sink(char **words)
{
	struct pollfd fds[PEERS + 1];
	uint64_t until = end_after(words[1]);
	int count = 1, fd, i;

	fds[0] = (struct pollfd){ .fd = listen_on(words[0]), .events = POLLIN };
	fcntl(fds[0].fd, F_SETFL, O_NONBLOCK);
	while (!is_over(until)) {
		poll(fds, count, 100);
		if (!chance(4))
			change(fds[0].fd);
		for (i = count - 1; i > 0; i--) {
			ssize_t got = fds[i].revents ? read(fds[i].fd, data, sizeof(data)) : 1;

			if (got > 0 || (got < 0 && errno == EAGAIN)) {
				if (!chance(8))
					change(fds[i].fd);
				if (!chance(4) && write(fds[i].fd, data, chance(30000)) < 0)
					continue;
				continue;
			}
			take_end(fds[i].fd);
			fds[i] = fds[--count];
		}
		while (count <= PEERS && (fd = accept4(fds[0].fd, NULL, NULL, SOCK_NONBLOCK)) >= 0)
			fds[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	print_counts();
	return 0;
}
