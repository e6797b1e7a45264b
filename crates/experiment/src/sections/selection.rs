//! `[[selection]]`: which algorithm a collective takes, by ranks and bytes.

use super::collectives::{
    self, AUTO, COUNT, CollectivesSection, GRID, PARAMETERS, ReadCollectives, SEGMENT_SIZE, check_fan_out,
    known, refuse_unused,
};
use crate::NodeSection;
use crate::check::{Check, Parts};
use crate::keys::form::{DATA, FLAG, FromTo, Integer, OneOf, Plain, TEXT, written};
use crate::keys::keys;
use crate::sections::workload::keys::COLLECTIVE_ALGORITHM;
use crate::sections::workload::{CollectiveSection, Workload};
use crate::source::nearest::is_name;
use crate::source::reader::Section;
use crate::source::tree::Tree;
use serde_json::json;
use std::num::NonZeroU32;
use weir_collectives::choice::CATALOG;
use weir_collectives::{
    Condition, ElementCount, FromTo as Between, Named, NamedRows, Parameters, Preset, Row,
};
use weir_units::Bytes;

/// The algorithm that interfaces carry out by themselves.
pub(crate) const HARDWARE: &str = "hardware";

fn collectives() -> Vec<&'static str> {
    CATALOG.iter().map(|&(key, _)| key).collect()
}

const COLLECTIVE_NAME: Plain<&str> = Plain {
    read: |at, entry| {
        let found = collectives().into_iter().find(|key| is_name(key, written(entry)));
        found.or_else(|| at.none_of(entry, &collectives()))
    },
    schema: || json!({ "enum": collectives() }),
};

/// Numbers of ranks.
const RANK_COUNT: Integer = Integer(1, u64::MAX);

keys! {
    "selection":
    COLLECTIVE: &'static str = "collective", &[], COLLECTIVE_NAME, Required("write collective = \"allreduce\""),
        "Collective for which the row is, by its key in `[collectives]`.";
    ALGORITHM: String = "algorithm", &[], TEXT, Required("write algorithm = \"ring\""),
        "Name of the algorithm in `[collectives]`; `auto`: as the preset has it.";
    RANKS: (Option<u64>, Option<u64>) = "ranks", &[], FromTo(RANK_COUNT), Words("any"),
        "Numbers of ranks that the row fits, from and to, both included: `[33, 512]`, `[513, \"any\"]`.";
    BYTES: (Option<Bytes>, Option<Bytes>) = "bytes", &[], FromTo(DATA), Words("any"),
        "Bytes of the [whole vector](collectives.md#a-table-of-your-own) that the row fits, from and to, both included: `[\"8 KiB\", \"1 MiB\"]`.";
    BYTES_PER_RANK: (Option<Bytes>, Option<Bytes>) = "bytes_per_rank", &[], FromTo(DATA), Words("any"),
        "Bytes of a block that the row fits, from and to: those of the whole vector divided by the number of ranks, rounded down.";
    POWER_OF_TWO: bool = "power_of_two", &[], FLAG, Words("any"),
        "`true`: the row fits only numbers of ranks that are a power of two; `false`: only others.";
    COMMUTES: bool = "commutes", &[], FLAG, Words("any"),
        "For `reduce`, `allreduce`, `reduce_scatter`: `true`: the row fits only operations that commute; `false`: only others.";
    ELEMENTS: ElementCount = "elements", &[],
        OneOf(&[("below-ranks", ElementCount::BelowRanks), ("below-power", ElementCount::BelowPower)]), Words("any"),
        "For the same collectives: `below-ranks`: the row fits only vectors of fewer elements than ranks; `below-power`: of fewer than the greatest power \
         of two up to the number of ranks.";
    SEGMENT: NonZeroU32 = "segment_size", &[], SEGMENT_SIZE, Words("as the algorithm has it"),
        "Bytes of a segment, as [in `[collectives]`](collectives.md#parameters).";
    FAN_OUT: NonZeroU32 = "fan_out", &[], COUNT, Words("as the algorithm has it"),
        "Fan-out of the algorithm, as [in `[collectives]`](collectives.md#parameters).";
    TREES: NonZeroU32 = "trees", &[], COUNT, Words("as the algorithm has it"),
        "Most trees of the algorithm, as [in `[collectives]`](collectives.md#parameters).";
    RINGS: NonZeroU32 = "rings", &[], collectives::RINGS, Words("1"),
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
    let last = algorithm.as_ref().and_then(|known| known.rows.last());
    let last = last.map_or("", |row| row.algorithm.algorithm().name);
    let (segment, fan_out) = (section.get(&SEGMENT), section.get(&FAN_OUT));
    check_fan_out(section, &FAN_OUT, fan_out, last);
    let (trees, rings) = (section.get(&TREES), section.get(&RINGS));
    let (collective, algorithm) = (collective?, algorithm?);
    refuse_others(section, preset, collective, &algorithm);
    let when = Condition { ranks, bytes, bytes_per_rank, power_of_two, commutes, few };
    if when.has_no_ranks() {
        let which = if power_of_two == Some(true) { "none of ranks is one" } else { "all of ranks are one" };
        section.report(POWER_OF_TWO.name, format!("leaves no number of ranks: {which}"), "");
        return None;
    }
    let rows = algorithm.with(Parameters { segment, fan_out, trees, rings }).into_iter();
    Some(rows.filter_map(|row| Some(Row { when: row.when.and(&when)?, ..row })).collect())
}

