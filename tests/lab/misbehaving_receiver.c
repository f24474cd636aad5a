// SPDX-License-Identifier: GPL-2.0
/*
 * guest/wire.c with a misbehaving receiver: its acknowledgements are altered when
 * they reach the sender. The host compiles it and copies it into the guest.
 *
 *   misbehaving_receiver [HOW...] [since=N] NAME=VALUE...
 *     split=N      each ACK arrives as N ACKs, whose numbers grow in equal parts
 *                  of a packet, or equal that of the honest ACK
 *     dsack=every  each ACK says that the newest acknowledged packet arrived
 *                  twice (DSACK, RFC 2883)
 *     dsack=again  the same for each retransmitted packet, once, as soon as the
 *                  sender may believe it: when it is acknowledged cumulatively
 *     ahead=N      each ACK says that all has arrived, and N packets more, as far as
 *                  they were sent; nothing of lost ones: optimistic ACKs
 *     beyond=1     each ACK comes a second time, for more than was ever sent
 *     sack=all     each ACK that has SACK blocks says that all that was sent has
 *                  arrived, but for the first packet that is missing
 *     reorder=N    each Nth ACK follows one that says that the fifth packet behind
 *                  its own arrived first
 *     echo=MS      each ACK echoes a timestamp that is so much older
 *     close=MS     the window is closed in every other span of this length
 *     any=SEED     for each ACK, one or two of these are chosen at random
 *     since=N      honest until it has acknowledged N packets
 *   The other words are those of wire.c. The state is also read after each ACK
 *   that is added.
 */
#define _GNU_SOURCE
#include <unistd.h>

ssize_t altered_write(int fd, const void *data, size_t size);

#define main wire_main
#define write altered_write
#include "guest/wire.c"
#undef main
#undef write

#define OPTIONS_MAX 40
#define BLOCK 8			/* bytes: two sequence numbers */
enum { PADDING = 1, SACK = 5, TIMESTAMPS = 8 };	/* options */

/**
 * struct how - what is done to an ACK; zero is nothing
 * @split:        into so many
 * @ahead:        packets; at most ALL
 * @reorder:      every so many ACKs
 * @echo:         ms
 * @close:        ms
 * @beyond:       acknowledges what was not sent
 * @claims_every: forged DSACK, each time
 * @claims_again: forged DSACK of what was sent again
 * @sack_all:     forged SACK
 */
struct how {
	unsigned int split, ahead, reorder, echo, close;
	int beyond, claims_every, claims_again, sack_all;
};

#define ALL 100000
static const struct how honest;
static struct how how;
static uint64_t chance;		/* of any=SEED; 0 is none */
static unsigned int acks;
static uint32_t since;
static uint32_t last_ack;	/* what the receiver acknowledged before */
static uint32_t top;		/* end of the newest data that reached it */
static uint32_t size_of_data;
static uint32_t again_at;	/* of the packet that was sent again; 0 is none */

static uint32_t add_up(const void *data, int size)
{
	const uint8_t *byte = data;
	uint32_t sum = 0;
	int i;

	for (i = 0; i < size; i++)
		sum += i & 1 ? byte[i] : byte[i] << 8;
	return sum;
}

static uint16_t folded(uint32_t sum)
{
	sum = (sum >> 16) + (sum & 0xffff);
	return htons(~(sum + (sum >> 16)));
}

/* Hand in a packet of ours; its sums are made anew. */
static void put(struct iphdr *ip, struct tcphdr *tcp)
{
	int size = tcp->doff * 4, all = ip->ihl * 4 + size;

	ip->tot_len = htons(all);
	ip->check = 0;
	ip->check = folded(add_up(ip, ip->ihl * 4));
	tcp->check = 0;
	tcp->check = folded(add_up(tcp, size) + add_up(&ip->saddr, 8) + IPPROTO_TCP + size);
	if (write(tun, ip, all) != all)
		err(1, "%s", device);
}

