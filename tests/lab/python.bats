#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The Python code of the lab: metrics against hand-worked answers, scenarios against each other, and no unused name.

load ../helpers

setup_file() {
	.ci/need python3 python3-scipy python3-tqdm pyflakes3
}

python() { ok "/usr/bin/python3 $*"; } # that with the packages of Debian

@test "metrics, tables and scenarios agree with hand-worked answers" {
	python -B tests/lab/test_metrics.py
}

@test "goals: reached, missed or undecided, by intervals and Holm's method" {
	python -B tests/lab/test_judge.py
}

@test "the pages of results: a missing result is an error, a stored one is on the page" {
	python -B tests/lab/test_results.py
}

# matplotlib is large to fetch.
# bats test_tags=ci
@test "pictures: the same results give the same bytes; without results, an error" {
	.ci/need python3-matplotlib
	python -B tests/lab/test_pictures.py
}

@test "pyflakes finds nothing in the lab" {
	python -m pyflakes tests/lab/lab tests/lab/*.py tests/lab/ndmlab/*.py tests/lab/ndmlab/*/*.py
}
