//! Results as text for people.

use crate::{packet_text, skeleton_text, why_text};
use std::fmt::Write;
use weir_network::{Outcome, Peer, Waiting};
use weir_record::{
    Assumed, EngineCounts, Faults, FlowCounts, Remnant, StuckChannel, Summary, WhereTimeWent, waiting_cycle,
};
use weir_scenario::{Condensed, Report};
use weir_units::{Bytes, Duration, Rank, Time};

/// Ranks listed of a deadlock (all are in the summary), of those that ended badly, and things left behind.
const MOST_LISTED: usize = 40;

/// The end of a run, whatever else is known of it.
pub(crate) struct Ending<'a> {
    at: Time,
    ranks: usize,
    outcome: &'a Outcome,
    exit_codes: &'a [(Rank, i32)],
    remnants: &'a [Remnant],
    stuck: &'a [StuckChannel],
    without_mpi: usize,
}

impl<'a> From<&'a Report> for Ending<'a> {
    fn from(report: &'a Report) -> Self {
        let Report { summary, outcome, exit_codes, .. } = report;
        Self {
            at: summary.simulated,
            ranks: summary.ranks,
            outcome,
            exit_codes,
            remnants: summary.remnants.as_deref().unwrap_or_default(),
            stuck: summary.counts.stuck(),
            without_mpi: summary.program.map_or(0, |program| program.without_mpi),
        }
    }
}

impl<'a> From<&'a Condensed> for Ending<'a> {
    fn from(run: &'a Condensed) -> Self {
        let Condensed { simulated, ranks, outcome, exit_codes, stuck, without_mpi, .. } = run;
        let (at, ranks, without_mpi) = (*simulated, *ranks, *without_mpi);
        Self { at, ranks, outcome, exit_codes, remnants: &[], stuck, without_mpi }
    }
}

/// Describes an end that is not as it should be, in full sentences; empty if all is well.
pub(crate) fn outcome<'a>(ending: impl Into<Ending<'a>>) -> String {
    let Ending { at, ranks, outcome, exit_codes, remnants, stuck, without_mpi } = ending.into();
    match outcome {
        Outcome::Finished => {
            let codes = exit_codes.iter().take(MOST_LISTED);
            let mut lines = alone(without_mpi, ranks);
            lines.extend(codes.map(|(rank, code)| format!("rank {rank} ended with exit code {code}")));
            if exit_codes.len() > MOST_LISTED {
                lines.push(format!("... and {} ranks more", exit_codes.len() - MOST_LISTED));
            }
            if !remnants.is_empty() {
                lines.push(format!("left behind at the end ({}):", remnants.len()));
                lines.extend(remnants.iter().take(MOST_LISTED).map(|remnant| format!("  {remnant}")));
            }
            if remnants.len() > MOST_LISTED {
                lines.push(format!("  ... and {} more", remnants.len() - MOST_LISTED));
            }
            lines.join("\n")
        }
        Outcome::Aborted { rank, why } => format!("aborted at {at}: rank {rank}: {why}"),
        Outcome::Limit(which) => format!("limit: {which}"),
        Outcome::Deadlock(waiting) => {
            let mut parts = Vec::new();
            if !stuck.is_empty() {
                parts.push(packet_text::channels(stuck));
            }
            if !waiting.is_empty() || parts.is_empty() {
                parts.push(format!(
                    "{} of {ranks} ranks wait for ever\n{}{}",
                    waiting.len(),
                    waiting_table(waiting),
                    waiting_circle(waiting)
                ));
            }
            format!("deadlock at {at}: {}", parts.join("\n"))
        }
    }
}

fn alone(without_mpi: usize, ranks: usize) -> Vec<String> {
    match without_mpi {
        0 => Vec::new(),
        all if all == ranks => vec![
            "the program ended without calling MPI_Init: each of its ranks ran alone, and nothing was simulated\n\nhint: \
             compile it with weir cc, or with the mpicc_abi of an MPI that has the standard's binary interface; Python \
             needs an mpi4py that is built for that interface. A program that is linked to libmpi_abi.so.1 or \
             libmpi_abi.so.0 and calls MPI_Init has found another one: an RPATH comes before what weir says, a RUNPATH \
             (link with -Wl,--enable-new-dtags) behind it"
                .to_owned(),
        ],
        some => vec![format!("{some} of {ranks} ranks ended without calling MPI_Init")],
    }
}

