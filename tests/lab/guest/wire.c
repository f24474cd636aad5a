// SPDX-License-Identifier: GPL-2.0
/*
 * One connection over a wire on which events happen at exact packets.
 *
 *   kernel's TCP, sender --> tun --> this program --> tun --> kernel's TCP, receiver
 *
 * Both ends are sockets of this one kernel. What the kernel sends to the peer
 * comes out of the tun device; it is held as long as the wire is, its two
 * addresses are swapped and it goes back in, so that the same kernel receives
 * it. The program is also the application on both sides, and it reads TCP_INFO
 * after every acknowledgement it lets through: no step of the window is missed.
 *
 *   wire NAME=VALUE...
 *     cc=ALGORITHM  to=ADDRESS  from=ADDRESS  port=PORT  device=NAME
 *   the application:
 *     bytes=N        how much is written in all
 *     trickle=N:M    of these the bytes from N to M are not written at once, but
 *     write=N        in pieces of so many bytes, one every
 *     every=MS
 *     pause=N:MS     after N bytes nothing is written for so long
 *     quick=1        the receiver acknowledges every packet at once
 *     busy=1         the receiver does not read, so that nothing but the
 *                    kernel's timer makes it acknowledge a lone small packet
 *   the wire (packets are those with data, counted from 1; a retransmission
 *   is not counted and nothing happens to it, but for dark):
 *     delay=MS       each way
 *     gap=MS         that a packet occupies the wire
 *     scatter=MS     acknowledgements wait up to so long, as a triangle wave of
 *                    three times that period: too slow for one to pass another
 *     more=N:MS      from packet N on, packets take so much longer
 *     drop=N  mark=N   lose packet N, or mark it: congestion experienced
 *     late=N:MS      packet N alone takes so much longer and may be overtaken
 *     dark=N:MS      from packet N on everything sent is lost for so long
 *
 * Lines printed: `step JSON` when the connection's state changed, `event JSON`
 * for what was done to a packet and for retransmissions. All figures of a step
 * are the kernel's (TCP_INFO, TCP_CC_INFO).
 */
#include "common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#define MS 1000000LL		/* in ns */
#define PACKET_MAX 2048
#define RULES_MAX 32
#define LOOK_EVERY MS		/* how often the state is read when nothing arrives */
#define LIMIT (30000 * MS)	/* a connection that takes longer is stuck */

enum kind { DROP, MARK, LATE, DARK, MORE, PAUSE, KINDS };
static const char *const kind_name[KINDS] = {
	"drop", "mark", "late", "dark", "more", "pause",
};

/**
 * struct rule - something that happens at one place
 * @kind: what
 * @at:   number of the packet; of the byte for PAUSE
 * @ns:   how long
 */
struct rule {
	enum kind kind;
	uint64_t at;
	int64_t ns;
};

/**
 * struct packet - one on its way
 * @next:   the one that arrives after it
 * @due:    when it arrives, ns
 * @is_ack: it goes back to the sender
 */
struct packet {
	struct packet *next;
	int64_t due;
	int is_ack;
	int size;
	uint8_t data[PACKET_MAX];
};

static struct rule rules[RULES_MAX];
static int rule_count;
static struct packet *queue;

static const char *cc, *to, *from, *device;
static uint64_t bytes, trickle_from, trickle_to, piece;
static int64_t every, delay, gap, scatter;
static int port, quick, busy;

static int tun, listener, sender, receiver = -1;
static int64_t start;			/* of the program, ns */
static int64_t busy_until;		/* the wire carries a packet, ns */
static int64_t last_due[2];		/* of each way: what keeps packets in order */
static int64_t dark_until, write_at;
static uint64_t written;
static uint32_t sent;			/* packets with data, without retransmissions */
static uint32_t highest, first_byte;	/* sequence numbers */

static int64_t ns_since_start(void)
{
	return now_ns() - start;
}

static const struct rule *find_rule(enum kind kind, uint64_t at)
{
	int i;

	for (i = 0; i < rule_count; i++)
		if (rules[i].kind == kind && rules[i].at == at)
			return &rules[i];
	return NULL;
}

/* ---- what is printed ---- */

