//! `kind = "fat-tree"`: a radix for all stages, a radix for each, or a table for each.

use super::{TopologySection, read_links, stand_in};
use crate::keys::form::{Form, Integer, Number, OneOrMany, RATE, TIME};
use crate::keys::keys;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value as Written};
use serde_json::{Value, json};
use std::ops::Bound;
use weir_topology::{Mistake, Stage, Switches};
use weir_units::{Bandwidth, Duration};

const PER: &str = "pair of neighboring stages";
const STAGES_FORM: &str = "a number of stages from 1 to 32, a list of radices such as [8, 8, 16], or a list of \
                           tables such as [{down = 4, up = 2}, {down = 8}], from the leaves up";

mod stage {
    use super::*;

    keys! {
        "topology.stages":
        DOWN: u32 = "down", &[], Integer::COUNT, Required("write how many ports lead down: down = 4"),
            "Ports of a switch that lead down.";
        UP: u32 = "up", &[], Integer::COUNT, Required("write how many ports lead up: up = 4"),
            "Ports of a switch that lead up; not of the top stage.";
        BANDWIDTH: Bandwidth = "bandwidth", &[], RATE, Words("`topology.bandwidth`"),
            "Bandwidth of the cables above the stage.";
        LATENCY: Duration = "latency", &[], TIME, Words("`topology.latency`"), "Latency of the cables above the stage.";
        PARALLEL: u32 = "parallel", &[], Integer::COUNT, Words("`topology.parallel`"),
            "Number of parallel cables at each port up of the stage.";
    }
}

const TAPER: Number = Number {
    within: (Bound::Excluded(0.0), Bound::Included(1.0)),
    words: "a number above 0 and at most 1, or a list of them",
};

pub(super) fn stages_schema() -> Value {
    let table = stage::KEYS.schema();
    json!({ "anyOf": [
        Integer(1, 32).schema(),
        { "type": "array", "minItems": 1, "items": Integer::COUNT.schema() },
        { "type": "array", "minItems": 1, "items": table },
    ] })
}

pub(super) fn taper_schema() -> Value {
    json!({ "anyOf": [TAPER.schema(), { "type": "array", "items": TAPER.schema() }] })
}

/// The cables above a stage, as far as its own table says it.
#[derive(Clone, Copy, Default)]
struct Own {
    bandwidth: Option<Bandwidth>,
    latency: Option<Duration>,
    parallel: Option<u32>,
}

type Stages = (Vec<Switches>, Vec<Own>);
type Radices = Result<Vec<Switches>, Vec<Mistake>>;

pub(super) fn read(section: &mut Section<'_>) -> Option<TopologySection> {
    let routing = section.get_or_default(&super::ROUTING);
    let (stages, own) = read_stages(section).unzip();
    let (count, own) = (stages.as_ref().map(Vec::len), own.unwrap_or_default());
    let parallel = read_parallel(section, count, &own);
    let cables = read_cables(section, count, &own);
    let (stages, parallel, cables) = (stages?, parallel?, cables?);
    settle(&stages, section);
    Some(TopologySection::FatTree { stages, parallel, cables, routing })
}

/// The number of cables at each port up of each stage but the top one: what its table says, else `parallel`.
fn read_parallel(section: &mut Section<'_>, stages: Option<usize>, own: &[Own]) -> Option<Vec<u32>> {
    let written = section.get(&super::PARALLEL);
    let each = (stages.map(|stages| stages - 1), PER);
    let all = written.map_or(OneOrMany::One(1), |written| written);
    let mut parallel = section.for_each(&super::PARALLEL, all, each)?;
    let of_tables = parallel.iter_mut().zip(own);
    of_tables.for_each(|(parallel, own)| *parallel = own.parallel.unwrap_or(*parallel));
    let settled = if parallel.is_empty() { OneOrMany::One(1) } else { OneOrMany::of(parallel.clone()) };
    section.settle(&super::PARALLEL, settled);
    Some(parallel)
}

