//! `[output]`: where results go, and what is kept of a run beside the summary.

mod check;

use crate::Units;
use crate::keys::form::{Choice, DATA, FLAG, Form, OfThisComputer, PathText, Plain, TEXTS, TIME, listed};
use crate::keys::{KeyPath, section};
use crate::source::nearest::nearest;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value as Written};
use serde_json::{Value, json};
use stays::StaysSection;
use std::path::PathBuf;
use weir_network::Requested;
use weir_network::record::{Keep, RequestedSeries, RequestedStays};
use weir_record::KeptCalls;
use weir_topology::Topology;
use weir_units::{Bytes, Duration, RouterId, Time};

const KEEP: Choice<Keep> = Choice(Keep::No, Keep::Yes);

section! {
    /// Where results go, and what is kept of a run.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct OutputSection of "output";
    dir: PathBuf = PathText, Words("none: no file"),
        "[results folder](results-folder.md), made if need be: `summary.json` and tables; `--out` is stronger.";
    sample_interval: Duration = TIME, Words("none"),
        "Interval of samples of links and buffers and of the latencies of messages and packets, one row each; flow and packet engine.";
    series: RequestedSeries = Series, Words("all that the engine has"),
        "Which samples are kept: a list of `\"links\"`, `\"buffers\"` (packet engine), `\"latencies\"`; what is left out \
         is not counted, and costs nothing.";
    messages: Keep = KEEP, Omitted("false"), "Whether the times of every message are kept.";
    pairs: Keep = KEEP, Omitted("false"), "Whether the messages and bytes of each pair of ranks are kept.";
    causes: Keep = KEEP, Omitted("false"),
        "Whether the causes of the time of each rank and the critical path are kept: [why is it slow](../guide/why.md); in the summary, \
         and as a table if there is a folder.";
    band: bool = FLAG, Omitted("false"),
        "Whether weir reports between which times the run lies by the intervals of [`[calibrated]`](../guide/calibration.md#a-band): two runs \
         more for each of them; `--band` is the same.";
    alone: bool = FLAG, Omitted("false"),
        "Whether each of several [jobs](#jobs-several-jobs-that-share-the-machine) runs again at its nodes while the others stand still: its time alone, and how many times as long it takes beside the \
         others; `--alone` is the same.";
    calls: Keep = KEEP, Omitted("false"),
        "Whether the calls of the ranks of an MPI program or a profile are kept, and how long they waited in each.";
    trace: Keep = KEEP, Omitted("false"),
        "Whether calls, messages and the busiest links are written as a [trace](results-folder.md#trace-outputtrace) for Perfetto.";
    trace_limit: Bytes = DATA, Words("`\"100 MB\"`"),
        "Greatest length of a trace; beyond it ranks are left out, every second block of 8, and at last later calls: [what is \
         left out](results-folder.md#trace-outputtrace).";
    checkpoint_every: Duration = OfThisComputer(&TIME), Words("none"),
        "Wall-clock time from one checkpoint to the next, which the run writes into the results folder for `weir resume`, also when it is \
         interrupted; packet and flow engine, patterns, profiles and synthetic traffic, without tables of \
         the keys above but `causes`; `--checkpoint-every` is stronger.";
    +
    /// Which stays of packets in buffers are kept.
    packets: Option<StaysSection> = None;
}

pub(crate) mod stays {
    use super::*;

    section! {
        /// Stays of packets in buffers that are kept.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct StaysSection of "output.packets";
        routers: Vec<String> = ROUTERS,
            Required("list routers by number, or by coordinates or name: routers = [0, \"(1,0)\"]"),
            "List of routers: numbers, in a torus or mesh also coordinates (`\"(1,0)\"`), in a graph also names.";
        from: Duration = TIME, Is("0"), "Stays that end after this are kept.";
        until: Duration = TIME, Words("the end of the run"), "Stays that begin before this are kept.";
    }

