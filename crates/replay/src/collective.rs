//! Collectives as the message layer plans them, and as a profile records them; those between the two groups of an intercommunicator
//! behind the others.

use crate::twins::Twin;
use std::rc::Rc;
use weir_collectives::{Arguments, Between, Blocks, Choice, Commutes, Place, Plan, Root as Where, Sides};
use weir_formats::profile::{Collective, Combines, Element, Function, Lengths, Neighbors, Operation, Root};
use weir_message::{
    Combining, Communicator, ElementName, MpiError, OperationName, PROC_NULL, Reduction, WithoutData,
};

/// Who takes part in a collective.
#[derive(Clone, Copy)]
pub(crate) struct Parties {
    /// The rank's place in its own group.
    place: Place,
    /// Its place among all, where there are two groups, and the groups as it sees them.
    between: Option<(Place, Sides)>,
}

impl Parties {
    pub(crate) fn of(communicator: &Communicator) -> Self {
        let place = Place { rank: communicator.rank as usize, size: communicator.group.size() };
        let between = communicator.sides().map(|sides| (communicator.place(), sides));
        Self { place, between }
    }
}

/// The collective of a plan, for a profile; `None` where it cannot hold it.
pub(crate) fn of_plan(plan: &Plan, combining: Combining, parties: Parties) -> Option<Collective> {
    let of_lengths = of_arguments(plan, parties)?;
    Some(Collective { combines: names_of(combining), ..of_lengths })
}

fn of_arguments(plan: &Plan, parties: Parties) -> Option<Collective> {
    use weir_collectives::Function as Of;
    use weir_collectives::Lengths as Given;
    let Arguments { root, lengths } = &plan.arguments;
    let Parties { place, between } = parties;
    if let Given::Between(arguments) = lengths {
        return of_groups(arguments, &between?.1);
    }
    let function = match (plan.call.function(), lengths) {
        (Of::Barrier, Given::None) => Function::Barrier,
        (Of::Allgather, Given::Bytes(1)) if between.is_some() => Function::Merge,
        (Of::Allgather, Given::Split) => Function::Split,
        (Of::Bcast, Given::Bytes(_)) => Function::Bcast,
        (Of::Reduce, Given::Elements { .. }) => Function::Reduce,
        (Of::Allreduce, Given::Elements { .. }) => Function::Allreduce,
        (Of::Gather, Given::Bytes(_)) => Function::Gather,
        (Of::Gather, Given::Blocks(_)) => Function::Gatherv,
        (Of::Scatter, Given::Bytes(_)) => Function::Scatter,
        (Of::Scatter, Given::Blocks(_)) => Function::Scatterv,
        (Of::Allgather, Given::Bytes(_)) => Function::Allgather,
        (Of::Allgather, Given::Blocks(_)) => Function::Allgatherv,
        (Of::Alltoall, Given::Bytes(_)) => Function::Alltoall,
        (Of::Alltoall, Given::Exchange { .. }) => Function::Alltoallv,
        (Of::Scan, Given::Bytes(_)) => Function::Scan,
        (Of::Exscan, Given::Bytes(_)) => Function::Exscan,
        (Of::ReduceScatter, Given::Combined { .. }) => Function::ReduceScatter,
        (Of::Neighbors, Given::Neighbors { .. }) => Function::Neighbors,
        _ => return None,
    };
    let size = place.size;
    let lengths = match lengths {
        Given::None | Given::Split => Lengths::None,
        Given::Bytes(_) if function == Function::Merge => Lengths::None,
        Given::Between(_) => return None,
        Given::Bytes(bytes) => Lengths::Bytes(*bytes as u64),
        Given::Elements { elements, extent, commutes } => of_elements(*elements, *extent, *commutes)?,
        Given::Blocks(blocks)
            if matches!(function, Function::Gatherv | Function::Scatterv) && place.rank != *root =>
        {
            Lengths::Bytes(blocks.length(place.rank) as u64)
        }
        Given::Blocks(blocks) => Lengths::Blocks(short(listed(blocks, size))),
        Given::Combined { blocks, extent, commutes } => of_combined(blocks, size, *extent, *commutes)?,
        Given::Exchange { out, into } => {
            let (out, into) = (listed(out, size), listed(into, size));
            match (even(&out), even(&into)) {
                (true, true) => Lengths::Exchange { out: short(out), into: short(into) },
                _ => Lengths::Exchange { out: out.into(), into: into.into() },
            }
        }
        Given::Neighbors { neighbors, out, into } => {
            let ranks =
                |ranks: &[i32]| ranks.iter().map(|&rank| u32::try_from(rank).ok()).collect::<Vec<_>>();
            Lengths::Neighbors(Box::new(Neighbors {
                out: listed(out, neighbors.destinations.len()),
                into: listed(into, neighbors.sources.len()),
                destinations: ranks(&neighbors.destinations),
                sources: ranks(&neighbors.sources),
                arrival: neighbors.arrival.iter().map(|&place| place as u32).collect(),
            }))
        }
    };
    let root = if function.has_root() { Root::Rank(*root as u32) } else { Root::None };
    Some(Collective::new(function, root, lengths))
}

