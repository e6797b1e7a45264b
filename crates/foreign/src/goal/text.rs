//! The text of GOAL:
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!   l1: calc 100 cpu 0
//!   l2: send 10b to 1 tag 7
//!   l2 requires l1
//! }
//! ```
//! Grammar: `txt2bin.re` of LogGOPSim. A statement stands on one line. Sizes are bytes, computations nanoseconds; -1 is any source or any tag. Only the rank that is being
//! read is in memory.

use super::section::{Edge, Entry, Section};
use crate::reading::Reading;
use crate::work::{self, Work};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use weir_formats::graph::GraphFile;
use weir_operations::Operation;
use weir_units::Duration;

/// No line is longer: what is not text is noticed before it is in memory.
const MOST_OF_A_LINE: u64 = 1 << 20;

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let mut input = BufReader::with_capacity(1 << 16, work::open(path, reading)?);
    let (mut bytes, mut number, mut is_comment) = (Vec::new(), 0, false);
    let mut reader: Option<Reader<'_>> = None;
    let mut early = Some(reading);
    loop {
        bytes.clear();
        number += 1;
        let read = input.by_ref().take(MOST_OF_A_LINE).read_until(b'\n', &mut bytes);
        let what = match read {
            Ok(0) => break,
            Ok(_) if bytes.len() as u64 == MOST_OF_A_LINE => "the line is longer than 1 MiB".to_owned(),
            Ok(_) if std::str::from_utf8(&bytes).is_err() => "this is no text".to_owned(),
            Ok(_) => String::new(),
            Err(error) => format!("the file cannot be read further: {error}"),
        };
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let text = without_comments(text.trim_start_matches('\u{feff}'), &mut is_comment);
        match (&mut reader, what.is_empty()) {
            (Some(reader), true) => reader.line(number, &text),
            (Some(reader), false) => {
                reader.work.reading.wrong(number, "", what);
                return None;
            }
            (None, _) if text.trim().is_empty() && what.is_empty() => {}
            (None, is_fine) => {
                let reading = early.take()?;
                let words: Vec<&str> = text.split_whitespace().collect();
                let ["num_ranks", ranks] = words[..] else {
                    let what = if is_fine { "expected num_ranks and a number".to_owned() } else { what };
                    reading.wrong(number, text.trim(), what);
                    return None;
                };
                let ranks = ranks.parse().unwrap_or(0);
                reader = Some(Reader::new(Work::new(ranks, number, reading)?));
            }
        }
    }
    match (reader, early) {
        (Some(reader), _) => reader.finish(number.saturating_sub(1)),
        (None, early) => {
            early?.wrong_whole("num_ranks is missing: the file is empty", None);
            None
        }
    }
}

/// The line without `// ...` and `/* ... */`, which may go on over lines.
fn without_comments<'a>(line: &'a str, is_comment: &mut bool) -> Cow<'a, str> {
    if !*is_comment && !line.contains('/') {
        return line.into();
    }
    let (mut rest, mut text) = (line, String::new());
    loop {
        if *is_comment {
            let Some((_, after)) = rest.split_once("*/") else { return text.into() };
            (*is_comment, rest) = (false, after);
            text.push(' ');
        }
        let lines = rest.find("//").unwrap_or(rest.len());
        match rest.find("/*").filter(|&at| at < lines) {
            Some(at) => {
                text += &rest[..at];
                (*is_comment, rest) = (true, &rest[at + 2..]);
            }
            None => {
                text += &rest[..lines];
                return text.into();
            }
        }
    }
}

struct Reader<'a> {
    work: Work<'a>,
    has_section: Vec<bool>,
    /// The rank that is being read, and the line on which it begins.
    rank: Option<(u32, usize)>,
    section: Section,
    labels: Labels,
    /// The requirements, by labels that may come later.
    later: Vec<Later>,
    line: usize,
}

