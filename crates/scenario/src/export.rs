//! Machines and routes as files: whole, or not at all.

use crate::{GraphFormat, write_graph, write_routes};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use weir_topology::Topology;

/// A file with more routes serves nobody.
const MOST_ROUTES: u64 = 200_000_000;

/// Why a machine cannot be written into a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The ending of the name is none of those known.
    UnknownFormat(PathBuf),
    /// There are too many routes; says how many.
    TooManyRoutes(u64),
    /// It cannot be written.
    Write(PathBuf, io::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat(path) => {
                let path = path.display();
                write!(f, "{path}: a machine is written as .graphml, .json (node-link) or .csv (edge list)")
            }
            Self::TooManyRoutes(routes) => {
                write!(
                    f,
                    "the machine has {routes} routes; more than {MOST_ROUTES} are not written into a file"
                )
            }
            Self::Write(path, error) => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ExportError {}

/// Writes a machine in the form that the name's ending stands for. A file of this name is replaced when the new one is
/// complete; after a failure it is as it was.
///
/// # Errors
/// When the ending is not known, or writing fails.
pub(crate) fn graph(topology: &Topology, path: &Path) -> Result<(), ExportError> {
    let format = GraphFormat::of(path).ok_or_else(|| ExportError::UnknownFormat(path.to_owned()))?;
    whole(path, |out| write_graph(topology, format, out))
}

/// Writes all routes of a machine, likewise.
///
/// # Errors
/// When there are too many, or writing fails.
pub(crate) fn routes(topology: &Topology, path: &Path) -> Result<(), ExportError> {
    let nodes = topology.nodes() as u64;
    let count = nodes.saturating_mul(nodes.saturating_sub(1));
    if count > MOST_ROUTES {
        return Err(ExportError::TooManyRoutes(count));
    }
    whole(path, |out| write_routes(topology, out))
}

/// Writes beside the file, then renames.
fn whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), ExportError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // The process id keeps two commands that write the same file apart.
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = || {
        let mut out = BufWriter::new(File::create(&beside)?);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, path)
    };
    written().map_err(|error| {
        // The first failure is the one to report; a leftover that cannot be removed either adds nothing.
        let _ = fs::remove_file(&beside);
        ExportError::Write(path.to_owned(), error)
    })
}