fn of_elements(elements: usize, extent: usize, commutes: Commutes) -> Option<Lengths> {
    let element = u32::try_from(extent).ok()?;
    Some(Lengths::Elements { bytes: (elements * extent) as u64, element, operands: commutes.twin() })
}

fn of_combined(blocks: &Blocks, count: usize, extent: usize, commutes: Commutes) -> Option<Lengths> {
    let (blocks, element) = (short(listed(blocks, count)), u32::try_from(extent).ok()?);
    Some(Lengths::Combined { blocks, element, operands: commutes.twin() })
}

fn listed(blocks: &Blocks, count: usize) -> Vec<u64> {
    (0..count).map(|block| blocks.length(block) as u64).collect()
}

fn even(blocks: &[u64]) -> bool {
    blocks.windows(2).all(|pair| pair[0] == pair[1])
}

/// One number where all are equal.
fn short(mut blocks: Vec<u64>) -> Box<[u64]> {
    if even(&blocks) {
        blocks.truncate(1);
    }
    blocks.into()
}

/// The plan of a collective for a rank of its communicator, with these algorithms.
pub(crate) fn plan(of: &Collective, choice: &Choice, parties: Parties) -> Result<Plan, MpiError> {
    let Parties { place, between } = parties;
    if let Some((all, sides)) = between {
        return Ok(plan_of_groups(of, choice, all, &sides));
    }
    let root = if let Root::Rank(root) = of.root { root as usize } else { 0 };
    let size = place.size;
    let own = |bytes: u64| {
        Blocks::uneven((0..size).map(|rank| if rank == place.rank { bytes as usize } else { 0 }))
    };
    Ok(match (&of.lengths, of.function) {
        (Lengths::Bytes(bytes), Function::Gatherv) => Plan::gatherv(place, root, own(*bytes)),
        (Lengths::Bytes(bytes), Function::Scatterv) => Plan::scatterv(place, root, own(*bytes)),
        (Lengths::Bytes(bytes), function) => {
            let bytes = *bytes as usize;
            match function {
                Function::Bcast => Plan::bcast(choice, place, root, bytes),
                Function::Gather => Plan::gather(choice, place, root, bytes),
                Function::Scatter => Plan::scatter(choice, place, root, bytes),
                Function::Allgather => Plan::allgather(choice, place, bytes),
                Function::Alltoall => Plan::alltoall(choice, place, bytes).map_err(MpiError::Other)?,
                Function::Scan => Plan::scan(choice, place, bytes),
                _ => Plan::exscan(choice, place, bytes),
            }
        }
        (Lengths::Elements { bytes, element, operands }, function) => {
            let extent = *element as usize;
            let elements = (*bytes as usize).checked_div(extent).unwrap_or(0);
            let commutes = operands.twin();
            match function {
                Function::Reduce => Plan::reduce(choice, place, root, elements, extent, commutes),
                _ => Plan::allreduce(choice, place, elements, extent, commutes),
            }
        }
        (Lengths::Blocks(list), Function::Gatherv) => Plan::gatherv(place, root, blocks(list, size)),
        (Lengths::Blocks(list), Function::Scatterv) => Plan::scatterv(place, root, blocks(list, size)),
        (Lengths::Blocks(list), _) => Plan::allgatherv(choice, place, blocks(list, size)),
        (Lengths::Combined { blocks: list, element, operands }, _) => {
            Plan::reduce_scatter(choice, place, blocks(list, size), *element as usize, operands.twin())
        }
        (Lengths::Exchange { out, into }, _) => {
            Plan::alltoallv(choice, place, blocks(out, size), blocks(into, size)).map_err(MpiError::Other)?
        }
        (Lengths::Neighbors(around), _) => {
            let ranks = |ranks: &[Option<u32>]| {
                ranks.iter().map(|rank| rank.map_or(PROC_NULL, |rank| rank as i32)).collect()
            };
            let neighbors = weir_collectives::Neighbors {
                sources: ranks(&around.sources),
                destinations: ranks(&around.destinations),
                arrival: around.arrival.iter().map(|&place| place as usize).collect(),
            };
            let listed = |list: &[u64]| Blocks::uneven(list.iter().map(|&bytes| bytes as usize));
            Plan::neighbors(neighbors, listed(&around.out), listed(&around.into))
        }
        (Lengths::Given { into, .. }, _) => Plan::allgatherv(choice, place, blocks(into, size)),
        (Lengths::None, Function::Split) => Plan::split(place),
        (Lengths::None, _) => Plan::barrier(choice, place),
    })
}

