// SPDX-License-Identifier: GPL-2.0
/*
 * A recorded link between two hosts of the guest: packets pass at the times at
 * which a real link could pass them, in order.
 *
 *   near host --> tun --> queue, capacity, loss, delay --> tun --> far host
 *             <-- tun <-- delay, loss, capacity, queue <-- tun <--
 *
 *   replay NAME=VALUE...
 *     data=FILE           the recording
 *     seed=N              chooses the place in the recording where the link begins, and which packets it loses
 *     near=FILE far=FILE  network namespaces of the two hosts
 *     near_device=NAME far_device=NAME   their tun devices, which exist already
 *     queue=BYTES         what may wait on the way to the far host; more is dropped at the tail
 *     codel=1             that queue drops by CoDel (RFC 8289, target 5 ms, interval 100 ms), too
 *     back_queue=BYTES    on the way back, where the tail alone is dropped
 *     delay=MS            each way, beyond what the recording says
 *     loss=SHARE back_loss=SHARE   of the packets that the link passed are lost, 0 to 1
 *     ready=FILE          is made when the link carries packets
 *
 * The recording begins with a line `forward N back N delay N`. Then come, a
 * byte each: the packets of 1500 bytes that could leave in each millisecond on
 * the way to the far host, the same for the way back, and the delay of one way
 * in ms, a value each 10 ms. It starts anew at its end. Without values for the
 * way back, that has the same as the way there. Capacity that nobody uses is
 * lost; a packet may need several opportunities, or several packets one.
 *
 * SIGTERM ends it; then it prints what the two queues did, in the form of the
 * lab's other queues, and what packets waited in the one on the way there.
 */
#include "common.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#define MS 1000000ULL		/* in ns */
#define OPPORTUNITY 1500	/* bytes */
#define PACKET_MAX 10000
#define DELAY_STEP 10		/* ms for which a value of the delay holds */
#define TARGET (5 * MS)		/* CoDel's */
#define INTERVAL (100 * MS)
#define NEVER UINT64_MAX

/**
 * struct packet - one that waits or is under way
 * @next: the one behind it
 * @at:   when it came; once it left the queue, when it arrives
 * @left: bytes for which it had no opportunity yet
 */
struct packet {
	struct packet *next;
	uint64_t at;
	int size, left;
	uint8_t data[];
};

struct list {
	struct packet *first, **end;
};

/**
 * struct codel - the state of RFC 8289
 * @above_ns: since when packets wait too long, 0 while they do not
 * @next_ns:  when the next is dropped
 * @count, @last_count: drops in this bout, and at the begin of it
 * @dropping: a bout is on
 */
struct codel {
	uint64_t above_ns, next_ns;
	uint32_t count, last_count;
	int dropping;
};

/**
 * struct way - one direction
 * @in, @out:   tun devices
 * @capacity:   packets for each ms
 * @length:     how many ms
 * @next_ms:    whose opportunities come next, ms since the start
 * @waiting:    the queue
 * @bytes, @limit: what is in it, and may be
 * @codel:      NULL: drop the tail alone
 * @flying:     those that left it, in the order in which they arrive
 * @last_ns:    when the last of them arrives
 * @loss:       share that is lost
 * @packets, @sent_bytes, @dropped: what came through, and what not
 * @wait_us:    how long those that left waited
 * @waits:      how many of these
 */
struct way {
	int in, out;
	const uint8_t *capacity;
	uint32_t length;
	uint64_t next_ms;
	struct list waiting, flying;
	uint64_t bytes, limit;
	struct codel *codel;
	uint64_t last_ns;
	double loss;
	uint64_t packets, sent_bytes, dropped;
	uint32_t *wait_us, waits;
};

static uint64_t start_ns, place_ms, fixed_ns, chance;
static const uint8_t *delays;
static uint32_t delay_count;
static volatile sig_atomic_t ended;

static void end(int signal)
{
	ended = signal;
}

/* Knuth's generator; its upper bits are the good ones. 0 up to 1. */
static double draw(void)
{
	chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
	return (chance >> 33) / 2147483648.0;
}

static void append(struct list *list, struct packet *packet)
{
	packet->next = NULL;
	*list->end = packet;
	list->end = &packet->next;
}

static struct packet *take_first(struct list *list)
{
	struct packet *packet = list->first;

	list->first = packet->next;
	if (!list->first)
		list->end = &list->first;
	return packet;
}

static void make_empty(struct way *way)
{
	way->waiting.end = &way->waiting.first;
	way->flying.end = &way->flying.first;
}

static uint8_t capacity_of(const struct way *way, uint64_t ms)
{
	return way->capacity[(place_ms + ms) % way->length];
}

/* The first ms from @ms on with an opportunity; there is one in every recording. */
static uint64_t find_capacity(const struct way *way, uint64_t ms)
{
	while (!capacity_of(way, ms))
		ms++;
	return ms;
}

