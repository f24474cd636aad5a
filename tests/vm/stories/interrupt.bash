# shellcheck shell=bash disable=SC2154  # helpers.bash sets output
# SPDX-License-Identifier: GPL-2.0
# What interrupt.bats and rpm-interrupt.bats share. They set STEPS, and INTERRUPTED, the program that takes them in the guest.

# As an administrator does between installing and upgrading.
put_to_use() {
	ok 'systemctl enable -q --now ndm-tcp ndm-tcp-metrics.timer; ndmctl -q set-default ndm; ndmctl -q unit set web ndm_v4
		ndmctl -q cgroup set /init.scope ndm --persist; ndmctl -q config set KEEP_NOISE 700; ndmctl -q load'
}

# take_steps NAME [AWK]: all of them; what is there after each goes into files of that name. With AWK, an expression of count, each
# script is killed at that command.
take_steps() {
	local step
	for step in $STEPS; do
		ok 'rm -f /root/places/* /root/kill/*'
		[ $# -eq 1 ] || ok "cd /root/kill; printf '%s\n' '$(awk -F : '{ count = $2; print $1, '"$2"' }' "$VM_DIR/$step.places")' | while read -r script place; do echo \$place >\$script; done; ls | wc -l"
		[ $# -eq 1 ] || echo "# $step: $output scripts killed" >&3
		ok "$INTERRUPTED again $step"
		ok 'ls /root/kill'; is ''
		vm_run "$INTERRUPTED state" >"$VM_DIR/$step.$1"
		[ $# -gt 1 ] || vm_run 'cd /root/places; grep -H . *' >"$VM_DIR/$step.places"
		[ "$step" != install ] || put_to_use
	done
}

is_as_undisturbed() { # NAME
	local step differing=0
	for step in $STEPS; do
		diff -u "$VM_DIR/$step.undisturbed" "$VM_DIR/$step.$1" || differing=1
	done
	return "$differing"
}
