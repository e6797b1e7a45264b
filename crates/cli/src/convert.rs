//! `weir convert`: files of other tools become files of weir, and the other way around.

use crate::arguments::ConvertArgs;
use crate::load;
use crate::say::print_as;
use crate::status::{OrRefused, refused};
use crate::text::{plain, table};
use anyhow::{Context, Result};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use weir_experiment::{GraphFormat, Problem, Problems, is_work, read_foreign, write_graph, write_routes};
use weir_foreign::{
    FORMATS, Format, Given, Imported, Keys, Mistake, Reader, Skipped, Takes, Writer, Written,
};
use weir_formats::graph::{self, GraphFile};
use weir_record::write_whole;
use weir_topology::Topology;
use weir_units::parse;
use weir_workload::Script;

/// A file with more routes is of no use.
const MOST_ROUTES: u64 = 200_000_000;

/// The content of a file, by kind.
enum Made {
    Machine { machine: Arc<Topology>, has_routes: bool },
    Pattern(Script),
    Keys(Keys),
    Work(GraphFile),
}

/// The kind of thing that a file is made into.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Machine,
    Pattern,
    Keys,
    Work,
}

impl Made {
    const fn kind(&self) -> Kind {
        match self {
            Self::Machine { .. } => Kind::Machine,
            Self::Pattern(_) => Kind::Pattern,
            Self::Keys(_) => Kind::Keys,
            Self::Work(_) => Kind::Work,
        }
    }
}

