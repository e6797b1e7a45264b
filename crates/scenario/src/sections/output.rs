//! `[output]`: where results go, and what is kept of a run beside the summary.

mod check;

use crate::Units;
use crate::keys::Default::{Required, Value as Is, Words};
use crate::keys::form::{AsWritten, DATA, Flag, OfThisComputer, PathText, Quantity, SomeOf, TIME};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::nearest::nearest;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value as Written};
use serde_json::{Value, json};
use std::path::PathBuf;
use weir_network::Requested;
use weir_network::record::{Keep, RequestedSeries, RequestedStays};
use weir_record::KeptCalls;
use weir_topology::Topology;
use weir_units::{Bytes, Duration, RouterId, Time};

/// Where results go, and what is kept of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputSection {
    /// The results folder; `None` writes no files.
    pub dir: Option<PathBuf>,
    /// The interval of samples of links, buffers and latencies; greater than zero. `None` takes none.
    pub sample_interval: Option<Duration>,
    /// Which samples are kept; `None` keeps all that the engine has.
    pub series: Option<RequestedSeries>,
    /// Whether the times of every message are kept.
    pub messages: Keep,
    /// Whether it is kept how much each pair of ranks has exchanged.
    pub pairs: Keep,
    /// Whether ranks keep account of what their time goes into.
    pub causes: Keep,
    /// Whether it is sought between which times the run lies.
    pub band: bool,
    /// Whether the calls of the ranks of a program are kept.
    pub calls: Keep,
    /// Whether a trace of what the ranks of a program do is drawn.
    pub trace: Keep,
    /// How much the trace may have of ranks, greater than zero; `None`: 100 MB.
    pub trace_limit: Option<Bytes>,
    /// Which stays of packets in buffers are kept.
    pub packets: Option<StaysSection>,
    /// After how much time of the clock on the wall a checkpoint is written again; greater than zero. `None` writes none.
    pub checkpoint_every: Option<Duration>,
}

/// `[output.packets]`: whose buffers are looked at, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaysSection {
    /// The routers, as they are called in the input: numbers, coordinates or names.
    pub routers: Vec<String>,
    /// From when on.
    pub from: Duration,
    /// Until when; `None` to the end.
    pub until: Option<Duration>,
}

keys! {
    "output":
    DIR: PathText = "dir", &[], PathText, Words("none: no file"),
        "[results folder](results-folder.md), made if need be: `summary.json` and tables; `--out` is stronger";
    SAMPLE_INTERVAL: Quantity<Duration> = "sample_interval", &[], TIME, Words("none"),
        "what links and buffers do and how long messages and packets take, one row per interval; flow and packet engine";
    SERIES: SomeOf = "series", &[], SomeOf(&SERIES_NAMES), Words("all that the engine has"),
        "which of these samples are kept: a list of `\"links\"`, `\"buffers\"` (packet engine), `\"latencies\"`; what is left out \
         is not counted, and costs nothing";
    MESSAGES: Flag = "messages", &[], Flag, Is("false"), "the times of every message";
    PAIRS: Flag = "pairs", &[], Flag, Is("false"), "how much each pair of ranks has exchanged";
    CAUSES: Flag = "causes", &[], Flag, Is("false"),
        "what the time of each rank went into, and the critical path: [why is it slow](../guide/why.md); in the summary, and as a table if \
         there is a folder";
    BAND: Flag = "band", &[], Flag, Is("false"),
        "between which times the run lies by the intervals of [`[calibrated]`](../guide/calibration.md#a-band): two runs more for each of them; \
         `--band` is the same";
    CALLS: Flag = "calls", &[], Flag, Is("false"),
        "the calls of the ranks of an MPI program or a profile, and how long they waited in each";
    TRACE: Flag = "trace", &[], Flag, Is("false"),
        "the same with messages and the busiest links, as a [trace](results-folder.md#trace-outputtrace) for Perfetto";
    TRACE_LIMIT: Quantity<Bytes> = "trace_limit", &[], DATA, Is("\"100 MB\""),
        "how long a trace may become; then ranks are left out of it, every second block of 8, and at last what comes later: [what is \
         left out](results-folder.md#trace-outputtrace)";
    CHECKPOINT_EVERY: OfThisComputer<Duration> = "checkpoint_every", &[], OfThisComputer(&TIME), Words("none"),
        "write what the run has reached into the results folder, again and again after so much time of the clock on the wall and \
         when it is interrupted, for `weir resume`; packet and flow engine, patterns, profiles and synthetic traffic, without tables of \
         the keys above but `causes`; `--checkpoint-every` is stronger";
}

/// `[output.packets]`.
pub(crate) mod packets {
    use super::{AsWritten, Duration, Is, Quantity, Required, TIME, Words, keys};
    use serde_json::json;

