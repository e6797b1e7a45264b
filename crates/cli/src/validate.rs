//! `weir validate`

mod text;

use crate::arguments::ValidateArgs;
use crate::status::{INPUT, interrupted};
use anyhow::Context;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use weir_calibrate::CalibrationError;
use weir_calibrate::validation::{self, Extra, Progress, Study, Validation, Wanted};

/// Where studies are that have only a name.
const FOLDER: &str = "validation";
/// Stands for all of them.
const ALL: &str = "all";

/// Lists the studies, or predicts one, and prints and writes what was found.
pub(crate) fn validate(args: &ValidateArgs) -> anyhow::Result<ExitCode> {
    let Some(name) = &args.study else { return list() };
    let paths = if name == ALL { studies() } else { vec![path(name)] };
    if paths.is_empty() {
        eprintln!(
            "error: there are no studies in {FOLDER}\n\nhint: begin weir in its repository, or name a study file"
        );
        return Ok(ExitCode::from(INPUT));
    }
    let extra = |asked: bool| if asked { Extra::Asked } else { Extra::Spared };
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    let wanted = Wanted {
        threads: threads.unwrap_or(NonZeroUsize::MIN),
        fit: extra(args.fit),
        ablations: extra(args.ablations),
    };
    let (mut found, mut failed) = (Vec::new(), false);
    for path in &paths {
        let of = |study: Study| {
            let name = study.name.clone();
            validation::validate(study, wanted, &|progress| show(&name, progress, args.quiet))
        };
        match Study::load(path).and_then(of) {
            Ok(validation) => found.push(validation),
            Err(CalibrationError::Interrupted) => {
                eprintln!("interrupted: nothing is written");
                return Ok(interrupted().unwrap_or(ExitCode::from(1)));
            }
            Err(error) => {
                failed = true;
                eprintln!("error: {error}");
            }
        }
    }
    // A page of all is one of all.
    if let (Some(folder), false) = (&args.out, failed && name == ALL) {
        match validation::write(&found, extra(name == ALL), args.built_from.as_deref(), folder) {
            Ok(pages) if !args.quiet => {
                pages.iter().for_each(|page| eprintln!("written: {}", page.display()))
            }
            Ok(_) => (),
            Err(error) => {
                failed = true;
                eprintln!("error: {error}");
            }
        }
    }
    print(args, &found)?;
    Ok(if failed { ExitCode::from(INPUT) } else { ExitCode::SUCCESS })
}

fn print(args: &ValidateArgs, found: &[Validation]) -> anyhow::Result<()> {
    let text = if args.json {
        format!("{}\n", serde_json::Value::Array(found.iter().map(text::to_json).collect()))
    } else {
        found.iter().map(text::to_text).collect::<Vec<_>>().join("\n")
    };
    std::io::stdout().write_all(text.as_bytes()).context("standard output")
}

fn show(study: &str, progress: Progress<'_>, quiet: bool) {
    match progress {
        _ if quiet => (),
        Progress::Predicting(rows) => eprintln!("{study}: {rows} rows"),
        Progress::Without(part) => eprintln!("{study}: without {part}"),
        Progress::Fitting => eprintln!("{study}: fit"),
    }
}

/// The file of a study that is named.
fn path(name: &str) -> PathBuf {
    let is_name = !name.contains(std::path::is_separator) && Path::new(name).extension().is_none();
    if is_name { Path::new(FOLDER).join(format!("{name}.toml")) } else { PathBuf::from(name) }
}

/// The study files, in the order of their names.
fn studies() -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(FOLDER) else { return Vec::new() };
    let files = folder.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    files.sort();
    files
}

/// One line per study.
fn list() -> anyhow::Result<ExitCode> {
    let mut failed = false;
    let mut rows = vec![["study", "what", "measured by"].map(str::to_owned).to_vec()];
    for path in studies() {
        match Study::load(&path) {
            Ok(study) => rows.push(vec![study.name, study.title, study.source]),
            Err(error) => {
                failed = true;
                eprintln!("error: {error}");
            }
        }
    }
    let text = if rows.len() > 1 {
        crate::text::aligned(&rows)
    } else {
        format!(
            "There are no studies in {FOLDER}: weir finds them where it is started, which is to be its repository.\n"
        )
    };
    let below = "\nweir validate NAME predicts a study, weir validate all every one; a study of your own is named by its path.\n";
    std::io::stdout().write_all((text + below).as_bytes()).context("standard output")?;
    Ok(if failed { ExitCode::from(INPUT) } else { ExitCode::SUCCESS })
}