static void tell(const char *what, uint32_t packet, uint32_t seq)
{
	printf("event {\"t\":%.3f,\"what\":\"%s\",\"packet\":%u,\"offset\":%u}\n",
	       ns_since_start() / 1e6, what, packet, seq - first_byte);
}

/* What makes two steps differ. */
struct state {
	uint32_t cwnd, ssthresh, ca, retrans, verdict, entropy, growth, plasticity;
};

static struct tcp_info look(void)
{
	static struct state before;
	struct state now = { 0 };
	struct tcp_info info;
	union tcp_cc_info own;
	socklen_t size = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (getsockopt(sender, IPPROTO_TCP, TCP_INFO, &info, &size))
		err(1, "TCP_INFO");
	now.cwnd = info.tcpi_snd_cwnd;
	now.ssthresh = info.tcpi_snd_ssthresh;
	now.ca = info.tcpi_ca_state;
	now.retrans = info.tcpi_total_retrans;
	memset(&own, 0, sizeof(own));
	size = sizeof(own);
	/* A congestion control of ours answers in the DCTCP form; see tcp_ndm(7). */
	if (!getsockopt(sender, IPPROTO_TCP, TCP_CC_INFO, &own, &size) &&
	    size == sizeof(own.dctcp)) {
		now.verdict = own.dctcp.dctcp_ce_state;
		now.entropy = own.dctcp.dctcp_alpha;
		now.growth = own.dctcp.dctcp_ab_ecn;
		now.plasticity = own.dctcp.dctcp_ab_tot;
	}
	if (!memcmp(&now, &before, sizeof(now)))
		return info;
	before = now;
	printf("step {\"t\":%.3f,\"cwnd\":%u,\"ssthresh\":%u,\"state\":%u,\"retrans\":%u,\"verdict\":%u,"
	       "\"entropy\":%u,\"growth\":%u,\"plasticity\":%u,\"delivered\":%u,\"unacked\":%u,"
	       "\"sent\":%u,\"srtt_us\":%u,\"min_rtt_us\":%u,\"rto_us\":%u}\n",
	       ns_since_start() / 1e6, now.cwnd, now.ssthresh, now.ca, now.retrans, now.verdict,
	       now.entropy, now.growth, now.plasticity, info.tcpi_delivered, info.tcpi_unacked,
	       sent, info.tcpi_rtt, info.tcpi_min_rtt, info.tcpi_rto);
	return info;
}

/* ---- the wire ---- */

static void put_in_order(struct packet *packet)
{
	struct packet **place = &queue;

	while (*place && (*place)->due <= packet->due)
		place = &(*place)->next;
	packet->next = *place;
	*place = packet;
}

/* 0 up to @scatter and back, at a slope of 2/3. */
static int64_t scatter_now(int64_t now)
{
	int64_t phase;

	if (!scatter)
		return 0;
	phase = now % (3 * scatter) * 2 / 3;
	return phase < scatter ? phase : 2 * scatter - phase;
}

/* What rules say of the time that packet @number takes, LATE aside. */
static int64_t longer(uint32_t number)
{
	int64_t ns = 0;
	int i;

	for (i = 0; i < rule_count; i++) {
		if (rules[i].kind == MORE && number >= rules[i].at)
			ns = rules[i].ns;
	}
	return ns;
}

static void mark_ce(struct iphdr *ip)
{
	uint32_t sum = 0;
	int i;

	if (!(ip->tos & 3))
		errx(1, "a packet to mark does not allow it: no ECN");
	ip->tos |= 3;
	ip->check = 0;
	for (i = 0; i < ip->ihl * 2; i++)
		sum += ((uint16_t *)ip)[i];
	sum = (sum >> 16) + (sum & 0xffff);
	ip->check = ~(sum + (sum >> 16));
}

/*
 * A packet with data enters the wire. Returns when it arrives, or -1 if it is
 * lost. Retransmissions meet no rule but the darkness.
 */
