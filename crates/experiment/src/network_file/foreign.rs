//! Machines that files of other tools describe.

use super::{Built, Cable, Defaults, FileMistake, FileVertex, Network};
use crate::Problem;
use weir_foreign::{Given, Hop, Imported, Machine, Mistake, ReadMachine, Routes};
use weir_topology::{GivenRoutes, Graph, Metric, VertexKind};

impl From<Mistake> for FileMistake {
    fn from(Mistake { line, value, what, hint }: Mistake) -> Self {
        Self { line, value, what, hint }
    }
}

/// Reads a machine of another tool as a graph, with the routes that the file gives.
///
/// # Errors
/// Everything that is wrong with the file, or if that is nothing with its network; `name` is what it is called in them.
pub fn read_foreign(
    reader: ReadMachine,
    text: &str,
    given: Given,
    name: &str,
) -> Result<Imported<Graph>, Vec<Problem>> {
    read(reader, text, given, Metric::default())
        .map(|Imported { made: Built { graph, .. }, skipped, notes }| Imported {
            made: graph,
            skipped,
            notes,
        })
        .map_err(|mistakes| mistakes.into_iter().map(|mistake| mistake.problem(name, "")).collect())
}

pub(crate) fn read(
    reader: ReadMachine,
    text: &str,
    given: Given,
    metric: Metric,
) -> Result<Imported<Built>, Vec<FileMistake>> {
    let own = |mistakes: Vec<Mistake>| mistakes.into_iter().map(FileMistake::from).collect::<Vec<_>>();
    let Imported { made: machine, skipped, notes } = reader.read(text, given).map_err(own)?;
    let defaults = Defaults { bandwidth: given.bandwidth, latency: given.latency };
    let Machine { vertices, lines, cables, routes, .. } = machine;
    let names: Vec<String> = vertices.iter().map(|vertex| vertex.name.clone()).collect();
    let nodes: Vec<u32> = (0..)
        .zip(&vertices)
        .filter(|(_, vertex)| vertex.kind == VertexKind::Node)
        .map(|(number, _)| number)
        .collect();
    let mut network = Network::default();
    let of_file = |(vertex, line): (weir_topology::Vertex, usize)| FileVertex {
        name: vertex.name,
        kind: Some(vertex.kind),
        line,
    };
    network.vertices = vertices.into_iter().zip(lines).map(of_file).collect();
    let cable = |cable: weir_foreign::Cable| Cable {
        from: cable.from as usize,
        to: cable.to as usize,
        bandwidth: cable.bandwidth,
        latency: cable.latency,
        duplex: cable.duplex,
        line: cable.line,
    };
    network.cables = cables.into_iter().map(cable).collect();
    let Built { mut graph, leaves } = network.build(defaults, metric)?;
    if let Some(routes) = routes {
        graph = with_routes(&graph, &*routes, &names, &nodes)?;
    }
    Ok(Imported { made: Built { graph, leaves }, skipped, notes })
}

fn with_routes(
    graph: &Graph,
    routes: &dyn Routes,
    names: &[String],
    nodes: &[u32],
) -> Result<Graph, Vec<FileMistake>> {
    let mut given = GivenRoutes::of(graph);
    let routers: Vec<_> = names.iter().map(|name| graph.router_named(name)).collect();
    // Each is looked up once, and not for each of its routes.
    let numbers: Vec<_> =
        nodes.iter().map(|&vertex| (vertex, graph.node_named(&names[vertex as usize]))).collect();
    let mut hops: Vec<Hop> = Vec::new();
    // Whoever searches does so for one destination after the other.
    for &(to, destination) in &numbers {
        for &(from, source) in numbers.iter().filter(|&&(from, _)| from != to) {
            routes.route(from, to, &mut hops);
            let hop = |hop: &Hop| {
                Some(weir_topology::Hop {
                    router: routers[hop.router as usize]?,
                    parallel: hop.parallel,
                    class: None,
                })
            };
            let whole: Option<Vec<weir_topology::Hop>> = hops.iter().map(hop).collect();
            let (Some(source), Some(destination), Some(whole)) = (source, destination, whole) else {
                continue;
            };
            if let Err(mistake) = given.add(graph, source, destination, &whole) {
                let wrong = FileMistake::new(None, "", mistake.what);
                return Err(vec![FileMistake { hint: mistake.hint, ..wrong }]);
            }
        }
    }
    graph.with_routes(given).map_err(|missing| {
        let pair = |(a, b): &(_, _)| format!("from {} to {}", graph_name(graph, *a), graph_name(graph, *b));
        let what = format!(
            "there is no route {}, and {} more are missing",
            missing.first().map(pair).unwrap_or_default(),
            missing.len() - 1
        );
        vec![FileMistake::new(None, "", what)]
    })
}

fn graph_name(graph: &Graph, node: weir_units::NodeId) -> String {
    weir_topology::Topology::Graph(graph.clone()).node_name(node)
}
