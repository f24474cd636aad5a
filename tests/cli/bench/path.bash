# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # names for the tests
# path.bash: for scripts of in_own_system: a path to another network namespace, and far ends there. All of it ends with the script.

PATH=/usr/bin:/usr/sbin:/bin:/sbin    # the python3 of the system
BENCH_TESTS=${BASH_SOURCE[0]%/*}

path_up() { # OPTION... of path.py
	ip netns add far
	ip -n far link set lo up
	mkfifo /run/hold
	exec {HOLD}<>/run/hold    # path.py ends with its standard input
	python3 "$BENCH_TESTS/path.py" far "$@" <&"$HOLD" >/run/path.log 2>&1 &
	patiently grep -q ready /run/path.log
}

far() { ip netns exec far "$@"; }

listens() { [[ $(far ss -Hltn "sport = :$1") ]]; }

iperf3_up() {
	ip netns exec far iperf3 -s >/run/iperf3.log 2>&1 &    # without a shell between, so that it can be killed
	IPERF3=$!    # for tests that end it
	patiently listens 5201
}

# With a home of its own, so that no key and no list of hosts of this machine is used or changed.
sshd_up() {
	mount -t tmpfs none /root
	mkdir -p /root/.ssh /run/sshd
	chmod 700 /root /root/.ssh
	rm -f /run/host_key
	ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
	ssh-keygen -q -t ed25519 -N '' -f /run/host_key
	cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
	printf '%s %s\n' '[10.9.0.2]:2222' "$(cut -d ' ' -f 1,2 /run/host_key.pub)" >/root/.ssh/known_hosts
	printf '%s\n' 'Port 2222' 'HostKey /run/host_key' 'PermitRootLogin yes' 'UsePAM no' "PidFile /run/sshd.pid" >/run/sshd_config
	far /usr/sbin/sshd -f /run/sshd_config -E /run/sshd.log
	patiently listens 2222
}

https_up() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=far -addext 'subjectAltName=IP:10.9.0.2' \
		-keyout /run/key.pem -out /run/cert.pem 2>/dev/null
	cat /run/key.pem /run/cert.pem >/run/both.pem
	far python3 "$BENCH_TESTS/https_server.py" /run/both.pem 10.9.0.2 4433 &
	patiently listens 4433
}