struct Later {
    of: u32,
    needs: String,
    begun: bool,
    line: usize,
    at: usize,
}

/// The labels of a rank. Those that are a letter and a number, as most are, need no text.
#[derive(Default)]
struct Labels {
    numbered: BTreeMap<(u8, u64), u32>,
    named: BTreeMap<Box<str>, u32>,
}

fn numbered(label: &str) -> Option<(u8, u64)> {
    let (letter, digits) = (label.as_bytes().first()?, label.get(1..)?);
    let is_plain =
        digits.bytes().all(|digit| digit.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    Some((*letter, digits.parse().ok().filter(|_| is_plain)?))
}

impl Labels {
    fn get(&self, label: &str) -> Option<u32> {
        match numbered(label) {
            Some(key) => self.numbered.get(&key).copied(),
            None => self.named.get(label).copied(),
        }
    }

    fn insert(&mut self, label: &str, number: u32) -> Option<u32> {
        match numbered(label) {
            Some(key) => self.numbered.insert(key, number),
            None => self.named.insert(label.into(), number),
        }
    }

    /// The label of an operation. It is needed for mistakes only.
    fn of(&self, number: u32) -> String {
        let mut numbered = self.numbered.iter().filter(|(_, of)| **of == number);
        let named = self.named.iter().find(|(_, of)| **of == number);
        match (numbered.next(), named) {
            (Some(((letter, digits), _)), _) => format!("{}{digits}", char::from(*letter)),
            (None, Some((label, _))) => label.to_string(),
            (None, None) => format!("operation {number}"),
        }
    }
}

/// The words of a line. Braces and colons are words of their own.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        let is_end = |letter: char| letter.is_whitespace() || "{}:".contains(letter);
        let end = match rest.find(is_end) {
            Some(0) => 1,
            Some(end) => end,
            None => rest.len(),
        };
        let (word, rest) = rest.split_at(end.min(rest.len()));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

fn is_label(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

impl<'a> Reader<'a> {
    fn new(work: Work<'a>) -> Self {
        let has_section = vec![false; work.builder.ranks() as usize];
        Self {
            work,
            has_section,
            rank: None,
            section: Section::default(),
            labels: Labels::default(),
            later: Vec::new(),
            line: 0,
        }
    }

    fn wrong(&mut self, value: &str, what: impl Into<String>) {
        self.work.reading.wrong(self.line, value.trim(), what);
    }

    fn line(&mut self, line: usize, text: &str) {
        self.line = line;
        let mut words = Words(text);
        while let Some(word) = words.next() {
            let is_right = match (word, self.rank) {
                ("rank", None) => self.begin(&mut words, text),
                ("}", Some(_)) => {
                    self.end();
                    true
                }
                (_, Some(_)) => self.statement(word, &mut words, text),
                (_, None) => {
                    self.wrong(text, "expected rank, its number and {");
                    false
                }
            };
            if !is_right {
                return;
            }
        }
    }

    fn begin(&mut self, words: &mut Words<'_>, text: &str) -> bool {
        let rank = words.next().and_then(|word| word.parse::<u32>().ok());
        let (Some(rank), Some("{")) = (rank, words.next()) else {
            self.wrong(text, "expected rank, its number and {");
            return false;
        };
        match self.has_section.get_mut(rank as usize) {
            None => self.wrong(
                text,
                format!("there is no rank {rank}: num_ranks says {}, counted from 0", self.has_section.len()),
            ),
            Some(true) => self.wrong(text, format!("rank {rank} is there twice")),
            Some(has) => *has = true,
        }
        // Of a rank that cannot be, the operations are read for what is wrong with them.
        let known = rank.min(self.work.builder.ranks() - 1);
        self.rank = Some((known, self.line));
        true
    }

    fn statement(&mut self, word: &str, words: &mut Words<'_>, text: &str) -> bool {
        if ["send", "recv", "calc", "put", "append", "tput", "test"].contains(&word)
            && !words.0.trim_start().starts_with(':')
        {
            return self.operation(None, word, words, text);
        }
        if !is_label(word) {
            self.wrong(text, "expected a label, send, recv, calc or }");
            return false;
        }
        match words.next() {
            Some(":") => match words.next() {
                Some(kind) => self.operation(Some(word), kind, words, text),
                None => {
                    self.wrong(text, "expected send, recv or calc behind the label");
                    false
                }
            },
            Some(relation @ ("requires" | "irequires")) => match words.next().filter(|label| is_label(label))
            {
                Some(other) => {
                    self.require(word, other, relation == "irequires");
                    true
                }
                None => {
                    self.wrong(text, format!("expected a label behind {relation}"));
                    false
                }
            },
            _ => {
                self.wrong(
                    text,
                    "expected : and an operation, or requires or irequires and a label, behind a label",
                );
                false
            }
        }
    }

    fn require(&mut self, of: &str, needs: &str, begun: bool) {
        match (self.labels.get(of), self.labels.get(needs)) {
            (Some(of), Some(needs)) => self.section.edges.push(Edge { of, needs, begun }),
            (Some(of), None) => {
                let at = self.section.edges.len();
                self.section.edges.push(Edge { of, needs: of, begun });
                self.later.push(Later { of, needs: needs.to_owned(), begun, line: self.line, at });
            }
            // The operation itself comes later: it is looked up at the end of the rank.
            (None, _) => {
                let at = self.section.edges.len();
                self.section.edges.push(Edge { of: 0, needs: 0, begun });
                let needs = format!("{of} {needs}");
                self.later.push(Later { of: u32::MAX, needs, begun, line: self.line, at });
            }
        }
    }

    fn operation(&mut self, label: Option<&str>, kind: &str, words: &mut Words<'_>, text: &str) -> bool {
        let number = self.section.operations.len() as u32;
        if let Some(label) = label
            && self.labels.insert(label, number).is_some()
        {
            self.wrong(text, format!("the label {label} is there twice"));
        }
        let made = match kind {
            "send" | "recv" | "calc" => self.known(kind, words),
            "put" | "append" | "tput" | "test" => {
                self.work.reading.cannot(self.line, kind, super::OF_INTERFACES);
                words.0 = "";
                Ok((Operation::Compute { time: Duration::ZERO }, 0))
            }
            _ => Err("expected send, recv or calc"),
        };
        match made {
            Ok((operation, stream)) => {
                self.section.operations.push(Entry { operation, stream, line: self.line as u32 });
                true
            }
            Err(what) => {
                self.wrong(text, what);
                // Labels go on by number.
                let operation = Operation::Compute { time: Duration::ZERO };
                self.section.operations.push(Entry { operation, stream: 0, line: self.line as u32 });
                false
            }
        }
    }

    fn known(&mut self, kind: &str, words: &mut Words<'_>) -> Result<(Operation, u32), &'static str> {
        if kind == "calc" {
            let ns = words.next().and_then(|word| word.parse().ok());
            let ns = ns.ok_or("expected a whole number of nanoseconds behind calc")?;
            let operation = work::compute_ns(ns).ok_or("the computation is longer than 213 days")?;
            return Ok((operation, self.options(words)?.1));
        }
        let (size, way) = match (kind, words.next(), words.next()) {
            (_, Some(size), Some("b")) => (Some(size), words.next()),
            (_, Some(size), way) => (size.strip_suffix('b'), way),
            _ => (None, None),
        };
        let bytes = size.and_then(|size| size.parse::<u64>().ok()).ok_or("expected a size as in 10b")?;
        let expected = if kind == "send" { "to" } else { "from" };
        if way != Some(expected) {
            return Err(if kind == "send" {
                "expected to and a rank behind the size"
            } else {
                "expected from and a rank behind the size"
            });
        }
        let peer = match words.next() {
            Some("-1") if kind == "recv" => None,
            word => Some(
                word.and_then(|word| word.parse::<u32>().ok())
                    .ok_or("expected the number of a rank; -1 is any source, of recv only")?,
            ),
        };
        let (tag, stream) = self.options(words)?;
        match (kind, peer, tag) {
            ("send", Some(to), Some(tag)) => Ok((work::send(to, tag, bytes), stream)),
            ("send", ..) => Err("a send has a tag of its own; -1 is any tag, of recv only"),
            _ => Ok((work::receive(peer, tag, bytes), stream)),
        }
    }

    /// The tag, `None` for any, and the stream.
    fn options(&mut self, words: &mut Words<'_>) -> Result<(Option<i32>, u32), &'static str> {
        let (mut tag, mut stream) = (Some(0), 0);
        loop {
            let rest = words.0;
            match words.next() {
                Some(name @ ("tag" | "cpu" | "nic")) => {
                    let value = words.next().unwrap_or_default();
                    match (name, value.parse::<u32>()) {
                        ("tag", _) if value == "-1" => tag = None,
                        ("tag", Ok(number)) => {
                            let small = i32::try_from(number);
                            tag = Some(small.map_err(|_| "a tag is at most 2147483647, as MPI has it")?);
                        }
                        ("cpu", Ok(number)) if number < 1 << 16 => stream = number,
                        ("nic", Ok(number)) => {
                            if number > 0 {
                                let what = "tasks do not choose an interface, the machine does (mapping, [node] interfaces)";
                                self.work.reading.cannot(self.line, value, what);
                            }
                        }
                        _ => {
                            return Err(
                                "expected a whole number behind tag, cpu or nic; a cpu is below 65536",
                            );
                        }
                    }
                }
                _ => {
                    words.0 = rest;
                    let next = rest.trim_start();
                    let is_over = next.is_empty() || next.starts_with('}');
                    return if is_over {
                        Ok((tag, stream))
                    } else {
                        Err("expected tag, cpu, nic or the end of the line")
                    };
                }
            }
        }
    }

    /// The end of a rank: what it requires is known now.
    fn end(&mut self) {
        let Some((rank, _)) = self.rank.take() else { return };
        let (mut section, labels) = (std::mem::take(&mut self.section), std::mem::take(&mut self.labels));
        let mut is_whole = true;
        for Later { of, needs, begun, line, at } in std::mem::take(&mut self.later) {
            let (of, needs) = match needs.split_once(' ') {
                Some((of, needs)) => (labels.get(of).ok_or(of), labels.get(needs).ok_or(needs)),
                None => (Ok(of), labels.get(&needs).ok_or(&*needs)),
            };
            match (of, needs) {
                (Ok(of), Ok(needs)) => section.edges[at] = Edge { of, needs, begun },
                (Err(label), _) | (_, Err(label)) => {
                    is_whole = false;
                    self.work.reading.wrong(
                        line,
                        label,
                        format!("rank {rank} has no operation of this label"),
                    );
                }
            }
        }
        if is_whole {
            section.finish(rank, &|number| labels.of(number), &mut self.work);
        }
    }

    fn finish(mut self, last: usize) -> Option<GraphFile> {
        if let Some((rank, line)) = self.rank {
            self.line = last;
            self.wrong(
                "",
                format!("rank {rank}, which begins on line {line}, has no end: the file may be cut off"),
            );
        }
        let mut missing = (0_u32..).zip(&self.has_section).filter(|(_, has)| !**has).map(|(rank, _)| rank);
        if let Some(first) = missing.next() {
            let more = missing.count();
            let also = if more > 0 { format!(", nor of {more} others") } else { String::new() };
            let what = format!("there is no section of rank {first}{also}");
            self.work.reading.wrong_whole(
                what,
                Some("the file may be cut off; a rank that does nothing has an empty section"),
            );
        }
        self.work.finish()
    }
}
