# What one can do with this project: `make help`.

CARGO_FLAGS ?=
TARGET := $(or $(CARGO_TARGET_DIR),target)
# The interpreter that has the Python package and its tools: `make python`.
PYTHON := target/python/bin/python
# How much `make bench` measures: quick, plain or full.
BENCH ?= plain
# Where SimGrid is installed. Without it `make bench` does without.
SIMGRID ?= /usr
# What `make compare` does: --quick, --part flow, --write.
COMPARE ?=
SIMGRID_FLOW := $(if $(wildcard $(SIMGRID)/include/simgrid/s4u.hpp),$(TARGET)/release/simgrid_flow)

# How many random programs `make soak` runs on each machine, how many scenarios, and from which seed these are drawn.
PLANS ?= 2000
SCENARIOS ?= 5000
SEED ?= $(shell date +%j)

# How long `make fuzz` runs each target, and which ones if not all; how long `make miri` runs each test, and of which crates.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?=
MIRI_SECONDS ?= 60
MIRI_CRATES ?=

# Tests that need more than Rust and a C compiler: other MPIs, C++, Fortran, Python, programs of others. And those that need
# minutes of a processor: random scenarios, null pointers for every function, curves beside a simulator of flits.
NEED_MORE := dual_run:: languages:: package_examples:: python:: real_programs:: globals:: other_libraries_ \
	a_report_is_drawn crossed:: null_pointers:: booksim::

.DEFAULT_GOAL := help
.PHONY: help run quick test soak bench compare papers conformance setup setup-bench lint python doc clean