/* Where this option begins, or the end. */
static int find_option(const struct tcphdr *tcp, int kind)
{
	const uint8_t *options = (const uint8_t *)(tcp + 1);
	int at = 0, size = tcp->doff * 4 - sizeof(*tcp);

	while (at < size && options[at] != kind)
		at += options[at] == PADDING ? 1 : options[at + 1];
	return at < size ? at : size;
}

static int count_blocks(const struct tcphdr *tcp)
{
	int at = find_option(tcp, SACK);

	return at < (int)(tcp->doff * 4 - sizeof(*tcp)) ? (((const uint8_t *)(tcp + 1))[at + 1] - 2) / BLOCK : 0;
}

/* The SACK option is the last one, behind two bytes of padding. */
static void set_blocks(struct tcphdr *tcp, const uint32_t *blocks, int count)
{
	int at = find_option(tcp, SACK) - (count_blocks(tcp) ? 2 : 0);
	uint8_t *sack = (uint8_t *)(tcp + 1) + at;

	if (count) {
		sack[0] = sack[1] = PADDING;
		sack[2] = SACK;
		sack[3] = 2 + count * BLOCK;
		memcpy(sack + 4, blocks, count * BLOCK);
		at += 4 + count * BLOCK;
	}
	tcp->doff = (sizeof(*tcp) + at) / 4;
}

/* The packet that begins at @seq arrived, too: that comes as the first block. */
static void claim(struct tcphdr *tcp, uint32_t seq)
{
	uint32_t blocks[OPTIONS_MAX / 4] = { htonl(seq), htonl(seq + size_of_data) };
	int count = count_blocks(tcp), room = find_option(tcp, SACK) - (count ? 2 : 0);

	memcpy(blocks + 2, (uint8_t *)(tcp + 1) + find_option(tcp, SACK) + 2, count * BLOCK);
	/* The oldest of the honest blocks makes room if there is none. */
	if (room + 4 + (count + 1) * BLOCK > OPTIONS_MAX)
		count--;
	set_blocks(tcp, blocks, count + 1);
}

static void age_echo(struct tcphdr *tcp, uint32_t ms)
{
	int at = find_option(tcp, TIMESTAMPS);
	uint32_t *echo = (uint32_t *)((uint8_t *)(tcp + 1) + at + 6);

	if (at < (int)(tcp->doff * 4 - sizeof(*tcp)))
		*echo = htonl(ntohl(*echo) - ms);
}

static int is_honest(void)
{
	return since && (!last_ack || last_ack - first_byte < since * size_of_data);
}

static uint32_t random_below(uint32_t limit)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (chance >> 32) % limit;
}

static struct how choose(void)
{
	struct how now = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		switch (random_below(10)) {
		case 0: now.split = 2 + random_below(7); break;
		case 1: now.ahead = 1 + random_below(ALL); break;
		case 2: now.beyond = 1; break;
		case 3: now.claims_every = 1; break;
		case 4: now.claims_again = 1; break;
		case 5: now.sack_all = 1; break;
		case 6: now.reorder = 1; break;
		case 7: now.echo = random_below(2000); break;
		case 8: now.close = 1 + random_below(100); break;
		}
	}
	return now;
}

/* What the packet says besides its number: of blocks, timestamps and the window. */
static void forge(struct tcphdr *tcp, const struct how *now, uint32_t ack)
{
	uint32_t block[] = { htonl(ack + size_of_data), htonl(highest) };

	if (again_at && (int32_t)(last_ack - again_at - size_of_data) >= 0) {
		if (now->claims_again)
			claim(tcp, again_at);
		again_at = 0;
	} else if (now->claims_every && last_ack - first_byte >= size_of_data) {
		claim(tcp, last_ack - size_of_data);
	}
	if (now->ahead)
		set_blocks(tcp, NULL, 0);
	else if (now->sack_all && count_blocks(tcp) && (int32_t)(highest - ack - size_of_data) > 0)
		set_blocks(tcp, block, 1);
	if (now->echo)
		age_echo(tcp, now->echo);
	if (now->close && ns_since_start() / (now->close * MS) & 1)
		tcp->window = 0;
}

