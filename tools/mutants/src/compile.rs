//! Builds the copy; mutants that do not compile are dropped until the rest does.

use crate::rewrite::Rewritten;
use crate::tree::Tree;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An executable with tests.
pub struct TestProgram {
    pub krate: String,
    pub name: String,
    pub path: PathBuf,
    /// Where its tests run: in the folder of their crate.
    pub folder: PathBuf,
}

/// Checks the crates under test until they compile; returns the mutants that do not. What is known of these sources from a
/// run before, in `known`, is not found out again, which would make all files new.
pub fn drop_what_fails(tree: &Tree, packages: &[String], known: &Path) -> Result<BTreeSet<usize>, String> {
    let text = |error: io::Error| error.to_string();
    if let Ok(known) = fs::read_to_string(known)
        && let Ok((of_sources, dropped)) = serde_json::from_str::<(u64, BTreeSet<usize>)>(&known)
        && of_sources == tree.of_sources
    {
        tree.write_crates(&dropped).map_err(text)?;
        return Ok(dropped);
    }
    let mut dropped = BTreeSet::new();
    loop {
        let written = tree.write_crates(&dropped).map_err(|error| error.to_string())?;
        let mut arguments = vec!["check", "--lib"];
        packages.iter().for_each(|package| arguments.extend(["--package", package]));
        let messages = cargo(tree, &arguments)?;
        let errors: Vec<&Value> =
            messages.iter().filter(|message| message["message"]["level"] == "error").collect();
        if errors.is_empty() {
            fs::write(known, json!([tree.of_sources, dropped]).to_string()).map_err(text)?;
            return Ok(dropped);
        }
        let before = dropped.len();
        for error in &errors {
            dropped.extend(blamed(&error["message"], &written));
        }
        eprintln!("{} errors: {} mutants do not compile", errors.len(), dropped.len());
        if dropped.len() == before {
            let texts = errors.iter().filter_map(|error| error["message"]["rendered"].as_str());
            return Err(format!("no mutant is to blame for:\n{}", texts.collect::<String>()));
        }
    }
}

/// Builds the tests of these packages, or of the whole project; returns their executables.
pub fn tests(tree: &Tree, packages: Option<&[String]>) -> Result<Vec<TestProgram>, String> {
    let mut arguments = vec!["test", "--no-run", "--lib", "--bins", "--tests"];
    match packages {
        Some(packages) => packages.iter().for_each(|package| arguments.extend(["--package", package])),
        None => arguments.push("--workspace"),
    }
    let messages = cargo(tree, &arguments)?;
    if let Some(error) = messages.iter().find(|message| message["message"]["level"] == "error") {
        return Err(format!(
            "the tests do not compile: {}",
            error["message"]["rendered"].as_str().unwrap_or_default()
        ));
    }
    let program = |message: &Value| {
        let path = PathBuf::from(message["executable"].as_str()?);
        let manifest = PathBuf::from(message["manifest_path"].as_str()?);
        let folder = manifest.parent()?.to_path_buf();
        let krate = folder.file_name()?.to_str()?.to_string();
        let is_test = message["profile"]["test"] == true;
        let name = message["target"]["name"].as_str()?.to_string();
        is_test.then_some(TestProgram { krate, name, path, folder })
    };
    Ok(messages.iter().filter_map(program).collect())
}

/// Runs cargo in the copy and returns its messages. Lints are off: what is changed need not be neat.
fn cargo(tree: &Tree, arguments: &[&str]) -> Result<Vec<Value>, String> {
    let mut command = Command::new("cargo");
    command.args(arguments).args(["--message-format=json", "--quiet"]).current_dir(&tree.folder);
    command
        .env("RUSTFLAGS", "--cap-lints=allow")
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    command.env("CARGO_TARGET_DIR", tree.folder.with_file_name("target"));
    let mut cargo = command.stdout(Stdio::piped()).spawn().map_err(|error| format!("cargo: {error}"))?;
    let lines = BufReader::new(cargo.stdout.take().expect("it is piped")).lines();
    let messages = lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).collect();
    cargo.wait().map_err(|error| error.to_string())?;
    Ok(messages)
}

/// The mutants that an error is about: those in whose changed text it points; else those whose site is nearest around it;
/// else those in what it points at.
fn blamed(error: &Value, files: &BTreeMap<String, Rewritten>) -> BTreeSet<usize> {
    let mut places = Vec::new();
    for span in error["spans"].as_array().into_iter().flatten() {
        let number = |key: &str| span[key].as_u64().unwrap_or(0) as usize;
        let (start, end) = (number("byte_start"), number("byte_end"));
        if let Some(file) = span["file_name"].as_str().and_then(|name| files.get(name)) {
            places.push((file, start..end, span["is_primary"] == true));
        }
    }
    let mut found = BTreeSet::new();
    for (file, span, _) in &places {
        let inside = file
            .places
            .iter()
            .filter(|(_, changed, _)| changed.start <= span.start && span.end <= changed.end);
        found.extend(inside.map(|(id, ..)| *id));
    }
    for (file, span, is_primary) in &places {
        if found.is_empty() && *is_primary {
            let around =
                file.places.iter().filter(|(_, _, site)| site.start <= span.start && span.end <= site.end);
            let least = around.clone().map(|(_, _, site)| site.len()).min();
            found.extend(around.filter(|(_, _, site)| Some(site.len()) == least).map(|(id, ..)| *id));
        }
    }
    for (file, span, _) in &places {
        if found.is_empty() {
            let within =
                file.places.iter().filter(|(_, _, site)| span.start < site.end && site.start < span.end);
            found.extend(within.map(|(id, ..)| *id));
        }
    }
    found
}
