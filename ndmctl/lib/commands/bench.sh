# SPDX-License-Identifier: GPL-2.0
# bench.sh: the command bench. What measures and compares is in Python, in ../bench; this checks the words of the
# command line, opens the directories of files that the user named, and hands over.

needs probes/kernels

cmd_bench() { # TARGET; with --show FILE...
	local words=() option name
	[[ -e $LIB/../bench/__main__.py ]] || die 5 'the package ndm-tcp-bench, which measures, is not installed' \
		'apt install ndm-tcp-bench'
	has_tool python3 || die 5 'the program python3 is not installed, or not in PATH' 'apt install python3'
	own_version
	words=("--version=$REPLY")
	for option in json plain quiet show dry-run with-addresses; do if [[ -v OPT[--$option] ]]; then words+=("--$option")
		fi; done
	for option in algorithms blocks seconds seed budget; do if [[ -v OPT[--$option] ]]; then
		words+=("--$option=${OPT[--$option]}"); fi; done
	for option in output html; do
		[[ -v OPT[--$option] ]] || continue
		open_directory_of "$option" "${OPT[--$option]}"
		words+=("--$option=$REPLY")
	done
	# From here on signals are its own. -I: nothing of the environment or of this directory is run; -B: nothing is
	# written beside the program.
	exec python3 -I -B "$LIB/../bench" "${words[@]}" -- "$@"
}

# A file is replaced by its name in a directory that is opened once, by the same rules as that of metrics --output.
open_directory_of() { # OPTION FILE: DESCRIPTOR:NAME into REPLY
	local path=$2 error here there
	shown "$2" 4096
	[[ $2 && ! -d $2 && $2 != */ && (! -e $2 || -f $2) && $2 != /dev/std* ]] ||
		die 2 "--$1: '$SHOWN' is not the name of a file" "ndmctl bench --$1 FILE TARGET"
	[[ $path == */* ]] || path=./$path
	[[ -d ${path%/*}/ ]] || die 1 "the directory of $SHOWN does not exist" 'create it, or name another file'
	error=$(enter_dir_of "$path") || die 1 "cannot write $SHOWN: ${error##*: }" 'name a file in a directory of yours'
	{ exec {here}<.; } 2>/dev/null || die 1 'the working directory cannot be read' 'cd /tmp'
	enter_dir_of "$path" >/dev/null || die 1 "cannot write $SHOWN: its directory has changed" \
		'name a file in a directory of yours'
	{ exec {there}<.; } 2>/dev/null || die 1 "cannot write $SHOWN: its directory cannot be read" \
		'name a file in a directory of yours'
	cd "/proc/self/fd/$here"
	exec {here}<&-
	REPLY=$there:${path##*/}
}
