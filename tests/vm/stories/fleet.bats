#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# What many machines are kept with, and what runs on them, from Debian's packages: the Ansible role; nginx, HAProxy, sshd and Docker as
# ndmctl/programs.md says. One guest; from "Ansible" on in order.

load helpers

setup_file() {
	start_installed_guest fleet
	local debs
	debs=$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" ansible-core python3-apt nginx-light haproxy docker.io docker-cli busybox-static)
	vm_put "$debs" /srv
	# Nothing starts by itself; compiling Python ahead would take longer than all the Python that runs here.
	ok 'printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d; ln -s /bin/true /usr/local/sbin/py3compile
		dpkg -i --force-unsafe-io /srv/debs-*/*.deb >/root/dpkg.log 2>&1 || { tail -n 20 /root/dpkg.log; exit 1; }
		rm -r /usr/sbin/policy-rc.d /srv/debs-*
		mkdir /root/roles'
	vm_put "$VM_TOP/ndmctl/ansible/ndm_tcp" /root/roles # as on a machine that manages others
}

teardown() { kernel_is_content; }

# The algorithm of the connection that the server on this port has accepted.
SERVED='served() { exec 3<>/dev/tcp/127.0.0.1/$1; until ss -tinOH state established "sport = :$1" | grep -o " \(ndm[_v0-9]*\|cubic\) wscale" | cut -d " " -f 2 | sort -u | grep .; do sleep 0.1; done; exec 3<&-; }'

@test "nginx, HAProxy and sshd: a policy of the unit is that of what they accept" {
	ok 'printf "defaults\n mode http\n timeout client 9s\n timeout server 9s\n timeout connect 9s\nfrontend f\n bind 127.0.0.1:8081\n" >/etc/haproxy/haproxy.cfg
		systemctl start nginx haproxy'
	ok "$SERVED; served 80; served 8081; served 22"; is $'cubic\ncubic\ncubic'
	ok 'for unit in nginx haproxy ssh; do ndmctl unit set $unit ndm_v5; done; systemctl restart nginx'
	ok "$SERVED; served 80; served 8081; served 22"; is $'ndm_v5\nndm_v5\nndm_v5'
	ok 'for unit in nginx haproxy ssh; do ndmctl unit clear $unit; done; systemctl restart haproxy'
	ok "$SERVED; served 80; served 8081; served 22"; is $'cubic\ncubic\ncubic'
	ok 'systemctl stop nginx haproxy'
}

@test "Docker: a new container by --sysctl, a running one by --netns" {
	ok 'systemctl start docker; mkdir -p /tmp/image/bin; cp /bin/busybox /tmp/image/bin; ln -sf busybox /tmp/image/bin/sh
		tar -C /tmp/image -c . | docker import - small >/dev/null; modprobe tcp_ndm'
	ok 'docker run --rm --network none --sysctl net.ipv4.tcp_congestion_control=ndm_v5 small /bin/busybox cat /proc/sys/net/ipv4/tcp_congestion_control'; is ndm_v5
	ok 'docker run -d --name web --network none small /bin/busybox sleep 1000 >/dev/null
		docker exec web /bin/busybox cat /proc/sys/net/ipv4/tcp_congestion_control'; is cubic
	ok "ndmctl -q set-default ndm_v5 --netns \$(docker inspect -f '{{.State.Pid}}' web); docker exec web /bin/busybox cat /proc/sys/net/ipv4/tcp_congestion_control"; is ndm_v5
	ok 'ndmctl unload; :'; has 'in use: network namespace'
	ok 'docker rm -f web; systemctl stop docker docker.socket containerd'
	await 'ndmctl -q unload'
}

ROLE='ANSIBLE_ROLES_PATH=/root/roles ANSIBLE_NOCOWS=1 ansible-playbook -i localhost, -c local /tmp/play.yml'

play() { # LINE...: variables of the role
	ok "printf '%s\n' '- hosts: localhost' '  roles:' '    - role: ndm_tcp' '      ndm_tcp_headers: []' $(printf "'      %s' " "$@")>/tmp/play.yml"
}

@test "Ansible: in check mode it says what it then does; the second time nothing changes" {
	play 'ndm_tcp_config: {KEEP_NOISE: 701, DEFAULT: ndm_v5}' 'ndm_tcp_cgroups: [{target: /user.slice, cc: ndm_v4}]' 'ndm_tcp_metrics: timer'
	ok "$ROLE --check"; has changed=4 failed=0 # with the reload
	ok 'ls /etc/ndm-tcp/conf.d; systemctl is-enabled ndm-tcp; :'; is disabled
	ok "$ROLE"; has changed=4 failed=0
	ok 'sysctl -n net.ipv4.tcp_congestion_control; ndmctl config get KEEP_NOISE; ndmctl cgroup list --plain; ndmctl config get --diff; systemctl is-active ndm-tcp-metrics.timer'
	is $'ndm_v5\n701\n/user.slice\tndm_v4\tconfig\tactive\nactive'
	ok "$ROLE --check"; has changed=0 failed=0
	ok "$ROLE"; has changed=0 failed=0
}

@test "Ansible: a changed value is applied, an invalid one is refused and nothing changes" {
	play 'ndm_tcp_config: {KEEP_NOISE: 702}'
	ok "$ROLE"; has failed=0
	ok 'cat /sys/module/tcp_ndm/parameters/keep_noise'; is 702
	play 'ndm_tcp_config: {KEEP_NOISE: many}'
	fails 2 "$ROLE"; has KEEP_NOISE
	ok 'ndmctl config get KEEP_NOISE'; is 702
}

@test "Ansible: absent removes it, and the second time nothing changes" {
	play 'ndm_tcp_state: absent'
	ok "$ROLE"; has changed=1 failed=0
	default_is cubic
	ok "$ROLE"; has changed=0 failed=0
}
