//! `[[selection]]`: which algorithm a collective takes, by ranks and bytes.

mod check;

use super::collectives::{Count, MOST_RINGS, SegmentSize, check_fan_out, known, users};
use crate::Units;
use crate::keys::form::{DATA, Flag, Form, FromTo, Integer, OneOf, Text, written};
use crate::keys::resolved::Resolved;
use crate::keys::{KeyPath, keys};
use crate::source::nearest::is_name;
use crate::source::reader::Section;
use crate::source::tree::Entry;
use serde_json::{Value, json};
use std::num::NonZeroU32;
use weir_message::collective::choice::CATALOGUE;
use weir_message::collective::{
    Condition, ElementCount, FromTo as Between, Known, Named, Parameter, Parameters, Preset, Row,
};
use weir_units::Bytes;

/// The algorithm that interfaces carry out by themselves.
pub(crate) const HARDWARE: &str = "hardware";

pub(super) struct CollectiveName;

fn collectives() -> Vec<&'static str> {
    CATALOGUE.iter().map(|&(key, _)| key).collect()
}

impl Form<&'static str> for CollectiveName {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<&'static str> {
        let found = collectives().into_iter().find(|key| is_name(key, written(entry)));
        found.or_else(|| at.none_of(entry, &collectives()))
    }

    fn write(&self, _: Units, key: &&'static str) -> Value {
        json!(key)
    }

    fn schema(&self) -> Value {
        json!({ "enum": collectives() })
    }
}

/// Numbers of ranks.
const RANK_COUNT: Integer = Integer(1, u64::MAX);

/// Vectors that some algorithms cannot divide.
const FEW: [(&str, ElementCount); 2] =
    [("below-ranks", ElementCount::BelowRanks), ("below-power", ElementCount::BelowPower)];

keys! {
    "selection":
    COLLECTIVE: &'static str = "collective", &[], CollectiveName, Required("write collective = \"allreduce\""),
        "Collective for which the row is, by its key in `[collectives]`.";
    ALGORITHM: String = "algorithm", &[], Text, Required("write algorithm = \"ring\""),
        "Name of the algorithm in `[collectives]`; `auto`: as the preset has it.";
    RANKS: (Option<u64>, Option<u64>) = "ranks", &[], FromTo(RANK_COUNT), Words("any"),
        "Numbers of ranks that the row fits, from and to, both included: `[33, 512]`, `[513, \"any\"]`.";
    BYTES: (Option<Bytes>, Option<Bytes>) = "bytes", &[], FromTo(DATA), Words("any"),
        "Bytes of the [whole vector](collectives.md#a-table-of-your-own) that the row fits, from and to, both included: `[\"8 KiB\", \"1 MiB\"]`.";
    BYTES_PER_RANK: (Option<Bytes>, Option<Bytes>) = "bytes_per_rank", &[], FromTo(DATA), Words("any"),
        "Bytes of a block that the row fits, from and to: those of the whole vector divided by the number of ranks, rounded down.";
    POWER_OF_TWO: bool = "power_of_two", &[], Flag, Words("any"),
        "`true`: the row fits only numbers of ranks that are a power of two; `false`: only others.";
    COMMUTES: bool = "commutes", &[], Flag, Words("any"),
        "For `reduce`, `allreduce`, `reduce_scatter`: `true`: the row fits only operations that commute; `false`: only others.";
    ELEMENTS: ElementCount = "elements", &[], OneOf(&FEW), Words("any"),
        "For the same collectives: `below-ranks`: the row fits only vectors of fewer elements than ranks; `below-power`: of fewer than the greatest power \
         of two up to the number of ranks.";
    SEGMENT: NonZeroU32 = "segment_size", &[], SegmentSize, Words("as the algorithm has it"),
        "Bytes of a segment, as [in `[collectives]`](collectives.md#parameters).";
    FAN_OUT: NonZeroU32 = "fan_out", &[], Count(Integer::COUNT), Words("as the algorithm has it"),
        "Fan-out of the algorithm, as [in `[collectives]`](collectives.md#parameters).";
    TREES: NonZeroU32 = "trees", &[], Count(Integer::COUNT), Words("as the algorithm has it"),
        "Most trees of the algorithm, as [in `[collectives]`](collectives.md#parameters).";
    RINGS: NonZeroU32 = "rings", &[], Count(Integer(1, MOST_RINGS)), Words("1"),
        "Number of rings of the algorithm that go around at once, as [in `[collectives]`](collectives.md#parameters).";
}

