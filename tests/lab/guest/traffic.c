// SPDX-License-Identifier: GPL-2.0
/*
 * The lab's traffic, one static program for the guest.
 *
 *   traffic seed N                      another course of the kernel's random numbers for each N
 *   traffic serve PORT [one-call]       take connections and read them to their end, for ever; with one-call each of the first hundred
 *                                       is read by a process of its own in a single call of the kernel, which takes what comes when
 *                                       it comes, as a program that always waits would
 *   traffic send NAME=VALUE...          open flows and write as fast as TCP takes it; one JSON line a flow:
 *       cc=ALGORITHM  to=ADDRESS  port=PORT
 *       seconds=S | bytes=N             when a flow ends (seconds may have a fraction)
 *       flows=N                         that many at once (1)
 *       sample=MS                       how often TCP_INFO is read (10)
 *       trace=1                         print every sample of the first flow, too
 *       label=TEXT                      repeated in the output
 *       start=S                         how long to wait before the first is opened
 *       spacing=MS seed=N               mean (exponential) time from one opening to the next
 *       from=S                          count window_bytes only from here on, seconds after the program started
 *       step=MS                         also the bytes acknowledged at each of these steps, from the start on
 *       rate=KBIT                       the application writes no more than that many kbit/s
 *       on=S off=S                      the application writes for S seconds, pauses for S seconds, ...
 *       chunk=BYTES every=S             the application has so many bytes more every S seconds, as a video's server has; how long each
 *                                       chunk took until it was acknowledged is printed as of short flows
 *       first=ALGORITHM until=S         each flow begins with this one and changes to cc= at S seconds of its age
 *       cap=KBIT capped=S               SO_MAX_PACING_RATE for the first S seconds of each flow, then none
 *       summary=1                       one line for all the flows instead of one each
 *   traffic tso DEVICE                  switch TCP segmentation offload of that device off
 *   traffic gro DEVICE                  let that device merge what it receives
 *
 * All figures are the kernel's (TCP_INFO, TCP_CC_INFO), none is guessed.
 */
#include "common.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/inet_diag.h>
#include <linux/random.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (128 * 1024)	/* bytes a write; iperf3 uses the same */
#define SAMPLES_MAX 20000	/* of a flow; later ones are not kept */
#define STEPS_MAX 512		/* of a flow */
#define CHUNKS_MAX 512		/* of a flow */
#define SERVED_MAX 16384	/* connections of one server */
#define MANY 100		/* connections; to poll more for each packet would cost more than TCP itself */
#define MANY_US 5000		/* so they are polled this often */

static char buffer[CHUNK];

/**
 * struct flow - one connection of `send`
 * @fd:       its socket, -1 while it is not open
 * @left:     bytes still to write; UINT64_MAX when only time ends it
 * @written:  bytes written
 * @start_ns: when it was opened; before, when it shall be
 * @end_ns:   when everything was acknowledged, or its time was over
 * @srtt_us:  samples of the smoothed RTT
 * @samples:  how many of them
 * @cwnd_max: largest congestion window seen, packets
 * @unacked_max: most packets seen in flight
 * @mark_ns:  when its window began, 0 before
 * @mark_bytes: what was acknowledged by then
 * @acked:    bytes acknowledged at each step
 * @steps:    how many of them
 * @chunk_ms: how long each chunk took
 * @chunks:   how many of them
 * @changed:  it left the algorithm that it began with
 * @freed:    it has no SO_MAX_PACING_RATE any more
 * @sndbuf:   its send buffer when it ended, bytes
 * @info:     the last TCP_INFO
 */
struct flow {
	int fd;
	uint64_t left, written;
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t *srtt_us;
	uint32_t samples;
	uint32_t cwnd_max;
	uint32_t unacked_max;
	uint64_t mark_ns, mark_bytes;
	uint64_t *acked;
	uint32_t steps;
	uint32_t *chunk_ms, chunks;
	int changed, freed, sndbuf;
	struct tcp_info info;
};

struct options {
	const char *cc, *first, *to, *port, *label;
	double seconds, start, from, on, off, spacing_ms, until, capped, every;
	uint64_t bytes, chunk, began_ns;
	uint32_t flows, sample_ms, step_ms, kbit, cap_kbit, seed;
	int trace, summary;
};

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

/* Reads and forgets; the kernel copies nothing. */
static void read_whole(int fd)
{
	while (recv(fd, buffer, 1 << 30, MSG_WAITALL | MSG_TRUNC) > 0)
		;
}

