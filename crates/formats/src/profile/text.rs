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

use super::kinds::{FIRST_COLLECTIVE, FIRST_RARE, KINDS, Operand, kind_of};
use super::row::{
    ANY_SOURCE, ANY_TAG, AT_ONCE, EXCLUSIVE, HERE, KindNumber, LOCAL, LOOKS, NO_CHECK, NOTHING, ORDERED, Row,
};
use super::{Choices, Collector, Combines, Event, MOST_RANKS, Profile, VERSIONS};
use crate::collector::ranks_in;
use crate::lines::{self, Head};
use crate::{MistakePlace, ReadError, quantity};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::sync::LazyLock;
use weir_units::{Bytes, Duration, Rank};

pub(super) fn head() -> Head {
    Head::new("weir-profile", &VERSIONS)
}

pub(super) fn event(rank: Rank, event: &Event, out: &mut impl Write) -> io::Result<()> {
    if event.compute > Duration::ZERO {
        writeln!(out, "{rank} compute {}", quantity::time_text(event.compute))?;
    }
    write!(out, "{rank}")?;
    write_event(&Row::of(rank.0, event), out)
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

/// All words that name what follows them.
static KEYWORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let words = KINDS.iter().flat_map(|kind| kind.words);
    words.copied().chain(["comm", "request", "took"]).collect()
});

/// Words that stand for flags.
const FLAGS: [(&str, u32); 7] = [
    ("ordered", ORDERED),
    ("looks", LOOKS),
    ("exclusive", EXCLUSIVE),
    ("nocheck", NO_CHECK),
    ("nosucceed", NOTHING),
    ("local", LOCAL),
    ("at-once", AT_ONCE),
];

/// Writes the event of a row, behind its rank.
fn write_event(row: &Row, out: &mut impl Write) -> io::Result<()> {
    let kind = &KINDS[row.kind.0];
    write!(out, " {}", kind.name)?;
    kind.operands.iter().try_for_each(|operand| write_operand(*operand, row, out))?;
    kind.words.iter().try_for_each(|word| write_word(word, row, out))?;
    if row.communicator != 0 {
        write!(out, " comm {}", row.communicator)?;
    }
    if let Some(request) = row.request.filter(|_| kind.goes_on) {
        write!(out, " request {request}")?;
    }
    if let Some(took) = row.took_ps {
        write!(out, " took {}", quantity::time_text(Duration::from_ps(took)))?;
    }
    writeln!(out)
}

fn write_operand(operand: Operand, row: &Row, out: &mut impl Write) -> io::Result<()> {
    match operand {
        Operand::Source if row.flags & ANY_SOURCE != 0 => write!(out, " any"),
        Operand::Peer | Operand::Source | Operand::Target => match row.peer {
            Some(rank) => write!(out, " {rank}"),
            None if operand == Operand::Target => Ok(()),
            None => write!(out, " nobody"),
        },
        Operand::Request => write!(out, " {}", row.request.unwrap_or(0)),
        Operand::Requests => match row.request {
            Some(request) => write!(out, " {request}"),
            None => write_numbers(row.listed(), out),
        },
        Operand::Channel => write!(out, " {}", row.peer.unwrap_or(0)),
        Operand::Data if row.list.is_some() && row.bytes == 0 => Ok(()),
        Operand::Size | Operand::Data => write!(out, " {}", row.bytes),
        Operand::NoSize => Ok(()),
        Operand::Time => write!(out, " {}", first_time(row)),
    }
}

