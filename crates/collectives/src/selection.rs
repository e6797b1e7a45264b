//! Which algorithm a call takes where none is named for its collective: the first row of a table that fits. All ranks
//! have to decide alike, so only what all of them know counts.

use super::choice::{Choice, Named, Parameters};
use super::folding::core;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_operations::OperandOrder;

/// A number from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FromTo {
    /// The least.
    pub from: u64,
    /// The greatest.
    pub to: u64,
}

impl FromTo {
    fn has(self, number: u64) -> bool {
        (self.from..=self.to).contains(&number)
    }

    /// The numbers that are in both, where `None` has all; `None` where there are none.
    fn common(one: Option<Self>, other: Option<Self>) -> Option<Option<Self>> {
        let (Some(one), Some(other)) = (one, other) else { return Some(one.or(other)) };
        let both = Self { from: one.from.max(other.from), to: one.to.min(other.to) };
        (both.from <= both.to).then_some(Some(both))
    }
}

/// The condition of both, where `None` asks for nothing; `None` where they contradict each other.
fn the_same(one: Option<bool>, other: Option<bool>) -> Option<Option<bool>> {
    let (Some(first), Some(second)) = (one, other) else { return Some(one.or(other)) };
    (first == second).then_some(one)
}

/// A vector of so few elements that an algorithm cannot give each rank one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementCount {
    /// Fewer than ranks.
    #[serde(alias = "below-ranks")]
    BelowRanks,
    /// Fewer than the greatest power of two up to the number of ranks.
    #[serde(alias = "below-power")]
    BelowPower,
}

/// A condition on calls; parts that are `None` hold of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Ranks of the communicator.
    pub ranks: Option<FromTo>,
    /// Bytes of the whole vector: what a broadcast, a reduction or a scan handles, what a rank has at the end of an
    /// all-gather and the root of a gather, what a rank sends in an all-to-all and the root in a scatter. Does not fit a
    /// call whose ranks do not know them: a barrier, `MPI_Alltoallv`.
    pub bytes: Option<FromTo>,
    /// The same bytes divided by the number of ranks, rounded down: a block, where there are blocks.
    pub bytes_per_rank: Option<FromTo>,
    /// Only numbers of ranks that are a power of two, or only others.
    pub power_of_two: Option<bool>,
    /// Only operations that commute, or only others; operands may change places where nothing is combined.
    pub commutes: Option<bool>,
    /// Only vectors of so few elements.
    pub few: Option<ElementCount>,
}

impl Condition {
    pub(super) fn fits(&self, call: &Situation) -> bool {
        let within = |range: Option<FromTo>, number: Option<u64>| {
            range.is_none_or(|range| number.is_some_and(|number| range.has(number)))
        };
        let few = |few| match few {
            ElementCount::BelowRanks => call.elements < call.ranks,
            ElementCount::BelowPower => call.elements < core(call.ranks),
        };
        let ranks = call.ranks as u64;
        within(self.ranks, Some(ranks))
            && within(self.bytes, call.bytes)
            && within(self.bytes_per_rank, call.bytes.map(|bytes| bytes / ranks))
            && self.power_of_two.is_none_or(|power| power == call.ranks.is_power_of_two())
            && self.commutes.is_none_or(|commutes| commutes == (call.commutes == OperandOrder::Commute))
            && self.few.is_none_or(few)
    }

    /// `true` if the number of ranks is a power of two wherever the condition holds, `false` if nowhere; `None`: here and there.
    fn powers(&self) -> Option<bool> {
        let ranks = self.ranks.filter(|ranks| ranks.to <= 2 || ranks.from == ranks.to);
        self.power_of_two.or_else(|| ranks.map(|ranks| ranks.to.is_power_of_two()))
    }

    /// Returns whether it holds wherever `other` does, as far as each of their parts says so by itself.
    pub fn covers(&self, other: &Self) -> bool {
        let range = |mine: Option<FromTo>, other: Option<FromTo>| {
            mine.is_none_or(|mine| other.is_some_and(|other| mine.has(other.from) && mine.has(other.to)))
        };
        range(self.ranks, other.ranks)
            && range(self.bytes, other.bytes)
            && range(self.bytes_per_rank, other.bytes_per_rank)
            && self.power_of_two.is_none_or(|power| other.powers() == Some(power))
            && self.commutes.is_none_or(|commutes| other.commutes == Some(commutes))
            && self.few.is_none_or(|few| other.few == Some(few))
    }

