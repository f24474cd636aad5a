# SPDX-License-Identifier: GPL-2.0
# doctor-report.sh: doctor --report, one file to attach to a bug. It has no addresses, no name of this host, no peers
# of connections and no secrets: whatever a source says passes the same two filters.

needs probes/boot-settings probes/config probes/records

# Of NAME=VALUE, in every source, only these keep their value; a pattern may end in *.
HARMLESS=(
	module.sig_enforce module_blacklist modprobe.blacklist lockdown lsm security cgroup* systemd.unified_cgroup_hierarchy
	systemd.legacy_systemd_cgroup_controller systemd.mask ipv6.disable sysctl.net.ipv4.* sysctl.kernel.modules_disabled \
		tcp_ndm.*
	NAME PRETTY_NAME VERSION VERSION_ID VERSION_CODENAME ID ID_LIKE    # of os-release
	CGROUP UNIT previous set loginuid command                          # of ndmctl itself, as are the keys
)

write_report() { # FILE, - for standard output
	local error text file=$1
	if [[ $1 == - ]]; then
		collect_report 2>/dev/null || refuse_output "$?"
		return
	fi
	shown "$1" 4096
	if [[ -e $1 || -L $1 ]]; then die 1 "$SHOWN exists already" 'name a new file'; fi
	if [[ $DRY_RUN ]]; then would "write a report to $1"; return; fi
	text=$(collect_report 2>/dev/null)
	[[ $file == */* ]] || file=./$file
	error=$( (umask 077; enter_dir_of "$file" && printf '%s\n' "$text" | make_file "${file##*/}") 2>&1) || {
		shown "$1" 4096
		die 1 "cannot write $SHOWN: ${error##*: }" 'name a file in a directory of yours'
	}
	note "note: the report is $1; read it before you publish it"
}

