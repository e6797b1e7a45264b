//! The text form: a line per step.
//!
//! ```text
//! weir-profile 4
//! title a ring of two, and a sum     # this is a part of the title; other lines may have comments
//! ranks 2
//! communicator 2: 1 0
//! 0 compute 3 us
//! 0 isend 1 20 kB tag 7 request 0
//! 0 recv any 20 kB tag 7
//! 0 wait 0
//! 0 allreduce 8 B element 8 op sum type double comm 2
//! 0 end
//! 1 recv 0 20 kB tag 7
//! 1 send 0 20 kB tag 7
//! 1 allreduce 8 B element 8 op sum type double comm 2
//! ```

mod pen;
mod words;

use super::{Collector, MOST_RANKS, Profile, VERSIONS};
use crate::collector::ranks_in;
use crate::lines::{self, Head};
use crate::{MistakePlace, ReadError, quantity};
use pen::write_step;
pub(crate) use pen::write_task;
use std::io::{self, BufRead, Write};
use weir_operations::Step;
use weir_units::{Duration, Rank};
pub(crate) use words::{check_stream, read_task};
use words::{read_step, time_of};

pub(super) fn head() -> Head {
    Head::new("weir-profile", &VERSIONS)
}

pub(super) fn step(rank: Rank, step: Step, out: &mut impl Write) -> io::Result<()> {
    if step.compute > Duration::ZERO {
        writeln!(out, "{rank} compute {}", quantity::time_text(step.compute))?;
    }
    write!(out, "{rank}")?;
    write_step(step, out)
}

/// Reads a profile of at most so many bytes.
pub(super) fn read(input: impl BufRead, length: u64) -> Result<Profile, ReadError> {
    let mut reader = Reader { head: head(), collector: Collector::default(), length, compute: Vec::new() };
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
    /// Length of the file, in bytes.
    length: u64,
    /// The work of each rank since its last event, if there is a line that says some, be it of no time.
    compute: Vec<Option<Duration>>,
}

impl Reader {
    fn mistake(&mut self, text: &str, what: impl Into<String>) {
        self.collector.mistakes.add(self.head.place(), text, what);
    }

    fn read_words(&mut self, text: &str, words: &[&str]) {
        match *words {
            ["ranks", ref ranks @ ..] => self.read_ranks(text, ranks),
            ["communicator", ..] => {
                let line = text.strip_prefix("communicator").unwrap_or_default();
                self.collector.define(line, self.head.place(), text);
            }
            [rank, ref rest @ ..] if rank.starts_with(|first: char| first.is_ascii_digit()) => {
                self.read_event(text, rank, rest);
            }
            _ => {
                let what = format!(
                    "unknown word {:?}: a line is ranks N, communicator N: RANKS, title ..., or an event, which \
                     begins with the number of a rank",
                    words[0]
                );
                self.mistake(text, what);
            }
        }
    }

    fn read_ranks(&mut self, text: &str, ranks: &[&str]) {
        let number = if let [number] = ranks { ranks_in(number) } else { None };
        match number {
            Some(_) if self.collector.checker.is_some() => {
                self.mistake(text, "the number of ranks stands twice")
            }
            // No rank is shorter than a line with its end.
            Some(ranks) if u64::from(ranks) > self.length / "0 end".len() as u64 => {
                self.mistake(text, "every rank has events, at least its end, and the file is too short");
                self.head.is_over = true;
            }
            Some(ranks) => {
                self.collector.set_ranks(ranks);
                self.compute.resize(ranks as usize, None);
            }
            None => self.mistake(text, format!("ranks must be followed by a number from 1 to {MOST_RANKS}")),
        }
    }

    fn read_event(&mut self, text: &str, rank: &str, words: &[&str]) {
        if self.collector.checker.is_none() {
            // Without the number of ranks nothing else can be checked.
            self.head.is_over = true;
            return self
                .mistake(text, "ranks is missing: say how many before the first event, as in ranks 64");
        }
        let place = self.head.place();
        let Some(number) = quantity::whole(rank) else {
            return self.mistake(text, format!("{rank} is no number of a rank"));
        };
        let Some(rank) = self.collector.rank(number, place, text) else { return };
        match words {
            ["compute", time @ ..] => match time_of(&time.join(" ")) {
                Ok(time) => {
                    let before = self.compute[rank.index()].unwrap_or_default();
                    match before.as_ps().checked_add(time.as_ps()) {
                        Some(sum) => self.compute[rank.index()] = Some(Duration::from_ps(sum)),
                        None => self.mistake(text, "the times together are longer than can be represented"),
                    }
                }
                Err(what) => self.mistake(text, what),
            },
            [kind, rest @ ..] => match read_step(kind, rest) {
                Ok(mut step) => {
                    step.compute = self.compute[rank.index()].take().unwrap_or_default();
                    self.collector.add(rank, step, place, text);
                }
                Err(what) => self.mistake(text, what),
            },
            [] => self.mistake(text, "an event has a kind behind the rank, as in 0 send 1 20 kB"),
        }
    }

    fn finish(mut self) -> Result<Profile, ReadError> {
        self.head.need_header(&mut self.collector.mistakes);
        if self.collector.checker.is_none() && self.collector.mistakes.is_empty() {
            self.mistake("", "ranks is missing");
        }
        let trailing = (0..).zip(&self.compute).filter(|(_, compute)| compute.is_some());
        for (rank, _) in trailing {
            let what = format!("rank {rank} computes and then does nothing: end it with {rank} end");
            self.collector.mistakes.add(MistakePlace::File, "", what);
        }
        self.collector.title = self.head.title;
        self.collector.finish()
    }
}