/// The rows that one item of the list stands for, one for each row of the algorithm's name; `None` when something is
/// missing or wrong.
fn read(section: &mut Section<'_>, preset: Preset) -> Option<Vec<Row<Named>>> {
    let collective = section.get_required(&COLLECTIVE);
    let name = section.get_required(&ALGORITHM);
    let ranks = section.get(&RANKS).map(|(from, to)| between(from, to, 1));
    let of_bytes = |range: (Option<Bytes>, Option<Bytes>)| {
        between(range.0.map(|Bytes(from)| from), range.1.map(|Bytes(to)| to), 0)
    };
    let bytes = section.get(&BYTES).map(of_bytes);
    let bytes_per_rank = section.get(&BYTES_PER_RANK).map(of_bytes);
    let (power_of_two, commutes) = (section.get(&POWER_OF_TWO), section.get(&COMMUTES));
    let few = section.get(&ELEMENTS);
    let algorithm = match (collective, &name) {
        (Some(collective), Some(name)) => known(section, ALGORITHM.name, preset, (collective, name)),
        _ => None,
    };
    let last = algorithm
        .as_ref()
        .and_then(|known| known.rows.last())
        .map_or("", |row| row.algorithm.algorithm().name);
    let (segment, fan_out) = (section.get(&SEGMENT), section.get(&FAN_OUT));
    check_fan_out(section, &FAN_OUT, fan_out, last);
    let (trees, rings) = (section.get(&TREES), section.get(&RINGS));
    let (collective, algorithm) = (collective?, algorithm?);
    refuse_unused(section, preset, collective, &algorithm);
    let when = Condition { ranks, bytes, bytes_per_rank, power_of_two, commutes, few };
    if when.has_no_ranks() {
        let which = if power_of_two == Some(true) { "none of ranks is one" } else { "all of ranks are one" };
        section.problem(POWER_OF_TWO.name, format!("leaves no number of ranks: {which}"), None);
        return None;
    }
    let rows = algorithm.with(Parameters { segment, fan_out, trees, rings }).into_iter();
    Some(rows.filter_map(|row| Some(Row { when: row.when.and(&when)?, ..row })).collect())
}

fn between(from: Option<u64>, to: Option<u64>, least: u64) -> Between {
    Between { from: from.unwrap_or(least), to: to.unwrap_or(u64::MAX) }
}

fn refuse_unused(section: &mut Section<'_>, preset: Preset, collective: &str, algorithm: &Known) {
    let parameters = [
        (&SEGMENT.row, Parameter::Segment),
        (&FAN_OUT.row, Parameter::FanOut),
        (&TREES.row, Parameter::Trees),
        (&RINGS.row, Parameter::Rings),
    ];
    for (key, parameter) in parameters.map(|(row, parameter)| (row.name, parameter)) {
        if section.has(key) && !algorithm.uses(parameter) {
            let hint = match users(preset, collective, parameter) {
                users if users.is_empty() => "leave it out".to_owned(),
                users => format!("leave it out, or choose algorithm among {}", users.join(", ")),
            };
            section.problem(key, format!("is not used by {collective} = {:?}", algorithm.name), Some(hint));
        }
    }
    let moves_nothing = collective == "barrier";
    for key in [BYTES.name, BYTES_PER_RANK.name].into_iter().filter(|_| moves_nothing) {
        if section.has(key) {
            section.problem(key, "does not belong to barrier, which has no bytes", None);
        }
    }
    let combines = ["reduce", "allreduce", "reduce_scatter"].contains(&collective);
    for key in [COMMUTES.name, ELEMENTS.name].into_iter().filter(|_| !combines) {
        if section.has(key) {
            let what = format!("belongs to reduce, allreduce and reduce_scatter, not to {collective}");
            section.problem(key, what, None);
        }
    }
}

pub(crate) fn put(row: &Row<Named>, preset: Preset, resolved: &mut Resolved) {
    let Row { when, algorithm, parameters } = *row;
    let bounds = |range: Between, least: u64| {
        // A range has a bound at least.
        let to = (range.to < u64::MAX).then_some(range.to);
        ((range.from > least || to.is_none()).then_some(range.from), to)
    };
    let of_bytes = |range: Option<Between>| {
        range.map(|range| bounds(range, 0)).map(|(from, to)| (from.map(Bytes), to.map(Bytes)))
    };
    resolved.put(&COLLECTIVE, algorithm.collective());
    resolved.put(&ALGORITHM, preset.name_of(algorithm).to_owned());
    resolved.put_some(&RANKS, when.ranks.map(|ranks| bounds(ranks, 1)));
    resolved.put_some(&BYTES, of_bytes(when.bytes));
    resolved.put_some(&BYTES_PER_RANK, of_bytes(when.bytes_per_rank));
    resolved.put_some(&POWER_OF_TWO, when.power_of_two);
    resolved.put_some(&COMMUTES, when.commutes);
    resolved.put_some(&ELEMENTS, when.few);
    resolved.put_some(&SEGMENT, parameters.segment);
    resolved.put_some(&FAN_OUT, parameters.fan_out);
    resolved.put_some(&TREES, parameters.trees);
    resolved.put_some(&RINGS, parameters.rings);
}
