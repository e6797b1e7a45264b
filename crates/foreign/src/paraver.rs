//! Traces of Paraver (.prv) as Extrae writes them, with the names of calls in a .pcf beside them.
//!
//! Grammar: "Paraver: trace generation" of the Barcelona Supercomputing Center; sizes of collectives as the wrappers of Extrae write them. Records are in the order of time, a line each: states
//! (1), events (2) and communications (3), which stand where they are sent.
//!
//! # Model
//! A file is read twice. A receive may stand before the line of its message, so the first time goes through all messages and has them sorted by receives, in a temporary file; and says who
//! is the root of each collective. The second time makes the tasks. A rank computes for as long as it is in the state Running, from the end of `MPI_Init` on.

mod calls;
mod messages;
mod names;

use crate::reading::Reading;
use crate::roots::Roots;
use crate::work::Work;
use calls::OfRank;
use messages::{Message, Messages, Sorter};
use names::{Action, Names};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use weir_formats::graph::GraphFile;
use weir_units::{Duration, Rank};

/// No line is longer: the head has a part for each task.
const MOST_OF_A_LINE: u64 = 256 << 20;
/// Types of events: calls from one to the other, then what Extrae says of collectives.
const CALLS: std::ops::RangeInclusive<u64> = 50_000_001..=50_000_005;
const SENT: u64 = 50_100_001;
const RECEIVED: u64 = 50_100_002;
const ROOT: u64 = 50_100_003;
const COMMUNICATOR: u64 = 50_100_004;
/// The state of a rank that does its own work.
const RUNNING: u64 = 1;
/// The first number of a communicator: the world and each rank alone have those before it.
const FIRST: u32 = 2;

/// The first line, and the lines of communicators.
struct Head {
    ranks: u32,
    /// Picoseconds of a unit of time.
    unit: u64,
    /// Members by numbers of the file, from 1, as ranks.
    communicators: BTreeMap<u64, Vec<u32>>,
}

/// A record of something that happens to a rank, or of a message.
enum Record {
    State { rank: u32, time: u64, state: u64 },
    Events { rank: u32, at: u64, events: Vec<(u64, u64)> },
    Message(Message),
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let names = Names::of(path, reading)?;
    let first = first_pass(path, &names, reading);
    let (head, sorter, roots) = first.map_err(|(line, what)| reading.wrong(line, "", what)).ok()?;
    let mut work = Work::new(u64::from(head.ranks), 1, reading)?;
    for (&number, members) in &head.communicators {
        let members = members.iter().map(|&member| Rank(member)).collect();
        work.builder.define(communicator(number)?, (members, Vec::new()));
    }
    let second = second_pass(path, &names, &head, sorter, &roots, &mut work);
    if let Err((line, what)) = second {
        work.reading.wrong(line, "", what);
    }
    work.finish()
}

/// The number of a communicator here.
fn communicator(number: u64) -> Option<u32> {
    u32::try_from(number).ok()?.checked_add(FIRST)
}

type Wrong = (usize, String);

/// Goes from record to record; the head where it is over.
fn each(
    path: &Path,
    mut record: impl FnMut(usize, Record, &Head) -> Result<(), String>,
) -> Result<Head, Wrong> {
    let cannot = |error: std::io::Error| (0, format!("{} cannot be read: {error}", path.display()));
    let mut input = BufReader::with_capacity(1 << 16, std::fs::File::open(path).map_err(cannot)?);
    let (mut text, mut line) = (String::new(), 0);
    let mut head: Option<Head> = None;
    loop {
        text.clear();
        line += 1;
        if std::io::Read::take(&mut input, MOST_OF_A_LINE).read_line(&mut text).map_err(cannot)? == 0 {
            return head.ok_or_else(|| (1, "it has no head".to_owned()));
        }
        let row = text.trim_end();
        let wrong = |what: String| (line, what);
        match &mut head {
            None => head = Some(Head::of(row).map_err(wrong)?),
            Some(head) if row.starts_with("c:") => head.communicator(row).map_err(wrong)?,
            Some(_) if row.is_empty() || row.starts_with('#') => {}
            Some(head) => {
                let made = head.record(row).ok_or_else(|| wrong("expected a record: 1, 2 or 3 and numbers with : between them, of a task that is there".to_owned()))?;
                record(line, made, head).map_err(wrong)?;
            }
        }
    }
}

