//! Traces of liballprof (and of the PMPI Tracer before it), a file for each rank: lines of a call, the time before it, its arguments and the time behind it, with colons between them.
//!
//! A datatype has its number, size and extent (`11,8,8`), a communicator its number, rank and size (`0,0,4`), times are microseconds. A request is the address at which it is kept, and
//! calls that wait for several have the address of the first, which shows by the addresses of open ones how long a request is: 4 or 8 bytes.

use crate::calls::{Calls, Way};
use crate::reading::Reading;
use crate::work::{self, Work};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use weir_formats::MOST_RANKS;
use weir_formats::graph::GraphFile;
use weir_operations::{Collective, Function, Lengths, OperandOrder, Operation, Root, WORLD};
use weir_units::Duration;

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let files = files(path, reading)?;
    let mut work = Work::new(files.len() as u64, 0, reading)?;
    for (rank, file) in (0..).zip(&files) {
        let opened = work::open(file, work.reading)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut state = OfRank {
            rank,
            name,
            ranks: files.len(),
            calls: Calls::default(),
            open: BTreeMap::new(),
            until: None,
            is_over: false,
        };
        let mut input = BufReader::new(opened);
        let (mut text, mut line) = (String::new(), 0);
        loop {
            text.clear();
            line += 1;
            match input.read_line(&mut text) {
                Ok(0) => break,
                Ok(_) => {
                    if let Err(what) = state.line(text.trim(), line, &mut work) {
                        work.reading.wrong(line, text.trim(), format!("{}: {what}", state.name));
                    }
                }
                Err(error) => {
                    work.reading.wrong(line, "", format!("{} cannot be read: {error}", state.name));
                    break;
                }
            }
        }
        if !state.is_over {
            let what = format!("{} has no MPI_Finalize: it is cut off", state.name);
            work.reading.wrong_whole(what, None);
        }
    }
    work.finish()
}

/// The files of all ranks by the name of one: the last number in it is the rank.
fn files(path: &Path, reading: &mut Reading) -> Option<Vec<PathBuf>> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let end = name.rfind(is_digit).map_or(0, |last| last + 1);
    let begin = name[..end].trim_end_matches(is_digit).len();
    let (before, after) = (&name[..begin], &name[end..]);
    if begin == end {
        reading.wrong_whole("the name of a trace has the number of its rank, as in trace-rank-0.txt", None);
        return None;
    }
    let of = |rank: u32| path.with_file_name(format!("{before}{rank}{after}"));
    let files: Vec<PathBuf> = (0..MOST_RANKS).map(of).take_while(|file| file.is_file()).collect();
    if files.iter().all(|file| file.file_name() != path.file_name()) {
        reading.wrong_whole(format!("{before}{}{after} is missing", files.len()), None);
        return None;
    }
    Some(files)
}

struct OfRank {
    rank: u32,
    name: String,
    ranks: usize,
    calls: Calls,
    /// Requests that go on, by their addresses.
    open: BTreeMap<u64, u64>,
    /// The end of the call before.
    until: Option<f64>,
    is_over: bool,
}

/// The arguments of a call.
struct Arguments<'a>(Vec<&'a str>);

impl Arguments<'_> {
    fn number(&self, place: usize) -> Result<i64, String> {
        let number = self.0.get(place).and_then(|word| word.parse().ok());
        number.ok_or_else(|| format!("argument {} is no number", place + 1))
    }

    fn rank(&self, place: usize) -> Result<u32, String> {
        u32::try_from(self.number(place)?).map_err(|_| format!("argument {} is no rank", place + 1))
    }

    fn tag(&self, place: usize) -> Result<i32, String> {
        i32::try_from(self.number(place)?).map_err(|_| format!("argument {} is no tag", place + 1))
    }

    fn address(&self, place: usize) -> Result<u64, String> {
        u64::try_from(self.number(place)?).map_err(|_| format!("argument {} is no address", place + 1))
    }

    /// The size of a datatype at this place.
    fn size(&self, place: usize) -> Result<u64, String> {
        let size = self.0.get(place).and_then(|word| word.split(',').nth(1)?.parse().ok());
        size.ok_or_else(|| format!("argument {} is no datatype as in 11,8,8", place + 1))
    }

    /// The bytes of as many elements as the argument before the datatype at this place says.
    fn bytes(&self, place: usize) -> Result<u64, String> {
        let count = u64::try_from(self.number(place - 1)?).unwrap_or(0);
        count.checked_mul(self.size(place)?).ok_or_else(|| "the message is too long".into())
    }

    fn combined(&self, place: usize) -> Result<Lengths, String> {
        let element = self.size(place)?.max(1) as u32;
        Ok(Lengths::Elements { bytes: self.bytes(place)?, element, operands: OperandOrder::Commute })
    }
}

impl OfRank {
    fn line(&mut self, text: &str, line: usize, work: &mut Work<'_>) -> Result<(), String> {
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let words: Vec<&str> = text.split(':').collect();
        let [call, begin, ref arguments @ .., end] = words[..] else {
            return Err("expected a call, a time, arguments and a time, with colons between them".into());
        };
        let time = |word: &str| {
            if word == "-" {
                Ok(None)
            } else {
                word.parse::<f64>().map(Some).map_err(|_| format!("{word} is no time in microseconds"))
            }
        };
        let (begin, end) = (time(begin)?, time(end)?);
        if let (Some(until), Some(begin)) = (self.until, begin) {
            if begin < until {
                return Err("the call begins before the one before it is over: clocks run backwards".into());
            }
            // Differences of times are exact to a picosecond where these have no more than three digits behind the point.
            let time = Duration::from_secs_f64((begin - until) / 1e6)
                .ok_or("the time before the call is too long")?;
            self.calls.compute(self.rank, time, line, work);
        }
        self.until = end.or(self.until);
        self.call(call, &Arguments(arguments.to_vec()), line, work)
    }

