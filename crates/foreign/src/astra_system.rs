//! System files of ASTRA-sim (JSON): which algorithms its collectives take, and what a message costs.
//!
//! Settings that weir has keys for become these; others, of how ASTRA-sim schedules chunks and of its memory, are named.

use crate::reading::Reading;
use serde_json::Value;

/// Keys of an experiment, each with its value as TOML.
pub type Keys = Vec<(String, String)>;

/// Algorithms by ASTRA-sim's word and by weir's.
type Algorithms = &'static [(&'static str, &'static str)];

/// Collectives by ASTRA-sim's word and weir's key; algorithms by ASTRA-sim's word and weir's, where weir has it for the collective.
const COLLECTIVES: [(&str, &str, Algorithms); 4] = [
    ("all-reduce", "allreduce", &[("ring", "ring"), ("halvingDoubling", "rabenseifner")]),
    ("all-gather", "allgather", &[("ring", "ring"), ("halvingDoubling", "recursive-doubling")]),
    ("reduce-scatter", "reduce_scatter", &[("ring", "ring"), ("halvingDoubling", "recursive-halving")]),
    ("all-to-all", "alltoall", &[("direct", "linear")]),
];

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Keys> {
    let value: serde_json::Map<String, Value> = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            reading.wrong(error.line(), "", format!("not JSON: {error}"));
            return None;
        }
    };
    let line_of = |key: &str| {
        1 + text.split(&format!("\"{key}\"")).next().map_or(0, |before| before.matches('\n').count())
    };
    let mut keys = Keys::new();
    for (key, value) in &value {
        let line = line_of(key);
        if let Some(name) = key.strip_suffix("-implementation") {
            keys.extend(collective(name, value, line, reading));
            continue;
        }
        match (key.as_str(), value.as_f64()) {
            // Cycles of 1 ns.
            ("endpoint-delay", Some(delay)) if delay >= 0.0 => {
                keys.push(("node.mpi_overhead".to_owned(), format!("\"{delay} ns\"")));
            }
            ("endpoint-delay", _) => reading.wrong(line, &value.to_string(), "expected a number of ns"),
            ("active-chunks-per-dimension" | "preferred-dataset-splits", Some(1.0)) => {}
            ("boost-mode" | "roofline-enabled" | "trace-enabled" | "track-local-mem" | "peak-perf", _) => {
                reading.note(format!("line {line}: {key} says nothing about the network"));
            }
            _ => reading.cannot(line, key, &format!("{key} is a rule of ASTRA-sim that weir does not have")),
        }
    }
    keys.sort();
    Some(keys)
}

fn collective(name: &str, value: &Value, line: usize, reading: &mut Reading) -> Option<(String, String)> {
    let words: Vec<&str> = match value {
        Value::String(word) => vec![word],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let (Some(&first), Some((_, key, algorithms))) =
        (words.first(), COLLECTIVES.iter().find(|(astra, ..)| *astra == name))
    else {
        reading.wrong(
            line,
            &value.to_string(),
            "expected algorithms of all-reduce, all-gather, reduce-scatter or all-to-all",
        );
        return None;
    };
    if words.iter().any(|word| *word != first) {
        reading.cannot(
            line,
            &value.to_string(),
            "an algorithm for each dimension: a collective of weir has one for all",
        );
        return None;
    }
    match algorithms.iter().find(|(astra, _)| *astra == first) {
        Some((_, algorithm)) => Some((format!("collectives.{key}"), format!("\"{algorithm}\""))),
        None => {
            reading.cannot(line, first, &format!("weir has no such algorithm of {key}"));
            None
        }
    }
}