collect_report() {
	local file self=$HERE/${0##*/}    # $0 may be a word without a directory, as in: bash ndmctl
	{
		say_part version "$self" --version
		say_part system cat "$SYSTEM/proc/sys/kernel/osrelease" "$SYSTEM/etc/os-release"
		say_kernel_line
		say_part doctor "$self" doctor
		say_part status "$self" status
		say_part 'status --counters' "$self" status --counters
		say_part 'config get' "$self" config get
		say_part 'config get --diff' "$self" config get --diff
		list_config_files
		for file in "${CONF_FILES[@]}"; do say_part "$file" sed '/^[[:space:]]*#/d' -- "$file"; done
		say_part 'unit list' "$self" unit list
		say_part 'cgroup list' "$self" cgroup list
		say_part dkms dkms status
		say_part modinfo modinfo tcp_ndm
		say_part sysctl grep -H . "$SYSTEM"/proc/sys/net/ipv4/tcp_{,available_,allowed_}congestion_control \
			"$SYSTEM"/proc/sys/net/ipv4/tcp_{ecn,sack,recovery,timestamps} "$SYSTEM/proc/sys/net/core/default_qdisc"
		say_part records grep -r . "$RECORDS" --exclude=routes
		say_part 'journal of ndm-tcp.service' journalctl -b -u ndm-tcp.service -n 100 -o cat --no-pager
		say_part 'journal of ndmctl' journalctl -t ndmctl -n 50 -o cat --no-pager
		say_part 'kernel log' grep -F tcp_ndm <(dmesg 2>&1)
		for file in "$SYSTEM"/var/lib/dkms/ndm-tcp/*/build/make.log; do if [[ -r $file ]]; then
			say_part "${file##*ndm-tcp/}" tail -n 100 -- "$file"; fi; done
	} | hide_secrets | hide_addresses
}

say_part() { # TITLE PROGRAM ARG...
	print_line "== $1"
	LIMIT=20 tool "${@:2}" 2>&1 </dev/null || print_line "(exit code $?)"
}

say_kernel_line() { # a word a line
	local word words=()
	read_value "$SYSTEM/proc/cmdline" || return 0
	read -ra words < <(sed -E 's/"[^"]*("|$)/.../g' <<<"$REPLY")
	for word in "${words[@]}"; do print_line "kernel line: $word"; done
}

# A password may stand anywhere, as systemd.set_credential=NAME:PASSWORD in the kernel's log. Hidden are: each VALUE
# that is not known to be harmless; what the kernel line has as such, wherever it comes again; what follows a word such
# as password; what a URL has before its @; what is known by its form, as keys of clouds.
hide_secrets() {
	local word words=() kernel=''
	if read_value "$SYSTEM/proc/cmdline"; then read -ra words <<<"$REPLY"; fi
	for word in "${words[@]}"; do [[ $word != *=* ]] || kernel+=$word$'\n'; done
	HARMLESS="${HARMLESS[*]} ${KEY_NAMES[*]} ${KEY_NAMES[*],,}" KERNEL_LINE=$kernel awk '
		BEGIN {
			count = split(ENVIRON["HARMLESS"], harmless, " ")
			for (i = 1; i <= count; i++) {
				if (sub(/\*$/, "", harmless[i])) prefix[harmless[i]]
				else name[harmless[i]]
			}
			count = split(ENVIRON["KERNEL_LINE"], word, "\n")
			for (i = 1; i <= count; i++) {
				at = index(word[i], "=")
				if (!at || keeps(substr(word[i], 1, at - 1))) continue
				parts = split(substr(word[i], at + 1), part, /[:=,"]/)
				for (k = 1; k <= parts; k++) if (length(part[k]) >= 6) known[part[k]]
			}
			secret = "(pass(word|wd|phrase|code)?|secret|token|credential|(api|private)[_-]?key|psk|authorization|bearer|cookie)"
			secret = secret "s?([_-][a-z0-9_-]*)?[^a-z0-9]*[ \t:=]"
		}
		function keeps(text,    i) {
			if (text in name) return 1
			for (i in prefix) if (index(text, i) == 1) return 1
			return 0
		}
		function without_values(line,    out, text) {
			while (match(line, /[A-Za-z0-9_.-]+=/)) {
				text = substr(line, RSTART, RLENGTH - 1)
				out = out substr(line, 1, RSTART + RLENGTH - 1)
				line = substr(line, RSTART + RLENGTH)
				if (keeps(text) || line ~ /^([ \t]|$)/) continue
				out = out "..."
				while (match(line, /^("[^"]*("|$)|\047[^\047]*(\047|$)|[^ \t"\047]+)/)) line = substr(line, RLENGTH + 1)
			}
			return out line
		}
		function without(line, text,    out, at) {
			while ((at = index(line, text))) {
				out = out substr(line, 1, at - 1) "..."
				line = substr(line, at + length(text))
			}
			return out line
		}
		{
			line = without_values($0)
			for (text in known) line = without(line, text)
			if (match(tolower(line), secret)) line = substr(line, 1, RSTART + RLENGTH - 1) "..."
			gsub(/:\/\/[^ \/@]+@/, "://...@", line)
			print line
		}' | sed -E '/-----BEGIN [A-Z ]*PRIVATE KEY/,/-----END /c ...
			s/\b(AKIA|ASIA|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|eyJ)[A-Za-z0-9_-]{8,}/.../g
			s/(^|[ \t])(-u|--user)([ \t]+|=)[^ \t]+/\1\2 .../g'
}

# Of IPv4, IPv6, Ethernet, and the host's name, with its domain and without. FILE:LINE:COLUMN is no address.
hide_addresses() {
	local host short
	host=$(uname -n)
	host=${host//[^A-Za-z0-9.-]/.}
	short=${host%%.*}
	sed -E "s/\\b($host|${short:-$host})\\b/HOST/gI"'
		s/[0-9a-fA-F:]*::([0-9a-fA-F]{1,4}:){0,5}[0-9]{1,3}(\.[0-9]{1,3}){3}\b/ADDRESS/g
		s/\b[0-9]{1,3}(\.[0-9]{1,3}){3}(\/[0-9]+)?\b/ADDRESS/g
		s/\b([0-9a-fA-F]{2}:){5,}[0-9a-fA-F]{2}\b/ETHERNET/g
		s/\b(enx|wlx|wwx)[0-9a-f]{12}\b/\1ETHERNET/g
		s/\b([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}(\/[0-9]+)?\b/ADDRESS/g
		s/[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{1,4}){0,6}::([0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4}){0,6})?(\/[0-9]+)?/ADDRESS/g' |
		sed 's/[^[:print:]\t]/?/g'
}
