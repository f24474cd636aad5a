// SPDX-License-Identifier: GPL-2.0
/*
 * Asks again and again what ss -i asks: of all connections at once, with what their algorithms show. No process is started for it, so that
 * there are many answers.
 */
#include "stress.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

static void ask(int fd)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 request;
	} question = {
		.head = { .nlmsg_len = sizeof(question), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.request = { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0u,
			     .idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_VEGASINFO - 1) | 1 << (INET_DIAG_CONG - 1) },
	};

	if (send(fd, &question, sizeof(question), 0) != sizeof(question))
		err(1, "question");
}

/* How many connections of our algorithms it names, as far as it is said by what only they show. */
static unsigned long take_answer(int fd)
{
	static char answer[1 << 16];
	unsigned long found = 0;

	for (;;) {
		struct nlmsghdr *head = (void *)answer;
		ssize_t left = recv(fd, answer, sizeof(answer), 0);

		if (left < 0)
			err(1, "answer");
		for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
			if (head->nlmsg_type == NLMSG_DONE)
				return found;
			if (head->nlmsg_type == NLMSG_ERROR)
				errx(1, "no answer");
			found += !!memmem(head, head->nlmsg_len, "ndm", 3);
		}
	}
}

int asks(char **words)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	uint64_t until = end_after(words[0]);
	unsigned long found = 0;

	if (fd < 0)
		err(1, "sock_diag");
	while (!is_over(until)) {
		ask(fd);
		found += take_answer(fd);
	}
	printf("shown %lu\n", found);
	return 0;
}