/// A circle of ranks that wait for each other, if there is one: that is why they wait for ever.
fn waiting_circle(waiting: &[Waiting]) -> String {
    let Some(cycle) = waiting_cycle(waiting) else { return String::new() };
    let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1)).take(MOST_LISTED);
    let steps: Vec<String> = pairs.map(|(rank, next)| format!("{rank} waits for {next}")).collect();
    let more = match cycle.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(", ... and {more} more"),
    };
    format!("\nin a circle: {}{more}", steps.join(", "))
}

fn waiting_table(waiting: &[Waiting]) -> String {
    let mut columns = vec!["rank", "waits in", "for"];
    let details = waiting.iter().flat_map(|rank| &rank.details);
    for (name, _) in details {
        if !columns.contains(name) {
            columns.push(name);
        }
    }
    let row = |rank: &Waiting| {
        let peer = match rank.peer {
            Peer::Rank(peer) => format!("rank {peer}"),
            Peer::Any => "any rank".into(),
            Peer::Several => "several".into(),
        };
        let known = [rank.rank.to_string(), rank.call.clone(), peer];
        let detail = |name: &&str| {
            let found = rank.details.iter().find(|(known, _)| known == name);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        known.into_iter().chain(columns[3..].iter().map(detail)).collect::<Vec<_>>()
    };
    let header = columns.iter().map(ToString::to_string).collect();
    let rows: Vec<Vec<String>> =
        std::iter::once(header).chain(waiting.iter().take(MOST_LISTED).map(row)).collect();
    let mut table = aligned(&rows);
    if waiting.len() > MOST_LISTED {
        _ = writeln!(table, "  ... and {} more (all with --json)", waiting.len() - MOST_LISTED);
    }
    table.trim_end().to_owned()
}

/// Seconds as the nearest number there is: 10.24 ms is 0.01024, not 0.010239999999999999.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.as_ps() as f64 / 1e12
}

/// Seconds of any size, in words.
pub(crate) fn short(seconds: f64) -> String {
    Duration::from_secs_f64(seconds)
        .map_or_else(|| format!("{seconds:.3e} s"), |duration| duration.to_string())
}

/// Values of the units of texts for people, in seconds, bytes and bytes per second.
const UNITS: [(&str, f64); 15] = [
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
    ("ps", 1e-12),
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("B/s", 1.0),
    ("kB/s", 1e3),
    ("MB/s", 1e6),
    ("GB/s", 1e9),
    ("TB/s", 1e12),
];

