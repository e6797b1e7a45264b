//! The text form: a line per entry.
//!
//! ```text
//! weir-pattern 1
//! title two ranks and a reply     # this is a part of the title; other lines may have comments
//! ranks 2
//! 0 send 1 20 kB wait 3 us
//! 0 post 1 20 kB gap 2.125
//! 0 pause 1 us
//! 0 await 1
//! 1 await 0
//! 1 send 0 1
//! ```

use crate::collector::{Collector, MOST_RANKS, Row};
use crate::{MistakePlace, PatternFile, ReadError, Written, lines, quantity};
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Entry, Gap, Order};

const HEADER: &str = "weir-pattern";
const VERSION: &str = "1";

/// Writes a pattern.
pub(crate) fn write(order: &dyn Order, title: &str, out: &mut impl Write) -> io::Result<Written> {
    writeln!(out, "{HEADER} {VERSION}")?;
    if !title.is_empty() {
        writeln!(out, "title {title}")?;
    }
    writeln!(out, "ranks {}", order.ranks())?;
    let mut written = Written::default();
    for (rank, _, entry, gap) in crate::entries(order) {
        written.count(entry);
        match entry {
            Entry::Send { to, bytes, wait } => {
                write!(out, "{rank} send {to} {}{}", bytes.0, wait_text(wait))
            }
            Entry::Post { to, bytes, wait } => {
                write!(out, "{rank} post {to} {}{}", bytes.0, wait_text(wait))
            }
            Entry::Await { from } => write!(out, "{rank} await {from}"),
            Entry::Pause { time } => write!(out, "{rank} pause {}", quantity::time_text(time)),
        }?;
        match gap {
            Some(gap) => writeln!(out, " gap {gap}"),
            None => writeln!(out),
        }?;
    }
    Ok(written)
}

/// The wait of a message, if there is one.
fn wait_text(wait: Duration) -> String {
    if wait == Duration::ZERO { String::new() } else { format!(" wait {}", quantity::time_text(wait)) }
}

