//! Ranks as sequences of tokens: operations and the numbers of their lists, each with a shape and numbers.

use crate::cells::{Cell, List, take};
use crate::families::{Families, local};
use weir_formats::profile::Profile;
use weir_operations::{Operation, WORLD};
use weir_units::Rank;

/// The shape of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// An operation whose numbers are left out. Its communicator is a code of its family.
    Operation(Operation),
    /// A number of a list of the operation that comes next.
    Item(List),
}

/// A shape, and the meaning of its numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) form: Form,
    pub(crate) cells: Vec<Cell>,
    /// The code of the communicator to which ranks belong.
    pub(crate) communicator: u32,
}

impl Shape {
    /// The word of the operation, or of the list.
    pub(crate) fn name(&self) -> &'static str {
        match &self.form {
            Form::Operation(operation) => operation.name(),
            Form::Item(list) => list.name(),
        }
    }
}

/// All shapes of all profiles, by numbers.
#[derive(Debug, Default)]
pub(crate) struct Shapes(pub(crate) Vec<Shape>);

impl Shapes {
    fn number(&mut self, shape: Shape) -> u32 {
        let found = self.0.iter().position(|known| *known == shape);
        let place = found.unwrap_or_else(|| {
            self.0.push(shape);
            self.0.len() - 1
        });
        place as u32
    }
}

/// The tokens of a rank.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    pub(crate) shapes: Vec<u32>,
    /// Where the numbers of each token begin.
    starts: Vec<u32>,
    values: Vec<i64>,
    /// The work before each token, in picoseconds.
    pub(crate) compute: Vec<u64>,
}

impl Sequence {
    pub(crate) fn values(&self, token: usize) -> &[i64] {
        let end = self.starts.get(token + 1).map_or(self.values.len(), |&end| end as usize);
        &self.values[self.starts[token] as usize..end]
    }

    fn push(&mut self, shape: u32, values: &[i64], compute: u64) {
        self.shapes.push(shape);
        self.starts.push(self.values.len() as u32);
        self.values.extend_from_slice(values);
        self.compute.push(compute);
    }
}

/// A profile as tokens.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) ranks: u32,
    pub(crate) families: Families,
    pub(crate) sequences: Vec<Sequence>,
    /// Looks in vain, which are left out.
    pub(crate) polls: u64,
}

impl Run {
    /// Takes a profile apart.
    ///
    /// # Errors
    /// When it has something that is not extrapolated, in words.
    pub(crate) fn of(profile: &Profile, shapes: &mut Shapes) -> Result<Self, String> {
        let families = Families::of(profile)?;
        let ranks = profile.ranks() as u32;
        let mut run = Self { ranks, families, sequences: Vec::new(), polls: 0 };
        for rank in 0..ranks {
            let sequence = run.sequence(profile, rank, shapes)?;
            run.sequences.push(sequence);
        }
        Ok(run)
    }

    fn sequence(&mut self, profile: &Profile, rank: u32, shapes: &mut Shapes) -> Result<Sequence, String> {
        let mut sequence = Sequence::default();
        let mut open = Open::default();
        let mut carried = 0;
        for (place, step) in profile.steps(Rank(rank)).iter().enumerate() {
            let compute = carried + step.compute.as_ps();
            if let Operation::Poll { .. } = step.operation {
                (carried, self.polls) = (compute, self.polls + 1);
                continue;
            }
            carried = 0;
            let mut operation = step.operation.clone();
            let parts = take(&mut operation);
            let communicator = operation.communicator_mut().map_or(WORLD, |number| {
                *number = self.families.code(*number);
                *number
            });
            for &(list, number) in &parts.items {
                let (cells, values) = match list {
                    List::Requests => {
                        let oldest = open.place(number).ok_or_else(|| {
                            format!("rank {rank}, step {place}: request {number} is not under way")
                        })?;
                        let newest = (open.0.len() - 1) as i64 - oldest;
                        (vec![Cell::FromOldest, Cell::FromNewest], vec![oldest, newest])
                    }
                    List::Group => (vec![Cell::Rank], vec![number]),
                    List::First | List::Second => (vec![Cell::Bytes], vec![number]),
                };
                let shape = Shape { form: Form::Item(list), cells, communicator };
                sequence.push(shapes.number(shape), &values, 0);
            }
            open.pass(&operation, parts.items.iter().map(|item| item.1), parts.starts);
            let shape = Shape { form: Form::Operation(operation), cells: parts.kinds, communicator };
            sequence.push(shapes.number(shape), &parts.values, compute);
        }
        Ok(sequence)
    }

    /// The rank of a rank of the world in its communicator of this code, and how many there are.
    pub(crate) fn local(&self, code: u32, rank: u32) -> Option<(u32, u32)> {
        local(&self.families.list, self.ranks, code, rank)
    }
}

/// Requests and messages under way of a rank, from the oldest.
#[derive(Debug, Default)]
pub(crate) struct Open(Vec<i64>);

impl Open {
    /// The place of a request, from the oldest.
    pub(crate) fn place(&self, request: i64) -> Option<i64> {
        self.0.iter().position(|&number| number == request).map(|place| place as i64)
    }

    /// The request at a place from the oldest.
    pub(crate) fn at(&self, place: i64) -> Option<i64> {
        self.0.get(usize::try_from(place).ok()?).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The lowest number that is free.
    pub(crate) fn free(&self) -> u32 {
        let mut taken = self.0.clone();
        taken.sort_unstable();
        let mut free = 0;
        for number in taken {
            free += i64::from(number == free);
        }
        free as u32
    }

    /// Notes that an operation names requests, and begins one.
    pub(crate) fn pass(
        &mut self,
        operation: &Operation,
        named: impl Iterator<Item = i64>,
        starts: Option<u32>,
    ) {
        let ends = matches!(
            operation,
            Operation::Wait { .. } | Operation::Release { .. } | Operation::ReceiveMatched { .. }
        );
        let goes_on = matches!(operation, Operation::ReceiveMatched { request: Some(_), .. });
        for number in named.filter(|_| ends) {
            self.0.retain(|&open| open != number);
            if goes_on {
                self.0.push(number);
            }
        }
        self.0.extend(starts.map(i64::from));
    }
}
