//! Members of communicators as a function of how many ranks there are.

use crate::families::Family;
use crate::predicates::Predicate;
use crate::quantities::{Grid, Size};
use std::collections::BTreeMap;
use std::fmt;

/// The way in which ranks are divided among the communicators of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    /// All are in one.
    One,
    /// Ranks side by side, so many.
    Blocks(Count),
    /// Ranks at that distance.
    Strides(Count),
    /// Those at the same place but for one dimension of a grid, or but for the others.
    Lines(Grid, usize),
    Planes(Grid, usize),
}

/// A number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Number(i64),
    Half,
    Root,
}

impl Count {
    fn of(self, size: &Size) -> i64 {
        match self {
            Self::Number(number) => number,
            Self::Half => size.ranks / 2,
            Self::Root => (1..).take_while(|side| side * side <= size.ranks).last().unwrap_or(1),
        }
        .max(1)
    }
}

/// The communicators of a family: which ranks are members, how they are divided, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    who: Option<(Predicate, bool)>,
    division: Division,
    is_reversed: bool,
}

impl Groups {
    fn all() -> Vec<Self> {
        let of_half = [Division::Blocks(Count::Half), Division::Strides(Count::Half)];
        let mut divisions = [vec![Division::One], of_half.to_vec()].concat();
        for grid in Grid::ALL {
            for dimension in grid.first()..3 {
                divisions.extend([Division::Lines(grid, dimension), Division::Planes(grid, dimension)]);
            }
        }
        let numbers = (2..=16).map(Count::Number);
        for count in std::iter::once(Count::Root).chain(numbers) {
            divisions.extend([Division::Blocks(count), Division::Strides(count)]);
        }
        let predicates = Predicate::all();
        let some =
            predicates.iter().flat_map(|&predicate| [Some((predicate, true)), Some((predicate, false))]);
        let who = std::iter::once(None).chain(some);
        let orders = [false, true];
        let all = orders.iter().flat_map(|&is_reversed| {
            let divisions = &divisions;
            who.clone().flat_map(move |who| {
                divisions.iter().map(move |&division| Self { who, division, is_reversed })
            })
        });
        all.collect()
    }

    /// The communicators of so many ranks, in the order of their first members.
    pub(crate) fn family(&self, size: &Size) -> Family {
        let mut groups: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for rank in (0..size.ranks as u32)
            .filter(|&rank| self.who.is_none_or(|(predicate, holds)| predicate.holds(size, rank) == holds))
        {
            let number = i64::from(rank);
            let color = match self.division {
                Division::One => 0,
                Division::Blocks(count) => number / count.of(size),
                Division::Strides(count) => number % count.of(size),
                Division::Lines(grid, dimension) => {
                    let (mut at, sides) = (grid.at(size, number), size.sides(grid));
                    at[dimension] = 0;
                    (at[0] * sides[1] + at[1]) * sides[2] + at[2]
                }
                Division::Planes(grid, dimension) => grid.at(size, number)[dimension],
            };
            groups.entry(color).or_default().push(rank);
        }
        let mut family = Family::default();
        for mut members in groups.into_values() {
            if self.is_reversed {
                members.reverse();
            }
            family.add(members);
        }
        family
    }
}

impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.division {
            Division::One => f.write_str("one")?,
            Division::Blocks(Count::Number(number)) => write!(f, "blocks of {number} ranks")?,
            Division::Blocks(Count::Half) => f.write_str("blocks of P/2 ranks")?,
            Division::Blocks(Count::Root) => f.write_str("blocks of sqrt(P) ranks")?,
            Division::Strides(Count::Number(number)) => write!(f, "ranks that are equal mod {number}")?,
            Division::Strides(Count::Half) => f.write_str("ranks that are equal mod P/2")?,
            Division::Strides(Count::Root) => f.write_str("ranks that are equal mod sqrt(P)")?,
            Division::Lines(grid, dimension) => {
                write!(f, "lines along dimension {} of a {grid}", dimension - grid.first())?;
            }
            Division::Planes(grid, dimension) => {
                write!(f, "planes across dimension {} of a {grid}", dimension - grid.first())?;
            }
        }
        match self.who {
            None => {}
            Some((predicate, true)) => write!(f, ", of those with {predicate}")?,
            Some((predicate, false)) => write!(f, ", of those without {predicate}")?,
        }
        if self.is_reversed { f.write_str(", in descending order") } else { Ok(()) }
    }
}

/// The groups that a family is made of at a size, in the order of their first members.
fn sorted(family: &Family) -> Vec<&Vec<u32>> {
    let mut groups: Vec<&Vec<u32>> = family.groups.iter().collect();
    groups.sort();
    groups
}

/// A family at all sizes: the simplest rule that gives it, and others that do but differ at another size.
pub(crate) fn fit(seen: &[(&Size, &Family)], target: &Size) -> Option<(Groups, Vec<Groups>)> {
    let fits =
        |groups: &Groups| seen.iter().all(|(size, family)| sorted(&groups.family(size)) == sorted(family));
    let is_one = seen.iter().all(|(_, family)| family.groups.len() == 1);
    let divides = |groups: &Groups| {
        let whom = groups.who.is_none_or(|(predicate, holds)| {
            let mut all =
                seen.iter().flat_map(|(size, _)| (0..size.ranks as u32).map(move |rank| (size, rank)));
            all.any(|(size, rank)| predicate.holds(size, rank) != holds)
        });
        whom && !(is_one && groups.division != Division::One)
    };
    let mut found = Groups::all().into_iter().filter(|groups| divides(groups) && fits(groups));
    let first = found.next()?;
    let at_target = first.family(target);
    let differs = |groups: &Groups| sorted(&groups.family(target)) != sorted(&at_target);
    let others = found.filter(differs).take(3).collect();
    Some((first, others))
}
