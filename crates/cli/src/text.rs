//! Texts for people: words and tables that all commands use, and ends of runs.

use std::fmt::Write;
use weir_network::{Outcome, Peer, Waiting};
use weir_record::{Assumed, Remnant, StuckChannel, waiting_cycle};
use weir_run::{Report, RunDigest};
use weir_units::{Duration, Rank, Time};

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

impl<'a> From<&'a RunDigest> for Ending<'a> {
    fn from(run: &'a RunDigest) -> Self {
        let RunDigest { simulated, ranks, outcome, exit_codes, stuck, without_mpi, .. } = run;
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
                parts.push(channels(stuck));
            }
            if !waiting.is_empty() || parts.is_empty() {
                let (count, table, circle) = (waiting.len(), waiting_table(waiting), waiting_circle(waiting));
                parts.push(format!("{count} of {ranks} ranks wait for ever\n{table}{circle}"));
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
    let mut rows = vec![columns.iter().map(ToString::to_string).collect()];
    rows.extend(waiting.iter().take(MOST_LISTED).map(row));
    let mut table = aligned(&rows);
    if waiting.len() > MOST_LISTED {
        _ = writeln!(table, "  ... and {} more (all with --json)", waiting.len() - MOST_LISTED);
    }
    table.trim_end().to_owned()
}

/// The circle of virtual channels in which packets wait for each other, one line each, in their order.
fn channels(stuck: &[StuckChannel]) -> String {
    let mut lines = vec![format!("packets wait in a circle of {} virtual channels:", stuck.len())];
    lines.extend(stuck.iter().take(MOST_LISTED).map(|channel| format!("  {channel}")));
    if stuck.len() > MOST_LISTED {
        lines.push(format!("  ... and {} more (all with --json)", stuck.len() - MOST_LISTED));
    }
    lines.join("\n")
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

/// A count with its thousands apart: 33,022.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Seconds, bytes or bytes per second that a unit of texts for people stands for.
fn scale(unit: &str) -> Option<f64> {
    const TIMES: [&str; 5] = ["s", "ms", "us", "ns", "ps"];
    const SIZES: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let size = unit.strip_suffix("/s").unwrap_or(unit);
    let time = TIMES.iter().position(|known| *known == unit).map(|place| 1e3_f64.powi(-(place as i32)));
    time.or(SIZES.iter().position(|known| *known == size).map(|place| 1e3_f64.powi(place as i32)))
}

/// A text whose quantities are plain numbers: in the unitless form a bandwidth of 1 and a size of 1 give a time of 1.
pub(crate) fn without_units(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let unit = word.trim_end_matches([',', ';', ':', ')', '.', '\n']);
        let last = words.last().map_or("", String::as_str);
        let digits = last.strip_prefix('(').unwrap_or(last);
        match (digits.parse::<f64>(), scale(unit)) {
            (Ok(number), Some(scale)) => {
                let open = &last[..last.len() - digits.len()];
                let number: f64 = format!("{:.3e}", number * scale).parse().unwrap_or(number);
                let plain = format!("{open}{number}{}", &word[unit.len()..]);
                words.pop();
                words.push(plain);
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

pub(crate) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let rows = std::iter::once(head.map(str::to_owned)).chain(rows);
    aligned(&rows.map(|row| row.to_vec()).collect::<Vec<_>>())
}

/// A table of names and facts.
pub(crate) fn facts<N: Into<String>>(rows: impl IntoIterator<Item = (N, String)>) -> String {
    aligned(&rows.into_iter().map(|(name, fact)| vec![name.into(), fact]).collect::<Vec<_>>())
}

/// The defaults on which a result hangs, each with what it means; nothing if all has been said.
pub(crate) fn assumed(assumed: &[Assumed]) -> String {
    if assumed.is_empty() {
        return String::new();
    }
    let row = |one: &Assumed| vec![one.key.clone(), one.value_in_words(), one.why.to_owned()];
    let rows: Vec<Vec<String>> = assumed.iter().map(row).collect();
    format!("\nassumed, because the input does not say it:\n{}", aligned(&rows))
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
            ("alone 10 s: 2.85 times", "alone 10: 2.85 times"),
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

    #[test]
    fn long_circles_are_cut() {
        let channel = |vc| StuckChannel {
            link: "a -> b".into(),
            vc,
            packets: 2,
            waits_for: "b -> a".into(),
            waits_for_vc: 0,
        };
        let text = channels(&[channel(0), channel(1)]);
        let expected = "packets wait in a circle of 2 virtual channels:\n  \
                        channel 0 of a -> b: 2 packets wait for channel 0 of b -> a\n  \
                        channel 1 of a -> b: 2 packets wait for channel 0 of b -> a";
        assert_eq!(text, expected);
        let long = channels(&vec![channel(0); 43]);
        assert_eq!(long.lines().count(), 42);
        assert!(long.ends_with("... and 3 more (all with --json)"), "{long}");
    }
}
