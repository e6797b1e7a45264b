//! Messages of a trace, which stand in it where they are sent, by when they are received: sorted in parts, in a temporary file.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// The number of messages that are sorted in memory.
const MOST_IN_MEMORY: usize = 1 << 20;
/// Bytes of a message in the file.
const LENGTH: usize = 44;

/// A message: instants in the unit of the file, ranks, and what is said of it. They are in the order of receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Message {
    /// The call that receives begins.
    pub(super) posted: u64,
    /// It is there.
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) bytes: u64,
    pub(super) tag: i32,
}

impl Message {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for number in [self.posted, self.received, self.sent, self.bytes] {
            out.write_all(&number.to_le_bytes())?;
        }
        for number in [self.from, self.to, self.tag.cast_unsigned()] {
            out.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    }

    fn read(input: &mut impl Read) -> io::Result<Self> {
        let (mut long, mut short) = ([0; 8], [0; 4]);
        let mut longs = [0_u64; 4];
        for number in &mut longs {
            input.read_exact(&mut long)?;
            *number = u64::from_le_bytes(long);
        }
        let mut shorts = [0_u32; 3];
        for number in &mut shorts {
            input.read_exact(&mut short)?;
            *number = u32::from_le_bytes(short);
        }
        let ([posted, received, sent, bytes], [from, to, tag]) = (longs, shorts);
        Ok(Self { posted, received, sent, from, to, bytes, tag: tag.cast_signed() })
    }
}

/// Sorts messages: parts that fit into memory, a file for each.
#[derive(Default)]
pub(super) struct Sorter {
    open: Vec<Message>,
    parts: Vec<(File, u64)>,
}

impl Sorter {
    pub(super) fn add(&mut self, message: Message) -> io::Result<()> {
        self.open.push(message);
        if self.open.len() == MOST_IN_MEMORY { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.open.sort_unstable();
        let mut out = BufWriter::with_capacity(1 << 16, tempfile::tempfile()?);
        self.open.iter().try_for_each(|message| message.write(&mut out))?;
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.parts.push((file, self.open.len() as u64));
        self.open.clear();
        Ok(())
    }
}

/// A part, from which the smallest comes first.
enum Part {
    Memory(std::vec::IntoIter<Message>),
    File(BufReader<File>, u64),
}

impl Part {
    fn next(&mut self) -> io::Result<Option<Message>> {
        match self {
            Self::Memory(messages) => Ok(messages.next()),
            Self::File(_, 0) => Ok(None),
            Self::File(input, left) => {
                *left -= 1;
                Message::read(input).map(Some)
            }
        }
    }
}

/// Messages that are sent and received as time goes on.
pub(super) struct Messages {
    parts: Vec<Part>,
    /// The next of each part.
    next: BinaryHeap<Reverse<(Message, usize)>>,
    /// Those of each rank that are known and have not been taken: sent, and to be received.
    sent: Vec<VecDeque<Message>>,
    posted: Vec<VecDeque<Message>>,
}

impl Messages {
    pub(super) fn new(mut sorter: Sorter, ranks: u32) -> io::Result<Self> {
        sorter.open.sort_unstable();
        let of_file = |(file, count)| Part::File(BufReader::with_capacity(LENGTH << 8, file), count);
        let mut parts: Vec<Part> = sorter.parts.into_iter().map(of_file).collect();
        parts.push(Part::Memory(sorter.open.into_iter()));
        let mut next = BinaryHeap::new();
        for (place, part) in parts.iter_mut().enumerate() {
            next.extend(part.next()?.map(|message| Reverse((message, place))));
        }
        let queues = || (0..ranks).map(|_| VecDeque::new()).collect();
        Ok(Self { parts, next, sent: queues(), posted: queues() })
    }

    /// The line of a message has come, and so the instant at which it is sent.
    pub(super) fn sent(&mut self, message: Message) {
        self.sent[message.from as usize].push_back(message);
    }

    /// All receives up to an instant are known from now on.
    pub(super) fn until(&mut self, at: u64) -> io::Result<()> {
        while let Some(Reverse((message, place))) = self.next.pop() {
            if message.posted > at {
                self.next.push(Reverse((message, place)));
                break;
            }
            self.posted[message.to as usize].push_back(message);
            self.next.extend(self.parts[place].next()?.map(|message| Reverse((message, place))));
        }
        Ok(())
    }

    /// The message that a rank sends in a call, if it has one; those before it are sent by no call.
    pub(super) fn take_sent(&mut self, rank: u32, begin: u64, end: u64) -> Option<Message> {
        take(&mut self.sent[rank as usize], |message| message.sent, begin, end)
    }

    /// The message that a rank receives by a call, if it has one.
    pub(super) fn take_posted(&mut self, rank: u32, begin: u64, end: u64) -> Option<Message> {
        take(&mut self.posted[rank as usize], |message| message.posted, begin, end)
    }
}

fn take(queue: &mut VecDeque<Message>, at: fn(&Message) -> u64, begin: u64, end: u64) -> Option<Message> {
    while queue.front().is_some_and(|message| at(message) < begin) {
        queue.pop_front();
    }
    if queue.front().is_some_and(|message| at(message) <= end) { queue.pop_front() } else { None }
}
