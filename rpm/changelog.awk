# SPDX-License-Identifier: GPL-2.0
# debian/changelog, from where both kinds of packages have their version, as the %changelog of a spec. Both have the same revision.
/^[a-z]/  { version = substr($2, 2, length($2) - 2); text = ""; next }
/^  \*/   { sub(/^  \*/, "-"); text = text $0 "\n"; next }
/^    /   { sub(/^    /, "  "); text = text $0 "\n"; next }
/^ -- /   {
	who = $0
	sub(/^ -- /, "", who)
	sub(/  .*/, "", who)
	when = $0
	sub(/.*>  /, "", when)
	split(when, day, /[ ,]+/)	# Fri, 20 Nov 2026 ...
	gsub(/%/, "%%", text)
	printf "* %s %s %s %s %s - %s\n%s\n", day[1], day[3], day[2], day[4], who, version, text
}
