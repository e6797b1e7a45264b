//! Measured times: a table in CSV, or what OSU Micro-Benchmarks, Intel MPI Benchmarks or the tests of NCCL have printed.

mod logs;
mod nccl;
mod setting;
mod table;

use crate::request::{CalibrationError, Mistake, Result};
use logs::Log;
pub(crate) use setting::{PRESET, Setting, preset_of};
use std::collections::BTreeMap;
use weir_analysis::contest::COLLECTIVES;
use weir_collectives::{NameError, Preset};

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A collective of all ranks, by its key in `[collectives]`; the time is that of the rank that takes longest.
    Collective(&'static str),
    /// A message from the first rank to the last and back; the time is half of that.
    PingPong,
}

impl Operation {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collective(name) => name,
            Self::PingPong => "pingpong",
        }
    }

    /// The operation that another program calls this: `MPI_Allreduce`, `Reduce_scatter`, `ping-pong`.
    fn named(name: &str) -> Option<Self> {
        let letters = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
        let wanted = letters(name.trim().trim_start_matches("MPI_"));
        match wanted.as_str() {
            "pingpong" | "latency" => return Some(Self::PingPong),
            "broadcast" => return Some(Self::Collective("bcast")),
            "alltoallpersonalizedexchange" => return Some(Self::Collective("alltoall")),
            "reducescatterblock" => return Some(Self::Collective("reduce_scatter")),
            _ => (),
        }
        COLLECTIVES.into_iter().find(|known| letters(known) == wanted).map(Self::Collective)
    }

    /// Benchmarks of these print the bytes of each rank's part; the whole vector has as many parts as there are ranks.
    fn has_parts(self) -> bool {
        matches!(self, Self::Collective("gather" | "scatter" | "allgather" | "alltoall"))
    }
}

/// One measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The file, as it was named.
    pub file: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// The benchmark.
    pub operation: Operation,
    /// Where it ran, in a few words: `4x4x4`, `32 nodes`.
    pub job: String,
    /// The algorithm as the file names it, with hyphens; `None`: as the machine's `[collectives]` says.
    pub algorithm: Option<String>,
    /// The whole vector of a rank.
    pub bytes: u64,
    /// The measured time, above 0.
    pub seconds: f64,
    /// Keys of the experiment that are set for this row, as `key=value`.
    pub set: Vec<String>,
}

impl Row {
    /// In words: `allreduce ring, 4096 B, workload.ranks=8`.
    pub fn name(&self) -> String {
        let algorithm = self.algorithm.as_ref().map(|algorithm| format!(" {algorithm}")).unwrap_or_default();
        let set: String = self.set.iter().map(|set| format!(", {set}")).collect();
        format!("{}{algorithm}, {} B{set}", self.operation.name(), self.bytes)
    }
}

/// Rows that are not used, by the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeMap<String, Vec<usize>>);

impl LeftOut {
    pub(crate) fn add(&mut self, reason: String, line: usize) {
        self.0.entry(reason).or_default().push(line);
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Each reason with the lines of its rows, in the order of the reasons' letters.
    pub fn reasons(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.0.iter().map(|(reason, lines)| (reason.as_str(), lines.as_slice()))
    }
}

/// Content of a file of measured times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Measured {
    /// The rows that weir can predict, in the order of the file.
    pub(crate) rows: Vec<Row>,
    /// Those it cannot.
    pub(crate) left_out: LeftOut,
    /// Columns of a table that are not read.
    pub(crate) ignored: Vec<String>,
    /// Sentences on what was taken from the numbers because the file does not say it.
    pub(crate) notes: Vec<String>,
    mistakes: Vec<Mistake>,
}

/// A line of a file before weir knows whether it has such a thing.
struct Record {
    line: usize,
    collective: String,
    algorithm: String,
    /// The whole vector.
    bytes: u64,
    seconds: f64,
    setting: Setting,
}

