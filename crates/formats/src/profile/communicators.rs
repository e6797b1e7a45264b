//! The communicators of a profile: numbers, and the ranks of the world that are their members.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;
use weir_operations::ALONE;
use weir_units::Rank;

/// The communicators of a profile, beside the world and that of each rank alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Communicators {
    members: BTreeMap<u32, Vec<Rank>>,
    /// The same in ascending order, where that is another one.
    sorted: BTreeMap<u32, Vec<Rank>>,
    /// The size of the first group of those between two.
    first: BTreeMap<u32, usize>,
}

/// The members of a communicator in their order; the second group is empty but for intercommunicators, whose groups have no member in
/// common. Which of them is the first does not matter.
pub type Groups = (Vec<Rank>, Vec<Rank>);

impl Communicators {
    /// Defines a communicator by its members, in the order of their ranks in it; `false` if the number is taken, or one
    /// of the two that all profiles have.
    pub fn define(&mut self, number: u32, (first, second): Groups) -> bool {
        if number <= ALONE || self.members.contains_key(&number) {
            return false;
        }
        if !second.is_empty() {
            self.first.insert(number, first.len());
        }
        let members = [first, second].concat();
        if !members.is_sorted() {
            let mut sorted = members.clone();
            sorted.sort_unstable();
            self.sorted.insert(number, sorted);
        }
        self.members.insert(number, members);
        true
    }

    /// Defines a communicator of a file with so many ranks by its line, as [`Self::to_text`] writes it.
    pub(crate) fn read(&mut self, line: &str, ranks: u32) -> Result<(), String> {
        let (number, groups) = parse(line, ranks)?;
        let is_new = self.define(number, groups);
        if is_new { Ok(()) } else { Err(format!("communicator {number} is defined twice")) }
    }

    /// The two groups of a communicator that is between two.
    pub fn between(&self, number: u32) -> Option<(&[Rank], &[Rank])> {
        Some(self.members(number)?.split_at(*self.first.get(&number)?))
    }

    /// The members of a communicator in their order, those of the first group before those of the second; `None` for the two that all profiles have, and where there is none.
    pub fn members(&self, number: u32) -> Option<&[Rank]> {
        self.members.get(&number).map(Vec::as_slice)
    }

    /// Returns whether a rank of the world is a member of one that is defined.
    pub fn has(&self, number: u32, rank: Rank) -> bool {
        let members = self.sorted.get(&number).or_else(|| self.members.get(&number));
        members.is_some_and(|members| members.binary_search(&rank).is_ok())
    }

    /// Those that are defined, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[Rank])> {
        self.members.iter().map(|(&number, members)| (number, members.as_slice()))
    }

    /// A line for each: `2: 0-3 8`.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for (number, members) in self.iter() {
            _ = match self.between(number) {
                None => writeln!(text, "{number}:{}", ranges(members)),
                Some((first, second)) => writeln!(text, "{number}:{} |{}", ranges(first), ranges(second)),
            };
        }
        text
    }
}

/// Ranks one after the other, each with a blank before; `3-7` for rows of consecutive ones.
fn ranges(members: &[Rank]) -> String {
    let mut text = String::new();
    let mut rest = members;
    while let Some(&first) = rest.first() {
        let row = rest.iter().zip(first.0..).take_while(|(rank, number)| rank.0 == *number).count();
        _ = match row {
            1 => write!(text, " {first}"),
            _ => write!(text, " {first}-{}", rest[row - 1]),
        };
        rest = &rest[row..];
    }
    text
}

/// Reads what [`Communicators::to_text`] writes: number and groups.
fn parse(text: &str, ranks: u32) -> Result<(u32, Groups), String> {
    const FORM: &str = "a communicator is a number, a colon and the ranks of its members, as in 2: 0-3 8";
    let (number, rest) = text.split_once(':').ok_or(FORM)?;
    let number: u32 = number.trim().parse().map_err(|_| FORM)?;
    if number <= ALONE {
        return Err(format!("communicator {number} is there already: 0 is the world, 1 is each rank alone"));
    }
    let mut members = Vec::new();
    let mut first = None;
    for word in rest.split_whitespace() {
        if word == "|" && first.is_none() && !members.is_empty() {
            first = Some(members.len());
            continue;
        }
        let range = range(word).ok_or(FORM)?;
        if range.is_empty() || *range.end() >= ranks {
            let most = ranks.saturating_sub(1);
            return Err(format!("{word} must be ranks of the profile, 0 to {most}, in ascending order"));
        }
        if members.len() + range.clone().count() > ranks as usize {
            return Err("a communicator has each rank once at most".into());
        }
        members.extend(range.map(Rank));
    }
    let mut sorted = members.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("rank {} stands twice in communicator {number}", pair[0])),
        None if members.is_empty() => Err(format!("communicator {number} has no members")),
        None if first == Some(members.len()) => Err(format!("the second group of {number} has no members")),
        None => {
            let second = members.split_off(first.unwrap_or(members.len()));
            Ok((number, (members, second)))
        }
    }
}

fn range(word: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[u32], &str>) {
        match (parse(text, 10), expected) {
            (Ok((2, groups)), Ok(expected)) => {
                let members = [groups.0.as_slice(), &groups.1].concat();
                assert_eq!(members, expected.iter().map(|&rank| Rank(rank)).collect::<Vec<_>>(), "{text}");
                let mut all = Communicators::default();
                assert!(all.define(2, groups.clone()));
                assert!(!all.define(2, groups.clone()), "it is there");
                assert_eq!(parse(all.to_text().trim(), 10), Ok((2, groups)));
            }
            (Err(what), Err(expected)) => assert!(what.contains(expected), "{text}: {what}"),
            (got, _) => panic!("{text}: {got:?}"),
        }
    }

    #[test]
    fn members_are_read_as_they_are_written() {
        check("2: 0-3 8", Ok(&[0, 1, 2, 3, 8]));
        check("2: 9 0 1", Ok(&[9, 0, 1]));
        check("2: 3", Ok(&[3]));
        check("2 3", Err("a colon"));
        check("x: 3", Err("a colon"));
        check("2: 3-", Err("a colon"));
        check("1: 3", Err("each rank alone"));
        check("2: 10", Err("0 to 9"));
        check("2: 3-1", Err("ascending"));
        check("2: 3 3", Err("twice"));
        check("2: 0-9 3", Err("once"));
        check("2:", Err("no members"));
        check("2: 5-6 | 1 0", Ok(&[5, 6, 1, 0]));
        check("2: 5-6 |", Err("second group of 2 has no members"));
        check("2: | 5-6", Err("a colon"));
        check("2: 1 | 2 | 3", Err("a colon"));
        check("2: 1 2 | 2", Err("twice"));
    }
}
