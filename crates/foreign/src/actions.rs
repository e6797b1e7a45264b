//! Time-independent traces of SimGrid: lines of a rank, an action and its numbers; of all ranks in one file, or of each in its own, which a list names.
//!
//! Grammar and meaning: the parsers and actions of SMPI's replay (SimGrid 3.2x to 3.36). Sizes are elements of a datatype: of `MPI_BYTE` unless the line says it, or of `MPI_DOUBLE` where
//! `init` has an argument. All communication is of all ranks. Reductions name the computation behind them.

mod files;
mod lengths;
mod write;

use crate::calls::{Calls, Way};
use crate::reading::Reading;
use crate::work::{self, Work};
pub(crate) use files::is_list;
use files::{Place, Traces};
use lengths::Row;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use weir_formats::graph::GraphFile;
use weir_operations::Operation;
use weir_units::Duration;
pub(crate) use write::write;

/// Messages that go on, by source, destination and tag.
type Requests = BTreeMap<(u32, u32, i32), VecDeque<u64>>;

#[derive(Default)]
struct Rank {
    calls: Calls,
    requests: Requests,
    /// Without a word, sizes are numbers of doubles.
    in_doubles: bool,
    is_there: bool,
    is_over: bool,
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let traces = Traces::of(path, reading)?;
    let speed = reading.given.speed;
    let mut work = Work::new(u64::from(traces.ranks), 0, reading)?;
    let mut ranks: Vec<Rank> = (0..traces.ranks).map(|_| Rank::default()).collect();
    let mut reader = Reader { speed, unspoken: 0, looked: 0, work: &mut work, size: traces.ranks };
    let is_read = traces.each(|place, text| reader.line(place, text, &mut ranks));
    let (unspoken, looked) = (reader.unspoken, reader.looked);
    if let Err((place, why)) = is_read {
        work.reading.wrong(place, "", why);
    }
    named(&traces, &ranks, work.reading);
    if unspoken > 0 {
        work.reading.wrong_whole(
            format!(
                "{unspoken} computations are numbers of operations: say how many a host does in a second"
            ),
            Some("workload.speed = \"1 Gf\" in an experiment, --speed 1Gf with weir convert: the speed of SimGrid's hosts"),
        );
    }
    if looked > 0 {
        work.reading.note(format!("{looked} tests of requests take no time here, and are not tasks"));
    }
    work.finish()
}

/// Names ranks that do nothing, and those that do not end.
fn named(traces: &Traces, ranks: &[Rank], reading: &mut Reading) {
    let mut absent = (0_usize..).zip(ranks).filter(|(_, rank)| !rank.is_there).map(|(number, _)| number);
    if let Some(first) = absent.next() {
        let what = format!("rank {first} has no action, nor have {} others", absent.count());
        let hint = match traces.is_listed {
            true => "the files of a list are those of ranks 0, 1, 2, .. in this order",
            false => {
                "the file may be that of one rank: name a list, which has the name of the file of each rank on a line"
            }
        };
        reading.wrong_whole(what, Some(hint));
    }
    let mut open = (0_usize..).zip(ranks).filter(|(_, rank)| rank.is_there && !rank.is_over);
    if let Some((first, _)) = open.next() {
        let others = open.count();
        reading.note(format!(
            "rank {first} does not come to finalize, nor do {others} others: the trace may be cut off"
        ));
    }
}

struct Reader<'a, 'b> {
    speed: Option<f64>,
    /// Computations of which it is not known how long they take.
    unspoken: u64,
    looked: u64,
    work: &'a mut Work<'b>,
    size: u32,
}

impl Reader<'_, '_> {
    fn line(&mut self, place: &Place<'_>, text: &str, ranks: &mut [Rank]) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut wrong =
            |what: String| self.work.reading.wrong(place.of_whole(), text.trim(), place.named(what));
        let [first, action, ref rest @ ..] = words[..] else {
            if !words.is_empty() && !text.trim_start().starts_with('#') {
                wrong("expected a rank and an action".into());
            }
            return;
        };
        if first.starts_with('#') {
            return;
        }
        let Some(rank) = first.parse::<u32>().ok().filter(|&rank| rank < self.size) else {
            return wrong(format!("expected a rank below {}, an action and its numbers", self.size));
        };
        let state = &mut ranks[rank as usize];
        state.is_there = true;
        if let Err(what) = self.action(rank, action, rest, place, state) {
            self.work.reading.wrong(place.of_whole(), text.trim(), place.named(what));
        }
    }

