//! Collectives between the two groups of an intercommunicator.

use super::{blocks, element, listed, short};
use crate::twins::Twin;
use weir_formats::profile::{Collective, Function, Lengths, Root};
use weir_message::collective::{Between, Blocks, Choice, Place, Plan, Root as Where, Sides};

pub(super) fn of_arguments(arguments: &Between, sides: &Sides) -> Option<Collective> {
    let (root, function, lengths) = match arguments {
        Between::Bcast { root, bytes } => (*root, Function::Bcast, Lengths::Bytes(*bytes as u64)),
        Between::Gather { root, blocks } => (*root, Function::Gatherv, of_rooted(*root, blocks, sides)),
        Between::Scatter { root, blocks } => (*root, Function::Scatterv, of_rooted(*root, blocks, sides)),
        Between::Reduce { root, elements, extent, commutes } => {
            let (element, operands) = element(*extent, *commutes)?;
            let bytes = (elements * extent) as u64;
            (*root, Function::Reduce, Lengths::Elements { bytes, element, operands })
        }
        rootless => {
            let (function, lengths) = of_rootless(rootless, sides)?;
            return Some(Collective::new(function, Root::None, lengths));
        }
    };
    let root = match root {
        Where::Here => Root::Here,
        Where::Local => Root::Elsewhere,
        Where::Remote(rank) => Root::Rank(rank as u32),
    };
    Some(Collective::new(function, root, lengths))
}

/// Those of the other group at the root, elsewhere the own one.
fn of_rooted(root: Where, blocks: &Blocks, sides: &Sides) -> Lengths {
    match root {
        Where::Here => Lengths::Blocks(short(listed(blocks, sides.remote))),
        Where::Local => Lengths::Bytes(0),
        Where::Remote(_) => Lengths::Bytes(blocks.total() as u64),
    }
}

fn of_rootless(arguments: &Between, sides: &Sides) -> Option<(Function, Lengths)> {
    Some(match arguments {
        Between::Allgather { bytes, into } => {
            let into = short(listed(into, sides.remote));
            let lengths = match *bytes as u64 {
                0 => Lengths::Blocks(into),
                bytes => Lengths::Given { bytes, into },
            };
            (Function::Allgatherv, lengths)
        }
        Between::Alltoall { out, into } => {
            let (out, into) = (listed(out, sides.remote), listed(into, sides.remote));
            (Function::Alltoallv, Lengths::Exchange { out: out.into(), into: into.into() })
        }
        Between::Allreduce { elements, extent, commutes } => {
            let (element, operands) = element(*extent, *commutes)?;
            let bytes = (elements * extent) as u64;
            (Function::Allreduce, Lengths::Elements { bytes, element, operands })
        }
        Between::ReduceScatter { blocks, extent, commutes } => {
            let (element, operands) = element(*extent, *commutes)?;
            let blocks = short(listed(blocks, sides.local.size));
            (Function::ReduceScatter, Lengths::Combined { blocks, element, operands })
        }
        _ => return None,
    })
}

/// The plan of one. The profile is checked: these are all forms that it has between two groups.
pub(super) fn plan(of: &Collective, choice: &Choice, all: Place, sides: &Sides) -> Plan {
    let root = match of.root {
        Root::Here => Where::Here,
        Root::Rank(rank) => Where::Remote(rank as usize),
        Root::Elsewhere | Root::None => Where::Local,
    };
    let of_remote = |list: &[u64]| blocks(list, sides.remote);
    let own = |bytes: u64| Blocks::Even { count: 1, bytes: bytes as usize };
    match (&of.lengths, of.function) {
        (Lengths::Bytes(bytes), Function::Gatherv) => sides.gather(root, &own(*bytes)),
        (Lengths::Bytes(bytes), Function::Scatterv) => sides.scatter(root, &own(*bytes)),
        (Lengths::Bytes(bytes), _) => sides.bcast(choice, root, *bytes as usize),
        (Lengths::Blocks(list), Function::Gatherv) => sides.gather(root, &of_remote(list)),
        (Lengths::Blocks(list), Function::Scatterv) => sides.scatter(root, &of_remote(list)),
        (Lengths::Blocks(list), _) => sides.allgather(0, &of_remote(list)),
        (Lengths::Given { bytes, into }, _) => sides.allgather(*bytes as usize, &of_remote(into)),
        (Lengths::Exchange { out, into }, _) => sides.alltoall(&of_remote(out), &of_remote(into)),
        (Lengths::Elements { bytes, element, operands }, function) => {
            let extent = *element as usize;
            let (elements, commutes) = ((*bytes as usize).checked_div(extent).unwrap_or(0), operands.twin());
            match function {
                Function::Reduce => sides.reduce(choice, root, elements, extent, commutes),
                _ => sides.allreduce(choice, elements, extent, commutes),
            }
        }
        (Lengths::Combined { blocks: list, element, operands }, _) => {
            let own = blocks(list, sides.local.size);
            sides.reduce_scatter(choice, own, *element as usize, operands.twin())
        }
        (Lengths::None | Lengths::Neighbours(_), Function::Split) => Plan::split(all),
        // As the interface layer asks for it.
        (Lengths::None | Lengths::Neighbours(_), Function::Merge) => {
            Plan::allgather(&Choice::default(), all, 1)
        }
        (Lengths::None | Lengths::Neighbours(_), _) => Plan::barrier(choice, all),
    }
}
