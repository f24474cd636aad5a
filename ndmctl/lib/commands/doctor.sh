# SPDX-License-Identifier: GPL-2.0
# doctor.sh: the command doctor: what all checks have found, and the command that comes next.

needs probes/boot probes/environment probes/module probes/state checks/list

cmd_doctor() {
	if [[ -v OPT[--report] ]]; then
		needs commands/doctor-report
		write_report "${OPT[--report]}"
		return
	fi
	gather_state
	run_checks
	choose_next
	in_format print_doctor
	[[ $WORST != fail ]] || exit 1
}

choose_next() { # the hint of the first problem that has one
	local i
	list_problems
	WORST=ok
	[[ ! ${REPLY_LIST[0]-} ]] || WORST=${FINDINGS[REPLY_LIST[0] + 2]}
	for i in "${REPLY_LIST[@]}"; do
		[[ ${FINDINGS[i + 4]} ]] || continue
		hint_of "$i"
		NEXT=$REPLY
		return 0
	done
	NEXT='ndmctl status'
	is_ours "$PRESENT" || is_chroot || { chosen_name; NEXT="ndmctl set-default $REPLY"; }
}

print_doctor_text() {
	local i style state
	for ((i = 0; i < ${#FINDINGS[@]}; i += FINDING_WORDS)); do
		state=${FINDINGS[i + 2]}
		case $state in
		ok) style=good ;; warn) style=care ;; fail) style=bad ;; *) style=none ;;
		esac
		paint $style "$(printf '%-4s' "$state")"
		emit '%s' "$REPLY"
		print_columns '  %-12s %s' "${FINDINGS[i + 1]}" "${FINDINGS[i + 3]}"
	done
	print_line "next: $NEXT"
}

print_doctor() {
	local i
	begin_table doctor findings 'check:str state:str text:str command:str advice:str id:str'
	for ((i = 0; i < ${#FINDINGS[@]}; i += FINDING_WORDS)); do
		finding_row "$i"
		add_row "${REPLY_LIST[@]}"
	done
	end_table worst "$WORST" next "$NEXT"
}
