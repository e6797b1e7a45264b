//! What can be checked of the rules that hold the project together: ARCHITECTURE.md lists them.
//!
//! A rule is a function from a file to the mistakes in it. Each is tried on a text that breaks it, too.

mod circles;
mod prose;
mod surface;

use crate::command::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer files hold a second concept.
const MOST_LINES: usize = 500;
const MOST_LINES_OF_TESTS: usize = 600;
/// Folders that are not of the project's making.
const LEFT_OUT: [&str; 4] = ["target", "results", "__pycache__", "node_modules"];
/// Where programs may print.
const PRINTING: [&str; 6] = ["crates/cli/", "tools/", "/tests/", "/benches/", "/examples/", "/build.rs"];
/// Where `unsafe` is allowed.
const UNSAFE: [&str; 10] = [
    "crates/coroutine/",
    "crates/capi/",
    "crates/abi/",
    "crates/transport/",
    "crates/backend/src/c.rs",
    "crates/gpu/src/cuda",
    "crates/gpu/src/kernels.rs",
    "crates/packet/tests/packet/flat/host.rs",
    "crates/compiler/src/tests",
    "tools/mutants/",
];
/// The engines, which know no MPI.
const ENGINES: [&str; 4] =
    ["crates/causes/src/", "crates/network/src/", "crates/flow/src/", "crates/packet/src/"];

/// What each crate may use of the others: arrows point one way.
const ARROWS: &str = "\
abi: capi
units:
operations: units
coroutine:
causes: units
network: causes pdes units
topology: units
flow: network topology units
pdes: units
transport: pdes
packet: network pdes topology units
workload: network operations topology units
columns: units
formats: columns operations units workload
gpu: network packet
collectives: operations units
extrapolate: formats message operations units
foreign: formats operations topology units workload
message: collectives network operations units
replay: collectives message network formats operations units
record: columns network units
profiler: capi formats operations units
capi: collectives coroutine message network operations units
compiler: capi
experiment: capi collectives flow foreign formats message network operations packet record replay topology units workload
run: capi collectives experiment flow formats gpu message network operations packet pdes record replay topology units workload
analysis: collectives experiment formats network record run topology units workload
picture:
skeleton:
calibrate: analysis collectives experiment message network picture run units
backend: experiment foreign message network run units
python: backend columns experiment network picture record run transport units
cli: analysis calibrate capi compiler experiment extrapolate flow foreign formats network operations picture profiler record run skeleton topology transport units workload
";

/// The crates, and what each may use.
fn arrows() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let split = ARROWS.lines().filter_map(|line| line.split_once(':'));
    split.map(|(name, used)| (name, used.split_whitespace().collect()))
}

/// A text file of the project: its path from the project's folder, and what is in it.
struct Text {
    path: String,
    content: String,
}

impl Text {
    fn is(&self, extension: &str) -> bool {
        self.path.strip_suffix(extension).is_some_and(|rest| rest.ends_with('.'))
    }

    fn is_source(&self) -> bool {
        ["rs", "py", "c", "h"].iter().any(|extension| self.is(extension))
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.contains(place))
    }

    /// The lines, without line comments in Rust; with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.content.lines().map(|line| line.split("//").next().unwrap_or_default());
        (1..).zip(lines)
    }

    /// A mistake in every line of code with one of the words in it, as whole words.
    fn words(&self, words: &[&str], what: &str) -> Vec<String> {
        let holds = |line: &str| words.iter().any(|word| has_word(line, word));
        let found = self.code().filter(|(_, line)| holds(line));
        found.map(|(number, _)| format!("{}:{number}: {what}", self.path)).collect()
    }
}

fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + word.len()..]);
        !before.ends_with(part_of_name) && !after.starts_with(part_of_name)
    })
}

type Rule = fn(&Text) -> Vec<String>;

