//! Graphs of ranks: `MPI_Graph_*`, which every rank knows as a whole, and `MPI_Dist_graph_*`, of which each knows its
//! own edges.

use crate::mpi::collectives::{place, run};
use crate::mpi::communicators::cartesian::{communicator, member, write_ints};
use crate::mpi::communicators::groups::ints;
use crate::mpi::communicators::{adopt, members};
use crate::mpi::info;
use crate::mpi::prelude::*;
use std::sync::Arc;
use weir_collectives::{Blocks, Choice, Plan};
use weir_message::{Communicator, Edge, Graph, MpiError, OwnEdges, UNDEFINED, VirtualTopology, Weights};

fn graph(context: &mut Context, comm: CommunicatorId) -> Result<(&Communicator, &Graph)> {
    let known = communicator(context, comm)?;
    match known.topology.as_deref() {
        Some(VirtualTopology::Graph(graph)) => Ok((known, graph)),
        _ => Err(MpiError::Topology("the communicator is not a graph".into())),
    }
}

fn describe(count: c_int, index: *const c_int, edges: *const c_int, known: &Communicator) -> Result<Graph> {
    let index = ints(index, count)?.to_vec();
    if index.len() > known.group.size() {
        let size = known.group.size();
        return Err(MpiError::Argument(format!("a graph of {count} ranks in a communicator of {size}")));
    }
    Graph::new(&index, &ints(edges, index.last().copied().unwrap_or(0))?.to_vec())
}

pub(crate) fn graph_create(
    context: &mut Context,
    comm: CommunicatorId,
    count: c_int,
    index: *const c_int,
    edges: *const c_int,
    new: Out<Handle>,
) -> Done {
    new.set(abi::communicator_handle(None));
    let known = communicator(context, comm)?;
    let graph = describe(count, index, edges, known)?;
    let group = members(known, 0..graph.index().len() as u32);
    // All ranks have described the same graph: one copy does.
    let shared = context.rank().world.share_graph(graph);
    let made = adopt(context, comm, &group, shared)?;
    new.give(abi::communicator_handle(made))
}

pub(crate) fn graph_map(
    context: &mut Context,
    comm: CommunicatorId,
    count: c_int,
    index: *const c_int,
    edges: *const c_int,
    rank: Out<c_int>,
) -> Done {
    let known = communicator(context, comm)?;
    let graph = describe(count, index, edges, known)?;
    let inside = (known.rank as usize) < graph.index().len();
    rank.give(if inside { known.rank as c_int } else { UNDEFINED })
}

pub(crate) fn graphdims_get(
    context: &mut Context,
    comm: CommunicatorId,
    ranks: Out<c_int>,
    edges: Out<c_int>,
) -> Done {
    let (_, graph) = graph(context, comm)?;
    ranks.set(graph.index().len() as c_int);
    edges.give(graph.edges().len() as c_int)
}

pub(crate) fn graph_get(
    context: &mut Context,
    comm: CommunicatorId,
    index_room: c_int,
    edge_room: c_int,
    index: *mut c_int,
    edges: *mut c_int,
) -> Done {
    let (_, graph) = graph(context, comm)?;
    write_ints(graph.index().iter().copied(), index_room, index)?;
    write_ints(graph.edges().iter().copied(), edge_room, edges)
}

pub(crate) fn graph_neighbors_count(
    context: &mut Context,
    comm: CommunicatorId,
    rank: c_int,
    count: Out<c_int>,
) -> Done {
    let (known, graph) = graph(context, comm)?;
    let found = graph.neighbors(member(known, rank)? as usize).unwrap_or_default();
    count.give(found.len() as c_int)
}

pub(crate) fn graph_neighbors(
    context: &mut Context,
    comm: CommunicatorId,
    rank: c_int,
    room: c_int,
    neighbors: *mut c_int,
) -> Done {
    let (known, graph) = graph(context, comm)?;
    let found = graph.neighbors(member(known, rank)? as usize).unwrap_or_default();
    write_ints(found.iter().copied(), room, neighbors)
}

fn weights_given(weights: *const c_int) -> Weights {
    if weights as usize == MPI_UNWEIGHTED { Weights::None } else { Weights::Given }
}

/// The program's weights; all 1 where it has none.
fn weights(weights: *const c_int, count: c_int) -> Result<Vec<c_int>> {
    if [MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY].contains(&(weights as usize)) {
        return Ok(vec![1; usize::try_from(count).unwrap_or(0)]);
    }
    let given = ints(weights, count)?.to_vec();
    match given.iter().find(|&&weight| weight < 0) {
        Some(weight) => Err(MpiError::Argument(format!("the weight {weight} of an edge is negative"))),
        None => Ok(given),
    }
}

fn edges(known: &Communicator, count: c_int, ranks: *const c_int, given: *const c_int) -> Result<Vec<Edge>> {
    let (ranks, weights) = (ints(ranks, count)?, weights(given, count)?);
    let edge = |(rank, weight)| Ok(Edge { rank: member(known, rank)? as i32, weight });
    ranks.iter().zip(weights).map(edge).collect()
}

fn make(context: &mut Context, comm: CommunicatorId, own: OwnEdges, hints: Handle) -> Result<Handle> {
    let group = communicator(context, comm)?.group.clone();
    let made = adopt(context, comm, &group, Arc::new(VirtualTopology::Distributed(own)))?;
    info::keep_hints(context, made, hints)?;
    Ok(abi::communicator_handle(made))
}

