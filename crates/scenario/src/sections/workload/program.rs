//! An MPI program as workload.

use super::keys;
use crate::foreign;
use crate::keys::form::One;
use crate::source::reader::Section;
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
    /// How its ranks run.
    pub kind: Kind,
    /// Its arguments.
    pub args: Vec<String>,
    /// Stack of each rank, in bytes of the computer that weir runs on.
    pub stack_size: Bytes,
    /// Whether the data of messages are moved.
    pub moved: Moved,
    /// What is charged for the program's own work.
    pub compute: Compute,
}

const COMPILE: &str = "compile it first: weir cc program.c -o program";

impl ProgramSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let path = section.get_required(&keys::EXECUTABLE);
        let args = section.get_or_default(&keys::ARGS);
        let stack_size = section
            .get(&keys::STACK_SIZE)
            .unwrap_or_else(|| Bytes(StackSize::default_for(ranks.unwrap_or(1)).0 as u64));
        let moved = if section.get_or_default(&keys::DATA_MOVED) { Moved::Data } else { Moved::LengthsOnly };
        let compute = read_compute(section);
        let path = path?;
        let path = in_search_path(&path).unwrap_or(path);
        let mut kind = Kind::Loadable;
        if path.is_file() {
            match executable::kind(&path) {
                Ok(found) => kind = found,
                Err((what, hint)) => {
                    let (what, hint) = match foreign::file(&path) {
                        Some(elsewhere) if !elsewhere.contains("compiled program") => {
                            (format!("{}: {elsewhere}", path.display()), None)
                        }
                        _ => (format!("{what}: {}", path.display()), Some(hint.into())),
                    };
                    section.problem("program", what, hint);
                }
            }
        } else {
            // Behind -n RANKS an option that is not known is taken for the program.
            let (what, hint) = match path.to_str().and_then(foreign::option) {
                Some(elsewhere) => (elsewhere.to_owned(), None),
                None if path.exists() => {
                    (format!("is not a file: {}", path.display()), Some(COMPILE.to_owned()))
                }
                None => (format!("is not there: {}", path.display()), Some(COMPILE.to_owned())),
            };
            section.problem("program", what, hint);
        }
        Some(Self { path, args, stack_size, kind, moved, compute })
    }
}

pub(super) const COMPUTE_RULES: [(&str, Compute); 2] =
    [("none", Compute::None), ("measured", Compute::Measured(1.0))];

/// `compute = "none"`, `"measured"`, or a factor for what is measured.
fn read_compute(section: &mut Section<'_>) -> Compute {
    match section.get_or_default(&keys::COMPUTE) {
        One::Of(factor) => Compute::Measured(factor),
        One::Or(word) => word,
    }
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
