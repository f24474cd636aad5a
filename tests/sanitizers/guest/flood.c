// SPDX-License-Identifier: GPL-2.0
/*
 * SYNs from many addresses that nobody answers for, beside connections that are meant. The listener answers with cookies.
 */
#include "stress.h"

#include <netinet/ip.h>

/* 10.9.0.0/16 leads to a device that swallows all; 10.8.0.1 is this host (the story sets both). */
#define SOURCES 0x0a090000u
#define TARGET 0x0a080001u

struct syn {
	struct iphdr ip;
	struct tcphdr tcp;
};

static uint32_t add(uint32_t sum, const void *bytes, size_t size)
{
	const uint16_t *words = bytes;

	for (; size > 1; size -= 2)
		sum += *words++;
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void send_syn(int fd, uint16_t port)
{
	struct syn syn = {
		.ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP, .tot_len = htons(sizeof(syn)),
			.saddr = htonl(SOURCES + chance(65536)), .daddr = htonl(TARGET) },
		.tcp = { .source = htons(1024 + chance(60000)), .dest = htons(port), .seq = chance(1u << 31), .doff = 5, .syn = 1,
			 .window = htons(65535) },
	};
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = syn.ip.daddr };
	uint32_t sum = htons(IPPROTO_TCP) + htons(sizeof(syn.tcp));

	sum = add(sum, &syn.ip.saddr, 8);
	syn.tcp.check = fold(add(sum, &syn.tcp, sizeof(syn.tcp)));
	if (sendto(fd, &syn, sizeof(syn), 0, (void *)&to, sizeof(to)) < 0 && errno != ENOBUFS)
		err(1, "SYN");
}

int flood(char **words)
{
	uint64_t until = end_after(words[1]);
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW), i;
	unsigned long syns = 0;

	if (fd < 0)
		err(1, "raw socket");
	while (!is_over(until)) {
		for (i = 0; i < 50; i++, syns++)
			send_syn(fd, atoi(words[0]));
		usleep(1000);
	}
	printf("syns %lu\n", syns);
	return 0;
}