fn write_word(word: &str, row: &Row, out: &mut impl Write) -> io::Result<()> {
    let (list, has) = (row.listed(), |flag: u32| row.flags & flag != 0);
    let halves = || list.split_at(list.len() / 2);
    let combines = || Combines::of_flags(row.flags).unwrap_or_default();
    match (word, row.peer, row.tag) {
        ("tag", ..) if has(ANY_TAG) => write!(out, " tag any"),
        ("tag", _, Some(tag)) if tag != 0 => write!(out, " tag {tag}"),
        ("from", Some(rank), _) if has(ANY_SOURCE) => write!(out, " from {rank}"),
        ("tagged", _, Some(tag)) if has(ANY_TAG) => write!(out, " tagged {tag}"),
        ("root", Some(rank), _) => write!(out, " root {rank}"),
        ("root", ..) => write!(out, " root {}", if has(HERE) { "here" } else { "nobody" }),
        ("element", ..) if row.element != 0 => write!(out, " element {}", row.element),
        ("op", ..) => combines().operation.map_or(Ok(()), |of| write!(out, " op {}", of.name())),
        ("type", ..) => combines().element.map_or(Ok(()), |of| write!(out, " type {}", of.name())),
        ("after", ..) => list.get(1).map_or(Ok(()), |after| write!(out, " after {after}")),
        ("lasts", ..) => write!(out, " lasts {}", first_time(row)),
        ("protocol" | "copy" | "nic" | "gap", ..) => Choices::write_word(list, word, out),
        ("channel", ..) => write!(out, " channel {}", row.request.unwrap_or(0)),
        ("partitions", ..) => write!(out, " partitions {}", row.bytes),
        ("partition", ..) => write!(out, " partition {}", row.peer.unwrap_or(0)),
        ("blocks", ..) if row.list.is_none() => Ok(()),
        ("blocks" | "list" | "ranks", ..) => write_list(word, list, out),
        ("out", ..) => write_list(word, halves().0, out),
        ("in", ..) => write_list(word, halves().1, out),
        _ => match FLAGS.iter().find(|(known, _)| *known == word) {
            Some((_, flag)) if has(*flag) => write!(out, " {word}"),
            _ => Ok(()),
        },
    }
}

fn write_list(word: &str, numbers: &[i64], out: &mut impl Write) -> io::Result<()> {
    write!(out, " {word}")?;
    write_numbers(numbers, out)
}

fn write_numbers(numbers: &[i64], out: &mut impl Write) -> io::Result<()> {
    numbers.iter().try_for_each(|number| write!(out, " {number}"))
}

/// The time at the beginning of a row's list.
fn first_time(row: &Row) -> String {
    let time = row.listed().first().copied().unwrap_or(0);
    quantity::time_text(Duration::from_ps(time.cast_unsigned()))
}

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

    /// A number and its unit.
    fn quantity(&mut self) -> String {
        self.values().join(" ")
    }

    fn size(&mut self) -> Result<u64, String> {
        let text = self.quantity();
        quantity::size(&text)
            .map(|Bytes(bytes)| bytes)
            .map_err(|error| format!("{text:?} is no size: {error}"))
    }

    /// A time in the form that a list has.
    fn time(&mut self) -> Result<i64, String> {
        Ok(time_of(&self.quantity())?.as_ps().cast_signed())
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        number(what, self.next())
    }

    fn numbers(&mut self, what: &str) -> Result<Vec<i64>, String> {
        self.values().iter().map(|word| number::<u32>(what, Some(word)).map(i64::from)).collect()
    }

    fn blocks(&mut self) -> Result<Vec<i64>, String> {
        self.values().iter().map(|word| number("a block", Some(word))).collect()
    }
}

fn time_of(text: &str) -> Result<Duration, String> {
    if text.starts_with('-') {
        return Err(format!("{text}: times run backwards; a time is at least 0"));
    }
    quantity::time(text).map_err(|error| format!("{text:?} is no time: {error}"))
}

fn number<T: std::str::FromStr>(what: &str, text: Option<&str>) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("{what} needs a number"))?;
    text.parse().map_err(|_| format!("{what} {text}: must be a whole number, at least 0"))
}

