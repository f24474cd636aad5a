// SPDX-License-Identifier: GPL-2.0
/* Prints of each struct_ops program that is loaded its name and how many instructions the verifier looked at. */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int call_bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int next_id(__u32 *id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr))
		return 0;
	*id = attr.next_id;
	return 1;
}

int main(void)
{
	struct bpf_prog_info info;
	union bpf_attr attr;
	__u32 id = 0;
	int fd;

	while (next_id(&id)) {
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = fd;
		attr.info.info_len = sizeof(info);
		attr.info.info = (uintptr_t)&info;
		if (!call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) && info.type == BPF_PROG_TYPE_STRUCT_OPS)
			printf("%s %u\n", info.name, info.verified_insns);
		close(fd);
	}
	return 0;
}
