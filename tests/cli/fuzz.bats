# SPDX-License-Identifier: GPL-2.0
# Random names and arguments, see fuzz.py. The same ones each time, unless FUZZ_SECONDS (make fuzz-cli) asks for others; FUZZ_SEED is for
# those of a run that failed.
load helpers

setup() {
	make_full_root reno
	name_netns web blue
	put "$R/fixture/routes4" 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0 proto static scope global'
	put "$R/fixture/routes6" 'main 1024 unicast default via fe80::1 dev eth0 proto ra scope global metric 1024'
	put "$R/proc/self/cgroup" '0::/batch.slice'
	link_answers
}

nothing_is_wrong() {
	[[ ${FUZZ_SECONDS-} ]] || FUZZ_SEED=${FUZZ_SEED:-1}
	run python3 -B "$CLI/fuzz.py" "$ON_R" "$R" "${FUZZ_SECONDS:-15}" ${FUZZ_SEED:+"$FUZZ_SEED"}
	echo "$output"
	((status == 0))
	echo "# $output" >&3    # how many command lines
}

# bats test_tags=all
@test "fuzz: random names and arguments" { nothing_is_wrong; }

# bats test_tags=all
@test "fuzz: random answers of other programs, and random text in files of others" {
	put "$R/fixture/mokutil.txt" 'SecureBoot enabled'
	link_answers
	mkdir "$R/mutant"
	local program
	for program in ss bpftool ip modinfo systemctl nsenter dkms mokutil; do ln -s "$CLI/mutate.py" "$R/mutant/$program"; done
	sed -i "s|^PATH=|&${R@Q}/mutant:|" "$ON_R"
	nothing_is_wrong
}
