# SPDX-License-Identifier: GPL-2.0
# Everything is built below build/; `make` alone lists the targets.
SHELL := /bin/bash
$(if $(word 2,$(CURDIR)),$(error '$(CURDIR)' has a blank, which make takes for the end of a name; move this folder))
.DEFAULT_GOAL := help
VERSION = $(shell .ci/version)
DEB_VERSION = $(shell .ci/version package)
SUITE ?= trixie
SET ?= published
SEEDS ?= 20

help: ## use: this list
	@for group in use build check lab release; do \
		echo "$$group:"; \
		sed -n "s/^\([a-z-]*\):.*## $$group: \(.*\)/  make \1	\2/p" Makefile | expand -t 26; \
	done

demo: need-root ## use: install and try ndm-tcp in a virtual machine (KEEP_SHELL=1: end with a shell in it; SUITE=bookworm)
	@KEEP_SHELL=$(KEEP_SHELL) tests/vm/host/demo $(SUITE)

deb: ## build: build the Debian packages, in build/deb
	@debian/build . build/deb

rpm: ## build: build the packages for Fedora and EL, in build/rpm
	@rpm/build . build/rpm

repo: ## release: sign a release as repositories for apt and dnf: REPO=DIR SIGNING_KEY=FINGERPRINT REPO_URL=https://...
	@.ci/verify && .ci/repo

# An older checkout may be what the administrator wants to go back to.
install: need-root deb ## use: build and install the packages on this machine
	apt-get install -y --allow-downgrades $(foreach package,ndm-tcp ndm-tcp-dkms ndm-tcp-bench,./build/deb/$(package)_$(DEB_VERSION)_all.deb) $$(.ci/headers)

# What the packages contain, below DESTDIR; debian/rules and rpm/ndm-tcp.spec use it. They add unit, manual pages and dkms.conf
# themselves: debhelper and rpm treat these in different ways.
SOURCE_DIR = $(DESTDIR)/usr/src/ndm-tcp-$(VERSION)
SHARE_DIR = $(DESTDIR)/usr/share