    fn call(
        &mut self,
        call: &str,
        of: &Arguments<'_>,
        line: usize,
        work: &mut Work<'_>,
    ) -> Result<(), String> {
        let way = if call.starts_with("MPI_I") && call != "MPI_Init" { Way::GoesOn } else { Way::Waits };
        let request = of.0.len().checked_sub(1);
        let rooted = |function, place, lengths| {
            Ok::<_, String>(Collective::new(function, Root::Rank(of.rank(place)?), lengths))
        };
        let plain = |function, lengths| Collective::new(function, Root::None, lengths);
        let collective = match call {
            "MPI_Send" | "MPI_Isend" => {
                self.world(of, 5)?;
                return self.message(
                    work::send(of.rank(3)?, of.tag(4)?, of.bytes(2)?),
                    way,
                    request,
                    of,
                    line,
                    work,
                );
            }
            "MPI_Recv" | "MPI_Irecv" => {
                self.world(of, 5)?;
                let (source, tag) =
                    (u32::try_from(of.number(3)?).ok(), Some(of.tag(4)?).filter(|&tag| tag >= 0));
                return self.message(work::receive(source, tag, of.bytes(2)?), way, request, of, line, work);
            }
            "MPI_Wait" => return self.wait(of.address(0)?, 1),
            "MPI_Waitall" => return self.wait(of.address(1)?, u64::try_from(of.number(0)?).unwrap_or(0)),
            "MPI_Barrier" => (0, plain(Function::Barrier, Lengths::None)),
            "MPI_Bcast" => (4, rooted(Function::Bcast, 3, Lengths::Bytes(of.bytes(2)?))?),
            "MPI_Reduce" => (6, rooted(Function::Reduce, 5, of.combined(3)?)?),
            "MPI_Allreduce" => (5, plain(Function::Allreduce, of.combined(3)?)),
            "MPI_Allgather" => (6, plain(Function::Allgather, Lengths::Bytes(of.bytes(2)?))),
            "MPI_Alltoall" => (6, plain(Function::Alltoall, Lengths::Bytes(of.bytes(2)?))),
            "MPI_Finalize" => {
                self.is_over = true;
                return Ok(());
            }
            "MPI_Init" | "MPI_Init_thread" | "MPI_Initialized" | "MPI_Comm_rank" | "MPI_Comm_size"
            | "MPI_Wtime" | "MPI_Get_count" => return Ok(()),
            _ if call.starts_with("MPI_Type_") || call.starts_with("MPI_Get_") => return Ok(()),
            _ if call.starts_with("MPI_") => {
                let what = "this call is not read: known are Send, Recv, Isend, Irecv, Wait, Waitall, Barrier, Bcast, Reduce, Allreduce, Allgather and Alltoall";
                work.reading.cannot(line, call, what);
                return Ok(());
            }
            _ => return Err("expected a call of MPI".into()),
        };
        let (place, collective) = collective;
        self.world(of, place)?;
        let collective = Box::new(collective);
        let operation =
            Operation::Collective { collective, communicator: WORLD, persistent: None, request: None };
        self.calls.add(self.rank, operation, Way::Waits, line, work);
        Ok(())
    }

    /// The communicator at this place has all ranks.
    fn world(&self, of: &Arguments<'_>, place: usize) -> Result<(), String> {
        let words: Vec<Option<usize>> =
            of.0.get(place).unwrap_or(&"").split(',').map(|word| word.parse().ok()).collect();
        match words[..] {
            [_, Some(_), Some(size)] if size == self.ranks => Ok(()),
            [_, Some(_), Some(size)] if size > self.ranks => {
                Err(format!("the communicator has {size} ranks, and there are files of {}", self.ranks))
            }
            [_, Some(_), Some(_)] => {
                Err("a communicator of some ranks only: the trace does not say which, so it cannot be read"
                    .into())
            }
            _ => Err(format!("argument {} is no communicator as in 0,0,4", place + 1)),
        }
    }

    fn message(
        &mut self,
        operation: Operation,
        way: Way,
        request: Option<usize>,
        of: &Arguments<'_>,
        line: usize,
        work: &mut Work<'_>,
    ) -> Result<(), String> {
        let number = self.calls.add(self.rank, operation, way, line, work);
        if way == Way::GoesOn {
            self.open.insert(of.address(request.unwrap_or(0))?, number);
        }
        Ok(())
    }

    /// Waits for so many requests from this address on.
    fn wait(&mut self, first: u64, count: u64) -> Result<(), String> {
        let is_short = self
            .open
            .range(first..first.saturating_add(4 * count))
            .any(|(address, _)| (address - first) % 8 == 4);
        let bytes = if is_short { 4 } else { 8 };
        for address in (0..count).map(|number| first.saturating_add(bytes * number)) {
            // A request that is over is kept as none, and is waited for in vain.
            if let Some(task) = self.open.remove(&address) {
                self.calls.wait(task);
            }
        }
        Ok(())
    }
}
