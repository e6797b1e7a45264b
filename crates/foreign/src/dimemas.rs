//! Traces of Dimemas (.dim), which `prv2dim` makes of those of Paraver: lists of records for each task.
//!
//! Grammar: the reader of Dimemas (`file_data_access.c`), and `prv2dim`. Tasks are counted from 0. A record has its kind, task and thread: a burst of computation in seconds (1), a send (2), a
//! receive, which also begins one or waits for one that has begun (3), a collective (10), an event (20).
//!
//! # Model
//! A file is read twice, for only the sizes of its root say who is the root of a collective. Sends that do not wait are never waited for. Whether a send is a rendezvous is a matter of the
//! machine.

use crate::calls::{Calls, Way};
use crate::reading::Reading;
use crate::roots::Roots;
use crate::work::{self, Work};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;
use weir_formats::MOST_RANKS;
use weir_formats::graph::GraphFile;
use weir_operations::{Collective, Function, Lengths, OperandOrder, Operation, Root};
use weir_units::{Duration, Rank};

const MOST_OF_A_LINE: u64 = 256 << 20;
/// The first number of a communicator: the world and each rank alone have those before it.
const FIRST: u64 = 2;

/// Members of communicators, by their numbers in the file.
type Communicators = BTreeMap<u64, Vec<u32>>;

