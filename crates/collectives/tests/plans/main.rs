//! Plans of all ranks of a collective: what they do with data, how many messages they have, and how much memory.
#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod data;
mod parameters;
mod room;

use data::{Called, FUNCTIONS};
use std::num::NonZeroU32;
use weir_collectives::*;

/// The rounds of a rank.
fn rounds(plan: &Plan) -> Vec<Round> {
    let round = |index| {
        let mut round = Round::default();
        plan.schedule.round(index, &mut round);
        round
    };
    (0..plan.schedule.rounds()).map(round).collect()
}

/// The choice of one algorithm of the catalog.
fn chosen(key: &str, name: &str) -> Choice {
    let mut choice = Choice::default();
    choice.set(key, name).expect("in the catalog");
    choice
}

/// The algorithms of a collective.
fn algorithms(key: &str) -> &'static [&'static str] {
    choice::CATALOG.iter().find(|(known, _)| *known == key).expect("in the catalog").1
}

fn function_of(key: &str) -> Function {
    FUNCTIONS.iter().find(|(known, _)| *known == key).expect("in the catalog").1
}

/// A call of so many ranks, with a root, and bytes or elements of two bytes.
fn called(choice: Choice, key: &str, (size, root, amount): (usize, usize, usize)) -> Called {
    let extent = if key.contains("reduce") || key == "scan" { 2 } else { 1 };
    Called { size, first: None, root, amount, is_even: true, extent, commutes: OperandOrder::Commute, choice }
}