static int64_t carry_data(struct iphdr *ip, uint32_t seq, int size, int64_t now)
{
	const struct rule *rule;
	int64_t due;
	int again = sent && (int32_t)(seq - highest) < 0;

	if (again) {
		tell("again", sent, seq);
	} else {
		highest = seq + size;
		sent++;
		rule = find_rule(DARK, sent);
		if (rule)
			dark_until = now + rule->ns;
	}
	if (now < dark_until) {
		tell("dark", sent, seq);
		return -1;
	}
	busy_until = (now > busy_until ? now : busy_until) + gap;
	if (!again && find_rule(DROP, sent)) {
		tell("drop", sent, seq);
		return -1;
	}
	if (!again && find_rule(MARK, sent)) {
		tell("mark", sent, seq);
		mark_ce(ip);
	}
	due = busy_until + delay + longer(sent);
	rule = find_rule(LATE, sent);
	if (!again && rule) {
		tell("late", sent, seq);
		return due + rule->ns;
	}
	if (due < last_due[0])
		due = last_due[0];
	return last_due[0] = due;
}

static int64_t carry_ack(int64_t now)
{
	int64_t due = now + delay + scatter_now(now);

	if (due < last_due[1])
		due = last_due[1];
	return last_due[1] = due;
}

static void swap_addresses(struct iphdr *ip)
{
	uint32_t address = ip->saddr;

	ip->saddr = ip->daddr;
	ip->daddr = address;
}

/* Take one packet from the device; 0 when there is none. */
static int take_packet(void)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct iphdr *ip = (struct iphdr *)packet->data;
	struct tcphdr *tcp;
	int64_t now = ns_since_start();
	int payload;

	packet->size = read(tun, packet->data, PACKET_MAX);
	if (packet->size <= 0) {
		free(packet);
		return 0;
	}
	packet->due = -1;
	if (ip->version == 4 && ip->protocol == IPPROTO_TCP) {
		tcp = (struct tcphdr *)(packet->data + ip->ihl * 4);
		payload = ntohs(ip->tot_len) - ip->ihl * 4 - tcp->doff * 4;
		packet->is_ack = ntohs(tcp->source) == port;
		if (packet->is_ack) {
			packet->due = carry_ack(now);
		} else if (payload) {
			packet->due = carry_data(ip, ntohl(tcp->seq), payload, now);
		} else {
			if (tcp->syn)
				first_byte = ntohl(tcp->seq) + 1;
			packet->due = now + delay;
		}
	}
	if (packet->due < 0) {
		free(packet);
		return 1;
	}
	swap_addresses(ip);
	put_in_order(packet);
	return 1;
}

/* ---- the two applications ---- */

static void receive(void)
{
	static char sink[1 << 18];
	int one = 1;

	if (receiver < 0)
		receiver = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	if (receiver < 0 || busy)
		return;
	while (read(receiver, sink, sizeof(sink)) > 0)
		;
	/* Has to be asked for again and again; sends an ACK that waits. */
	if (quick)
		setsockopt(receiver, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one));
}

static int is_trickling(void)
{
	return written >= trickle_from && written < trickle_to;
}

/* How much may be written at once now, up to the next place of interest. */
static uint64_t portion(void)
{
	uint64_t left = bytes - written;
	int i;

	if (is_trickling())
		left = piece < trickle_to - written ? piece : trickle_to - written;
	else if (written < trickle_from)
		left = trickle_from - written;
	for (i = 0; i < rule_count; i++)
		if (rules[i].kind == PAUSE && written < rules[i].at && rules[i].at - written < left)
			left = rules[i].at - written;
	return left;
}

static int is_writing(int64_t now)
{
	return written < bytes && now >= write_at;
}

static void write_some(int64_t now)
{
	static const char zeros[1 << 16];
	uint64_t left = portion();
	ssize_t put = write(sender, zeros, left < sizeof(zeros) ? left : sizeof(zeros));
	const struct rule *pause;

	if (put < 0) {
		if (errno != EAGAIN)
			err(1, "write");
		return;
	}
	if (is_trickling())
		write_at = now + every;
	written += put;
	pause = find_rule(PAUSE, written);
	if (pause) {
		write_at = now + pause->ns;
		tell("pause", sent, first_byte + written);
	}
	/* Now the kernel knows of the idle time; no ACK has changed anything yet. */
	look();
}

/* ---- the course of things ---- */

static void deliver(int64_t now)
{
	while (queue && queue->due <= now) {
		struct packet *packet = queue;

		queue = packet->next;
		if (write(tun, packet->data, packet->size) != packet->size)
			err(1, "%s", device);
		if (packet->is_ack)
			look();
		else
			receive();
		free(packet);
		while (take_packet())
			;
	}
}