impl Head {
    /// `#Paraver (DATE):TIME_ns:NODES:1:TASKS(THREADS:NODE,..),COMMUNICATORS`
    fn of(row: &str) -> Result<Self, String> {
        let wrong =
            || "expected a head, as in #Paraver (01/01/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1)".to_owned();
        let (_, rest) = row.split_once("):").ok_or_else(wrong)?;
        let (time, rest) = rest.split_once(':').ok_or_else(wrong)?;
        // Without a unit times are microseconds.
        let unit = match time.trim_start_matches(|letter: char| letter.is_ascii_digit()) {
            "_ns" => 1000,
            "" | "_us" => 1_000_000,
            other => return Err(format!("{other:?} is no unit of time that is known: _ns and _us are")),
        };
        let (_, rest) = rest.split_once(':').ok_or_else(wrong)?;
        let (applications, rest) = rest.split_once(':').ok_or_else(wrong)?;
        if applications != "1" {
            return Err(format!("there are {applications} applications: only traces of one are read"));
        }
        let ranks = rest.split('(').next().and_then(|ranks| ranks.parse().ok());
        let ranks = ranks.filter(|ranks| (1..=weir_formats::MOST_RANKS).contains(ranks)).ok_or_else(wrong)?;
        Ok(Self { ranks, unit, communicators: BTreeMap::new() })
    }

    /// `c:1:NUMBER:COUNT:TASK:TASK:..`
    fn communicator(&mut self, row: &str) -> Result<(), String> {
        let mut numbers = row.split(':').skip(2).map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let (number, count) = (next(), next());
        let members: Option<Vec<u32>> = std::iter::from_fn(next).map(|task| self.task(task)).collect();
        match (number, members) {
            (Some(number), Some(members))
                if count == Some(members.len() as u64) && communicator(number).is_some() =>
            {
                self.communicators.insert(number, members);
                Ok(())
            }
            _ => {
                Err("expected a communicator: c:1, its number, the number of its tasks, and these".to_owned())
            }
        }
    }

    /// The rank of a task, which is counted from 1.
    fn task(&self, task: u64) -> Option<u32> {
        u32::try_from(task.checked_sub(1)?).ok().filter(|&rank| rank < self.ranks)
    }

    fn record(&self, row: &str) -> Option<Record> {
        let (kind, rest) = row.split_once(':')?;
        let mut numbers = rest.split(':').map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let mut place = || {
            let (_cpu, _application, task, thread) = (next()?, next()?, next()?, next()?);
            Some((self.task(task)?, thread))
        };
        match kind {
            "1" => {
                let (rank, thread) = place()?;
                let (begin, end, state) = (next()?, next()?, next()?);
                // Only the first thread of a task calls MPI.
                let state = if thread == 1 { state } else { u64::MAX };
                Some(Record::State { rank, time: end.checked_sub(begin)?, state })
            }
            "2" => {
                let (rank, thread) = place()?;
                let at = next()?;
                let mut events = Vec::new();
                while let Some(kind) = next() {
                    events.push((kind, next()?));
                }
                let is_first = thread == 1;
                events.retain(|(kind, _)| is_first || CALLS.contains(kind));
                if !is_first && !events.is_empty() {
                    return None;
                }
                Some(Record::Events { rank, at, events })
            }
            "3" => {
                let (from, _) = place()?;
                let (sent, _) = (next()?, next()?);
                let mut place = || {
                    let (_cpu, _application, task, _thread) = (next()?, next()?, next()?, next()?);
                    self.task(task)
                };
                let to = place()?;
                let (posted, received) = (next()?, next()?);
                let (bytes, tag) = (next()?, next()?);
                Some(Record::Message(Message {
                    posted,
                    received,
                    sent,
                    from,
                    to,
                    bytes,
                    tag: i32::try_from(tag).ok()?,
                }))
            }
            _ => None,
        }
    }
}