    keys! {
        "output.packets":
        ROUTERS: AsWritten = "routers", &[], AsWritten {
            schema: || json!({ "type": "array", "items": { "type": ["integer", "string"] }, "minItems": 1 }),
        },
            Required("list routers by number, or by coordinates or name: routers = [0, \"(1,0)\"]"),
            "list of routers: numbers, in a torus or mesh also coordinates (`\"(1,0)\"`), in a graph also names";
        FROM: Quantity<Duration> = "from", &[], TIME, Is("0"), "stays that end after this";
        UNTIL: Quantity<Duration> = "until", &[], TIME, Words("the end of the run"), "stays that begin before this";
    }
}

/// How much a trace has of ranks unless said otherwise: Perfetto opens it within seconds.
pub(crate) const TRACE_MOST: Bytes = Bytes(100_000_000);
/// How much memory a step of a path takes, and twice how long it is in a trace at most.
const STEP_BYTES: u64 = 100;
const DRAWN_STEP_BYTES: u64 = 600;
/// A rank keeps so many in any case.
const LEAST_STEPS: usize = 16;
/// The keys that ask an engine for tables of their own.
const TOLD: [&str; 4] = ["sample_interval", "messages", "pairs", "packets"];
/// The keys that ask the ranks of a program.
const CALLED: [&str; 2] = ["calls", "trace"];
/// The key that asks for an account: it needs no folder, and is in checkpoints.
const CAUSED: &str = "causes";
/// The key that asks for checkpoints.
const CHECKPOINTS: &str = "checkpoint_every";

impl OutputSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let keep = |requested: bool| if requested { Keep::Yes } else { Keep::No };
        let output = Self {
            dir: section.get(&DIR),
            sample_interval: section.get(&SAMPLE_INTERVAL),
            series: read_series(section),
            messages: keep(section.get_or_default(&MESSAGES)),
            pairs: keep(section.get_or_default(&PAIRS)),
            causes: keep(section.get_or_default(&CAUSES)),
            band: section.get_or_default(&BAND),
            calls: keep(section.get_or_default(&CALLS)),
            trace: keep(section.get_or_default(&TRACE)),
            trace_limit: section.get(&TRACE_LIMIT),
            packets: StaysSection::read(section),
            checkpoint_every: section.get(&CHECKPOINT_EVERY),
        };
        if output.checkpoint_every == Some(Duration::ZERO) {
            section.problem(CHECKPOINTS, "must be longer than 0", Some("such as \"10 min\"".into()));
        }
        if output.sample_interval == Some(Duration::ZERO) {
            section.problem("sample_interval", "must be longer than 0", Some("such as \"1 us\"".into()));
        }
        if output.trace_limit == Some(Bytes(0)) {
            section.problem("trace_limit", "must be more than 0", Some("such as \"100 MB\"".into()));
        }
        if output.trace_limit.is_some() && output.trace == Keep::No {
            let hint = "add trace = true, or leave trace_limit out";
            section.problem(
                "trace_limit",
                "is how long a trace may become, and there is none",
                Some(hint.into()),
            );
        }
        if output.series.is_some() && !section.has("sample_interval") {
            let hint = "add sample_interval = \"1 us\", or leave series out";
            section.problem(
                "series",
                "chooses among samples of intervals, and there are none",
                Some(hint.into()),
            );
        }
        if output.dir.is_none() && !section.has("dir") {
            for key in output.asked() {
                let hint = "set output.dir, or add --out FOLDER";
                section.problem(key, "needs a results folder, and there is none", Some(hint.to_owned()));
            }
        }
        output
    }

    /// The keys that ask for something beside what is always there.
    fn asked(&self) -> impl Iterator<Item = &'static str> + '_ {
        TOLD.into_iter().chain(CALLED).chain([CHECKPOINTS]).filter(|&key| self.asks_for(key))
    }

    /// A key that asks for a table of what happens while the run goes on, if one does.
    fn asks_for_table(&self) -> Option<&'static str> {
        TOLD.into_iter().chain(CALLED).find(|&key| self.asks_for(key))
    }

    /// Whether this key asks for a table, or for the trace.
    fn asks_for(&self, key: &str) -> bool {
        match key {
            "sample_interval" => self.sample_interval.is_some(),
            "messages" => self.messages == Keep::Yes,
            "pairs" => self.pairs == Keep::Yes,
            CAUSED => self.causes == Keep::Yes,
            "calls" => self.calls == Keep::Yes,
            "trace" => self.trace == Keep::Yes,
            CHECKPOINTS => self.checkpoint_every.is_some(),
            _ => self.packets.is_some(),
        }
    }

    /// Whether the engine is to report anything while the run goes on.
    pub(crate) fn asks(&self) -> bool {
        TOLD.into_iter().any(|key| self.asks_for(key))
    }

    /// What of the calls of ranks is kept, if anything.
    pub(crate) fn kept_calls(&self) -> Option<KeptCalls> {
        let kept = KeptCalls { table: self.calls, trace: self.trace };
        (kept != KeptCalls::default()).then_some(kept)
    }

    /// How many steps of paths each of so many ranks keeps, for the critical path in the trace: together they take no more memory than the trace may
    /// become long.
    pub(crate) fn path_steps(&self, ranks: usize) -> usize {
        if self.trace == Keep::No || self.causes == Keep::No {
            return 0;
        }
        let all = self.trace_limit.unwrap_or(TRACE_MOST).0 / STEP_BYTES;
        ((all / ranks.max(1) as u64) as usize).max(LEAST_STEPS)
    }

    /// Over how many messages and interfaces the critical path is drawn at most: it makes the trace longer by half at most.
    pub(crate) fn most_of_path(&self) -> usize {
        (self.trace_limit.unwrap_or(TRACE_MOST).0 / DRAWN_STEP_BYTES) as usize
    }

    /// What the engine is asked for: for the trace, messages beside what is kept.
    pub(crate) fn reported(&self, topology: Option<&Topology>) -> Requested {
        let messages = if self.trace == Keep::Yes { Keep::Yes } else { self.messages };
        Requested { messages, ..self.requested(topology) }
    }

    /// What of that is kept.
    pub(crate) fn requested(&self, topology: Option<&Topology>) -> Requested {
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

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut output = Resolved::new(units);
        output.put_some(&DIR, self.dir.clone());
        output.put_some(&SAMPLE_INTERVAL, self.sample_interval);
        if let Some(series) = self.series {
            let RequestedSeries { links, buffers, latencies } = series;
            let all = SERIES_NAMES.into_iter().zip([links, buffers, latencies]);
            let kept = all.filter(|&(_, keep)| keep == Keep::Yes).map(|(name, _)| name);
            output.put_written(&SERIES, kept.collect());
        }
        let kept = [
            (&MESSAGES, self.messages),
            (&PAIRS, self.pairs),
            (&CAUSES, self.causes),
            (&BAND, if self.band { Keep::Yes } else { Keep::No }),
            (&CALLS, self.calls),
            (&TRACE, self.trace),
        ];
        for (key, _) in kept.into_iter().filter(|&(_, keep)| keep == Keep::Yes) {
            output.put(key, true);
        }
        output.put_some(&TRACE_LIMIT, self.trace_limit);
        output.put_some(&CHECKPOINT_EVERY, self.checkpoint_every);
        if let Some(stays) = &self.packets {
            output.put_table("packets", stays.resolved(units));
        }
        output.into_value()
    }
}

