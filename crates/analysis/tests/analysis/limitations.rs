//! The page of limitations: each of these sentences is on it, or on the page of the model or a reference page, and what it says is so.
//! Who lifts a limit finds the sentence here.
//!
//! Sentences about engines, networks and patterns have a function here that shows them. Others name a test elsewhere (`elsewhere`),
//! where MPI programs, the command, results folders and reports are to be had. The few points that no test can show say why.

mod elsewhere;
mod engines;
mod networks;
mod packets;

use crate::Folder;
use elsewhere::{NOT_SHOWN, elsewhere};
use std::path::{Path, PathBuf};
use weir_experiment::{Problems, Scenario};
use weir_flow::Compare;
use weir_run::{RunOptions, run, run_with};

const SHIFT: &str =
    "[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 1\nmessage_size = '1 MB'\n";
const TORUS: &str = "[topology]\nkind = 'torus'\nshape = [4]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";
const PACKET: &str = "[engine]\nkind = 'packet'\nthreads = 1\n";
const IDEAL: &str = "[engine]\nkind = 'ideal'\nbandwidth = '1 GB/s'\n";
const SYNTHETIC: &str = "[workload]\nkind = 'synthetic'\npattern = 'uniform'\noffered_load = 0.1\nwarmup = '1 us'\nduration = '10 us'\n";

/// An experiment of parts, beside which are these files.
fn load_beside(parts: &[&str], files: &[(&str, &str)]) -> Result<Scenario, Problems> {
    let text = parts.concat();
    let folder = Folder::with(&[files, &[("experiment.toml", text.as_str())]].concat());
    folder.load("experiment.toml")
}

fn load(parts: &[&str]) -> Scenario {
    load_beside(parts, &[]).unwrap_or_else(|problems| panic!("{}\n{problems}", parts.concat()))
}

/// The simulated time in picoseconds.
fn time(parts: &[&str]) -> u64 {
    run(&load(parts), &mut |_| {}).unwrap().summary.simulated.as_ps()
}

/// It is refused for this key, with these words.
#[track_caller]
fn refused(parts: &[&str], key: &str, words: &str) {
    let problems = load_beside(parts, &[]).expect_err(&parts.concat());
    let said = |what: &str| what.contains(words);
    assert!(problems.list().iter().any(|one| one.key == key && said(&one.what)), "{words}: {problems}");
}

/// A run of it is refused, with these words.
#[track_caller]
fn refuses(parts: &[&str], options: RunOptions, words: &str) {
    let refusal =
        run_with(&load(parts), &options, &mut weir_pdes::OneProcess, &mut |_| ()).unwrap_err().to_string();
    assert!(refusal.contains(words), "{refusal}");
}

fn ties() -> RunOptions {
    RunOptions { tie_runs: 2, ..RunOptions::default() }
}

fn compared() -> RunOptions {
    RunOptions { compare: Compare::WithMaxMin, ..RunOptions::default() }
}

/// A sentence of the page, or a part of one, and what shows that it is so.
type Sentence = (&'static str, fn());

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The points of the page, each in one line.
fn points() -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs/concepts/limitations.md")).unwrap();
    let parts = page.split("\n- ").skip(1);
    // A heading ends the last point of a section.
    parts.map(|part| in_one_line(part.split("\n\n").next().unwrap_or_default())).collect()
}

/// Where else a sentence that describes what weir does may be.
const DESCRIPTIONS: [&str; 7] = [
    "concepts/model",
    "guide/checkpoints",
    "guide/faults",
    "guide/planes",
    "reference/experiment-file",
    "reference/pattern-files",
    "reference/results-folder",
];

#[track_caller]
fn is_said<'a>(sentences: impl IntoIterator<Item = &'a str>) {
    let page = |name| in_one_line(&std::fs::read_to_string(root().join(format!("docs/{name}.md"))).unwrap());
    let texts = [points(), DESCRIPTIONS.map(page).to_vec()].concat();
    let gone = |text: &&str| !texts.iter().any(|page| page.contains(*text));
    let gone: Vec<&str> = sentences.into_iter().filter(gone).collect();
    assert!(gone.is_empty(), "no page says any more: {gone:#?}");
}

#[track_caller]
fn check(sentences: &[Sentence]) {
    is_said(sentences.iter().map(|(sentence, _)| *sentence));
    let untrue = sentences.iter().filter(|(_, is_so)| std::panic::catch_unwind(is_so).is_err());
    let untrue: Vec<&str> = untrue.map(|(sentence, _)| *sentence).collect();
    assert!(untrue.is_empty(), "no longer so: {untrue:#?}");
}

#[test]
fn of_engines() {
    check(engines::ENGINES);
}

#[test]
fn of_networks() {
    check(networks::NETWORKS);
}

#[test]
fn of_packets_and_patterns() {
    check(packets::PACKETS);
}

/// The sentence is on the page, and its test is where the list says.
#[test]
fn of_what_other_tests_show() {
    let elsewhere = elsewhere();
    is_said(elsewhere.iter().map(|(sentence, ..)| *sentence));
    let is_there = |file: &str, test: &str| {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let is_of_python = lines.iter().any(|line| line.starts_with(&format!("def {test}(")));
        let cases = lines.iter().filter_map(|line| line.strip_prefix("about = \""));
        if cases.map(|about| about.to_lowercase().replace(' ', "_")).any(|about| about.starts_with(test)) {
            return true;
        }
        let at = lines.iter().position(|line| line.starts_with(&format!("fn {test}(")));
        let is_test = |at: usize| {
            lines[..at].iter().rev().take_while(|line| line.starts_with('#')).any(|&line| line == "#[test]")
        };
        at.map_or(is_of_python && test.starts_with("test_"), is_test)
    };
    let gone: Vec<_> = elsewhere.iter().filter(|(_, file, test)| !is_there(file, test)).collect();
    assert!(gone.is_empty(), "no such tests: {gone:#?}");
}

/// Who writes a point onto the page shows it, or says why no test can.
#[test]
fn every_point_is_shown_or_has_a_reason() {
    let points = points();
    assert!(points.len() > 60, "only {} points found", points.len());
    let here = [engines::ENGINES, networks::NETWORKS, packets::PACKETS].concat();
    let sentences = here.iter().map(|(sentence, _)| *sentence);
    let sentences: Vec<&str> =
        sentences.chain(elsewhere().into_iter().map(|(sentence, ..)| sentence)).collect();
    let is_shown = |point: &str| sentences.iter().any(|sentence| point.contains(sentence));
    let reasons = |point: &str| NOT_SHOWN.iter().filter(|(begin, _)| point.starts_with(begin)).count();
    let wrong = |point: &&String| usize::from(is_shown(point)) + reasons(point) != 1;
    let wrong: Vec<&String> = points.iter().filter(wrong).collect();
    assert!(wrong.is_empty(), "shown by no test, or shown and said to be beyond tests: {wrong:#?}");
    let used = NOT_SHOWN.iter().filter(|(begin, _)| points.iter().any(|point| point.starts_with(begin)));
    assert_eq!(used.count(), NOT_SHOWN.len(), "reasons for points that are not there");
}
