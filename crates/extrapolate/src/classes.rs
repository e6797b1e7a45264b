//! Classes of ranks: those that do the same but for numbers that one rule gives, and the predicates that divide them.

use crate::cells::Cell;
use crate::fit::{Asking, Point};
use crate::members::{Sample, Seen};
use crate::predicates::Predicate;
use crate::quantities::{Grid, Size};
use crate::rules::Rule;
use crate::times::TimeForm;
use std::collections::{BTreeMap, BTreeSet};
use weir_operations::WORLD;

/// The rules of a spot of a tree.
#[derive(Clone, Debug)]
pub(crate) enum SpotRules {
    /// The repetitions of a loop.
    Loop(Rule),
    /// The numbers of a token; `None` for those that others stand for. The time of work before it, in the end.
    Token { cells: Vec<Option<Rule>>, times: Vec<Option<TimeForm>>, compute: TimeForm },
}

/// A class of ranks.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) tree: usize,
    pub(crate) spots: Vec<SpotRules>,
    /// The numbers of ranks of the profiles in which there are ranks of the class.
    pub(crate) seen: BTreeSet<u32>,
    /// The number of its ranks in all profiles.
    pub(crate) members: usize,
}

/// Classes, and how to find that of a rank.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    Class(usize),
    By {
        predicate: Predicate,
        /// Predicates that are true of the same ranks of the profiles.
        others: Vec<Predicate>,
        yes: Box<Choice>,
        no: Box<Choice>,
    },
    /// A choice by the place in a grid: at the front and at the back of each dimension, or not.
    InGrid(Grid, BTreeMap<Corner, Choice>),
}

/// For each dimension whether a rank is at the front, and whether it is at the back.
pub(crate) type Corner = [(bool, bool); 3];

pub(crate) fn corner(grid: Grid, size: &Size, rank: u32) -> Corner {
    let (at, sides) = (grid.at(size, rank.into()), size.sides(grid));
    std::array::from_fn(|dimension| (at[dimension] == 0, at[dimension] == sides[dimension] - 1))
}

impl Choice {
    /// The class of a rank; `None` where it has a place in a grid that no rank of the profiles has.
    pub(crate) fn class(&self, size: &Size, rank: u32) -> Option<usize> {
        match self {
            Self::Class(class) => Some(*class),
            Self::InGrid(grid, choices) => choices.get(&corner(*grid, size, rank))?.class(size, rank),
            Self::By { predicate, yes, no, .. } => {
                if predicate.holds(size, rank) {
                    yes.class(size, rank)
                } else {
                    no.class(size, rank)
                }
            }
        }
    }
}

/// A number of a tree: the cell of a spot, or (0 of a loop) its repetitions.
type Number = (usize, usize);

/// A number that no form fits.
#[derive(Clone, Debug)]
pub(crate) struct Unfit {
    pub(crate) what: String,
}

/// The most predicates on the way to a class.
const MOST_PREDICATES: usize = 8;
/// The most numbers that are looked at to choose a predicate.
const MOST_LOOKED_AT: usize = 40;

pub(crate) struct Learner<'a> {
    seen: &'a Seen,
    /// The grid by whose places members have been divided.
    grid: Option<Grid>,
    pub(crate) classes: Vec<Class>,
}

impl<'a> Learner<'a> {
    pub(crate) fn new(seen: &'a Seen) -> Self {
        Self { seen, grid: None, classes: Vec::new() }
    }

    /// Divides members into classes.
    ///
    /// # Errors
    /// The numbers that no form fits, however ranks are divided.
    pub(crate) fn learn(&mut self, members: &[usize], above: usize) -> Result<Choice, Vec<Unfit>> {
        let trees: BTreeSet<usize> = members.iter().map(|&member| self.seen.members[member].tree).collect();
        let mut unfit = Vec::new();
        if trees.len() == 1 {
            let asked = Asked::new(self.seen, members, self.grid);
            unfit = asked.unfit(None);
            if unfit.is_empty() {
                let class = asked.class();
                self.classes.push(class);
                return Ok(Choice::Class(self.classes.len() - 1));
            }
        }
        let known = self.classes.len();
        let best = if above < MOST_PREDICATES { self.best(members, &unfit) } else { None };
        let mut why = match best {
            None => self.why(members, &unfit),
            Some((predicate, others)) => {
                let (yes, no) = self.split(members, predicate);
                match (self.learn(&yes, above + 1), self.learn(&no, above + 1)) {
                    (Ok(yes), Ok(no)) => {
                        return Ok(Choice::By { predicate, others, yes: yes.into(), no: no.into() });
                    }
                    (yes, no) => [yes.err(), no.err()].into_iter().flatten().flatten().collect(),
                }
            }
        };
        if above == 0 {
            for grid in Grid::ALL {
                self.classes.truncate(known);
                match self.in_grid(members, grid) {
                    Ok(choice) => return Ok(choice),
                    Err(less) if less.len() < why.len() => why = less,
                    Err(_) => {}
                }
            }
        }
        Err(why)
    }