    impl StaysSection {
        pub(super) fn read(section: &mut Section<'_>) -> Option<Self> {
            section.table("packets");
            let Entry { value: Written::Table(tree), place, .. } = section.entry("packets")? else {
                return None;
            };
            let mut table = section.item("output.packets", &tree, &place);
            let stays = Self::read_keys(&mut table);
            if let Some(StaysSection { from, until: Some(until), .. }) = &stays
                && until <= from
            {
                table.report("until", "must be later than from", "leave it out for the end of the run");
            }
            table.finish();
            stays
        }
    }
}

/// Length of a trace unless said otherwise: Perfetto opens it within seconds.
const TRACE_MOST: Bytes = Bytes(100_000_000);
/// Memory that a step of a path takes, and twice its greatest length in a trace.
const STEP_BYTES: u64 = 100;
const DRAWN_STEP_BYTES: u64 = 600;
/// Steps that a rank keeps in any case.
const LEAST_STEPS: usize = 16;
/// The keys that ask an engine for tables of their own.
const ENGINE_TABLES: [&str; 4] = ["sample_interval", "messages", "pairs", "packets"];
/// The keys that ask the ranks of a program.
const CALL_TABLES: [&str; 2] = ["calls", "trace"];
/// The key that asks for an account: it needs no folder, and is in checkpoints.
const CAUSES: &str = "causes";
/// The key that asks for checkpoints.
const CHECKPOINTS: &str = "checkpoint_every";

impl OutputSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let mut output = Self::read_keys(section).expect("no key is required");
        output.packets = StaysSection::read(section);
        let longer = "must be longer than 0";
        let is_0 = |time| time == Some(Duration::ZERO);
        section.report_if(is_0(output.checkpoint_every), CHECKPOINTS, longer, "such as \"10 min\"");
        section.report_if(is_0(output.sample_interval), "sample_interval", longer, "such as \"1 us\"");
        let limit = output.trace_limit;
        let is_wrong = limit == Some(Bytes(0));
        section.report_if(is_wrong, "trace_limit", "must be more than 0", "such as \"100 MB\"");
        let what = "limits the length of a trace, and there is none";
        let hint = "add trace = true, or leave trace_limit out";
        section.report_if(limit.is_some() && output.trace == Keep::No, "trace_limit", what, hint);
        let what = "chooses among samples of intervals, and there are none";
        let hint = "add sample_interval = \"1 us\", or leave series out";
        let is_alone = output.series.is_some() && !section.has("sample_interval");
        section.report_if(is_alone, "series", what, hint);
        if output.dir.is_none() && !section.has("dir") {
            for key in output.asked() {
                let hint = "set output.dir, or add --out FOLDER";
                section.report(key, "needs a results folder, and there is none", hint);
            }
        }
        output
    }

    fn asked(&self) -> impl Iterator<Item = &'static str> + '_ {
        ENGINE_TABLES.into_iter().chain(CALL_TABLES).chain([CHECKPOINTS]).filter(|&key| self.asks_for(key))
    }

    /// A key that asks for a table of what happens while the run goes on, if one does.
    fn asks_for_table(&self) -> Option<&'static str> {
        ENGINE_TABLES.into_iter().chain(CALL_TABLES).find(|&key| self.asks_for(key))
    }

    fn asks_for(&self, key: &str) -> bool {
        match key {
            "sample_interval" => self.sample_interval.is_some(),
            "messages" => self.messages == Keep::Yes,
            "pairs" => self.pairs == Keep::Yes,
            CAUSES => self.causes == Keep::Yes,
            "calls" => self.calls == Keep::Yes,
            "trace" => self.trace == Keep::Yes,
            CHECKPOINTS => self.checkpoint_every.is_some(),
            _ => self.packets.is_some(),
        }
    }

    /// Returns whether engines are asked for a table.
    pub fn asks(&self) -> bool {
        ENGINE_TABLES.into_iter().any(|key| self.asks_for(key))
    }

    /// Where calls of ranks are kept, if they are.
    pub fn kept_calls(&self) -> Option<KeptCalls> {
        let kept = KeptCalls { table: self.calls, trace: self.trace };
        (kept != KeptCalls::default()).then_some(kept)
    }

    /// Steps of paths that each of `ranks` ranks keeps for the critical path in the trace: together they take no more memory than the
    /// trace may become long.
    pub fn path_steps(&self, ranks: usize) -> usize {
        if self.trace == Keep::No || self.causes == Keep::No {
            return 0;
        }
        let all = self.most_of_trace().0 / STEP_BYTES;
        ((all / ranks.max(1) as u64) as usize).max(LEAST_STEPS)
    }

    /// Most bytes of a trace.
    pub fn most_of_trace(&self) -> Bytes {
        self.trace_limit.unwrap_or(TRACE_MOST)
    }

    /// Most messages and interfaces over which the critical path is drawn: it makes the trace longer by half at most.
    pub fn most_of_path(&self) -> usize {
        (self.most_of_trace().0 / DRAWN_STEP_BYTES) as usize
    }

    /// Reports that the engine is asked for: for the trace, messages beside those that are kept.
    pub fn reported(&self, topology: Option<&Topology>) -> Requested {
        let messages = if self.trace == Keep::Yes { Keep::Yes } else { self.messages };
        Requested { messages, ..self.requested(topology) }
    }

    /// Reports that are kept.
    pub fn requested(&self, topology: Option<&Topology>) -> Requested {
        let stays = self.packets.as_ref().zip(topology).map(|(stays, topology)| RequestedStays {
            routers: stays.routers.iter().filter_map(|text| router(topology, text)).collect(),
            from: Time::ZERO + stays.from,
            until: stays.until.map_or(Time::MAX, |until| Time::ZERO + until),
        });
        Requested {
            interval: self.sample_interval,
            series: self.series.unwrap_or_default(),
            messages: self.messages,
            pairs: self.pairs,
            stays,
        }
    }
}