/// Reads an event whose compute time is not known here.
fn read_event(name: &str, words: &[&str]) -> Result<Event, String> {
    let number = kind_of(name.as_bytes()).ok_or_else(|| {
        format!("{name:?} is no kind of event: one is send, recv, wait, bcast, compute, end, ...")
    })?;
    let kind = &KINDS[number];
    // Of a collective that combines nothing the row says so.
    let is_collective = (FIRST_COLLECTIVE..FIRST_RARE).contains(&number);
    let mut row = Row { kind: KindNumber(number), ..Row::default() };
    let mut words = Words(words);
    if kind.words.contains(&"protocol") {
        row.list = Some(Choices::default().to_list());
    }
    kind.operands.iter().try_for_each(|operand| read_operand(*operand, &mut words, &mut row))?;
    let mut into = None;
    while let Some(word) = words.next() {
        match word {
            "comm" => row.communicator = words.number("comm")?,
            "took" => row.took_ps = Some(time_of(&words.quantity())?.as_ps()),
            "request" if kind.goes_on => row.request = Some(words.number("request")?),
            "request" => return Err("only what goes on has a request: isend, irecv, ibcast, ...".into()),
            "in" if kind.words.contains(&word) => into = Some(words.blocks()?),
            _ if kind.words.contains(&word) || is_collective && matches!(word, "op" | "type") => {
                read_word(word, &mut words, &mut row)?;
            }
            _ => return Err(does_not_belong(word)),
        }
    }
    if let Some(into) = into {
        let list = row.list.as_mut().filter(|out| out.len() == into.len());
        list.ok_or("as many blocks must go out as come in")?.extend(into);
    }
    row.event()
}

fn does_not_belong(word: &str) -> String {
    format!("{word:?} does not belong here")
}

fn read_operand(operand: Operand, words: &mut Words<'_>, row: &mut Row) -> Result<(), String> {
    match operand {
        Operand::Peer | Operand::Source => {
            row.tag = Some(0);
            match words.next() {
                Some("any") if operand == Operand::Source => row.flags |= ANY_SOURCE,
                Some("nobody") => {}
                peer => row.peer = Some(number("the other rank", peer)?),
            }
        }
        Operand::Target if words.0.first().is_none_or(|word| KEYWORDS.contains(word)) => {}
        Operand::Target => row.peer = Some(words.number("the rank")?),
        Operand::Request => row.request = Some(words.number("the request")?),
        Operand::Requests => match words.numbers("the request")? {
            one if one.len() == 1 => row.request = u32::try_from(one[0]).ok(),
            several => row.list = Some(several),
        },
        Operand::Channel => row.peer = Some(words.number("the channel")?),
        Operand::Data | Operand::NoSize if words.0.first().is_none_or(|word| KEYWORDS.contains(word)) => {}
        Operand::Size | Operand::Data | Operand::NoSize => row.bytes = words.size()?,
        Operand::Time => row.list = Some(vec![words.time()?]),
    }
    if operand == Operand::NoSize && row.bytes > 0 { Err("it has no size".into()) } else { Ok(()) }
}

/// Reads what stands behind a word of the row's kind.
fn read_word(word: &str, words: &mut Words<'_>, row: &mut Row) -> Result<(), String> {
    match word {
        "tag" if words.0.first() == Some(&"any") && KINDS[row.kind.0].words.contains(&"tagged") => {
            words.next();
            (row.tag, row.flags) = (None, row.flags | ANY_TAG);
        }
        "tag" => row.tag = Some(words.number(word)?),
        "from" if row.flags & ANY_SOURCE != 0 => row.peer = Some(words.number(word)?),
        "tagged" if row.flags & ANY_TAG != 0 => row.tag = Some(words.number(word)?),
        "from" | "tagged" => return Err(does_not_belong(word)),
        "root" => match words.next() {
            Some("here") => row.flags |= HERE,
            Some("nobody") => {}
            root => row.peer = Some(number(word, root)?),
        },
        "element" => row.element = u32::try_from(words.size()?).map_err(|_| "element: too large")?,
        "op" | "type" => {
            let mut combines = Combines::of_flags(row.flags)?;
            combines.read_word(word, words.next().unwrap_or_default())?;
            row.flags = combines.in_flags(row.flags);
        }
        "after" => row.list.get_or_insert_default().push(words.number(word)?),
        "lasts" => row.list = Some(vec![words.time()?]),
        "protocol" | "copy" | "nic" | "gap" => {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            Choices::read_word(row.list.get_or_insert_default(), word, value)?;
        }
        "channel" => row.request = Some(words.number(word)?),
        "partitions" => row.bytes = words.number(word)?,
        "partition" => row.peer = Some(words.number(word)?),
        "blocks" | "out" | "list" | "ranks" => row.list = Some(words.blocks()?),
        _ => row.flags |= FLAGS.iter().filter(|(known, _)| *known == word).map(|(_, flag)| flag).sum::<u32>(),
    }
    Ok(())
}