    /// Divides members by their places in a grid.
    fn in_grid(&mut self, members: &[usize], grid: Grid) -> Result<Choice, Vec<Unfit>> {
        let mut parts: BTreeMap<Corner, Vec<usize>> = BTreeMap::new();
        for &member in members {
            let place = corner(grid, self.seen.world(member), self.seen.members[member].rank);
            parts.entry(place).or_default().push(member);
        }
        self.grid = Some(grid);
        let choices: Result<_, Vec<Unfit>> = parts
            .into_iter()
            .map(|(place, part)| Ok((place, self.learn(&part, MOST_PREDICATES - 1)?)))
            .collect();
        self.grid = None;
        Ok(Choice::InGrid(grid, choices?))
    }

    fn split(&self, members: &[usize], predicate: Predicate) -> (Vec<usize>, Vec<usize>) {
        members
            .iter()
            .partition(|&&member| predicate.holds(self.seen.world(member), self.seen.members[member].rank))
    }

    /// The predicate that divides members best: by their trees, or so that most numbers fit. The others that divide them as it does.
    fn best(&self, members: &[usize], unfit: &[Number]) -> Option<(Predicate, Vec<Predicate>)> {
        let looked_at: Vec<Number> = unfit.iter().take(MOST_LOOKED_AT).copied().collect();
        let impurity = |part: &[usize]| match looked_at.is_empty() {
            true => self.mixture(part),
            false => part.len() * Asked::new(self.seen, part, self.grid).unfit(Some(&looked_at)).len(),
        };
        let before = match looked_at.is_empty() {
            true => self.mixture(members),
            false => members.len() * looked_at.len(),
        };
        let mut best: Option<((usize, usize), Predicate, Vec<usize>)> = None;
        let mut others = Vec::new();
        for predicate in Predicate::all() {
            let (yes, no) = self.split(members, predicate);
            if yes.is_empty() || no.is_empty() || !self.share_a_size(&yes, &no, predicate) {
                continue;
            }
            if let Some((_, first, of_first)) = &best
                && (*of_first == yes || *of_first == no)
            {
                debug_assert!(*first != predicate, "each is looked at once");
                others.push(predicate);
                continue;
            }
            let after = impurity(&yes) + impurity(&no);
            let cost = (after * predicate.cost(), predicate.cost());
            if after < before && best.as_ref().is_none_or(|best| best.0 > cost) {
                best = Some((cost, predicate, yes));
                others.clear();
            }
        }
        best.map(|(_, predicate, _)| (predicate, others))
    }

    /// Returns whether a predicate divides ranks, and not only sizes, unless it is one of sizes.
    fn share_a_size(&self, yes: &[usize], no: &[usize], predicate: Predicate) -> bool {
        let runs = |members: &[usize]| -> BTreeSet<usize> {
            members.iter().map(|&member| self.seen.members[member].run).collect()
        };
        predicate.is_of_size() || !runs(yes).is_disjoint(&runs(no))
    }

    /// The number of members that are of another tree than most.
    fn mixture(&self, members: &[usize]) -> usize {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for &member in members {
            *counts.entry(self.seen.members[member].tree).or_default() += 1;
        }
        // Each tree counts, so that one that is taken away whole helps as well.
        let most = counts.values().max().copied().unwrap_or(0);
        (members.len() - most) * 64 + members.len() * (counts.len() - 1)
    }

    fn why(&self, members: &[usize], unfit: &[Number]) -> Vec<Unfit> {
        if unfit.is_empty() {
            let name = |&member: &usize| {
                let of = &self.seen.members[member];
                format!("rank {} of {}", of.rank, self.seen.runs[of.run].ranks)
            };
            let mut by_tree: BTreeMap<usize, usize> = BTreeMap::new();
            for &member in members {
                by_tree.entry(self.seen.members[member].tree).or_insert(member);
            }
            let names: Vec<String> = by_tree.values().take(4).map(name).collect();
            let what = format!(
                "ranks that no predicate divides do different operations: {} ({} sequences)",
                names.join(", "),
                by_tree.len()
            );
            return vec![Unfit { what }];
        }
        let asked = Asked::new(self.seen, members, self.grid);
        unfit.iter().map(|&number| Unfit { what: asked.describe(number) }).collect()
    }
}

