#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The lab's Python: metrics against hand-worked answers, scenarios against each other, and no unused name.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	tests/need python3 python3-tqdm pyflakes3
}

@test "metrics, tables and scenarios agree with hand-worked answers" {
	/usr/bin/python3 -B tests/lab/test_metrics.py
}

@test "links made from a seed have the statistics of recorded ones" {
	/usr/bin/python3 -B tests/lab/test_links.py
}

@test "the page of results: what is missing is an error, what is there is on it" {
	/usr/bin/python3 -B tests/lab/test_results.py
}

# matplotlib is large to fetch.
# bats test_tags=ci
@test "pictures: the same results give the same bytes, no results are an error" {
	tests/need python3-matplotlib
	/usr/bin/python3 -B tests/lab/test_pictures.py
}

@test "pyflakes finds nothing in the lab" {
	/usr/bin/python3 -m pyflakes tests/lab/lab tests/lab/*.py tests/lab/ndmlab/*.py tests/lab/ndmlab/scenarios/*.py
}
