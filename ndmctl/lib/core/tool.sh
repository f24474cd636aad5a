# SPDX-License-Identifier: GPL-2.0
# tool.sh: runs other programs, from PATH; an error names a missing one.

LIMIT=''    # time limit of a program that may never end, s

tool() { # PROGRAM ARG...: one that reads
	${LIMIT:+timeout "$LIMIT"} "$@"
}

require_tools() { # those that every command needs; checked once, so that none fails midway
	local name package
	[[ -e /proc/self/fd ]] || die 5 '/proc is not mounted here' 'mount -t proc proc /proc'
	for name in awk:gawk find:findutils flock:util-linux grep:grep sed:sed xargs:findutils \
		{cat,cp,chmod,cut,dd,head,mkdir,mktemp,mv,od,readlink,rm,rmdir,sha256sum,sort,stat,sync,timeout,tr}:coreutils; do
		package=${name#*:} name=${name%:*}
		has_tool "$name" || die 5 "the program $name is not installed, or not in PATH" "apt install $package"
	done
}

has_tool() { type -P "$1" >/dev/null; }
