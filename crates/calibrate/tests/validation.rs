//! The numbers of the machines that ship: a dozen rows of their studies must not get worse unnoticed.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use std::fmt::Write;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weir_calibrate::validation::{Extra, Predicted, Study, Validation, Wanted, validate};

/// By how much an error may be greater than the recorded one.
const SLACK: f64 = 0.02;
/// Study, job, collective, algorithm, bytes and error of each row.
const RECORDED: &str = include_str!("golden/validation.txt");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The study with the rows alone that these lines name.
fn of_rows(study: &str, lines: &[Vec<&str>], folder: &TempDir) -> Validation {
    let mut study = Study::load(&root().join("validation").join(format!("{study}.toml"))).unwrap();
    let text = fs::read_to_string(&study.data).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    let place = |name: &str| head.split(',').position(|column| column == name);
    let is_named = |row: &&str| {
        let fields: Vec<&str> = row.split(',').collect();
        let field = |name: &str| place(name).map(|place| fields[place]);
        let job =
            field("job_shape").map_or_else(|| format!("{}-nodes", field("nodes").unwrap()), str::to_owned);
        let algorithm = field("algorithm").unwrap().replace('_', "-");
        let algorithm = algorithm.strip_prefix(study.prefix.as_str()).unwrap();
        lines.iter().any(|line| {
            [job.as_str(), field("collective").unwrap(), algorithm, field("bytes").unwrap()] == line[1..5]
        })
    };
    let rows: Vec<&str> = rows.lines().filter(is_named).collect();
    assert_eq!(rows.len(), lines.len(), "each line names a row: {lines:?}");
    study.data = folder.path().join("rows.csv");
    fs::write(&study.data, format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    let threads = NonZeroUsize::new(2).unwrap();
    validate(study, Wanted { threads, fit: Extra::Spared, ablations: Extra::Spared }, &|_| ()).unwrap()
}

/// `WEIR_WRITE_GOLDEN=1` records the errors as they are.
#[test]
fn recorded_rows_have_not_become_worse() {
    let folder = TempDir::new().unwrap();
    let lines: Vec<Vec<&str>> = RECORDED.lines().map(|line| line.split_whitespace().collect()).collect();
    let (mut now, mut worse) = (String::new(), false);
    for study in ["fugaku", "marenostrum5"] {
        let mine: Vec<Vec<&str>> = lines.iter().filter(|line| line[0] == study).cloned().collect();
        let validation = of_rows(study, &mine, &folder);
        for line in &mine {
            let predicted = validation.rows.iter().find(|predicted| {
                let row = &predicted.row;
                let job = row.job.replace(' ', "-");
                [job.as_str(), row.operation.name(), row.algorithm.as_deref().unwrap_or_default()]
                    == line[1..4]
                    && row.bytes.to_string() == line[4]
            });
            let error = predicted.map(Predicted::error).unwrap();
            let recorded: f64 = line.get(5).map_or(0.0, |error| error.parse().unwrap());
            worse |= error > recorded + SLACK;
            writeln!(now, "{} {error:.3}", line[..5].join(" ")).unwrap();
        }
    }
    if std::env::var_os("WEIR_WRITE_GOLDEN").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/validation.txt");
        fs::write(file, now).unwrap();
        return;
    }
    assert!(!worse, "recorded:\n{RECORDED}\nnow (WEIR_WRITE_GOLDEN=1 records it):\n{now}");
}

/// Open MPI registers pieces of a long block with the interface again and again, which is not modeled.
#[test]
fn long_reduce_scatters_along_a_ring_take_longer_than_predicted() {
    let folder = TempDir::new().unwrap();
    let row = |bytes: &'static str| vec!["marenostrum5", "32-nodes", "reduce_scatter", "ring", bytes];
    let validation = of_rows("marenostrum5", &[row("67108864"), row("536870912")], &folder);
    let found: Vec<String> = validation.rows.iter().map(|row| format!("{:.1}", 1.0 / row.ratio())).collect();
    assert_eq!(found, ["2.6", "1.7"], "docs/concepts/limitations.md has these numbers");
}
