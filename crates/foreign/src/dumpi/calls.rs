//! The calls of a rank as tasks.

use super::communicators::{ALL, Made, OWN};
use super::stream::Call;
use crate::calls::{Calls, Clock, Way};
use crate::work::{self, Work};
use std::collections::{BTreeMap, VecDeque};
use weir_operations::{
    ALONE, Collective, Function, Lengths, Mode, OperandOrder, Operation, ReceiveSource, Root, WORLD,
};

/// The request of nothing.
const NO_REQUEST: i64 = 1;
/// Operations from this number on are those of the program.
const OWN_OPERATIONS: i64 = 15;

/// A rank while its calls are read.
pub(super) struct OfRank<'a> {
    pub(super) rank: u32,
    pub(super) ranks: u32,
    pub(super) file: &'a str,
    pub(super) made: &'a Made,
    /// Places, among all communicators, of those that its next calls make.
    pub(super) next: VecDeque<Option<usize>>,
    /// Bytes of the datatypes.
    pub(super) sizes: BTreeMap<i64, u64>,
    pub(super) calls: Calls,
    pub(super) clock: Clock,
    pub(super) requests: BTreeMap<i64, Request>,
    pub(super) communicators: BTreeMap<i64, Group>,
    /// Operations of the program that keep the order of their operands.
    pub(super) ordered: Vec<i64>,
    pub(super) thread: Option<u16>,
    pub(super) is_over: bool,
    /// Looks at requests and messages in vain.
    pub(super) looked: u64,
}

/// A communicator: number, size and own rank.
#[derive(Clone, Copy)]
pub(super) struct Group(u32, u32, u32);

/// The thing that goes on under a request.
pub(super) enum Request {
    Task(u64),
    /// A message that is started again and again, and its task, if it goes on.
    Again(Box<Operation>, Option<u64>),
    /// A thing that was left out.
    Nothing,
}

type Done = Result<(), String>;

/// Says how a call is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The rank is for itself in it: its time is that of the rank's own work.
    Local,
    /// The rank waits for others in it, and nothing is sent that belongs to a task.
    Meets,
    /// It sends, receives or waits.
    Task,
    /// It does something that no task does.
    LeftOut(&'static str),
}

fn kind(name: &str, numbers: &[i64]) -> Kind {
    match name {
        "Send" | "Bsend" | "Ssend" | "Rsend" | "Recv" | "Isend" | "Ibsend" | "Issend" | "Irsend"
        | "Irecv" | "Sendrecv" | "Sendrecv_replace" | "Start" | "Startall" | "Wait" | "Waitall"
        | "Waitany" | "Waitsome" | "Barrier" | "Bcast" | "Gather" | "Gatherv" | "Scatter" | "Scatterv"
        | "Allgather" | "Allgatherv" | "Alltoall" | "Alltoallv" | "Alltoallw" | "Reduce" | "Allreduce"
        | "Reduce_scatter" | "Scan" | "Exscan" | "Comm_split" => Kind::Task,
        "Test" | "Testall" | "Testany" | "Testsome" => {
            // The last number says whether there was something.
            if numbers.last().is_some_and(|&flag| flag > 0) { Kind::Task } else { Kind::Local }
        }
        "Init" | "Init_thread" | "Finalize" | "Probe" | "Comm_dup" | "Comm_create" | "Comm_free"
        | "Cart_create" | "Cart_sub" | "Graph_create" => Kind::Meets,
        "Accumulate" | "Get" | "Put" | "Win_create" | "Win_fence" | "Win_free" | "Win_lock"
        | "Win_unlock" | "Win_post" | "Win_start" | "Win_complete" | "Win_wait" | "Win_test" => {
            Kind::LeftOut("accesses to the memory of others, and their windows, are no tasks")
        }
        "Comm_accept"
        | "Comm_connect"
        | "Comm_join"
        | "Comm_spawn"
        | "Comm_spawn_multiple"
        | "Intercomm_create"
        | "Intercomm_merge" => {
            Kind::LeftOut("communicators of two groups, or with other programs, are not read")
        }
        "Cancel" | "Grequest_start" | "Grequest_complete" => {
            Kind::LeftOut("requests that are canceled, or that the program completes itself, are no tasks")
        }
        "File_open" | "File_close" | "File_delete" | "File_set_size" | "File_preallocate" | "File_sync" => {
            FILES
        }
        _ if ["File_read", "File_write", "File_iread", "File_iwrite", "IO_"]
            .iter()
            .any(|begin| name.starts_with(begin)) =>
        {
            FILES
        }
        _ => Kind::Local,
    }
}