install-source: need-destdir # the module's source
	for part in . v1_v4 v5; do \
		install -d $(SOURCE_DIR)/$$part && \
		install -m 644 src/module/$$part/*.[ch] $(SOURCE_DIR)/$$part || exit; \
	done
	install -m 644 src/module/Kbuild $(SOURCE_DIR)

install-tools: need-destdir # ndmctl, its completion, the configuration, alert rules, the BPF programs
	$(MAKE) -C src/bpf O=$(DESTDIR)/usr/lib/ndm-tcp/bpf
	find $(DESTDIR)/usr/lib/ndm-tcp -type f -exec chmod 644 {} +
	install -d $(DESTDIR)/usr/bin $(DESTDIR)/etc/ndm-tcp/conf.d
	sed 's/@VERSION@/$(VERSION)/' ndmctl/ndmctl > $(DESTDIR)/usr/bin/ndmctl
	chmod 755 $(DESTDIR)/usr/bin/ndmctl
	ln -sf ../../bin/ndmctl $(DESTDIR)/usr/lib/ndm-tcp/service
	for layer in core probes checks steps commands; do install -D -m 644 -t $(SHARE_DIR)/ndm-tcp/lib/$$layer ndmctl/lib/$$layer/*.sh || exit; done
	install -m 644 -t $(SHARE_DIR)/ndm-tcp/lib/core ndmctl/lib/core/parameters.h
	install -D -m 644 -t $(SHARE_DIR)/bash-completion/completions ndmctl/completion/ndmctl
	install -D -m 644 -t $(SHARE_DIR)/zsh/vendor-completions ndmctl/completion/_ndmctl
	install -D -m 644 -t $(SHARE_DIR)/fish/vendor_completions.d ndmctl/completion/ndmctl.fish
	install -m 644 ndmctl/ndm-tcp.conf $(DESTDIR)/etc/ndm-tcp
	install -D -m 644 -t $(SHARE_DIR)/ndm-tcp/monitoring ndmctl/monitoring/ndm-tcp.rules.yml ndmctl/monitoring/ndm-tcp.dashboard.json

install-bench: need-destdir # what measures and compares, in Python
	install -D -m 644 -t $(SHARE_DIR)/ndm-tcp/bench ndmctl/bench/*.py

need-root:
	@[ "$$(id -u)" = 0 ] || { echo 'make: this needs root, which installs packages: sudo make $(MAKECMDGOALS); without root: make deb, make check-unit, make check-cli' >&2; exit 4; }

need-destdir:
	@[ -n "$(DESTDIR)" ] || { echo 'make: these targets are for packages and need DESTDIR=; to install on this machine: make install' >&2; exit 1; }

bpf: ## build: build the BPF programs for policies of cgroups, in build/bpf
	@.ci/need clang llvm libbpf-dev dpkg-dev && $(MAKE) -s -C src/bpf

module: ## build: build the module for KERNEL, a folder of headers (default: the newest), in build/module
	@tests/module/build $(KERNEL)

lab: ## lab: run a set of the virtual-time lab: SET=published SEEDS=8
	@.ci/need python3 && tests/lab/lab run $(SET) --seeds $(SEEDS)

lab-kernel: ## lab: build the kernel of the lab's fast engine, five minutes of one core (KERNEL=trixie: of that suite)
	@.ci/need python3 && tests/lab/lab kernel --kernel "$(KERNEL)"

lab-results: ## lab: write tests/lab/RESULTS.md and results/SET.md from stored results; says what is missing
	@.ci/need python3 && tests/lab/lab results

lab-pictures: ## lab: draw tests/lab/results/*.svg from stored results
	@.ci/need python3 && tests/lab/lab pictures

release: ## release: check, and make all that is published of a version, in build/release (LAYERS='unit cli': fewer checks)
	@LAYERS='$(LAYERS)' .ci/release

# Two layers at a time, one per core; tests/sets says which.
check: need-root ## check: before a commit: all layers but mutants and sanitizers; of virtual machines and the lab only the quick tests
	@SET=check LANES=2 tests/check $$(tests/sets layers check)

check-all: need-root ## check: every test; check-unit, -tools, -cli, -cli-root, -module, -package, -vm, -lab, -sanitizers, -mutants: those of one layer
	@LANES=2 tests/check $$(tests/sets layers all)

check-changed: need-root ## check: every test of the layers that a change since a commit touches: SINCE=origin/main
	@layers=$$(tests/sets changed $(or $(SINCE),origin/main)) && if [ "$$layers" ]; then LANES=2 tests/check $$layers; else \
		echo 'nothing has changed that only check-all tests'; fi

check-cli: export JOBS = 2
check-unit check-tools check-cli check-cli-root check-module check-package check-vm check-lab check-sanitizers check-mutants: check-%:
	@tests/check $*

fuzz-ops: ## check: random connections through the module's callbacks in userspace: SECONDS=600
	@tests/unit/build && build/unit/fuzz_ops --seconds $(or $(SECONDS),600) --from $$(date +%s)000000

fuzz-cli: ## check: random names, arguments and answers of other programs for ndmctl, on a made-up system: SECONDS=600
	@.ci/need bats python3 && FUZZ_SECONDS=$(or $(SECONDS),600) tests/as-ordinary-user bats -f 'fuzz: random' tests/cli/fuzz.bats

check-matrix: ## check: install, load, transfer, set a policy, remove on every suite's newest kernel; prints a table
	@tests/vm/host/matrix

check-autopkgtest: ## check: run the Debian package's own tests by autopkgtest in QEMU; they need the network
	@tests/vm/host/autopkgtest $(SUITE)

check-arches: ## check: load the module and move data on Debian's arm64 and s390x, in QEMU
	@tests/module/arches

check-verifier: ## check: load the algorithms as BPF on the newest kernel of each Debian suite, in QEMU
	@tests/module/verify

check-suites: ## check: build the Debian packages as an ordinary user in fresh Debian 12, 13 and sid, tests included
	@tests/package/as-user $(SUITES)

check-lintian: deb ## check: ask the lintian of SUITE=sid about the Debian packages
	@tests/package/lintian $(SUITE)

check-install: ## check: make install in a throw-away root of SUITE=bookworm that has only git and make
	@tests/package/fresh-install $(SUITE)

check-kernels: ## check: compile for every kernel of every Debian suite, 5.10 to the newest
	@tests/module/kernels

bench-cpu: ## check: count instructions per byte on loopback, in virtual time, beside Reno and Cubic
	@.ci/need python3 && tests/lab/lab cpu

bench-cli: ## check: time the reading commands of ndmctl with 10,000 sockets
	@tests/cli/bench-reads

clean: ## build: remove build/, and with it what was downloaded
	rm -rf build

# Every target is a name, none a file.
.PHONY: $(shell sed -nE 's/^([a-z -]+):([^=].*)?$$/\1/p' Makefile)
