//! An MPI program as workload.

use crate::reader::{BYTES, Section};
use std::path::PathBuf;
use weir_capi::{StackSize, compiler};
use weir_units::Bytes;

/// An MPI program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSection {
    /// The compiled program.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Stack of each rank, in bytes of the computer that weir runs on.
    pub stack_size: Bytes,
}

impl ProgramSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let path = section.path("program");
        let path = section.required(path, "program", "name the compiled program: program = \"./halo\"");
        let args = section.texts("args").unwrap_or_default();
        let stack_size = section
            .real_quantity("stack_size", &BYTES)
            .unwrap_or_else(|| Bytes(StackSize::default_for(ranks.unwrap_or(1)).0 as u64));
        let path = path?;
        if path.is_file() {
            if !compiler::is_program(&path).unwrap_or(false) {
                let what = format!("is not a program built with weir cc: {}", path.display());
                let hint = "compile it with weir cc: weir cc program.c -o program";
                section.problem("program", what, Some(hint.into()));
            }
        } else {
            let what = match path.exists() {
                true => format!("is not a file: {}", path.display()),
                false => format!("is not there: {}", path.display()),
            };
            let hint = "compile it first: weir cc program.c -o program";
            section.problem("program", what, Some(hint.into()));
        }
        Some(Self { path, args, stack_size })
    }
}
