//! Pattern files and profiles, as text and as tables. What is read is written in both forms and reads the same; what is
//! accepted can be run.

use crate::experiments::check_runs;
use crate::scratch;
use std::fs::File;
use weir_experiment::{ExperimentText, Scenario, Source};
use weir_formats::profile::{self, Profile};
use weir_formats::{Format, MistakePlace, PatternFile, ReadError};

/// Any bytes as a pattern in its text form.
pub(crate) fn pattern_text(bytes: &[u8]) {
    pattern(bytes, "x.pattern");
}

/// Any bytes as a table of a pattern.
pub(crate) fn pattern_parquet(bytes: &[u8]) {
    pattern(bytes, "x.parquet");
}

/// Any bytes as a profile in its text form.
pub(crate) fn profile_text(bytes: &[u8]) {
    profile(bytes, "x.profile");
}

/// Any bytes as a table of a profile.
pub(crate) fn profile_parquet(bytes: &[u8]) {
    profile(bytes, "x.parquet");
}

/// Reads a pattern; `None` if it is refused.
pub(crate) fn read_pattern(bytes: &[u8], name: &str) -> Option<PatternFile> {
    accepted(weir_formats::read(&scratch::write(name, bytes)), name)
}

/// What has been read. Refusals say where: which line of a text, which row of a table.
fn accepted<T>(read: Result<T, ReadError>, name: &str) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(ReadError::Mistakes(mistakes)) => {
            let is_text = !name.ends_with("parquet");
            for mistake in mistakes.list() {
                assert!(!mistake.what.is_empty());
                assert!(
                    !is_text || mistake.text.is_empty() || mistake.place != MistakePlace::File,
                    "{mistake:?}"
                );
            }
            None
        }
        Err(other) => {
            assert!(!other.to_string().is_empty());
            None
        }
    }
}

fn pattern(bytes: &[u8], name: &str) {
    let Some(read) = read_pattern(bytes, name) else { return };
    for (format, name) in [(Format::Text, "again.pattern"), (Format::Parquet, "again.parquet")] {
        let path = scratch::path(name);
        let out = File::create(&path).expect("a file in a temporary folder");
        weir_formats::write(format, &read.script, &read.title, out).expect("it can be written");
        let again = weir_formats::read(&path).unwrap_or_else(|error| panic!("not read again: {error}"));
        assert_eq!(again.script, read.script);
        assert_eq!(again.title, one_line(&read.title));
    }
    run("pattern-file", "again.pattern", bytes.len());
}

fn profile(bytes: &[u8], name: &str) {
    let Some(read) = accepted(profile::read(&scratch::write(name, bytes)), name) else { return };
    for (format, name) in [(Format::Text, "again.profile"), (Format::Parquet, "again.parquet")] {
        let path = scratch::path(name);
        let out = File::create(&path).expect("a file in a temporary folder");
        read.write(format, out).expect("it can be written");
        let mut again: Profile =
            profile::read(&path).unwrap_or_else(|error| panic!("not read again: {error}"));
        assert_eq!(again.title, one_line(&read.title));
        again.title.clone_from(&read.title);
        assert_eq!(again, read);
    }
    run("profile", "again.profile", bytes.len());
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the file on one of three machines, twice.
fn run(kind: &str, name: &str, choice: usize) {
    let file = scratch::quoted(&scratch::path(name));
    let torus = "[topology]\nkind = \"torus\"\nshape = [4, 2]\nbandwidth = \"1 GB/s\"\n";
    let machines = [
        "[engine]\nkind = \"ideal\"\nlatency = \"1 us\"\n".to_owned(),
        format!("{torus}[mapping]\nranks_per_node = 4\n"),
        format!("{torus}[engine]\nkind = \"packet\"\n"),
    ];
    let machine = &machines[choice % machines.len()];
    let limits = "[limits]\nwall_time = \"300 ms\"\nsimulated_time = \"1 ms\"\n";
    let text = format!("{machine}{limits}[workload]\nkind = \"{kind}\"\nfile = {file}\n");
    let text = ExperimentText { name: "run.toml".into(), text };
    let source = Source { experiment_text: Some(text), ..Source::default() };
    if let Ok(scenario) = Scenario::load(&source) {
        check_runs(&scenario, &scenario);
    }
}
