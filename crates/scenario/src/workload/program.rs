//! An MPI program as workload.

use crate::reader::{BYTES, Section};
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

impl ProgramSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let path = section.path("program");
        let path = section.required(path, "program", "name the compiled program: program = \"./halo\"");
        let args = section.texts("args").unwrap_or_default();
        let stack_size = section
            .real_quantity("stack_size", &BYTES)
            .unwrap_or_else(|| Bytes(StackSize::default_for(ranks.unwrap_or(1)).0 as u64));
        let moved = match section.boolean("data") {
            Some(false) => Moved::LengthsOnly,
            Some(true) | None => Moved::Data,
        };
        let compute = read_compute(section);
        let path = path?;
        let path = in_search_path(&path).unwrap_or(path);
        let mut kind = Kind::Loadable;
        if path.is_file() {
            match executable::kind(&path) {
                Ok(found) => kind = found,
                Err((what, hint)) => {
                    section.problem("program", format!("{what}: {}", path.display()), Some(hint.into()));
                }
            }
        } else {
            let what = match path.exists() {
                true => format!("is not a file: {}", path.display()),
                false => format!("is not there: {}", path.display()),
            };
            let hint = "compile it first: weir cc program.c -o program";
            section.problem("program", what, Some(hint.into()));
        }
        Some(Self { path, args, stack_size, kind, moved, compute })
    }
}

/// `compute = "none"`, `"measured"`, or a factor for what is measured.
fn read_compute(section: &mut Section<'_>) -> Compute {
    let words = [("none", Compute::None), ("measured", Compute::Measured(1.0))];
    section
        .number_or_choice("compute", |factor| factor > 0.0 && factor.is_finite(), "above 0", &words)
        .map_or(Compute::None, |found| match found {
            Ok(factor) => Compute::Measured(factor),
            Err(word) => word,
        })
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