const FILES: Kind = Kind::LeftOut("reading and writing files are no tasks: they take no time here");

/// Bytes of so many elements.
fn product(count: i64, size: u64) -> Result<u64, String> {
    let bytes = u64::try_from(count).ok().and_then(|count| count.checked_mul(size));
    bytes.ok_or_else(|| format!("{count} elements of {size} bytes are no message"))
}

impl OfRank<'_> {
    /// Adds the tasks of a call.
    pub(super) fn call(&mut self, name: &'static str, call: &Call, work: &mut Work<'_>) -> Done {
        let kind = kind(name, &call.numbers);
        if kind == Kind::Local {
            return self.note(name, call);
        }
        let place = || format!("{}, call {} at byte {}: MPI_{name}", self.file, call.number, call.at);
        if *self.thread.get_or_insert(call.thread) != call.thread {
            let what = "calls of a second thread are not read: a rank has one list of calls";
            work.reading.cannot(0, &place(), what);
            return Ok(());
        }
        if let Kind::LeftOut(what) = kind {
            work.reading.cannot(0, &place(), what);
        }
        self.time(call, work)?;
        match kind {
            Kind::Task if !self.operations(name, call, work)? => {
                let value = format!("{}, call {} at byte {}: MPI_{name}", self.file, call.number, call.at);
                let what = "its communicator was made by a call that is not read, so that it is not known who is in it";
                work.reading.cannot(0, &value, what);
                Ok(())
            }
            Kind::Task => Ok(()),
            _ => self.note(name, call),
        }
    }

    /// The rank computes until a call begins.
    fn time(&mut self, call: &Call, work: &mut Work<'_>) -> Done {
        let Some((begin, end)) = call.time else {
            let what =
                "calls have no times: how long ranks compute between them is not known, and is left out";
            work.reading.cannot(0, self.file, what);
            return Ok(());
        };
        let gap = self.clock.pass(begin, end)?;
        let Some(Operation::Compute { time }) = work::compute_ns(gap) else {
            return Err("the time before the call is too long".into());
        };
        self.calls.compute(self.rank, time, 0, work);
        Ok(())
    }

    /// Keeps what a call that sends nothing says of later ones. Its time is the rank's own.
    fn note(&mut self, name: &str, call: &Call) -> Done {
        let (numbers, lists) = (&call.numbers[..], &call.lists[..]);
        match (name, numbers) {
            ("Finalize", _) => self.is_over = true,
            ("Comm_size", &[name, size]) => self.must_be(name, "the size", size, |group| group.1)?,
            ("Comm_rank", &[name, rank]) => self.must_be(name, "the rank", rank, |group| group.2)?,
            ("Comm_dup" | "Comm_create" | "Cart_create" | "Cart_sub" | "Graph_create", &[.., name]) => {
                self.made(name);
            }
            ("Op_create", &[commutes, operation]) => {
                self.ordered.retain(|&known| known != operation);
                if commutes == 0 {
                    self.ordered.push(operation);
                }
            }
            ("Send_init" | "Bsend_init" | "Ssend_init" | "Rsend_init" | "Recv_init", &[.., request]) => {
                let message = self.message(name, numbers)?;
                let message =
                    message.map_or(Request::Nothing, |message| Request::Again(Box::new(message), None));
                self.requests.insert(request, message);
            }
            ("Intercomm_create" | "Intercomm_merge" | "Comm_free", &[.., name]) => {
                self.communicators.remove(&name);
            }
            ("Request_free", &[request]) => _ = self.requests.remove(&request),
            (_, &[.., new]) if name.starts_with("Type_") => {
                if let Some(size) = self.size_made(name, numbers, lists) {
                    self.sizes.insert(new, size);
                }
            }
            ("Test" | "Testall" | "Testany" | "Testsome" | "Iprobe" | "Probe", _) => self.looked += 1,
            _ => {}
        }
        Ok(())
    }

    /// A communicator that a call has made gets its name.
    fn made(&mut self, name: i64) {
        if let Some(Some(place)) = self.next.pop_front() {
            let known = &self.made.all[place];
            let own = known.members.iter().position(|&rank| rank == self.rank).unwrap_or_default();
            self.communicators.insert(name, Group(known.number, known.members.len() as u32, own as u32));
        }
    }

    fn group(&self, name: i64) -> Option<Group> {
        match name {
            ALL => Some(Group(WORLD, self.ranks, self.rank)),
            OWN => Some(Group(ALONE, 1, 0)),
            _ => self.communicators.get(&name).copied(),
        }
    }

    fn must_be(&self, name: i64, what: &str, said: i64, of: impl Fn(Group) -> u32) -> Done {
        match self.group(name).map(of) {
            Some(known) if i64::from(known) != said => Err(format!(
                "{what} in communicator {name} is {said}, and {known} by the files: they are not of one run, or files are missing"
            )),
            _ => Ok(()),
        }
    }

    fn size(&self, datatype: i64) -> Result<u64, String> {
        let known = self.sizes.get(&datatype).copied();
        known.ok_or_else(|| format!("it is not known how long datatype {datatype} is"))
    }

    fn bytes(&self, count: i64, datatype: i64) -> Result<u64, String> {
        if count == 0 { Ok(0) } else { product(count, self.size(datatype)?) }
    }

    fn blocks(&self, counts: &[i64], datatype: i64) -> Result<Box<[u64]>, String> {
        counts.iter().map(|&count| self.bytes(count, datatype)).collect()
    }

    /// The size of a datatype that a call makes.
    fn size_made(&self, name: &str, numbers: &[i64], lists: &[Vec<i64>]) -> Option<u64> {
        let total = |list: &[i64]| list.iter().sum::<i64>();
        let of = |datatype: i64| self.size(datatype).ok();
        let &old = numbers.get(numbers.len().checked_sub(2)?)?;
        let count = match name {
            "Type_contiguous" => numbers[0],
            "Type_vector" | "Type_hvector" | "Type_create_hvector" | "Type_create_indexed_block" => {
                numbers[0].checked_mul(numbers[1])?
            }
            "Type_indexed" | "Type_hindexed" | "Type_create_hindexed" => total(&lists[0]),
            "Type_create_subarray" => {
                lists[1].iter().try_fold(1_i64, |product, &side| product.checked_mul(side))?
            }
            "Type_create_resized" => return of(numbers[0]),
            "Type_dup" => 1,
            "Type_struct" | "Type_create_struct" => {
                let fields = lists[0].iter().zip(&lists[2]);
                let mut bytes = fields.map(|(&count, &of)| self.bytes(count, of).ok());
                return bytes.try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?));
            }
            _ => return None,
        };
        product(count, of(old)?).ok()
    }

    /// A message of these arguments; `None` where it is not known who is in its communicator.
    fn message(&self, name: &str, numbers: &[i64]) -> Result<Option<Operation>, String> {
        let &[count, datatype, peer, tag, communicator, ..] = numbers else { return Ok(None) };
        let Some(Group(communicator, ..)) = self.group(communicator) else { return Ok(None) };
        let bytes = self.bytes(count, datatype)?;
        let rank = u32::try_from(peer).ok();
        let known_tag = i32::try_from(tag).ok().filter(|&tag| tag >= 0);
        if name.to_lowercase().contains("recv") {
            // Any source and any tag are -1; other numbers below 0 are MPI_PROC_NULL.
            let from = match rank {
                None if peer != -1 => ReceiveSource::NOBODY,
                _ => ReceiveSource::asking(rank, known_tag),
            };
            return Ok(Some(Operation::Receive { from, bytes, communicator, request: None }));
        }
        let mode = match name.trim_start_matches('I').as_bytes() {
            [b'b' | b'B', ..] => Mode::Buffered,
            [b's' | b'S', b's', ..] => Mode::Synchronous,
            [b'r' | b'R', ..] => Mode::Ready,
            _ => Mode::Standard,
        };
        let tag = known_tag.or(rank.is_none().then_some(0)).ok_or_else(|| format!("{tag} is no tag"))?;
        Ok(Some(Operation::Send { mode, to: rank, tag, bytes, communicator, request: None }))
    }

    /// Adds the tasks of a call that sends, receives or waits; `false` where it is not known with whom.
    fn operations(&mut self, name: &'static str, call: &Call, work: &mut Work<'_>) -> Result<bool, String> {
        let (numbers, lists) = (&call.numbers[..], &call.lists[..]);
        match (name, numbers) {
            ("Send" | "Bsend" | "Ssend" | "Rsend" | "Recv", _) => {
                let Some(message) = self.message(name, numbers)? else { return Ok(false) };
                self.calls.add(self.rank, message, Way::Waits, 0, work);
            }
            ("Isend" | "Ibsend" | "Issend" | "Irsend" | "Irecv", &[.., request]) => {
                let Some(message) = self.message(name, numbers)? else {
                    self.requests.insert(request, Request::Nothing);
                    return Ok(false);
                };
                let number = self.calls.add(self.rank, message, Way::GoesOn, 0, work);
                self.requests.insert(request, Request::Task(number));
            }
            ("Sendrecv", &[sent, of, to, tag, received, as_, from, known, communicator]) => {
                let both = [[received, as_, from, known, communicator], [sent, of, to, tag, communicator]];
                return self.both(&both, work);
            }
            ("Sendrecv_replace", &[count, of, to, tag, from, known, communicator]) => {
                return self.both(
                    &[[count, of, from, known, communicator], [count, of, to, tag, communicator]],
                    work,
                );
            }
            ("Start", &[request]) => self.start(request, work)?,
            ("Startall", _) => lists[0].iter().try_for_each(|&request| self.start(request, work))?,
            ("Wait" | "Test", &[request, ..]) => self.wait(request, call, work),
            ("Waitall" | "Testall", _) => lists[0].iter().for_each(|&request| self.wait(request, call, work)),
            ("Waitany" | "Testany", &[_, index, ..]) => self.wait_at(index, call, work),
            ("Waitsome" | "Testsome", _) => {
                lists[1].iter().for_each(|&index| self.wait_at(index, call, work))
            }
            _ => {
                let Some((collective, communicator)) = self.collective(name, numbers, lists)? else {
                    return Ok(false);
                };
                if name == "Comm_split" {
                    self.made(numbers[3]);
                }
                let collective = Box::new(collective);
                let operation =
                    Operation::Collective { collective, communicator, persistent: None, request: None };
                self.calls.add(self.rank, operation, Way::Waits, 0, work);
            }
        }
        Ok(true)
    }

    /// A receive and a send that begin together, and are waited for.
    fn both(&mut self, [receive, send]: &[[i64; 5]; 2], work: &mut Work<'_>) -> Result<bool, String> {
        let (Some(receive), Some(send)) = (self.message("Recv", receive)?, self.message("Send", send)?)
        else {
            return Ok(false);
        };
        let begun = [receive, send].map(|message| self.calls.add(self.rank, message, Way::GoesOn, 0, work));
        begun.into_iter().for_each(|number| self.calls.wait(number));
        Ok(true)
    }

    fn start(&mut self, request: i64, work: &mut Work<'_>) -> Done {
        match self.requests.get_mut(&request) {
            Some(Request::Again(message, task)) => {
                *task = Some(self.calls.add(self.rank, (**message).clone(), Way::GoesOn, 0, work));
                Ok(())
            }
            Some(Request::Nothing) => Ok(()),
            _ => Err(format!("request {request} is started, and no call has made it")),
        }
    }

    fn wait(&mut self, request: i64, call: &Call, work: &mut Work<'_>) {
        match self.requests.get_mut(&request) {
            Some(Request::Again(_, task)) => task.take().into_iter().for_each(|task| self.calls.wait(task)),
            Some(Request::Task(task)) => {
                self.calls.wait(*task);
                self.requests.remove(&request);
            }
            Some(Request::Nothing) => _ = self.requests.remove(&request),
            None if request == NO_REQUEST => {}
            None => {
                let value = format!("{}, call {} at byte {}", self.file, call.number, call.at);
                let what = "a call waits for a request that no recorded call has started: DUMPI records no calls of MPI 3";
                work.reading.cannot(0, &value, what);
            }
        }
    }

    /// Waits for one of several requests; none, if the number is none of theirs.
    fn wait_at(&mut self, index: i64, call: &Call, work: &mut Work<'_>) {
        if let Some(&request) = usize::try_from(index).ok().and_then(|index| call.lists[0].get(index)) {
            self.wait(request, call, work);
        }
    }

    fn elements(&self, count: i64, datatype: i64, operation: i64) -> Result<Lengths, String> {
        let (bytes, size) = (self.bytes(count, datatype)?, self.size(datatype).unwrap_or(1));
        let element = u32::try_from(size.max(1)).map_err(|_| "an element is too long".to_owned())?;
        Ok(Lengths::Elements { bytes, element, operands: self.operands(operation) })
    }

    fn operands(&self, operation: i64) -> OperandOrder {
        let is_ordered = operation >= OWN_OPERATIONS && self.ordered.contains(&operation);
        if is_ordered { OperandOrder::Ordered } else { OperandOrder::Commute }
    }

    /// A collective, and the number of its communicator.
    fn collective(
        &self,
        name: &str,
        numbers: &[i64],
        lists: &[Vec<i64>],
    ) -> Result<Option<(Collective, u32)>, String> {
        let place = match name {
            "Comm_split" => 0,
            "Gather" | "Scatter" => 4,
            "Gatherv" => 5,
            "Scatterv" => 6,
            _ => numbers.len() - 1,
        };
        let Some(Group(communicator, ..)) = self.group(numbers[place]) else { return Ok(None) };
        let root = |root: i64| u32::try_from(root).map(Root::Rank).map_err(|_| format!("{root} is no root"));
        let bytes = |count, datatype| self.bytes(count, datatype).map(Lengths::Bytes);
        let none = Root::None;
        let (function, root, lengths) = match (name, numbers) {
            ("Barrier", _) => (Function::Barrier, none, Lengths::None),
            ("Comm_split", _) => (Function::Split, none, Lengths::None),
            ("Bcast", &[count, of, from, _]) => (Function::Bcast, root(from)?, bytes(count, of)?),
            // The root may have its data in place: then what it gives to itself is not said.
            ("Gather", &[_, _, _, to, _, count, of] | &[_, count, of, to, _]) => {
                (Function::Gather, root(to)?, bytes(count, of)?)
            }
            ("Scatter", &[_, _, _, from, _, count, of] | &[_, count, of, from, _]) => {
                (Function::Scatter, root(from)?, bytes(count, of)?)
            }
            ("Gatherv", &[_, _, count, own, to, _, of]) => {
                let blocks = lists.first().map(|counts| self.blocks(counts, of).map(Lengths::Blocks));
                (Function::Gatherv, root(to)?, blocks.unwrap_or_else(|| bytes(count, own))?)
            }
            ("Scatterv", &[_, _, of, count, own, from, _]) => {
                let blocks = lists.first().map(|counts| self.blocks(counts, of).map(Lengths::Blocks));
                (Function::Scatterv, root(from)?, blocks.unwrap_or_else(|| bytes(count, own))?)
            }
            ("Allgather", &[_, _, count, of, _]) => (Function::Allgather, none, bytes(count, of)?),
            ("Allgatherv", &[_, _, _, of, _]) => {
                (Function::Allgatherv, none, Lengths::Blocks(self.blocks(&lists[0], of)?))
            }
            ("Alltoall", &[_, _, count, of, _]) => (Function::Alltoall, none, bytes(count, of)?),
            ("Alltoallv", &[_, given, taken, _]) => {
                let (out, into) = (self.blocks(&lists[0], given)?, self.blocks(&lists[2], taken)?);
                (Function::Alltoallv, none, Lengths::Exchange { out, into })
            }
            ("Alltoallw", _) => {
                let each = |counts: &[i64], types: &[i64]| -> Result<Box<[u64]>, String> {
                    counts.iter().zip(types).map(|(&count, &of)| self.bytes(count, of)).collect()
                };
                let (out, into) = (each(&lists[0], &lists[2])?, each(&lists[3], &lists[5])?);
                (Function::Alltoallv, none, Lengths::Exchange { out, into })
            }
            ("Reduce", &[count, of, by, to, _]) => {
                (Function::Reduce, root(to)?, self.elements(count, of, by)?)
            }
            ("Allreduce", &[count, of, by, _]) => (Function::Allreduce, none, self.elements(count, of, by)?),
            ("Scan", &[count, of, _, _]) => (Function::Scan, none, bytes(count, of)?),
            ("Exscan", &[count, of, _, _]) => (Function::Exscan, none, bytes(count, of)?),
            ("Reduce_scatter", &[_, of, by, _]) => {
                let element = u32::try_from(self.size(of)?.max(1)).map_err(|_| "an element is too long")?;
                let (blocks, operands) = (self.blocks(&lists[0], of)?, self.operands(by));
                (Function::ReduceScatter, none, Lengths::Combined { blocks, element, operands })
            }
            _ => return Err(format!("the arguments of MPI_{name} are not those of its function")),
        };
        Ok(Some((Collective::new(function, root, lengths), communicator)))
    }
}
