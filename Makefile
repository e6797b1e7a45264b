# What one can do with this project: `make help`.

CARGO_FLAGS ?=
TARGET := $(or $(CARGO_TARGET_DIR),target)
# The interpreter that has the Python package and its tools: `make python`.
PYTHON := target/python/bin/python
# How much `make bench` measures: quick, plain or full.
BENCH ?= plain
# Where SimGrid is installed. Without it `make bench` does without.
SIMGRID ?= /usr
SIMGRID_FLOW := $(if $(wildcard $(SIMGRID)/include/simgrid/s4u.hpp),$(TARGET)/release/simgrid_flow)
# Which tests `make coverage` runs: what cargo test is given.
COVERAGE ?=
# What `make compare` does: --quick, --part flow, --write.
COMPARE ?=

# What `make papers` runs, as `python -m papers --help` has it.
PAPERS ?= all --out docs/papers --built-from $$(git describe --always --dirty)

# What `make validate` does beside predictions.
VALIDATE ?= --fit --ablations

# How many random programs `make soak` runs on each machine, how many scenarios, and from which seed these are drawn.
PLANS ?= 2000
SCENARIOS ?= 5000
SEED ?= $(shell date +%j)

# How long `make fuzz` runs each target, and which ones if not all; how long `make miri` runs each test, and of which crates.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?=
MIRI_SECONDS ?= 60
MIRI_CRATES ?=

# What `make mutants` changes: crates; how many mutants of each it tries, drawn from which seed; the least share of them, in
# per cent, that the tests must notice; how many seconds of tests try one of them, of its crate and then of all others.
CRATE ?= flow
SAMPLE ?= 300
DRAW ?= 1
LEAST ?= 90
TIMEOUT ?= 60
# own: only the tests of the crate try its mutants; else the crates whose tests try those that these do not notice, or all.
TESTS ?= own
MUTANTS := --manifest-path tools/mutants/Cargo.toml --target-dir $(TARGET)/mutants/tool --quiet

# Tests that need more than Rust and a C compiler: other MPIs, C++, Fortran, Python, programs of others. And those that need
# minutes of a processor: random scenarios, null pointers for every function, curves beside a simulator of flits.
NEED_MORE := dual_run:: cases::languages cases::processes package_examples:: python:: real_programs:: other_libraries_ other_languages_ \
	launchers:: together:: divisions:: report:: crossed:: null_pointers:: booksim::

.DEFAULT_GOAL := help
.PHONY: help run release quick test soak mutants fuzz miri tsan asan coverage bench budget compare papers validate conformance gpu-ptx gpu-test setup setup-bench lint python wheel doc site pictures clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 13

run: ## Run MPI programs on a fat tree and on a torus, side by side (builds weir first)
	cargo build $(CARGO_FLAGS) --profile quick --package weir-cli --package weir-abi
	python3 tools/fetch_examples.py
	python3 tools/side_by_side.py --weir $(TARGET)/quick/weir

quick: ## The tests that need nothing but Rust and a C compiler: no root, no network, no other MPI (under two minutes after a build)
	RUST_TEST_THREADS=$$((2 * $$(nproc))) cargo test $(CARGO_FLAGS) --workspace --lib --bins --tests --no-fail-fast -- $(addprefix --skip ,$(NEED_MORE))

# Incremental compilation makes a build from nothing a third longer. What is fetched waits for the network: beside it, lints run.
test: export CARGO_INCREMENTAL = 0
test: ## Check everything: formatting, lints, documentation, benches as tests, all tests, those in Python too
	python3 tools/setup.py system
	$(MAKE) --jobs 3 --output-sync=target setup lint doc
	python3 tools/run_tests.py $(CARGO_FLAGS) --workspace --lib --bins --tests --bench '*'