fn blocks(list: &[u64], count: usize) -> Blocks {
    match list {
        [bytes] => Blocks::Even { count, bytes: *bytes as usize },
        list => Blocks::uneven(list.iter().map(|&bytes| bytes as usize)),
    }
}

/// A plan and what it was made of, kept since programs call the same collectives over and over.
#[derive(Default)]
pub(crate) struct Plans {
    last: Vec<(u32, Collective, Rc<Plan>)>,
}

impl Plans {
    /// Different collectives that are kept.
    const MOST: usize = 8;

    /// The plan of a collective on a communicator.
    pub(crate) fn get(
        &mut self,
        communicator: u32,
        of: &Collective,
        make: impl FnOnce() -> Result<Plan, MpiError>,
    ) -> Result<Rc<Plan>, MpiError> {
        let known = self.last.iter().find(|(number, known, _)| *number == communicator && known == of);
        if let Some((_, _, plan)) = known {
            return Ok(Rc::clone(plan));
        }
        let plan = Rc::new(make()?);
        if self.last.len() == Self::MOST {
            self.last.remove(0);
        }
        self.last.push((communicator, of.clone(), Rc::clone(&plan)));
        Ok(plan)
    }
}

/// Operations of reductions and elements have the same names in the message layer and in profiles.
fn names_of(combining: Combining) -> Combines {
    Combines {
        operation: combining.operation.and_then(|operation| Operation::named(operation.name())),
        element: combining.element.and_then(|element| Element::named(element.name())),
    }
}

/// The reduction of a profile, which has no data; `None` where nothing is known of one.
pub(crate) fn reduction(combines: Combines) -> Reduction {
    let combining = Combining {
        operation: combines.operation.and_then(|operation| OperationName::named(operation.name())),
        element: combines.element.and_then(|element| ElementName::named(element.name())),
    };
    (combining != Combining::default()).then(|| Rc::new(WithoutData(combining)) as _)
}

fn of_groups(arguments: &Between, sides: &Sides) -> Option<Collective> {
    let (root, function, lengths) = match arguments {
        Between::Bcast { root, bytes } => (Some(*root), Function::Bcast, Lengths::Bytes(*bytes as u64)),
        Between::Gather { root, blocks } => (Some(*root), Function::Gatherv, of_rooted(*root, blocks, sides)),
        Between::Scatter { root, blocks } => {
            (Some(*root), Function::Scatterv, of_rooted(*root, blocks, sides))
        }
        Between::Reduce { root, elements, extent, commutes } => {
            (Some(*root), Function::Reduce, of_elements(*elements, *extent, *commutes)?)
        }
        Between::Allgather { bytes, into } => {
            let into = short(listed(into, sides.remote));
            let lengths = match *bytes as u64 {
                0 => Lengths::Blocks(into),
                bytes => Lengths::Given { bytes, into },
            };
            (None, Function::Allgatherv, lengths)
        }
        Between::Alltoall { out, into } => {
            let (out, into) = (listed(out, sides.remote), listed(into, sides.remote));
            (None, Function::Alltoallv, Lengths::Exchange { out: out.into(), into: into.into() })
        }
        Between::Allreduce { elements, extent, commutes } => {
            (None, Function::Allreduce, of_elements(*elements, *extent, *commutes)?)
        }
        Between::ReduceScatter { blocks, extent, commutes } => {
            (None, Function::ReduceScatter, of_combined(blocks, sides.local.size, *extent, *commutes)?)
        }
    };
    let root = match root {
        None => Root::None,
        Some(Where::Here) => Root::Here,
        Some(Where::Local) => Root::Elsewhere,
        Some(Where::Remote(rank)) => Root::Rank(rank as u32),
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

/// The plan of one. The profile is checked: these are all forms that it has between two groups.
fn plan_of_groups(of: &Collective, choice: &Choice, all: Place, sides: &Sides) -> Plan {
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
        (_, Function::Split) => Plan::split(all),
        // As the interface layer asks for it.
        (_, Function::Merge) => Plan::allgather(&Choice::default(), all, 1),
        (Lengths::None | Lengths::Neighbors(_), _) => Plan::barrier(choice, all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Profiles know every operation and element of the message layer, and the other way round.
    #[test]
    fn names_are_the_same() {
        let operations = OperationName::ALL.map(|(name, _)| name);
        assert_eq!(Combines::operations(), operations);
        assert_eq!(Combines::elements(), ElementName::ALL.map(|(name, ..)| name));
    }
}
