//! Steps of ranks of a size that was not recorded, rank by rank.

use crate::cells::{Cell, List, NONE, Numbers, put};
use crate::classes::{Choice, Class, SpotRules, name_of};
use crate::families::{FIRST, Family, local};
use crate::fit::Fit;
use crate::fold::{Index, Node, Part};
use crate::members::Seen;
use crate::quantities::{Place, Size};
use crate::rules::Rule;
use crate::tokens::{Form, Open, Shape};
use std::collections::{BTreeMap, BTreeSet};
use weir_operations::{Operation, Step};
use weir_units::{Duration, Rank};

/// All rules, for so many ranks.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) seen: Seen,
    pub(crate) classes: Vec<Class>,
    pub(crate) choice: Choice,
    /// The communicators there.
    pub(crate) families: Vec<Family>,
    pub(crate) target: u32,
    /// Sizes of the communicators there.
    pub(crate) sizes: BTreeMap<u32, Size>,
}

/// Why a step cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Impossible(pub(crate) String);

/// A number of which two forms fit all that was seen and differ at the size that is asked for, or whose form no size confirms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// The operation, and which of its numbers.
    pub what: String,
    /// The form that was taken.
    pub taken: String,
    /// The first rank of which it is open, and the number there by the form that was taken.
    pub there: (Rank, i64),
    /// Another form that fits and is not much less simple, and the number by it; `None` where all sizes together do no more than
    /// say the numbers of the form that was taken.
    pub other: Option<(String, i64)>,
}

/// The number of ranks of each class that are compared with other forms.
const COMPARED: usize = 24;
/// The number of numbers of a rank that are.
const COMPARED_NUMBERS: usize = 20_000;
/// The most operations of a rank.
const MOST_STEPS: u64 = 1 << 32;

/// Makes the steps of ranks in their order.
pub(crate) struct Generator<'a> {
    model: &'a Model,
    /// The number of ranks of each class that have been made.
    made: Vec<usize>,
    pub(crate) ambiguities: BTreeMap<(usize, usize, usize), Ambiguity>,
    /// The classes of ranks, and how many ranks each has.
    pub(crate) counts: Vec<u64>,
}

impl<'a> Generator<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let classes = model.classes.len();
        Self { model, made: vec![0; classes], ambiguities: BTreeMap::new(), counts: vec![0; classes] }
    }

    /// Makes the steps of a rank.
    ///
    /// # Errors
    /// A number that no operation can have, or what `sink` fails with.
    pub(crate) fn rank<E: From<Impossible>>(
        &mut self,
        rank: u32,
        sink: &mut dyn FnMut(Step) -> Result<(), E>,
    ) -> Result<(), E> {
        let world = &self.model.sizes[&self.model.target];
        let class = self.model.choice.class(world, rank).ok_or_else(|| {
            Impossible(format!(
                "rank {rank}: no rank of the profiles has its place in the grid: give larger ones"
            ))
        })?;
        self.counts[class] += 1;
        let left = if self.made[class] < COMPARED { COMPARED_NUMBERS } else { 0 };
        self.made[class] += 1;
        let mut walk = Walk {
            model: self.model,
            class,
            rank,
            open: Open::default(),
            items: Vec::new(),
            left,
            steps: 0,
            ambiguities: &mut self.ambiguities,
        };
        let tree = &self.model.seen.trees[self.model.classes[class].tree];
        walk.nodes(&tree.nodes, 0, 0, [0; _], sink)
    }
}

/// A rank on its way through the tree of its class.
struct Walk<'a> {
    model: &'a Model,
    class: usize,
    rank: u32,
    open: Open,
    items: Vec<(List, i64)>,
    /// The number of numbers that are still compared with other forms.
    left: usize,
    steps: u64,
    ambiguities: &'a mut BTreeMap<(usize, usize, usize), Ambiguity>,
}

