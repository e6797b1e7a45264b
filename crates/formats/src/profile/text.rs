//! The text form: a line per event.
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

mod event;

use super::row::Row;
use super::{Collector, Communicators, Event, MOST_RANKS, Profile};
use crate::{MistakePlace, ReadError, lines, quantity};
use event::{read_event, time_of, write_event};
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use weir_units::{Duration, Rank};

const HEADER: &str = "weir-profile";
const VERSION: &str = super::VERSION;

/// Begins a profile.
pub(super) fn begin(ranks: usize, title: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{HEADER} {VERSION}")?;
    if !title.is_empty() {
        writeln!(out, "title {title}")?;
    }
    writeln!(out, "ranks {ranks}")
}

/// Writes communicators.
pub(super) fn define(communicators: &Communicators, out: &mut impl Write) -> io::Result<()> {
    communicators.to_text().lines().try_for_each(|line| writeln!(out, "communicator {line}"))
}

/// Writes an event.
pub(super) fn event(rank: Rank, event: &Event, out: &mut impl Write) -> io::Result<()> {
    if event.compute > Duration::ZERO {
        writeln!(out, "{rank} compute {}", quantity::time_text(event.compute))?;
    }
    write!(out, "{rank}")?;
    write_event(&Row::of(event), out)
}

/// Reads a profile of at most so many bytes.
pub(super) fn read(input: impl BufRead, length: u64) -> Result<Profile, ReadError> {
    let mut reader = Reader { length, ..Reader::default() };
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
    /// Of the file, in bytes.
    length: u64,
    /// Number of the line, from 1.
    line: u64,
    has_header: bool,
    other_version: bool,
    /// The work of each rank since its last event, if there is a line that says some, be it of no time.
    compute: Vec<Option<Duration>>,
}

impl Reader {
    fn mistake(&mut self, text: &str, what: impl Into<String>) {
        self.collector.mistakes.add(MistakePlace::Line(self.line), text, what);
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
                if !matches!(version, [version] if super::is_read(version)) {
                    self.other_version = true;
                    let what = format!("must be {HEADER} {}: weir knows no other version", super::versions());
                    self.mistake(text, what);
                }
            }
            ["ranks", ref ranks @ ..] => {
                self.need_header();
                self.read_ranks(text, ranks);
            }
            ["communicator", ..] => {
                self.need_header();
                let line = text.strip_prefix("communicator").unwrap_or_default();
                self.collector.define(line, MistakePlace::Line(self.line), text);
            }
            [rank, ref rest @ ..] if rank.starts_with(|first: char| first.is_ascii_digit()) => {
                self.need_header();
                self.read_event(text, rank, rest);
            }
            [word, ..] => {
                self.need_header();
                let what = format!(
                    "unknown word {word:?}: a line is ranks N, communicator N: RANKS, title ..., or an event, which \
                     begins with the number of a rank"
                );
                self.mistake(text, what);
            }
        }
    }

    fn need_header(&mut self) {
        if !self.has_header {
            self.has_header = true;
            self.mistake("", format!("the first line must be {HEADER} {VERSION}"));
        }
    }

    fn read_ranks(&mut self, text: &str, ranks: &[&str]) {
        let number = match ranks {
            [number] => quantity::whole(number).filter(|ranks| (1..=MOST_RANKS).contains(ranks)),
            _ => None,
        };
        match number {
            Some(_) if self.collector.checker.is_some() => {
                self.mistake(text, "the number of ranks stands twice")
            }
            // No rank is shorter than a line with its end.
            Some(ranks) if ranks > self.length / "0 end".len() as u64 => {
                self.mistake(text, "every rank has events, at least its end, and the file is too short");
                self.other_version = true;
            }
            Some(ranks) => {
                let ranks = u32::try_from(ranks).expect("the range fits");
                self.collector.set_ranks(ranks);
                self.compute.resize(ranks as usize, None);
            }
            None => self.mistake(text, format!("ranks must be followed by a number from 1 to {MOST_RANKS}")),
        }
    }

    fn read_event(&mut self, text: &str, rank: &str, words: &[&str]) {
        if self.collector.checker.is_none() {
            if !std::mem::replace(&mut self.other_version, false) {
                self.mistake(text, "ranks is missing: say how many before the first event, as in ranks 64");
            }
            // Without the number of ranks nothing else can be checked.
            self.other_version = true;
            return;
        }
        let place = MistakePlace::Line(self.line);
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
            [kind, rest @ ..] => match read_event(kind, rest) {
                Ok(mut event) => {
                    event.compute = self.compute[rank.index()].take().unwrap_or_default();
                    self.collector.add(rank, event, place, text);
                }
                Err(what) => self.mistake(text, what),
            },
            [] => self.mistake(text, "an event has a kind behind the rank, as in 0 send 1 20 kB"),
        }
    }

    fn finish(mut self) -> Result<Profile, ReadError> {
        if !self.has_header {
            self.mistake("", format!("the first line must be {HEADER} {VERSION}"));
        } else if self.collector.checker.is_none() && self.collector.mistakes.is_empty() {
            self.mistake("", "ranks is missing");
        }
        let trailing: Vec<usize> =
            (0..self.compute.len()).filter(|&rank| self.compute[rank].is_some()).collect();
        for rank in trailing {
            let what = format!("rank {rank} computes and then does nothing: end it with {rank} end");
            self.collector.mistakes.add(MistakePlace::File, "", what);
        }
        self.collector.finish()
    }
}
