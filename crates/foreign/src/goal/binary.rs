//! GOAL as `txt2bin` of LogGOPSim compiles it. Little-endian: the number 4223 in 8 bytes; from byte 8 on the number of ranks (4), the largest cpu and nic (1 each), and for each
//! rank where its section begins and ends, counted from byte 8 (8 each).
//!
//! A section: numbers of operations and of those that require nothing (4 each), the latter (4 each), the operations (39 each): how many others it requires (4), type (1: send,
//! 2: receive, 3: computation), peer (4), size (8), tag (4), cpu (1), nic (1), then how many require its end and where they are in the list behind the operations (4 each), and the
//! same for its beginning. The list has numbers of operations (4 each).
//!
//! LogGOPSim2 has the same number, head and sections, and longer operations, which begin as these: 56 bytes each, or 104 in older files. The rest of them is for types from 4 on (put, append,
//! test, tput). Which length it is, the sections show.

use super::section::{Edge, Entry, Section};
use crate::reading::Reading;
use crate::work::{self, Work};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use weir_formats::graph::GraphFile;
use weir_operations::Operation;
use weir_units::Duration;

const MAGIC: [u8; 8] = [0x7f, 0x10, 0, 0, 0, 0, 0, 0];
const HEAD: u64 = 14;
/// Lengths of an operation: of LogGOPSim, then of LogGOPSim2.
const LENGTHS: [usize; 3] = [OF_LOGGOPSIM, 56, 104];
const OF_LOGGOPSIM: usize = 39;
/// The peer of a message of no bytes that stands for nothing: schedules of old versions of Schedgen gather requirements by it.
const NOBODY: u32 = 9_999_999;

/// Returns whether a file begins as one.
fn is_binary(begin: &[u8]) -> bool {
    begin.starts_with(&MAGIC)
}

/// Numbers of a section, one after the other.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn short(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let file = work::open(path, reading)?;
    let length = file.metadata().map_or(0, |data| data.len());
    let mut head = [0; HEAD as usize];
    let ranks = match file.read_exact_at(&mut head, 0) {
        Ok(()) if is_binary(&head) => u64::from(u32::from_le_bytes([head[8], head[9], head[10], head[11]])),
        _ => {
            reading.wrong_whole("this is no compiled schedule of LogGOPSim, or it is cut off", None);
            return None;
        }
    };
    // Each rank has two offsets, and a section of two numbers at least.
    if HEAD + ranks * 24 > length {
        reading.wrong_whole(CUT, Some(HINT));
        return None;
    }
    let mut work = Work::new(ranks, 0, reading)?;
    let mut lengths = LENGTHS.to_vec();
    let (mut next, mut marks) = (6 + ranks * 16, 0);
    for rank in 0..ranks {
        let mut offsets = [0; 16];
        let read = file.read_exact_at(&mut offsets, HEAD + rank * 16);
        let mut numbers = Numbers(&offsets);
        let (begin, end) = (numbers.long()?, numbers.long()?);
        if read.is_err() || begin != next || end < begin + 8 || end + 8 > length {
            let what = format!("the section of rank {rank} is not where it should be: {CUT}");
            work.reading.wrong_whole(what, Some(HINT));
            return None;
        }
        next = end;
        marks += section(&file, rank as u32, (begin + 8, end - begin), &mut lengths, &mut work)?;
    }
    if next + 8 != length {
        work.reading.wrong_whole("something follows the section of the last rank", None);
    }
    if marks > 0 {
        work.reading.note(format!("{marks} messages of no bytes to rank {NOBODY} gather requirements: they are computations of no time"));
    }
    work.finish()
}

const CUT: &str = "the schedule is cut off or damaged";
const HINT: &str = "txt2bin of LogGOPSim compiles the text anew; weir reads the text, too";

/// The operations of a rank, and what is special about them.
struct Parsed {
    section: Section,
    nics: Vec<u8>,
    /// Operations of network interfaces.
    remote: u64,
    marks: u64,
}