static void wait_for_work(int64_t now)
{
	struct pollfd fds[] = {
		{ .fd = tun, .events = POLLIN },
		{ .fd = is_writing(now) ? sender : -1, .events = POLLOUT },
	};
	int64_t until = now + LOOK_EVERY;
	struct timespec t;

	if (queue && queue->due < until)
		until = queue->due;
	if (written < bytes && write_at > now && write_at < until)
		until = write_at;
	t = (struct timespec){ .tv_nsec = until > now ? until - now : 0 };
	if (ppoll(fds, 2, &t, NULL) < 0)
		err(1, "ppoll");
	if (fds[1].revents)
		write_some(ns_since_start());
}

static void run(void)
{
	struct tcp_info info;

	for (;;) {
		deliver(ns_since_start());
		while (take_packet())
			;
		info = look();
		if (written == bytes && !queue && !info.tcpi_unacked && !info.tcpi_notsent_bytes)
			return;
		if (ns_since_start() > LIMIT)
			errx(1, "not at its end after 30 s");
		wait_for_work(ns_since_start());
	}
}

/* ---- preparing ---- */

static void open_tun(void)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };

	tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	if (tun < 0 || ioctl(tun, TUNSETIFF, &request))
		err(1, "%s", device);
}

static struct sockaddr_in address_of(const char *text)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (!inet_aton(text, &address.sin_addr))
		errx(2, "bad address %s", text);
	return address;
}

static void open_sockets(void)
{
	struct sockaddr_in here = address_of(from), there = address_of(to);
	int one = 1, room = 16 << 20;

	listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(listener, (struct sockaddr *)&here, sizeof(here)) || listen(listener, 1))
		err(1, "listen");
	sender = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	/* The window is to be the limit, not the buffer; a piece is a packet. */
	if (setsockopt(sender, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(sender, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    setsockopt(sender, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc)))
		err(1, "socket with %s", cc);
	if (connect(sender, (struct sockaddr *)&there, sizeof(there)) && errno != EINPROGRESS)
		err(1, "connect");
}

static int64_t in_ns(const char *text)
{
	return atof(text) * MS;
}

static void add_rule(enum kind kind, const char *value)
{
	const char *colon = strchr(value, ':');

	if (rule_count == RULES_MAX)
		errx(2, "too many rules");
	rules[rule_count++] = (struct rule){
		.kind = kind,
		.at = strtoull(value, NULL, 10),
		.ns = colon ? in_ns(colon + 1) : 0,
	};
}

static void take_rules(char **words)
{
	for (; *words; words++) {
		const char *value = strchr(*words, '=');
		int i;

		for (i = 0; value && i < KINDS; i++) {
			size_t length = strlen(kind_name[i]);

			if (value == *words + length && !strncmp(*words, kind_name[i], length))
				add_rule(i, value + 1);
		}
	}
}

static void take_words(char **words)
{
	const char *trickle = value_of(words, "trickle", "0:0");

	cc = value_of(words, "cc", NULL);
	to = value_of(words, "to", NULL);
	from = value_of(words, "from", NULL);
	port = atoi(value_of(words, "port", NULL));
	device = value_of(words, "device", NULL);
	bytes = strtoull(value_of(words, "bytes", NULL), NULL, 10);
	trickle_from = strtoull(trickle, NULL, 10);
	trickle_to = strtoull(strchr(trickle, ':') + 1, NULL, 10);
	piece = strtoull(value_of(words, "write", "0"), NULL, 10);
	every = in_ns(value_of(words, "every", "0"));
	quick = atoi(value_of(words, "quick", "0"));
	busy = atoi(value_of(words, "busy", "0"));
	delay = in_ns(value_of(words, "delay", "0"));
	gap = in_ns(value_of(words, "gap", "0"));
	scatter = in_ns(value_of(words, "scatter", "0"));
	take_rules(words);
}

int main(int argc, char **argv)
{
	static char output[1 << 23];

	if (argc < 2)
		errx(2, "usage: wire NAME=VALUE...");
	take_words(argv + 1);
	/* Printing takes time on the way out; nothing is to wait for it. */
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	prctl(PR_SET_TIMERSLACK, 1);
	start = ns_since_start();
	open_tun();
	open_sockets();
	run();
	return 0;
}
