# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tool.sh: other programs. They are those of PATH; a program that is missing is said by its name.

LIMIT=''    # seconds that a program which may not come back gets

tool() { # PROGRAM ARG...: one that reads
	${LIMIT:+timeout "$LIMIT"} "$@"
}

require_tools() { # without which no command comes to its end; once, so that none fails midway
	local name package
	for name in awk:gawk find:findutils flock:util-linux grep:grep sed:sed xargs:findutils {cat,cp,chmod,cut,head,mkdir,mktemp,mv,od,readlink,rm,rmdir,sort,stat,sync,timeout,tr}:coreutils; do
		package=${name#*:} name=${name%:*}
		has_tool "$name" || die 5 "the program $name is not installed, or not in PATH" "apt install $package"
	done
}

has_tool() { type -P "$1" >/dev/null; }