/// Every rule of single files, with a text that breaks it. The words are put together here, because this file obeys the
/// rules as well.
const RULES: [(&str, Rule, &str, &str); 13] = [
    ("short enough", short_enough, "a/b.rs", "LINES"),
    ("no blanks at the ends of lines", no_blanks_at_ends, "a.md", "word \n"),
    ("no tabs", no_tabs, "a.py", "\tx\n"),
    ("no work left over", nothing_left_over, "a/b.rs", concat!("x // TO", "DO: y\n")),
    ("no ignored tests", nothing_left_over, "a/b.rs", concat!("#[ig", "nore]\n")),
    ("raw memory at home", unsafe_at_home, "crates/flow/src/a.rs", concat!("let x = un", "safe { y };\n")),
    ("printing at home", printing_at_home, "crates/flow/src/a.rs", concat!("print", "ln!(\"x\");\n")),
    (
        "order of iteration",
        stable_iteration,
        "crates/cli/src/a.rs",
        concat!("use std::collections::Hash", "Map;\n"),
    ),
    ("engines know no MPI", engines_know_no_mpi, "crates/flow/src/a.rs", "fn mpi_send() {}\n"),
    ("no examples that no test runs", no_doctests, "crates/flow/src/a.rs", "/// ```\n/// f();\n/// ```\n"),
    ("doc lines are sentences", prose::fragments, "crates/x/src/a.rs", "    //! As it was.\n"),
    ("programs are no persons", prose::personified, "docs/a.md", "A rank wants `tell` of nobody.\n"),
    ("no paths of one computer", no_paths_of_one_computer, "docs/a.md", concat!("see /ho", "me/me/x\n")),
];

/// `make test` does not look for tests in doc comments, which takes half a minute; so nothing there may look like one.
fn no_doctests(text: &Text) -> Vec<String> {
    let fences = (1..).zip(text.content.lines()).filter_map(|(number, line)| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
        comment.trim_start().strip_prefix("```").map(|language| (number, language))
    });
    let opening = fences.step_by(2).filter(|(_, language)| text.is("rs") && language.is_empty());
    opening
        .map(|(number, _)| format!("{}:{number}: an example in a doc comment; write ```text", text.path))
        .collect()
}

fn short_enough(text: &Text) -> Vec<String> {
    let lines = text.content.lines().count();
    let most = if text.path.contains("tests") { MOST_LINES_OF_TESTS } else { MOST_LINES };
    // Classes made of a schema are as many as it has tables.
    let is_made = text.content.lines().next().is_some_and(|first| first.ends_with("writes this file.\"\"\""));
    let too_long = text.is_source() && !text.path.starts_with("include/") && !is_made && lines > most;
    too_long
        .then(|| format!("{}: {lines} lines; look for the second concept", text.path))
        .into_iter()
        .collect()
}

fn no_blanks_at_ends(text: &Text) -> Vec<String> {
    let lines = (1..).zip(text.content.lines()).filter(|(_, line)| line.ends_with([' ', '\t', '\r']));
    lines.map(|(number, _)| format!("{}:{number}: ends with a blank", text.path)).collect()
}

fn no_tabs(text: &Text) -> Vec<String> {
    let lines = (1..).zip(text.content.lines()).filter(|(_, line)| line.contains('\t'));
    let mistakes = lines.map(|(number, _)| format!("{}:{number}: a tab", text.path));
    if text.path.ends_with("Makefile") { Vec::new() } else { mistakes.collect() }
}

fn nothing_left_over(text: &Text) -> Vec<String> {
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("to", "do!"),
        concat!("un", "implemented!"),
        concat!("#[ig", "nore"),
        concat!("db", "g!"),
    ];
    let lines = (1..).zip(text.content.lines());
    let found = lines.filter(|(_, line)| text.is_source() && words.iter().any(|word| line.contains(word)));
    found.map(|(number, _)| format!("{}:{number}: something left to do", text.path)).collect()
}

fn unsafe_at_home(text: &Text) -> Vec<String> {
    if !text.is("rs") || text.is_in(&UNSAFE) {
        return Vec::new();
    }
    text.words(&[concat!("un", "safe")], "only crates/coroutine and crates/capi may do that")
}

fn printing_at_home(text: &Text) -> Vec<String> {
    if !text.is("rs") || text.is_in(&PRINTING) {
        return Vec::new();
    }
    let macros =
        [concat!("print", "ln!"), concat!("eprint", "ln!"), concat!("pri", "nt!"), concat!("epri", "nt!")];
    text.words(&macros, "only the command prints")
}

fn stable_iteration(text: &Text) -> Vec<String> {
    if !text.is("rs") {
        return Vec::new();
    }
    let words = [concat!("Hash", "Map"), concat!("Hash", "Set")];
    text.words(&words, "the order of its elements changes from run to run")
}

fn engines_know_no_mpi(text: &Text) -> Vec<String> {
    if !text.is("rs") || !text.is_in(&ENGINES) {
        return Vec::new();
    }
    let names = |line: &str| line.contains("MPI") || has_word(&line.replace('_', " "), "mpi");
    let found = text.code().filter(|(_, line)| names(line));
    found.map(|(number, _)| format!("{}:{number}: engines know no MPI", text.path)).collect()
}