static uint64_t delay_now(uint64_t now)
{
	uint64_t step = (place_ms + (now - start_ns) / MS) / DELAY_STEP;

	return fixed_ns + (delay_count ? delays[step % delay_count] * MS : 0);
}

/* Whether CoDel drops the packet at the head of the queue, which waited so long. */
static int codel_drops(struct codel *codel, uint64_t wait_ns, uint64_t bytes, uint64_t now)
{
	if (wait_ns < TARGET || bytes <= OPPORTUNITY) {
		codel->above_ns = 0;
		codel->dropping = 0;
		return 0;
	}
	if (!codel->above_ns)
		codel->above_ns = now;
	if (codel->dropping) {
		if (now < codel->next_ns)
			return 0;
		codel->count++;
		codel->next_ns += INTERVAL / sqrt(codel->count);
		return 1;
	}
	if (now - codel->above_ns < INTERVAL)
		return 0;
	/* A bout soon after another begins near the rate at which that ended. */
	codel->count = codel->count - codel->last_count > 1 && now < codel->next_ns + 16 * INTERVAL ? codel->count - codel->last_count : 1;
	codel->last_count = codel->count;
	codel->next_ns = now + INTERVAL / sqrt(codel->count);
	codel->dropping = 1;
	return 1;
}

static void drop(struct way *way, struct packet *packet)
{
	way->dropped++;
	free(packet);
}

static void note_wait(struct way *way, uint64_t ns)
{
	if (!(way->waits & (way->waits - 1))) {
		way->wait_us = realloc(way->wait_us, (way->waits ? 2 * way->waits : 1) * sizeof(*way->wait_us));
		if (!way->wait_us)
			err(1, "waits");
	}
	way->wait_us[way->waits++] = ns / 1000;
}

/* The head of the queue had all its opportunities. */
static void send_first(struct way *way, uint64_t now)
{
	struct packet *packet = take_first(&way->waiting);
	uint64_t due = now + delay_now(now);

	way->bytes -= packet->size;
	note_wait(way, now - packet->at);
	if (way->loss && draw() < way->loss) {
		drop(way, packet);
		return;
	}
	way->packets++;
	way->sent_bytes += packet->size;
	/* The delay may have become shorter: what was sent before still comes before. */
	way->last_ns = packet->at = due > way->last_ns ? due : way->last_ns;
	append(&way->flying, packet);
}

/* The opportunities of one ms. */
static void serve(struct way *way, uint64_t now)
{
	int left = capacity_of(way, way->next_ms) * OPPORTUNITY, part;
	struct packet *first;

	while (left && (first = way->waiting.first)) {
		if (way->codel && first->left == first->size && codel_drops(way->codel, now - first->at, way->bytes, now)) {
			way->bytes -= first->size;
			drop(way, take_first(&way->waiting));
			continue;
		}
		part = left < first->left ? left : first->left;
		left -= part;
		first->left -= part;
		if (!first->left)
			send_first(way, now);
	}
}

/* All whose time has come: opportunities, then arrivals. Returns when something is to be done next. */
static uint64_t advance(struct way *way, uint64_t now)
{
	uint64_t next = NEVER;

	while (way->waiting.first) {
		way->next_ms = find_capacity(way, way->next_ms);
		next = start_ns + way->next_ms * MS;
		if (next > now)
			break;
		serve(way, next);
		way->next_ms++;
		next = NEVER;
	}
	while (way->flying.first && way->flying.first->at <= now) {
		struct packet *packet = take_first(&way->flying);

		if (write(way->out, packet->data, packet->size) != packet->size)
			err(1, "write to tun");
		free(packet);
	}
	return way->flying.first && way->flying.first->at < next ? way->flying.first->at : next;
}

/* IPv6 announces the device to its neighbours; such packets would only disturb the count. */
static int is_for_a_group(const uint8_t *packet)
{
	return packet[0] >> 4 == 6 && packet[24] == 0xff;
}

static void take_packets(struct way *way, uint64_t now)
{
	static uint8_t buffer[PACKET_MAX];
	struct packet *packet;
	uint64_t ms;
	int size;

	while ((size = read(way->in, buffer, sizeof(buffer))) > 0) {
		if (is_for_a_group(buffer))
			continue;
		if (way->bytes + size > way->limit) {
			way->dropped++;
			continue;
		}
		/* What an empty queue left of the ms before is gone. */
		ms = (now - start_ns) / MS + 1;
		if (!way->waiting.first && way->next_ms < ms)
			way->next_ms = ms;
		packet = malloc(sizeof(*packet) + size);
		if (!packet)
			err(1, "packet");
		memcpy(packet->data, buffer, size);
		packet->at = now;
		packet->size = packet->left = size;
		append(&way->waiting, packet);
		way->bytes += size;
	}
	if (size < 0 && errno != EAGAIN)
		err(1, "read from tun");
}

