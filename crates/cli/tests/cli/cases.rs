//! Commands, and what comes of them: the tables of the folder `cases`.
//!
//! A case has a folder of its own, in which its commands run one after the other: that of the case itself, or those of its
//! `steps`. A table has `files` for each of its cases, and programs that are compiled once: `programs` in C (a text that begins
//! with `@` is a file of the project, one without `#include` the body of `body.c`). What `every` says holds for each step that
//! does not say otherwise.

use crate::command::{
    Ended, check_all, compile_text, compiled, files, root, run_with_input, scratch, weir, with_body,
};
use crate::tables;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Calls that every program makes: rows of calls are without them, and in the order of ranks.
const OF_ALL: [&str; 4] = ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    programs: BTreeMap<String, String>,
    #[serde(default)]
    every: toml::Table,
    case: Vec<toml::Table>,
}

/// A command and what must come of it. Paths into the JSON object on standard output have a `/` between keys.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Step {
    /// Arguments of `weir`, or behind a `!` what a shell runs; `@` is the folder of the project.
    run: String,
    /// The step is repeated with each of these for `{}` in what is run, said and printed; `{0}` and `{1}` are its parts around a `|`.
    with: Vec<String>,
    env: BTreeMap<String, String>,
    /// For `run` and `mpirun`: the results folder.
    out: String,
    input: String,
    /// So many MiB of memory at most.
    memory: Option<u32>,
    code: i32,
    /// Parts of standard error and of standard output, in which blanks count as one; and of neither.
    says: Vec<String>,
    prints: Vec<String>,
    unsaid: Vec<String>,
    stdout: Option<String>,
    stderr: Option<String>,
    /// All lines of standard output, in any order.
    lines: Option<Vec<String>>,
    json: BTreeMap<String, Value>,
    /// What is null, or not there.
    null: Vec<String>,
    /// The least and the greatest value of a number.
    within: BTreeMap<String, [f64; 2]>,
    /// What is as in the first object that this case has printed, and what is not.
    same: Vec<String>,
    other: Vec<String>,
    /// Files into which parts of the object are put.
    saves: BTreeMap<String, String>,
    /// Parts of files that are there then, and files that are not.
    writes: BTreeMap<String, Vec<String>>,
    absent: Vec<String>,
    /// In a file, or `stdout`, or `stderr`, a text is so often.
    count: Vec<(String, String, usize)>,
    /// Rows of a table of the results folder `out`: `name: column column`.
    rows: BTreeMap<String, Vec<String>>,
    /// The first part of `says` is of another tool: its line says which way weir has.
    foreign: bool,
}

/// The words of a command line; those in single quotes are as they stand.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// A text with a variant for `{}`, and its parts between `|` for `{0}` and `{1}`; without a variant the text.
fn filled(text: &str, variant: Option<&String>) -> String {
    let Some(variant) = variant else { return text.to_owned() };
    let (first, second) = variant.split_once('|').unwrap_or((variant, ""));
    text.replace("{}", variant).replace("{0}", first).replace("{1}", second)
}

fn at_root(text: &str) -> String {
    text.replace("@/", &format!("{}/", root().display()))
}

/// A text; behind a `@` that of a file, or of a block of a page: `@docs/page.md toml 0`.
fn text_of(text: &str) -> String {
    let Some(path) = text.strip_prefix('@') else { return at_root(text) };
    let mut words = path.split(' ');
    let whole = fs::read_to_string(root().join(words.next().unwrap())).unwrap();
    let Some(language) = words.next() else { return whole };
    let number: usize = words.next().unwrap().parse().unwrap();
    let blocks: Vec<&str> = whole.split(&format!("```{language}\n")).skip(1).collect();
    blocks[number].split("```").next().unwrap().to_owned()
}

/// A program in C of a table, compiled.
fn build(name: &str, text: &str, folder: &Path) -> Result<(), String> {
    if let Some(path) = text.strip_prefix('@') {
        fs::copy(compiled(&root().join(path)), folder.join(name)).unwrap();
        return Ok(());
    }
    let text = if text.contains("#include") { text.to_owned() } else { with_body(text) };
    compile_text(&text, name, folder);
    Ok(())
}

fn write(folder: &Path, files: &BTreeMap<String, String>) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text_of(text)).unwrap();
    }
}

