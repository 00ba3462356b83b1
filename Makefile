# Two commands do everything on a fresh machine: `make run` and `make test`.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PACKAGES := libsqlite3-dev libssl-dev libpq-dev zlib1g-dev pkg-config
# The tests start clusters of their own; the system's is not used. Python checks bundles.
TEST_PACKAGES := postgresql python3-cryptography dpkg-dev
# Tests that need these are skipped where they cannot be installed.
OPTIONAL_TEST_PACKAGES := pgbouncer haproxy
BROWSER_PACKAGES := chromium fonts-dejavu-core python3-venv
FUZZ_SECONDS ?= 60
FUZZ_HTTP_SECONDS ?= 300
SOAK_ROUNDS ?= 25
SOAK_MINUTES ?= 60
SEEDS ?= 5000
EVENTS ?= 1000000
# Each module as a whole, without debug information: a third less work than a debug build, which compiles a module's files in
# batches; and in one job, since another that emits the module alone type-checks all of it again: a fifth less for tests.
# To debug a test, or to compile changes file by file: `swift build --build-tests`, which builds everything again.
# The index that the build writes needs an output per file, hence the threads.
BUILD_TESTS = swift build --build-tests -debug-info-format none -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 \
  -Xswiftc -no-emit-module-separately-wmo
BINARY = $(shell swift build -c release --show-bin-path)/subledger
# Where the tests' files are: in memory where programs may run there and 8 GiB are free, which takes a tenth less processor time.
TEST_FILES = $(shell free=$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1); if [ "$${free:-0}" -gt 8388608 ] && [ -w /dev/shm ] && \
  ! findmnt -n -o OPTIONS /dev/shm | grep -q noexec; then echo /dev/shm; else echo "$${TMPDIR:-/tmp}"; fi)
# glibc's malloc keeps 7 free blocks of each size for a thread; unoptimised code frees more at once: a twentieth less processor time.
TEST_MALLOC = glibc.malloc.tcache_count=2000

.PHONY: help setup build run test bench fuzz fuzz-http test-browser test-mcp deb test-deb soak docs lint

help:
	@echo "make run    build the release and run the demo: a simulated App Store, the service, an outage, its recovery"
	@echo "make test   build and run every test, with fixed seeds and small counts; pages of the console where there is a Chromium"
	@echo "make bench  measure the figures of BENCHMARKS.md"
	@echo "make fuzz   fuzz the decoders: FUZZ_SECONDS per target (60), FUZZ_TARGETS to select some"
	@echo "make fuzz-http  fuzz the service against its OpenAPI document: FUZZ_HTTP_SECONDS (300)"
	@echo "make test-browser  walk the console of the demo with a real browser; PICTURES=DIR takes the README's pictures"
	@echo "make test-mcp  ask the ledger over the Model Context Protocol with the client from PyPI"
	@echo "make soak   run the long tests at full size for two hours: SOAK_ROUNDS kill rounds, SOAK_MINUTES of nodes with faults (60),"
	@echo "            EVENTS in a ledger, SEEDS whole systems"
	@echo "            with SEED=n only whole systems, starting at that seed: make soak SEEDS=1 SEED=123"
	@echo "make docs   build the documentation of the libraries; a warning is an error"
	@echo "make deb    build a Debian package in .build; make test-deb also builds it twice, and installs and removes it, below a directory of its own"
	@echo "make lint   check the format of the sources"

# Installs missing packages, or reports in one sentence why it cannot.
setup:
	@command -v swift >/dev/null || { echo "error: no Swift toolchain on PATH; install Swift 6.2 or later from swift.org."; exit 1; }
	@missing=""; for package in $(PACKAGES); do dpkg -s $$package >/dev/null 2>&1 || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	  command -v apt-get >/dev/null || { echo "error: missing$$missing, and no apt-get to install them."; exit 1; }; \
	  sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo"; \
	  { $$sudo apt-get update -qq && $$sudo apt-get install -y -qq $$missing; } >/dev/null || \
	  { echo "error: could not install$$missing; install them manually and retry."; exit 1; }; \
	fi
	@sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo -n"; updated=""; \
	for package in $(OPTIONAL_PACKAGES); do dpkg -s $$package >/dev/null 2>&1 && continue; \
	  { $$sudo apt-get install -y -qq $$package || \
	    { [ -z "$$updated" ] && updated=1 && $$sudo apt-get update -qq && $$sudo apt-get install -y -qq $$package; }; } >/dev/null 2>&1 || \
	  echo "note: could not install $$package; tests that need it are skipped."; \
	done