fn read_stages(section: &mut Section<'_>) -> Option<Stages> {
    let Some(entry) = section.entry(super::STAGES.name) else { return of_one_radix(section, 3) };
    match &entry.value {
        Written::Integer(stages @ 1..=32) => of_one_radix(section, *stages as u32),
        Written::List(list) if !list.is_empty() && list.iter().all(is_table) => of_tables(section, list),
        Written::List(list) if !list.is_empty() => of_radices(section, list),
        _ => {
            section.report("stages", format!("must be {STAGES_FORM}"), "");
            section.pass(&["radix", "taper"]);
            None
        }
    }
}

/// `radix = 8`, for so many stages.
fn of_one_radix(section: &mut Section<'_>, stages: u32) -> Option<Stages> {
    let radix = section.get_required(&super::RADIX);
    let tapers = tapers(section, stages as usize);
    tapered(section, Switches::full(radix?, stages), tapers?)
}

/// `stages = [8, 8, 16]`.
fn of_radices(section: &mut Section<'_>, list: &[Entry]) -> Option<Stages> {
    section.refuse(&["radix"], "makes no sense where stages has the ports of each stage");
    let tapers = tapers(section, list.len());
    let radix = |entry: &Entry| match entry.value {
        Written::Integer(radix) => u32::try_from(radix).ok(),
        _ => None,
    };
    let Some(radices) = list.iter().map(radix).collect::<Option<Vec<_>>>() else {
        section.report("stages", format!("must be {STAGES_FORM}"), "");
        return None;
    };
    tapered(section, Switches::of_radices(&radices), tapers?)
}

/// `stages = [{down = 4, up = 2}, {down = 8}]`.
fn of_tables(section: &mut Section<'_>, list: &[Entry]) -> Option<Stages> {
    section.refuse(&["radix"], "makes no sense where stages has the ports of each stage");
    section.refuse(&["taper"], "makes no sense where each stage says how many ports lead up");
    let mut stages = Vec::new();
    for (i, entry) in list.iter().enumerate() {
        let Written::Table(tree) = &entry.value else { continue };
        let top = i + 1 == list.len();
        let mut item = section.item("topology.stages", tree, &entry.place);
        let down = item.get_required(&stage::DOWN);
        let (mut up, mut own) = (Some(0), Own::default());
        if top {
            let why = "makes no sense in the top stage, which leads only down";
            item.refuse(&["up", "bandwidth", "latency", "parallel"], why);
        } else {
            up = item.get_required(&stage::UP);
            own = Own {
                bandwidth: item.get(&stage::BANDWIDTH),
                latency: item.get(&stage::LATENCY),
                parallel: item.get(&stage::PARALLEL),
            };
        }
        item.finish();
        stages.push(down.zip(up).map(|(down, up)| (Switches { down, up }, own)));
    }
    Some(stages.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip())
}

/// `taper`: of the lowest stage, or one for each pair of stages.
fn tapers(section: &mut Section<'_>, stages: usize) -> Option<Vec<f64>> {
    let pairs = stages - 1;
    let Some(entry) = section.entry(super::TAPER.name) else { return Some(Vec::new()) };
    let number = |entry: &Entry| TAPER.of(entry);
    let tapers = match &entry.value {
        Written::List(list) if list.len() == pairs => list.iter().map(number).collect(),
        Written::List(list) if list.iter().all(|item| number(item).is_some()) => {
            let what = format!("must be one value, or {pairs}, one per {PER}, not {}", list.len());
            section.report("taper", what, "");
            return None;
        }
        Written::List(_) => None,
        _ => number(&entry).map(|taper| vec![taper]),
    };
    let Some(mut tapers) = tapers else {
        let what = format!("must be {}", TAPER.words);
        let hint = "0.5 gives half as many cables up as down at the leaves; 1.0 is full bisection bandwidth";
        section.report("taper", what, hint);
        return None;
    };
    // One stage has no cables to be fewer.
    tapers.truncate(pairs);
    Some(tapers)
}

