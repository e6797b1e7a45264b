//! The text form: a line per entry.
//!
//! ```text
//! weir-pattern 1
//! title two ranks and a reply     # this is a part of the title; other lines may have comments
//! ranks 2
//! 0 send 1 20 kB wait 3 us
//! 0 await 1
//! 1 await 0
//! 1 send 0 1
//! ```

use crate::collector::{Collector, MOST_RANKS};
use crate::{PatternFile, Place, ReadError, Written, quantity};
use std::io::{self, BufRead, Write};
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Entry, Order};

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
    for (rank, _, entry) in crate::entries(order) {
        written.count(entry);
        match entry {
            Entry::Send { to, bytes, wait: Duration::ZERO } => writeln!(out, "{rank} send {to} {}", bytes.0),
            Entry::Send { to, bytes, wait } => {
                writeln!(out, "{rank} send {to} {} wait {}", bytes.0, quantity::time_text(wait))
            }
            Entry::Await { from } => writeln!(out, "{rank} await {from}"),
        }?;
    }
    Ok(written)
}

/// Reads a pattern.
pub(crate) fn read(mut input: impl BufRead) -> Result<PatternFile, ReadError> {
    let mut reader = Reader::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
        if input.read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        reader.line += 1;
        match std::str::from_utf8(&bytes) {
            Ok(text) => reader.read_line(text.trim()),
            Err(_) => reader.mistake("", "is not UTF-8"),
        }
        if reader.other_version {
            break;
        }
    }
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
    fn place(&self) -> Place {
        Place::Line(self.line)
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
            [kind @ ("send" | "await"), peer, rest @ ..] => (*kind, self.read_rank(text, peer), rest),
            [kind @ ("send" | "await")] => {
                return self.mistake(text, format!("{kind} needs the number of another rank"));
            }
            [other, ..] => {
                return self.mistake(text, format!("unknown word {other:?}: must be send or await"));
            }
            [] => return self.mistake(text, "an entry is RANK send RANK SIZE, or RANK await RANK"),
        };
        let Some(parts) = self.read_parts(text, rest) else { return };
        let entry =
            if kind == "send" { self.send(text, peer, &parts) } else { self.receive(text, peer, &parts) };
        let order = match parts.order.as_deref().map(quantity::whole) {
            Some(None) => return self.mistake(text, "order needs a whole number"),
            Some(order) => order,
            None => None,
        };
        if let (Some(rank), Some(entry)) = (rank, entry) {
            let place = self.place();
            self.collector.add(rank, order, entry, place, text);
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

    /// What stands behind the peer: a size, and what follows the words `wait` and `order`.
    fn read_parts(&mut self, text: &str, words: &[&str]) -> Option<Parts> {
        let mut parts: [Option<String>; 3] = [None, None, None];
        let mut part = 0;
        for &word in words {
            let next = match word {
                "wait" => 1,
                "order" => 2,
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
        let [size, wait, order] = parts;
        Some(Parts { size, wait, order })
    }

    fn send(&mut self, text: &str, to: Option<Rank>, parts: &Parts) -> Option<Entry> {
        let bytes: Option<Bytes> = match parts.size.as_deref().map(quantity::size) {
            Some(Ok(bytes)) => Some(bytes),
            Some(Err(error)) => {
                self.mistake(text, format!("size: {error}"));
                None
            }
            None => {
                self.mistake(text, "the size is missing: an entry is RANK send RANK SIZE");
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
        Some(Entry::Send { to: to?, bytes: bytes?, wait: wait? })
    }

    fn receive(&mut self, text: &str, from: Option<Rank>, parts: &Parts) -> Option<Entry> {
        if parts.size.is_some() || parts.wait.is_some() {
            self.mistake(text, "an await has neither size nor wait; both belong to messages");
            return None;
        }
        from.map(|from| Entry::Await { from })
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
}

#[cfg(test)]
mod tests;
