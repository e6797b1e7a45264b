//! What targets make of rows that are made up.

use super::*;
use crate::measured::{LeftOut, Operation, Row};

fn study(text: &str) -> Study {
    study::read_for_tests(text).unwrap()
}

fn row(job: &str, algorithm: &str, bytes: u64, ratio: f64) -> Predicted {
    let row = Row {
        file: String::new(),
        line: 1,
        operation: Operation::Collective("bcast"),
        job: job.to_owned(),
        algorithm: (algorithm != "default").then(|| algorithm.to_owned()),
        bytes,
        seconds: 1e-3,
        set: Vec::new(),
    };
    let standing = if algorithm == "default" { Standing::LibraryChoice } else { Standing::Counts };
    Predicted { row, seconds: 1e-3 * ratio, standing, calibrates: job == "2x2x2", chosen: Vec::new() }
}

fn validation(rows: Vec<Predicted>) -> Validation {
    let text = "title = 't'\nsource = 's'\ndata = 'd.csv'\nmachine = 'm.toml'\nlarge_from = '1 KiB'\n\
                [calibration]\njobs = ['2x2x2']\n\
                [[target]]\nname = 'median'\ngoal = 'median'\nat_most = 0.05\n\
                [[target]]\nname = 'large'\nfrom = '1 KiB'\ngoal = 'rows-within'\nwithin = 0.2\nat_least = 0.75\n\
                [[target]]\nname = 'best'\njobs = ['4x4x4']\ngoal = 'best-within'\nwithin = 0.1\nat_least = 0.9\n";
    Validation {
        study: study(text),
        rows,
        left_out: LeftOut::default(),
        parameters: Vec::new(),
        fit: None,
        without: Vec::new(),
    }
}

/// Rows that keys were chosen by are in no target, and a line of their own says of which keys; those of the fit stay those of the fit.
#[test]
fn rows_that_keys_were_chosen_by_are_no_predictions() {
    let text = "title = 't'\nsource = 's'\ndata = 'd.csv'\nmachine = 'm.toml'\n[calibration]\njobs = ['2x2x2']\n\
                [[chosen]]\njobs = ['2x2x2', '4x4x4']\nfrom = '1 KiB'\nalgorithms = ['ring', 'linear_sync']\nkeys = ['a.b', 'c.d']\n";
    let chosen = study(text).chosen.remove(0);
    let of = |job, algorithm, bytes| chosen.have(&row(job, algorithm, bytes, 1.0).row);
    assert!(of("4x4x4", "ring", 1024) && of("4x4x4", "linear-sync", 4096) && of("2x2x2", "ring", 1024));
    assert!(!of("4x4x4", "ring", 1023) && !of("4x4x4", "chain", 4096) && !of("8x8x8", "ring", 1024));
    assert!(!of("4x4x4", "default", 4096));
    let by = |predicted: Predicted| Predicted { chosen: chosen.keys.clone(), ..predicted };
    let found = validation(vec![
        row("2x2x2", "binomial", 4096, 9.0),
        by(row("4x4x4", "ring", 4096, 9.0)),
        row("4x4x4", "binomial", 4096, 1.04),
    ]);
    assert_eq!(found.reached()[0].of, 1);
    let roles: Vec<_> = found.jobs_table().rows.into_iter().map(|row| row[..4].join(", ")).collect();
    let expected = [
        "2x2x2, all, fitted to, 1",
        "2x2x2, from 1 KiB, fitted to, 1",
        "4x4x4, all, chosen by: a.b, c.d, 1",
        "4x4x4, all, predicted, 1",
        "4x4x4, from 1 KiB, chosen by: a.b, c.d, 1",
        "4x4x4, from 1 KiB, predicted, 1",
    ];
    assert_eq!(roles, expected);
    assert!(study::read_for_tests(&text.replace("keys = ['a.b', 'c.d']\n", "")).is_err());
}

/// Of 4x4x4 the errors are 1 %, 4 %, 30 % and, of large rows, 4 % and 30 %; rows that calibrate and the library's choice are in no number.
#[test]
fn targets_are_judged_by_rows_that_were_not_fitted_to() {
    let found = validation(vec![
        row("2x2x2", "binomial", 4096, 9.0),
        row("4x4x4", "default", 4096, 9.0),
        row("4x4x4", "binomial", 64, 1.01),
        row("4x4x4", "binomial", 4096, 0.96),
        row("4x4x4", "chain", 4096, 1.3),
    ]);
    let reached: Vec<_> =
        found.reached().into_iter().map(|reached| (reached.of, reached.value, reached.is_met())).collect();
    let rounded = |value: Option<f64>| value.map(|value| (value * 1e6).round() / 1e6);
    let reached: Vec<_> = reached.into_iter().map(|(of, value, met)| (of, rounded(value), met)).collect();
    assert_eq!(reached, [(3, Some(0.04), true), (2, Some(0.5), false), (1, Some(1.0), true)]);
    let table = found.targets_table();
    assert_eq!(table.rows[1][3..], ["50.0 %", "missed"]);
    assert_eq!(found.jobs_table().rows.len(), 4);
    assert_eq!(found.jobs_table().rows[2][..5], ["4x4x4", "all", "predicted", "3", "4.0 %"]);
}

#[test]
fn nothing_to_judge_is_not_met() {
    let found = validation(vec![row("2x2x2", "binomial", 4096, 1.0)]);
    assert!(found.reached().iter().all(|reached| !reached.is_met() && reached.value.is_none()));
    assert_eq!(found.targets_table().rows[0][4], "nothing to judge");
}

#[test]
fn tables_pictures_and_rows_have_what_was_found() {
    let found = validation(vec![row("4x4x4", "binomial", 64, 0.5), row("4x4x4", "binomial", 4096, 1.25)]);
    let csv = found.to_csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[1], "1,4x4x4,bcast,binomial,64,1000000,500000,0.5000,0.5000,2.0000,no,");
    let markdown = found.jobs_table().to_markdown();
    assert!(markdown.starts_with("## By job\n\n"), "{markdown}");
    assert!(markdown.contains("| 4x4x4 | from 1 KiB | predicted | 1 | 25.0 % |"), "{markdown}");
    let curves = curves::curves(&found, "bcast").unwrap();
    assert_eq!((curves.matches("<polyline").count(), curves.matches("r=\"3.5\" fill-").count()), (1, 0));
    assert_eq!(curves.matches(" %</title>").count(), 2, "{curves}");
    assert!(found.picture().contains("4x4x4, bcast binomial, 64 B: -50.0 %"));
    assert_eq!(curves::curves(&found, "gather"), None);
}