/// Reads a pattern.
pub(crate) fn read(input: impl BufRead) -> Result<PatternFile, ReadError> {
    let mut reader = Reader::default();
    lines::each(input, |line, text| {
        reader.line = line;
        match text {
            Some(text) => reader.read_line(text),
            None => reader.mistake("", "is not UTF-8"),
        }
        if reader.other_version { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    reader.finish()
}

#[derive(Default)]
struct Reader {
    collector: Collector,
    /// Number of the line, from 1.
    line: u64,
    has_header: bool,
    other_version: bool,
    has_ranks: bool,
    has_entries: bool,
}

impl Reader {
    fn place(&self) -> MistakePlace {
        MistakePlace::Line(self.line)
    }

    fn mistake(&mut self, text: &str, what: impl Into<String>) {
        let place = self.place();
        self.collector.mistakes.add(place, text, what);
    }

    fn read_line(&mut self, text: &str) {
        if let Some(title) = text.strip_prefix("title").filter(|rest| rest.starts_with([' ', '\t'])) {
            self.need_header();
            title.trim().clone_into(&mut self.collector.title);
            return;
        }
        let text = text.split('#').next().unwrap_or_default().trim_end();
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [] => {}
            [HEADER, ref version @ ..] if !self.has_header => {
                self.has_header = true;
                if *version != [VERSION] {
                    self.other_version = true;
                    self.mistake(text, format!("must be {HEADER} {VERSION}: weir knows no other version"));
                }
            }
            ["ranks", ref ranks @ ..] => {
                self.need_header();
                self.read_ranks(text, ranks);
            }
            [rank, ref rest @ ..] if rank.starts_with(|first: char| first.is_ascii_digit()) => {
                self.need_header();
                if !self.has_ranks && !self.has_entries {
                    self.mistake(
                        text,
                        "ranks is missing: say how many before the first entry, as in ranks 64",
                    );
                }
                self.has_entries = true;
                self.read_entry(text, rank, rest);
            }
            [word, ..] => {
                self.need_header();
                let what = format!(
                    "unknown word {word:?}: a line is ranks N, title ..., or an entry, which begins with the \
                     number of a rank"
                );
                self.mistake(text, what);
            }
        }
    }

    /// The header must have been there.
    fn need_header(&mut self) {
        if !self.has_header {
            self.has_header = true;
            self.mistake("", format!("the header is missing: the first line must be {HEADER} {VERSION}"));
        }
    }

    fn read_ranks(&mut self, text: &str, ranks: &[&str]) {
        let number = match ranks {
            [number] => quantity::whole(number).filter(|number| (1..=MOST_RANKS).contains(number)),
            _ => None,
        };
        match number {
            _ if self.has_ranks => self.mistake(text, "ranks has been said before"),
            None => self.mistake(text, format!("must be ranks and a whole number from 1 to {MOST_RANKS}")),
            // The mistake is known already; entries are checked by themselves.
            Some(_) if self.has_entries => {}
            Some(number) => self.collector.set_ranks(u32::try_from(number).expect("the range fits")),
        }
        self.has_ranks = true;
    }

    fn read_entry(&mut self, text: &str, rank: &str, rest: &[&str]) {
        let rank = self.read_rank(text, rank);
        let (kind, peer, rest) = match rest {
            [kind @ ("send" | "post" | "await"), peer, rest @ ..] => {
                (*kind, self.read_rank(text, peer), rest)
            }
            [kind @ ("send" | "post" | "await")] => {
                return self.mistake(text, format!("{kind} needs the number of another rank"));
            }
            ["pause", rest @ ..] => ("pause", None, rest),
            [other, ..] => {
                return self
                    .mistake(text, format!("unknown word {other:?}: must be send, post, await or pause"));
            }
            [] => return self.mistake(text, "an entry is RANK send RANK SIZE, or RANK await RANK"),
        };
        let Some(parts) = self.read_parts(text, rest) else { return };
        let entry = match kind {
            "await" => self.receive(text, peer, &parts),
            "pause" => self.pause(text, &parts),
            _ => self.send(text, kind, peer, &parts),
        };
        let gap = match parts.gap.as_deref().map(|gap| gap.parse().ok().and_then(Gap::new)) {
            Some(None) => {
                return self.mistake(text, format!("gap needs a number from 0 to {}", Gap::MOST));
            }
            Some(gap) => gap,
            None => None,
        };
        let order = match parts.order.as_deref().map(quantity::whole) {
            Some(None) => return self.mistake(text, "order needs a whole number"),
            Some(order) => order,
            None => None,
        };
        if let (Some(rank), Some(entry)) = (rank, entry) {
            let place = self.place();
            self.collector.add(rank, Row { number: order, entry, gap }, place, text);
        }
    }

    fn read_rank(&mut self, text: &str, word: &str) -> Option<Rank> {
        let Some(number) = quantity::whole(word) else {
            self.mistake(text, format!("{word:?} must be the number of a rank"));
            return None;
        };
        let place = self.place();
        self.collector.rank(number, place, text)
    }

    /// What stands behind the peer: a size, and what follows the words `wait`, `order` and `gap`.
    fn read_parts(&mut self, text: &str, words: &[&str]) -> Option<Parts> {
        let mut parts: [Option<String>; 4] = [None, None, None, None];
        let mut part = 0;
        for &word in words {
            let next = match word {
                "wait" => 1,
                "order" => 2,
                "gap" => 3,
                _ => {
                    parts[part].get_or_insert_default().push_str(word);
                    continue;
                }
            };
            if parts[next].replace(String::new()).is_some() {
                self.mistake(text, format!("{word} is there twice"));
                return None;
            }
            part = next;
        }
        let [size, wait, order, gap] = parts;
        Some(Parts { size, wait, order, gap })
    }

    fn send(&mut self, text: &str, kind: &str, to: Option<Rank>, parts: &Parts) -> Option<Entry> {
        let bytes: Option<Bytes> = match parts.size.as_deref().map(quantity::size) {
            Some(Ok(bytes)) => Some(bytes),
            Some(Err(error)) => {
                self.mistake(text, format!("size: {error}"));
                None
            }
            None => {
                self.mistake(text, format!("the size is missing: an entry is RANK {kind} RANK SIZE"));
                None
            }
        };
        let wait = match parts.wait.as_deref().map(quantity::time) {
            Some(Ok(wait)) => Some(wait),
            Some(Err(error)) => {
                self.mistake(text, format!("wait: {error}"));
                None
            }
            None => Some(Duration::ZERO),
        };
        let (to, bytes, wait) = (to?, bytes?, wait?);
        Some(if kind == "post" { Entry::Post { to, bytes, wait } } else { Entry::Send { to, bytes, wait } })
    }

    fn receive(&mut self, text: &str, from: Option<Rank>, parts: &Parts) -> Option<Entry> {
        if parts.size.is_some() || parts.wait.is_some() || parts.gap.is_some() {
            self.mistake(text, "an await has neither size nor wait nor gap; they belong to messages");
            return None;
        }
        from.map(|from| Entry::Await { from })
    }

    /// The time stands where messages have their size.
    fn pause(&mut self, text: &str, parts: &Parts) -> Option<Entry> {
        if parts.wait.is_some() || parts.gap.is_some() {
            self.mistake(text, "a pause has neither wait nor gap; both belong to messages");
            return None;
        }
        match parts.size.as_deref().map(quantity::time) {
            Some(Ok(time)) => Some(Entry::Pause { time }),
            Some(Err(error)) => {
                self.mistake(text, format!("pause: {error}"));
                None
            }
            None => {
                self.mistake(text, "pause needs a time: an entry is RANK pause TIME");
                None
            }
        }
    }

    fn finish(mut self) -> Result<PatternFile, ReadError> {
        self.line += 1;
        if !self.other_version {
            self.need_header();
            if !self.has_ranks && !self.has_entries {
                self.mistake("", "ranks is missing: say how many, as in ranks 64");
            }
        }
        self.collector.finish()
    }
}

/// What an entry has behind its peer.
struct Parts {
    size: Option<String>,
    wait: Option<String>,
    order: Option<String>,
    gap: Option<String>,
}

#[cfg(test)]
mod tests;
