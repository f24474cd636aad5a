# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# userfile.sh: files that the user names, of metrics --output and doctor --report. Their directory may be another user's:
# Debian gives /var/lib/prometheus to prometheus. So it is resolved once, and all names are relative to it.

# Changes to the directory of FILE: call it in a subshell. Each step is taken from the directory before it, and what counts is where
# the kernel says that it led: whoever owns a directory may exchange it at any moment. A link is followed where only root can have
# made it.
enter_dir_of() { # FILE, with a slash
	local path=${1%/*}/ safe=yes steps=0 step link
	((EUID == 0)) || { cd -- "$path" || return 1; return 0; }
	[[ $path == /* ]] || path=$(readlink /proc/self/cwd)/$path
	cd /
	while [[ $path ]]; do
		step=${path%%/*} path=${path#*/}
		[[ $step && $step != . ]] || continue
		((++steps < 200)) || { echo 'too many links'; return 1; }
		is_roots . || safe=''
		if link=$(readlink -- "./$step"); then
			[[ $safe && $(stat -c %u -- "./$step") == @(0|"$(stat -c %u /)") ]] || { echo 'a link leads to another directory, and others than root may have made it'; return 1; }
			path=$link/$path
			[[ $link != /* ]] || cd /
			continue
		fi
		take_step "$step" || return 1
	done
}

take_step() { # NAME of a directory in this one, of which nobody may have made a link meanwhile
	local was
	was=$(readlink /proc/self/cwd) || return 1
	cd -P -- "./$1" || return 1
	if [[ $1 == .. ]]; then was=${was%/*}; else was=${was%/}/$1; fi
	[[ $(readlink /proc/self/cwd) == "${was:-/}" ]] || { echo 'a link leads to another directory, and others than root may have made it'; return 1; }
}

is_roots() { # DIR: nobody else can make something in it, or replace what is root's
	local owner group mode
	read -r owner group mode < <(stat -c '%u %g %a' -- "$1") || return 1
	[[ $owner == @(0|"$(stat -c %u /)") ]] && ((8#$mode & 8#1000 || !(8#$mode & 8#2 || (8#$mode & 8#20 && group != 0))))
}

# O_EXCL; bash's noclobber would open a device, or a FIFO, that somebody has put there. Half a file is removed.
make_file() { # NAME in this directory; the text on standard input
	local error
	error=$(dd conv=excl status=none of="./$1" 2>&1) && return 0
	printf '%s\n' "$error"
	[[ $error == *'failed to open'* ]] || rm -f -- "./$1"
	return 1
}

# What is there is replaced, and nothing of it is taken over.
replace_output() { # FILE TEXT
	local name=${1##*/} new
	enter_dir_of "$1" || return 1
	for new in ".$name".*.new; do find "./$new" -maxdepth 0 -mmin +10 -delete 2>/dev/null; done    # left by a killed ndmctl
	new=.$name.$BASHPID.$RANDOM.new
	umask 022
	make_file "$new" <<<"$2" || return 1
	mv -fT -- "./$new" "./$name" && return 0
	rm -f -- "./$new"
	return 1
}
