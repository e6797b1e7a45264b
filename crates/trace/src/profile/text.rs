//! The text form: a line per event.
//!
//! ```text
//! weir-profile 3
//! title a ring of two, and a sum     # this is a part of the title; other lines may have comments
//! ranks 2
//! communicator 2: 1 0
//! 0 compute 3 us
//! 0 isend 1 20 kB tag 7 request 0
//! 0 recv any 20 kB tag 7
//! 0 wait 0
//! 0 allreduce 8 B element 8 comm 2
//! 0 end
//! 1 recv 0 20 kB tag 7
//! 1 send 0 20 kB tag 7
//! 1 allreduce 8 B element 8 comm 2
//! ```

use super::kinds::{FIRST_RARE, KINDS, kind_name, kind_of};
use super::rare::{self, Operand};
use super::row::{ANY_SOURCE, ANY_TAG, HERE, LOOKS, ORDERED, POLL, Row};
use super::{Act, Asked, Choices, Collector, Communicators, Event, From, Look, MOST_RANKS, Profile, Root};
use crate::{Place, ReadError, lines, quantity};
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use weir_units::{Bytes, Duration, Rank};

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
    Ok(())
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
        self.collector.mistakes.add(Place::Line(self.line), text, what);
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
                self.collector.define(line, Place::Line(self.line), text);
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
            // Without the number of ranks nothing else can be told.
            self.other_version = true;
            return;
        }
        let place = Place::Line(self.line);
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
            self.collector.mistakes.add(Place::File, "", what);
        }
        self.collector.finish()
    }
}

/// Words that name what follows them.
const KEYWORDS: [&str; 29] = [
    "after",
    "protocol",
    "copy",
    "nic",
    "gap",
    "tag",
    "comm",
    "request",
    "took",
    "root",
    "element",
    "from",
    "tagged",
    "blocks",
    "out",
    "in",
    "list",
    "ordered",
    "looks",
    "lasts",
    "channel",
    "partitions",
    "partition",
    "ranks",
    "exclusive",
    "nocheck",
    "nosucceed",
    "local",
    "at-once",
];

/// The words of an event behind its kind, one after the other.
struct Words<'a>(&'a [&'a str]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Words up to the next keyword.
    fn values(&mut self) -> &'a [&'a str] {
        let end = self.0.iter().position(|word| KEYWORDS.contains(word)).unwrap_or(self.0.len());
        let (values, rest) = self.0.split_at(end);
        self.0 = rest;
        values
    }

    /// A word, unless a keyword comes next.
    fn value(&mut self) -> Option<&'a str> {
        self.0.first().filter(|word| !KEYWORDS.contains(word))?;
        self.next()
    }

    /// A number and its unit.
    fn quantity(&mut self) -> String {
        self.values().join(" ")
    }
}

fn time_of(text: &str) -> Result<Duration, String> {
    if text.starts_with('-') {
        return Err(format!("{text}: times run backwards; a time is at least 0"));
    }
    quantity::time(text).map_err(|error| format!("{text:?} is no time: {error}"))
}

fn size_of_data(text: &str) -> Result<u64, String> {
    quantity::size(text).map(|Bytes(bytes)| bytes).map_err(|error| format!("{text:?} is no size: {error}"))
}

fn number<T: std::str::FromStr>(what: &str, text: Option<&str>) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("{what} needs a number"))?;
    text.parse().map_err(|_| format!("{what} {text}: must be a whole number, at least 0"))
}