/// Reads the section of a rank, with a length of operations that fits, as all before it; the others are out then. Returns the number of marks.
fn section(
    file: &File,
    rank: u32,
    (at, bytes): (u64, u64),
    lengths: &mut Vec<usize>,
    work: &mut Work<'_>,
) -> Option<u64> {
    let mut data = vec![0; bytes as usize];
    if let Err(error) = file.read_exact_at(&mut data, at) {
        work.reading.wrong_whole(format!("the section of rank {rank} cannot be read: {error}"), None);
        return None;
    }
    let (mut made, mut wrong) = (None, None);
    let likely = lengths[0];
    lengths.retain(|&length| match parse(&data, length) {
        Ok(parsed) => {
            made.get_or_insert(parsed);
            true
        }
        Err(what) if length == likely => {
            wrong = Some(what);
            false
        }
        Err(_) => false,
    });
    let Some(Parsed { section, nics, remote, marks }) = made else {
        let what = format!("the section of rank {rank}: {}", wrong.as_deref().unwrap_or(CUT));
        work.reading.wrong_whole(what, Some(HINT));
        return None;
    };
    for nic in nics {
        work.reading.cannot(
            0,
            &nic.to_string(),
            "tasks do not choose an interface, the machine does (mapping, [node] interfaces)",
        );
    }
    for _ in 0..remote {
        work.reading.cannot(0, &format!("rank {rank}"), super::OF_INTERFACES);
    }
    section.finish(rank, &|number| format!("operation {number}"), work);
    Some(marks)
}

fn parse(data: &[u8], length: usize) -> Result<Parsed, String> {
    const SHORT: &str = "it is shorter than its numbers say: the schedule is cut off";
    let mut numbers = Numbers(data);
    let (count, roots) = (numbers.short().ok_or(SHORT)?, numbers.short().ok_or(SHORT)?);
    let begin = 8 + 4 * roots as usize;
    let end = begin + length * count as usize;
    let (operations, list) =
        data.get(begin..).and_then(|rest| rest.split_at_checked(end - begin)).ok_or(SHORT)?;
    let mut parsed = Parsed { section: Section::default(), nics: Vec::new(), remote: 0, marks: 0 };
    let mut needed = 0_u64;
    for (number, bytes) in (0..count).zip(operations.chunks_exact(length)) {
        let mut numbers = Numbers(bytes);
        let mut fields = || {
            let first =
                (numbers.short()?, numbers.byte()?, numbers.short()?, numbers.long()?, numbers.short()?);
            Some((
                first,
                (numbers.byte()?, numbers.byte()?),
                [(numbers.short()?, numbers.short()?), (numbers.short()?, numbers.short()?)],
            ))
        };
        let ((missing, kind, peer, size, tag), (cpu, nic), others) = fields().ok_or(SHORT)?;
        needed += u64::from(missing);
        let tag =
            if tag == u32::MAX {
                None
            } else {
                Some(i32::try_from(tag).map_err(|_| {
                    format!("operation {number} has the tag {tag}: one is at most 2147483647")
                })?)
            };
        let operation = match (kind, tag) {
            (1, _) if peer == NOBODY && size == 0 => {
                parsed.marks += 1;
                Operation::Compute { time: Duration::ZERO }
            }
            (1, Some(tag)) => work::send(peer, tag, size),
            (2, _) => work::receive((peer != u32::MAX).then_some(peer), tag, size),
            (3, _) => work::compute_ns(size)
                .ok_or_else(|| format!("operation {number} computes for longer than 213 days"))?,
            (4..=8, _) if length != OF_LOGGOPSIM => {
                parsed.remote += 1;
                Operation::Compute { time: Duration::ZERO }
            }
            _ => {
                return Err(format!(
                    "operation {number} has the type {kind}; known are 1 send, 2 receive and 3 computation: the schedule is damaged"
                ));
            }
        };
        if nic > 0 {
            parsed.nics.push(nic);
        }
        parsed.section.operations.push(Entry { operation, stream: cpu.into(), line: 0 });
        for ((many, first), begun) in others.into_iter().zip([false, true]) {
            let begin = first as usize * 4;
            let those = list.get(begin..begin + many as usize * 4).ok_or(SHORT)?;
            for four in those.chunks_exact(4) {
                let of = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
                if of >= count {
                    return Err(format!("operation {of} requires operation {number}, and there are {count}"));
                }
                parsed.section.edges.push(Edge { of, needs: number, begun });
            }
        }
    }
    if needed != parsed.section.edges.len() as u64 || list.len() as u64 != 4 * needed {
        return Err(format!("operations require {needed} others, {} are there", parsed.section.edges.len()));
    }
    Ok(parsed)
}
