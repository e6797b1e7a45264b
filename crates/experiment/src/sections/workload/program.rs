//! An MPI program as workload.

use super::keys;
use crate::foreign;
use crate::source::reader::Section;
use crate::source::tree::Value as Written;
use serde_json::json;
use std::path::{Path, PathBuf};
use weir_capi::executable::{self, Kind};
use weir_capi::{Compute, StackSize};
use weir_message::Moved;
use weir_units::Bytes;

/// An MPI program to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSection {
    /// The compiled program.
    pub path: PathBuf,
    /// Way in which its ranks run.
    pub kind: Kind,
    /// Its arguments.
    pub args: Vec<String>,
    /// Further programs of the same job, which the last ranks run, in this order.
    pub further: Vec<FurtherProgram>,
    /// Stack of each rank, in bytes of the computer that weir runs on.
    pub stack_size: Bytes,
    /// True data of messages, or only their lengths.
    pub moved: Moved,
    /// Time that is charged for the program's own work.
    pub compute: Compute,
}

const COMPILE: &str = "compile it first: weir cc program.c -o program";
/// A program that some of the ranks of a job run instead of its first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FurtherProgram {
    /// The compiled program.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Number of ranks that run it.
    pub ranks: usize,
}

impl ProgramSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let path = section.get_required(&keys::EXECUTABLE);
        let args = section.get_or_default(&keys::ARGS);
        let default = StackSize::default_for(ranks.unwrap_or(1));
        let stack_size = section.get_or(&keys::STACK_SIZE, Bytes(default.0 as u64));
        let moved = section.get_or_default(&keys::DATA_MOVED);
        let compute = section.get_or_default(&keys::COMPUTE);
        let further = read_further(section, ranks);
        let (path, kind) = executable(section, path?);
        let (further, kinds): (Vec<_>, Vec<_>) = further.into_iter().unzip();
        let what = "runs beside a program of another kind: weir cc has built one of them and not the other";
        let hint = "build all programs of a job by weir cc";
        let is_wrong = kind.is_some() && kinds.iter().flatten().any(|other| Some(*other) != kind);
        section.report_if(is_wrong, "program", what, hint);
        let kind = kind.unwrap_or(Kind::Loadable);
        section.settle(&keys::EXECUTABLE, path.clone());
        let table = |FurtherProgram { path, args, ranks }: &FurtherProgram| json!({ "program": path.display().to_string(), "args": args, "ranks": ranks });
        let written = (!further.is_empty()).then(|| further.iter().map(table).collect());
        section.settle_written(&keys::FURTHER, written);
        section.put_last("program args further stack_size data compute");
        Some(Self { path, args, further, stack_size, kind, moved, compute })
    }
}

/// A program where it is found, and how its ranks run, if they can.
fn executable(section: &mut Section<'_>, path: PathBuf) -> (PathBuf, Option<Kind>) {
    let path = in_search_path(&path).unwrap_or(path);
    if path.is_file() {
        match executable::kind(&path) {
            Ok(found) => return (path, Some(found)),
            Err((what, hint)) => {
                let (what, hint) = match foreign::file(&path) {
                    Some(elsewhere) if !elsewhere.contains("compiled program") => {
                        (format!("{}: {elsewhere}", path.display()), "")
                    }
                    _ => (format!("{what}: {}", path.display()), hint),
                };
                section.report("program", what, hint);
            }
        }
    } else {
        // Behind -n RANKS an option that is not known is taken for the program.
        let (what, hint) = match path.to_str().and_then(foreign::option) {
            Some(elsewhere) => (elsewhere.to_owned(), ""),
            None if path.exists() => (format!("is not a file: {}", path.display()), COMPILE),
            None => (format!("is not there: {}", path.display()), COMPILE),
        };
        section.report("program", what, hint);
    }
    (path, None)
}

fn read_further(section: &mut Section<'_>, ranks: Option<usize>) -> Vec<(FurtherProgram, Option<Kind>)> {
    let Some(entry) = section.entry(keys::FURTHER.name) else { return Vec::new() };
    let Written::List(list) = &entry.value else {
        let what = "must be a list of tables, such as [{program = \"./b\", ranks = 2}]";
        section.report("further", what.to_owned(), "");
        return Vec::new();
    };
    let mut programs = Vec::new();
    for entry in list {
        let Written::Table(tree) = &entry.value else {
            section.report("further", "must be a list of tables", "");
            continue;
        };
        let mut item = section.item(keys::further::KEYS.name, tree, &entry.place);
        let path = item.get_required(&keys::further::EXECUTABLE).map(|path| executable(&mut item, path));
        let args = item.get_or_default(&keys::further::ARGS);
        let ranks = item.get_required(&keys::further::RANKS);
        item.finish();
        if let (Some((path, kind)), Some(ranks)) = (path, ranks) {
            programs.push((FurtherProgram { path, args, ranks }, kind));
        }
    }
    let theirs = programs.iter().fold(0_usize, |all, (program, _)| all.saturating_add(program.ranks));
    if let Some(ranks) = ranks.filter(|&ranks| ranks <= theirs) {
        let what = format!("leaves no rank to the first program: it has {theirs} of {ranks} ranks");
        let hint = "workload.ranks counts the ranks of all programs together";
        section.report("further", what, hint);
    }
    programs
}

/// Where the shell would find a command of this name, if no file is there and it has no folder.
fn in_search_path(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    if path.exists() || path.parent().is_some_and(|folder| folder.exists() && !folder.as_os_str().is_empty())
    {
        return None;
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|command| command.is_file())
}
