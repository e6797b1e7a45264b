//! One program for all fuzz targets: `WEIR_FUZZ_TARGET` says which one runs. `tools/fuzz.py` builds and starts it.
//!
//! A target takes bytes, makes an input of them, has weir read it, and checks what must hold for every input. What does
//! not end, takes too much memory or panics is found by libFuzzer.
#![no_main]

mod canary;
mod experiments;
mod graphs;
mod keys;
mod lines;
mod made;
mod others;
mod scratch;
mod seeds;
mod traces;

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use std::alloc::System;
use std::sync::OnceLock;

/// Memory that weir may reserve at a time, for an input of some kilobytes: the reader of Parquet reserves what a page says it
/// has, up to 2 GiB, before it looks. Of memory that is used `tools/fuzz.py` sets the limit.
const MOST_MEMORY: usize = 3 << 30;

/// Refuses what is beyond that: the process ends, and the input is a find. libFuzzer's own limit counts pages that are used,
/// and so passes over reservations.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MOST_MEMORY);

type Target = fn(&[u8]);

/// All targets by name; `tools/fuzz.py` reads this table, too.
const TARGETS: [(&str, Target); 22] = [
    ("units", others::units),
    ("experiment_text", experiments::text),
    ("experiment_json", experiments::json),
    ("experiment_keys", experiments::keys),
    ("run", experiments::run),
    ("graph_csv", graphs::edge_list),
    ("graph_json", graphs::node_link),
    ("graph_graphml", graphs::graphml),
    ("foreign", graphs::foreign),
    ("routes", graphs::routes),
    ("mapping", graphs::mapping),
    ("address", graphs::address),
    ("pattern_text", traces::pattern_text),
    ("pattern_lines", lines::pattern),
    ("pattern_parquet", traces::pattern_parquet),
    ("profile_text", traces::profile_text),
    ("profile_lines", lines::profile),
    ("profile_parquet", traces::profile_parquet),
    ("sweep", others::sweep),
    ("executable", others::executable),
    ("memory_kinds", others::memory_kinds),
    ("results", others::results),
];

static TARGET: OnceLock<Target> = OnceLock::new();

fn choose() {
    if let Some(folder) = std::env::var_os("WEIR_FUZZ_SEEDS") {
        seeds::write(folder.as_ref());
        std::process::exit(0);
    }
    let name = std::env::var("WEIR_FUZZ_TARGET").expect("WEIR_FUZZ_TARGET names a target");
    let known =
        TARGETS.iter().chain(&[("canary", canary::canary as Target)]).find(|(known, _)| *known == name);
    TARGET.get_or_init(|| known.unwrap_or_else(|| panic!("there is no target {name}")).1);
    if name.ends_with("_parquet") || name == "results" {
        // Weir catches panics of the reader of Parquet. The hook of libFuzzer would end the process at each of them; a panic
        // that nobody catches ends it anyway.
        let _ = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
    }
}

fuzz_target!(init: choose(), |bytes: &[u8]| TARGET.get().expect("chosen at the start")(bytes));
