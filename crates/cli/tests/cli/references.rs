//! What programs have printed under a real MPI, kept in `tests/references.csv`: whoever prints the same need not start it again,
//! which takes most of the time of such a comparison. What is not in the table, or prints something else, is compared with the
//! real MPI itself; `WEIR_REFERENCES=write` writes it there. `make soak` does without the table.

use crate::command::{is_long, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

/// For a run of a program, of what sources it is and what it has printed, in hexadecimal digits.
static KNOWN: LazyLock<Mutex<BTreeMap<String, [String; 2]>>> = LazyLock::new(|| {
    let mut reader = csv::Reader::from_path(path()).unwrap();
    let rows = reader.records().map(Result::unwrap);
    Mutex::new(rows.map(|row| (row[0].to_owned(), [row[1].to_owned(), row[2].to_owned()])).collect())
});

fn path() -> PathBuf {
    root().join("tests/references.csv")
}

/// FNV-1a of 64 bits.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Whether a real MPI has printed these lines in this run of a program of these sources.
pub(crate) fn are_known(run: &str, sources: &str, lines: &[String]) -> bool {
    let own = [hash(sources), hash(&lines.join("\n"))];
    !is_long() && KNOWN.lock().unwrap().get(run).is_some_and(|known| *known == own)
}

/// Writes down what it has printed, where that is asked for.
pub(crate) fn record(run: &str, sources: &str, lines: &[String]) {
    if std::env::var_os("WEIR_REFERENCES").is_none_or(|said| said != "write") {
        return;
    }
    let mut known = KNOWN.lock().unwrap();
    known.insert(run.to_owned(), [hash(sources), hash(&lines.join("\n"))]);
    let mut writer = csv::Writer::from_path(path()).unwrap();
    writer.write_record(["run", "sources", "output"]).unwrap();
    for (run, [sources, output]) in &*known {
        writer.write_record([run, sources, output]).unwrap();
    }
    writer.flush().unwrap();
}

/// Nothing stands in the table that is no longer there.
#[test]
fn every_reference_is_of_a_file() {
    for run in KNOWN.lock().unwrap().keys().filter(|run| run.starts_with("tests/")) {
        let file = run.split(' ').next().unwrap_or_default();
        assert!(fs::exists(root().join(file)).unwrap(), "{run}: there is no such file");
    }
}
