# SPDX-License-Identifier: GPL-2.0
# build.sh: to build the module by DKMS: the command, and why a build failed.

needs probes/kernels probes/packages

# The log of a build that failed, into REPLY, after dkms_state; fails when there is none. DKMS keeps one, which names
# its kernel.
build_log() { # KERNEL
	local head
	REPLY=/var/lib/dkms/ndm-tcp/$DKMS_VERSION/build/make.log
	[[ -e $SYSTEM$REPLY ]] || return 1
	IFS= read -r head <"$SYSTEM$REPLY" || :
	[[ $head != *'for kernel '* || "$head " == *"for kernel $1 "* ]]
}

# The same when DKMS regards it as built, or does not know the module, or lacks the headers. A bad file goes first:
# DKMS would keep it as the original, or it might be of a name that modprobe prefers.
rebuild_command() { # KERNEL [FILE]
	if ! has_tool dkms; then reinstall_command
	else
		dkms_state "$1"
		if [[ $REPLY == absent ]]; then reinstall_command
		elif ! has_headers "$1"; then headers_command "$1"
		else
			REPLY="--force ndm-tcp/$DKMS_VERSION -k $1"
			REPLY="${2:+rm -f $2 && }dkms build $REPLY && dkms install $REPLY"
		fi
	fi
}

# Of a build that failed: its first error into CAUSE. To build again helps only after what that error asks for; where
# the source does not fit the kernel, not at all. A program below scripts or tools is one of the headers.
explain_log() { # LOG COMMAND that builds, KERNEL
	local error program
	CAUSE="the DKMS build of tcp_ndm failed, see $1"
	IFS= read -r error < <(grep -iE -m 1 '(error([: ]|$)|not found|no such file|no space|permission denied)' \
		"$SYSTEM$1" 2>/dev/null) || error=''
	if [[ $error ]]; then shown "$error" 120; CAUSE+=" ($SHOWN)"; fi
	if [[ $error =~ (^|[ /])(scripts|tools)/[^\ :]+:\ (Exec format|(command )?not found|Permission|No such file) ]]; then
		HINT=(headers_command "$3")
		return
	fi
	program=$(missing_program "$error")
	if [[ $program ]] && has_tool "$program"; then return 0; fi
	if [[ $program ]]; then
		package_of_program "$program"
		HINT=(install_and "$2" "$REPLY")
	elif [[ $error == *'o space left'* ]]; then HINT=(advise "make room (df -h /var/lib/dkms /tmp), then: $2")
	elif [[ $error =~ :[0-9]+(:[0-9]+)?:\ (fatal\ )?error: ]]; then
		newer_command
		HINT=(advise "read $1; a newer version may know this kernel ($REPLY), else send it to the authors:"
			"ndmctl doctor --report FILE. To try again: $2")
	else HINT=("$2 || tail -n 20 $1"); fi
}

missing_program() { # LINE of make or of a shell, to print; nothing when it is about something else
	local line=${1%': '*}
	if [[ $1 == *': '@('command not found'|'not found') || $1 == make*': No such file or directory' ]]; then
		line=${line##*[ /]}
		[[ $line == *[!A-Za-z0-9_.+-]* ]] || printf '%s' "$line"
	fi
}
