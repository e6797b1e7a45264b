//! Additions of MPI programs to a summary: counts of calls, and objects that they leave behind at their end.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use weir_units::Rank;

/// Counts of runs of MPI programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramCounts {
    /// Calls of MPI functions, all ranks together.
    pub mpi_calls: u64,
    /// Number of times that a rank gave way to another.
    pub context_switches: u64,
    /// Ranks that ended without a call of MPI.
    pub without_mpi: usize,
}

/// Something that a rank has left behind: a request, a message, objects that it has not freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remnant {
    /// Which rank.
    pub rank: Rank,
    /// `request`, `message` or `object`.
    pub kind: String,
    /// Known details, each with its name.
    pub details: Vec<(String, String)>,
}

impl Remnant {
    pub(crate) fn to_json(&self) -> Value {
        let details = self.details.iter().map(|(name, value)| (name.clone(), json!(value)));
        let mut object =
            Map::from_iter([("rank".into(), json!(self.rank.0)), ("kind".into(), json!(self.kind))]);
        object.extend(details);
        Value::Object(object)
    }
}

impl fmt::Display for Remnant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, kind, details } = self;
        let known = |key: &str| details.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        write!(f, "rank {rank}: ")?;
        match kind.as_str() {
            "message" => f.write_str("a message was never received")?,
            "object" => {
                let count = known("not_freed").map_or("", String::as_str);
                let what = known("what").map_or("", String::as_str);
                return write!(f, "{what} not freed: {count}");
            }
            _ => {
                let call = known("call").map_or("", String::as_str);
                write!(f, "a request of {call}: {}", known("state").map_or("", String::as_str))?;
            }
        }
        for (name, value) in details {
            match name.as_str() {
                "call" | "state" => {}
                "called_in" => write!(f, ", called in {value}")?,
                "communicator" => write!(f, ", in {value}")?,
                "bytes" => write!(f, ", {value} bytes")?,
                _ => write!(f, ", {name} {value}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_each() {
        let remnant = |kind: &str, details: &[(&'static str, &str)]| Remnant {
            rank: Rank(1),
            kind: kind.to_owned(),
            details: details.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        };
        let request = [
            ("call", "MPI_Irecv"),
            ("called_in", "main+0x52 of prog"),
            ("state", "never completed"),
            ("peer", "0"),
            ("tag", "7"),
            ("communicator", "MPI_COMM_WORLD"),
        ];
        let cases = [
            (
                remnant("request", &request),
                "rank 1: a request of MPI_Irecv: never completed, called in main+0x52 of prog, peer 0, tag 7, in MPI_COMM_WORLD",
            ),
            (
                remnant("message", &[("source", "0"), ("tag", "7"), ("communicator", "w"), ("bytes", "8")]),
                "rank 1: a message was never received, source 0, tag 7, in w, 8 bytes",
            ),
            (
                remnant("object", &[("what", "datatypes"), ("not_freed", "2")]),
                "rank 1: datatypes not freed: 2",
            ),
        ];
        for (remnant, line) in cases {
            assert_eq!(remnant.to_string(), line);
            assert_eq!(remnant.to_json()["rank"], 1);
        }
    }
}