impl<'a> Walk<'a> {
    fn nodes<E: From<Impossible>>(
        &mut self,
        nodes: &[Node],
        mut spot: usize,
        depth: usize,
        mut index: Index,
        sink: &mut dyn FnMut(Step) -> Result<(), E>,
    ) -> Result<(), E> {
        let model = self.model;
        for node in nodes {
            match (&node.part, &model.classes[self.class].spots[spot]) {
                (Part::Loop(body), SpotRules::Loop(rule)) => {
                    let communicator = self.communicator_of(spot);
                    // A loop that never repeats may be of ranks that are in no such communicator.
                    let place = self.place(communicator, index).or_else(|_| self.place(0, index))?;
                    let count = self.number((spot, 0), rule, &place, "repetitions")?;
                    let count = u32::try_from(count).map_err(|_| {
                        Impossible(format!("rank {}: a loop of {count} repetitions", self.rank))
                    })?;
                    for repetition in 0..count {
                        index[depth] = repetition;
                        self.nodes(body, spot + 1, depth + 1, index, sink)?;
                    }
                    index[depth] = 0;
                }
                (Part::Leaf(shape), rules) => {
                    let shape = &model.seen.shapes.0[*shape as usize];
                    if let Some(step) = self.token(spot, shape, rules, index)? {
                        self.steps += 1;
                        if self.steps > MOST_STEPS {
                            return Err(
                                Impossible(format!("rank {} does not come to its end", self.rank)).into()
                            );
                        }
                        sink(step)?;
                    }
                }
                (Part::Loop(_), SpotRules::Token { .. }) => unreachable!("a loop has the rules of a loop"),
            }
            spot += node.size();
        }
        Ok(())
    }

    /// The communicator of what a loop repeats, if it is one.
    fn communicator_of(&self, spot: usize) -> u32 {
        let model = self.model;
        let spots = &model.seen.trees[model.classes[self.class].tree].spots;
        let inside = spots.iter().filter(|inside| inside.loops.contains(&spot));
        let mut all = inside
            .filter_map(|inside| inside.shape)
            .map(|shape| model.seen.shapes.0[shape as usize].communicator);
        let first = all.next().unwrap_or(0);
        if all.all(|other| other == first) { first } else { 0 }
    }

