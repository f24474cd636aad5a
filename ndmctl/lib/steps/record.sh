# SPDX-License-Identifier: GPL-2.0
# record.sh: what ndmctl writes down below /run/ndm-tcp; probes/records.sh says what.

needs probes/records

write_record() { # NAME TEXT, empty to remove it
	local file=$RECORDS/$1
	if [[ $2 ]]; then write_file "$file" "$2" state; else remove_file "$file" state; fi ||
		die 1 "cannot write $file: $WRITE_ERROR" "df $RECORDS"
}

forget_removal() { # it did not come about, or they are installed again
	[[ $DRY_RUN ]] || write_record removing ''
}
