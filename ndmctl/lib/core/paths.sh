# SPDX-License-Identifier: GPL-2.0
# paths.sh: who could mislead root on the way to a file. Whoever owns a directory may exchange what is in it at any
# moment, so nothing is looked at twice by name: each step is taken from the directory before it, and what counts is
# where the kernel says that it led.

PATH_ERROR='' PATH_HINT=''    # why the next step could not be taken; what mends it

# Where every step is root's, nobody else can exchange one later, so that root may use the names after this.
refuse_dirs_of_others() { # PATH; what is missing of it must be something that only root can make
	((EUID != 0)) || (follow_path "$1" only-root || die 1 "$PATH_ERROR" "$PATH_HINT") || exit 1
}

# Changes to the directory of PATH; where PATH is a link, to that of its target. A link is followed where only root
# can have made it.
follow_path() { # PATH, absolute [only-root: no directory of others]; call it in a subshell
	local path=$1 steps=0 step open_to sticky below_others=''
	cd /
	while [[ $path ]]; do
		step=${path%%/*}
		if [[ $path == */* ]]; then path=${path#*/}; else path=''; fi
		[[ $step && $step != . ]] || continue
		# the kernel follows forty
		((++steps < 200)) || { PATH_ERROR='too many links' PATH_HINT='name the directory itself'; return 1; }
		judge_dir || return 1
		if [[ ${2-} && $open_to ]]; then return 1; fi
		if [[ $open_to ]]; then below_others=yes; fi    # who may exchange all that follows
		if [[ -L ./$step ]]; then follow_link || return 1; continue; fi
		[[ $path ]] || break
		[[ -d ./$step || ! ${2-} || $sticky ]] || break    # only root can make it
		take_step || return 1
	done
}

# Sticky directories, such as /tmp, are safe for what is there: other users cannot replace root's files. In a user
# namespace, the owner of / may have no number.
judge_dir() { # into open_to: who else can make links in this directory; into sticky
	local owner group mode top dir
	PATH_ERROR='cannot look at a directory on the way' PATH_HINT='stat /'
	{ top=$(stat -c %u /) && read -r owner group mode < <(stat -c '%u %g %a' .); } || return 1
	open_to='' sticky=''
	((!(8#$mode & 8#1000))) || sticky=yes
	if [[ $owner != @(0|"$top") ]]; then open_to="belongs to the user $owner"
	elif [[ ! $sticky ]] && ((8#$mode & 8#2 || (8#$mode & 8#20 && group != 0))); then open_to='can be written to by others'
	else return 0; fi
	dir=$(readlink /proc/self/cwd)
	shown "$dir" 4096
	PATH_ERROR="the directory $SHOWN $open_to, who could mislead root"
	PATH_HINT="chown root:root ${dir@Q}; chmod go-w ${dir@Q}"
	[[ $owner == @(0|"$top") ]] || PATH_HINT+="; or as that user: setpriv --reuid=$owner --clear-groups ndmctl ..."
}

follow_link() { # step: into path
	local link owner
	PATH_ERROR='a link of /proc leads where no path does' PATH_HINT='nsenter -t PID -m ndmctl ...'
	[[ $(stat -fc %T .) != proc ]] || return 1
	blame_link
	link=$(readlink -- "./$step") && owner=$(stat -c %u -- "./$step") || return 1
	if [[ $below_others || $owner != @(0|"$(stat -c %u /)") ]]; then return 1; fi
	path=$link${path:+/$path}
	[[ $link != /* ]] || cd /
}

take_step() { # to step, of which nobody may have made a link meanwhile
	local was
	was=$(readlink /proc/self/cwd)
	if [[ $step == .. ]]; then was=${was%/*}; else was=${was%/}/$step; fi
	PATH_HINT="ls -ld ${was@Q}"
	PATH_ERROR=$(cd -P -- "./$step" 2>&1) || { PATH_ERROR="$was: ${PATH_ERROR##*: }"; return 1; }
	blame_link
	cd -P -- "./$step" && [[ $(readlink /proc/self/cwd) == "${was:-/}" ]]
}

blame_link() {
	PATH_ERROR='a link leads to another directory, and others than root may have made it'
	PATH_HINT='name the directory itself'
}

# Files that the user names, of metrics --output and doctor --report. Their directory may be another user's: Debian
# gives /var/lib/prometheus to prometheus. So it is resolved once, and all names are relative to it.

enter_dir_of() { # FILE, with a slash; call it in a subshell
	local path=${1%/*}/.
	[[ $path == /* ]] || path=$(readlink /proc/self/cwd)/$path
	if ((EUID != 0)); then cd -- "$path" && return 0
	elif follow_path "$path"; then return 0
	else printf '%s\n' "$PATH_ERROR"; fi
	return 1
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
	# left by a killed ndmctl
	for new in ".$name".*.new; do find "./$new" -maxdepth 0 -mmin +10 -delete 2>/dev/null; done
	new=.$name.$BASHPID.$RANDOM.new
	umask 022
	printf '%s\n' "$2" | make_file "$new" || return 1
	mv -fT -- "./$new" "./$name" && return 0
	rm -f -- "./$new"
	return 1
}