    /// The condition that holds where both hold; `None` where that is nowhere.
    pub fn and(&self, other: &Self) -> Option<Self> {
        let both = Self {
            ranks: FromTo::common(self.ranks, other.ranks)?,
            bytes: FromTo::common(self.bytes, other.bytes)?,
            bytes_per_rank: FromTo::common(self.bytes_per_rank, other.bytes_per_rank)?,
            power_of_two: the_same(self.power_of_two, other.power_of_two)?,
            commutes: the_same(self.commutes, other.commutes)?,
            // The greatest power of two up to a number is no greater than the number.
            few: match (self.few, other.few) {
                (Some(ElementCount::BelowRanks), Some(few)) | (Some(few @ ElementCount::BelowPower), _) => {
                    Some(few)
                }
                (few, None) | (None, few) => few,
            },
        };
        (!both.has_no_ranks()).then_some(both)
    }

    /// Returns whether no number of ranks can be right: there is no power of two among them, or nothing else.
    pub fn has_no_ranks(&self) -> bool {
        let ranks = self.ranks.unwrap_or(FromTo { from: 1, to: u64::MAX });
        let from = ranks.from.max(1);
        let power = from.checked_next_power_of_two().is_some_and(|power| power <= ranks.to);
        let other = match from.is_power_of_two() {
            true if from == 1 => ranks.to >= 3,
            true => ranks.to > from,
            false => ranks.to >= from,
        };
        !self.power_of_two.map_or(power || other, |is_power| if is_power { power } else { other })
    }
}

/// A row of a table: an algorithm, and when it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row<A> {
    /// When.
    pub when: Condition,
    /// The algorithm.
    pub algorithm: A,
    /// Its parameters; those that are `None` are as the algorithm has them.
    pub parameters: Parameters,
}

impl<A> Row<A> {
    pub(super) fn always(algorithm: A) -> Self {
        Self { when: Condition::default(), algorithm, parameters: Parameters::default() }
    }
}

/// A call of a collective, as all its ranks know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) ranks: usize,
    /// Bytes as in [`Condition::bytes`]; `None` where no rank knows those of all, or there are none.
    pub(super) bytes: Option<u64>,
    /// The greatest number where nothing is combined.
    pub(super) elements: usize,
    pub(super) commutes: OperandOrder,
}

impl Situation {
    pub(super) fn moving(ranks: usize, bytes: usize) -> Self {
        Self { bytes: Some(bytes as u64), ..Self::unknown(ranks) }
    }

    /// A call that combines so many elements.
    pub(super) fn combining(ranks: usize, elements: usize, bytes: usize, commutes: OperandOrder) -> Self {
        Self { elements, commutes, ..Self::moving(ranks, bytes) }
    }

    /// A call whose bytes not all ranks know.
    pub(super) fn unknown(ranks: usize) -> Self {
        Self { ranks, bytes: None, elements: usize::MAX, commutes: OperandOrder::Commute }
    }
}

/// An algorithm of one collective, as tables have them; by default `auto`.
pub(super) trait Selected: Copy + Default + PartialEq {
    const KEY: &str;
    fn of(named: Named) -> Option<Self>;
    /// Puts itself in its place.
    fn choose(self, choice: &mut Choice);
}

/// Rows of the user's own, which come before those of the preset; cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Row<Named>>", into = "Vec<Row<Named>>")]
pub struct Selection(Option<Arc<[Row<Named>]>>);

impl From<Vec<Row<Named>>> for Selection {
    fn from(rows: Vec<Row<Named>>) -> Self {
        Self((!rows.is_empty()).then(|| rows.into()))
    }
}

impl From<Selection> for Vec<Row<Named>> {
    fn from(selection: Selection) -> Self {
        selection.rows().to_vec()
    }
}

impl Selection {
    /// The rows, in their order.
    pub fn rows(&self) -> &[Row<Named>] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// The first row of a collective that fits a call: its algorithm and parameters.
fn find<A: Selected>(rows: &[Row<Named>], call: &Situation) -> Option<(A, Parameters)> {
    let of_collective = |row: &Row<Named>| {
        let algorithm = A::of(row.algorithm)?;
        row.when.fits(call).then_some((algorithm, row.parameters))
    };
    rows.iter().find_map(of_collective)
}

impl Choice {
    /// With the algorithm that the tables have for a call, in place of `auto`: the first row of the user's own that fits, or
    /// else, and where that says `auto`, of the preset. Parameters that a row leaves open stay as they are.
    pub(super) fn decided<A: Selected>(&self, call: &Situation) -> Self {
        let own = find::<A>(self.selection.rows(), call).filter(|(algorithm, _)| *algorithm != A::default());
        let of_preset = || find::<A>(self.preset.rows(A::KEY), call);
        let (algorithm, parameters) = own.or_else(of_preset).expect("a preset has a row for every call");
        let mut choice = self.clone();
        algorithm.choose(&mut choice);
        if let Some(place) = choice.parameters.of(A::KEY) {
            *place = parameters.or(*place);
        }
        choice
    }
}

#[cfg(test)]
mod tests;
