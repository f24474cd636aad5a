# SPDX-License-Identifier: GPL-2.0
# output.sh: all that ndmctl prints. Nothing that somebody else wrote, such as the name of a process or of a cgroup,
# leaves it unescaped: on a terminal, in a tab-separated line and in JSON a byte outside printable ASCII is \u00XX.
#
# Data go to standard output as text, --plain or --json; only this file knows which. All else goes to standard error.

FORMAT=text QUIET='' VERBOSE='' COLOR=''
declare -gA STYLES=([good]=32 [bad]=31 [care]=33 [head]=1)
if [[ -t 1 && ! ${NO_COLOR-} && ${TERM-dumb} != dumb ]]; then COLOR=yes; fi
SHOWN=''      # of shown
TABLE=() ROWS=''
JSON_COMMAND='' PRINTED=''    # of --json: which command it is, and yes when the one object is out

escape() { # TEXT into REPLY, as the inside of a JSON string
	local text=${1//\\/\\\\} out='' char code i
	text=${text//\"/\\\"}
	if [[ $text == *[!\ -~]* ]]; then
		for ((i = 0; i < ${#text}; i++)); do
			char=${text:i:1}
			if [[ $char == [!\ -~] ]]; then
				printf -v code %d "'$char"
				printf -v char '\\u%04x' $((code & 255))
			fi
			out+=$char
		done
		text=$out
	fi
	REPLY=$text
}

shown() { # TEXT [MOST] into SHOWN: at most 60 characters of it, safe on a terminal
	local most=${2:-60}
	SHOWN=${1:0:most}
	[[ ${#1} -le $most ]] || SHOWN+=...
	[[ $SHOWN == *[!\ -~]* ]] || return 0
	local REPLY
	escape "$SHOWN"
	SHOWN=${REPLY//\\\"/\"}
	SHOWN=${SHOWN//\\\\/\\}
}

# TEXT to standard error. That it is closed or full, or that its reader is gone, neither stops nor undoes a change
log() {
	shown "$1" 65536
	(printf '%s\n' "$SHOWN" >&2) || :
}

die() { # RC CAUSE HINT...
	log "ndmctl: $2"
	make_hint "${@:3}"
	log "hint: $REPLY"
	[[ $FORMAT != json || $PRINTED ]] || ((BASH_SUBSHELL)) ||
		print_json "$JSON_COMMAND" error:str "$2" hint:str "$REPLY" exit "$1"
	exit "$1"
}

emit() { # LAYOUT WORD...: data to standard output
	# shellcheck disable=SC2059  # the layout is the caller's
	printf "$@" 2>/dev/null || refuse_output 1
}

refuse_output() { # RC of what wrote; 141: the reader, such as head, has seen enough
	(($1 != 141)) || exit 141
	PRINTED=yes
	die 1 'standard output cannot be written: it is closed, or its device is full' \
		'df shows full devices; what the command has changed stays so'
}

warn() { log "ndmctl: $*"; }    # TEXT..., joined by blanks, as of note

note() { [[ $QUIET ]] || log "$*"; }

verbose() { if [[ $VERBOSE ]]; then log "$1"; fi; }

already() { verbose "already so: $1"; }

paint() { # STYLE TEXT into REPLY; the words say everything, colour only helps the eye
	shown "$2" 65536
	REPLY=$SHOWN
	[[ ! $COLOR || ! ${STYLES[$1]-} ]] || REPLY=$'\e['${STYLES[$1]}m$REPLY$'\e[0m'
}

in_format() { # FUNCTION WORD...: calls FUNCTION_text, _plain or _json, or where there is none FUNCTION itself
	if declare -F "$1_$FORMAT" >/dev/null; then "$1_$FORMAT" "${@:2}"; else "$@"; fi
}

print_line() { # TEXT of a command whose output is text in every format but JSON
	shown "$1" 65536
	emit '%s\n' "$SHOWN"
}

print_row() { # NAME TEXT [STYLE]
	paint head "$(printf '%-11s' "$1")"
	emit '%s ' "$REPLY"
	paint "${3-none}" "$2"
	emit '%s\n' "$REPLY"
}

print_cells() { # CELL...: a line of --plain
	local cell out=''
	for cell; do
		shown "$cell" 65536
		out+=$SHOWN$'\t'
	done
	emit '%s\n' "${out%$'\t'}"
}

print_pairs_plain() { # NAME VALUE...
	while (($#)); do
		print_cells "${1%:*}" "$2"
		shift 2
	done
}

print_pairs() { # COMMAND FUNCTION NAME VALUE...: FUNCTION prints the text
	case $FORMAT in
	json) print_json "$1" "${@:3}" ;;
	plain) print_pairs_plain "${@:3}" ;;
	text) "$2" "${@:3}" ;;
	esac
}

# JSON, built from inside to outside; each result in REPLY.

json_str() { escape "$1"; REPLY="\"$REPLY\""; }

# NAME VALUE...: the inside of an object; a number as number, empty as null, else a string. NAME may say what VALUE is:
# name:bool, name:str (also when it looks like a number), name:json (JSON already).
json_pairs() {
	local out='' name
	while (($#)); do
		json_str "${1%:*}"
		name=$REPLY
		case $1 in
		*:bool) if [[ $2 ]]; then REPLY=true; else REPLY=false; fi ;;
		*:json) REPLY=$2 ;;
		*) if [[ ! $2 ]]; then REPLY=null; elif [[ $1 != *:str && $2 =~ ^(0|-?[1-9][0-9]*)$ ]]; then REPLY=$2
			else json_str "$2"; fi ;;
		esac
		out+="${out:+,}$name:$REPLY"
		shift 2
	done
	REPLY=$out
}

print_json() { # COMMAND NAME VALUE...: the one object of a command
	PRINTED=yes
	json_pairs schema 1 command "$@"
	emit '{%s}\n' "$REPLY"
}

# Tables. begin_table COMMAND LIST COLUMNS LAYOUT TITLES, then add_row VALUE... for each row, then end_table [NAME
# VALUE...]
#   COLUMNS  "name:type ..." of the values: str, num, auto (a number when it is one), bool or list (its items separated
#            by /); an empty value is null, or - in
#            the other two formats. A type in capitals is for JSON only; one in brackets, [str], is not for JSON
#   LAYOUT   of printf, for text
#   TITLES   "NAME=column ..." of the text, in its order; without any NAME there is no line of titles
# NAME VALUE... are more pairs of the JSON object.
begin_table() { TABLE=("$@") ROWS=''; }

add_row() { # VALUE...
	local value line=''
	for value; do
		escape "$value"
		line+=$REPLY$'\t'
	done
	ROWS+=${line%$'\t'}$'\n'
}

count_rows() { printf %s "$ROWS" | wc -l; }

end_table() { # [NAME VALUE...]
	[[ $ROWS || $FORMAT == json ]] || return 0
	PRINTED=yes
	printf %s "$ROWS" | render_table "$@"
}

render_table() { # as end_table; the rows on standard input, tab-separated and escaped as for JSON
	local head
	json_pairs schema 1 command "${TABLE[0]}" "$@"
	head=$REPLY
	HEAD="{$head,\"${TABLE[1]}\":[" COLUMNS=${TABLE[2]} ROW=${TABLE[3]-} TITLES=${TABLE[4]-} \
		awk -F '\t' -v format="$FORMAT" '
		BEGIN {
			head = ENVIRON["HEAD"]; layout = ENVIRON["ROW"] "\n"
			count = split(ENVIRON["COLUMNS"], column, " ")
			for (i = 1; i <= count; i++) {
				split(column[i], part, ":")
				name[i] = part[1]; type[i] = part[2]; place[part[1]] = i
			}
			titles = split(ENVIRON["TITLES"], title, " ")
			for (i = 1; i <= titles; i++) {
				split(title[i], part, "=")
				heading[i] = part[1]; headed = headed part[1]; gsub(/_/, " ", heading[i]); from[i] = place[part[2]]
			}
			if (format == "json") printf "%s", head
			if (format == "text" && headed != "") line(heading)
		}
		function line(cell,    i, out, rest, at) {    # printf with as many words as the layout has
			rest = layout
			for (i = 1; match(rest, /%-?[0-9]*s/); i++) {
				out = out substr(rest, 1, RSTART - 1) sprintf(substr(rest, RSTART, RLENGTH), cell[i])
				rest = substr(rest, RSTART + RLENGTH)
			}
			printf "%s", out rest
		}
		function readable(text) {
			gsub(/\\"/, "\"", text)
			gsub(/\\\\/, "\\", text)
			return text == "" ? "-" : text
		}
		function value(text, type,    item, i, out) {
			if (type == "list") {
				for (i = 1; i <= split(text, item, "/"); i++) out = out (i > 1 ? "," : "") "\"" item[i] "\""
				return "[" out "]"
			}
			if (type == "bool") return text == "" ? "false" : "true"
			if (text == "") return "null"
			if (type == "auto" && text ~ /^(0|-?[1-9][0-9]*)$/) return text
			if (type == "num") return text ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/ ? text : "null"
			return "\"" text "\""
		}
		format == "json" {
			out = ""
			for (i = 1; i <= count; i++)
				if (type[i] !~ /^\[/) out = out (out == "" ? "" : ",") "\"" name[i] "\":" value($i, tolower(type[i]))
			printf "%s{%s}", (rows++ ? "," : ""), out
			next
		}
		format == "plain" {
			out = ""
			for (i = 1; i <= count; i++)
				if (type[i] !~ /^[A-Z]/) out = out (out == "" ? "" : "\t") readable($i)
			print out
			next
		}
		{
			for (i = 1; i <= titles; i++) {
				cell[i] = readable($(from[i]))
				if (type[from[i]] == "list") gsub(/\//, " ", cell[i])
			}
			line(cell)
		}
		END { if (format == "json") print "]}" }' 2>/dev/null || refuse_output "$?"
}

print_would() { # TEXT: data of a dry run; JSON keeps standard output for itself
	if [[ $FORMAT == json ]]; then log "would: $1"; else print_line "would: $1"; fi
}

# More shapes of output, each for all three formats.

print_word() { # COMMAND NAME VALUE: the bare value, or an object
	if [[ $FORMAT == json ]]; then print_json "$1" "$2:str" "$3"; else print_line "$3"; fi
}

print_columns() { # LAYOUT CELL...: a line of text
	local cells=() cell
	for cell in "${@:2}"; do
		shown "$cell" 65536
		cells+=("$SHOWN")
	done
	emit "$1\n" "${cells[@]}"
}

print_if_json() { # COMMAND NAME VALUE...
	[[ $FORMAT != json ]] || print_json "$@"
}

note_in_text() { [[ $FORMAT == json ]] || note "$@"; } # what an empty list of --json says itself
