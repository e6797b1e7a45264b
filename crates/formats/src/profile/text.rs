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

use super::kinds::FIRST_RARE;
use super::rare;
use super::row::{ORDERED, Row};
use super::{Act, Asked, Collector, Combines, Communicators, Event, From, Look, MOST_RANKS, Profile, Root};
use crate::{MistakePlace, ReadError, lines, quantity};
use event::{read_event, time_of};
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
    let row = Row::of(event);
    write!(out, "{rank} {}", event.act.name())?;
    match &event.act {
        Act::Send { bytes, .. } => write!(out, " {} {bytes}", peer_text(row.peer, "nobody"))?,
        Act::Receive { from, bytes, .. } => write!(out, " {} {bytes}", source_text(*from))?,
        Act::Probe { from, .. } | Act::Match { from, .. } => write!(out, " {}", source_text(*from))?,
        Act::Wait { requests, .. } => {
            requests.as_slice().iter().try_for_each(|id| write!(out, " {}", id.0))?
        }
        Act::Release { request } => write!(out, " {}", request.0)?,
        Act::Poll { time, after } => {
            write!(out, " {}", quantity::time_text(*time))?;
            after.map_or(Ok(()), |after| write!(out, " after {after}"))?;
        }
        Act::Collective { collective, .. } => write_collective(collective, &row, out)?,
        Act::End | Act::Flush => {}
        rare => rare::write(rare, &row, out)?,
    }
    if let Act::Receive { from, .. } | Act::Probe { from, .. } | Act::Match { from, .. } = &event.act {
        write_from(*from, out)?;
    } else if let Some(tag) = row.tag.filter(|&tag| tag != 0) {
        write!(out, " tag {tag}")?;
    }
    if matches!(event.act, Act::Probe { look: Look::Yes, .. } | Act::Match { look: Look::Yes, .. }) {
        write!(out, " looks")?;
    }
    if row.communicator != 0 {
        write!(out, " comm {}", row.communicator)?;
    }
    let is_operand = match event.act {
        Act::Wait { .. } | Act::Release { .. } => true,
        _ => row.kind >= FIRST_RARE && !rare::goes_on(row.kind),
    };
    if let (Some(request), false) = (row.request, is_operand) {
        write!(out, " request {request}")?;
    }
    if let Some(took) = event.took {
        write!(out, " took {}", quantity::time_text(took))?;
    }
    writeln!(out)
}

fn peer_text(peer: Option<u32>, none: &str) -> String {
    peer.map_or_else(|| none.to_owned(), |peer| peer.to_string())
}

fn source_text(from: From) -> String {
    match from.asked {
        Asked::AnySource | Asked::Anything => "any".to_owned(),
        _ => peer_text(from.source, "nobody"),
    }
}

fn write_from(from: From, out: &mut impl Write) -> io::Result<()> {
    let (source, tag) = match from.asked {
        Asked::Nobody => return Ok(()),
        Asked::Both => (None, None),
        Asked::AnySource => (from.source, None),
        Asked::AnyTag => (None, from.tag),
        Asked::Anything => (from.source, from.tag),
    };
    match (from.asked, from.tag) {
        (Asked::AnyTag | Asked::Anything, _) => write!(out, " tag any")?,
        (_, Some(tag)) if tag != 0 => write!(out, " tag {tag}")?,
        _ => {}
    }
    source.map_or(Ok(()), |source| write!(out, " from {source}"))?;
    tag.map_or(Ok(()), |tag| write!(out, " tagged {tag}"))
}

fn write_collective(collective: &super::Collective, row: &Row, out: &mut impl Write) -> io::Result<()> {
    use super::Lengths;
    if let Lengths::Given { bytes, .. } = &collective.lengths {
        write!(out, " {bytes}")?;
    }
    let mut numbers = |word: &str, blocks: &[u64]| {
        write!(out, " {word}")?;
        blocks.iter().try_for_each(|bytes| write!(out, " {bytes}"))
    };
    match &collective.lengths {
        Lengths::None => {}
        Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => write!(out, " {bytes}")?,
        Lengths::Given { into, .. } => numbers("blocks", into)?,
        Lengths::Blocks(blocks) | Lengths::Combined { blocks, .. } => numbers("blocks", blocks)?,
        Lengths::Exchange { out, into } => {
            numbers("out", out)?;
            numbers("in", into)?;
        }
        Lengths::Neighbours(around) => {
            write!(out, " list")?;
            around.to_list().iter().try_for_each(|number| write!(out, " {number}"))?;
        }
    }
    match collective.root {
        Root::Rank(rank) => write!(out, " root {rank}")?,
        Root::Here => write!(out, " root here")?,
        Root::Elsewhere => write!(out, " root nobody")?,
        Root::None => {}
    }
    if row.element != 0 {
        write!(out, " element {}", row.element)?;
    }
    if row.flags & ORDERED != 0 {
        write!(out, " ordered")?;
    }
    let Combines { operation, element } = collective.combines;
    operation.map_or(Ok(()), |operation| write!(out, " op {}", operation.name()))?;
    element.map_or(Ok(()), |element| write!(out, " type {}", element.name()))
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