    fn place(&self, communicator: u32, index: Index) -> Result<Place<'a>, Impossible> {
        let Model { families, target, sizes, .. } = self.model;
        let found = local(families, *target, communicator, self.rank);
        let (local, ranks) = found.ok_or_else(|| {
            Impossible(format!("rank {} is in no communicator of family {}", self.rank, communicator - FIRST))
        })?;
        let size = &sizes[&ranks];
        let world = &sizes[target];
        Ok(Place { local: local.into(), size, rank: self.rank.into(), world, index })
    }

    /// The number that a rule gives; other forms that give another one are noted.
    fn number(
        &mut self,
        (spot, cell): (usize, usize),
        rule: &Rule,
        place: &Place<'_>,
        what: &str,
    ) -> Result<i64, Impossible> {
        let Some((Fit { form, others, is_confirmed }, place)) = rule.at(place) else {
            return Err(Impossible(format!(
                "rank {}: {what} of a repetition that no profile has",
                self.rank
            )));
        };
        let place = &place;
        let number = form.value(place);
        if self.left > 0 && !(others.is_empty() && *is_confirmed) {
            self.left -= 1;
            let is_possible = |other: i64| other >= 0 || other == NONE;
            let differs = others.iter().map(|other| (other, other.value(place)));
            let differs = differs.into_iter().find(|(_, other)| *other != number && is_possible(*other));
            if differs.is_some() || !is_confirmed {
                let ambiguity = || Ambiguity {
                    what: what.to_owned(),
                    taken: form.to_string(),
                    there: (Rank(self.rank), number),
                    other: differs.map(|(other, number)| (other.to_string(), number)),
                };
                self.ambiguities.entry((self.class, spot, cell)).or_insert_with(ambiguity);
            }
        }
        Ok(number)
    }

    fn token(
        &mut self,
        spot: usize,
        shape: &Shape,
        rules: &SpotRules,
        index: Index,
    ) -> Result<Option<Step>, Impossible> {
        let SpotRules::Token { cells, times, compute } = rules else {
            unreachable!("a token has the rules of a token")
        };
        let place = self.place(shape.communicator, index)?;
        let mut values = Vec::with_capacity(cells.len());
        for (cell, (rule, time)) in cells.iter().zip(times).enumerate() {
            let what = format!("{} of {}", name_of(shape.cells[cell]), shape.name());
            values.push(match (rule, time) {
                (_, Some(time)) => time.at(place.world) as i64,
                (Some(rule), None) => self.number((spot, cell), rule, &place, &what)?,
                (None, None) => NONE,
            });
        }
        match &shape.form {
            Form::Item(List::Requests) => {
                let oldest = match (cells[0].is_some(), self.open.len() as i64 - 1) {
                    (true, _) => values[0],
                    (false, last) => last - values[1],
                };
                let number = self.open.at(oldest).ok_or_else(|| {
                    Impossible(format!("rank {}: a request is named that is not under way", self.rank))
                })?;
                self.items.push((List::Requests, number));
                Ok(None)
            }
            Form::Item(list) => {
                self.items.push((*list, values[0]));
                Ok(None)
            }
            Form::Operation(operation) => {
                let compute = Duration::from_ps(compute.at(place.world));
                let operation = self.operation(operation, &values, &place, shape)?;
                Ok(Some(Step { compute, took: None, operation }))
            }
        }
    }

    fn operation(
        &mut self,
        blank: &Operation,
        values: &[i64],
        place: &Place<'_>,
        shape: &Shape,
    ) -> Result<Operation, Impossible> {
        let mut operation = blank.clone();
        let items = std::mem::take(&mut self.items);
        let begins = matches!(operation, Operation::Match { .. } | Operation::Open { .. });
        let is_matched = matches!(operation, Operation::ReceiveMatched { .. });
        let starts = ((operation.request().is_some() && !is_matched) || begins).then(|| self.open.free());
        let numbers = Numbers { values, items: &items, starts: starts.unwrap_or(0), size: place.size.ranks };
        put(&mut operation, &numbers).map_err(|what| {
            let at: BTreeSet<u32> = self.model.seen.runs.iter().map(|run| run.ranks).collect();
            Impossible(format!(
                "rank {}: {} would have {what} (forms of {at:?} ranks)",
                self.rank,
                shape.name()
            ))
        })?;
        self.open.pass(&operation, items.iter().map(|item| item.1), starts);
        if let Some(communicator) = operation.communicator_mut()
            && *communicator >= FIRST
        {
            let family = &self.model.families[(*communicator - FIRST) as usize];
            let (group, _) = family.place(self.rank).expect("its place is known");
            let before = self.model.families[..(*communicator - FIRST) as usize].iter();
            *communicator =
                FIRST + before.map(|family| family.groups.len() as u32).sum::<u32>() + group as u32;
        }
        Ok(operation)
    }
}

impl Model {
    /// The communicators with their numbers, in their order.
    pub(crate) fn communicators(&self) -> impl Iterator<Item = (u32, &Vec<u32>)> {
        (FIRST..).zip(self.families.iter().flat_map(|family| &family.groups))
    }

    /// Returns whether a cell of any operation is known only for some ranks, so that a replay takes whoever comes first.
    pub(crate) fn found_is_open(&self) -> bool {
        self.classes.iter().any(|class| {
            let spots = &self.seen.trees[class.tree].spots;
            class.spots.iter().zip(spots).any(|(rules, spot)| match (rules, spot.shape) {
                (SpotRules::Token { cells, .. }, Some(shape)) => {
                    let kinds = &self.seen.shapes.0[shape as usize].cells;
                    cells.iter().zip(kinds).any(|(rule, kind)| *kind == Cell::FoundRank && rule.is_none())
                }
                _ => false,
            })
        })
    }
}
