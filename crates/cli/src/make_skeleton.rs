//! `weir skeleton make`

use crate::arguments::MakeArgs;
use crate::load;
use crate::say::{print_as, write_file};
use crate::status::refused;
use crate::text::table;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use weir_compiler::Language;
use weir_skeleton::{Block, Form, Skeleton, Stay, probe};

/// Endings of files in other languages, with the language.
const OTHERS: [(&str, &[&str]); 2] = [
    ("C++", &["cc", "cpp", "cxx", "c++", "C", "hpp", "hh"]),
    ("Fortran", &["f", "f90", "f95", "f03", "f08", "for", "F", "F90", "F95", "F03", "F08"]),
];

pub(crate) fn make(args: &MakeArgs) -> anyhow::Result<ExitCode> {
    let outputs = args.output.iter().chain(&args.measure).map(AsRef::as_ref);
    load::spares(std::slice::from_ref(&args.program), outputs)?;
    let mistakes = mistakes(args);
    if !mistakes.is_empty() {
        return Err(refused(mistakes.join("\n\n")));
    }
    let shown = args.program.display().to_string();
    let file =
        std::fs::read_to_string(&args.program).map_err(|error| refused(format!("{shown}: {error}")))?;
    let preprocessed = preprocessed(args, &file)?;
    let skeleton = Skeleton::new(&file, &preprocessed, &args.keep).map_err(|wrong| {
        refused(wrong.iter().map(|wrong| format!("{shown}: {wrong}")).collect::<Vec<_>>().join("\n\n"))
    })?;
    let blocks = skeleton.blocks();
    let times = match args.times.as_deref() {
        Some(path) if path != Path::new("none") => Some(times(path, &blocks)?),
        _ => None,
    };
    let name = args.program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(path) = &args.measure {
        write_file(path, skeleton.written(&name, &Form::Measured))?;
    }
    if let Some(path) = &args.output {
        let form = match args.sample {
            Some(first) => Form::Sampled(first.get()),
            None => Form::Charged(times.clone().unwrap_or_default()),
        };
        write_file(path, skeleton.written(&name, &form))?;
    }
    let made = Made { skeleton, blocks, times };
    print_as(args.json, || made.to_json(), || made.to_text())
}

/// This is what is wrong with the arguments.
fn mistakes(args: &MakeArgs) -> Vec<String> {
    let mut found = Vec::new();
    let ending = args.program.extension().unwrap_or_default().to_string_lossy().into_owned();
    if let Some((language, _)) = OTHERS.iter().find(|(_, endings)| endings.contains(&ending.as_str())) {
        let shown = args.program.display();
        found.push(format!(
            "{shown} is a program in {language}: skeletons are made of programs in C\n\nhint: write the skeleton by hand \
             (docs/guide/skeletons.md)"
        ));
    }
    if args.output.is_some() && args.times.is_none() && args.sample.is_none() {
        found.push(
            "-o: the blocks have no times\n\nhint: --measure FILE writes a program for weir skeleton estimate, whose times are read \
             by --times FILE; --sample N measures while the skeleton runs; --times none charges nothing"
                .to_owned(),
        );
    }
    if args.output.is_some() && args.output == args.measure {
        found.push("-o and --measure name the same file".to_owned());
    }
    found
}

