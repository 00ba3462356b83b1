# Two commands do everything on a fresh machine: `make run` and `make test`.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PACKAGES := libsqlite3-dev libssl-dev pkg-config
FUZZ_SECONDS ?= 60
FUZZ_HTTP_SECONDS ?= 300
SOAK_ROUNDS ?= 25
SEEDS ?= 5000
EVENTS ?= 1000000
BINARY = $(shell swift build -c release --show-bin-path)/subledger

.PHONY: help setup build run test bench fuzz fuzz-http soak lint

help:
	@echo "make run    build release and show everything at once: a simulated App Store, the service, an outage, its recovery"
	@echo "make test   build and run every test"
	@echo "make bench  measure the figures of the README"
	@echo "make fuzz   search for inputs that break a decoder: FUZZ_SECONDS for each target (60), FUZZ_TARGETS names some"
	@echo "make fuzz-http  ask the service everything its OpenAPI document describes, and what it forbids: FUZZ_HTTP_SECONDS (300)"
	@echo "make soak   kill, starve and break it for an hour: SOAK_ROUNDS kill rounds, EVENTS in a ledger, SEEDS whole systems"
	@echo "            with SEED=n only whole systems, from that seed on: make soak SEEDS=1 SEED=123"
	@echo "make lint   check the format of the sources"

# Installs what is missing, and says in one sentence what is wrong when it cannot.
setup:
	@command -v swift >/dev/null || { echo "error: no Swift toolchain on PATH; install Swift 6.1 or later from swift.org."; exit 1; }
	@missing=""; for package in $(PACKAGES); do dpkg -s $$package >/dev/null 2>&1 || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	  command -v apt-get >/dev/null || { echo "error: missing$$missing, and there is no apt-get to install them with."; exit 1; }; \
	  sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo"; \
	  { $$sudo apt-get update -qq && $$sudo apt-get install -y -qq $$missing; } >/dev/null || \
	  { echo "error: could not install$$missing; install them by hand and try again."; exit 1; }; \
	fi

# With Swift's own runtime inside: the binary runs where there is no toolchain, and calls it faster.
build: setup
	@swift build -c release --product subledger --static-swift-stdlib || { echo "error: the release build failed; the first error is above."; exit 1; }

run: build
	@"$(BINARY)" demo

test: setup
	@swift build --build-tests || { echo "error: the build failed; the first error is above."; exit 1; }
	@set -o pipefail; swift test --skip-build 2>&1 | tee .build/test.log || { \
	  echo; echo "What failed, once more:"; grep -A 6 '✘' .build/test.log | grep -v '^[◇✔]' | tail -n 120; \
	  echo "error: a test failed; its name is above, and everything the run said is in .build/test.log."; exit 1; }

bench: build
	@"$(BINARY)" bench all

# Builds apart from everything else; the corpus, the logs and what was found stay in .build/fuzz.
fuzz: setup
	@SUBLEDGER_FUZZ=1 swift build -c release --product Fuzz --scratch-path .build/fuzz || { echo "error: the build failed; the first error is above."; exit 1; }
	@.build/fuzz/release/Fuzz all .build/fuzz "$(FUZZ_SECONDS)" $(FUZZ_TARGETS) || { echo "error: a target broke or could not be tried; what to do is above."; exit 1; }

# Needs Python 3 and PyPI. The tools and the report stay in .build/fuzz-http.
fuzz-http: build
	@BINARY="$(BINARY)" FUZZ_HTTP_SECONDS="$(FUZZ_HTTP_SECONDS)" Tests/HTTPFuzz/run.sh .build/fuzz-http || { echo "error: the service is not as its document says; what differs is above."; exit 1; }

# Ends by itself and leaves nothing behind; a script that cannot run here says so in one sentence.
ifdef SEED
soak: setup
	@swift build --build-tests || { echo "error: the build failed; the first error is above."; exit 1; }
	@SUBLEDGER_SEEDS=$(SEEDS) SUBLEDGER_SEED=$(SEED) swift test --skip-build --filter WholeSystemTests || { echo "error: a system did not recover; its seed is above."; exit 1; }
else
soak: build
	@swift build --build-tests || { echo "error: the build failed; the first error is above."; exit 1; }
	@SUBLEDGER_SEEDS=$(SEEDS) SUBLEDGER_SEED=100000 swift test --skip-build --filter WholeSystemTests || { echo "error: a system did not recover; its seed is above."; exit 1; }
	@SUBLEDGER_KILL_ROUNDS=$(SOAK_ROUNDS) swift test --skip-build --filter KillTests || { echo "error: a kill was not survived; the seed is above."; exit 1; }
	@SUBLEDGER_SOAK=1 swift test --skip-build --filter "FaultLoopTests|FlipTests" || { echo "error: a fault or a flipped bit was not survived; its number is above."; exit 1; }
	@BINARY="$(BINARY)" Tests/Soak/inject.sh
	@BINARY="$(BINARY)" Tests/Soak/disk-full.sh
	@BINARY="$(BINARY)" EVENTS=$(EVENTS) Tests/Soak/million.sh
endif

lint:
	@swift format lint --strict -r Sources Tests Migrations Package.swift