fn tapered(section: &mut Section<'_>, stages: Radices, tapers: Vec<f64>) -> Option<Stages> {
    let stages = stages.and_then(|mut stages| Switches::taper(&mut stages, &tapers).map(|()| stages));
    match stages {
        Ok(stages) => {
            let own = vec![Own::default(); stages.len()];
            Some((stages, own))
        }
        Err(mistakes) => {
            for mistake in mistakes {
                section.report(mistake.key, mistake.what, mistake.hint);
            }
            None
        }
    }
}

fn read_cables(section: &mut Section<'_>, stages: Option<usize>, own: &[Own]) -> Option<Vec<Stage>> {
    let pairs = stages.map(|stages| (stages - 1).max(1));
    let below = &own[..own.len().saturating_sub(1)];
    let all_have_one = !below.is_empty() && below.iter().all(|own| own.bandwidth.is_some());
    if !all_have_one {
        let mut cables = read_links(section, (pairs, PER))?;
        for (cable, own) in cables.iter_mut().zip(below) {
            cable.bandwidth = own.bandwidth.unwrap_or(cable.bandwidth);
            cable.latency = own.latency.unwrap_or(cable.latency);
        }
        return Some(cables);
    }
    section.refuse(&["bandwidth"], "makes no sense where each stage has its own");
    let latencies = section.get(&super::LATENCY);
    let latencies = latencies.and_then(|written| section.for_each(&super::LATENCY, written, (pairs, PER)));
    let latencies = latencies.unwrap_or(vec![Duration::ZERO; below.len()]);
    let cable = |(own, latency): (&Own, Duration)| Stage {
        bandwidth: own.bandwidth.unwrap_or(stand_in()),
        latency: own.latency.unwrap_or(latency),
    };
    Some(below.iter().zip(latencies).map(cable).collect())
}

fn is_table(entry: &Entry) -> bool {
    matches!(entry.value, Written::Table(_))
}

fn full_radix(stages: &[Switches]) -> Option<u32> {
    let radix = stages.last()?.down;
    let full = Switches::full(radix, u32::try_from(stages.len()).ok()?).ok()?;
    (full == stages).then_some(radix)
}

pub(super) fn with_room_for(stages: &[Switches], parallel: &[u32], nodes: u64) -> String {
    if full_radix(stages).is_some() {
        let count = u32::try_from(stages.len()).expect("a tree has few stages");
        let p = (1_u64..).find(|p| 2 * p.saturating_pow(count) >= nodes).expect("powers grow");
        return format!("topology.radix = {}", 2 * p);
    }
    let (top, lower) = stages.split_last().expect("a tree has at least one stage");
    let below: u64 = lower.iter().map(|switches| u64::from(switches.down)).product();
    let table = |(Switches { down, up }, cables): (&Switches, &u32)| match cables {
        1 => format!("{{down = {down}, up = {up}}}"),
        cables => format!("{{down = {down}, up = {up}, parallel = {cables}}}"),
    };
    let mut tables: Vec<_> = lower.iter().zip(parallel).map(table).collect();
    tables.push(format!("{{down = {}}}", nodes.div_ceil(below).max(u64::from(top.down))));
    format!("topology.stages = [{}]", tables.join(", "))
}

/// The stages in a resolved experiment: by one radix, or each.
fn settle(stages: &[Switches], section: &mut Section<'_>) {
    let radix = full_radix(stages);
    let table = |switches: &Switches| match switches.up {
        0 => json!({ "down": switches.down }),
        up => json!({ "down": switches.down, "up": up }),
    };
    let written = if radix.is_some() { json!(stages.len()) } else { stages.iter().map(table).collect() };
    section.settle(&super::RADIX, radix);
    section.settle_written(&super::STAGES, Some(written));
    section.settle_written(&super::TAPER, radix.map(|_| json!(1)));
    section.put_last("radix stages taper parallel routing bandwidth latency");
}
