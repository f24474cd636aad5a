# SPDX-License-Identifier: GPL-2.0
# objects.sh: the files that src/bpf builds, and how bpftool prints what their maps hold.

LITTLE_ENDIAN=''    # yes or no, once it was asked
declare -gA LAYOUT=()    # of maps: where a field is, in bytes, and other numbers of counts.h
BYTE_ORDER=little

object_file() { # OBJECT for this machine's byte order, into REPLY
	local order=bpfel
	is_little_endian || order=bpfeb
	bpf_folder
	REPLY+=/$order/$1.o
}

bpf_folder() {
	REPLY=$HERE/../build/bpf
	[[ $LIB == "$HERE/lib" ]] || REPLY=/usr/lib/ndm-tcp/bpf
}

object_sum() { # OBJECT: a sum of its bytes, into REPLY; a program that another version has loaded has another one
	object_file "$1"
	{ REPLY=$(sha256sum <"$REPLY"); } 2>/dev/null || REPLY=missing
	REPLY=${REPLY%% *}
}

layout_file() { bpf_folder; REPLY+=/layout; }    # lines NAME NUMBER, written as the programs were built

read_layout() {
	local name number
	layout_file
	[[ -r $REPLY ]] || return 1
	while read -r name number; do LAYOUT[$name]=$number; done <"$REPLY"
}

is_little_endian() {
	if [[ ! $LITTLE_ENDIAN ]]; then
		LITTLE_ENDIAN=no
		[[ $(printf '\1\0' | od -An -tu2) != *' 1' ]] || LITTLE_ENDIAN=yes
	fi
	[[ $LITTLE_ENDIAN == yes ]]
}

byte_order() { # into BYTE_ORDER
	BYTE_ORDER=little
	is_little_endian || BYTE_ORDER=big
}

# For awk: what bpftool prints of a map without type information, rows of u64 as bytes. The layout is the first file.
# shellcheck disable=SC2016  # the $ signs are awk's
BYTES_PARSER='
	BEGIN { for (i = 0; i < 256; i++) { byte[sprintf("0x%02x", i)] = i; sign[i] = sprintf("%c", i) } }
	NR == FNR { at[$1] = $2; next }
	function bytes_of(text, part) { gsub(/[^0-9a-fx]+/, " ", text); return split(text, part, " ") }
	function number_at(part, before, order,    j, value) {    # the u64 that has so many bytes before it
		for (j = 0; j < 8; j++) value = value * 256 + byte[part[before + 1 + (order == "little" ? 7 - j : j)]]
		return value
	}
	function name_at(part, before,    name, j) {
		for (j = before + 1; j <= before + 16 && byte[part[j]]; j++) name = name sign[byte[part[j]]]
		return name ~ /^[A-Za-z0-9_.-]+$/ ? name : "other"
	}'
