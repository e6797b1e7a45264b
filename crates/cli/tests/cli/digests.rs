//! The digest of every experiment of the documentation, the examples, the papers and the benches, in one table:
//! `tests/digests.csv`. What is built anew must not move them.
//!
//! A digest that has changed for a good reason is written anew by `WEIR_DIGESTS=write`: its row then has no reason any more,
//! and the tests fail until somebody has written there why it changed. The changelog says it too.

use crate::command::{check_all, files, root, run, weir};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a row says: the digest, the simulated time in picoseconds, and why they are no longer what they were once.
type Row = [String; 3];

const HEADER: [&str; 4] = ["experiment", "digest", "simulated_ps", "reason"];

fn path() -> PathBuf {
    root().join("tests/digests.csv")
}

fn read() -> BTreeMap<String, Row> {
    let mut reader = csv::Reader::from_path(path()).unwrap();
    assert_eq!(reader.headers().unwrap(), HEADER.as_slice());
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| (row[0].to_owned(), [&row[1], &row[2], &row[3]].map(str::to_owned))).collect()
}

fn write(rows: &BTreeMap<String, Row>) {
    let mut writer = csv::Writer::from_path(path()).unwrap();
    writer.write_record(HEADER).unwrap();
    for (name, [digest, time, reason]) in rows {
        writer.write_record([name, digest, time, reason]).unwrap();
    }
    writer.flush().unwrap();
}

/// Whether this run has the digest that the table has for `name`, a path in the project and whatever distinguishes experiments of a
/// file apart.
pub(crate) fn check(name: &str, summary: &Value) -> Result<(), String> {
    static TABLE: Mutex<()> = Mutex::new(());
    let _alone = TABLE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let own =
        [summary["digest"].as_str().unwrap_or_default().to_owned(), summary["simulated_ps"].to_string()];
    let mut rows = read();
    match rows.get(name) {
        Some([_, _, reason]) if reason.is_empty() => Err(format!(
            "{name}: write into tests/digests.csv why its digest has changed, and into the changelog"
        )),
        Some([digest, time, _]) if own == [digest.clone(), time.clone()] => Ok(()),
        known if std::env::var_os("WEIR_DIGESTS").is_some_and(|said| said == "write") => {
            let reason = if known.is_some() { "" } else { "first" };
            let [digest, time] = own;
            rows.insert(name.to_owned(), [digest, time, reason.to_owned()]);
            write(&rows);
            Ok(())
        }
        Some([digest, time, _]) => Err(format!(
            "{name}: digest {} and {} ps, in tests/digests.csv {digest} and {time} ps; if this is meant, \
             WEIR_DIGESTS=write writes it there",
            own[0], own[1]
        )),
        None => Err(format!("{name} is not in tests/digests.csv: WEIR_DIGESTS=write writes it there")),
    }
}

/// The name of a file in the table.
pub(crate) fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// What makes an experiment of a paper small enough for a test.
const SMALLER: [(&str, &str); 2] =
    [("large.toml", "workload.message_size=256 B"), ("small.toml", "workload.message_size=64 KiB")];

/// Those of paper 001 are programs of which the computer's own time is measured.
#[test]
fn the_experiments_of_the_papers_run() {
    let papers = root().join("papers");
    let folders = std::fs::read_dir(&papers).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir() && !path.ends_with("001-psi-sim"));
    let experiments: Vec<PathBuf> = folders.flat_map(|folder| files(&folder, "toml")).collect();
    assert!(experiments.len() >= 10, "{experiments:?}");
    check_all(&experiments, |path| {
        let smaller = SMALLER.iter().find(|(file, _)| path.ends_with(file)).map(|(_, setting)| *setting);
        let mut command = weir(["run", "--json"]);
        smaller.iter().for_each(|setting| _ = command.args(["--set", setting]));
        let ended = run(command.arg(path)).expect(0);
        let setting = smaller.map(|setting| format!("#{setting}")).unwrap_or_default();
        check(&format!("{}{setting}", name(path)), &ended.summary())
    });
}

/// Nothing stands in the table that is no longer there.
#[test]
fn every_row_is_of_a_file() {
    for (name, row) in read() {
        let file = name.split('#').next().unwrap_or_default();
        assert!(root().join(file).is_file(), "{name}: there is no such file");
        assert!(!row[2].is_empty(), "{name}: why has it changed?");
    }
}