/// Rules by which a file of measured times is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The machine folds jobs: their sides are those of the job, else of the machine.
    pub(crate) is_folded: bool,
    /// The library whose names algorithms have, where a column does not name another.
    pub(crate) preset: Preset,
    /// Number of ranks where a log does not say it.
    pub(crate) ranks: Option<u64>,
}

impl Reading {
    pub(crate) fn of_machine(machine: &toml_edit::Item) -> Self {
        let kind = crate::parameter::item(machine, "mapping.kind").and_then(toml_edit::Item::as_str);
        let preset = crate::parameter::item(machine, PRESET).and_then(|name| preset_of(name.as_str()?));
        Self { is_folded: kind == Some("folded"), preset: preset.unwrap_or_default(), ranks: None }
    }
}

impl Measured {
    /// Reads the text of a file that mistakes call `file`. A log is known by what OSU, IMB and the tests of NCCL print first.
    pub(crate) fn read(file: &str, text: &str, reading: &Reading) -> Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let has = |what: &str| text.lines().any(|line| line.contains(what));
        let log = Log::new(file, reading);
        let measured = if has("# OSU MPI") {
            logs::osu(log, text)
        } else if has("# Benchmarking ") {
            logs::imb(log, text)
        } else if nccl::is_one(text) {
            nccl::read(log, text)
        } else {
            table::read(file, text, reading).map_err(CalibrationError::Input)?
        };
        if !measured.mistakes.is_empty() {
            return Err(CalibrationError::Input(measured.mistakes));
        }
        if measured.rows.is_empty() && measured.left_out.count() == 0 {
            let mistake = Mistake::new(file, "has no measured times");
            return Err(mistake
                .hint("a table has a line of column names, and a line per time below it")
                .into());
        }
        Ok(measured)
    }

    /// Takes in a line of a file, if weir can predict it.
    fn take(&mut self, file: &str, record: Record, reading: &Reading) {
        let line = record.line;
        match row(file, record, reading) {
            Ok(row) => self.rows.push(row),
            Err(reason) => self.left_out.add(reason, line),
        }
    }

    /// Takes in what another file has; reasons of both then begin with the name of their file.
    pub(crate) fn add(&mut self, file: &str, other: Self) {
        for (reason, lines) in other.left_out.0 {
            self.left_out.0.insert(format!("{file}: {reason}"), lines);
        }
        self.rows.extend(other.rows);
        self.ignored.extend(other.ignored.into_iter().map(|name| format!("{name} of {file}")));
        self.notes.extend(other.notes);
    }
}

/// The row of a record, or why weir cannot predict it.
fn row(file: &str, record: Record, reading: &Reading) -> Result<Row, String> {
    let Some(operation) = Operation::named(&record.collective) else {
        return Err(format!("weir has no benchmark of {}", record.collective));
    };
    if record.bytes == 0 && !matches!(operation, Operation::PingPong | Operation::Collective("barrier")) {
        return Err(format!("{} of 0 bytes", operation.name()));
    }
    let algorithm = match (operation, record.algorithm.as_str()) {
        (_, "" | "default") => None,
        (Operation::PingPong, name) => return Err(format!("pingpong has no algorithm {name}")),
        (Operation::Collective(key), name) => {
            let preset = record.setting.preset().unwrap_or(reading.preset);
            let known = preset.known(key, name).map_err(|wrong| match wrong {
                NameError::Unpublished(_) => format!("{key} {name} {}", wrong.what(key)),
                NameError::OfOthers(others) => {
                    let (here, others) = (preset.name(), others.join(" or "));
                    format!(
                        "{key} has no algorithm {name} with collectives.preset = {here}, but with {others}"
                    )
                }
                _ => format!("{key} has no algorithm {name}"),
            });
            known?;
            // As it is written: the preset gives it the meaning that its library has for it.
            Some(name.replace('_', "-"))
        }
    };
    let Record { line, bytes, seconds, setting, .. } = record;
    let (job, set) = (setting.job(), setting.overrides(operation, reading.is_folded));
    Ok(Row { file: file.to_owned(), line, operation, job, algorithm, bytes, seconds, set })
}

#[cfg(test)]
mod tests;