/// The format of the file to write.
enum Target {
    Graph(GraphFormat),
    Foreign(&'static Format),
    /// A pattern, or a graph of work as a table.
    Pattern(weir_formats::Format),
    Keys,
    Work,
}

pub(crate) fn convert(args: &ConvertArgs) -> Result<ExitCode> {
    if args.formats {
        return print_as(args.json, as_json, as_table);
    }
    let (Some(input), Some(out)) = (&args.input, &args.out) else {
        return Err(refused("name the file to read and the file to write: weir convert IN OUT"));
    };
    let given = Given {
        bandwidth: args.bandwidth.as_deref().map(parse::bandwidth).transpose().or_refused()?,
        latency: args.latency.as_deref().map(parse::duration).transpose().or_refused()?,
        speed: args.speed.as_deref().map(speed_of).transpose()?,
        message_size: args.message_size.as_deref().map(parse::bytes).transpose().or_refused()?,
        ranks: args.ranks,
        group: args.group,
        skip: args.skip,
        ..Given::default()
    };
    load::spares(std::slice::from_ref(input), [out.as_path()])?;
    let target = target(args.to.as_deref(), out)?;
    let made = read(input, args.from.as_deref(), given, &target)?;
    write(&made, &target, out, args)?;
    if !matches!(target, Target::Foreign(Format { writer: Some(Writer::Ranks { .. }), .. })) {
        eprintln!("written: {}", out.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn speed_of(text: &str) -> Result<f64> {
    let what =
        || refused(format!("--speed: {text:?} is no speed of a host, such as 1Gf: operations in a second"));
    weir_foreign::speed(text).ok_or_else(what)
}

fn named(name: &str) -> Result<&'static Format> {
    let known = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    weir_foreign::named(name).ok_or_else(|| refused(format!("{name:?} is no format; known are {}", known())))
}

fn target(to: Option<&str>, out: &Path) -> Result<Target> {
    let shown = out.display();
    if let Some(name) = to {
        let format = named(name)?;
        if format.writer.is_none() {
            return Err(refused(format!("{name} is read, and not written (weir convert --formats)")));
        }
        return Ok(Target::Foreign(format));
    }
    let ending = out.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if let Some(format) = GraphFormat::of(out) {
        return Ok(Target::Graph(format));
    }
    if let Some(format) = weir_formats::Format::of_pattern(out) {
        return Ok(Target::Pattern(format));
    }
    match ending {
        "toml" => return Ok(Target::Keys),
        "graph" => return Ok(Target::Work),
        _ => {}
    }
    weir_foreign::by_ending(out).map(Target::Foreign).ok_or_else(|| {
        refused(format!(
            "{shown}: the ending says what is written: .graphml, .json or .csv a graph, .pattern or .parquet a pattern, .graph or .parquet a graph of work, .toml keys, and of other tools those \
             of weir convert --formats; or name a format with --to"
        ))
    })
}

fn read(input: &Path, from: Option<&str>, given: Given, target: &Target) -> Result<Made> {
    let format = match from {
        Some(name) => Some(named(name)?),
        None => weir_foreign::recognize(input),
    };
    let takes = match format.and_then(|format| format.reader) {
        Some(Reader::Work(reader)) => reader.takes(),
        _ => None,
    };
    needed(input, takes, given)?;
    // A file may take minutes to be read: what cannot be written of it is refused before.
    if let Some(kind) = kind_of(input, format) {
        target.takes(kind).then_some(()).ok_or_else(|| no_such(kind, input))?;
    }
    let Some(format) = format else { return of_weir(input, given) };
    if let Some(Reader::Work(reader)) = format.reader {
        return work(input, reader.read(input, given));
    }
    let text = std::fs::read(input)
        .with_context(|| input.display().to_string())
        .map_err(|error| refused(format!("{error:#}")))?;
    let text = String::from_utf8(text).map_err(|_| refused(format!("{}: is not UTF-8", input.display())))?;
    let name = input.display().to_string();
    let own = |mistakes| problems(&name, mistakes);
    match format.reader {
        Some(Reader::Machine(reader)) => {
            let Imported { made, skipped, notes } = accepted(read_foreign(reader, &text, given, &name))?;
            said(&name, &skipped, &notes);
            let has_routes = made.has_given_routes();
            Ok(Made::Machine { machine: Arc::new(Topology::Graph(made)), has_routes })
        }
        Some(Reader::Pattern(reader)) => {
            let Imported { made, skipped, notes } = accepted(reader.read(&text, given).map_err(own))?;
            said(&name, &skipped, &notes);
            Ok(Made::Pattern(made))
        }
        Some(Reader::Keys(reader)) => {
            let Imported { made, skipped, notes } = accepted(reader.read(&text, given).map_err(own))?;
            said(&name, &skipped, &notes);
            Ok(Made::Keys(made))
        }
        Some(Reader::Jobs(_)) => {
            let shown = input.display();
            Err(refused(format!("{shown} {}, and weir convert writes no such list", format.sentence)))
        }
        Some(Reader::Work(_)) | None => {
            Err(refused(format!("{} is written, and not read (weir convert --formats)", format.name)))
        }
    }
}

/// The kind that a file will be made into; `None` where only reading it shows that.
fn kind_of(input: &Path, format: Option<&Format>) -> Option<Kind> {
    let Some(format) = format else { return is_work(input).then_some(Kind::Work) };
    match format.reader? {
        Reader::Machine(_) => Some(Kind::Machine),
        Reader::Pattern(_) => Some(Kind::Pattern),
        Reader::Keys(_) => Some(Kind::Keys),
        Reader::Work(_) => Some(Kind::Work),
        Reader::Jobs(_) => None,
    }
}

impl Target {
    /// Returns whether a file of this kind is written so.
    fn takes(&self, kind: Kind) -> bool {
        match self {
            Self::Graph(_) => kind == Kind::Machine,
            Self::Pattern(weir_formats::Format::Parquet) => matches!(kind, Kind::Pattern | Kind::Work),
            Self::Pattern(_) => kind == Kind::Pattern,
            Self::Keys => kind == Kind::Keys,
            Self::Work => kind == Kind::Work,
            Self::Foreign(format) => match format.writer {
                Some(Writer::Machine(_)) => kind == Kind::Machine,
                Some(Writer::Work(_) | Writer::Ranks { .. }) => kind == Kind::Work,
                None => false,
            },
        }
    }
}

/// Refuses values that say nothing to this file.
fn needed(input: &Path, takes: Option<Takes>, given: Given) -> Result<()> {
    let options = [
        (given.speed.is_some(), Takes::Speed, "--speed: no computations that are numbers of operations"),
        (given.message_size.is_some(), Takes::MessageSize, "--message-size: no parts of a buffer"),
        (given.ranks.is_some(), Takes::Ranks, "--ranks: no layers of a training step"),
        (given.group.is_some(), Takes::Ranks, "--group: no layers of a training step"),
    ];
    match options.into_iter().find(|&(is_given, what, _)| is_given && takes != Some(what)) {
        Some((_, _, why)) => Err(refused(format!("{why} are in {}", input.display()))),
        None => Ok(()),
    }
}

fn problems(name: &str, mistakes: Vec<Mistake>) -> Vec<Problem> {
    let problem = |Mistake { line, value, what, hint }| Problem {
        file: name.to_owned(),
        line,
        key: String::new(),
        value,
        what,
        hint,
    };
    mistakes.into_iter().map(problem).collect()
}

fn work(input: &Path, read: Result<Imported<GraphFile>, Vec<Mistake>>) -> Result<Made> {
    let name = input.display().to_string();
    let Imported { made, skipped, notes } = accepted(read.map_err(|mistakes| problems(&name, mistakes)))?;
    said(&name, &skipped, &notes);
    let title = input.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Made::Work(GraphFile { title, ..made }))
}

fn accepted<T>(read: Result<T, Vec<Problem>>) -> Result<T> {
    read.map_err(Problems::new).or_refused()
}

/// Says what has been left out, and what was assumed.
fn said(name: &str, skipped: &[Skipped], notes: &[String]) {
    for note in notes {
        eprintln!("note: {name}: {}", plain(note));
    }
    for Skipped { what, count, line } in skipped {
        // Binary files have no lines.
        let place = if *line > 0 { format!("{name}:{line}") } else { name.to_owned() };
        eprintln!("left out: {place}: {} ({count} times)", plain(what));
    }
}

/// A machine or experiment of weir, a graph, or a graph of work.
fn of_weir(input: &Path, given: Given) -> Result<Made> {
    if is_work(input) {
        let read = graph::read(input).map_err(|error| refused(format!("{}: {error}", input.display())));
        return read.map(Made::Work);
    }
    let source = match GraphFormat::of(input) {
        None => load::source(input.to_owned(), Vec::new()),
        Some(_) => {
            let mut topology = json!({ "kind": "graph", "file": input });
            if let Some(bandwidth) = given.bandwidth {
                topology["bandwidth"] = json!(format!("{} B/s", bandwidth.bytes_per_second()));
            }
            if let Some(latency) = given.latency {
                topology["latency"] = json!(format!("{} ps", latency.as_ps()));
            }
            load::source_of(&json!({ "topology": topology }))
        }
    };
    let machine = load::machine(&source)?;
    let topology = machine.topology();
    load::note_rule(&topology);
    Ok(Made::Machine { machine: topology, has_routes: false })
}

fn write(made: &Made, target: &Target, out: &Path, args: &ConvertArgs) -> Result<()> {
    let at = || out.display().to_string();
    match (made, target) {
        (Made::Machine { machine, has_routes }, Target::Graph(format)) => {
            if *has_routes && args.routes.is_none() {
                return Err(refused(
                    "the file gives routes, which a graph does not have: write them as well, with --routes FILE",
                ));
            }
            write_whole(out, |file| write_graph(machine, *format, file)).with_context(at)?;
            if let Some(routes) = &args.routes {
                routes_of(machine, routes)?;
            }
            Ok(())
        }
        (Made::Machine { machine, .. }, Target::Foreign(format)) => {
            let Some(Writer::Machine(writer)) = format.writer else {
                return Err(no_such(made.kind(), args.input.as_deref().unwrap_or(out)));
            };
            let notes: Vec<String> = write_whole(out, |file| -> Result<Vec<String>> {
                let mut file = file;
                writer(machine, &mut file)?.map_err(|why| refused(format!("{}: {why}", at())))
            })?;
            said(&at(), &[], &notes);
            Ok(())
        }
        (Made::Pattern(script), Target::Pattern(format)) => {
            let title = args.input.as_deref().and_then(Path::file_stem).unwrap_or_default().to_string_lossy();
            write_whole(out, |file| weir_formats::write(*format, script, &title, file))
                .map(|_| ())
                .with_context(at)
        }
        (Made::Keys(keys), Target::Keys) => write_whole(out, |file| {
            keys.iter().try_for_each(|(key, value)| writeln!(file, "{key} = {value}"))
        })
        .with_context(at),
        (Made::Work(graph), Target::Pattern(weir_formats::Format::Parquet)) => {
            write_whole(out, |file| graph.write_table(file)).with_context(at)
        }
        (Made::Work(graph), Target::Work) => write_whole(out, |file| graph.write(file)).with_context(at),
        (Made::Work(graph), Target::Foreign(Format { writer: Some(Writer::Work(writer)), .. })) => {
            let notes: Vec<String> = write_whole(out, |file| -> Result<Vec<String>> {
                let mut file = BufWriter::new(file);
                let notes = writer(graph, &mut file)?.map_err(|why| refused(format!("{}: {why}", at())))?;
                file.flush()?;
                Ok(notes)
            })?;
            said(&at(), &[], &notes);
            Ok(())
        }
        (Made::Work(graph), Target::Foreign(Format { writer: Some(Writer::Ranks { one, beside }), .. })) => {
            of_ranks(graph, *one, *beside, out, args.input.as_slice())
        }
        (made, _) => Err(no_such(made.kind(), args.input.as_deref().unwrap_or(out))),
    }
}

/// Writes a file for each rank, and one beside them. All ranks are tried before the first file is written.
fn of_ranks(
    graph: &GraphFile,
    one: fn(&GraphFile, usize, &mut dyn Write) -> Written,
    beside: fn(&GraphFile) -> Option<(&'static str, String)>,
    out: &Path,
    inputs: &[PathBuf],
) -> Result<()> {
    let ranks = graph.tasks.ranks();
    let mut notes = Vec::new();
    for rank in 0..ranks {
        let tried = one(graph, rank, &mut std::io::sink())?;
        notes.extend(tried.map_err(|why| refused(format!("{}: {why}", out.display())))?);
    }
    let (stem, ending) = (out.with_extension(""), out.extension().unwrap_or_default());
    let path_of = |rank: usize| {
        let mut name = stem.clone().into_os_string();
        name.push(format!(".{rank}.{}", ending.display()));
        PathBuf::from(name)
    };
    let paths: Vec<PathBuf> = (0..ranks).map(path_of).collect();
    load::spares(inputs, paths.iter().map(PathBuf::as_path))?;
    for (rank, path) in paths.iter().enumerate() {
        write_whole(path, |file| -> Result<()> {
            let mut file = BufWriter::new(file);
            _ = one(graph, rank, &mut file)?;
            Ok(file.flush()?)
        })
        .with_context(|| path.display().to_string())?;
    }
    if let Some((name, text)) = beside(graph) {
        let path = out.with_file_name(name);
        write_whole(&path, |file| file.write_all(text.as_bytes()))
            .with_context(|| path.display().to_string())?;
        eprintln!("written: {}", path.display());
    }
    said(&out.display().to_string(), &[], &notes);
    eprintln!("written: {} to {}", path_of(0).display(), path_of(ranks - 1).display());
    Ok(())
}

/// The mistake that a file of this kind is not written in the form that was asked for.
fn no_such(kind: Kind, input: &Path) -> anyhow::Error {
    let (what, endings) = match kind {
        Kind::Machine => ("a machine", ".graphml, .json, .csv, or a format of another tool that is written"),
        Kind::Pattern => ("a pattern", ".pattern or .parquet"),
        Kind::Keys => ("keys of an experiment", ".toml"),
        Kind::Work => ("a graph of work", ".graph, .parquet, or a format of another tool that is written"),
    };
    refused(format!("{} is {what}, which is written as {endings}", input.display()))
}

fn routes_of(machine: &Topology, path: &Path) -> Result<()> {
    if machine.most_cables() > 1 {
        return Err(refused(
            "nodes have several cables, and a route for each: a file of routes has one for each pair of nodes",
        ));
    }
    let pairs = (machine.nodes() as u64).pow(2);
    if pairs > MOST_ROUTES {
        return Err(refused(format!(
            "the machine has {pairs} routes; more than {MOST_ROUTES} are not written into a file"
        )));
    }
    write_whole(path, |file| write_routes(machine, file)).with_context(|| path.display().to_string())?;
    eprintln!("written: {}", path.display());
    Ok(())
}

fn what_is_made(format: &Format) -> &'static str {
    match format.reader {
        Some(Reader::Machine(_)) => "machine",
        Some(Reader::Pattern(_)) => "pattern",
        Some(Reader::Keys(_)) => "keys",
        Some(Reader::Work(_)) => "graph of work",
        Some(Reader::Jobs(_)) => "list of jobs",
        None => "",
    }
}

fn as_table() -> String {
    let row = |format: &Format| {
        let written = if format.writer.is_some() { format.endings.join(", ") } else { "no".to_owned() };
        [format.name.to_owned(), what_is_made(format).to_owned(), written, format.title.to_owned()]
    };
    let mut text = table(["format", "read as", "written as", "files"], FORMATS.iter().map(row));
    for format in FORMATS {
        text += &format!("\n{}\n  reading: {}\n", format.name, format.reading_loses);
        if !format.writing_loses.is_empty() {
            text += &format!("  writing: {}\n", format.writing_loses);
        }
    }
    text
}

fn as_json() -> serde_json::Value {
    let row = |format: &Format| {
        json!({
            "name": format.name,
            "title": format.title,
            "read_as": what_is_made(format),
            "endings": format.endings,
            "written": format.writer.is_some(),
            "reading": format.reading_loses,
            "writing": format.writing_loses,
        })
    };
    json!({ "schema_version": 1, "formats": FORMATS.iter().map(row).collect::<Vec<_>>() })
}