fn between(from: Option<u64>, to: Option<u64>, least: u64) -> Between {
    Between { from: from.unwrap_or(least), to: to.unwrap_or(u64::MAX) }
}

fn refuse_others(section: &mut Section<'_>, preset: Preset, collective: &str, algorithm: &NamedRows) {
    for &(parameter, key, ..) in &PARAMETERS {
        refuse_unused(section, preset, (collective, algorithm, ALGORITHM.name), (key, parameter));
    }
    let moves_nothing = collective == "barrier";
    for key in [BYTES.name, BYTES_PER_RANK.name].into_iter().filter(|_| moves_nothing) {
        section.report_if(section.has(key), key, "does not belong to barrier, which has no bytes", "");
    }
    let combines = ["reduce", "allreduce", "reduce_scatter"].contains(&collective);
    for key in [COMMUTES.name, ELEMENTS.name].into_iter().filter(|_| !combines) {
        let what = format!("belongs to reduce, allreduce and reduce_scatter, not to {collective}");
        section.report_if(section.has(key), key, what, "");
    }
}

fn put(row: &Row<Named>, preset: Preset, section: &mut Section<'_>) {
    let Row { when, algorithm, parameters } = *row;
    let bounds = |range: Between, least: u64| {
        // A range has a bound at least.
        let to = (range.to < u64::MAX).then_some(range.to);
        ((range.from > least || to.is_none()).then_some(range.from), to)
    };
    let of_bytes = |range: Option<Between>| {
        range.map(|range| bounds(range, 0)).map(|(from, to)| (from.map(Bytes), to.map(Bytes)))
    };
    section.settle(&COLLECTIVE, algorithm.collective());
    section.settle(&ALGORITHM, preset.name_of(algorithm).to_owned());
    section.settle(&RANKS, when.ranks.map(|ranks| bounds(ranks, 1)));
    section.settle(&BYTES, of_bytes(when.bytes));
    section.settle(&BYTES_PER_RANK, of_bytes(when.bytes_per_rank));
    section.settle(&POWER_OF_TWO, when.power_of_two);
    section.settle(&COMMUTES, when.commutes);
    section.settle(&ELEMENTS, when.few);
    section.settle(&SEGMENT, parameters.segment);
    section.settle(&FAN_OUT, parameters.fan_out);
    section.settle(&TREES, parameters.trees);
    section.settle(&RINGS, parameters.rings);
}

/// Algorithm that follows the grid of the job.
const DISJOINT_TREES: &str = "disjoint-trees";