fn no_paths_of_one_computer(text: &Text) -> Vec<String> {
    let places = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Use", "rs/")];
    let lines =
        (1..).zip(text.content.lines()).filter(|(_, line)| places.iter().any(|place| line.contains(place)));
    lines.map(|(number, _)| format!("{}:{number}: a path of one computer", text.path)).collect()
}

/// The paths of all files of the project.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().unwrap();
        let hidden = name.starts_with('.') && name != ".ci";
        if kind.is_dir() && !hidden && !LEFT_OUT.contains(&name.as_str()) {
            found.extend(paths(&entry.path()));
        } else if kind.is_file() && !hidden {
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    found
}

/// All text files of the project.
fn texts() -> Vec<Text> {
    let root = root();
    let text = |path: &PathBuf| {
        let content = String::from_utf8(fs::read(path).unwrap()).ok()?;
        let path = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        (!path.ends_with(".lock") && !content.contains('\0')).then_some(Text { path, content })
    };
    paths(&root).iter().filter_map(text).collect()
}

#[test]
fn all_files_obey_the_rules() {
    let texts = texts();
    assert!(texts.len() > 100, "only {} files found", texts.len());
    let mistakes: Vec<String> =
        texts.iter().flat_map(|text| RULES.iter().flat_map(|rule| rule.1(text))).collect();
    assert!(mistakes.is_empty(), "{} mistakes\n{}", mistakes.len(), mistakes.join("\n"));
}

#[test]
fn every_rule_can_be_broken() {
    for (name, rule, path, content) in RULES {
        let content = content.replace("LINES", &"x\n".repeat(MOST_LINES + 1));
        let mistakes = rule(&Text { path: path.into(), content });
        assert_eq!(mistakes.len(), 1, "{name}: {mistakes:?}");
        assert!(mistakes[0].starts_with(path), "{name}: {mistakes:?}");
    }
    let harmless = [
        ("crates/flow/src/a.rs", "// MPI_Send, println! and HashMap in a comment; compile\n"),
        ("crates/capi/src/a.rs", concat!("un", "safe { x }\n")),
        ("crates/flow/tests/a.rs", concat!("print", "ln!(\"x\");\n")),
        ("Makefile", "a:\n\tb\n"),
        ("crates/x/src/a.rs", "let told = 1;\n/// Whatever.\n/// Sooner.\n// Of it.\n/// A list of what.\n"),
        ("crates/x/src/a/tests.rs", "/// What it is told.\n"),
        ("crates/message/src/a.rs", "// To nobody.\n"),
        ("CHANGELOG.md", "It tells.\n"),
    ];
    for (path, content) in harmless {
        let text = Text { path: path.into(), content: content.into() };
        let mistakes: Vec<String> = RULES.iter().flat_map(|rule| rule.1(&text)).collect();
        assert!(mistakes.is_empty(), "{mistakes:?}");
    }
}

/// The crates of ours that a Cargo.toml names: those it uses, and those only its tests use.
fn uses(manifest: &str) -> (Vec<String>, Vec<String>) {
    let (mut used, mut tested) = (Vec::new(), Vec::new());
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if let Some(rest) = line.strip_prefix("weir-") {
            let name = rest.split(['.', ' ', '=']).next().unwrap_or_default().to_owned();
            match section {
                "[dev-dependencies]" => tested.push(name),
                _ => used.push(name),
            }
        }
    }
    (used, tested)
}

#[test]
fn arrows_point_one_way() {
    let mut crates: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort_unstable();
    for path in crates {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(manifest) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let allowed = arrows().find(|(known, _)| *known == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("say in ARROWS what crates/{name} may use"));
        let (used, tested) = uses(&manifest);
        for other in &used {
            assert!(allowed.contains(&other.as_str()), "{name} must not use {other}");
        }
        assert!(!used.iter().chain(&tested).any(|other| other == "cli"), "{name}: nothing uses the command");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{name} does not take the lints of the workspace"
        );
    }
    let manifest = "[dependencies]\nweir-a.workspace = true\nlibc = \"1\"\n[dev-dependencies]\nweir-b = { path = \"b\" }\n";
    assert_eq!(uses(manifest), (vec!["a".to_owned()], vec!["b".to_owned()]));
}
