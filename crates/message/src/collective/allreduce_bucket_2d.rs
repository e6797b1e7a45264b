//! All-reduce by the bucket algorithm in two dimensions (Jain, Sabharwal: "Optimal bucket algorithms for large MPI
//! collectives on torus interconnects", 2010): ranks lie in a grid, row after row, as square as their number allows.
//! Rings in the rows reduce and scatter the vector, rings in the columns reduce what a row has left to each and hand
//! the results around, and the rows hand them around again. Operands meet in ring order, so the operation must
//! commute. Workspace: the vector, then room for what comes.

use super::{Blocks, Place, Round, Schedule, Side};
use std::ops::Range;

pub(super) struct Bucket2d {
    row: Place,
    column: Place,
    /// The vector in as many blocks as there are ranks: for each place in a row, one for each place in a column.
    blocks: Blocks,
}

impl Bucket2d {
    pub(super) fn new(place: Place, elements: usize, extent: usize) -> Self {
        let Place { rank, size } = place;
        let rows = (1..=size.isqrt()).rev().find(|&rows| size.is_multiple_of(rows)).unwrap_or(1);
        let columns = size / rows;
        Self {
            row: Place { rank: rank % columns, size: columns },
            column: Place { rank: rank / columns, size: rows },
            blocks: Blocks::Shares { count: size, elements, extent },
        }
    }

    /// Bytes of the vector and of the room.
    pub(super) fn workspace(&self) -> usize {
        let part = |number: usize| self.blocks.ranges(self.of_row(number)).len();
        self.blocks.total() + (0..self.row.size).map(part).max().unwrap_or(0)
    }

    /// The blocks that travel along rows together.
    fn of_row(&self, number: usize) -> Range<usize> {
        number * self.column.size..(number + 1) * self.column.size
    }

    /// A step along the row.
    fn along_row(&self, step: usize, round: &mut Round) {
        let rank = |place: usize| self.column.rank * self.row.size + place;
        let part = |number: usize| self.blocks.ranges(self.of_row(number));
        self.step(self.row, step, rank, part, round);
    }

    /// A step along the column, with the blocks that the row has left to it.
    fn along_column(&self, step: usize, round: &mut Round) {
        let rank = |place: usize| place * self.row.size + self.row.rank;
        let first = self.of_row(self.row.after(1)).start;
        let part = |number: usize| self.blocks.range(first + number);
        self.step(self.column, step, rank, part, round);
    }

    /// A step of a ring, as in `allreduce_ring`: one round less than there are places reduces, as many hand around.
    fn step(
        &self,
        ring: Place,
        step: usize,
        rank: impl Fn(usize) -> usize,
        part: impl Fn(usize) -> Range<usize>,
        round: &mut Round,
    ) {
        let (out, into) = (part(ring.before(step)), part(ring.before(step + 1)));
        round.send(rank(ring.after(1)), out);
        if step + 1 < ring.size {
            let room = self.blocks.total()..self.blocks.total() + into.len();
            round.receive(rank(ring.before(1)), room.clone());
            round.reduce(room, into.start, Side::Left);
        } else {
            round.receive(rank(ring.before(1)), into);
        }
    }
}

impl Schedule for Bucket2d {
    fn rounds(&self) -> usize {
        2 * (self.row.size - 1) + 2 * (self.column.size - 1)
    }

    fn round(&self, index: usize, round: &mut Round) {
        let (half_row, columns) = (self.row.size - 1, 2 * (self.column.size - 1));
        if index < half_row {
            self.along_row(index, round);
        } else if index < half_row + columns {
            self.along_column(index - half_row, round);
        } else {
            self.along_row(index - columns, round);
        }
    }
}