/// The program as the preprocessor of the C compiler sees it, token by token.
fn preprocessed(args: &MakeArgs, file: &str) -> anyhow::Result<String> {
    let folder = args.program.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut options: Vec<OsString> = ["-E", "-dD", "-iquote"].map(Into::into).to_vec();
    options.push(folder.unwrap_or(Path::new(".")).into());
    for (option, values) in [("-D", &args.defines), ("-U", &args.undefines), ("-I", &args.includes)] {
        options.extend(values.iter().map(|value| format!("{option}{value}").into()));
    }
    options.extend(["-x", "c", "-"].map(OsString::from));
    let mut command = weir_compiler::command(Language::C, &options)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let compiler = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().with_context(|| compiler.clone())?;
    let mut input = child.stdin.take().context("the compiler's input")?;
    let text = probe(file);
    // Both at once, since neither side waits for the other.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().with_context(|| compiler.clone())?;
    let _is_read = writer.join();
    if !output.status.success() {
        let (shown, status) = (args.program.display(), output.status);
        return Err(refused(format!("{shown}: {compiler} cannot preprocess it ({status})")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Seconds by block, out of what `weir skeleton estimate --json` prints. Blocks that the program measures by itself, whose names
/// are no places, are its own business.
fn times(path: &Path, blocks: &[Block]) -> anyhow::Result<BTreeMap<String, f64>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| refused(format!("{shown}: {error}")))?;
    let hint = "hint: weir skeleton estimate --json prints such a file";
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        refused(format!("{shown}: line {}: it is no JSON: {error}\n\n{hint}", error.line()))
    })?;
    let Some(rows) = value["blocks"].as_array() else {
        return Err(refused(format!("{shown}: there is no list \"blocks\"\n\n{hint}")));
    };
    let (mut found, mut wrong) = (BTreeMap::new(), Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let (name, seconds) = (row["name"].as_str(), row["mean_s"].as_f64());
        match (name, seconds) {
            (Some(name), Some(seconds)) if seconds >= 0.0 => {
                if name.contains(':') && !blocks.iter().any(|block| block.name == name) {
                    wrong.push(format!("{shown}: blocks[{number}]: the program has no block {name:?}"));
                }
                found.insert(name.to_owned(), seconds);
            }
            _ => wrong.push(format!(
                "{shown}: blocks[{number}]: expected a name, and in mean_s seconds of 0 or more, but there is {row}"
            )),
        }
    }
    if !wrong.is_empty() {
        let hint = "hint: measure anew what --measure writes now: names are functions and lines";
        return Err(refused(format!("{}\n\n{hint}", wrong.join("\n"))));
    }
    Ok(found)
}

/// A skeleton, and what there is to say about it.
struct Made {
    skeleton: Skeleton,
    blocks: Vec<Block>,
    times: Option<BTreeMap<String, f64>>,
}

impl Made {
    fn to_text(&self) -> String {
        let mut text = if self.blocks.is_empty() {
            "  no block is long enough to be left out\n".to_owned()
        } else {
            let head = ["block", "level", "lines", "iterations"];
            let rows = self.blocks.iter().map(|block| {
                let lines = format!("{}-{}", block.first_line, block.last_line);
                let trips = block.trips.clone().unwrap_or_else(|| "1".to_owned());
                [block.name.clone(), block.level.to_string(), lines, trips]
            });
            table(head, rows)
        };
        for Stay { first_line, last_line, why } in self.skeleton.stays() {
            _ = match first_line == last_line {
                true => writeln!(text, "line {first_line} stays: {why}"),
                false => writeln!(text, "lines {first_line} to {last_line} stay: {why}"),
            };
        }
        let short = self.skeleton.short_lines();
        if !short.is_empty() {
            let lines = short.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            _ = writeln!(text, "left out without a charge, being short: lines {lines}");
        }
        for line in self.skeleton.odd_lines() {
            _ = writeln!(text, "line {line} stays: it is not understood");
        }
        for name in self.without_time() {
            _ = writeln!(text, "{name} is charged nothing: it was not executed when times were measured");
        }
        text.push_str(&match self.skeleton.deciding_receive() {
            None => "no message decides by its data: --skeleton-no-data goes with it\n".to_owned(),
            Some(line) => format!("what line {line} receives decides: data must be moved\n"),
        });
        text
    }

    /// Blocks that the times lack, where there are times.
    fn without_time(&self) -> Vec<&str> {
        let Some(times) = &self.times else { return Vec::new() };
        let names = self.blocks.iter().map(|block| block.name.as_str());
        names.filter(|&name| !times.contains_key(name)).collect()
    }

    fn to_json(&self) -> Value {
        let block = |block: &Block| {
            json!({
                "name": block.name,
                "level": block.level,
                "first_line": block.first_line,
                "last_line": block.last_line,
                "iterations": block.trips,
                "seconds": self.times.as_ref().and_then(|times| times.get(&block.name)),
            })
        };
        let stay = |stay: &Stay| json!({ "first_line": stay.first_line, "last_line": stay.last_line, "why": stay.why });
        json!({
            "blocks": self.blocks.iter().map(block).collect::<Vec<_>>(),
            "stays": self.skeleton.stays().iter().map(stay).collect::<Vec<_>>(),
            "short_lines": self.skeleton.short_lines(),
            "not_understood_lines": self.skeleton.odd_lines(),
            "without_time": self.without_time(),
            "deciding_receive_line": self.skeleton.deciding_receive(),
        })
    }
}
