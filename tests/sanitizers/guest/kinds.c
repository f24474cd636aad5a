// SPDX-License-Identifier: GPL-2.0
/*
 * Other kinds of connections: restored by TCP_REPAIR, TCP fast open, MPTCP, kTLS.
 */
#include "stress.h"

#include <linux/tls.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define PART 30000

/* Options of TCP by their numbers; the header that names them does not go with linux/tcp.h. */
enum { MAXSEG = 2, WINDOW = 3, SACK_PERMITTED = 4, TIMESTAMPS = 8 };

static char data[PART], got[PART];

/* All of it arrives at the other end, in both directions. */
static void exchange(int *fds, int parts)
{
	int i, way;

	for (i = 0; i < parts; i++) {
		for (way = 0; way < 2; way++) {
			if (write(fds[way], data, PART) != PART || recv(fds[!way], got, PART, MSG_WAITALL) != PART)
				err(1, "exchange");
		}
		set_algorithm(fds[0], any_algorithm());
		set_algorithm(fds[1], any_algorithm());
	}
}

static void must_set(int fd, int level, int option, const void *value, socklen_t size, const char *what)
{
	if (setsockopt(fd, level, option, value, size))
		err(1, "%s", what);
}

static void set_int(int fd, int level, int option, int value, const char *what)
{
	must_set(fd, level, option, &value, sizeof(value), what);
}

static uint32_t sequence(int fd, int queue)
{
	uint32_t value;
	socklen_t size = sizeof(value);

	set_int(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, queue, "TCP_REPAIR_QUEUE");
	if (getsockopt(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &value, &size))
		err(1, "TCP_QUEUE_SEQ");
	return value;
}

/* Takes fds[0] out of the kernel without a word to its peer, and puts it back as another socket, as CRIU does. */
static void restore(int *fds)
{
	struct sockaddr_in own, peer;
	struct tcp_repair_window window;
	struct tcp_repair_opt options[] = { { MAXSEG, 0 }, { WINDOW, 7 | 7 << 16 }, { SACK_PERMITTED, 0 },
					    { TIMESTAMPS, 0 } };
	socklen_t size = sizeof(own);
	uint32_t sent, received;
	int mss, stamp, fd;

	if (getsockname(fds[0], (void *)&own, &size) || getpeername(fds[0], (void *)&peer, &size))
		err(1, "names");
	set_int(fds[0], IPPROTO_TCP, TCP_REPAIR, 1, "TCP_REPAIR");
	sent = sequence(fds[0], TCP_SEND_QUEUE);
	received = sequence(fds[0], TCP_RECV_QUEUE);
	size = sizeof(mss);
	if (getsockopt(fds[0], IPPROTO_TCP, TCP_MAXSEG, &mss, &size) || getsockopt(fds[0], IPPROTO_TCP, TCP_TIMESTAMP, &stamp, &size))
		err(1, "mss");
	size = sizeof(window);
	if (getsockopt(fds[0], IPPROTO_TCP, TCP_REPAIR_WINDOW, &window, &size))
		err(1, "TCP_REPAIR_WINDOW");
	options[0].opt_val = mss;
	close(fds[0]);

	fd = socket(AF_INET, SOCK_STREAM, 0);
	set_int(fd, IPPROTO_TCP, TCP_REPAIR, 1, "TCP_REPAIR of the new one");
	if (chance(2))
		set_algorithm(fd, any_algorithm());
	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
	set_int(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, TCP_SEND_QUEUE, "send queue");
	must_set(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &sent, sizeof(sent), "its sequence");
	set_int(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, TCP_RECV_QUEUE, "receive queue");
	must_set(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &received, sizeof(received), "its sequence");
	if (bind(fd, (void *)&own, sizeof(own)) || connect(fd, (void *)&peer, sizeof(peer)))
		err(1, "restore");
	must_set(fd, IPPROTO_TCP, TCP_REPAIR_OPTIONS, options, sizeof(options), "TCP_REPAIR_OPTIONS");
	set_int(fd, IPPROTO_TCP, TCP_TIMESTAMP, stamp, "TCP_TIMESTAMP");
	must_set(fd, IPPROTO_TCP, TCP_REPAIR_WINDOW, &window, sizeof(window), "TCP_REPAIR_WINDOW");
	set_algorithm(fd, any_algorithm());
	set_int(fd, IPPROTO_TCP, TCP_REPAIR, 0, "end of TCP_REPAIR");
	fds[0] = fd;
}

int repair(char **words)
{
	int times = atoi(words[0]), fds[2], i;

	for (i = 0; i < times; i++) {
		connect_local(0, any_algorithm(), fds);
		exchange(fds, 3);
		restore(fds);
		exchange(fds, 3);
		close(fds[0]);
		close(fds[1]);
	}
	printf("repaired %d\n", i);
	return 0;
}

/* Data in the SYN: the connection begins with what is to be acknowledged. */
int fast_open(char **words)
{
	int times = atoi(words[0]), i, fds[2];

	for (i = 0; i < times; i++) {
		struct sockaddr_in at;
		int listener = listen_local(0, &at);

		set_int(listener, IPPROTO_TCP, TCP_FASTOPEN, 64, "TCP_FASTOPEN");
		set_algorithm(listener, any_algorithm());
		fds[0] = socket(AF_INET, SOCK_STREAM, 0);
		set_algorithm(fds[0], any_algorithm());
		if (sendto(fds[0], data, 1000, MSG_FASTOPEN, (void *)&at, sizeof(at)) != 1000)
			err(1, "MSG_FASTOPEN");
		fds[1] = accept(listener, NULL, NULL);
		if (recv(fds[1], got, 1000, MSG_WAITALL) != 1000)
			err(1, "data of the SYN");
		exchange(fds, 2);
		close(listener);
		close(fds[0]);
		close(fds[1]);
	}
	printf("fast_opened %d\n", i);
	return 0;
}

int mptcp(char **words)
{
	int times = atoi(words[0]), fds[2], i;

	for (i = 0; i < times; i++) {
		connect_local(IPPROTO_MPTCP, any_algorithm(), fds);
		exchange(fds, 4);
		close(fds[chance(2)]);
		usleep(chance(3000));
		close(fds[0]);
		close(fds[1]);
	}
	printf("mptcp %d\n", i);
	return 0;
}

int tls(char **words)
{
	int times = atoi(words[0]), fds[2], i, end;
	struct tls12_crypto_info_aes_gcm_128 key = {
		.info = { .version = TLS_1_2_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_128 },
		.key = "not a secret key",
	};

	for (i = 0; i < times; i++) {
		connect_local(0, any_algorithm(), fds);
		for (end = 0; end < 2; end++) {
			must_set(fds[end], IPPROTO_TCP, TCP_ULP, "tls", 3, "TCP_ULP");
			must_set(fds[end], 282 /* SOL_TLS */, TLS_TX, &key, sizeof(key), "TLS_TX");
			must_set(fds[end], 282, TLS_RX, &key, sizeof(key), "TLS_RX");
		}
		exchange(fds, 4);
		close(fds[0]);
		close(fds[1]);
	}
	printf("tls %d\n", i);
	return 0;
}