enum Record {
    Compute(Duration),
    Send {
        to: u32,
        bytes: u64,
        tag: i32,
        way: Way,
    },
    Receive {
        from: Option<u32>,
        bytes: u64,
        tag: Option<i32>,
        way: Way,
    },
    Wait {
        from: Option<u32>,
        tag: Option<i32>,
    },
    Collective {
        function: Function,
        communicator: u64,
        sent: u64,
        received: u64,
    },
    /// It says nothing here.
    Nothing,
    /// It is left out, and why.
    Cannot(&'static str),
}

/// A line behind the head.
enum Line {
    Communicator(u64, Vec<u32>),
    Record(u32, Record),
    Nothing,
}

#[derive(Default)]
struct OfRank {
    calls: Calls,
    /// Receives that go on, by source and tag.
    open: BTreeMap<(Option<u32>, Option<i32>), VecDeque<u64>>,
    rooted: BTreeMap<u64, usize>,
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let (mut communicators, mut roots) = (Communicators::new(), Roots::default());
    let first = each(path, |line| {
        match line {
            Line::Communicator(number, members) => _ = communicators.insert(number, members),
            Line::Record(rank, Record::Collective { function, communicator, sent, received })
                if function.has_root() =>
            {
                let is_root = match function {
                    Function::Bcast | Function::Scatter => sent > 0,
                    _ => received > 0,
                };
                let members = communicators.get(&communicator).filter(|_| is_root);
                let place = members.and_then(|members| members.iter().position(|&member| member == rank));
                if !roots.add(communicator, rank, place.map(|place| place as u32)) {
                    return Err("a second rank has the sizes of a root of this collective".to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    });
    let ranks = first.map_err(|(line, what)| reading.wrong(line, "", what)).ok()?;
    let mut work = Work::new(u64::from(ranks), 1, reading)?;
    for (&number, members) in &communicators {
        let members = members.iter().map(|&member| Rank(member)).collect();
        work.builder.define(u32::try_from(number + FIRST).ok()?, (members, Vec::new()));
    }
    let mut of: Vec<OfRank> = (0..ranks).map(|_| OfRank::default()).collect();
    let mut number = 0;
    let second = each(path, |line| {
        number += 1;
        if let Line::Record(rank, record) = line {
            // The head is the line before the first.
            of[rank as usize].add(rank, record, number + 1, (&communicators, &roots), &mut work)?;
        }
        Ok(())
    });
    if let Err((line, what)) = second {
        work.reading.wrong(line, "", what);
    }
    work.finish()
}

/// Goes from line to line behind the head, and returns the number of ranks.
fn each(path: &Path, mut line: impl FnMut(Line) -> Result<(), String>) -> Result<u32, (usize, String)> {
    let cannot = |error: std::io::Error| (0, format!("{} cannot be read: {error}", path.display()));
    let mut input = BufReader::with_capacity(1 << 16, std::fs::File::open(path).map_err(cannot)?);
    let (mut text, mut number, mut ranks) = (String::new(), 0, None);
    loop {
        text.clear();
        number += 1;
        if (&mut input).take(MOST_OF_A_LINE).read_line(&mut text).map_err(cannot)? == 0 {
            return ranks.ok_or_else(|| (1, "it has no head".to_owned()));
        }
        let wrong = |what: String| (number, what);
        match ranks {
            None => ranks = Some(head(text.trim_end()).map_err(wrong)?),
            Some(ranks) => {
                let made = row(text.trim_end(), ranks).ok_or_else(|| {
                    wrong("expected d:1 and a communicator, or a record: its kind, task, thread and numbers, of a task that is there".to_owned())
                })?;
                line(made).map_err(wrong)?;
            }
        }
    }
}

/// `#DIMEMAS:NAME:OFFSETS:TASKS(THREADS,..),COMMUNICATORS`
fn head(text: &str) -> Result<u32, String> {
    let tasks = text.rsplit(':').next().and_then(|last| last.split('(').next());
    let ranks = tasks.and_then(|tasks| tasks.parse().ok()).filter(|ranks| (1..=MOST_RANKS).contains(ranks));
    ranks.ok_or_else(|| "expected a head, as in #DIMEMAS:\"a\":1,0:2(1,1),1".to_owned())
}

fn row(text: &str, ranks: u32) -> Option<Line> {
    let fields: Vec<&str> = text.split(':').collect();
    let rank = |text: &str| text.parse().ok().filter(|&rank: &u32| rank < ranks);
    match fields[..] {
        [""] | ["s", ..] => Some(Line::Nothing),
        ["d", "1", number, count, ref members @ ..] => {
            let members: Vec<u32> = members.iter().map(|member| rank(member)).collect::<Option<_>>()?;
            let number = number.parse().ok().filter(|&number: &u64| number < u64::from(u32::MAX) - FIRST)?;
            (count.parse() == Ok(members.len())).then_some(Line::Communicator(number, members))
        }
        // Files and windows: no record that is read names them.
        ["d", ..] => Some(Line::Nothing),
        [kind, task, thread, ref rest @ ..] => {
            let task = rank(task)?;
            let record = match (kind, thread.parse::<u32>().ok()?) {
                ("0" | "20", _) => Record::Nothing,
                (_, 1..) => {
                    Record::Cannot("threads of a task other than its first one have no tasks of their own")
                }
                (kind, 0) => record(kind, rest, ranks)?,
            };
            Some(Line::Record(task, record))
        }
        _ => None,
    }
}

fn number<T: FromStr>(fields: &[&str], place: usize) -> Option<T> {
    fields.get(place)?.parse().ok()
}

/// A record of the first thread of a task.
fn record(kind: &str, fields: &[&str], ranks: u32) -> Option<Record> {
    // Messages name the thread of the other task, or do not.
    let other = fields.len().checked_sub(5);
    let message = |begin: usize| -> Option<(Option<u32>, u64, Option<i32>, u32)> {
        let rank = match *fields.first()? {
            "-1" => None,
            rank => Some(rank.parse().ok().filter(|&rank: &u32| rank < ranks)?),
        };
        let tag = match fields[begin + 2] {
            "-1" => None,
            tag => Some(tag.parse().ok().filter(|&tag: &i32| tag >= 0)?),
        };
        Some((rank, number(fields, begin + 1)?, tag, number(fields, begin + 4)?))
    };
    Some(match (kind, other) {
        ("1", _) => {
            let seconds = number::<f64>(fields, 0).filter(|&seconds| seconds >= 0.0)?;
            Record::Compute(Duration::from_secs_f64(seconds)?)
        }
        ("2", Some(begin @ 0..=1)) => {
            let (to, bytes, tag, modes) = message(begin)?;
            // The second bit is that of a send that goes on.
            Record::Send {
                to: to?,
                bytes,
                tag: tag?,
                way: if modes & 2 > 0 { Way::GoesOn } else { Way::Waits },
            }
        }
        ("3", Some(begin @ 0..=1)) => match message(begin)? {
            (from, bytes, tag, 0) => Record::Receive { from, bytes, tag, way: Way::Waits },
            (from, bytes, tag, 1) => Record::Receive { from, bytes, tag, way: Way::GoesOn },
            (from, _, tag, 2) => Record::Wait { from, tag },
            _ => return None,
        },
        ("10", Some(1 | 2)) => {
            let function = match number::<u32>(fields, 0)? {
                0 => Function::Barrier,
                1 => Function::Bcast,
                2 => Function::Gather,
                4 => Function::Scatter,
                6 => Function::Allgather,
                8 => Function::Alltoall,
                10 => Function::Reduce,
                11 => Function::Allreduce,
                _ => {
                    return Some(Record::Cannot(
                        "collectives with a length for each rank, scans and those that go on are no tasks: the trace has sums of bytes only",
                    ));
                }
            };
            if number::<u32>(fields, 6).unwrap_or(0) > 0 {
                return Some(Record::Cannot("collectives that go on are no tasks"));
            }
            Record::Collective {
                function,
                communicator: number(fields, 1)?,
                sent: number(fields, 4)?,
                received: number(fields, 5)?,
            }
        }
        ("11", _) => Record::Cannot("bursts of GPUs have no tasks of their own"),
        _ => return None,
    })
}

impl OfRank {
    fn add(
        &mut self,
        rank: u32,
        record: Record,
        line: usize,
        (communicators, roots): (&Communicators, &Roots),
        work: &mut Work<'_>,
    ) -> Result<(), String> {
        match record {
            Record::Compute(time) => self.calls.compute(rank, time, line, work),
            Record::Send { to, bytes, tag, way } => {
                self.calls.add(rank, work::send(to, tag, bytes), way, line, work);
            }
            Record::Receive { from, bytes, tag, way } => {
                let task = self.calls.add(rank, work::receive(from, tag, bytes), way, line, work);
                if way == Way::GoesOn {
                    self.open.entry((from, tag)).or_default().push_back(task);
                }
            }
            Record::Wait { from, tag } => match self.open.get_mut(&(from, tag)).and_then(VecDeque::pop_front)
            {
                Some(task) => self.calls.wait(task),
                None => return Err("it waits for a receive that has not begun, or is over".to_owned()),
            },
            Record::Collective { function, communicator, sent, received } => {
                if !communicators.contains_key(&communicator) {
                    return Err(format!(
                        "communicator {communicator} is not defined by a line d:1:{communicator}"
                    ));
                }
                let root = if function.has_root() {
                    let place = self.rooted.entry(communicator).or_default();
                    *place += 1;
                    // Without bytes it does not matter who the root is.
                    Root::Rank(roots.root(communicator, *place - 1).unwrap_or(0))
                } else {
                    Root::None
                };
                let most = sent.max(received);
                let lengths = match function {
                    Function::Barrier => Lengths::None,
                    Function::Reduce | Function::Allreduce => {
                        Lengths::Elements { bytes: most, element: 1, operands: OperandOrder::Commute }
                    }
                    Function::Scatter => Lengths::Bytes(received),
                    Function::Bcast => Lengths::Bytes(most),
                    _ => Lengths::Bytes(sent),
                };
                let number = u32::try_from(communicator + FIRST).unwrap_or(u32::MAX);
                let operation: Operation = work::collective(Collective::new(function, root, lengths), number);
                self.calls.add(rank, operation, Way::Waits, line, work);
            }
            Record::Nothing => {}
            Record::Cannot(what) => work.reading.cannot(line, "", what),
        }
        Ok(())
    }
}
