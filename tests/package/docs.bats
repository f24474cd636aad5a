#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# README and its like: what they link to, name and tell a reader to type is there.

load ../helpers

setup_file() {
	.ci/need bats make
}

setup() {
	pages=(README.md CHANGELOG.md ndmctl/programs.md src/README.md tests/README.md tests/vm/README.md .github/*.md .github/ISSUE_TEMPLATE/*.md)
	[ ${#pages[@]} -ge 8 ]
}

@test "every link leads to a file, and every anchor to a heading" {
	local page target file anchor headings count=0
	for page in "${pages[@]}" src/module/v5/README.md ndmctl/ansible/README.md tests/lab/*.md tests/lab/results/*.md; do
		while IFS= read -r target; do
			count=$((count + 1))
			file=${target%%#*} anchor=${target#"$file"}
			[ -z "$file" ] || [ -e "$(dirname "$page")/$file" ] || complain "$page: there is no $target"
			[ -n "$anchor" ] || continue
			[ -z "$file" ] && file=$page || file=$(dirname "$page")/$file
			# As GitHub makes them: lower case, blanks as hyphens, no punctuation.
			headings=$(sed -n 's/^##* //p' "$file" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-')
			grep -qx -- "${anchor#\#}" <<<"$headings" || complain "$page: there is no heading for $target"
		done < <(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//' | grep -v '^https:')
	done
	[ "$count" -gt 15 ]
}

@test "no line is longer than 120 characters" {
	ok "awk 'length > 120 { print FILENAME \": \" FNR }' ${pages[*]}"; is ''
}

@test "every make target that they name exists" {
	local target
	ok "grep -ohE '(^|\`)make [a-z][a-z-]*' ${pages[*]} tests/lab/*.md tests/lab/results/*.md | sed 's/.*make //' | grep -v -- '-\$' | sort -u"
	[ "$(wc -l <<<"$output")" -gt 10 ]
	for target in $output; do
		make -n "$target" DESTDIR=/nonexistent >/dev/null 2>&1 || complain "make $target: there is no such target"
	done
}

@test "CHANGELOG.md begins with the version of debian/changelog; SECURITY.md with how to report" {
	ok 'sed -n "/^## /{s/^## //p;q}" CHANGELOG.md'; is "$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)"
	ok 'grep -m 1 "^## " .github/SECURITY.md'; is '## How to report'
}

@test "every test that tests/README.md names exists" {
	local name
	ok "grep -oE '[a-z-]+/(stories/)?[a-z0-9-]+(\\*)?\\.bats' tests/README.md | sort -u"
	[ "$(wc -l <<<"$output")" -gt 4 ]
	for name in $output; do compgen -G "tests/$name" >/dev/null || complain "there is no tests/$name"; done
}

@test "every test that SECURITY.md names exists" {
	local file name count=0
	while IFS=$'\t' read -r file name; do
		count=$((count + 1))
		grep -qF "@test \"$name" "tests/$file" || complain "tests/$file has no test that begins with: $name"
	done < <(tr '\n' ' ' <.github/SECURITY.md | tr -s ' ' | grep -oE '`[a-z-]+/(stories/)?[a-z0-9-]+\.bats`: [^;)]+[;)]' | sed 's/^`//; s/`: /\t/; s/.$//')
	[ "$count" -gt 20 ]
	[ "$count" = "$(grep -o '\.bats`' .github/SECURITY.md | wc -l)" ]
}

# The examples are used as they stand, but for the algorithm, which is one that each kernel has.
example() { # LANGUAGE: that of the page for programs
	awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```/ { inside = 0 } inside' ndmctl/programs.md |
		sed "s/ndm_v5\", 6/reno\", 4/; s/ndm_v5/reno/" | grep .
}

@test "programs: the example in C selects the algorithm of a socket" {
	.ci/need gcc libc6-dev
	{
		example c
		printf '%s\n' '#include <stdio.h>' 'int main(void)' '{' 'char name[16] = ""; socklen_t size = sizeof(name); int fd = socket(AF_INET, SOCK_STREAM, 0);' \
			'if (use_ndm(fd) || getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size)) perror("sockopt");' 'puts(name); return use_ndm(-1) + 1; }'
	} >"$BATS_TEST_TMPDIR/x.c"
	ok 'gcc -Wall -Werror -o "$BATS_TEST_TMPDIR/x" "$BATS_TEST_TMPDIR/x.c" && "$BATS_TEST_TMPDIR/x"'; is reno
}

@test "programs: the example in Python selects the algorithm of a socket" {
	.ci/need python3
	{
		example python
		printf '%s\n' 'server = socket.create_server(("127.0.0.1", 0))' 'use_ndm(server)' 'client = socket.create_connection(server.getsockname())' \
			'print(server.accept()[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode())'
	} >"$BATS_TEST_TMPDIR/x.py"
	ok 'python3 "$BATS_TEST_TMPDIR/x.py"'; is reno
}

# bats test_tags=all
@test "programs: the example in Go selects the algorithm of a socket" {
	type -P go >/dev/null || .ci/need golang-go
	{
		printf '%s\n' 'package main' 'import ("context"; "fmt"; "net")'
		example go
		printf '%s\n' 'func main() {' 'listener, err := (&net.ListenConfig{Control: useNdm}).Listen(context.Background(), "tcp", "127.0.0.1:0")' \
			'if err != nil { panic(err) }' 'go net.Dial("tcp", listener.Addr().String())' 'conn, _ := listener.Accept()' 'raw, _ := conn.(*net.TCPConn).SyscallConn()' \
			'raw.Control(func(fd uintptr) {' 'name := make([]byte, 16); size := uint32(16)' \
			'syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_CONGESTION, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&size)), 0)' \
			'fmt.Println(string(name[:4]))' '})' '}'
	} | sed 's/^import "syscall"/import ("syscall"; "unsafe")/' >"$BATS_TEST_TMPDIR/x.go"
	ok 'cd "$BATS_TEST_TMPDIR" && HOME=$PWD go run x.go'; is reno
}

# writers FIELD [FILE]: the files of v5, but for FILE, that assign to a field of that name.
writers() {
	(cd src/module/v5 && grep -lE "(->|\\.)$1( [-+]?=[^=]|\\+\\+|--)|(--|\\+\\+)[a-z>.-]*(->|\\.)$1\\b|ndm_set_$1\\(" *.c) | grep -vx "${2:-none}" | sed "s/^/$1 /"
}

# table TITLE: "FIELD FILE" of each row of a table of src/README.md.
table() {
	sed -n "/^| $1 |/,/^\$/p" src/README.md | sed '1,2d' | while IFS='|' read -r _ fields files _; do
		for field in $(grep -oE '`[a-z_.]+`' <<<"$(sed 's/ of `[a-z]*`//' <<<"$fields")" | tr -d '`'); do
			for file in $(grep -oE '`[a-z0-9]+\.c`' <<<"$files" | tr -d '`'); do echo "$field $file"; done
		done
	done | sort
}

@test "the tables of who writes which field of v5 are those of the source" {
	local header owner field found=""
	for owner in cubic rounds question growth reorder v5; do
		for header in v5 cubic rounds question; do
			while read -r field; do
				found+=$(writers "$field" "$owner.c")$'\n'
			done < <(sed -n "/^struct ndm_$owner {/,/^}/p" "src/module/v5/$header.h" | grep -v '^.struct' | grep -oE '[a-z0-9_]+( : [A-Z0-9_]+)?;' | sed 's/[ ;].*//')
		done
	done
	output=$(grep . <<<"$found" | sort -u)
	is "$(table field)"
	found=""
	for field in $(table 'of the kernel' | cut -d' ' -f1 | sort -u); do found+=$(writers "$field")$'\n'; done
	output=$(grep . <<<"$found" | sort)
	is "$(table 'of the kernel')"
}