soak: ## Run thousands of random MPI programs (PLANS=N on each machine) and scenarios (SCENARIOS=N, SEED=N) on every engine; about an hour
	WEIR_RANDOM_PLANS=$(PLANS) cargo test $(CARGO_FLAGS) --package weir-cli --test cli random_plans
	WEIR_LONG=1 cargo test $(CARGO_FLAGS) --package weir-cli --package weir-packet --package weir-calibrate --test cli --test packet --test calibrate -- \
		dual_run:: mpi4py booksim:: divisions:: together:: profiles:: real_programs:: on_many_ranks other_methods true_values_are_found
	WEIR_CROSSED_CASES=$(SCENARIOS) WEIR_CROSSED_SEED=$(SEED) cargo test $(CARGO_FLAGS) --package weir-cli --test cli crossed

fuzz: ## Fuzz everything that reads, FUZZ_SECONDS=600 for each target (FUZZ_TARGETS=...: only these); installs the nightly toolchain
	python3 tools/fuzz.py --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

miri: ## Run tests of units, topology, network, collectives, message, pdes and capi under Miri, MIRI_SECONDS=60 for each at the most (MIRI_CRATES=...)
	python3 tools/miri.py --seconds $(MIRI_SECONDS) $(MIRI_CRATES)

tsan: ## Run the tests with threads of pdes and packet, and a run of weir, under ThreadSanitizer
	python3 tools/sanitize.py thread

asan: ## Run the MPI programs of tests/mpi under a weir that is built with AddressSanitizer
	python3 tools/sanitize.py address

mutants: ## Change CRATE=flow in SAMPLE=300 small ways, one at a time, and list the changes that its tests do not notice (ten minutes; TESTS="capi replay": nor these crates'; all: hours)
	cargo test $(MUTANTS)
	cargo run $(MUTANTS) -- $(CRATE) $(if $(filter-out own,$(TESTS)),--others "$(TESTS)") --sample $(SAMPLE) --seed $(DRAW) --least $(LEAST) --timeout $(TIMEOUT) \
		--skip "$(NEED_MORE)"

coverage: ## Which share of each crate's lines the tests execute (COVERAGE="-p weir-replay": tests of one crate; installs cargo-llvm-cov)
	python3 tools/coverage.py $(if $(COVERAGE),-- $(COVERAGE))

bench: ## Measure the engines and MPI programs, beside SimGrid if it is there, and the context switch (BENCH=quick, plain, full)
	cargo build $(CARGO_FLAGS) --release --package weir-cli
	$(if $(SIMGRID_FLOW),$(MAKE) -C benches/simgrid SIMGRID=$(SIMGRID) OUT=$(abspath $(SIMGRID_FLOW)))
	python3 tools/bench.py --weir $(TARGET)/release/weir --$(BENCH) $(addprefix --simgrid ,$(SIMGRID_FLOW))
	python3 tools/bench_packet.py --weir $(TARGET)/release/weir --$(BENCH)
	python3 tools/bench_mpi.py --weir $(TARGET)/release/weir --$(BENCH)
	python3 tools/bench_record.py --weir $(TARGET)/release/weir
	python3 tools/bench_causes.py --weir $(TARGET)/release/weir --$(BENCH)
	cargo bench $(CARGO_FLAGS) --package weir-coroutine --bench context_switch
	cargo bench $(CARGO_FLAGS) --package weir-replay --bench profile

budget: ## Compare what `weir run --dry-run` expects of twenty experiments with what they take (three minutes)
	cargo build $(CARGO_FLAGS) --release --package weir-cli
	python3 tools/budget.py --weir $(TARGET)/release/weir

compare: python ## Run the same cases under SimGrid and CAMINOS and judge what must agree (a few minutes; COMPARE=--quick: two)
	cargo build $(CARGO_FLAGS) --release --package weir-cli
	$(MAKE) -C benches/simgrid SIMGRID=$(SIMGRID) SOURCE=replay.cpp OUT=$(abspath $(TARGET)/release/simgrid_replay)
	$(PYTHON) tools/compare.py --weir $(TARGET)/release/weir --replay $(TARGET)/release/simgrid_replay $(COMPARE)