impl Step {
    fn command(&self, line: &str, folder: &Path) -> Command {
        let line = at_root(line);
        let mut command = match line.strip_prefix('!') {
            Some(line) => {
                let (mut shell, own) = (Command::new("sh"), weir::<&str>([]));
                shell
                    .args(["-c", line])
                    .envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
                let bin = Path::new(own.get_program()).parent().unwrap().display().to_string();
                shell.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
                shell
            }
            None => {
                let mut words = words(&line);
                if !self.out.is_empty() && ["run", "mpirun"].contains(&words[0].as_str()) {
                    words.splice(1..1, ["--out".to_owned(), self.out.clone()]);
                }
                weir(words)
            }
        };
        if let Some(mib) = self.memory {
            let own = command;
            command = Command::new("sh");
            command.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &(mib * 1024).to_string()]);
            command.arg(own.get_program()).args(own.get_args());
            command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        }
        command.envs(&self.env).current_dir(folder);
        command
    }

    /// Runs it once, with `first` for the object that other steps are compared with; what is wrong then.
    fn check(
        &self,
        variant: Option<&String>,
        folder: &Path,
        first: &mut Option<Value>,
    ) -> Result<(), String> {
        let with = |text: &str| filled(text, variant);
        let ended = run_with_input(&mut self.command(&with(&self.run), folder), &self.input);
        let mut wrong = Vec::new();
        if ended.code != self.code {
            wrong.push(format!("exit status {}, not {}", ended.code, self.code));
        }
        self.check_texts(&ended, &with, folder, &mut wrong);
        let object: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        self.check_object(&object, first.as_ref(), &mut wrong);
        for (file, path) in &self.saves {
            fs::write(folder.join(file), at(&object, path).to_string()).unwrap();
        }
        for (asked, expected) in &self.rows {
            let (table, columns) = asked.split_once(": ").unwrap();
            let mut rows = tables::rows(&folder.join("out"), table);
            if table == "calls" {
                rows.retain(|row| !OF_ALL.contains(&row["name"].as_str()));
                rows.sort_by_key(|row| row["rank"].parse::<u32>().unwrap());
            }
            let found = tables::lines(&rows, &columns.split(' ').collect::<Vec<_>>());
            if found != *expected {
                wrong.push(format!("rows of {asked}: {found:#?}"));
            }
        }
        if object.is_object() {
            first.get_or_insert(object);
        }
        let Ended { stdout, stderr, .. } = ended;
        let run = with(&self.run);
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(format!("{run}\n{}\n{stdout}\n{stderr}", wrong.join("\n")))
        }
    }

    fn check_texts(
        &self,
        ended: &Ended,
        with: &dyn Fn(&str) -> String,
        folder: &Path,
        wrong: &mut Vec<String>,
    ) {
        let single = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let has = |text: &str, part: &str| text.contains(part) || single(text).contains(part);
        for (text, parts) in [(&ended.stderr, &self.says), (&ended.stdout, &self.prints)] {
            let missing = parts.iter().map(|part| at_root(&with(part))).filter(|part| !has(text, part));
            wrong.extend(missing.map(|part| format!("missing: {part}")));
        }
        let both = [&*ended.stdout, &ended.stderr].concat();
        wrong.extend(
            self.unsaid.iter().filter(|part| both.contains(&**part)).map(|part| format!("there: {part}")),
        );
        for (name, text, expected) in
            [("stdout", &ended.stdout, &self.stdout), ("stderr", &ended.stderr, &self.stderr)]
        {
            if expected.as_ref().is_some_and(|expected| text_of(expected) != *text) {
                wrong.push(format!("{name} is not {expected:?}"));
            }
        }
        if let Some(mut lines) = self.lines.clone() {
            lines.sort_unstable();
            if ended.sorted_lines() != lines {
                wrong.push(format!("lines are not {lines:#?}"));
            }
        }
        let read = |name: &str| match name {
            "stdout" => ended.stdout.clone(),
            "stderr" => ended.stderr.clone(),
            name => fs::read_to_string(folder.join(name)).unwrap_or_default(),
        };
        for (name, parts) in &self.writes {
            let text = read(name);
            // Of a block of a page each line counts.
            let parts = parts.iter().flat_map(|part| match part.starts_with('@') {
                true => text_of(part).lines().map(str::to_owned).collect(),
                false => vec![part.clone()],
            });
            let missing = parts.filter(|part| !text.contains(part));
            wrong.extend(missing.map(|part| format!("missing in {name}: {part}\n{text}")));
            if !folder.join(name).exists() {
                wrong.push(format!("there is no {name}"));
            }
        }
        let left = self.absent.iter().filter(|name| folder.join(name).exists());
        wrong.extend(left.map(|name| format!("{name} is there")));
        for (name, text, times) in &self.count {
            let found = read(name).matches(text.as_str()).count();
            if found != *times {
                wrong.push(format!("{text:?} is {found} times in {name}, not {times}"));
            }
        }
        if self.foreign && !is_as_of_others(&ended.stderr, &self.says[0]) {
            wrong.push("it does not say which way weir has".to_owned());
        }
    }

    fn check_object(&self, object: &Value, first: Option<&Value>, wrong: &mut Vec<String>) {
        for (path, expected) in &self.json {
            if !equal(at(object, path), expected) {
                wrong.push(format!("{path} = {}, not {expected}", at(object, path)));
            }
        }
        let null = self.null.iter().filter(|path| !at(object, path).is_null());
        wrong.extend(null.map(|path| format!("{path} = {}", at(object, path))));
        for (path, [least, most]) in &self.within {
            let number = at(object, path).as_f64();
            if number.is_none_or(|number| number < *least || number > *most) {
                wrong.push(format!("{path} = {number:?} is not within {least} and {most}"));
            }
        }
        for (paths, expected) in [(&self.same, true), (&self.other, false)] {
            for path in paths {
                let before = first.map_or(&Value::Null, |first| at(first, path));
                if (at(object, path) == before) != expected || before.is_null() {
                    wrong.push(format!("{path} = {}, and before {before}", at(object, path)));
                }
            }
        }
    }
}