/// Reads an event whose compute time is not known here.
fn read_event(kind: &str, words: &[&str]) -> Result<Event, String> {
    let known = kind_of(kind.as_bytes());
    let kind = known.ok_or_else(|| {
        format!("{kind:?} is no kind of event: one is send, recv, wait, bcast, compute, end, ...")
    })?;
    let mut words = Words(words);
    let mut row = Row { kind, ..Row::default() };
    let is_rare = kind >= FIRST_RARE;
    let is_receive = matches!(kind, 8 | 9 | 12) || kind_name(kind) == "mprobe";
    if kind_name(kind) == "choose" {
        row.list = Some(Choices::default().to_list());
    }
    match kind {
        _ if is_rare => read_operands(&mut words, &mut row, is_receive)?,
        0..10 | 12 => {
            match words.next() {
                Some("any") if is_receive => row.flags |= ANY_SOURCE,
                Some("nobody") => {}
                peer => {
                    row.peer = Some(number(if is_receive { "the source" } else { "the receiver" }, peer)?)
                }
            }
            row.tag = Some(0);
            if kind != 12 {
                row.bytes = size_of_data(&words.quantity())?;
            }
        }
        10 | 11 | 13 => read_requests(&mut words, &mut row)?,
        POLL => row.list = Some(vec![time_of(&words.quantity())?.as_ps().cast_signed()]),
        15 | 16 => {}
        _ => {
            let size = words.quantity();
            if !size.is_empty() {
                row.bytes = size_of_data(&size)?;
            }
        }
    }
    let mut into = None;
    while let Some(word) = words.next() {
        match word {
            word if is_rare
                && !matches!(word, "comm" | "request" | "took")
                && !rare::may_have(kind, word) =>
            {
                return Err(format!("{word:?} does not belong here"));
            }
            "tag" => match words.next() {
                Some("any") if is_receive => (row.tag, row.flags) = (None, row.flags | ANY_TAG),
                tag => row.tag = Some(number("tag", tag)?),
            },
            "from" if row.flags & ANY_SOURCE != 0 => row.peer = Some(number("from", words.next())?),
            "tagged" if row.flags & ANY_TAG != 0 => row.tag = Some(number("tagged", words.next())?),
            "comm" => row.communicator = number("comm", words.next())?,
            "request"
                if kind < KINDS.len() && !matches!(kind, 4..=7 | 9) || is_rare && !rare::goes_on(kind) =>
            {
                return Err("only what goes on has a request: isend, irecv, ibcast, ...".into());
            }
            "request" => row.request = Some(number("request", words.next())?),
            "took" => row.took = Some(time_of(&words.quantity())?.as_ps()),
            "root" => match words.next() {
                Some("here") => row.flags |= HERE,
                Some("nobody") => {}
                root => row.peer = Some(number("root", root)?),
            },
            "element" => {
                row.element =
                    u32::try_from(size_of_data(&words.quantity())?).map_err(|_| "element: too large")?
            }
            "ordered" => row.flags |= ORDERED,
            "after" if kind == POLL => {
                let after: i64 = number("after", words.next())?;
                row.list.get_or_insert_default().push(after);
            }
            "looks" if kind == 12 || is_rare => row.flags |= LOOKS,
            "lasts" if is_rare => row.list = Some(vec![time_of(&words.quantity())?.as_ps().cast_signed()]),
            "protocol" | "copy" | "nic" | "gap" if is_rare => {
                let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
                Choices::read_word(row.list.as_mut().unwrap_or(&mut vec![0; 4]), word, value)?;
            }
            "channel" if is_rare => row.request = Some(number("channel", words.next())?),
            "partitions" if is_rare => row.bytes = number("partitions", words.next())?,
            "partition" if is_rare => row.peer = Some(number("partition", words.next())?),
            "ranks" if is_rare => row.list = Some(blocks(words.values())?),
            "blocks" | "out" | "list" => row.list = Some(blocks(words.values())?),
            "in" => into = Some(blocks(words.values())?),
            _ => match rare::FLAGS.iter().find(|(known, _)| *known == word) {
                Some((_, flag)) if is_rare => row.flags |= flag,
                _ => return Err(format!("{word:?} does not belong here")),
            },
        }
    }
    if let Some(into) = into {
        let list = row.list.as_mut().filter(|out| out.len() == into.len());
        list.ok_or("as many blocks must go out as come in")?.extend(into);
    }
    if matches!(kind_name(kind), "barrier" | "split" | "merge") && row.bytes > 0 {
        return Err("it has no size".into());
    }
    row.event()
}

fn read_requests(words: &mut Words<'_>, row: &mut Row) -> Result<(), String> {
    let requests =
        words.values().iter().map(|word| number("the request", Some(word)).map(|id: u32| id.into()));
    let requests: Vec<i64> = requests.collect::<Result<_, String>>()?;
    match requests[..] {
        [one] => row.request = u32::try_from(one).ok(),
        _ => row.list = Some(requests),
    }
    Ok(())
}

/// Reads what stands behind the name of a kind that few programs have.
fn read_operands(words: &mut Words<'_>, row: &mut Row, is_receive: bool) -> Result<(), String> {
    for operand in rare::operands(row.kind) {
        match operand {
            Operand::Peer => {
                row.tag = Some(0);
                match words.next() {
                    Some("any") if is_receive => row.flags |= ANY_SOURCE,
                    Some("nobody") => {}
                    peer => row.peer = Some(number("the other rank", peer)?),
                }
            }
            Operand::Target => match words.value() {
                None => {}
                rank => row.peer = Some(number("the rank", rank)?),
            },
            Operand::Requests => read_requests(words, row)?,
            Operand::Request => row.request = Some(number("the request", words.next())?),
            Operand::Channel => row.peer = Some(number("the channel", words.next())?),
            Operand::Size => row.bytes = size_of_data(&words.quantity())?,
        }
    }
    Ok(())
}

fn blocks(words: &[&str]) -> Result<Vec<i64>, String> {
    words.iter().map(|word| number("a block", Some(word))).collect()
}
