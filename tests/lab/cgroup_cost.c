// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup_cost CONNECTIONS ANSWERS [OBJECT PROGRAM CGROUP [NAME]]: connections over loopback, one after another: connect, ANSWERS
 * times a request of 200 bytes and an answer of 10000, close. Prints the time of one connection in nanoseconds, which in the
 * lab are instructions.
 * With OBJECT it first attaches its PROGRAM to CGROUP and joins that, so that both ends of each connection fall under it; with
 * NAME this is the policy NAME.
 * Linked statically: the guest has no libbpf.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REQUEST 200
#define ANSWER 10000
#define SERVER "192.0.2.2"	/* of this host, too: what is measured may leave 127.0.0.1 out */
#define WARM_UP 50		/* connections that are not counted: caches of the kernel fill */

static void check(int good, const char *what)
{
	if (!good) {
		perror(what);
		exit(1);
	}
}

static void attach(const char *file, const char *program, const char *cgroup, const char *name)
{
	char value[16] = "", path[256], pid[16];
	struct bpf_object *object = bpf_object__open(file);
	int cgroup_fd = open(cgroup, O_RDONLY), procs;
	__u32 key = 0;

	check(object && !bpf_object__load(object), "load");
	if (name) {
		strncpy(value, name, sizeof(value) - 1);
		check(!bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "ndm_cc_name"), &key, value, 0), "map");
	}
	check(!bpf_prog_attach(bpf_program__fd(bpf_object__find_program_by_name(object, program)), cgroup_fd,
			       BPF_CGROUP_SOCK_OPS, BPF_F_ALLOW_MULTI), "attach");
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	snprintf(pid, sizeof(pid), "%d", getpid());
	procs = open(path, O_WRONLY);
	check(write(procs, pid, strlen(pid)) > 0, "join");
	close(procs);
}

static void transfer(int from, int to, size_t size)
{
	static char buffer[ANSWER];
	ssize_t got;

	check(write(from, buffer, size) == (ssize_t)size, "write");
	for (; size; size -= got) {
		got = read(to, buffer, size);
		check(got > 0, "read");
	}
}

static void connect_once(int listener, const struct sockaddr_in *address, int answers, const char *expected)
{
	int client = socket(AF_INET, SOCK_STREAM, 0), accepted;
	char name[16];
	socklen_t size = sizeof(name);

	check(!connect(client, (const struct sockaddr *)address, sizeof(*address)), "connect");
	accepted = accept(listener, NULL, NULL);
	check(accepted >= 0, "accept");
	if (expected) {
		check(!getsockopt(client, IPPROTO_TCP, TCP_CONGESTION, name, &size) && !strcmp(name, expected), "client's algorithm");
		check(!getsockopt(accepted, IPPROTO_TCP, TCP_CONGESTION, name, &size) && !strcmp(name, expected), "server's algorithm");
	}
	while (answers--) {
		transfer(client, accepted, REQUEST);
		transfer(accepted, client, ANSWER);
	}
	close(accepted);
	close(client);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = inet_addr(SERVER) };
	int count = atoi(argv[1]), answers = atoi(argv[2]), listener, i;
	const char *name = argc > 6 ? argv[6] : NULL;
	socklen_t size = sizeof(address);
	struct timespec start, end;

	if (argc > 3)
		attach(argv[3], argv[4], argv[5], name);
	listener = socket(AF_INET, SOCK_STREAM, 0);	/* of the cgroup that is joined by now */
	check(!bind(listener, (struct sockaddr *)&address, size) && !listen(listener, 16), "listen");
	getsockname(listener, (struct sockaddr *)&address, &size);
	for (i = 0; i < WARM_UP; i++)
		connect_once(listener, &address, answers, name);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (i = 0; i < count; i++)
		connect_once(listener, &address, answers, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%lld\n", ((end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec) / count);
	return 0;
}
