// SPDX-License-Identifier: GPL-2.0
/*
 * The lab's traffic, one static program for the guest.
 *
 *   traffic seed N                      another course of the kernel's random numbers for each N
 *   traffic serve PORT                  take connections and read them to their end, for ever
 *   traffic send NAME=VALUE...          open flows and write as fast as TCP takes it; one JSON line a flow:
 *       cc=ALGORITHM  to=ADDRESS  port=PORT
 *       seconds=S | bytes=N             when a flow ends (seconds may have a fraction)
 *       flows=N                         that many at once (1)
 *       sample=MS                       how often TCP_INFO is read (10)
 *       trace=1                         print every sample of the first flow, too
 *       label=TEXT                      repeated in the output
 *
 * All figures are the kernel's (TCP_INFO, TCP_CC_INFO), none is guessed.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (128 * 1024)	/* bytes a write; iperf3 uses the same */
#define SAMPLES_MAX 20000	/* of a flow; later ones are not kept */

static char buffer[CHUNK];

/**
 * struct flow - one connection of `send`
 * @fd:       its socket, -1 when ended
 * @left:     bytes still to write; UINT64_MAX when only time ends it
 * @start_ns: when it was opened
 * @end_ns:   when everything was acknowledged, or its time was over
 * @srtt_us:  samples of the smoothed RTT
 * @samples:  how many of them
 * @cwnd_max: largest congestion window seen, packets
 * @unacked_max: most packets seen in flight
 * @info:     the last TCP_INFO
 */
struct flow {
	int fd;
	uint64_t left;
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t *srtt_us;
	uint32_t samples;
	uint32_t cwnd_max;
	uint32_t unacked_max;
	struct tcp_info info;
};

struct options {
	const char *cc, *to, *port, *label;
	double seconds;
	uint64_t bytes;
	uint32_t flows, sample_ms;
	int trace;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * The pool takes the number in and calls it 256 bits of entropy, which makes a
 * generator that had none yet ready; then it starts anew from the pool.
 */
static void seed(uint32_t number)
{
	struct {
		struct rand_pool_info info;
		uint32_t words[8];
	} entropy = { .info = { .entropy_count = 256, .buf_size = 32 }, .words = { number } };
	int fd = open("/dev/urandom", O_RDWR);

	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &entropy) || ioctl(fd, RNDRESEEDCRNG))
		err(1, "seed");
	close(fd);
}

static struct addrinfo *resolve(const char *host, const char *port, int passive)
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | (passive ? AI_PASSIVE : 0),
	}, *found;

	if (getaddrinfo(host, port, &hints, &found))
		errx(1, "bad address %s port %s", host ? host : "*", port);
	return found;
}

static int listen_on(const char *port)
{
	struct addrinfo *at = resolve("::", port, 1);
	int fd = socket(at->ai_family, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, 4096))
		err(1, "listen on %s", port);
	freeaddrinfo(at);
	return fd;
}

