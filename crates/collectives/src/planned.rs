//! A call as a plan: for files, in which calls stand as programs made them.

use super::{Blocks, Choice, Neighbors, Place, Plan, Sides};
use weir_operations::{Collective, Function, Lengths, Root};

/// The negative number that stands for a block that is not sent or received.
const NOBODY: i32 = -2;

impl Plan {
    /// The plan of a call for a rank of a communicator, with these algorithms; where there are two groups, `sides` are those as the rank
    /// sees them.
    ///
    /// # Errors
    /// When an algorithm is chosen that is not possible for so many ranks.
    pub fn of(
        call: &Collective,
        choice: &Choice,
        place: Place,
        sides: Option<(Place, Sides)>,
    ) -> Result<Self, String> {
        if let Some((all, sides)) = sides {
            return Ok(of_groups(call, choice, all, &sides));
        }
        let root = if let Root::Rank(root) = call.root { root as usize } else { 0 };
        let size = place.size;
        let own = |bytes: u64| {
            Blocks::uneven((0..size).map(|rank| if rank == place.rank { bytes as usize } else { 0 }))
        };
        Ok(match (&call.lengths, call.function) {
            (Lengths::Bytes(bytes), Function::Gatherv) => Self::gatherv(place, root, own(*bytes)),
            (Lengths::Bytes(bytes), Function::Scatterv) => Self::scatterv(place, root, own(*bytes)),
            (Lengths::Bytes(bytes), function) => {
                let bytes = *bytes as usize;
                match function {
                    Function::Bcast => Self::bcast(choice, place, root, bytes),
                    Function::Gather => Self::gather(choice, place, root, bytes),
                    Function::Scatter => Self::scatter(choice, place, root, bytes),
                    Function::Allgather => Self::allgather(choice, place, bytes),
                    Function::Alltoall => Self::alltoall(choice, place, bytes)?,
                    Function::Scan => Self::scan(choice, place, bytes),
                    _ => Self::exscan(choice, place, bytes),
                }
            }
            (Lengths::Elements { bytes, element, operands }, function) => {
                let extent = *element as usize;
                let elements = (*bytes as usize).checked_div(extent).unwrap_or(0);
                match function {
                    Function::Reduce => Self::reduce(choice, place, root, elements, extent, *operands),
                    _ => Self::allreduce(choice, place, elements, extent, *operands),
                }
            }
            (Lengths::Blocks(list), Function::Gatherv) => Self::gatherv(place, root, blocks(list, size)),
            (Lengths::Blocks(list), Function::Scatterv) => Self::scatterv(place, root, blocks(list, size)),
            (Lengths::Blocks(list), _) => Self::allgatherv(choice, place, blocks(list, size)),
            (Lengths::Combined { blocks: list, element, operands }, _) => {
                Self::reduce_scatter(choice, place, blocks(list, size), *element as usize, *operands)
            }
            (Lengths::Exchange { out, into }, _) => {
                Self::alltoallv(choice, place, blocks(out, size), blocks(into, size))?
            }
            (Lengths::Neighbors(around), _) => {
                let ranks = |ranks: &[Option<u32>]| {
                    ranks.iter().map(|rank| rank.map_or(NOBODY, |rank| rank as i32)).collect()
                };
                let neighbors = Neighbors {
                    sources: ranks(&around.sources),
                    destinations: ranks(&around.destinations),
                    arrival: around.arrival.iter().map(|&place| place as usize).collect(),
                };
                let listed = |list: &[u64]| Blocks::uneven(list.iter().map(|&bytes| bytes as usize));
                Self::neighbors(neighbors, listed(&around.out), listed(&around.into))
            }
            (Lengths::Given { into, .. }, _) => Self::allgatherv(choice, place, blocks(into, size)),
            (Lengths::None, Function::Split) => Self::split(place),
            (Lengths::None, _) => Self::barrier(choice, place),
        })
    }
}

fn blocks(list: &[u64], count: usize) -> Blocks {
    match list {
        [bytes] => Blocks::Even { count, bytes: *bytes as usize },
        list => Blocks::uneven(list.iter().map(|&bytes| bytes as usize)),
    }
}

/// The plan of a call between two groups.
fn of_groups(of: &Collective, choice: &Choice, all: Place, sides: &Sides) -> Plan {
    let root = of.root;
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
            let (elements, commutes) = ((*bytes as usize).checked_div(extent).unwrap_or(0), *operands);
            match function {
                Function::Reduce => sides.reduce(choice, root, elements, extent, commutes),
                _ => sides.allreduce(choice, elements, extent, commutes),
            }
        }
        (Lengths::Combined { blocks: list, element, operands }, _) => {
            let own = blocks(list, sides.local.size);
            sides.reduce_scatter(choice, own, *element as usize, *operands)
        }
        (_, Function::Split) => Plan::split(all),
        (_, Function::Merge) => Plan::merge(all),
        (Lengths::None | Lengths::Neighbors(_), _) => Plan::barrier(choice, all),
    }
}
