// SPDX-License-Identifier: GPL-2.0
/*
 * One-byte messages one after another, and how long each took from the call
 * that sends it to its arrival at the receiving program. Sender and receiver
 * are one process, so that both read one clock; each socket is made inside
 * the network namespace of its host. One line as of `traffic send`, for
 *
 *   one_byte NAME=VALUE...
 *       cc=ALGORITHM  to=ADDRESS  port=PORT
 *       count=N                         how many
 *       every=US                        from one to the next (0: as fast as the socket takes them)
 *       wait=1                          the next only when the last has arrived
 *       nodelay=1                       TCP_NODELAY
 *       sender=FILE receiver=FILE       network namespaces of the two
 *       trace=1                         print the times of each message, too
 */
#include "common.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * struct run - one series of messages
 * @count:    how many
 * @every_ns: from one to the next; 0: as fast as the socket takes them
 * @wait:     the next is sent only when the last has arrived
 * @out, @in: the two ends
 * @start_ns: when the first was sent
 * @sent_ns:  when each was sent
 * @delay_us: from that to its arrival
 * @gap_us:   from the arrival of the one before to its own
 * @last_ns:  the latest arrival
 */
struct run {
	uint32_t count, sent, arrived;
	uint64_t every_ns;
	int wait, out, in;
	uint64_t start_ns, last_ns;
	uint64_t *sent_ns;
	uint32_t *delay_us, *gap_us;
};

static void connect_ends(struct run *run, char **words)
{
	const char *port = value_of(words, "port", "5001"), *cc = value_of(words, "cc", NULL);
	int nodelay = atoi(value_of(words, "nodelay", "0")), listener;
	struct addrinfo *to;

	enter(value_of(words, "receiver", ""));
	listener = listen_on(port);
	enter(value_of(words, "sender", ""));
	to = resolve(value_of(words, "to", NULL), port, 0);
	run->out = socket(to->ai_family, SOCK_STREAM, 0);
	if (run->out < 0 || setsockopt(run->out, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc)) ||
	    setsockopt(run->out, IPPROTO_TCP, TCP_NODELAY, &nodelay, sizeof(nodelay)))
		err(1, "congestion control %s", cc);
	if (connect(run->out, to->ai_addr, to->ai_addrlen))
		err(1, "connect");
	run->in = accept(listener, NULL, NULL);
	if (run->in < 0)
		err(1, "accept");
	fcntl(run->out, F_SETFL, O_NONBLOCK);
	fcntl(run->in, F_SETFL, O_NONBLOCK);
	freeaddrinfo(to);
}

/* When the next message is due; UINT64_MAX while it waits for an arrival. */
static uint64_t due_ns(const struct run *run)
{
	if (run->sent == run->count || (run->wait && run->arrived < run->sent))
		return UINT64_MAX;
	return run->start_ns + run->sent * run->every_ns;
}

/* Returns whether the socket took it. The time is that before the call. */
static int send_message(struct run *run)
{
	uint64_t now = now_ns();

	if (write(run->out, "m", 1) < 0) {
		if (errno != EAGAIN)
			err(1, "write");
		return 0;
	}
	run->sent_ns[run->sent++] = now;
	return 1;
}

static void take_messages(struct run *run)
{
	char bytes[4096];
	ssize_t got = read(run->in, bytes, sizeof(bytes));
	uint64_t now = now_ns();

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0)
		errx(1, "the receiving end closed");
	for (; got; got--, run->arrived++) {
		run->delay_us[run->arrived] = (now - run->sent_ns[run->arrived]) / 1000;
		run->gap_us[run->arrived] = (now - run->last_ns) / 1000;
		run->last_ns = now;
	}
}

static void run_messages(struct run *run)
{
	struct pollfd fds[2] = { { .fd = run->in, .events = POLLIN } };
	int full = 0;

	run->start_ns = run->last_ns = now_ns();
	while (run->arrived < run->count) {
		uint64_t due = due_ns(run), now = now_ns();
		int64_t ns = due == UINT64_MAX ? 1000000000 : (int64_t)(due - now);
		struct timespec left = { ns / 1000000000, ns % 1000000000 };

		if (!full && due <= now) {
			full = !send_message(run);
			take_messages(run);
			continue;
		}
		if (full)
			left = (struct timespec){ 1, 0 };
		fds[1] = (struct pollfd){ .fd = full ? run->out : -1, .events = POLLOUT };
		if (ppoll(fds, 2, &left, NULL) < 0)
			err(1, "poll");
		full = full && !fds[1].revents;
		take_messages(run);
	}
}

/* Mean, standard deviation, quantiles and worst; sorts the values. */
static void print_times(const char *name, uint32_t *us, uint32_t count)
{
	double sum = 0, squares = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		sum += us[i];
	for (i = 0; i < count; i++)
		squares += (us[i] - sum / count) * (us[i] - sum / count);
	qsort(us, count, sizeof(*us), compare);
	printf(",\"%s_mean_us\":%.3f,\"%s_sd_us\":%.3f,\"%s_p50_us\":%u,\"%s_p99_us\":%u,\"%s_max_us\":%u",
	       name, sum / count, name, count > 1 ? sqrt(squares / (count - 1)) : 0.0,
	       name, us[count / 2], name, us[(uint32_t)((count - 1) * 0.99)], name, us[count - 1]);
}

static void print_run(struct run *run, char **words)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);
	uint32_t i;

	if (getsockopt(run->out, IPPROTO_TCP, TCP_INFO, &info, &size))
		err(1, "TCP_INFO");
	if (atoi(value_of(words, "trace", "0")))
		for (i = 0; i < run->count; i++)
			printf("trace {\"t\":%.6f,\"message\":%u,\"delay_us\":%u,\"gap_us\":%u}\n",
			       (run->sent_ns[i] - run->start_ns) / 1e9, i, run->delay_us[i], run->gap_us[i]);
	printf("flow {\"label\":\"test\",\"cc\":\"%s\",\"seconds\":%.6f,\"bytes\":%u,\"retrans\":%u,"
	       "\"segments\":%u,\"srtt_p50_us\":%u,\"srtt_p95_us\":%u,\"messages\":%u",
	       value_of(words, "cc", NULL), (run->last_ns - run->start_ns) / 1e9, run->count,
	       info.tcpi_total_retrans, info.tcpi_data_segs_out, info.tcpi_rtt, info.tcpi_rtt, run->count);
	print_times("delay", run->delay_us, run->count);
	print_times("gap", run->gap_us, run->count);
	puts("}");
}

int main(int argc, char **words)
{
	struct run run = {
		.count = atoi(value_of(words, "count", NULL)),
		.every_ns = strtoull(value_of(words, "every", "0"), NULL, 10) * 1000,
		.wait = atoi(value_of(words, "wait", "0")),
	};

	if (argc < 2 || !run.count)
		errx(2, "count= must be above zero");
	run.sent_ns = calloc(run.count, sizeof(*run.sent_ns));
	run.delay_us = calloc(run.count, sizeof(*run.delay_us));
	run.gap_us = calloc(run.count, sizeof(*run.gap_us));
	if (!run.sent_ns || !run.delay_us || !run.gap_us)
		err(1, "messages");
	connect_ends(&run, words);
	run_messages(&run);
	print_run(&run, words);
	return 0;
}