/// The head, the messages by when they are received, and the roots of collectives.
fn first_pass(path: &Path, names: &Names, reading: &mut Reading) -> Result<(Head, Sorter, Roots), Wrong> {
    let no_room = |error: std::io::Error| format!("its messages find no room in a temporary file: {error}");
    let (mut sorter, mut roots) = (Sorter::default(), Roots::default());
    let (mut runs, mut last) = (false, 0);
    let head = each(path, |line, record, head| {
        match record {
            Record::State { state, .. } => runs |= state == RUNNING,
            Record::Message(message) => sorter.add(message).map_err(no_room)?,
            Record::Events { rank, at, events } => {
                if at < last {
                    return Err(format!(
                        "the record is of {at}, and the one before it of {last}: clocks run backwards"
                    ));
                }
                last = at;
                for (kind, value) in &events {
                    if CALLS.contains(kind)
                        && *value > 0
                        && matches!(names.action(*kind, *value), Action::Unknown)
                    {
                        let what = names.unknown(*kind, *value);
                        reading.cannot(line, "", &what);
                    }
                }
                calls::add_root(&mut roots, rank, &events, names, head);
            }
        }
        Ok(())
    })?;
    if !runs {
        return Err((0, "it has no states: without them it is not known how long ranks compute".to_owned()));
    }
    Ok((head, sorter, roots))
}

fn second_pass(
    path: &Path,
    names: &Names,
    head: &Head,
    sorter: Sorter,
    roots: &Roots,
    work: &mut Work<'_>,
) -> Result<(), Wrong> {
    let no_room = |error: std::io::Error| format!("the temporary file of its messages: {error}");
    let mut messages = Messages::new(sorter, head.ranks).map_err(|error| (0, no_room(error)))?;
    let mut ranks: Vec<OfRank> = (0..head.ranks).map(OfRank::new).collect();
    let mut unmatched = 0;
    each(path, |line, record, _| {
        match record {
            Record::State { rank, time, state: RUNNING } => ranks[rank as usize].run(time),
            Record::State { .. } => {}
            Record::Message(message) => messages.sent(message),
            Record::Events { rank, at, events } => {
                let of = &mut ranks[rank as usize];
                let call = events.iter().find(|(kind, _)| CALLS.contains(kind));
                match call {
                    Some(&(_, 0)) => {
                        let Some(call) = of.end(at)? else { return Ok(()) };
                        messages.until(at).map_err(no_room)?;
                        let time = |ticks: u64| ticks.checked_mul(head.unit).map(Duration::from_ps);
                        let mut carried =
                            Carried { head, roots, messages: &mut messages, line, unmatched: &mut unmatched };
                        of.carry_out(&call, time, &mut carried, work)?;
                    }
                    Some(&(kind, value)) => of.begin(at, names.action(kind, value), &events)?,
                    None => {}
                }
            }
        }
        Ok(())
    })?;
    let open = ranks.iter().filter(|rank| rank.is_in_a_call()).count();
    if open > 0 {
        return Err((0, format!("{open} ranks are in a call at the end: the trace is cut off")));
    }
    if unmatched > 0 {
        work.reading.note(format!("{unmatched} sends and receives have no message in the trace: they are taken to be with nobody (MPI_PROC_NULL)"));
    }
    Ok(())
}

/// All that a call of a rank needs from outside.
struct Carried<'a> {
    head: &'a Head,
    roots: &'a Roots,
    messages: &'a mut Messages,
    line: usize,
    /// Sends and receives without a message.
    unmatched: &'a mut u64,
}
