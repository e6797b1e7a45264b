//! Runs that a program steps, beside the same messages in one piece.
#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod c;
mod calls;
mod laws;
mod work;

use weir_backend::{Backend, Completion};
use weir_experiment::{ExperimentText, Source};
use weir_units::Time;

/// A machine and an engine in TOML.
fn source(text: &str) -> Source {
    let experiment_text = Some(ExperimentText { name: "e".into(), text: text.into() });
    Source { experiment_text, ..Source::default() }
}

fn open(text: &str) -> Backend {
    Backend::open(source(text)).unwrap()
}

fn next(backend: &mut Backend, until: Option<Time>) -> Option<Completion> {
    backend.next(until, &mut || true).unwrap()
}

/// Two ranks that reach each other in 1 us and 1 us for each kB.
const PAIR: &str =
    "engine = { kind = 'ideal', latency = '1 us', bandwidth = '1 GB/s' }\nworkload.ranks = 2\n";