/// A text whose quantities are plain numbers: in the unitless form a bandwidth of 1 and a size of 1 give a time of 1.
pub(crate) fn without_units(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let unit = word.trim_end_matches([',', ';', ')', '.', '\n']);
        let number = words.last().and_then(|last| {
            let number: f64 = last.trim_start_matches('(').parse().ok()?;
            Some((last.starts_with('('), number))
        });
        let known = UNITS.iter().find(|(name, _)| *name == unit);
        match (number, known) {
            (Some((opened, number)), Some((_, scale))) => {
                let digits = format!("{:.3e}", number * scale).parse().unwrap_or(number);
                let open = if opened { "(" } else { "" };
                words.pop();
                words.push(format!("{open}{digits}{}", &word[unit.len()..]));
            }
            _ => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

/// A text of an input for a terminal: control characters do not reach it.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

/// A table whose columns are as wide as what is in them; every row has as many cells.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(row.len(), 0);
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// A table of names and facts.
pub(crate) fn facts<N: Into<String>>(rows: impl IntoIterator<Item = (N, String)>) -> String {
    aligned(&rows.into_iter().map(|(name, fact)| vec![name.into(), fact]).collect::<Vec<_>>())
}

/// Detail in which a run is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Facts by which a user decides.
    Short,
    /// Also the work of the engine.
    All,
}

/// A count with its thousands apart: 33,022.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// The simulated time, and how exactly it is known.
fn simulated(summary: &Summary) -> String {
    let time = summary.simulated;
    let keys = |count: usize| if count == 1 { "1 key".to_owned() } else { format!("{count} keys") };
    let calibrated = summary.experiment["calibrated"].as_object().map_or(0, serde_json::Map::len);
    match &summary.band {
        Some(band) => {
            let (low, high, count) = (band.low, band.high, keys(band.keys.len()));
            format!("{time} ({low} to {high} by the intervals of {count} of the machine)")
        }
        None if calibrated > 0 => {
            format!("{time} ({} of the machine known within intervals: see --band)", keys(calibrated))
        }
        None => time.to_string(),
    }
}

/// The summary, one line per fact.
pub(crate) fn summary(report: &Report, detail: Detail) -> String {
    let summary = &report.summary;
    let count = |count: usize| grouped(count as u64);
    let machine = match summary.routers {
        0 => format!("{} nodes", count(summary.nodes)),
        routers => {
            let [nodes, routers, links] = [summary.nodes, routers, summary.links].map(count);
            format!("{nodes} nodes, {routers} routers, {links} links")
        }
    };
    let mut rows: Vec<(&str, String)> =
        vec![("experiment", format!("{} ({})", plain(&summary.title), summary.engine)), ("machine", machine)];
    rows.extend(summary.faults.iter().flat_map(Faults::in_words).map(|line| ("faults", line)));
    rows.extend([("ranks", count(summary.ranks)), ("simulated time", simulated(summary))]);
    rows.extend(repetitions(&summary.repetitions).map(|times| ("repetitions", times)));
    rows.extend([
        ("messages", grouped(summary.traffic.messages)),
        ("bytes", format!("{} ({})", grouped(summary.traffic.bytes.0), summary.traffic.bytes)),
    ]);
    rows.extend(match &summary.counts {
        EngineCounts::None => link_rows(summary),
        EngineCounts::Flow(flow) => [link_rows(summary), flow_rows(flow, summary, detail)].concat(),
        EngineCounts::Packet(packet) => packet_text::rows(packet, summary, detail),
    });
    if let Some(program) = &summary.program {
        let switches = match detail {
            Detail::Short => String::new(),
            Detail::All => format!(" ({} context switches)", grouped(program.context_switches)),
        };
        rows.push(("MPI calls", grouped(program.mpi_calls) + &switches));
    }
    if let Some(skeleton) = &summary.skeleton {
        rows.extend(skeleton_text::rows(skeleton));
    }
    if let Some(WhereTimeWent { accounts, .. }) = &summary.causes {
        let messages = grouped(accounts.critical().path.messages());
        rows.push(("critical path", format!("{}; messages: {messages}", why_text::critical(accounts))));
    }
    if summary.units.is_some() {
        rows.iter_mut().for_each(|(_, value)| *value = without_units(value));
        rows.push(("units", "none: numbers are in the units of the input".into()));
    }
    rows.push(("wall-clock time", format!("{:.3} s", summary.wall.as_secs_f64())));
    if let Some(peak) = summary.peak_memory_bytes {
        rows.push(("memory", Bytes(peak).to_string()));
    }
    rows.push(("digest", summary.digest.to_string()));
    let table = facts(rows);
    if detail == Detail::All { table + &assumed(&summary.assumed) } else { table }
}

/// The defaults on which a result hangs, each with what it means; nothing if all has been said.
pub(crate) fn assumed(assumed: &[Assumed]) -> String {
    let row = |one: &Assumed| vec![one.key.clone(), one.value_in_words(), one.why.to_owned()];
    let rows: Vec<Vec<String>> = assumed.iter().map(row).collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("\nassumed, because the input does not say it:\n{}", aligned(&rows))
    }
}

fn repetitions(times: &[Duration]) -> Option<String> {
    let (least, most) = (times.iter().min()?, times.iter().max()?);
    Some(match times.len() {
        1 => format!("1, which took {least}"),
        count => format!("{}, which took {least} to {most} each", grouped(count as u64)),
    })
}