    fn action(
        &mut self,
        rank: u32,
        action: &str,
        rest: &[&str],
        place: &Place<'_>,
        state: &mut Rank,
    ) -> Result<(), String> {
        let line = place.of_whole();
        if std::mem::replace(&mut state.is_over, action.starts_with("finalize")) {
            return Err(format!("rank {rank} has finalized before"));
        }
        let row = Row { rest, ranks: self.size as usize, in_doubles: state.in_doubles };
        let action = action.to_lowercase();
        match &*action {
            "init" => state.in_doubles = !rest.is_empty(),
            _ if action.starts_with("finalize") => {}
            "comm_size" | "comm_split" | "comm_dup" => {}
            "compute" => self.compute(rank, row.number(0)?, line, state),
            "sleep" => {
                let time = Duration::from_secs_f64(row.number(0)?).ok_or("the time is too long")?;
                state.calls.add(rank, Operation::Compute { time }, Way::Waits, line, self.work);
            }
            "send" | "isend" | "recv" | "irecv" => self.message(rank, &action, &row, line, state)?,
            "wait" | "test" => {
                let key = (row.whole(0)?, row.whole(1)?, row.tag(2)?);
                if action == "test" {
                    self.looked += 1;
                } else if let Some(request) = state.requests.get_mut(&key).and_then(VecDeque::pop_front) {
                    state.calls.wait(request);
                } else {
                    let (from, to, tag) = key;
                    return Err(format!(
                        "no request of rank {rank} from {from} to {to} with tag {tag} is open"
                    ));
                }
            }
            "waitall" => {
                let requests = std::mem::take(&mut state.requests);
                requests.into_values().flatten().for_each(|request| state.calls.wait(request));
            }
            _ => {
                let Some((collective, flops)) = row.collective(&action, rank)? else {
                    let what = "this action has no task: known are init, finalize, compute, sleep, send, isend, recv, irecv, wait, waitall, test, and collectives";
                    self.work.reading.cannot(line, &place.named(action), what);
                    return Ok(());
                };
                let operation = work::collective(collective, weir_operations::WORLD);
                state.calls.add(rank, operation, Way::Waits, line, self.work);
                if flops > 0.0 {
                    self.compute(rank, flops, line, state);
                }
            }
        }
        Ok(())
    }

    fn compute(&mut self, rank: u32, flops: f64, line: usize, state: &mut Rank) {
        let time = match self.speed {
            _ if flops == 0.0 => Some(Duration::ZERO),
            Some(speed) => Duration::from_secs_f64(flops / speed),
            None => {
                self.unspoken += 1;
                return;
            }
        };
        match time {
            Some(time) => _ = state.calls.add(rank, Operation::Compute { time }, Way::Waits, line, self.work),
            None => self.work.reading.wrong(line, &flops.to_string(), "the computation takes too long"),
        }
    }

    fn message(
        &mut self,
        rank: u32,
        action: &str,
        row: &Row<'_>,
        line: usize,
        state: &mut Rank,
    ) -> Result<(), String> {
        let (is_send, way) =
            (action.ends_with("send"), if action.starts_with('i') { Way::GoesOn } else { Way::Waits });
        // A receive need not say how long its message is: any is.
        let bytes = if is_send || row.rest.len() > 2 { row.bytes(2, 3)? } else { u64::MAX >> 1 };
        let tag = row.tag(1)?;
        let (operation, key) = if is_send {
            let to = self.partner(row)?;
            (work::send(to, tag, bytes), (rank, to, tag))
        } else {
            let source = if row.rest.first() == Some(&"-1") { None } else { Some(self.partner(row)?) };
            let any = (tag >= 0).then_some(tag);
            (work::receive(source, any, bytes), (source.unwrap_or(u32::MAX), rank, tag))
        };
        if is_send && tag < 0 {
            return Err("a send has a tag of at least 0".into());
        }
        let number = state.calls.add(rank, operation, way, line, self.work);
        if way == Way::GoesOn {
            state.requests.entry(key).or_default().push_back(number);
        }
        Ok(())
    }
    /// The other rank of a message.
    fn partner(&self, row: &Row<'_>) -> Result<u32, String> {
        let (other, size) = (row.whole(0)?, self.size);
        (other < size).then_some(other).ok_or_else(|| {
            format!("there is no rank {other}, for the trace has {size} in all: where each rank has a file, name the list of these files")
        })
    }
}
