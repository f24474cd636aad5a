# SPDX-License-Identifier: GPL-2.0
# packages.sh: the command that installs what is missing. A hint names no package that apt does not know. The packages
# for Fedora and EL have rpm/packages.sh in its place.

needs probes/kernels

declare -gA APT_KNOWN=()    # package: the version that apt would install, or empty where no archive has one

apt_knows() { # PACKAGE: could it be downloaded? Where apt is missing, nobody can be asked
	has_tool apt-cache || return 0
	if [[ $QUICK ]]; then UNASKED=yes; return 1; fi
	[[ ${APT_KNOWN[$1]+asked} ]] || ask_apt "$1"
	[[ ${APT_KNOWN[$1]} ]]
}

# All that hints of this run may name: one question takes apt as long as twenty.
ask_apt() { # PACKAGE
	local REPLY line from='' package='' version='' names=("$1" ndm-tcp-dkms bpftool linux-tools-common mokutil kmod) kernel
	package_architecture
	names+=("linux-image-$REPLY")
	own_kernel
	kernel=$REPLY
	newest_kernel
	for kernel in "$kernel" "$REPLY"; do
		[[ $kernel ]] || continue
		names+=({linux,proxmox,pve}-headers-"$kernel")
		while [[ $kernel == *-* ]]; do
			kernel=${kernel#*-}
			names+=("linux-headers-$kernel" "linux-image-$kernel")
		done
	done
	for package in "${names[@]}"; do APT_KNOWN[$package]=''; done
	# Those of another architecture, as of a 64-bit kernel below a 32-bit Debian, have its name behind theirs.
	while IFS= read -r line; do
		case $line in
		[!\ ]*:) package=${line%%:*} version='' ;;
		'  Candidate: '[!\(]*) version=${line#*: } ;;
		' *** '* | '     '[!\ ]*) from=${line:5} ;;
		'        '*/dpkg/status) ;;
		'        '*) [[ ${from%% *} != "$version" ]] || APT_KNOWN[$package]=$version ;;    # an archive has the candidate
		esac
	done < <(tool apt-cache policy "${names[@]}" 2>/dev/null)
}

has_package_lists() { compgen -G "$SYSTEM/var/lib/apt/lists/*Packages*" >/dev/null; }

install_command() { # PACKAGE [OTHER-NAME]: into REPLY
	local package
	for package; do
		if apt_knows "$package"; then REPLY="apt install $package"; return; fi
	done
	REPLY="apt update && apt install $1"
	! has_package_lists ||
		advise "install $1, which apt does not know: has /etc/apt/sources.list.d the archive of this system?"
}

install_and() { # COMMAND that needs it, PACKAGE
	install_command "$2"
	if [[ $ADVICE ]]; then REPLY+="; then: $1"; else REPLY+=" && $1"; fi
}

# Of the module, into REPLY. dpkg can run the scripts of a package again that came as a file, as by make install.
reinstall_command() {
	local source=''
	! compgen -G "$SYSTEM/usr/src/ndm-tcp-*/dkms.conf" >/dev/null || source=yes
	if apt_knows ndm-tcp-dkms; then REPLY='apt install --reinstall ndm-tcp-dkms'
	elif [[ $source && $(tool dpkg-query -W -f "\${db:Status-Status}" ndm-tcp-dkms 2>/dev/null) == installed ]]; then
		REPLY='dpkg-reconfigure ndm-tcp-dkms'
	elif has_package_lists; then advise 'make install, in a checkout of ndm-tcp'
	else REPLY='apt update && apt install ndm-tcp-dkms'; fi
}

newer_command() { # of the module, into REPLY
	REPLY='apt update && apt install ndm-tcp-dkms'
}

package_of_program() { # that a build needs, into REPLY
	case $1 in
	cc) REPLY=gcc ;;
	as | ld | objcopy | objdump | strip) REPLY=binutils ;;
	ld.lld*) REPLY=lld${1#ld.lld} ;;
	pahole) REPLY=dwarves ;;
	*) REPLY=$1 ;;
	esac
}

package_architecture() { REPLY=$(tool dpkg --print-architecture 2>/dev/null) || REPLY=''; }    # into REPLY

image_command() { # a kernel with modules, into REPLY
	package_architecture
	REPLY=${REPLY:+linux-image-$REPLY}
	if [[ $REPLY ]] && apt_knows "$REPLY"; then REPLY="apt install $REPLY && reboot"
	else advise 'boot a kernel with module support, such as the one of your distribution'; fi
}

# The words that kernel packages have in place of a release, as amd64 or cloud-amd64: these always have the newest
# headers. Only those of the kernel's own name: a kernel of another origin would be another system.
metapackage_of() { # KERNEL, into REPLY; fails when apt knows none
	local word=$1
	has_tool apt-cache || return 1
	while [[ $word == *-* ]]; do
		word=${word#*-}
		if apt_knows "linux-headers-$word" && apt_knows "linux-image-$word"; then REPLY=$word; return 0; fi
	done
	return 1
}

# The package of the headers, into REPLY; fails when apt knows none. The metapackage, which brings those of the next
# kernel, too, where its version says that it brings just these: else it might bring another kernel, on which headers
# depend since Debian 13.
headers_package() { # KERNEL [--reinstall: not the metapackage]
	if [[ ! ${2-} ]] && metapackage_of "$1"; then
		REPLY=linux-headers-$REPLY
		[[ ${APT_KNOWN[linux-headers-$1]-} != "${APT_KNOWN[$REPLY]}" ]] || return 0
	fi
	# Debian's name, or one of Proxmox': the last until Linux 6.2.
	for REPLY in {linux,proxmox,pve}-headers-"$1"; do ! apt_knows "$REPLY" || return 0; done
	return 1
}

# What comes next where KERNEL has no headers, into REPLY: its headers. The archive has only the newest: where it has
# these no longer, a kernel that has the module already, or one that can get it. What is incomplete comes anew, with
# the programs that a build runs, which are in a package of their own; of a kernel built here they are built again.
headers_command() { # KERNEL
	local newest tree=$SYSTEM/lib/modules/$1/build again='' package packages
	[[ ! -e $tree/ ]] || again=--reinstall
	newest_kernel
	newest=$REPLY
	if headers_package "$1" $again; then
		packages=$REPLY
		for package in linux-kbuild-"${1%%-[a-z]*}" linux-kbuild-"$(cut -d. -f 1,2 <<<"$1")"; do
			[[ ! $again ]] || ! apt_knows "$package" || packages+=" $package"
		done
		REPLY="apt update && apt install ${again:+$again }$packages"
	elif [[ -e $tree/scripts/basic/fixdep.c ]]; then
		build_command "$1"
		REPLY="make -C $tree modules_prepare && $REPLY"
	elif has_package_lists; then
		if [[ $newest && $newest != "$1" ]] && has_module_for "$newest"; then REPLY='systemctl reboot'
		elif [[ $newest && $newest != "$1" ]] && has_headers "$newest"; then build_command "$newest"
		elif metapackage_of "$1"; then REPLY="apt update && apt install linux-image-$REPLY linux-headers-$REPLY"
		else advise "install the headers of $1 from where this kernel came; apt does not know linux-headers-$1"; fi
	else REPLY="apt update && apt install linux-headers-$1"; fi
}
