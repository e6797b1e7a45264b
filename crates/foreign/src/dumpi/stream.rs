//! A file of one rank: call by call, without a list of them.
//!
//! All numbers are big-endian. At the end of the file stand eight numbers of 64 bits: the magic number, and where the records are: sizes of datatypes, addresses of functions, names of
//! counters, head, calls, counts of calls, keys. The head begins with three bytes, the version. Behind the offset of the calls come two numbers of seconds, to which times of calls count up
//! (processor time, wall time), and then the calls.

use super::functions::{END, FUNCTIONS, Function, OF_PROGRAM};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The first eight bytes of a file.
pub(super) const MAGIC: &[u8] = b"\xff\xaa\xddDUMPI";
/// Before its numbers of calls.
const COUNTS: u64 = 0xf007_fee7;
/// The index at the end.
const INDEX: i64 = 64;
/// Sizes of the built-in datatypes, where the file has none: as C has them on computers of 64 bits.
const SIZES: [u64; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];
/// No list is longer: lists have a number for each request of a call, or for each rank.
const MOST_OF_A_LIST: u32 = 1 << 26;

/// A file, opened.
pub(super) struct Trace {
    input: BufReader<File>,
    /// Where the next byte stands.
    at: u64,
    /// The number of calls of each function.
    pub(super) counts: Vec<u32>,
    /// Bytes of each built-in datatype.
    pub(super) sizes: Vec<u64>,
    /// Seconds that processor times, and wall times, count from.
    bias: [u64; 2],
}

/// A call.
#[derive(Default)]
pub(super) struct Call {
    pub(super) function: u16,
    /// Where it stands in the file.
    pub(super) at: u64,
    /// Its number among those of the file, from 1.
    pub(super) number: u64,
    pub(super) thread: u16,
    /// The beginning and the end in nanoseconds, where they were recorded.
    pub(super) time: Option<(u64, u64)>,
    /// Arguments that are numbers, in their order.
    pub(super) numbers: Vec<i64>,
    /// Arguments that are lists of numbers.
    pub(super) lists: Vec<Vec<i64>>,
}