# Links the Swift runtime statically: the binary runs without a toolchain, and calls are faster.
build: setup
	@swift build -c release --product subledger --static-swift-stdlib || { echo "error: the release build failed; the first error is above."; exit 1; }

run: build
	@"$(BINARY)" demo

test: PACKAGES += $(TEST_PACKAGES)
test: OPTIONAL_PACKAGES := $(OPTIONAL_TEST_PACKAGES)
test: setup
	@$(BUILD_TESTS) || { echo "error: the build failed; the first error is above."; exit 1; }
	@set -o pipefail; TMPDIR="$(TEST_FILES)" GLIBC_TUNABLES="$(TEST_MALLOC)" swift test --skip-build 2>&1 | tee .build/test.log || { \
	  echo; echo "Failures:"; grep -A 6 '✘' .build/test.log | grep -v '^[◇✔]' | tail -n 120; \
	  echo "error: a test failed; its name is above, and the complete output is in .build/test.log."; exit 1; }
	@env -u CI BINARY="$$(swift build --show-bin-path)/subledger" CHAINS=100 TMPDIR="$(TEST_FILES)" Tests/Browser/run.sh .build/browser --pages 30 || { \
	  echo "error: the console failed a check; see above."; exit 1; }

bench: build
	@"$(BINARY)" bench all

# Uses a separate build directory; corpus, logs and findings stay in .build/fuzz.
fuzz: setup
	@SUBLEDGER_FUZZ=1 swift build -c release --product Fuzz --scratch-path .build/fuzz || { echo "error: the build failed; the first error is above."; exit 1; }
	@.build/fuzz/release/Fuzz all .build/fuzz "$(FUZZ_SECONDS)" $(FUZZ_TARGETS) || { echo "error: a target failed or could not run; see above."; exit 1; }

# Needs Python 3 and PyPI. The tools and the report stay in .build/fuzz-http.
fuzz-http: build
	@BINARY="$(BINARY)" FUZZ_HTTP_SECONDS="$(FUZZ_HTTP_SECONDS)" Tests/HTTPFuzz/run.sh .build/fuzz-http || { echo "error: the service differs from its document; see above."; exit 1; }

# Needs Chromium, Python 3 and PyPI; the tools and the logs stay in .build/browser. Where the packages cannot be installed, the
# script says so and skips. `make test` installs none of them, and tries the first pages where they are.
test-browser: build
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null && \
	  python3 -m ensurepip --version >/dev/null 2>&1 || \
	  $(MAKE) --no-print-directory setup PACKAGES="$(BROWSER_PACKAGES)" 2>&1 | sed '/^make/d; s/^error:/note:/'
	@BINARY="$(BINARY)" Tests/Browser/run.sh .build/browser $(if $(PICTURES),--pictures "$(PICTURES)") || { echo "error: the console failed a check; see above."; exit 1; }

# Needs Python 3 and PyPI; the tools and the log stay in .build/mcp.
test-mcp: build
	@BINARY="$(BINARY)" Tests/MCP/run.sh .build/mcp || { echo "error: the Model Context Protocol failed a check; see above."; exit 1; }

# `build` sets up, so the packages have to be known there.
deb: PACKAGES += dpkg-dev python3
deb: build
	@rm -f .build/subledger_*.deb; BINARY="$(BINARY)" Packaging/Debian/build.sh .build || { echo "error: the package could not be built; see above."; exit 1; }

test-deb: PACKAGES += dpkg-dev python3 systemd groff-base zsh fish
test-deb: deb
	@mkdir -p .build/again; package="$$(echo .build/subledger_*.deb)"; \
	BINARY="$(BINARY)" Packaging/Debian/build.sh .build/again >/dev/null && cmp "$$package" ".build/again/$${package##*/}" || { \
	  echo "error: the package is not the same twice; see above."; exit 1; }; \
	Tests/Debian/install.sh "$$package" || { echo "error: dpkg could not install or remove the package as it should; see above."; exit 1; }