static void serve(const char *port)
{
	static struct pollfd fds[4096];
	int count = 1, i;

	fds[0] = (struct pollfd){ .fd = listen_on(port), .events = POLLIN };
	for (;;) {
		if (poll(fds, count, -1) < 0)
			err(1, "poll");
		for (i = count - 1; i > 0; i--) {
			if (!fds[i].revents || read(fds[i].fd, buffer, CHUNK) > 0)
				continue;
			close(fds[i].fd);
			fds[i] = fds[--count];
		}
		if (fds[0].revents && count < 4096) {
			int fd = accept(fds[0].fd, NULL, NULL);

			if (fd >= 0)
				fds[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		}
	}
}

static void open_flow(struct flow *flow, const struct options *o)
{
	struct addrinfo *to = resolve(o->to, o->port, 0);

	flow->fd = socket(to->ai_family, SOCK_STREAM, 0);
	flow->left = o->bytes ? o->bytes : UINT64_MAX;
	flow->srtt_us = calloc(SAMPLES_MAX, sizeof(*flow->srtt_us));
	if (flow->fd < 0 || !flow->srtt_us)
		err(1, "flow");
	if (setsockopt(flow->fd, IPPROTO_TCP, TCP_CONGESTION, o->cc, strlen(o->cc)))
		err(1, "congestion control %s", o->cc);
	flow->start_ns = now_ns();
	fcntl(flow->fd, F_SETFL, O_NONBLOCK);
	if (connect(flow->fd, to->ai_addr, to->ai_addrlen) && errno != EINPROGRESS)
		err(1, "connect");
	freeaddrinfo(to);
}

static void print_sample(const struct flow *flow)
{
	union tcp_cc_info cc;
	socklen_t size = sizeof(cc);

	memset(&cc, 0, sizeof(cc));
	getsockopt(flow->fd, IPPROTO_TCP, TCP_CC_INFO, &cc, &size);
	/* A congestion control of ours answers in the DCTCP form; see tcp_ndm(7). */
	printf("trace {\"t\":%.4f,\"cwnd\":%u,\"ssthresh\":%u,\"unacked\":%u,\"srtt_us\":%u,"
	       "\"retrans\":%u,\"state\":%u,\"verdict\":%u,\"entropy\":%u,\"growth\":%u}\n",
	       (now_ns() - flow->start_ns) / 1e9, flow->info.tcpi_snd_cwnd,
	       flow->info.tcpi_snd_ssthresh, flow->info.tcpi_unacked, flow->info.tcpi_rtt,
	       flow->info.tcpi_total_retrans, flow->info.tcpi_ca_state,
	       size == sizeof(cc.dctcp) ? cc.dctcp.dctcp_ce_state : 0,
	       size == sizeof(cc.dctcp) ? cc.dctcp.dctcp_alpha : 0,
	       size == sizeof(cc.dctcp) ? cc.dctcp.dctcp_ab_ecn : 0);
}

static void sample_flow(struct flow *flow)
{
	socklen_t size = sizeof(flow->info);

	if (getsockopt(flow->fd, IPPROTO_TCP, TCP_INFO, &flow->info, &size))
		err(1, "TCP_INFO");
	if (flow->info.tcpi_snd_cwnd > flow->cwnd_max)
		flow->cwnd_max = flow->info.tcpi_snd_cwnd;
	if (flow->info.tcpi_unacked > flow->unacked_max)
		flow->unacked_max = flow->info.tcpi_unacked;
	if (flow->info.tcpi_rtt && flow->samples < SAMPLES_MAX)
		flow->srtt_us[flow->samples++] = flow->info.tcpi_rtt;
}

static int is_written(const struct flow *flow)
{
	return !flow->left && !flow->info.tcpi_unacked && !flow->info.tcpi_notsent_bytes &&
	       flow->info.tcpi_bytes_acked > 0;
}

static void end_flow(struct flow *flow)
{
	struct linger now = { .l_onoff = 1 };

	flow->end_ns = now_ns();
	/* A reset: what is still queued must not go on beside the next flow. */
	setsockopt(flow->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(flow->fd);
	flow->fd = -1;
}

static void write_flow(struct flow *flow)
{
	ssize_t put = write(flow->fd, buffer, flow->left < CHUNK ? flow->left : CHUNK);

	if (put < 0 && errno != EAGAIN)
		err(1, "write");
	if (put > 0 && flow->left != UINT64_MAX)
		flow->left -= put;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t quantile(const struct flow *flow, double q)
{
	return flow->samples ? flow->srtt_us[(uint32_t)((flow->samples - 1) * q)] : 0;
}

static void print_flow(struct flow *flow, const struct options *o)
{
	const struct tcp_info *i = &flow->info;

	qsort(flow->srtt_us, flow->samples, sizeof(*flow->srtt_us), compare);
	printf("flow {\"label\":\"%s\",\"cc\":\"%s\",\"seconds\":%.6f,\"bytes\":%llu,\"retrans\":%u,"
	       "\"segments\":%u,\"srtt_p50_us\":%u,\"srtt_p95_us\":%u,\"min_rtt_us\":%u,\"cwnd_max\":%u,"
	       "\"unacked_max\":%u,\"mss\":%u,\"dsack_dups\":%u,\"reord_seen\":%u}\n",
	       o->label, o->cc, (flow->end_ns - flow->start_ns) / 1e9,
	       (unsigned long long)i->tcpi_bytes_acked, i->tcpi_total_retrans,
	       i->tcpi_data_segs_out, quantile(flow, 0.5), quantile(flow, 0.95), i->tcpi_min_rtt,
	       flow->cwnd_max, flow->unacked_max, i->tcpi_snd_mss, i->tcpi_dsack_dups,
	       i->tcpi_reord_seen);
}

/* One round of samples; returns how many flows are still open. */
static uint32_t sample_flows(struct flow *flows, const struct options *o, uint64_t now)
{
	uint32_t open = 0, i;

	for (i = 0; i < o->flows; i++) {
		if (flows[i].fd < 0)
			continue;
		sample_flow(&flows[i]);
		if (o->trace && i == 0)
			print_sample(&flows[i]);
		if (is_written(&flows[i]) ||
		    (o->seconds && now - flows[i].start_ns >= o->seconds * 1e9))
			end_flow(&flows[i]);
		else
			open++;
	}
	return open;
}

static void send_flows(const struct options *o)
{
	struct flow *flows = calloc(o->flows, sizeof(*flows));
	struct pollfd *fds = calloc(o->flows, sizeof(*fds));
	uint64_t next = now_ns();
	uint32_t i;

	for (i = 0; i < o->flows; i++)
		open_flow(&flows[i], o);
	for (;;) {
		uint64_t now = now_ns();

		if (now >= next) {
			if (!sample_flows(flows, o, now))
				break;
			next += o->sample_ms * 1000000ULL;
			continue;
		}
		for (i = 0; i < o->flows; i++)
			fds[i] = (struct pollfd){ .fd = flows[i].left ? flows[i].fd : -1,
						  .events = POLLOUT };
		if (poll(fds, o->flows, (next - now + 999999) / 1000000) < 0)
			err(1, "poll");
		for (i = 0; i < o->flows; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				write_flow(&flows[i]);
	}
	for (i = 0; i < o->flows; i++)
		print_flow(&flows[i], o);
}

static const char *value_of(char **words, const char *name, const char *otherwise)
{
	size_t length = strlen(name);

	for (; *words; words++)
		if (!strncmp(*words, name, length) && (*words)[length] == '=')
			return *words + length + 1;
	if (!otherwise)
		errx(2, "send needs %s=", name);
	return otherwise;
}

static void send_command(char **words)
{
	struct options o = {
		.cc = value_of(words, "cc", NULL),
		.to = value_of(words, "to", NULL),
		.port = value_of(words, "port", "5000"),
		.label = value_of(words, "label", ""),
		.seconds = atof(value_of(words, "seconds", "0")),
		.bytes = strtoull(value_of(words, "bytes", "0"), NULL, 10),
		.flows = atoi(value_of(words, "flows", "1")),
		.sample_ms = atoi(value_of(words, "sample", "10")),
		.trace = atoi(value_of(words, "trace", "0")),
	};

	if (!o.seconds && !o.bytes)
		errx(2, "send needs seconds= or bytes=");
	send_flows(&o);
}

int main(int argc, char **argv)
{
	struct rlimit files = { 8192, 8192 };

	setrlimit(RLIMIT_NOFILE, &files);
	if (argc == 3 && !strcmp(argv[1], "seed"))
		seed(strtoul(argv[2], NULL, 10));
	else if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2]);
	else if (argc > 2 && !strcmp(argv[1], "send"))
		send_command(argv + 2);
	else
		errx(2, "usage: traffic seed N | serve PORT | send NAME=VALUE...");
	return 0;
}