static void serve(const char *port, int one_call)
{
	static struct pollfd fds[SERVED_MAX];
	int count = 1, apart = 0, fd, i;

	signal(SIGCHLD, SIG_IGN);	/* nobody waits for them */
	fds[0] = (struct pollfd){ .fd = listen_on(port), .events = POLLIN };
	fcntl(fds[0].fd, F_SETFL, O_NONBLOCK);
	for (;;) {
		if (count > MANY)
			usleep(MANY_US);
		if (poll(fds, count, -1) < 0)
			err(1, "poll");
		for (i = count - 1; i > 0; i--) {
			if (!fds[i].revents || read(fds[i].fd, buffer, CHUNK) > 0)
				continue;
			close(fds[i].fd);
			fds[i] = fds[--count];
		}
		while (count < SERVED_MAX && (fd = accept(fds[0].fd, NULL, NULL)) >= 0) {
			if (!one_call || apart == MANY) {
				fds[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
				continue;
			}
			if (!fork()) {
				read_whole(fd);
				_exit(0);
			}
			apart++;
			close(fd);
		}
	}
}

static void set_cc(const struct flow *flow, const char *cc)
{
	if (setsockopt(flow->fd, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc)))
		err(1, "congestion control %s", cc);
}

static void set_cap(const struct flow *flow, uint64_t bytes_per_second)
{
	if (setsockopt(flow->fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_second,
		       sizeof(bytes_per_second)))
		err(1, "SO_MAX_PACING_RATE");
}

/* Zeroed memory, of which only what is written to takes any: 10,000 flows fit the guest. */
static void *reserve(size_t bytes)
{
	void *there = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (there == MAP_FAILED)
		err(1, "memory of a flow");
	return there;
}

static void open_flow(struct flow *flow, const struct options *o)
{
	struct addrinfo *to = resolve(o->to, o->port, 0);

	flow->fd = socket(to->ai_family, SOCK_STREAM, 0);
	if (flow->fd < 0)
		err(1, "flow");
	flow->srtt_us = reserve(SAMPLES_MAX * sizeof(*flow->srtt_us));
	flow->acked = reserve(STEPS_MAX * sizeof(*flow->acked));
	flow->chunk_ms = reserve(CHUNKS_MAX * sizeof(*flow->chunk_ms));
	set_cc(flow, o->first ? o->first : o->cc);
	if (o->cap_kbit)
		set_cap(flow, o->cap_kbit * 125ULL);
	flow->start_ns = now_ns();
	fcntl(flow->fd, F_SETFL, O_NONBLOCK);
	if (connect(flow->fd, to->ai_addr, to->ai_addrlen) && errno != EINPROGRESS)
		err(1, "connect");
	freeaddrinfo(to);
}

/* When each flow shall be opened: the same for every congestion control, as it hangs on the seed alone. */
static void plan_flows(struct flow *flows, const struct options *o)
{
	uint64_t at = o->began_ns + o->start * 1e9, chance = o->seed + 1;
	uint32_t i;

	for (i = 0; i < o->flows; i++) {
		flows[i].fd = -1;
		flows[i].left = o->bytes ? o->bytes : UINT64_MAX;
		flows[i].start_ns = at;
		/* Knuth's generator; its upper bits are the good ones. */
		chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
		at += -log(((chance >> 33) + 1) / 2147483649.0) * o->spacing_ms * 1e6;
	}
}

static void print_sample(const struct flow *flow)
{
	union tcp_cc_info cc;
	socklen_t size = sizeof(cc);

	memset(&cc, 0, sizeof(cc));
	getsockopt(flow->fd, IPPROTO_TCP, TCP_CC_INFO, &cc, &size);
	/* A congestion control of ours answers in the DCTCP form; see tcp_ndm(7). */
	printf("trace {\"t\":%.4f,\"cwnd\":%u,\"ssthresh\":%u,\"unacked\":%u,\"srtt_us\":%u,"
	       "\"retrans\":%u,\"state\":%u,\"pacing_rate\":%llu,\"mss\":%u,\"verdict\":%u,\"entropy\":%u,"
	       "\"growth\":%u}\n",
	       (now_ns() - flow->start_ns) / 1e9, flow->info.tcpi_snd_cwnd,
	       flow->info.tcpi_snd_ssthresh, flow->info.tcpi_unacked, flow->info.tcpi_rtt,
	       flow->info.tcpi_total_retrans, flow->info.tcpi_ca_state,
	       (unsigned long long)flow->info.tcpi_pacing_rate, flow->info.tcpi_snd_mss,
	       size == sizeof(cc.dctcp) ? cc.dctcp.dctcp_ce_state : 0,
	       size == sizeof(cc.dctcp) ? cc.dctcp.dctcp_alpha : 0,
	       size == sizeof(cc.dctcp) ? cc.dctcp.dctcp_ab_ecn : 0);
}

