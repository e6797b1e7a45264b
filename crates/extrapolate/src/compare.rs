//! Comparison of two profiles: whether their ranks do the same, but for times.

use crate::cells::{Cell, List, Parts, take};
use crate::families::FIRST;
use crate::tokens::Open;
use weir_formats::profile::Profile;
use weir_operations::{Operation, Step};
use weir_units::Rank;

/// The first place where a rank does something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The rank.
    pub rank: Rank,
    /// The number of the step among those of the rank, from 0; looks in vain are not counted.
    pub step: usize,
    /// The step of the first profile there; `None`: its rank is over.
    pub first: Option<Step>,
    /// The step of the second one.
    pub second: Option<Step>,
}

/// The result of a comparison of two profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sameness {
    /// The numbers of ranks of both.
    pub ranks: (usize, usize),
    /// For each rank that does something else, where it begins to.
    pub differences: Vec<Difference>,
    /// Work of all ranks together in picoseconds, of both.
    pub compute_ps: (u64, u64),
}

impl Sameness {
    /// Returns whether all ranks do the same.
    pub fn is_same(&self) -> bool {
        self.ranks.0 == self.ranks.1 && self.differences.is_empty()
    }
}

/// Compares two profiles rank by rank: operations with their partners, tags, bytes, communicators (by their members) and the requests
/// that are waited for. Times, looks in vain, the numbers of requests, and who turned out to be any source are not compared.
pub fn compare(first: &Profile, second: &Profile) -> Sameness {
    let ranks = first.ranks().min(second.ranks());
    let differences = (0..ranks).filter_map(|rank| difference(first, second, Rank::new(rank))).collect();
    let compute = |profile: &Profile| {
        let steps = (0..profile.ranks()).flat_map(|rank| profile.steps(Rank::new(rank)));
        steps.map(|step| step.compute.as_ps()).sum()
    };
    Sameness {
        ranks: (first.ranks(), second.ranks()),
        differences,
        compute_ps: (compute(first), compute(second)),
    }
}

/// An operation as far as it is compared, with the places of the requests that it names.
#[derive(PartialEq)]
struct Compared<'a> {
    shape: Operation,
    values: Vec<i64>,
    items: Vec<i64>,
    members: Option<&'a [Rank]>,
}

struct Reader<'a> {
    profile: &'a Profile,
    steps: std::slice::Iter<'a, Step>,
    open: Open,
}

impl<'a> Reader<'a> {
    fn new(profile: &'a Profile, rank: Rank) -> Self {
        Self { profile, steps: profile.steps(rank).iter(), open: Open::default() }
    }

    fn next(&mut self) -> Option<(&'a Step, Compared<'a>)> {
        let step = self.steps.by_ref().find(|step| !matches!(step.operation, Operation::Poll { .. }))?;
        let mut shape = step.operation.clone();
        let Parts { kinds, mut values, items, starts } = take(&mut shape);
        for (kind, value) in kinds.iter().zip(&mut values) {
            if matches!(kind, Cell::Time | Cell::FoundRank | Cell::FoundTag) {
                *value = 0;
            }
        }
        let place = |(list, number): &(List, i64)| match list {
            List::Requests => self.open.place(*number).unwrap_or(-1),
            _ => *number,
        };
        let places = items.iter().map(place).collect();
        self.open.pass(&shape, items.iter().map(|item| item.1), starts);
        let number = shape
            .communicator_mut()
            .map(|number| if *number >= FIRST { std::mem::replace(number, FIRST) } else { *number });
        let members = number.and_then(|number| self.profile.communicators.members(number));
        Some((step, Compared { shape, values, items: places, members }))
    }
}

fn difference(first: &Profile, second: &Profile, rank: Rank) -> Option<Difference> {
    let (mut of_first, mut of_second) = (Reader::new(first, rank), Reader::new(second, rank));
    for step in 0.. {
        let (one, other) = (of_first.next(), of_second.next());
        if one.is_none() && other.is_none() {
            break;
        }
        if one.as_ref().map(|one| &one.1) != other.as_ref().map(|other| &other.1) {
            let cloned = |read: Option<(&Step, Compared<'_>)>| read.map(|read| read.0.clone());
            return Some(Difference { rank, step, first: cloned(one), second: cloned(other) });
        }
    }
    None
}
