//! Files that hold a network: GraphML, node-link JSON as networkx writes it, and edge lists in CSV.
//!
//! Each reader makes the same [`network::Network`] of its file, in which everything knows its line; what is wrong with
//! the network as such is found afterwards, the same for all.

mod edge_list;
pub(crate) mod export;
mod graphml;
pub(crate) mod lines;
mod network;
mod node_link;
mod quotes;
mod routes;
mod write;

pub(crate) use network::{Built, Defaults, FileMistake};
pub(crate) use routes::read as read_routes;
use std::path::Path;
use weir_topology::Metric;
pub use write::{write_graph, write_routes};

/// A form of files that hold networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// GraphML; ending `.graphml`.
    GraphMl,
    /// Node-link JSON as of `networkx.node_link_data`; ending `.json`.
    NodeLink,
    /// An edge list in CSV; ending `.csv`.
    EdgeList,
}

impl GraphFormat {
    /// The form by a file's ending; `None` for other endings.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "graphml" => Some(Self::GraphMl),
            "json" => Some(Self::NodeLink),
            "csv" => Some(Self::EdgeList),
            _ => None,
        }
    }
}

/// Reads a network.
///
/// # Errors
/// All mistakes in the text, or if there are none all mistakes of the network.
pub(crate) fn read(
    text: &str,
    format: GraphFormat,
    defaults: Defaults,
    metric: Metric,
) -> Result<Built, Vec<FileMistake>> {
    let network = match format {
        GraphFormat::GraphMl => graphml::read(text),
        GraphFormat::NodeLink => node_link::read(text),
        GraphFormat::EdgeList => edge_list::read(text),
    };
    network.build(defaults, metric)
}
