# SPDX-License-Identifier: GPL-2.0
# ndmctl killed by SIGKILL, which nobody can catch, on its way: nothing else stumbles over what it left, and the same command again
# brings what it would have brought at once.
# bats file_tags=all
load helpers

setup() {
	make_changeable_root
	# A second copy counts its steps, the commands of bash, and kills itself before one of them.
	KILLED=${ON_R%/*/*}/killed/ndmctl
	mkdir "${KILLED%/*}"
	ln -s ../ndmctl/lib "${KILLED%/*}/lib"
	ln -s ndmctl "${KILLED%/*}/service"
	sed '/^main "\$@"/i set -T; STEPS=0; trap '\''((++STEPS != ${KILL_AT:-0})) || builtin kill -9 $$; [[ ! ${COUNT_TO-} || $BASHPID != $$ ]] || printf . >>"$COUNT_TO"'\'' DEBUG' \
		"$ON_R" >"$KILLED"
	chmod +x "$KILLED"
}

survives() { # the words of ndmctl, or service and its words
	local killed=("$KILLED" "$@") places=${PLACES:-8} steps at expected got tree=$BATS_TEST_TMPDIR/tree place
	rm -rf "$tree"
	cp -a "$R" "$tree"
	link_answers
	[[ $1 != service ]] || killed=("${KILLED%/*}/service" "${@:2}")
	COUNT_TO=$BATS_TEST_TMPDIR/steps "${killed[@]}"
	steps=$(wc -c <"$BATS_TEST_TMPDIR/steps")
	rm "$BATS_TEST_TMPDIR/steps"
	((steps > 200)) || fail "only $steps steps"
	expected=$(everything)
	for ((place = 1; place <= places; place++)); do
		at=$((steps * place / (places + 1)))
		put_back "$tree"
		KILL_AT=$at run -137 "${killed[@]}"
		ndmctl status
		[[ $status == [03] && $stderr != *'line '* ]] || fail "status stumbles over what step $at of $steps left"
		ndmctl doctor
		[[ $status == [01] && $stderr != *'line '* ]] || fail "doctor stumbles over what step $at of $steps left"
		ndmctl "$@"
		exits 0
		got=$(everything)
		[[ $got == "$expected" ]] || { diff <(echo "$expected") <(echo "$got"); fail "killed at step $at of $steps: $*"; }
	done
}

@test "kill: set-default, for this boot, for good, in a network namespace" {
	survives set-default ndm
	survives set-default ndm_v4 --runtime
	survives set-default ndm --netns blue
}

@test "kill: config set and unset" {
	survives config set KEEP_NOISE 700 DEFAULT ndm
	survives config unset KEEP_NOISE
}

@test "kill: policies of cgroups, for this boot and for good, set and cleared" {
	survives cgroup set /batch.slice ndm
	survives cgroup set /batch.slice ndm_v4 --persist
	survives cgroup clear /batch.slice --persist
}

@test "kill: policies of units, set, changed and cleared" {
	survives unit set sock ndm
	survives unit set sock ndm_v4
	PLACES=30 survives unit clear sock    # of two drop-ins, and two cgroups
}

@test "kill: routes" {
	survives route set 192.0.2.0/24 ndm
	survives route clear 192.0.2.0/24
}

@test "kill: load, the unit's start and stop, and unload" {
	put "$R/etc/ndm-tcp/conf.d/20-site.conf" $'DEFAULT=ndm\nCGROUP=/batch.slice:ndm_v4\nUNIT=web.service:ndm'
	survives service stop
	survives service start
	survives service remove
	survives unload
}

@test "kill: load and unload of BPF programs" {
	ndmctl config set QUEUE_MS 300
	ndmctl unload
	without_module
	survives load
	survives unload
}