fn cut(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends within a record: it is cut off".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

impl Trace {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| cut(&error))?;
        let mut trace = Self {
            input: BufReader::with_capacity(1 << 16, file),
            at: 0,
            counts: Vec::new(),
            sizes: SIZES.to_vec(),
            bias: [0; 2],
        };
        let mut begin = [0; 8];
        trace.input.read_exact(&mut begin).map_err(|error| cut(&error))?;
        if begin != *MAGIC {
            return Err("the file does not begin as a trace of DUMPI".into());
        }
        let no_index = "the index at the end of the file is missing: it is cut off, as of a program that did not come to MPI_Finalize";
        trace.input.seek(SeekFrom::End(-INDEX)).map_err(|_| no_index.to_owned())?;
        let index: Vec<u64> = (0..8).map(|_| trace.long()).collect::<Result<_, _>>()?;
        if index[0].to_be_bytes() != *MAGIC {
            return Err(no_index.into());
        }
        let [_, sizes, _, _, head, calls, counts, _] = index[..] else { return Err(no_index.into()) };
        trace.seek(head)?;
        let version = (trace.byte()?, trace.byte()?, trace.byte()?);
        if !((0, 6, 9)..(9, 0, 0)).contains(&version) {
            let (major, minor, patch) = version;
            return Err(format!(
                "it is of version {major}.{minor}.{patch} of the format: read are 0.6.9 to 8.x (dumpi2dumpi of sst-dumpi writes older ones anew)"
            ));
        }
        trace.seek(counts)?;
        if trace.long()? != COUNTS {
            return Err("the numbers of calls are not where the index says: the file is damaged".into());
        }
        trace.counts = (0..=FUNCTIONS).map(|_| trace.unsigned()).collect::<Result<_, _>>()?;
        if sizes > 0 {
            trace.seek(sizes)?;
            let count = trace.unsigned()? as usize;
            for place in 0..count.min(SIZES.len()) {
                // Some built-in types have two names, of which one has no size.
                if let size @ 1.. = trace.unsigned()? {
                    trace.sizes[place] = size.into();
                }
            }
        }
        trace.seek(calls)?;
        trace.bias = [trace.unsigned()?.into(), trace.unsigned()?.into()];
        Ok(trace)
    }

    fn seek(&mut self, to: u64) -> Result<(), String> {
        self.at = to;
        self.input.seek(SeekFrom::Start(to)).map(|_| ()).map_err(|error| cut(&error))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes).map_err(|error| cut(&error))?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.take().map(u8::from_be_bytes)
    }

    fn short(&mut self) -> Result<u16, String> {
        self.take().map(u16::from_be_bytes)
    }

    fn unsigned(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_be_bytes)
    }

    fn word(&mut self) -> Result<i64, String> {
        self.take().map(i32::from_be_bytes).map(i64::from)
    }

    fn long(&mut self) -> Result<u64, String> {
        self.take().map(u64::from_be_bytes)
    }

    /// Reads the next call; `false` behind the last. Times of 16 bits of seconds begin anew after 18 hours.
    pub(super) fn next(&mut self, call: &mut Call, functions: &[Function]) -> Result<bool, String> {
        call.at = self.at;
        call.number += 1;
        call.function = self.short()?;
        call.numbers.clear();
        call.lists.clear();
        if call.function == END {
            return Ok(false);
        }
        let mask = self.byte()?;
        call.thread = if mask & 0x40 > 0 { self.short()? } else { 0 };
        let before = call.time.map_or(0, |(_, end)| end);
        call.time = None;
        for (clock, bit) in [(0, 0x04), (1, 0x08)] {
            if mask & bit > 0 {
                // Wall time comes last, and is what is taken where both are there.
                call.time = Some((self.time(clock, before)?, self.time(clock, before)?));
            }
        }
        if mask & 0x80 > 0 {
            let counters = self.byte()?;
            for _ in 0..2 * u32::from(counters) {
                self.long()?;
            }
        }
        let arguments = match functions.get(usize::from(call.function)) {
            Some((_, arguments)) => arguments,
            None if OF_PROGRAM.contains(&call.function) => "q",
            None => {
                return Err(format!("there is no function of number {}: the file is damaged", call.function));
            }
        };
        self.arguments(arguments, mask & 3 > 0, call)?;
        Ok(true)
    }

    fn time(&mut self, clock: usize, before: u64) -> Result<u64, String> {
        const WRAP: u64 = 65_536 * 1_000_000_000;
        let (seconds, ns) = (u64::from(self.short()?), u64::from(self.unsigned()?));
        let mut time = (self.bias[clock] + seconds) * 1_000_000_000 + ns;
        if clock == 1 {
            while time + WRAP / 2 < before {
                time += WRAP;
            }
        }
        Ok(time)
    }

    fn arguments(&mut self, letters: &str, has_states: bool, call: &mut Call) -> Result<(), String> {
        let (mut own, mut root, mut is_stored) = (0, 0, true);
        for letter in letters.bytes() {
            match letter {
                b'?' => is_stored = own == root,
                b'.' => is_stored = true,
                _ if !is_stored => {}
                b'm' => {
                    own = self.word()?;
                    call.numbers.push(own);
                }
                b'r' => {
                    root = self.word()?;
                    call.numbers.push(root);
                }
                b'i' | b'h' | b'b' | b'q' => {
                    let number = self.number(letter)?;
                    call.numbers.push(number);
                }
                b'I' | b'H' | b'B' => {
                    let list = self.list(letter.to_ascii_lowercase())?;
                    call.lists.push(list);
                }
                b'M' => {
                    for _ in 0..self.count()? {
                        let list = self.list(b'i')?;
                        call.lists.push(list);
                    }
                }
                b's' => self.text()?,
                b'S' => (0..self.count()?).try_for_each(|_| self.text())?,
                b'T' => {
                    (0..self.count()?).try_for_each(|_| (0..self.count()?).try_for_each(|_| self.text()))?
                }
                b't' if has_states => {
                    for _ in 0..self.count()? {
                        self.take::<14>()?;
                    }
                }
                b't' => {}
                _ => return Err("DUMPI stores no call of this function: the file is damaged".into()),
            }
        }
        Ok(())
    }

    fn number(&mut self, letter: u8) -> Result<i64, String> {
        match letter {
            b'i' => self.word(),
            b'h' => self.short().map(i64::from),
            b'b' => self.byte().map(i64::from),
            _ => self.long().map(u64::cast_signed),
        }
    }

    fn count(&mut self) -> Result<u32, String> {
        let count = self.unsigned()?;
        if count > MOST_OF_A_LIST {
            return Err(format!("a list of {count} entries: the file is damaged"));
        }
        Ok(count)
    }

    fn list(&mut self, letter: u8) -> Result<Vec<i64>, String> {
        (0..self.count()?).map(|_| self.number(letter)).collect()
    }

    fn text(&mut self) -> Result<(), String> {
        (0..self.count()?).try_for_each(|_| self.byte().map(|_| ()))
    }
}