fn link_rows(summary: &Summary) -> Vec<(&'static str, String)> {
    let links = &summary.link_use;
    let Some(link) = links.busiest.first() else {
        return match summary.links {
            0 => {
                vec![("network", "none: messages met no links (a machine with links: --machine FILE)".into())]
            }
            _ => vec![("busiest link", "none: no message went over a link".into())],
        };
    };
    let flows =
        |count: u32| if count == 1 { "1 flow".into() } else { format!("{} flows", grouped(count.into())) };
    let utilised = 100.0 * link.utilization;
    let bytes = Bytes(link.count.bytes.round() as u64);
    let share = format!("at most {} at a time, {utilised:.1} % utilised, {bytes}", flows(link.count.share));
    vec![
        ("busiest link", link.name.clone()),
        ("  its share", share),
        ("most flows on a link", grouped(links.max_share.into())),
        ("mean link utilisation", format!("{:.1} %", 100.0 * links.mean_utilization)),
    ]
}

fn flow_rows(flow: &FlowCounts, summary: &Summary, detail: Detail) -> Vec<(&'static str, String)> {
    let mut rows = if detail == Detail::All { work_rows(flow, summary) } else { Vec::new() };
    if let Some(fairness) = &flow.fairness {
        rows.push((
            "against max-min",
            format!(
                "a flow gets {:.3} to {:.3} of its fair rate; all together {:.4}",
                fairness.least_rate, fairness.most_rate, fairness.throughput
            ),
        ));
        if let Some(max_min) = fairness.max_min {
            let ratio = summary.simulated.as_secs_f64() / max_min.as_secs_f64();
            rows.push(("  with max-min", format!("{max_min}; this is {ratio:.4} times as long")));
        }
    }
    if let Some(ties) = &flow.ties {
        let (least, most) = (ties.simulated.iter().min(), ties.simulated.iter().max());
        let range = least.zip(most).map_or_else(String::new, |(least, most)| format!("{least} to {most}"));
        let verdict = if ties.is_sensitive() {
            "tie-sensitive: repeat it with several seeds, and compare means instead of single runs"
        } else {
            "not tie-sensitive"
        };
        let (runs, spread) = (ties.simulated.len(), 100.0 * ties.spread());
        rows.push(("perturbed ties", format!("{range} in {runs} runs, spread {spread:.2} %")));
        rows.push(("", verdict.into()));
    }
    rows
}

fn work_rows(flow: &FlowCounts, summary: &Summary) -> Vec<(&'static str, String)> {
    let mut rows = vec![("cycles", grouped(flow.cycles))];
    if flow.solver_iterations > 0 {
        let per_message = flow.solver_iterations as f64 / summary.traffic.messages.max(1) as f64;
        let iterations = grouped(flow.solver_iterations);
        rows.push(("solver iterations", format!("{iterations} ({per_message:.2} per message)")));
    }
    for step in &flow.steps {
        let times = [step.work, step.wait].map(|time| time.as_secs_f64() * 1e3);
        rows.push((
            "step",
            format!(
                "{}: {:.3} ms work, {:.3} ms at the barrier, imbalance {:.2}",
                step.name, times[0], times[1], step.imbalance
            ),
        ));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_without_units() {
        for (text, expected) in [
            ("2.5 s", "2.5"),
            ("40 (40 B)", "40 (40)"),
            ("1.5 us to 3 ms, 12 flows at 2 kB/s", "0.0000015 to 0.003, 12 flows at 2000"),
            ("node 0 -> router 1", "node 0 -> router 1"),
            ("1,234 (1.234 kB)", "1,234 (1234)"),
            ("8 of 12 s.\n", "8 of 12.\n"),
        ] {
            assert_eq!(without_units(text), expected);
        }
    }
    #[test]
    fn thousands_are_apart() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (33_022, "33,022"), (1_000_000, "1,000,000")];
        for (count, expected) in cases {
            assert_eq!(grouped(count), expected);
        }
    }
}