pub(crate) fn dist_graph_create_adjacent(
    context: &mut Context,
    comm: CommunicatorId,
    source_count: c_int,
    sources: *const c_int,
    source_weights: *const c_int,
    destination_count: c_int,
    destinations: *const c_int,
    destination_weights: *const c_int,
    hints: Handle,
    new: Out<Handle>,
) -> Done {
    communicator(context, comm)?;
    info::hints(context, hints)?;
    let known = communicator(context, comm)?;
    let own = OwnEdges {
        sources: edges(known, source_count, sources, source_weights)?,
        destinations: edges(known, destination_count, destinations, destination_weights)?,
        weights: weights_given(source_weights),
    };
    new.give(make(context, comm, own, hints)?)
}

/// Bytes of an edge on its way to a rank that it touches: which end that is, the other end, and the weight.
const EDGE_BYTES: usize = 12;
const COMES_IN: i32 = 0;
const GOES_OUT: i32 = 1;

fn word(bytes: &[u8]) -> i32 {
    i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Sends every rank the edges that touch it; returns those of this rank, in the order of who has sent them.
fn deal_out(context: &mut Context, comm: CommunicatorId, parcels: &[Vec<u8>]) -> Result<Vec<u8>> {
    // Not as the experiment chooses: what it chooses may not suit this number of ranks.
    let (choice, place) = (Choice::default(), place(context, comm)?);
    let lengths: Vec<u8> = parcels.iter().flat_map(|parcel| (parcel.len() as i32).to_ne_bytes()).collect();
    let plan = Plan::alltoall(&choice, place, 4).map_err(MpiError::Other)?;
    let lengths = run(context, comm, &plan, None, |into| into.copy_from_slice(&lengths))?;
    let out = Blocks::uneven(parcels.iter().map(Vec::len));
    let into = Blocks::uneven(lengths.chunks_exact(4).map(|length| word(length) as usize));
    let plan = Plan::alltoallv(&choice, place, out, into).map_err(MpiError::Other)?;
    run(context, comm, &plan, None, |into| into.copy_from_slice(&parcels.concat()))
}

pub(crate) fn dist_graph_create(
    context: &mut Context,
    comm: CommunicatorId,
    count: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    given: *const c_int,
    hints: Handle,
    new: Out<Handle>,
) -> Done {
    communicator(context, comm)?;
    info::hints(context, hints)?;
    let known = communicator(context, comm)?;
    let mut parcels = vec![Vec::new(); known.group.size()];
    let (sources, degrees) = (ints(sources, count)?, ints(degrees, count)?.to_vec());
    if let Some(&degree) = degrees.iter().find(|&&degree| degree < 0) {
        return Err(MpiError::Argument(format!("the degree {degree} of a rank is negative")));
    }
    let total = degrees.iter().try_fold(0, |sum: c_int, &degree| sum.checked_add(degree));
    let total = total.ok_or_else(|| MpiError::Argument("too many edges".into()))?;
    let listed = edges(known, total, destinations, given)?;
    let mut listed = listed.into_iter();
    for (source, &degree) in sources.iter().zip(&degrees) {
        let source = member(known, source)? as i32;
        for Edge { rank, weight } in listed.by_ref().take(degree as usize) {
            let mut send = |to: i32, end: i32, other: i32| {
                [end, other, weight].iter().for_each(|word| parcels[to as usize].extend(word.to_ne_bytes()));
            };
            send(source, GOES_OUT, rank);
            send(rank, COMES_IN, source);
        }
    }
    let dealt = deal_out(context, comm, &parcels)?;
    let weights = weights_given(given);
    let mut own = OwnEdges { sources: Vec::new(), destinations: Vec::new(), weights };
    for bytes in dealt.chunks_exact(EDGE_BYTES) {
        let edge = Edge { rank: word(&bytes[4..]), weight: word(&bytes[8..]) };
        if word(bytes) == GOES_OUT { own.destinations.push(edge) } else { own.sources.push(edge) }
    }
    new.give(make(context, comm, own, hints)?)
}

fn own_edges(context: &mut Context, comm: CommunicatorId) -> Result<&OwnEdges> {
    match communicator(context, comm)?.topology.as_deref() {
        Some(VirtualTopology::Distributed(own)) => Ok(own),
        _ => Err(MpiError::Topology("the communicator is not a distributed graph".into())),
    }
}

pub(crate) fn dist_graph_neighbors_count(
    context: &mut Context,
    comm: CommunicatorId,
    source_count: Out<c_int>,
    destination_count: Out<c_int>,
    weighted: Out<c_int>,
) -> Done {
    let own = own_edges(context, comm)?;
    source_count.set(own.sources.len() as c_int);
    destination_count.set(own.destinations.len() as c_int);
    weighted.give(c_int::from(own.weights == Weights::Given))
}

pub(crate) fn dist_graph_neighbors(
    context: &mut Context,
    comm: CommunicatorId,
    source_room: c_int,
    sources: *mut c_int,
    source_weights: *mut c_int,
    destination_room: c_int,
    destinations: *mut c_int,
    destination_weights: *mut c_int,
) -> Done {
    let own = own_edges(context, comm)?;
    // Without weights the program need not have room for them.
    let write = |edges: &[Edge], room, ranks, weights: *mut c_int| {
        write_ints(edges.iter().map(|edge| edge.rank), room, ranks)?;
        let is_array = ![MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY].contains(&(weights as usize));
        if own.weights == Weights::Given && is_array {
            write_ints(edges.iter().map(|edge| edge.weight), room, weights)?;
        }
        Ok(())
    };
    write(&own.sources, source_room, sources, source_weights)?;
    write(&own.destinations, destination_room, destinations, destination_weights)
}