/* Chunks that were acknowledged whole since the last look; the SYN counts as a byte. */
static void note_chunks(struct flow *flow, const struct options *o, uint64_t now)
{
	while (flow->chunks < CHUNKS_MAX &&
	       flow->info.tcpi_bytes_acked > (flow->chunks + 1) * o->chunk) {
		flow->chunk_ms[flow->chunks] = (now - flow->start_ns) / 1000000 - flow->chunks * o->every * 1000;
		flow->chunks++;
	}
}

/* Those that are under way at the end took so long at least. */
static void end_chunks(struct flow *flow, const struct options *o)
{
	double ms = (flow->end_ns - flow->start_ns) / 1e6;

	for (; flow->chunks < CHUNKS_MAX && flow->chunks * o->every * 1000 < ms; flow->chunks++)
		flow->chunk_ms[flow->chunks] = ms - flow->chunks * o->every * 1000;
	qsort(flow->chunk_ms, flow->chunks, sizeof(*flow->chunk_ms), compare);
}

static void sample_flow(struct flow *flow, const struct options *o, uint64_t now)
{
	socklen_t size = sizeof(flow->info);

	if (o->first && !flow->changed && now - flow->start_ns >= o->until * 1e9) {
		set_cc(flow, o->cc);
		flow->changed = 1;
	}
	if (o->cap_kbit && !flow->freed && now - flow->start_ns >= o->capped * 1e9) {
		set_cap(flow, UINT64_MAX);
		flow->freed = 1;
	}
	if (getsockopt(flow->fd, IPPROTO_TCP, TCP_INFO, &flow->info, &size))
		err(1, "TCP_INFO");
	if (flow->info.tcpi_snd_cwnd > flow->cwnd_max)
		flow->cwnd_max = flow->info.tcpi_snd_cwnd;
	if (flow->info.tcpi_unacked > flow->unacked_max)
		flow->unacked_max = flow->info.tcpi_unacked;
	if (flow->info.tcpi_rtt && flow->samples < SAMPLES_MAX)
		flow->srtt_us[flow->samples++] = flow->info.tcpi_rtt;
	if (o->chunk)
		note_chunks(flow, o, now);
	if (!flow->mark_ns && now - o->began_ns >= o->from * 1e9) {
		flow->mark_ns = now;
		flow->mark_bytes = flow->info.tcpi_bytes_acked;
	}
	while (o->step_ms && flow->steps < STEPS_MAX &&
	       now - flow->start_ns >= (flow->steps + 1) * o->step_ms * 1000000ULL)
		flow->acked[flow->steps++] = flow->info.tcpi_bytes_acked;
}

static int is_written(const struct flow *flow)
{
	return !flow->left && !flow->info.tcpi_unacked && !flow->info.tcpi_notsent_bytes &&
	       flow->info.tcpi_bytes_acked > 0;
}

