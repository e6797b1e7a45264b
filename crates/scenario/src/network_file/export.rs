//! Machines and routes as files: whole, or not at all.

use crate::{GraphFormat, write_graph, write_routes};
use std::io;
use std::path::{Path, PathBuf};
use weir_record::write_whole;
use weir_topology::Topology;

/// A file with more routes is of no use.
const MOST_ROUTES: u64 = 200_000_000;

/// Why a machine cannot be written into a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The ending of the name is none of those known.
    #[error("{path}: a machine is written as .graphml, .json (node-link) or .csv (edge list)", path = .0.display())]
    UnknownFormat(PathBuf),
    /// There are too many routes; says how many.
    #[error("the machine has {0} routes; more than {MOST_ROUTES} are not written into a file")]
    TooManyRoutes(u64),
    /// It cannot be written.
    #[error("cannot write {path}: {1}", path = .0.display())]
    Write(PathBuf, io::Error),
}

/// Writes a machine in the form that the name's ending stands for. A file of this name is replaced when the new one is
/// complete; after a failure it is as it was.
pub(crate) fn graph(topology: &Topology, path: &Path) -> Result<(), ExportError> {
    let format = GraphFormat::of(path).ok_or_else(|| ExportError::UnknownFormat(path.to_owned()))?;
    let written = write_whole(path, |out| write_graph(topology, format, out));
    written.map_err(|error| ExportError::Write(path.to_owned(), error))
}

/// Writes all routes of a machine, likewise.
pub(crate) fn routes(topology: &Topology, path: &Path) -> Result<(), ExportError> {
    let nodes = topology.nodes() as u64;
    let count = nodes.saturating_mul(nodes.saturating_sub(1));
    if count > MOST_ROUTES {
        return Err(ExportError::TooManyRoutes(count));
    }
    let written = write_whole(path, |out| write_routes(topology, out));
    written.map_err(|error| ExportError::Write(path.to_owned(), error))
}
