# SPDX-License-Identifier: GPL-2.0
# Everything is built below build/; `make` alone lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VERSION := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
SUITE ?= trixie
SET ?= seeds
SEEDS ?= 20

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

demo: ## the main job on a real kernel, in a virtual machine (SHELL_IN=1 leaves you in it)
	@SHELL_IN=$(SHELL_IN) tests/vm/demo $(SUITE)

deb: ## the Debian packages, in build/deb
	@tests/package/build-deb . build/deb

repo: deb ## a signed apt repository of them, in build/repo
	@tests/vm/repo

install: deb ## build and install the packages on this machine
	apt-get install -y ./build/deb/ndm-tcp_$(VERSION)_all.deb ./build/deb/ndm-tcp-dkms_$(VERSION)_all.deb

bpf: ## the BPF programs for policies of cgroups, in build/bpf
	@tests/need clang llvm libbpf-dev dpkg-dev; $(MAKE) -s -C src/bpf

module: ## the module for KERNEL, a folder of headers (default: the newest installed), in build/module
	@tests/module/build $(KERNEL)

lab: ## congestion control in virtual time: SET=seeds SEEDS=20
	@tests/need python3; tests/lab/lab run $(SET) --seeds $(SEEDS)

lab-report: ## an HTML page with tables and plots of all results so far, in build/lab/report
	@tests/need python3; tests/lab/lab report

lab-sweep: ## try the candidates of the ambiguous constant, on odd seeds
	@tests/need python3; tests/lab/lab sweep --seeds $(SEEDS)

check: ## every test, fastest layer first; the stories in virtual machines on one suite each
	@QUICK=1 tests/check unit cli module package vm lab

check-unit check-cli check-module check-package check-vm check-lab: check-%:
	@tests/check $*

check-matrix: ## install, build, load, transfer, policy, unload, remove on every suite's newest kernel, 5.10 on; a table
	@tests/vm/matrix

check-kernels: ## compile for every kernel of every Debian suite, 5.10 to the newest
	@tests/module/kernels

bench-cpu: ## instructions per byte on loopback, in virtual time, beside Reno and Cubic
	@tests/need python3; tests/lab/lab cpu

bench-cli: ## how long ndmctl's reading commands take with 10,000 sockets
	@tests/cli/bench-reads

bench-cgroup: bpf ## how long one ndmctl cgroup set takes, on this kernel (root, nothing stays)
	@tests/cli/bench-cgroup

clean: ## remove build/, and with it what was downloaded
	rm -rf build

.PHONY: help demo deb repo install bpf module check check-unit check-cli check-module check-package \
	check-vm check-lab check-matrix check-kernels bench-cpu bench-cli bench-cgroup lab lab-report lab-sweep clean
