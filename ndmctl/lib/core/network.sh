# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# network.sh: the networks by which connections are added up. src/bpf/ndm_count.bpf.c keeps as many bytes of an address.

NETWORK4_BITS=24 NETWORK6_BITS=48

NETWORK_PARSER='
	function network4(a, b, c) { return a "." b "." c ".0/'$NETWORK4_BITS'" }
	function network6(a, b, c,    text) {    # three groups without zeros before them
		text = a ":" b ":" c
		sub(/(:0)+$/, "", text)
		return (text == "0" ? "" : text) "::/'$NETWORK6_BITS'"
	}'
