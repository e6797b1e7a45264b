//! Barriers, and broadcasts and reductions of a few bytes, that the interfaces carry out by themselves, as the barrier interface of Tofu does
//! (Ajima et al.: "The Tofu Interconnect D", 2018): processors only begin them and see their end. In which steps is not published; here
//! the ranks are a closed grid ([`JobGrid`]), and for each of its sides, in turn, the interfaces of a row send what they have to each
//! other. Between them rows of the first sides cover consecutive ranks, so that operands keep their order, and all ranks
//! combine them in the same one. In a broadcast only those send that have the data, to those of their row. Workspace: the data, then room
//! for those of a row.

use super::grid::JobGrid;
use super::{MemoryBlocks, Place, Round, Schedule, Side};

/// The longest message of a broadcast, in bytes.
const BCAST: usize = 32;

/// The longest operand of a reduction.
const REDUCE: usize = 12;

/// What the interfaces do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A barrier, and a reduction whose result all have.
    Combine,
    /// A broadcast from this rank.
    Broadcast(usize),
}

pub(super) struct Hardware {
    rank: usize,
    grid: JobGrid,
    bytes: usize,
    task: Task,
}

impl Hardware {
    /// `None` if the interfaces cannot: the communicator has not one rank for each place of the grid, or the data are too long.
    pub(super) fn new(grid: &JobGrid, place: Place, bytes: usize, task: Task) -> Option<Self> {
        let most = if task == Task::Combine { REDUCE } else { BCAST };
        let can = grid.has_places_for(place.size) && bytes <= most;
        can.then(|| Self { rank: place.rank, grid: grid.clone(), bytes, task })
    }

    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        let longest = self.sides().map(|(_, side)| side).max().unwrap_or(0);
        self.bytes * if self.task == Task::Combine { 1 + longest } else { 1 }
    }

    /// How far apart neighbours along a side are, and how long it is; sides of one place are left out.
    fn sides(&self) -> impl Iterator<Item = (usize, usize)> {
        let distances = self.grid.sides().iter().scan(1, |distance, &side| {
            let own = (*distance, side as usize);
            *distance *= side as usize;
            Some(own)
        });
        distances.filter(|&(_, side)| side > 1)
    }

    /// What comes from each of a row, and its combination in the order of ranks.
    fn combine(&self, row: &Row, round: &mut Round) {
        let bytes = self.bytes;
        let room = |place: usize| bytes * (1 + place)..bytes * (2 + place);
        for place in (0..row.side).filter(|&place| place != row.own) {
            round.send(row.rank(place), 0..bytes);
            round.receive(row.rank(place), room(place));
        }
        if bytes == 0 {
            return;
        }
        if row.own > 0 {
            round.copy(0..bytes, room(row.own).start);
            round.copy(room(0), 0);
        }
        (1..row.side).for_each(|place| round.reduce(room(place), 0, Side::Right));
    }

    /// From the one of a row that has the data to the others.
    fn broadcast(&self, root: usize, row: &Row, round: &mut Round) {
        // Rows along earlier sides have been served; along later ones only that of the root has the data.
        if self.rank / (row.distance * row.side) != root / (row.distance * row.side) {
            return;
        }
        let has = root / row.distance % row.side;
        if has == row.own {
            let others = (0..row.side).filter(|&place| place != has);
            others.for_each(|place| round.send(row.rank(place), 0..self.bytes));
        } else {
            round.receive(row.rank(has), 0..self.bytes);
        }
    }
}

/// The ranks along a side that this one is among.
struct Row {
    first: usize,
    distance: usize,
    side: usize,
    /// The place of this rank.
    own: usize,
}

impl Row {
    fn rank(&self, place: usize) -> usize {
        self.first + place * self.distance
    }
}

impl Schedule for Hardware {
    fn rounds(&self) -> usize {
        self.sides().count()
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Some((distance, side)) = self.sides().nth(index) else { return };
        let own = self.rank / distance % side;
        let row = Row { first: self.rank - own * distance, distance, side, own };
        match self.task {
            Task::Combine => self.combine(&row, round),
            Task::Broadcast(root) => self.broadcast(root, &row, round),
        }
    }

    fn blocks(&self) -> Option<MemoryBlocks> {
        Some([0; 3])
    }
}
