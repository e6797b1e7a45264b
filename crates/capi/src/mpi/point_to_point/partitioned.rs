//! Partitioned sends and receives. See [`weir_message::process`] for what travels when.

use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{Array, give, out};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::requests::delivery::Delivery;
use crate::mpi::requests::persistent;
use crate::rank::Polled;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::rc::Rc;
use weir_message::{Data, MpiError, PartitionChannel, RequestId};

/// A partitioned operation of the program.
#[derive(Clone)]
pub(crate) enum Partitioned {
    Send(Rc<Side>),
    Receive(Rc<Side>),
}

/// One side of a partitioned operation: partitions of the program's buffer, all equally long.
pub(crate) struct Side {
    channel: PartitionChannel,
    /// The whole buffer.
    buffer: Buffer,
    /// Elements of a partition.
    count: i64,
    /// Of each partition, since the last start: it has been said to be ready, or is in the program's buffer.
    done: RefCell<Vec<bool>>,
}

impl Side {
    fn new(
        context: &mut Context,
        address: *const c_void,
        (partitions, count): (c_int, i64),
        datatype: Handle,
        channel: PartitionChannel,
    ) -> Result<Rc<Self>, MpiError> {
        let partitions = usize::try_from(partitions)
            .map_err(|_| MpiError::Argument(format!("{partitions} partitions")))?;
        let buffer = Buffer::new(context, address, count, datatype)?.times(partitions)?;
        let done = RefCell::new(vec![false; partitions]);
        Ok(Rc::new(Self { channel, buffer, count, done }))
    }

    fn partitions(&self) -> usize {
        self.done.borrow().len()
    }

    /// The number of a partition that the program names.
    fn number(&self, given: c_int) -> Result<usize, MpiError> {
        let known = usize::try_from(given).ok().filter(|&number| number < self.partitions());
        known.ok_or_else(|| {
            MpiError::Argument(format!("partition {given} of a message with {}", self.partitions()))
        })
    }

    fn partition(&self, number: usize) -> Result<Buffer, MpiError> {
        self.buffer.block(number as i64 * self.count, self.count)
    }

    /// Where the data of a partition are in those of the message.
    fn range(&self, number: usize) -> Range<usize> {
        let bytes = self.buffer.bytes / self.partitions();
        bytes * number..bytes * (number + 1)
    }

    /// Puts the data of a partition into the program's buffer, unless they are there.
    fn deliver(&self, number: usize, data: &[u8]) -> Result<(), MpiError> {
        let before = std::mem::replace(&mut self.done.borrow_mut()[number], true);
        if !before {
            self.partition(number)?.write(data);
        }
        Ok(())
    }

    fn start_send(&self, context: &mut Context) -> RequestId {
        self.done.borrow_mut().fill(false);
        let partitions = self.partitions();
        let (rank, actions) = context.both();
        rank.process.start_partitioned_send(actions, &self.channel, partitions)
    }

    fn ready(&self, context: &mut Context, id: RequestId, given: c_int) -> Result<(), MpiError> {
        let number = self.number(given)?;
        if std::mem::replace(&mut self.done.borrow_mut()[number], true) {
            return Err(MpiError::Argument(format!("partition {given} is ready already")));
        }
        let data = self.partition(number)?.message(context);
        let (rank, actions) = context.both();
        rank.process.partition_ready(actions, id, &self.channel, number as u32, data);
        Ok(())
    }

    fn start_receive(self: &Rc<Self>, context: &mut Context) -> RequestId {
        self.done.borrow_mut().fill(false);
        let room = Data::room(context.rank().world.moved(), self.buffer.bytes);
        let (rank, actions) = context.both();
        let id = rank.process.start_partitioned_receive(actions, &self.channel, room);
        let side = Rc::clone(self);
        let take = move |_: &mut Context, data: &[u8]| {
            // From nobody come no data.
            let whole = if data.len() == side.buffer.bytes { side.partitions() } else { 0 };
            (0..whole).try_for_each(|number| side.deliver(number, &data[side.range(number)]))
        };
        context.rank().set_delivery(id, Delivery::Call(Box::new(take)));
        id
    }
}

pub(crate) unsafe extern "C" fn psend_init(
    buf: *const c_void,
    partitions: c_int,
    count: i64,
    datatype: Handle,
    to: c_int,
    tag: c_int,
    comm: Handle,
    _info: Handle,
    request: *mut Handle,
) -> c_int {
    call("MPI_Psend_init", comm, |context| {
        let request = out(request, "request")?;
        let channel = context.rank().process.partitioned_send(abi::communicator(comm)?, to, tag)?;
        let side = Side::new(context, buf, (partitions, count), datatype, channel)?;
        let operation = Partitioned::Send(Rc::clone(&side));
        let start = move |context: &mut Context| Ok(side.start_send(context));
        request.set(persistent::create_partitioned(context, operation, start));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn precv_init(
    buf: *mut c_void,
    partitions: c_int,
    count: i64,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    _info: Handle,
    request: *mut Handle,
) -> c_int {
    call("MPI_Precv_init", comm, |context| {
        let request = out(request, "request")?;
        let channel = context.rank().process.partitioned_receive(abi::communicator(comm)?, from, tag)?;
        let side = Side::new(context, buf, (partitions, count), datatype, channel)?;
        let operation = Partitioned::Receive(Rc::clone(&side));
        let start = move |context: &mut Context| Ok(side.start_receive(context));
        request.set(persistent::create_partitioned(context, operation, start));
        Ok(())
    })
}

/// Says that partitions of an active send are ready.
fn ready(
    context: &mut Context,
    request: Handle,
    partitions: impl IntoIterator<Item = c_int>,
) -> Result<(), MpiError> {
    let (Partitioned::Send(side), Some(id)) = persistent::partitioned(context, request)? else {
        return Err(MpiError::Request);
    };
    partitions.into_iter().try_for_each(|partition| side.ready(context, id, partition))
}

pub(crate) unsafe extern "C" fn pready(partition: c_int, request: Handle) -> c_int {
    call("MPI_Pready", ptr::null_mut(), |context| ready(context, request, [partition]))
}

pub(crate) unsafe extern "C" fn pready_range(low: c_int, high: c_int, request: Handle) -> c_int {
    call("MPI_Pready_range", ptr::null_mut(), |context| ready(context, request, low..=high))
}

pub(crate) unsafe extern "C" fn pready_list(length: c_int, partitions: *mut c_int, request: Handle) -> c_int {
    call("MPI_Pready_list", ptr::null_mut(), |context| {
        let partitions = Array::new(partitions, length, "array of requests")?;
        ready(context, request, partitions.iter())
    })
}

pub(crate) unsafe extern "C" fn parrived(request: Handle, partition: c_int, flag: *mut c_int) -> c_int {
    call("MPI_Parrived", ptr::null_mut(), |context| {
        let (Partitioned::Receive(side), active) = persistent::partitioned(context, request)? else {
            return Err(MpiError::Request);
        };
        let number = side.number(partition)?;
        let there = match active {
            None => true,
            Some(id) => {
                let look =
                    |context: &mut Context| match context.rank().process.partition(id, side.range(number))? {
                        Some(data) => side.deliver(number, data).map(Some),
                        None => Ok(None),
                    };
                context.poll(Polled::Requests(vec![id]), look)?.is_some()
            }
        };
        give(flag, "flag", c_int::from(there))
    })
}