# The tests that `Soak` of Tests/TestSupport makes longer.
LONG_TESTS = FaultLoopTests|FlipTests|DerivedFaultTests|LogMigrationTests|MigratedPastTests|TamperingTests|PlainCustomersTests|ArrivalOrderTests|BundleTests|ProofCommandTests|AppendFaultTests|DrillTests|AccessReasonTests|ReplayTests|CellChainsTests|MetricsSourceTests|ErasedFiguresTests|QuarantineTests|TruthTests|PlainReadingTests|MutationTests|UnsyncedCommitTests|DamagedWriteAheadLogTests|ProjectionsBuildTests|ErasureFaultTests|RetentionFaultTests|JSONStrictnessTests|PayloadTests|SetAsideTests|StoreConcurrencyConformance|LogErasureTests|LogRestoreTests|LogEvidencePackingTests|RevocationTests|SignedNoteTests|CheckpointTests

# Ends by itself and cleans up; a script that cannot run here reports that in one sentence.
soak: PACKAGES += $(TEST_PACKAGES) curl strace
ifdef SEED
soak: setup
	@$(BUILD_TESTS) || { echo "error: the build failed; the first error is above."; exit 1; }
	@SUBLEDGER_SEEDS=$(SEEDS) SUBLEDGER_SEED=$(SEED) swift test --skip-build --filter WholeSystemTests || { echo "error: a system did not recover; its seed is above."; exit 1; }
else
soak: build
	@$(BUILD_TESTS) || { echo "error: the build failed; the first error is above."; exit 1; }
	@SUBLEDGER_SEEDS=$(SEEDS) SUBLEDGER_SEED=100000 swift test --skip-build --filter WholeSystemTests || { echo "error: a system did not recover; its seed is above."; exit 1; }
	@SUBLEDGER_SOAK=1 SUBLEDGER_KILL_ROUNDS=$(SOAK_ROUNDS) swift test --skip-build --filter "KillTests|EraseCommandTests|ConcurrentCommandTests|ServeCommandTests|ServeLimitedFileTests" || { echo "error: a kill round failed; its seed is above."; exit 1; }
	@SUBLEDGER_SOAK=1 swift test --skip-build --filter "$(LONG_TESTS)" || { echo "error: a test at full size failed; its seed and number are above."; exit 1; }
	@BINARY="$(BINARY)" Tests/Soak/inject.sh
	@BINARY="$(BINARY)" Tests/Soak/disk-full.sh
	@BINARY="$(BINARY)" MINUTES=$(SOAK_MINUTES) Tests/Soak/nodes.sh
	@BINARY="$(BINARY)" EVENTS=$(EVENTS) Tests/Soak/million.sh
endif

# Of every library product; the archives go to .build/docs. `docc` comes with the toolchain.
GRAPHS = $(dir $(shell swift build --show-bin-path))symbolgraph

docs: setup
	@command -v docc >/dev/null || { echo "error: no docc on PATH; it is in usr/bin of the toolchain."; exit 1; }
	@rm -rf .build/docs "$(GRAPHS)"; mkdir -p .build/docs
	@swift package dump-symbol-graph --minimum-access-level public >.build/docs/graphs.log 2>&1; \
	for library in $$(sed -n 's/.*\.library(name: "\([A-Za-z]*\)".*/\1/p' Package.swift); do \
	  [ -f "$(GRAPHS)/$$library.symbols.json" ] || { tail -n 40 .build/docs/graphs.log; echo "error: $$library has no symbol graph; see above."; exit 1; }; \
	  mkdir -p .build/docs/graphs/$$library; \
	  cp "$(GRAPHS)/$$library.symbols.json" "$(GRAPHS)/$$library@"*.symbols.json .build/docs/graphs/$$library 2>/dev/null; \
	  catalogue=Sources/$$library/$$library.docc; [ -d $$catalogue ] || catalogue=; \
	  docc convert $$catalogue --additional-symbol-graph-dir .build/docs/graphs/$$library --warnings-as-errors \
	    --fallback-display-name $$library --fallback-bundle-identifier subledger.$$library \
	    --output-path .build/docs/$$library.doccarchive || { echo "error: the documentation of $$library has warnings; see above."; exit 1; }; \
	done

lint:
	@swift format lint --strict -r Sources Tests Examples Migrations Package.swift