/// The tables of `series/`.
static SERIES_NAMES: [&str; 3] = ["links", "buffers", "latencies"];

struct Series;

impl Form<RequestedSeries> for Series {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<RequestedSeries> {
        let names = TEXTS.read(at, entry)?;
        for name in names.iter().filter(|name| !SERIES_NAMES.contains(&name.as_str())) {
            let what = format!("{name:?} is none of {}", SERIES_NAMES.join(", "));
            _ = match nearest(name, SERIES_NAMES) {
                Some(meant) => at.wrong_with_hint(entry, what, format!("did you mean {meant:?}?")),
                None => at.wrong::<()>(entry, what),
            };
        }
        if names.is_empty() {
            let hint = "such as series = [\"links\"], or leave it out for all";
            return at.wrong_with_hint(entry, "must be a list of series, not empty", hint.into());
        }
        let [links, buffers, latencies] =
            SERIES_NAMES.map(|name| if names.iter().any(|one| one == name) { Keep::Yes } else { Keep::No });
        Some(RequestedSeries { links, buffers, latencies })
    }

    fn write(&self, _: Units, series: &RequestedSeries) -> Value {
        let kept = SERIES_NAMES.into_iter().zip([series.links, series.buffers, series.latencies]);
        kept.filter(|&(_, keep)| keep == Keep::Yes).map(|(name, _)| name).collect()
    }

    fn schema(&self) -> Value {
        json!({ "type": "array", "items": { "enum": SERIES_NAMES }, "minItems": 1 })
    }
}

const ROUTERS: Plain<Vec<String>> = Plain {
    read: |at, entry| {
        let text = |item: &Entry| match &item.value {
            Written::Integer(number) => Some(number.to_string()),
            Written::Text(text) => Some(text.clone()),
            _ => None,
        };
        listed(entry, text).or_else(|| {
            let hint = "such as routers = [0, \"(1,0)\"]";
            at.wrong_with_hint(entry, "must be a list of routers, not empty", hint.into())
        })
    },
    schema: || json!({ "type": "array", "items": { "type": ["integer", "string"] }, "minItems": 1 }),
};

/// The router that a text means: its number, in a grid its coordinates, in a graph its name, which is stronger.
pub(super) fn router(topology: &Topology, text: &str) -> Option<RouterId> {
    let text = text.trim();
    let number =
        || text.parse().ok().filter(|&number: &u32| (number as usize) < topology.routers()).map(RouterId);
    match topology.whole() {
        Topology::Torus(_) => topology.parse_address(text).map(|node| RouterId(node.0)),
        Topology::Graph(graph) => graph.router_named(text).or_else(number),
        _ => number(),
    }
}