impl Check<'_> {
    /// The algorithms by their names, and the table. Collectives that are named take no notice of the table; where a name
    /// does not stand for one algorithm, its rows are the table of the collective. The grid that ranks lie on is that of
    /// the job if none is written.
    pub(crate) fn algorithms(&mut self, parts: &mut Parts) -> (CollectivesSection, Vec<Row<Named>>) {
        let ReadCollectives { mut section, mut rows, .. } = match &mut parts.workload {
            Some(Workload::Collective(collective)) => self.collectives_of(collective),
            _ => self.read("collectives", |section| CollectivesSection::read(section, None)),
        };
        let own = self.selection(section.preset);
        let is_named = |row: &Row<Named>, rows: &[Row<Named>]| {
            rows.iter().any(|named| named.algorithm.collective() == row.algorithm.collective())
        };
        let own: Vec<Row<Named>> = own.into_iter().filter(|row| !is_named(row, &rows)).collect();
        rows.extend(own);
        self.findings.resolved.forget("selection");
        for (number, row) in rows.iter().enumerate() {
            let place = self.input.whole.clone();
            let name = format!("selection.{number}");
            put(row, section.preset, &mut Section::new(name, Tree::default(), place, self.findings));
        }
        if let Some(ranks) = parts.ranks {
            self.grid(&mut section, &rows, ranks, parts);
        }
        self.section("collectives").settle(&GRID, Some(section.grid.clone()).filter(|grid| !grid.is_empty()));
        self.hardware_fits(&section, &rows, &parts.node);
        (section, rows)
    }

    /// Fills in the grid where an algorithm follows it. Refuses one that has not a place for each rank, and none.
    fn grid(&mut self, section: &mut CollectivesSection, rows: &[Row<Named>], ranks: usize, parts: &Parts) {
        let trees = find(section, rows, DISJOINT_TREES);
        if trees.is_none() && find(section, rows, HARDWARE).is_none() {
            return;
        }
        if section.grid.is_empty() {
            section.grid = parts.mapping.grid(ranks, parts.machine()).unwrap_or_default();
        }
        let places: u64 = section.grid.iter().fold(1, |places, &side| places.saturating_mul(side.into()));
        match trees {
            Some(follows) if section.grid.is_empty() => {
                let of = follows.collective();
                let what = format!(
                    "is missing: {DISJOINT_TREES} of {of} need it, because the {ranks} ranks are not one on each node of a torus"
                );
                let hint = "write collectives.grid, as [4, 8] for 32 ranks, or choose multi-tree";
                self.findings.add(&self.input.whole, "collectives.grid", "", what, Some(hint.to_owned()));
            }
            _ if !section.grid.is_empty() && places != ranks as u64 => {
                let what =
                    format!("has {places} places, and there are {ranks} ranks: there must be one each");
                self.section("collectives").report("grid", what, "");
            }
            _ => {}
        }
    }

    fn hardware_fits(&mut self, section: &CollectivesSection, rows: &[Row<Named>], node: &NodeSection) {
        let Some(named) = find(section, rows, HARDWARE).filter(|_| node.hardware_overhead.is_none()) else {
            return;
        };
        let what =
            format!("is missing: {HARDWARE} of {} is of interfaces that carry it out", named.collective());
        let hint =
            "write node.hardware_overhead = \"1 us\" if those of the machine do, or choose another algorithm";
        self.findings.add(&self.input.whole, "node.hardware_overhead", "", what, Some(hint.to_owned()));
    }

    /// The algorithms where the workload is one collective, which may name its own, as `[collectives]` may. It gets the name
    /// of the catalog, if one algorithm is meant.
    fn collectives_of(&mut self, collective: &mut CollectiveSection) -> ReadCollectives {
        let operation = collective.operation;
        let name = collective.algorithm.take();
        let named = name.as_deref().map(|name| (operation, name));
        let read = self.read("collectives", |section| CollectivesSection::read(section, named));
        let Some(named) = named else { return read };
        let preset = read.section.preset;
        let Some(own) = known(&mut self.section("workload"), ALGORITHM.name, preset, named) else {
            return read;
        };
        let written = read.written.iter().find(|(key, _)| *key == operation).map(|(_, known)| known);
        if let Some(in_force) = written.filter(|in_force| in_force.rows != own.rows) {
            let name = |known: &NamedRows| match &known.rows[..] {
                [row] => preset.name_of(row.algorithm),
                _ => known.name,
            };
            let what = format!("is {}, and collectives.{operation} is {}", name(&own), name(in_force));
            self.section("workload").report("algorithm", what, "name the algorithm once");
        }
        let chosen = read.section.algorithm(operation);
        let chosen = Named::new(operation, chosen).expect("the catalog has the pair");
        let is_one = own.name == AUTO || chosen.algorithm().name != AUTO;
        collective.algorithm = is_one.then(|| preset.name_of(chosen).to_owned());
        self.section("workload").settle(&COLLECTIVE_ALGORITHM, collective.algorithm.clone());
        read
    }

    /// The table of the input. An item that earlier ones leave nothing for is refused, and of what an item stands for, what
    /// they leave nothing for is left out.
    fn selection(&mut self, preset: Preset) -> Vec<Row<Named>> {
        let items = self.listed("selection", "algorithm=ring", |number, section| {
            read(section, preset).map(|rows| (number, rows))
        });
        let mut rows: Vec<(usize, Row<Named>)> = Vec::new();
        for (number, of_item) in items {
            let mut covered = None;
            let before = rows.len();
            for row in of_item {
                let covers = |(_, earlier): &&(usize, Row<Named>)| {
                    earlier.algorithm.collective() == row.algorithm.collective()
                        && earlier.when.covers(&row.when)
                };
                match rows.iter().find(covers) {
                    Some(&(earlier, _)) => covered = covered.or(Some(earlier)),
                    None => rows.push((number, row)),
                }
            }
            let Some(earlier) = covered.filter(|_| rows.len() == before) else { continue };
            let what = format!("can never be reached: selection.{earlier} fits wherever it does");
            let hint = "the first row that fits decides: put the narrower one first, or leave one out";
            self.item_problem(("selection", number), ALGORITHM.name, what, hint);
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

fn find(section: &CollectivesSection, rows: &[Row<Named>], name: &str) -> Option<Named> {
    let named = section.algorithms.iter().filter_map(|(collective, name)| Named::new(collective, name));
    named.chain(rows.iter().map(|row| row.algorithm)).find(|named| named.algorithm().name == name)
}
