//! The words of a line, as an event.

use crate::profile::kinds::{FIRST_RARE, KINDS, POLL, kind_name, kind_of};
use crate::profile::rare::{self, Operand};
use crate::profile::row::{ANY_SOURCE, ANY_TAG, HERE, LOOKS, ORDERED, Row};
use crate::profile::{Choices, Combines, Event};
use crate::quantity;
use weir_units::{Bytes, Duration};

/// Words that name what follows them.
const KEYWORDS: [&str; 31] = [
    "op",
    "type",
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

pub(super) fn time_of(text: &str) -> Result<Duration, String> {
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
pub(super) fn read_event(kind: &str, words: &[&str]) -> Result<Event, String> {
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
    read_first(&mut words, &mut row, is_rare, is_receive)?;
    let mut into = None;
    let mut combines = Combines::default();
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
            "op" | "type" if (KINDS.len()..FIRST_RARE).contains(&kind) => {
                combines.read_word(word, words.next().unwrap_or_default())?
            }
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
    row.flags |= combines.flags();
    row.event()
}

/// What stands behind the kind without a word before it: the peer, requests, a size.
fn read_first(words: &mut Words<'_>, row: &mut Row, is_rare: bool, is_receive: bool) -> Result<(), String> {
    let kind = row.kind;
    match kind {
        _ if is_rare => read_operands(words, row, is_receive)?,
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
        10 | 11 | 13 => read_requests(words, row)?,
        POLL => row.list = Some(vec![time_of(&words.quantity())?.as_ps().cast_signed()]),
        15 | 16 => {}
        _ => {
            let size = words.quantity();
            if !size.is_empty() {
                row.bytes = size_of_data(&size)?;
            }
        }
    }
    Ok(())
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