static void put_acks(struct iphdr *ip, struct tcphdr *tcp)
{
	struct how now = is_honest() ? honest : chance ? choose() : how;
	uint32_t ack = ntohl(tcp->ack_seq), moved;
	unsigned int i, parts = now.split ? now.split : 1;

	if (last_ack && now.reorder && ++acks % now.reorder == 0 && (int32_t)(highest - ack - 5 * size_of_data) >= 0) {
		uint8_t packet[PACKET_MAX + OPTIONS_MAX];
		struct iphdr *first = (struct iphdr *)packet;
		struct tcphdr *claimed = (struct tcphdr *)(packet + ip->ihl * 4);

		memcpy(packet, ip, ip->ihl * 4 + tcp->doff * 4);
		claimed->ack_seq = htonl(last_ack);
		claim(claimed, ack + 4 * size_of_data);
		put(first, claimed);
		look();
	}
	if (now.ahead)
		ack = top;
	if (now.ahead && highest != ack)
		ack = highest - ack < (uint64_t)now.ahead * size_of_data ? highest : ack + now.ahead * size_of_data;
	if (last_ack && (int32_t)(ack - last_ack) < 0)
		ack = last_ack;	/* it has said more before */
	moved = last_ack ? ack - last_ack : 0;
	if (memcmp(&now, &honest, sizeof(now)))
		tell("lie", sent, ack);
	forge(tcp, &now, ack);
	for (i = 1; i <= parts; i++) {
		tcp->ack_seq = htonl(ack - moved + (uint64_t)moved * i / parts);
		put(ip, tcp);
		if (i < parts)
			look();
	}
	if (now.beyond) {
		tcp->ack_seq = htonl(highest + size_of_data * ALL);
		put(ip, tcp);
	}
	last_ack = ack;
}

/* What wire.c writes to the device is a packet that arrives. */
ssize_t altered_write(int fd, const void *data, size_t size)
{
	uint8_t packet[PACKET_MAX + OPTIONS_MAX];
	struct iphdr *ip = (struct iphdr *)packet;
	struct tcphdr *tcp;
	uint32_t payload, seq;

	if (fd != tun || size < sizeof(*ip) + sizeof(*tcp))
		return write(fd, data, size);
	memcpy(packet, data, size);
	tcp = (struct tcphdr *)(packet + ip->ihl * 4);
	payload = ntohs(ip->tot_len) - ip->ihl * 4 - tcp->doff * 4;
	if (ip->version != 4 || tcp->syn || tcp->fin || tcp->rst)
		return write(fd, data, size);
	if (ntohs(tcp->source) == port) {
		put_acks(ip, tcp);
		return size;
	}
	seq = ntohl(tcp->seq);
	if (payload && top && (int32_t)(seq - top) < 0) {
		again_at = is_honest() ? 0 : seq;
	} else if (payload) {
		top = seq + payload;
		size_of_data = payload;
	}
	return write(fd, data, size);
}

int main(int argc, char **argv)
{
	int i, kept = 1;

	for (i = 1; i < argc; i++) {
		if (sscanf(argv[i], "split=%u", &how.split) == 1 || sscanf(argv[i], "ahead=%u", &how.ahead) == 1 ||
		    sscanf(argv[i], "reorder=%u", &how.reorder) == 1 || sscanf(argv[i], "echo=%u", &how.echo) == 1 ||
		    sscanf(argv[i], "close=%u", &how.close) == 1 || sscanf(argv[i], "beyond=%d", &how.beyond) == 1 ||
		    sscanf(argv[i], "any=%lu", &chance) == 1 || sscanf(argv[i], "since=%u", &since) == 1)
			continue;
		if (!strcmp(argv[i], "dsack=every"))
			how.claims_every = 1;
		else if (!strcmp(argv[i], "dsack=again"))
			how.claims_again = 1;
		else if (!strcmp(argv[i], "sack=all"))
			how.sack_all = 1;
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	return wire_main(kept, argv);
}
