//! Graphs of ranks: `MPI_Graph_*`, which all ranks know as a whole, and `MPI_Dist_graph_*`, of which each knows its edges.

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

pub(crate) fn graph_create(context: &mut Context, args: GraphCreate) -> Done {
    args.newcomm.set(abi::communicator_handle(None));
    let known = communicator(context, args.comm)?;
    let graph = describe(args.nnodes, args.index, args.edges, known)?;
    let group = members(known, 0..graph.index().len() as u32);
    // All ranks have described the same graph: one copy does.
    let shared = context.rank().world.share_graph(graph);
    let made = adopt(context, args.comm, &group, shared)?;
    args.newcomm.give(abi::communicator_handle(made))
}

pub(crate) fn graph_map(context: &mut Context, args: GraphMap) -> Done {
    let known = communicator(context, args.comm)?;
    let graph = describe(args.nnodes, args.index, args.edges, known)?;
    let inside = (known.rank as usize) < graph.index().len();
    args.newrank.give(if inside { known.rank as c_int } else { UNDEFINED })
}

pub(crate) fn graphdims_get(context: &mut Context, args: GraphdimsGet) -> Done {
    let (_, graph) = graph(context, args.comm)?;
    args.nnodes.set(graph.index().len() as c_int);
    args.nedges.give(graph.edges().len() as c_int)
}

pub(crate) fn graph_get(context: &mut Context, args: GraphGet) -> Done {
    let (_, graph) = graph(context, args.comm)?;
    write_ints(graph.index().iter().copied(), args.maxindex, args.index)?;
    write_ints(graph.edges().iter().copied(), args.maxedges, args.edges)
}

pub(crate) fn graph_neighbors_count(context: &mut Context, args: GraphNeighborsCount) -> Done {
    let (known, graph) = graph(context, args.comm)?;
    let found = graph.neighbors(member(known, args.rank)? as usize).unwrap_or_default();
    args.count.give(found.len() as c_int)
}

pub(crate) fn graph_neighbors(context: &mut Context, args: GraphNeighbors) -> Done {
    let (known, graph) = graph(context, args.comm)?;
    let found = graph.neighbors(member(known, args.rank)? as usize).unwrap_or_default();
    write_ints(found.iter().copied(), args.maxneighbors, args.neighbors)
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

pub(crate) fn dist_graph_create_adjacent(context: &mut Context, args: DistGraphCreateAdjacent) -> Done {
    communicator(context, args.comm)?;
    info::hints(context, args.info)?;
    let known = communicator(context, args.comm)?;
    let own = OwnEdges {
        sources: edges(known, args.indegree, args.sources, args.sourceweights)?,
        destinations: edges(known, args.outdegree, args.destinations, args.destweights)?,
        weights: weights_given(args.sourceweights),
    };
    args.newcomm.give(make(context, args.comm, own, args.info)?)
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

pub(crate) fn dist_graph_create(context: &mut Context, args: DistGraphCreate) -> Done {
    communicator(context, args.comm)?;
    info::hints(context, args.info)?;
    let known = communicator(context, args.comm)?;
    let mut parcels = vec![Vec::new(); known.group.size()];
    let (sources, degrees) = (ints(args.sources, args.n)?, ints(args.degrees, args.n)?.to_vec());
    if let Some(&degree) = degrees.iter().find(|&&degree| degree < 0) {
        return Err(MpiError::Argument(format!("the degree {degree} of a rank is negative")));
    }
    let total = degrees.iter().try_fold(0, |sum: c_int, &degree| sum.checked_add(degree));
    let total = total.ok_or_else(|| MpiError::Argument("too many edges".into()))?;
    let listed = edges(known, total, args.destinations, args.weights)?;
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
    let dealt = deal_out(context, args.comm, &parcels)?;
    let weights = weights_given(args.weights);
    let mut own = OwnEdges { sources: Vec::new(), destinations: Vec::new(), weights };
    for bytes in dealt.chunks_exact(EDGE_BYTES) {
        let edge = Edge { rank: word(&bytes[4..]), weight: word(&bytes[8..]) };
        if word(bytes) == GOES_OUT { own.destinations.push(edge) } else { own.sources.push(edge) }
    }
    args.newcomm.give(make(context, args.comm, own, args.info)?)
}

fn own_edges(context: &mut Context, comm: CommunicatorId) -> Result<&OwnEdges> {
    match communicator(context, comm)?.topology.as_deref() {
        Some(VirtualTopology::Distributed(own)) => Ok(own),
        _ => Err(MpiError::Topology("the communicator is not a distributed graph".into())),
    }
}

pub(crate) fn dist_graph_neighbors_count(context: &mut Context, args: DistGraphNeighborsCount) -> Done {
    let own = own_edges(context, args.comm)?;
    args.indegree.set(own.sources.len() as c_int);
    args.outdegree.set(own.destinations.len() as c_int);
    args.weighted.give(c_int::from(own.weights == Weights::Given))
}

pub(crate) fn dist_graph_neighbors(context: &mut Context, args: DistGraphNeighbors) -> Done {
    let own = own_edges(context, args.comm)?;
    // Without weights the program need not have room for them.
    let write = |edges: &[Edge], room, ranks, weights: *mut c_int| {
        write_ints(edges.iter().map(|edge| edge.rank), room, ranks)?;
        let is_array = ![MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY].contains(&(weights as usize));
        if own.weights == Weights::Given && is_array {
            write_ints(edges.iter().map(|edge| edge.weight), room, weights)?;
        }
        Ok(())
    };
    write(&own.sources, args.maxindegree, args.sources, args.sourceweights)?;
    write(&own.destinations, args.maxoutdegree, args.destinations, args.destweights)
}
