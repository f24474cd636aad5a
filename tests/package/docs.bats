#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# README and its like: what they link to, name and tell a reader to type is there.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	tests/need bats make
}

setup() {
	load ../helpers
	cd "$BATS_TEST_DIRNAME/../.."
	pages=(README.md src/README.md tests/README.md tests/vm/README.md .github/*.md .github/ISSUE_TEMPLATE/*.md)
	[ ${#pages[@]} -ge 8 ]
}

@test "every link leads to a file, and every anchor to a heading" {
	local page target file anchor headings count=0
	for page in "${pages[@]}"; do
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
	ok "grep -ohE '(^|\`)make [a-z][a-z-]*' ${pages[*]} | sed 's/.*make //' | grep -v -- '-\$' | sort -u"
	[ "$(wc -l <<<"$output")" -gt 10 ]
	for target in $output; do
		make -n "$target" DESTDIR=/nonexistent >/dev/null 2>&1 || complain "make $target: there is no such target"
	done
}

@test "every test that tests/README.md names exists" {
	local name
	ok "grep -oE '[a-z]+/[a-z0-9-]+(\\*)?\\.bats' tests/README.md | sort -u"
	[ "$(wc -l <<<"$output")" -gt 20 ]
	for name in $output; do compgen -G "tests/$name" >/dev/null || complain "there is no tests/$name"; done
}

@test "every test that SECURITY.md names exists" {
	local file name count=0
	while IFS=$'\t' read -r file name; do
		count=$((count + 1))
		grep -qF "@test \"$name" "tests/$file" || complain "tests/$file has no test that begins with: $name"
	done < <(tr '\n' ' ' <.github/SECURITY.md | tr -s ' ' | grep -oE '`[a-z]+/[a-z0-9-]+\.bats`: [^;)]+[;)]' | sed 's/^`//; s/`: /\t/; s/.$//')
	[ "$count" -gt 20 ]
	[ "$count" = "$(grep -o '\.bats`' .github/SECURITY.md | wc -l)" ]
}

@test "the table of tests/README.md has every test file" {
	local file name
	for file in tests/*/*.bats; do
		name=${file#tests/}
		grep -qF "$name" tests/README.md || grep -qF "\`${name#*/}\`" tests/README.md || complain "tests/README.md does not say what $name guards"
	done
}
