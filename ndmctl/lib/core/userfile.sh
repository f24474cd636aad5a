# SPDX-License-Identifier: GPL-2.0
# userfile.sh: files that the user names, of metrics --output and doctor --report. Their directory may be another
# user's: Debian gives /var/lib/prometheus to prometheus. So it is resolved once, and all names are relative to it.

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
