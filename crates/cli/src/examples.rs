//! `weir examples` and `weir machines`: what ships with weir.

use crate::arguments::{ExamplesArgs, MachinesArgs};
use crate::say::print;
use crate::status::refused;
use anyhow::Context;
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use weir_experiment::{SHIPPED, Shipped, ShippedKind};

/// All kinds, in the order of the list, with what they are called in JSON and in the list.
const KINDS: [(ShippedKind, &str, &str); 6] = [
    (ShippedKind::Experiment, "experiment", "experiments, for every command that takes one"),
    (ShippedKind::Study, "study", "studies"),
    (ShippedKind::Machine, "machine", "machines, for --machine, too"),
    (ShippedKind::Program, "program", "programs in C; weir examples NAME --copy . writes one"),
    (ShippedKind::Network, "network", "networks"),
    (ShippedKind::Table, "table", "tables and measured times, for the tutorials"),
];

pub(crate) fn examples(args: &ExamplesArgs) -> anyhow::Result<ExitCode> {
    let mut chosen = Vec::new();
    for name in &args.names {
        let found = named(name);
        if found.is_empty() {
            let kinds = KINDS.map(|(kind, ..)| kind);
            return wrong(
                &format!("nothing of the name {name:?} ships with weir"),
                &Shipped::hint(name, &kinds),
            );
        }
        chosen.extend(found);
    }
    match (&args.copy, &chosen[..]) {
        (Some(folder), []) => copy(SHIPPED.iter().collect(), folder),
        (Some(folder), _) => copy(whole(chosen), folder),
        (None, []) if args.json => print(&to_json(&of_kinds(&KINDS), WithText::No)),
        (None, _) if args.json => print(&to_json(&chosen, WithText::Yes)),
        (None, []) => print(&list(&KINDS)),
        (None, [one]) => print(one.text),
        (None, several) => {
            let what = format!("{} files: one is printed at a time", several.len());
            wrong(&what, "weir examples NAMES --copy DIR writes them into a folder")
        }
    }
}

pub(crate) fn machines(args: &MachinesArgs) -> anyhow::Result<ExitCode> {
    let Some(name) = &args.name else {
        let kinds = &KINDS[2..3];
        return print(&if args.json { to_json(&of_kinds(kinds), WithText::No) } else { list(kinds) });
    };
    match Shipped::named(name).filter(|shipped| shipped.kind() == ShippedKind::Machine) {
        Some(machine) if args.json => print(&to_json(&[machine], WithText::Yes)),
        Some(machine) => print(machine.text),
        None => {
            let hint = Shipped::hint(name, &[ShippedKind::Machine]);
            wrong(&format!("no machine {name:?} ships with weir"), &hint)
        }
    }
}

fn wrong(what: &str, hint: &str) -> anyhow::Result<ExitCode> {
    Err(refused(format!("{what}\n\nhint: {hint}")))
}

/// Files that a name stands for: one, or all of a folder.
fn named(name: &str) -> Vec<&'static Shipped> {
    let folder = format!("{}/", name.trim_end_matches('/'));
    let within: Vec<_> = SHIPPED.iter().filter(|shipped| shipped.path.starts_with(&folder)).collect();
    if within.is_empty() { Shipped::named(name).into_iter().collect() } else { within }
}

fn of_kinds(kinds: &[(ShippedKind, &str, &str)]) -> Vec<&'static Shipped> {
    let of_kind = |(kind, ..): &(ShippedKind, &str, &str)| {
        let kind = *kind;
        SHIPPED.iter().filter(move |shipped| shipped.kind() == kind)
    };
    kinds.iter().flat_map(of_kind).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum WithText {
    Yes,
    No,
}

fn to_json(files: &[&Shipped], with: WithText) -> String {
    let object = |shipped: &&Shipped| {
        let kind = KINDS.iter().find(|(kind, ..)| *kind == shipped.kind()).map(|(_, name, _)| *name);
        let mut object = json!({
            "name": shipped.name(), "kind": kind, "path": shipped.path, "about": shipped.about(), "command": shipped.how(),
        });
        if with == WithText::Yes {
            object["text"] = json!(shipped.text);
        }
        object
    };
    format!("{:#}\n", Value::Array(files.iter().map(object).collect()))
}

/// Name, the command that shows or runs it, and a sentence, by kind.
fn list(kinds: &[(ShippedKind, &str, &str)]) -> String {
    let table = |kind: &(ShippedKind, &str, &str)| {
        let title = kind.2;
        let of_kind = of_kinds(&[*kind]);
        let width = of_kind.iter().map(|shipped| shipped.name().len()).max().unwrap_or(0);
        let rows = of_kind.iter().map(|shipped| {
            let (name, about, how) = (shipped.name(), shipped.about(), shipped.how());
            format!("  {name:width$}  {about}\n  {:width$}    {how}\n", "")
        });
        format!("{title}\n{}", rows.collect::<String>())
    };
    kinds.iter().map(table).collect::<Vec<_>>().join("\n")
}

/// Files with those that they name, and so on.
fn whole(mut files: Vec<&'static Shipped>) -> Vec<&'static Shipped> {
    let mut place = 0;
    while let Some(shipped) = files.get(place).copied() {
        let folder = Path::new(shipped.path).parent().unwrap_or(Path::new(""));
        let named = shipped.text.split('"').filter_map(|text| Shipped::at(&folder.join(text)));
        named.for_each(|other| files.extend((!files.contains(&other)).then_some(other)));
        place += 1;
    }
    files
}

/// Writes files into a folder, each at its place there. Of a file that is there and differs nothing is written, and of others neither.
fn copy(files: Vec<&Shipped>, folder: &Path) -> anyhow::Result<ExitCode> {
    let mut missing = Vec::new();
    let mut others = Vec::new();
    for shipped in files.iter().copied() {
        let place = folder.join(shipped.path);
        match fs::read(&place) {
            Ok(there) if there == shipped.text.as_bytes() => {}
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push((place, shipped.text)),
            Ok(_) | Err(_) => others.push(place.display().to_string()),
        }
    }
    if !others.is_empty() {
        let what = format!("{} would be replaced: nothing is written", others.join(", "));
        return wrong(&what, "take another folder, or remove what is there");
    }
    for (place, text) in &missing {
        let begun = place.parent().map_or(Ok(()), fs::create_dir_all);
        begun.and_then(|()| fs::write(place, text)).with_context(|| place.display().to_string())?;
    }
    let there = files.len() - missing.len();
    let before = if there == 0 { String::new() } else { format!(", {there} were there already") };
    let written: Vec<String> = missing.iter().map(|(place, _)| place.display().to_string()).collect();
    let names =
        if (1..=6).contains(&written.len()) { format!(": {}", written.join(", ")) } else { String::new() };
    let files = if written.len() == 1 { "file" } else { "files" };
    eprintln!("{} {files} written into {}{names}{before}", written.len(), folder.display());
    Ok(ExitCode::SUCCESS)
}