/// The tables of `series/`.
static SERIES_NAMES: [&str; 3] = ["links", "buffers", "latencies"];

fn read_series(section: &mut Section<'_>) -> Option<RequestedSeries> {
    let names = section.get(&SERIES)?;
    let unknown = |name: &&String| !SERIES_NAMES.contains(&name.as_str());
    for name in names.iter().filter(unknown) {
        let meant = nearest(name, SERIES_NAMES).map(|meant| format!("did you mean {meant:?}?"));
        section.problem("series", format!("{name:?} is none of {}", SERIES_NAMES.join(", ")), meant);
    }
    if names.is_empty() {
        let hint = "such as series = [\"links\"], or leave it out for all";
        section.problem("series", "must be a list of series, not empty", Some(hint.into()));
    }
    let [links, buffers, latencies] =
        SERIES_NAMES.map(|name| if names.iter().any(|one| one == name) { Keep::Yes } else { Keep::No });
    Some(RequestedSeries { links, buffers, latencies })
}

impl StaysSection {
    fn read(section: &mut Section<'_>) -> Option<Self> {
        section.table("packets");
        let Entry { value: Written::Table(tree), place, .. } = section.entry("packets")? else { return None };
        let mut table = section.item("output.packets", &tree, &place);
        let routers = Self::read_routers(&mut table).unwrap_or_default();
        let from = table.get_or_default(&packets::FROM);
        let until = table.get(&packets::UNTIL);
        if until.is_some_and(|until| until <= from) {
            table.problem(
                "until",
                "must be later than from",
                Some("leave it out for the end of the run".into()),
            );
        }
        table.finish();
        Some(Self { routers, from, until })
    }

    fn read_routers(table: &mut Section<'_>) -> Option<Vec<String>> {
        let entry = table.get_required(&packets::ROUTERS)?;
        let list: &[Entry] = if let Written::List(list) = &entry.value { list } else { &[] };
        let text = |item: &Entry| match &item.value {
            Written::Integer(number) => Some(number.to_string()),
            Written::Text(text) => Some(text.clone()),
            _ => None,
        };
        let routers: Option<Vec<String>> = list.iter().map(text).collect();
        let routers = routers.filter(|routers| !routers.is_empty());
        if routers.is_none() {
            let hint = "such as routers = [0, \"(1,0)\"]";
            table.problem("routers", "must be a list of routers, not empty", Some(hint.into()));
        }
        routers
    }

    fn resolved(&self, units: Units) -> Value {
        let mut stays = Resolved::new(units);
        stays.put_written(&packets::ROUTERS, json!(self.routers));
        stays.put(&packets::FROM, self.from);
        stays.put_some(&packets::UNTIL, self.until);
        stays.into_value()
    }
}

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
