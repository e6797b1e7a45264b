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

use crate::collector::{Collector, MOST_RANKS, Row, ranks_in};
use crate::lines::{self, Head};
use crate::{PatternFile, ReadError, Written, quantity};
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use weir_units::{Duration, Rank};
use weir_workload::{Entry, Gap, Sequence};

fn head() -> Head {
    Head::new("weir-pattern", &["1"])
}

pub(crate) fn write(order: &dyn Sequence, title: &str, out: &mut impl Write) -> io::Result<Written> {
    head().write(order.ranks(), title, out)?;
    let mut written = Written::default();
    for (rank, _, entry, gap) in crate::entries(order) {
        written.count(entry);
        match entry {
            Entry::Send { to, bytes, wait } | Entry::Post { to, bytes, wait } => {
                let kind = if matches!(entry, Entry::Send { .. }) { "send" } else { "post" };
                write!(out, "{rank} {kind} {to} {}{}", bytes.0, wait_text(wait))
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

pub(crate) fn read(input: impl BufRead) -> Result<PatternFile, ReadError> {
    let mut reader =
        Reader { head: head(), collector: Collector::default(), has_ranks: false, has_entries: false };
    lines::each(input, |line, text| {
        if let Some((text, words)) = reader.head.words(line, text, &mut reader.collector.mistakes) {
            reader.read_words(text, &words);
        }
        reader.head.flow()
    })?;
    reader.finish()
}

struct Reader {
    head: Head,
    collector: Collector,
    has_ranks: bool,
    has_entries: bool,
}

impl Reader {
    fn mistake(&mut self, text: &str, what: impl Into<String>) {
        self.collector.mistakes.add(self.head.place(), text, what);
    }

    fn read_words(&mut self, text: &str, words: &[&str]) {
        match *words {
            ["ranks", ref ranks @ ..] => self.read_ranks(text, ranks),
            [rank, ref rest @ ..] if rank.starts_with(|first: char| first.is_ascii_digit()) => {
                if !self.has_ranks && !self.has_entries {
                    self.mistake(
                        text,
                        "ranks is missing: say how many before the first entry, as in ranks 64",
                    );
                }
                self.has_entries = true;
                self.read_entry(text, rank, rest);
            }
            _ => {
                let what = format!(
                    "unknown word {:?}: a line is ranks N, title ..., or an entry, which begins with the number of \
                     a rank",
                    words[0]
                );
                self.mistake(text, what);
            }
        }
    }

    fn read_ranks(&mut self, text: &str, ranks: &[&str]) {
        let number = if let [number] = ranks { ranks_in(number) } else { None };
        match number {
            _ if self.has_ranks => self.mistake(text, "ranks has been said before"),
            None => self.mistake(text, format!("must be ranks and a whole number from 1 to {MOST_RANKS}")),
            // The mistake is known already; entries are checked by themselves.
            Some(_) if self.has_entries => {}
            Some(number) => self.collector.set_ranks(number),
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
        let gap = parts.gap.as_deref().map(|gap| gap.parse().ok().and_then(Gap::new).ok_or(()));
        let Ok(gap) = gap.transpose() else {
            return self.mistake(text, format!("gap needs a number from 0 to {}", Gap::MOST));
        };
        let order = parts.order.as_deref().map(|order| quantity::whole(order).ok_or(()));
        let Ok(order) = order.transpose() else { return self.mistake(text, "order needs a whole number") };
        if let (Some(rank), Some(entry)) = (rank, entry) {
            self.collector.add(rank, Row { number: order, entry, gap }, self.head.place(), text);
        }
    }

    fn read_rank(&mut self, text: &str, word: &str) -> Option<Rank> {
        let Some(number) = quantity::whole(word) else {
            self.mistake(text, format!("{word:?} must be the number of a rank"));
            return None;
        };
        self.collector.rank(number, self.head.place(), text)
    }

    /// Reads the words behind the peer: a size, and the values of the words `wait`, `order` and `gap`.
    fn read_parts(&mut self, text: &str, words: &[&str]) -> Option<Parts> {
        let mut parts = Parts::default();
        let mut part = &mut parts.size;
        for &word in words {
            part = match word {
                "wait" => &mut parts.wait,
                "order" => &mut parts.order,
                "gap" => &mut parts.gap,
                _ => {
                    part.get_or_insert_default().push_str(word);
                    continue;
                }
            };
            if part.replace(String::new()).is_some() {
                self.mistake(text, format!("{word} is there twice"));
                return None;
            }
        }
        Some(parts)
    }

    /// The value of a part that was read; a mistake if it cannot be.
    fn value<T, E: Display>(&mut self, text: &str, name: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|error| self.mistake(text, format!("{name}: {error}"))).ok()
    }

    fn send(&mut self, text: &str, kind: &str, to: Option<Rank>, parts: &Parts) -> Option<Entry> {
        let bytes = match parts.size.as_deref().map(quantity::size) {
            Some(read) => self.value(text, "size", read),
            None => {
                self.mistake(text, format!("the size is missing: an entry is RANK {kind} RANK SIZE"));
                None
            }
        };
        let wait = parts.wait.as_deref().map_or(Ok(Duration::ZERO), quantity::time);
        let wait = self.value(text, "wait", wait);
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
        let Some(time) = parts.size.as_deref() else {
            self.mistake(text, "pause needs a time: an entry is RANK pause TIME");
            return None;
        };
        self.value(text, "pause", quantity::time(time)).map(|time| Entry::Pause { time })
    }

    fn finish(mut self) -> Result<PatternFile, ReadError> {
        self.head.line += 1;
        if !self.head.is_over {
            self.head.need_header(&mut self.collector.mistakes);
            if !self.has_ranks && !self.has_entries {
                self.mistake("", "ranks is missing: say how many, as in ranks 64");
            }
        }
        self.collector.title = self.head.title;
        self.collector.finish()
    }
}

/// The words of an entry behind its peer.
#[derive(Default)]
struct Parts {
    size: Option<String>,
    wait: Option<String>,
    order: Option<String>,
    gap: Option<String>,
}

#[cfg(test)]
mod tests;