/// The part of an object at a path.
fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    let path = if path.is_empty() { String::new() } else { format!("/{path}") };
    object.pointer(&path).unwrap_or(&Value::Null)
}

/// Whether two values are the same, numbers with a fraction to nine digits.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && right.iter().all(|(key, right)| left.get(key).is_some_and(|left| equal(left, right)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        _ if left.is_f64() || right.is_f64() => left
            .as_f64()
            .zip(right.as_f64())
            .is_some_and(|(left, right)| (left - right).abs() <= 1e-9 * right.abs()),
        _ => left == right,
    }
}

/// The answer to a word of another tool is not that to a mistake.
fn is_as_of_others(stderr: &str, word: &str) -> bool {
    let line = stderr.lines().find(|line| line.contains(word));
    let wrong = ["not TOML", "did you mean", "not UTF-8", "unknown key", "must be one of"];
    line.is_some_and(|line| line.contains("weir") || line.contains("--"))
        && !wrong.iter().any(|wrong| stderr.contains(wrong))
}

/// Takes a part of a case, if it is there.
fn take<T: for<'a> Deserialize<'a> + Default>(case: &mut toml::Table, key: &str) -> T {
    case.remove(key).map_or_else(T::default, |value| value.try_into().expect(key))
}

#[track_caller]
fn check(name: &str) {
    let path = root().join("crates/cli/tests/cases").join(name).with_extension("toml");
    let table: Table =
        toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let programs = scratch();
    check_all(&table.programs.iter().collect::<Vec<_>>(), |(name, text)| build(name, text, programs.path()));
    let numbered: Vec<_> = table.case.iter().enumerate().collect();
    check_all(&numbered, |(number, case)| {
        let folder = scratch();
        write(folder.path(), &table.files);
        for program in table.programs.keys() {
            fs::hard_link(programs.path().join(program), folder.path().join(program)).unwrap();
        }
        let mut case = (*case).clone();
        let about: String = take(&mut case, "about");
        write(folder.path(), &take(&mut case, "files"));
        if let Some(experiment) = case.remove("experiment") {
            fs::write(folder.path().join("e.toml"), experiment.as_str().unwrap()).unwrap();
        }
        let mut steps: Vec<toml::Table> = take(&mut case, "steps");
        if steps.is_empty() {
            steps.push(case);
        } else {
            assert!(case.is_empty(), "{name}, {number}, {about}: beside steps there is {case:?}");
        }
        let mut first = None;
        for step in steps {
            let all = table.every.clone().into_iter().chain(step).collect::<toml::Table>();
            let step: Step =
                all.try_into().unwrap_or_else(|error| panic!("{name}, {number}, {about}: {error}"));
            let variants = step.with.iter().map(Some);
            let once = step.with.is_empty().then_some(None);
            for variant in variants.chain(once) {
                step.check(variant, folder.path(), &mut first)
                    .map_err(|wrong| format!("--- {name}, case {number}: {about}\nweir {wrong}"))?;
            }
        }
        Ok(())
    });
}

/// Each expectation finds what is otherwise.
#[test]
fn what_is_otherwise_is_found() {
    let folder = scratch();
    let check = |expected: &str| {
        let step: Step = toml::from_str(&format!("run = 'run --json -q ring'\n{expected}")).unwrap();
        step.check(None, folder.path(), &mut Some(serde_json::json!({ "ranks": 1, "nodes": 128 })))
    };
    assert_eq!(check("same = ['nodes']\nother = ['ranks']\nwithin = { ranks = [1, 128] }"), Ok(()));
    for wrong in [
        "code = 1",
        "says = ['nothing']",
        "prints = ['nothing']",
        "unsaid = ['digest']",
        "stdout = ''",
        "stderr = 'nothing'",
        "lines = []",
        "json = { ranks = 127 }",
        "null = ['ranks']",
        "within = { ranks = [129, 130] }",
        "same = ['ranks']",
        "same = ['nothing']",
        "other = ['nodes']",
        "writes = { nothing = [] }",
        "absent = ['.']",
        "count = [['stdout', 'digest', 0]]",
        "says = ['nothing']\nforeign = true",
    ] {
        assert!(check(wrong).is_err(), "{wrong}");
    }
}

/// A test for each table.
macro_rules! tables {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_table_has_a_test() {
                let files = files(&root().join("crates/cli/tests/cases"), "toml");
            let names = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
            assert_eq!(names.collect::<Vec<_>>(), [$(stringify!($name)),*]);
        }
    };
}

tables! {
    advice
    band
    budget
    calibrate
    callbacks
    calls
    collectives
    command_line
    convert
    extensions
    extrapolation
    foreign
    gpu
    languages
    leaving
    limits_of_programs
    machines
    processes
    programs
    refused
    runs
    shipped
    skeletons
    studies
    why
}