static void end_flow(struct flow *flow)
{
	struct linger now = { .l_onoff = 1 };
	socklen_t size = sizeof(flow->sndbuf);

	flow->end_ns = now_ns();
	getsockopt(flow->fd, SOL_SOCKET, SO_SNDBUF, &flow->sndbuf, &size);
	/* A reset: what is still queued must not go on beside the next flow. */
	setsockopt(flow->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(flow->fd);
	flow->fd = -1;
}

/* How much the application has to write now. */
static uint64_t wanted(const struct flow *flow, const struct options *o, uint64_t now)
{
	double age = (now - flow->start_ns) / 1e9;
	uint64_t due;

	if (flow->fd < 0 || (o->off && fmod(age, o->on + o->off) >= o->on))
		return 0;
	if (!o->kbit && !o->chunk)
		return flow->left;
	due = o->chunk ? (uint64_t)(age / o->every + 1) * o->chunk : age * o->kbit * 125;
	return due > flow->written ? due - flow->written : 0;
}

static void write_flow(struct flow *flow, const struct options *o, uint64_t now)
{
	uint64_t want = wanted(flow, o, now);
	ssize_t put = write(flow->fd, buffer, want < CHUNK ? want : CHUNK);

	if (put < 0 && errno != EAGAIN)
		err(1, "write");
	if (put <= 0)
		return;
	flow->written += put;
	if (flow->left != UINT64_MAX)
		flow->left -= put;
}

static uint32_t quantile(const struct flow *flow, double q)
{
	return flow->samples ? flow->srtt_us[(uint32_t)((flow->samples - 1) * q)] : 0;
}

static void print_flow(struct flow *flow, const struct options *o)
{
	const struct tcp_info *i = &flow->info;
	uint32_t step;

	qsort(flow->srtt_us, flow->samples, sizeof(*flow->srtt_us), compare);
	printf("flow {\"label\":\"%s\",\"cc\":\"%s\",\"seconds\":%.6f,\"bytes\":%llu,\"retrans\":%u,"
	       "\"segments\":%u,\"srtt_p50_us\":%u,\"srtt_p95_us\":%u,\"min_rtt_us\":%u,\"cwnd_max\":%u,"
	       "\"unacked_max\":%u,\"mss\":%u,\"dsack_dups\":%u,\"reord_seen\":%u,\"sndbuf\":%d",
	       o->label, o->cc, (flow->end_ns - flow->start_ns) / 1e9,
	       (unsigned long long)i->tcpi_bytes_acked, i->tcpi_total_retrans,
	       i->tcpi_data_segs_out, quantile(flow, 0.5), quantile(flow, 0.95), i->tcpi_min_rtt,
	       flow->cwnd_max, flow->unacked_max, i->tcpi_snd_mss, i->tcpi_dsack_dups,
	       i->tcpi_reord_seen, flow->sndbuf);
	if (o->from)
		printf(",\"window_seconds\":%.6f,\"window_bytes\":%llu",
		       (flow->end_ns - flow->mark_ns) / 1e9,
		       (unsigned long long)(i->tcpi_bytes_acked - flow->mark_bytes));
	if (o->chunk) {
		end_chunks(flow, o);
		printf(",\"fct_p50_ms\":%u,\"fct_p95_ms\":%u,\"fct_max_ms\":%u,\"chunks\":%u", flow->chunk_ms[flow->chunks / 2],
		       flow->chunk_ms[(uint32_t)((flow->chunks - 1) * 0.95)], flow->chunk_ms[flow->chunks - 1], flow->chunks);
	}
	for (step = 0; step < flow->steps; step++)
		printf("%s%llu", step ? "," : ",\"acked\":[", (unsigned long long)flow->acked[step]);
	puts(flow->steps ? "]}" : "}");
}

/*
 * Many flows as one line: sums, Jain's index of the bytes, and times from
 * opening to the last acknowledgement. A flow that was cut off by the clock
 * did not finish, and its time is a lower bound.
 */
static void print_summary(struct flow *flows, const struct options *o)
{
	uint32_t *ms = calloc(o->flows, sizeof(*ms)), finished = 0, silent = 0, i;
	uint64_t bytes = 0, retrans = 0, segments = 0, srtt_p50 = 0, srtt_p95 = 0, end_ns = 0;
	double squares = 0;

	for (i = 0; i < o->flows; i++) {
		struct flow *flow = &flows[i];
		double own = flow->info.tcpi_bytes_acked;

		qsort(flow->srtt_us, flow->samples, sizeof(*flow->srtt_us), compare);
		bytes += own;
		squares += own * own;
		retrans += flow->info.tcpi_total_retrans;
		segments += flow->info.tcpi_data_segs_out;
		srtt_p50 += quantile(flow, 0.5);
		srtt_p95 += quantile(flow, 0.95);
		finished += is_written(flow);
		silent += own <= 1;
		ms[i] = (flow->end_ns - flow->start_ns) / 1000000;
		if (flow->end_ns > end_ns)
			end_ns = flow->end_ns;
	}
	qsort(ms, o->flows, sizeof(*ms), compare);
	printf("flow {\"label\":\"%s\",\"cc\":\"%s\",\"flows\":%u,\"finished\":%u,\"silent\":%u,"
	       "\"seconds\":%.6f,\"bytes\":%llu,\"retrans\":%llu,\"segments\":%llu,\"srtt_p50_us\":%llu,"
	       "\"srtt_p95_us\":%llu,\"jain\":%.4f,\"fct_p50_ms\":%u,\"fct_p95_ms\":%u,\"fct_max_ms\":%u}\n",
	       o->label, o->cc, o->flows, finished, silent, (end_ns - flows[0].start_ns) / 1e9,
	       (unsigned long long)bytes, (unsigned long long)retrans, (unsigned long long)segments,
	       (unsigned long long)(srtt_p50 / o->flows), (unsigned long long)(srtt_p95 / o->flows),
	       squares ? (double)bytes * bytes / (o->flows * squares) : 0.0, ms[o->flows / 2],
	       ms[(uint32_t)((o->flows - 1) * 0.95)], ms[o->flows - 1]);
	free(ms);
}

/* One round of openings and samples; returns how many flows have not ended. */
static uint32_t sample_flows(struct flow *flows, const struct options *o, uint64_t now)
{
	uint32_t open = 0, i;

	for (i = 0; i < o->flows; i++) {
		if (flows[i].end_ns)
			continue;
		if (flows[i].fd < 0) {
			if (now >= flows[i].start_ns)
				open_flow(&flows[i], o);
			open++;
			continue;
		}
		sample_flow(&flows[i], o, now);
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
	uint64_t next = o->began_ns;
	uint32_t i;

	if (!flows || !fds)
		err(1, "flows");
	plan_flows(flows, o);
	for (;;) {
		uint64_t now = now_ns();

		if (now >= next) {
			if (!sample_flows(flows, o, now))
				break;
			next += o->sample_ms * 1000000ULL;
		}
		if (o->flows > MANY)
			usleep(MANY_US);
		for (i = 0; i < o->flows; i++)
			fds[i] = (struct pollfd){ .fd = wanted(&flows[i], o, now) ? flows[i].fd : -1,
						  .events = POLLOUT };
		if (poll(fds, o->flows, next > now ? (next - now + 999999) / 1000000 : 0) < 0)
			err(1, "poll");
		for (i = 0; i < o->flows; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				write_flow(&flows[i], o, now);
	}
	for (i = 0; i < o->flows && !o->summary; i++)
		print_flow(&flows[i], o);
	if (o->summary)
		print_summary(flows, o);
}

static void send_command(char **words)
{
	struct options o = {
		.cc = value_of(words, "cc", NULL),
		.first = value_of(words, "first", ""),
		.until = atof(value_of(words, "until", "0")),
		.cap_kbit = atoi(value_of(words, "cap", "0")),
		.capped = atof(value_of(words, "capped", "0")),
		.to = value_of(words, "to", NULL),
		.port = value_of(words, "port", "5000"),
		.label = value_of(words, "label", ""),
		.seconds = atof(value_of(words, "seconds", "0")),
		.bytes = strtoull(value_of(words, "bytes", "0"), NULL, 10),
		.flows = atoi(value_of(words, "flows", "1")),
		.sample_ms = atoi(value_of(words, "sample", "10")),
		.trace = atoi(value_of(words, "trace", "0")),
		.start = atof(value_of(words, "start", "0")),
		.spacing_ms = atof(value_of(words, "spacing", "0")),
		.seed = atoi(value_of(words, "seed", "0")),
		.from = atof(value_of(words, "from", "0")),
		.step_ms = atoi(value_of(words, "step", "0")),
		.kbit = atoi(value_of(words, "rate", "0")),
		.on = atof(value_of(words, "on", "0")),
		.off = atof(value_of(words, "off", "0")),
		.chunk = strtoull(value_of(words, "chunk", "0"), NULL, 10),
		.every = atof(value_of(words, "every", "0")),
		.summary = atoi(value_of(words, "summary", "0")),
		.began_ns = now_ns(),
	};

	if (!o.first[0])
		o.first = NULL;
	if (!o.seconds && !o.bytes)
		errx(2, "send needs seconds= or bytes=");
	if (o.chunk && o.every <= 0)
		errx(2, "chunk= needs every= above 0");
	send_flows(&o);
}

/*
 * Without TSO, the kernel still builds packets of many segments, as for a card that splits
 * them, and splits them itself as the last thing: bursts as with offload, on
 * a wire of single packets.
 */
static void set_offload(const char *device, uint32_t command, uint32_t on)
{
	struct ethtool_value value = { .cmd = command, .data = on };
	struct ifreq request = { .ifr_data = (char *)&value };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &request))
		err(1, "offload of %s", device);
	close(fd);
}

int main(int argc, char **argv)
{
	struct rlimit files = { SERVED_MAX + 16, SERVED_MAX + 16 };

	setrlimit(RLIMIT_NOFILE, &files);
	if (argc == 3 && !strcmp(argv[1], "seed"))
		seed(strtoul(argv[2], NULL, 10));
	else if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2], 0);
	else if (argc == 4 && !strcmp(argv[1], "serve") && !strcmp(argv[3], "one-call"))
		serve(argv[2], 1);
	else if (argc > 2 && !strcmp(argv[1], "send"))
		send_command(argv + 2);
	else if (argc == 3 && !strcmp(argv[1], "tso"))
		set_offload(argv[2], ETHTOOL_STSO, 0);
	else if (argc == 3 && !strcmp(argv[1], "gro"))
		set_offload(argv[2], ETHTOOL_SGRO, 1);
	else
		errx(2, "usage: traffic seed N | serve PORT [one-call] | send NAME=VALUE... | tso DEVICE | gro DEVICE");
	return 0;
}
