//! Broadcast of long messages after van de Geijn (Barnett et al.: "Interprocessor collective communication library
//! (InterCom)", 1994; Thakur, Rabenseifner, Gropp 2005, section 4): the message is cut into as many parts as there are
//! ranks, the parts go out along a binomial tree, and an all-gather, along a ring or by recursive doubling, brings them
//! together. Ranks are counted from the root. Workspace: the message.

use super::binomial_tree::BinomialTree;
use super::sequence::Sequence;
use super::{Blocks, Place, Round, Schedule, Transfer, allgather_recursive_doubling, allgather_ring};
use std::rc::Rc;

/// The broadcast whose parts come together along a ring.
pub(super) fn ring(place: Place, root: usize, bytes: usize) -> Rc<dyn Schedule> {
    with(place, root, bytes, |place, blocks| Rc::new(allgather_ring::Ring { place, blocks, rings: 1 }))
}

/// The broadcast whose parts come together by recursive doubling.
pub(super) fn recursive_doubling(place: Place, root: usize, bytes: usize) -> Rc<dyn Schedule> {
    with(place, root, bytes, |place, blocks| {
        Rc::new(allgather_recursive_doubling::RecursiveDoubling { place, blocks })
    })
}

fn with(
    place: Place,
    root: usize,
    bytes: usize,
    allgather: impl FnOnce(Place, Blocks) -> Rc<dyn Schedule>,
) -> Rc<dyn Schedule> {
    let parts = Blocks::Shares { count: place.size, elements: bytes, extent: 1 };
    let place = place.relative_to(root);
    let scatter = Rc::new(Scatter { place, parts: parts.clone() });
    let turned = Turned { schedule: Sequence(scatter, allgather(place, parts)), root, size: place.size };
    Rc::new(turned)
}

/// Part r goes from rank 0 to rank r, in place.
struct Scatter {
    place: Place,
    parts: Blocks,
}

impl Schedule for Scatter {
    fn rounds(&self) -> usize {
        BinomialTree::new(self.place, 0).rounds_downwards()
    }

    fn round(&self, index: usize, round: &mut Round) {
        let tree = BinomialTree::new(self.place, 0);
        if let Some(distance) = tree.child_of_round(index) {
            let child = tree.rank + distance;
            round.send(child, self.parts.ranges(child..child + tree.behind(distance)));
        } else if let Some(parent) = tree.parent() {
            round.receive(parent, self.parts.ranges(tree.rank..tree.rank + tree.subtree()));
        }
    }
}

/// A schedule for ranks that are counted from a root.
struct Turned<S> {
    schedule: S,
    root: usize,
    size: usize,
}

impl<S: Schedule> Schedule for Turned<S> {
    fn rounds(&self) -> usize {
        self.schedule.rounds()
    }

    fn round(&self, index: usize, round: &mut Round) {
        self.schedule.round(index, round);
        for Transfer { peer, .. } in round.sends.iter_mut().chain(&mut round.receives) {
            *peer = ((*peer as usize + self.root) % self.size) as u32;
        }
    }
}
