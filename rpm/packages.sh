# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # other parts of ndmctl read REPLY
# packages.sh: the command that installs what is missing, as Fedora and EL have it. In these packages it takes the place of
# ndmctl/lib/probes/packages.sh, and has the same functions.

needs probes/kernels

install_command() { # PACKAGE [NAME elsewhere]: into REPLY
	REPLY="dnf install $1"
}

install_and() { # COMMAND that needs it, PACKAGE
	REPLY="dnf install $2 && $1"
}

reinstall_command() { # of the module, into REPLY
	REPLY='dnf reinstall ndm-tcp-dkms'
}

newer_command() { # of the module, into REPLY
	REPLY='dnf upgrade ndm-tcp-dkms'
}

package_of_program() { # that a build needs, into REPLY
	case $1 in
	cc | gcc*) REPLY=gcc ;;
	as | ld | objcopy | objdump | strip) REPLY=binutils ;;
	ld.lld*) REPLY=lld ;;
	pahole) REPLY=dwarves ;;
	*) REPLY=$1 ;;
	esac
}

image_command() { # a kernel with modules, into REPLY
	REPLY='dnf install kernel && reboot'
}

# What comes next where KERNEL has no headers, into REPLY. The archive may have them no longer: then another kernel, which has the module or
# can get it.
headers_command() { # KERNEL
	local newest
	if [[ -e $SYSTEM/lib/modules/$1/build/ ]]; then    # they are incomplete
		build_command "$1"
		REPLY="dnf reinstall kernel-devel-$1 && $REPLY"
		return
	fi
	newest_kernel
	newest=$REPLY
	if [[ $newest && $newest != "$1" ]] && has_module_for "$newest"; then REPLY='systemctl reboot'
	elif [[ $newest && $newest != "$1" ]] && has_headers "$newest"; then build_command "$newest"
	else REPLY="dnf install kernel-devel-$1 || dnf upgrade kernel kernel-devel"; fi
}