static void run(struct way *there, struct way *back)
{
	struct pollfd fds[] = { { .fd = there->in, .events = POLLIN }, { .fd = back->in, .events = POLLIN } };
	uint64_t now = now_ns();
	sigset_t none;

	sigemptyset(&none);
	while (!ended) {
		/* As few system calls as possible: each costs more than all the rest here. */
		uint64_t next = advance(there, now), other = advance(back, now), wait;
		struct timespec time;

		next = other < next ? other : next;
		wait = next > now ? next - now : 0;
		time = (struct timespec){ wait / 1000000000, wait % 1000000000 };
		if (ppoll(fds, 2, next == NEVER ? NULL : &time, &none) < 0 && errno != EINTR)
			err(1, "poll");
		/* What was due meanwhile goes first: a packet that comes late finds an opportunity gone. */
		now = now_ns();
		advance(there, now);
		advance(back, now);
		if (fds[0].revents)
			take_packets(there, now);
		if (fds[1].revents)
			take_packets(back, now);
	}
}

static uint32_t quantile(const struct way *way, double q)
{
	return way->waits ? way->wait_us[(uint32_t)((way->waits - 1) * q)] : 0;
}

static void print_queue(const char *name, const struct way *way)
{
	printf("qdisc %s [{\"kind\":\"%s\",\"packets\":%llu,\"bytes\":%llu,\"drops\":%llu}]\n", name, way->codel ? "link-codel" : "link",
	       (unsigned long long)way->packets, (unsigned long long)way->sent_bytes, (unsigned long long)way->dropped);
}

static void print_waits(struct way *way)
{
	uint64_t ms = (now_ns() - start_ns) / MS, offered = 0, i;

	for (i = 0; i < ms; i++)
		offered += capacity_of(way, i);
	qsort(way->wait_us, way->waits, sizeof(*way->wait_us), compare);
	printf("count link_wait_p50_us %u\ncount link_wait_p95_us %u\ncount link_offered_packets %llu\ncount link_ms %llu\n",
	       quantile(way, 0.5), quantile(way, 0.95), (unsigned long long)offered, (unsigned long long)ms);
}

static int open_device(const char *host, const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd;

	enter(host);
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	strncpy(request.ifr_name, name, IFNAMSIZ - 1);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		err(1, "%s", name);
	return fd;
}

/* Reads the recording; both ways get their capacity. */
static void load(const char *name, struct way *there, struct way *back)
{
	FILE *file = fopen(name, "r");
	uint8_t *values;
	uint32_t size;

	if (!file || fscanf(file, "forward %u back %u delay %u", &there->length, &back->length, &delay_count) != 3 || fgetc(file) != '\n')
		errx(1, "%s: no recording of a link", name);
	size = there->length + back->length + delay_count;
	values = malloc(size);
	if (!values || fread(values, 1, size, file) != size || fgetc(file) != EOF)
		errx(1, "%s: not as long as its first line says", name);
	fclose(file);
	there->capacity = values;
	back->capacity = values + there->length;
	delays = back->capacity + back->length;
	if (!back->length) {
		back->capacity = there->capacity;
		back->length = there->length;
	}
}

static void check_capacity(const char *name, const struct way *way)
{
	uint32_t i;

	for (i = 0; i < way->length; i++)
		if (way->capacity[i])
			return;
	errx(1, "%s: no packet could ever pass", name);
}

int main(int argc, char **words)
{
	const char *data = value_of(words, "data", NULL), *ready = value_of(words, "ready", NULL);
	struct codel codel = { 0 };
	struct way there = {
		.limit = strtoull(value_of(words, "queue", NULL), NULL, 10),
		.loss = atof(value_of(words, "loss", "0")),
		.codel = atoi(value_of(words, "codel", "0")) ? &codel : NULL,
	}, back = {
		.limit = strtoull(value_of(words, "back_queue", "1000000"), NULL, 10),
		.loss = atof(value_of(words, "back_loss", "0")),
	};
	struct sigaction action = { .sa_handler = end };
	sigset_t term;
	int i;

	if (argc < 2 || !there.limit || !back.limit)
		errx(2, "queue= and back_queue= are bytes above 0");
	chance = strtoull(value_of(words, "seed", NULL), NULL, 10);
	for (i = 0; i < 8; i++) /* near seeds begin with near numbers */
		draw();
	fixed_ns = atof(value_of(words, "delay", "0")) * MS;
	load(data, &there, &back);
	check_capacity(data, &there);
	check_capacity(data, &back);
	place_ms = draw() * there.length;
	make_empty(&there);
	make_empty(&back);
	there.in = back.out = open_device(value_of(words, "near", ""), value_of(words, "near_device", NULL));
	back.in = there.out = open_device(value_of(words, "far", ""), value_of(words, "far_device", NULL));
	prctl(PR_SET_TIMERSLACK, 1);
	/* It ends while it waits and nowhere else. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	sigaction(SIGTERM, &action, NULL);
	start_ns = now_ns();
	close(open(ready, O_CREAT | O_WRONLY, 0600));
	run(&there, &back);
	print_queue("bottleneck", &there);
	print_queue("back_link", &back);
	print_waits(&there);
	return 0;
}
