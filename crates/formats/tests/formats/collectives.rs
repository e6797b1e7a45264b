//! Random collectives of profiles.

use crate::profiles::RANKS;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use weir_formats::profile::{
    Collective, Combines, Element, Function, Lengths, Neighbours, Operands, Operation, Root,
};

fn blocks() -> impl Strategy<Value = Box<[u64]>> {
    prop_oneof![vec(0..1u64 << 40, 1), vec(0..1u64 << 40, RANKS as usize)].prop_map(Vec::into)
}

fn operands() -> impl Strategy<Value = Operands> {
    select(vec![Operands::Commute, Operands::Ordered])
}

pub(crate) fn collective() -> impl Strategy<Value = Collective> {
    let rootless = |function, lengths| Collective::new(function, Root::None, lengths);
    let at = |function, root, lengths| Collective::new(function, Root::Rank(root), lengths);
    let plain = select(vec![Function::Allgather, Function::Alltoall, Function::Scan, Function::Exscan]);
    let rooted =
        [Function::Bcast, Function::Gather, Function::Scatter, Function::Gatherv, Function::Scatterv];
    let rooted = select(rooted.to_vec());
    let around = vec((0..RANKS, 0..1000u64), 0..5).prop_map(|around| {
        let ranks: Vec<Option<u32>> =
            around.iter().map(|(rank, _)| Some(*rank).filter(|&rank| rank > 0)).collect();
        let bytes: Vec<u64> = around.iter().map(|(_, bytes)| *bytes).collect();
        let arrival = (0..around.len() as u32).rev().collect();
        Neighbours { destinations: ranks.clone(), sources: ranks, arrival, out: bytes.clone(), into: bytes }
    });
    prop_oneof![
        Just(rootless(Function::Barrier, Lengths::None)),
        Just(rootless(Function::Split, Lengths::None)),
        (plain, 0..1u64 << 50).prop_map(move |(function, bytes)| rootless(function, Lengths::Bytes(bytes))),
        (rooted, 0..RANKS, 0..1u64 << 50).prop_map(move |(function, root, bytes)| at(
            function,
            root,
            Lengths::Bytes(bytes)
        )),
        (0..RANKS, 0..1u64 << 20, 1..100u32, operands()).prop_map(
            move |(root, elements, element, operands)| {
                let bytes = elements * u64::from(element);
                at(Function::Reduce, root, Lengths::Elements { bytes, element, operands })
            }
        ),
        (0..1u64 << 20, operands()).prop_map(move |(elements, operands)| {
            let lengths = Lengths::Elements { bytes: 8 * elements, element: 8, operands };
            rootless(Function::Allreduce, lengths)
        }),
        blocks().prop_map(move |blocks| rootless(Function::Allgatherv, Lengths::Blocks(blocks))),
        (0..RANKS, blocks()).prop_map(move |(root, blocks)| at(
            Function::Gatherv,
            root,
            Lengths::Blocks(blocks)
        )),
        (blocks(), operands()).prop_map(move |(blocks, operands)| {
            rootless(Function::ReduceScatter, Lengths::Combined { blocks, element: 1, operands })
        }),
        vec(0..1u64 << 30, 2 * RANKS as usize).prop_map(move |both| {
            let (out, into) = both.split_at(RANKS as usize);
            rootless(Function::Alltoallv, Lengths::Exchange { out: out.into(), into: into.into() })
        }),
        around.prop_map(move |around| rootless(Function::Neighbours, Lengths::Neighbours(Box::new(around)))),
    ]
}

/// Of some that combine it is known what.
pub(crate) fn known(collective: impl Strategy<Value = Collective>) -> impl Strategy<Value = Collective> {
    let name = |names: &'static [&'static str]| proptest::option::of(proptest::sample::select(names));
    let names = (name(Combines::operations()), name(Combines::elements()));
    (collective, names).prop_map(|(collective, (operation, element))| {
        let combines = Combines {
            operation: operation.and_then(Operation::named),
            element: element.and_then(Element::named),
        };
        let is_combining = collective.function.combines();
        if is_combining { Collective { combines, ..collective } } else { collective }
    })
}

/// Between two groups of two ranks each.
pub(crate) fn collective_between() -> impl Strategy<Value = Collective> {
    let root = || prop_oneof![(0..2u32).prop_map(Root::Rank), Just(Root::Here), Just(Root::Elsewhere)];
    let two = || prop_oneof![vec(0..1u64 << 40, 1), vec(0..1u64 << 40, 2)].prop_map(Vec::into_boxed_slice);
    let rootless = |function, lengths| Collective::new(function, Root::None, lengths);
    let elements = |elements: u64, operands| Lengths::Elements { bytes: 8 * elements, element: 8, operands };
    prop_oneof![
        Just(rootless(Function::Barrier, Lengths::None)),
        Just(rootless(Function::Split, Lengths::None)),
        Just(rootless(Function::Merge, Lengths::None)),
        (root(), 0..1u64 << 50).prop_map(|(root, bytes)| Collective::new(
            Function::Bcast,
            root,
            Lengths::Bytes(bytes)
        )),
        (root(), 0..1u64 << 20, operands()).prop_map(move |(root, count, operands)| Collective::new(
            Function::Reduce,
            root,
            elements(count, operands)
        )),
        (root(), two()).prop_map(|(root, blocks)| Collective::new(
            Function::Gatherv,
            root,
            Lengths::Blocks(blocks)
        )),
        (1..1u64 << 40, two()).prop_map(move |(bytes, into)| {
            rootless(Function::Allgatherv, Lengths::Given { bytes, into })
        }),
        vec(0..1u64 << 30, 4).prop_map(move |both| {
            let (out, into) = both.split_at(2);
            rootless(Function::Alltoallv, Lengths::Exchange { out: out.into(), into: into.into() })
        }),
        (two(), operands()).prop_map(move |(blocks, operands)| {
            rootless(Function::ReduceScatter, Lengths::Combined { blocks, element: 1, operands })
        }),
    ]
}
