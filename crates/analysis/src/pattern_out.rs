//! Writes the pattern of an experiment into a pattern file.

use std::io::{self, Write};
use std::path::Path;
use weir_experiment::{
    EngineSection, Experiment, IdealEngine, Mapping, MappingSection, NodeSection, Pacing, PacketGap,
    Prepared, Scenario, Workload,
};
use weir_formats::Format;
use weir_network::Outcome;
use weir_network::record::{Keep, MessageTimes, Recorder, Requested};
use weir_record::write_whole;
use weir_run::run_into;
use weir_units::{Bytes, Duration, Rank, Time};
use weir_workload::{Entry, Script};

/// Contents of a written pattern file.
pub use weir_formats::Written as WrittenPattern;

/// Why the pattern of an experiment cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The workload is an MPI program, which has no pattern before it has run.
    #[error(
        "the workload is an MPI program: what it sends is known only when it runs; weir log writes its profile, and of \
         that there is a pattern"
    )]
    Program,
    /// The workload is synthetic traffic, which has no end.
    #[error(
        "the workload is synthetic traffic: nodes generate packets as long as the run lasts; only the other \
         kinds have a pattern"
    )]
    Synthetic,
    /// The name of the file ends neither in `.pattern` nor in `.parquet`.
    #[error("the name of a pattern file ends in .pattern (text) or .parquet; - is standard output")]
    UnknownFormat,
    /// Gaps were found for a profile, which is no pattern.
    #[error(
        "the workload is a profile: write its pattern first (weir pattern), and take that as the workload"
    )]
    GapsOfProfile,
    /// The profile does not run to its end.
    #[error("the profile does not run to its end; weir replay says why")]
    Unfinished,
    /// It cannot be written.
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Writes the pattern of the workload with gaps that have been found for it. An experiment with this file as its
/// workload and all else the same runs with them.
///
/// # Errors
/// When the name of the file has another ending, or when it cannot be written.
pub fn write_paced(scenario: &Scenario, pacing: Pacing, path: &Path) -> Result<WrittenPattern, PatternError> {
    let format = Format::of_pattern(path).ok_or(PatternError::UnknownFormat)?;
    check_pattern(scenario)?;
    let pattern = scenario.pattern.as_deref().ok_or(PatternError::GapsOfProfile)?;
    let paced = pacing.on(pattern.clone());
    write_whole(path, |out| Ok(weir_formats::write(format, &paced, &scenario.title, out)?))
}

/// Says whether the pattern of the workload is all that it does: of a collective or a profile it has the messages, but not which
/// sends ranks wait for.
pub fn is_its_pattern(scenario: &Scenario) -> bool {
    scenario.workload.kind.profile().is_none()
}

/// Writes the pattern of the workload into a file, in the format that its name stands for. An experiment with
/// this file as its workload and all else the same gives the same run, where the workload [is its
/// pattern](is_its_pattern).
///
/// # Errors
/// When the workload is no pattern, when the name of the file has another ending, or when it cannot be written.
pub fn write_pattern(scenario: &Scenario, path: &Path) -> Result<WrittenPattern, PatternError> {
    let format = Format::of_pattern(path).ok_or(PatternError::UnknownFormat)?;
    check_pattern(scenario)?;
    write_whole(path, |out| write(scenario, format, out))
}

/// Writes the pattern of the workload as text.
///
/// # Errors
/// When the workload is no pattern, or when it cannot be written.
pub fn write_pattern_to(scenario: &Scenario, out: impl Write + Send) -> Result<WrittenPattern, PatternError> {
    write(scenario, Format::Text, out)
}

fn check_pattern(scenario: &Scenario) -> Result<(), PatternError> {
    match scenario.workload.kind {
        Workload::Program(_) => Err(PatternError::Program),
        Workload::Synthetic(_) => Err(PatternError::Synthetic),
        _ => Ok(()),
    }
}

fn write(scenario: &Scenario, form: Format, out: impl Write + Send) -> Result<WrittenPattern, PatternError> {
    check_pattern(scenario)?;
    let written = match scenario.pattern.as_deref() {
        Some(pattern) => weir_formats::write(form, pattern, &scenario.title, out),
        None => weir_formats::write(form, &pattern_of(scenario)?, &scenario.title, out),
    };
    Ok(written?)
}

/// The pattern of a profile: what its ranks send and await, in an order in which they have done so.
///
/// # Model
/// The profile runs without a network, with every message on its way for a nanosecond, so that what brings something about
/// stands before it. Each rank posts its messages in the order in which it has sent them, messages of collectives included,
/// awaits each message where it has arrived, and pauses for the time it has computed between. Left out: the time behind the
/// last message, the requests of the protocol, what a rank sends to itself, and that a rank might have gone on without a message that it
/// awaits here.
pub(crate) fn pattern_of(scenario: &Scenario) -> Result<Script, PatternError> {
    let (latency, node) = (Duration::from_ns(1), scenario.node.clone());
    let ideal = IdealEngine { latency, message_gap: Duration::ZERO, bandwidth: None };
    let mut experiment = Experiment::clone(scenario);
    experiment.topology = None;
    experiment.engine = EngineSection::Ideal(ideal.clone());
    experiment.mapping = MappingSection { kind: Mapping::Linear, ranks_per_node: 1 };
    experiment.node = NodeSection {
        packet_gap: PacketGap::Fixed(0.0),
        packet_gap_margin: None,
        eager_limit: Bytes(u64::MAX),
        eager_messages: u32::MAX,
        ..node
    };
    let mut alone = scenario.changed(experiment);
    (alone.machines, alone.prepared) = (None, Ok(Prepared::Ideal(ideal)));
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut messages = Messages { requested, messages: Vec::new() };
    match run_into(&alone, &mut messages) {
        Ok(Outcome::Finished) => Ok(script(scenario.workload.ranks, &messages.messages)),
        _ => Err(PatternError::Unfinished),
    }
}

fn script(ranks: usize, messages: &[MessageTimes]) -> Script {
    let mut numbered: Vec<Vec<(Time, u64, Entry)>> = vec![Vec::new(); ranks];
    for &MessageTimes { from, to, sequence, bytes, posted, arrived, .. } in messages {
        numbered[from.index()].push((posted, sequence, Entry::Post { to, bytes, wait: Duration::ZERO }));
        numbered[to.index()].push((arrived, sequence, Entry::Await { from }));
    }
    // At one instant a rank first awaits, by senders.
    let sender = |entry| if let Entry::Await { from } = entry { from } else { Rank(u32::MAX) };
    let entries = numbered.into_iter().map(|mut numbered| {
        numbered.sort_unstable_by_key(|&(at, sequence, entry)| (at, sender(entry), sequence));
        let mut last = Time::ZERO;
        let mut entries = Vec::with_capacity(numbered.len());
        for (at, _, entry) in numbered {
            if matches!(entry, Entry::Post { .. }) && at > last {
                entries.push(Entry::Pause { time: at.since(last) });
            }
            entries.push(entry);
            last = at;
        }
        entries
    });
    Script::new(entries.collect()).expect("ranks of a run exist")
}

/// Keeps the times of all messages with data, but for those that a rank sends to itself: patterns have none.
struct Messages {
    requested: Requested,
    messages: Vec<MessageTimes>,
}

impl Recorder for Messages {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        let counts = |message: &&MessageTimes| message.class.is_data() && message.from != message.to;
        self.messages.extend(messages.iter().filter(counts));
    }
}
