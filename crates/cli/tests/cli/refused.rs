//! Wrong input is refused with everything that is wrong, and nothing is written: the cases of refused.toml.

use crate::command::{check_all, root, run, scratch, weir};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;

#[derive(Deserialize)]
struct Refused {
    files: BTreeMap<String, String>,
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
struct Case {
    #[serde(default = "run_it")]
    run: String,
    experiment: Option<String>,
    #[serde(default)]
    foreign: bool,
    says: Vec<String>,
}

fn run_it() -> String {
    "run -q e.toml".to_owned()
}

/// The words of a command line; those in single quotes are as they stand, and `@` is the folder of the project.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(|word| word.replace('@', &root().display().to_string())).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The answer to a word of another tool is not that to a mistake.
fn is_as_of_others(stderr: &str, word: &str) -> bool {
    let line = stderr.lines().find(|line| line.contains(word));
    let wrong = ["not TOML", "did you mean", "not UTF-8", "unknown key", "must be one of"];
    line.is_some_and(|line| line.contains("weir") || line.contains("--"))
        && !wrong.iter().any(|wrong| stderr.contains(wrong))
}

#[test]
fn wrong_input_is_refused_with_everything_that_is_wrong() {
    let refused: Refused = toml::from_str(include_str!("refused.toml")).expect("refused.toml");
    check_all(&refused.case, |case| {
        let folder = scratch();
        for (name, text) in &refused.files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        if let Some(text) = &case.experiment {
            fs::write(folder.path().join("e.toml"), text).unwrap();
        }
        let mut words = words(&case.run);
        if ["run", "mpirun"].contains(&words[0].as_str()) {
            words.splice(1..1, ["--out".to_owned(), "results".to_owned()]);
        }
        let ended = run(weir(words).current_dir(folder.path()));
        let unsaid: Vec<_> = case.says.iter().filter(|text| !ended.stderr.contains(*text)).collect();
        let wrote = folder.path().join("results").exists();
        let is_right = !case.foreign || is_as_of_others(&ended.stderr, &case.says[0]);
        if ended.code == 2 && unsaid.is_empty() && ended.stdout.is_empty() && !wrote && is_right {
            return Ok(());
        }
        Err(format!(
            "{case:?}: exit status {}, unsaid {unsaid:?}, results written: {wrote}\n{}{}",
            ended.code, ended.stdout, ended.stderr
        ))
    });
    let usage = run(&mut weir::<&str>([])).expect(2);
    assert!(usage.stderr.contains("Usage") && usage.stdout.is_empty(), "{}", usage.stderr);
}