papers: python ## Run the experiments of all papers, compare with what they published, and write docs/papers (some minutes; PAPERS="002 barrier": print one item)
	cargo build $(CARGO_FLAGS) --release --package weir-cli
	cargo build $(CARGO_FLAGS) --package weir-python
	PYTHONPATH=tools $(PYTHON) -m papers --weir $(TARGET)/release/weir $(PAPERS)

validate: python ## Predict what was measured on real machines, compare, and write docs/validation (some minutes; VALIDATE=: without fits and ablations, a minute)
	cargo build $(CARGO_FLAGS) --release --package weir-cli --package weir-python
	cp --remove-destination $(TARGET)/release/libweir_python.so python/weir/_weir.abi3.so
	WEIR=$(TARGET)/release/weir PYTHONPATH=tools $(PYTHON) -m validation all $(VALIDATE) --out docs/validation --built-from $$(git describe --always --dirty)

conformance: ## Run MPICH's conformance tests under weir and say what becomes of each (some minutes; fetches the suite)
	cargo build $(CARGO_FLAGS) --profile quick --package weir-cli
	python3 tools/mpich_conformance.py --weir $(TARGET)/quick/weir

gpu-ptx: ## Compile the kernels for GPUs into crates/gpu/kernels/packet.ptx and list their registers (installs the compiler of CUDA into target; needs no GPU)
	python3 tools/gpu_ptx.py --report

gpu-test: ## Try the GPU of this computer and the kernels for it (needs a GPU of NVIDIA and its driver)
	cargo run $(CARGO_FLAGS) --quiet --release --package weir-gpu --example gpu_test

setup: python ## Install what the tests need: Open MPI and Chromium (with apt, as root), MPICH, a newer Open MPI, mpi4py and the Python package (with pip, into target), MPI programs of packages
	python3 tools/setup.py
	python3 tools/fetch_examples.py
	python3 tools/fetch_programs.py
	python3 tools/fetch_mpi4py.py

setup-bench: ## Install what `make bench` and `make compare` compare with: SimGrid (with apt, as root) and CAMINOS (with cargo, into target)
	python3 tools/setup.py bench

lint: python ## Check formatting, lints and types: Rust, Python, the scripts of pages
	cargo fmt --all --check
	cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
	cargo fmt --manifest-path tools/mutants/Cargo.toml --check
	cargo clippy $(MUTANTS) --all-targets -- -D warnings
	$(PYTHON) -m ruff format --check python tools
	$(PYTHON) -m ruff check python tools
	$(PYTHON) -m mypy
	$(PYTHON) tools/javascript/check.py

python: ## Make a Python environment with the package weir and what its tests need, in target/python
	python3 tools/setup.py python

wheel: python ## Build the wheel weir-sim, with command, library and headers, into target/wheels, and try it in an empty environment
	python3 tools/wheel.py
	WEIR_WHEEL=$$(echo $(CURDIR)/target/wheels/weir_sim-*.whl) $(PYTHON) -m pytest -m wheel

release: wheel ## Put wheel, sources, changes and checksums of this version into target/release-files; publishes nothing
	python3 tools/release.py

doc: ## Build the documentation of all crates
	RUSTDOCFLAGS="-D warnings" cargo doc $(CARGO_FLAGS) --workspace --lib --no-deps

# Not --quiet: mkdocs does not count warnings that it does not show.
site: ## Build the documentation as a site in target/site-pages; broken links are errors
	python3 tools/setup.py site
	NO_MKDOCS_2_WARNING=1 target/site/bin/python -m mkdocs build
	@echo "target/site-pages/index.html; with search: python3 -m http.server --directory target/site-pages"

pictures: python ## Draw the pictures of docs/gallery.md and of the README anew
	python3 tools/setup.py site
	cargo build $(CARGO_FLAGS) --profile quick --package weir-cli
	WEIR_PYTHON=$(abspath $(PYTHON)) target/site/bin/python tools/pictures.py --weir $(TARGET)/quick/weir

clean: ## Remove everything that was built or fetched
	cargo clean
	rm -rf target/wheels target/release-files target/mpi-examples target/mpich target/mpi4py target/programs target/python target/site target/site-pages target/conformance target/caminos results