/// Members whose numbers are to be fitted.
struct Asked<'a> {
    seen: &'a Seen,
    tree: usize,
    members: &'a [usize],
    /// The grid by whose places they have been divided.
    grid: Option<Grid>,
    is_member: Vec<bool>,
    /// Loops that repeat the same number of times on all members, wherever the loops around them are.
    fixed: Vec<bool>,
}

impl<'a> Asked<'a> {
    fn new(seen: &'a Seen, members: &'a [usize], grid: Option<Grid>) -> Self {
        let tree = seen.members[members[0]].tree;
        let mut is_member = vec![false; seen.members.len()];
        members.iter().for_each(|&member| is_member[member] = true);
        let mut asked = Self { seen, tree, members, grid, is_member, fixed: Vec::new() };
        let spots = &seen.trees[tree].spots;
        asked.fixed = (0..spots.len())
            .map(|spot| {
                let mut counts = BTreeMap::new();
                let mut all = asked.samples(spot);
                spots[spot].shape.is_none()
                    && all.all(|sample| *counts.entry(sample.index).or_insert(sample.value) == sample.value)
            })
            .collect();
        asked
    }

    fn samples(&self, spot: usize) -> impl Iterator<Item = &'a Sample> {
        self.seen.samples[self.tree][spot].iter().filter(|sample| self.is_member[sample.member])
    }

    fn numbers(&self) -> Vec<Number> {
        let spots = self.seen.trees[self.tree].spots.iter().enumerate();
        let count =
            |shape: Option<u32>| shape.map_or(1, |shape| self.seen.shapes.0[shape as usize].cells.len());
        spots.flat_map(|(spot, of)| (0..count(of.shape)).map(move |cell| (spot, cell))).collect()
    }

    fn cell(&self, (spot, cell): Number) -> (Cell, u32) {
        match self.seen.trees[self.tree].spots[spot].shape {
            None => (Cell::Repetitions, WORLD),
            Some(shape) => {
                let shape = &self.seen.shapes.0[shape as usize];
                (shape.cells[cell], shape.communicator)
            }
        }
    }

    /// The values of a number; the first are of different ranks and repetitions, so that a form that does not fit is seen soon.
    fn points(&self, number: Number) -> Vec<Point<'a>> {
        let (spot, cell) = number;
        let communicator = self.communicator_of(number);
        let is_loop = self.seen.trees[self.tree].spots[spot].shape.is_none();
        let samples: Vec<&Sample> = self.samples(spot).collect();
        // Neighbors in this order are far apart among the samples.
        let stride = (samples.len() as f64 * 0.618) as usize;
        let stride = (stride.max(1)..).find(|stride| are_coprime(*stride, samples.len())).unwrap_or(1);
        let place = |step: usize| samples[(step * stride) % samples.len()];
        let point = |sample: &Sample| {
            let member = &self.seen.members[sample.member];
            let sequence = &self.seen.runs[member.run].sequences[member.rank as usize];
            let value =
                if is_loop { sample.value.into() } else { sequence.values(sample.value as usize)[cell] };
            Point { place: self.seen.place(sample, communicator), value }
        };
        (0..samples.len()).map(|step| point(place(step))).collect()
    }

    /// The communicator whose ranks count for a number. The repetitions of a loop may hang on that of what is repeated.
    fn communicator_of(&self, number: Number) -> u32 {
        let spots = &self.seen.trees[self.tree].spots;
        let (spot, _) = number;
        if spots[spot].shape.is_some() {
            return self.cell(number).1;
        }
        let inside = spots.iter().filter(|inside| inside.loops.contains(&spot));
        let mut all = inside
            .filter_map(|inside| inside.shape)
            .map(|shape| self.seen.shapes.0[shape as usize].communicator);
        let first = all.next().unwrap_or(WORLD);
        if all.all(|other| other == first) { first } else { WORLD }
    }

    fn rule(&self, number: Number) -> Option<Rule> {
        let (cell, _) = self.cell(number);
        let loops = &self.seen.trees[self.tree].spots[number.0].loops;
        let fixed: Vec<usize> = (0..loops.len()).filter(|&level| self.fixed[loops[level]]).collect();
        Rule::fit(&self.points(number), Asking { cell, depth: loops.len(), grid: self.grid }, &fixed)
    }

    /// Returns whether a number needs no rule: a time, or one that is known in another way.
    fn is_spared(&self, number: Number) -> bool {
        matches!(self.cell(number).0, Cell::Time | Cell::FoundRank | Cell::FoundTag | Cell::FromNewest)
    }

    /// The numbers that no form fits, of these or of all.
    fn unfit(&self, of: Option<&[Number]>) -> Vec<Number> {
        let all = of.map_or_else(|| self.numbers(), <[Number]>::to_vec);
        let fits = |number: Number| match self.cell(number).0 {
            Cell::FromOldest => self.rule(number).is_some() || self.rule((number.0, number.1 + 1)).is_some(),
            _ => self.is_spared(number) || self.rule(number).is_some(),
        };
        all.into_iter().filter(|&number| !fits(number)).collect()
    }

    fn class(&self) -> Class {
        let spots = self.seen.trees[self.tree].spots.iter().enumerate();
        let rules = spots.map(|(spot, of)| match of.shape {
            None => SpotRules::Loop(self.rule((spot, 0)).expect("all numbers fit")),
            Some(shape) => {
                let cells = &self.seen.shapes.0[shape as usize].cells;
                let rules = (0..cells.len()).map(|cell| match cells[cell] {
                    Cell::Time => None,
                    _ => self.rule((spot, cell)),
                });
                let times =
                    (0..cells.len()).map(|cell| (cells[cell] == Cell::Time).then(|| self.time(spot, cell)));
                let cells = rules.collect();
                SpotRules::Token { cells, times: times.collect(), compute: self.compute(spot) }
            }
        });
        let sizes = self.members.iter().map(|&member| self.seen.runs[self.seen.members[member].run].ranks);
        Class { tree: self.tree, spots: rules.collect(), seen: sizes.collect(), members: self.members.len() }
    }

    /// The time that a cell holds.
    fn time(&self, spot: usize, cell: usize) -> TimeForm {
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for sample in self.samples(spot) {
            let member = &self.seen.members[sample.member];
            let (sum, count) = sums.entry(sample.member).or_default();
            let sequence = &self.seen.runs[member.run].sequences[member.rank as usize];
            *sum += sequence.values(sample.value as usize)[cell] as f64;
            *count += 1.0;
        }
        self.time_of(&sums)
    }

    fn compute(&self, spot: usize) -> TimeForm {
        self.time_of(&self.seen.work[self.tree][spot])
    }

    /// A time: for each profile the median over ranks of the mean over repetitions.
    fn time_of(&self, sums: &BTreeMap<usize, (f64, f64)>) -> TimeForm {
        let mut means: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (&member, (sum, count)) in sums.iter().filter(|sum| self.is_member[*sum.0]) {
            let ranks = self.seen.runs[self.seen.members[member].run].ranks;
            means.entry(ranks).or_default().push(sum / count);
        }
        let medians = means.into_iter().map(|(ranks, mut means)| {
            means.sort_by(f64::total_cmp);
            let (low, high) = (means[(means.len() - 1) / 2], means[means.len() / 2]);
            (ranks, (low + high) / 2.0)
        });
        TimeForm::fit(&medians.collect::<Vec<_>>())
    }

    /// A number that does not fit, in words: where it is, and its values.
    fn describe(&self, number: Number) -> String {
        let (spot, cell) = number;
        let spots = &self.seen.trees[self.tree].spots;
        let name = match spots[spot].shape {
            None => {
                let inside = spots.iter().filter(|inside| inside.loops.contains(&spot));
                let names: Vec<&str> = inside
                    .filter_map(|inside| inside.shape)
                    .map(|shape| self.seen.shapes.0[shape as usize].name())
                    .take(4)
                    .collect();
                format!("repetitions of {}", names.join(", "))
            }
            Some(shape) => {
                let shape = &self.seen.shapes.0[shape as usize];
                format!("{} of {}", name_of(shape.cells[cell]), shape.name())
            }
        };
        let mut text = name;
        let mut sizes = BTreeSet::new();
        for sample in self.samples(spot) {
            let member = &self.seen.members[sample.member];
            let ranks = self.seen.runs[member.run].ranks;
            if sizes.insert(ranks) {
                let value = match spots[spot].shape {
                    None => sample.value.into(),
                    Some(_) => self.seen.runs[member.run].sequences[member.rank as usize]
                        .values(sample.value as usize)[cell],
                };
                let value = if value == crate::cells::NONE { "none".to_owned() } else { value.to_string() };
                let place = match spots[spot].shape {
                    None => String::new(),
                    Some(_) => format!(", token {}", sample.value),
                };
                text += &format!("; rank {} of {ranks}{place}: {value}", member.rank);
            }
        }
        text + ": no form has all of them"
    }
}

fn are_coprime(mut a: usize, mut b: usize) -> bool {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a <= 1
}

pub(crate) fn name_of(cell: Cell) -> &'static str {
    match cell {
        Cell::Rank | Cell::FoundRank => "rank",
        Cell::Tag | Cell::FoundTag => "tag",
        Cell::Bytes => "bytes",
        Cell::Elements => "elements",
        Cell::Number => "number",
        Cell::Repetitions => "repetitions",
        Cell::FromOldest | Cell::FromNewest => "place",
        Cell::Time => "time",
    }
}
