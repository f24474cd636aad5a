# SPDX-License-Identifier: GPL-2.0
# objects.sh: the files that src/bpf builds, and how bpftool prints what their maps hold.

declare -gA LAYOUT=()    # of maps: where a field is, in bytes, and other numbers of counts.h
BYTE_ORDER=''    # little or big, once it was asked

object_file() { # OBJECT for this machine's byte order, into REPLY
	local order=bpfel
	byte_order
	[[ $BYTE_ORDER == little ]] || order=bpfeb
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

byte_order() { # into BYTE_ORDER
	[[ ! $BYTE_ORDER ]] || return 0
	BYTE_ORDER=little
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || BYTE_ORDER=big
}

# For awk: what bpftool prints of a map without type information, as bytes in the order "order". The layout is the
# first file.
# shellcheck disable=SC2016  # the $ signs are awk's
BYTES_PARSER='
	BEGIN { for (i = 0; i < 256; i++) { byte[sprintf("0x%02x", i)] = i; sign[i] = sprintf("%c", i) } }
	NR == FNR { at[$1] = $2; next }
	function bytes_of(text, part) { gsub(/[^0-9a-fx]+/, " ", text); return split(text, part, " ") }
	function number_at(part, before, width, signed,    j, digit, value, negative) {    # behind so many
		negative = signed && byte[part[before + (order == "little" ? width : 1)]] > 127
		for (j = 1; j <= width; j++) {
			digit = byte[part[before + (order == "little" ? width + 1 - j : j)]]
			value = value * 256 + (negative ? 255 - digit : digit)
		}
		return negative ? -value - 1 : value
	}
	function name_at(part, before,    name, j) {
		for (j = before + 1; j <= before + 16 && byte[part[j]]; j++) name = name sign[byte[part[j]]]
		return name ~ /^[A-Za-z0-9_.-]+$/ ? name : "other"
	}'
