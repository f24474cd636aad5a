// SPDX-License-Identifier: GPL-2.0
/*
 * A stream of UDP packets at a constant rate, as a call or a live picture is:
 * it does not slow down, so what others do to it shows as loss and delay.
 * Sender and receiver are one process, so that both read one clock. One line
 * as of `traffic send`, for
 *
 *   udp NAME=VALUE...
 *       to=ADDRESS  port=PORT
 *       rate=KBIT  size=BYTES           of the payload
 *       seconds=S                       how long it sends
 *       from=S                          bytes and delays count only from here on, seconds after the program started
 *       sender=FILE receiver=FILE       network namespaces of the two
 *       label=TEXT                      repeated in the output
 */
#include "common.h"

#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINGER_NS 3000000000LL	/* after the last packet: longer than any queue of the lab holds one */

/**
 * struct stream - one stream
 * @in, @out:  its two ends
 * @size:      bytes of a packet's payload; the first eight say when it was sent
 * @gap_ns:    from one packet to the next
 * @start_ns:  when the first was sent
 * @from_ns:   packets sent earlier do not count
 * @end_ns:    none is sent from here on
 * @sent:      packets
 * @arrived:   of these
 * @counted:   of those that arrived, the ones sent late enough
 * @delay_us:  of each of them, from the call that sent it to the one that read it
 */
struct stream {
	int in, out;
	uint32_t size;
	uint64_t gap_ns, start_ns, from_ns, end_ns;
	uint32_t sent, arrived, counted;
	uint32_t *delay_us;
};

static int open_end(const char *host, const struct addrinfo *at)
{
	int fd;

	enter(host);
	fd = socket(at->ai_family, SOCK_DGRAM, 0);
	if (fd < 0)
		err(1, "socket");
	return fd;
}

static void send_packet(struct stream *stream, uint64_t now)
{
	static char payload[65536];

	memcpy(payload, &now, sizeof(now));
	if (write(stream->out, payload, stream->size) < 0)
		err(1, "write");
	stream->sent++;
}

static void take_packet(struct stream *stream)
{
	char payload[65536];
	uint64_t sent_ns;

	if (read(stream->in, payload, sizeof(payload)) < (ssize_t)sizeof(sent_ns))
		err(1, "read");
	memcpy(&sent_ns, payload, sizeof(sent_ns));
	stream->arrived++;
	if (sent_ns >= stream->from_ns)
		stream->delay_us[stream->counted++] = (now_ns() - sent_ns) / 1000;
}

static void run_stream(struct stream *stream)
{
	struct pollfd fd = { .fd = stream->in, .events = POLLIN };
	uint64_t due = stream->start_ns;

	for (;;) {
		uint64_t now = now_ns(), until = due < stream->end_ns ? due : stream->end_ns + LINGER_NS;
		struct timespec left = { (until - now) / 1000000000, (until - now) % 1000000000 };

		if (now >= until) {
			if (due >= stream->end_ns)
				return;
			send_packet(stream, now);
			due += stream->gap_ns;
			continue;
		}
		if (ppoll(&fd, 1, &left, NULL) < 0)
			err(1, "poll");
		if (fd.revents)
			take_packet(stream);
	}
}

static uint32_t quantile(const struct stream *stream, double q)
{
	return stream->counted ? stream->delay_us[(uint32_t)((stream->counted - 1) * q)] : 0;
}

int main(int argc, char **words)
{
	const char *port = value_of(words, "port", "5002");
	struct addrinfo *to = resolve(value_of(words, "to", NULL), port, 0);
	double seconds = atof(value_of(words, "seconds", NULL)), from = atof(value_of(words, "from", "0"));
	uint32_t kbit = atoi(value_of(words, "rate", NULL));
	struct stream stream = { .size = atoi(value_of(words, "size", NULL)) };

	if (argc < 2 || !kbit || stream.size < sizeof(uint64_t) || stream.size > 65000 || seconds <= from)
		errx(2, "rate= above 0, size= from 8 to 65000 and seconds= above from= are needed");
	stream.gap_ns = stream.size * 8000000ULL / kbit;
	stream.delay_us = calloc(seconds * 1e9 / stream.gap_ns + 1, sizeof(*stream.delay_us));
	if (!stream.delay_us)
		err(1, "stream");
	stream.in = open_end(value_of(words, "receiver", ""), to);
	if (bind(stream.in, to->ai_addr, to->ai_addrlen))
		err(1, "bind");
	stream.out = open_end(value_of(words, "sender", ""), to);
	if (connect(stream.out, to->ai_addr, to->ai_addrlen))
		err(1, "connect");
	stream.start_ns = now_ns();
	stream.from_ns = stream.start_ns + from * 1e9;
	stream.end_ns = stream.start_ns + seconds * 1e9;
	run_stream(&stream);
	qsort(stream.delay_us, stream.counted, sizeof(*stream.delay_us), compare);
	printf("flow {\"label\":\"%s\",\"cc\":\"udp\",\"seconds\":%.6f,\"bytes\":%llu,\"retrans\":0,\"segments\":%u,\"lost\":%u,"
	       "\"owd_p50_us\":%u,\"owd_p95_us\":%u}\n", value_of(words, "label", ""), seconds - from,
	       (unsigned long long)stream.counted * stream.size, stream.sent, stream.sent - stream.arrived,
	       quantile(&stream, 0.5), quantile(&stream, 0.95));
	return 0;
}
