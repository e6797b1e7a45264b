//! `[[selection]]`: which algorithm a collective takes, by ranks and bytes.

mod check;

use super::collectives::{MOST_RINGS, known, read_count, read_fan_out, read_segment, users};
use crate::Units;
use crate::keys::Default::{Required, Words};
use crate::keys::form::{DATA, Flag, Form, FromTo, OneOf, Quantity, Text, Whole, is_name, written};
use crate::keys::resolved::Resolved;
use crate::keys::{At, keys};
use crate::source::reader::Section;
use crate::source::tree::Entry;
use serde_json::{Value, json};
use weir_message::collective::choice::CATALOGUE;
use weir_message::collective::{
    Condition, ElementCount, FromTo as Between, Known, Named, Parameter, Parameters, Preset, Row,
};
use weir_units::Bytes;

/// The algorithm that interfaces carry out by themselves.
pub(crate) const HARDWARE: &str = "hardware";

/// A collective of the catalogue.
pub(super) struct CollectiveName;

fn collectives() -> Vec<&'static str> {
    CATALOGUE.iter().map(|&(key, _)| key).collect()
}

impl Form for CollectiveName {
    type Value = &'static str;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<&'static str> {
        let found = collectives().into_iter().find(|key| is_name(key, written(entry)));
        found.or_else(|| at.none_of(entry, &collectives()))
    }

    fn schema(&self) -> Value {
        json!({ "enum": collectives() })
    }
}

/// Numbers of ranks.
const RANK_COUNT: Whole = Whole(1, u64::MAX);

/// Vectors that some algorithms cannot divide.
const FEW: [(&str, ElementCount); 2] =
    [("below-ranks", ElementCount::BelowRanks), ("below-power", ElementCount::BelowPower)];

keys! {
    "selection":
    COLLECTIVE: CollectiveName = "collective", &[], CollectiveName, Required("write collective = \"allreduce\""),
        "for which collective the row is, by its key in `[collectives]`";
    ALGORITHM: Text = "algorithm", &[], Text, Required("write algorithm = \"ring\""),
        "the algorithm, by its name in `[collectives]`; `auto`: as the preset has it";
    RANKS: FromTo<Whole> = "ranks", &[], FromTo(RANK_COUNT), Words("any"),
        "the row fits from so many ranks to so many, both included: `[33, 512]`, `[513, \"any\"]`";
    BYTES: FromTo<Quantity<Bytes>> = "bytes", &[], FromTo(DATA), Words("any"),
        "the row fits from so many bytes of the [whole vector](collectives.md#a-table-of-your-own) to so many, both included: `[\"8 KiB\", \"1 MiB\"]`";
    BYTES_PER_RANK: FromTo<Quantity<Bytes>> = "bytes_per_rank", &[], FromTo(DATA), Words("any"),
        "likewise of bytes of the whole vector divided by the number of ranks, rounded down: of a block";
    POWER_OF_TWO: Flag = "power_of_two", &[], Flag, Words("any"),
        "`true`: only numbers of ranks that are a power of two; `false`: only others";
    COMMUTES: Flag = "commutes", &[], Flag, Words("any"),
        "`reduce`, `allreduce`, `reduce_scatter`: `true`: only operations that commute; `false`: only others";
    ELEMENTS: OneOf<ElementCount> = "elements", &[], OneOf(&FEW), Words("any"),
        "the same collectives: `below-ranks`: only vectors of fewer elements than ranks; `below-power`: of fewer than the greatest power \
         of two up to the number of ranks";
    SEGMENT: Quantity<Bytes> = "segment_size", &[], DATA, Words("as the algorithm has it"),
        "bytes of a segment, as [in `[collectives]`](collectives.md#parameters)";
    FAN_OUT: Whole = "fan_out", &[], Whole(1, u32::MAX as u64), Words("as the algorithm has it"),
        "fan-out of the algorithm, as [in `[collectives]`](collectives.md#parameters)";
    TREES: Whole = "trees", &[], Whole(1, u32::MAX as u64), Words("as the algorithm has it"),
        "the most trees of the algorithm, as [in `[collectives]`](collectives.md#parameters)";
    RINGS: Whole = "rings", &[], Whole(1, MOST_RINGS), Words("1"),
        "how many rings of the algorithm go around at once, as [in `[collectives]`](collectives.md#parameters)";
}

/// What one item of the list stands for, which is a row for each row of the algorithm's name; `None` when something is
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
    let segment = read_segment(section, &SEGMENT);
    let fan_out = read_fan_out(section, &FAN_OUT, last);
    let trees = read_count(section, &TREES);
    let rings = read_count(section, &RINGS);
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

/// Refuses what this collective or its algorithm has no use for.
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

/// A row as it would be written.
pub(crate) fn resolved(row: &Row<Named>, preset: Preset, units: Units) -> Value {
    let Row { when, algorithm, parameters } = *row;
    let bounds = |range: Between, least: u64| {
        // A range has a bound at least.
        let to = (range.to < u64::MAX).then_some(range.to);
        ((range.from > least || to.is_none()).then_some(range.from), to)
    };
    let of_bytes = |range: Option<Between>| {
        range.map(|range| bounds(range, 0)).map(|(from, to)| (from.map(Bytes), to.map(Bytes)))
    };
    let mut resolved = Resolved::new(units);
    resolved.put_written(&COLLECTIVE, json!(algorithm.collective()));
    resolved.put(&ALGORITHM, preset.name_of(algorithm).to_owned());
    resolved.put_some(&RANKS, when.ranks.map(|ranks| bounds(ranks, 1)));
    resolved.put_some(&BYTES, of_bytes(when.bytes));
    resolved.put_some(&BYTES_PER_RANK, of_bytes(when.bytes_per_rank));
    resolved.put_some(&POWER_OF_TWO, when.power_of_two);
    resolved.put_some(&COMMUTES, when.commutes);
    resolved.put_some(&ELEMENTS, when.few);
    resolved.put_some(&SEGMENT, parameters.segment.map(|segment| Bytes(u64::from(segment.get()))));
    resolved.put_some(&FAN_OUT, parameters.fan_out.map(|count| u64::from(count.get())));
    resolved.put_some(&TREES, parameters.trees.map(|count| u64::from(count.get())));
    resolved.put_some(&RINGS, parameters.rings.map(|count| u64::from(count.get())));
    resolved.into_value()
}
