// SPDX-License-Identifier: GPL-2.0
/*
 * guest/wire.c with a misbehaving receiver: its acknowledgements are altered when
 * they reach the sender. The host compiles it and copies it into the guest.
 *
 *   misbehaving_receiver [split=N] [dsack=every|again] [since=N] NAME=VALUE...
 *     split=N      each ACK arrives as N ACKs, whose numbers grow in equal parts
 *                  of a packet, or equal that of the honest ACK
 *     dsack=every  each ACK says that the newest acknowledged packet arrived
 *                  twice (DSACK, RFC 2883)
 *     dsack=again  the same for each retransmitted packet, once, as soon as the
 *                  sender may believe it: when it is acknowledged cumulatively
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
enum { PADDING = 1, SACK = 5 };	/* options */

static unsigned int split = 1;
static int claims_every, claims_again;
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

/* Where the SACK option begins, its two bytes of padding included, or the end. */
static int find_sack(const uint8_t *options, int size)
{
	int at = 0;

	while (at < size) {
		if (options[at] == SACK)
			return at - 2;
		at += options[at] == PADDING ? 1 : options[at + 1];
	}
	return size;
}

/* The packet that begins at @seq arrived twice: that comes as the first block. */
static void claim(struct tcphdr *tcp, uint32_t seq)
{
	uint8_t *options = (uint8_t *)(tcp + 1), *sack;
	uint32_t block[] = { htonl(seq), htonl(seq + size_of_data) };
	int size = tcp->doff * 4 - sizeof(*tcp), at = find_sack(options, size);
	int blocks = at < size ? (size - at - 4) / BLOCK : 0;

	/* The oldest of the honest blocks makes room if there is none. */
	if (at + 4 + (blocks + 1) * BLOCK > OPTIONS_MAX)
		blocks--;
	sack = options + at;
	memmove(sack + 4 + BLOCK, sack + 4, blocks * BLOCK);
	memcpy(sack + 4, block, BLOCK);
	sack[0] = sack[1] = PADDING;
	sack[2] = SACK;
	sack[3] = 2 + (blocks + 1) * BLOCK;
	tcp->doff = (sizeof(*tcp) + at + 4 + (blocks + 1) * BLOCK) / 4;
}

static int is_honest(void)
{
	return last_ack - first_byte < since * size_of_data;
}

static void put_acks(struct iphdr *ip, struct tcphdr *tcp)
{
	uint32_t ack = ntohl(tcp->ack_seq), moved = last_ack ? ack - last_ack : 0;
	unsigned int i, parts = is_honest() ? 1 : split;

	if (again_at && (int32_t)(last_ack - again_at - size_of_data) >= 0) {
		if (claims_again)
			claim(tcp, again_at);
		again_at = 0;
	} else if (claims_every && !is_honest() && last_ack - first_byte >= size_of_data) {
		claim(tcp, last_ack - size_of_data);
	}
	for (i = 1; i <= parts; i++) {
		tcp->ack_seq = htonl(ack - moved + (uint64_t)moved * i / parts);
		put(ip, tcp);
		if (i < parts)
			look();
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
		if (!strncmp(argv[i], "split=", 6))
			split = atoi(argv[i] + 6);
		else if (!strncmp(argv[i], "since=", 6))
			since = atoi(argv[i] + 6);
		else if (!strcmp(argv[i], "dsack=every"))
			claims_every = 1;
		else if (!strcmp(argv[i], "dsack=again"))
			claims_again = 1;
		else
			argv[kept++] = argv[i];
	}
	return wire_main(kept, argv);
}
