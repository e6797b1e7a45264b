//! Partitioned sends and receives. See [`weir_message::process`] for what travels when.

use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::mpi::requests::persistent;
use crate::rank::Awaited;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use weir_message::{Data, PartitionChannel, RequestId};

#[derive(Clone)]
pub(crate) enum Partitioned {
    Send(Rc<Side>),
    Receive(Rc<Side>),
}

/// One side of a partitioned operation: partitions of the program's buffer, all equally long.
pub(crate) struct Side {
    channel: PartitionChannel,
    buffer: Buffer,
    /// Elements of a partition.
    count: i64,
    /// Flag of each partition, since the last start: it is ready, or in the program's buffer.
    done: RefCell<Vec<bool>>,
}

impl Side {
    fn new(
        context: &mut Context,
        each: Elements,
        given: c_int,
        channel: PartitionChannel,
    ) -> Result<Rc<Self>> {
        let partitions = usize::try_from(given);
        let partitions = partitions.map_err(|_| MpiError::Argument(format!("{given} partitions")))?;
        let buffer = each.buffer(context)?.times(partitions)?;
        let done = RefCell::new(vec![false; partitions]);
        Ok(Rc::new(Self { channel, buffer, count: each.count, done }))
    }

    fn partitions(&self) -> usize {
        self.done.borrow().len()
    }

    fn number(&self, given: c_int) -> Result<usize> {
        let known = usize::try_from(given).ok().filter(|&number| number < self.partitions());
        known.ok_or_else(|| {
            MpiError::Argument(format!("partition {given} of a message with {}", self.partitions()))
        })
    }

    fn partition(&self, number: usize) -> Result<Buffer> {
        self.buffer.block(number as i64 * self.count, self.count)
    }

    /// Where the data of a partition are in those of the message.
    fn range(&self, number: usize) -> Range<usize> {
        let bytes = self.buffer.bytes / self.partitions();
        bytes * number..bytes * (number + 1)
    }

    /// Puts the data of a partition into the program's buffer, unless they are there.
    fn deliver(&self, number: usize, data: &[u8]) -> Done {
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

    fn ready(&self, context: &mut Context, id: RequestId, given: c_int) -> Done {
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
        let room = Data::room(context.rank().world.options.moved, self.buffer.bytes);
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

pub(crate) fn psend_init(context: &mut Context, args: PsendInit) -> Done {
    let channel = context.rank().process.partitioned_send(args.dest.comm, args.dest.rank, args.dest.tag)?;
    let each = Elements::new(args.buf, args.count, args.datatype);
    let side = Side::new(context, each, args.partitions, channel)?;
    let operation = Partitioned::Send(Rc::clone(&side));
    let start = move |context: &mut Context| Ok(side.start_send(context));
    args.request.give(persistent::create(context, Some(operation), start))
}

pub(crate) fn precv_init(context: &mut Context, args: PrecvInit) -> Done {
    let channel =
        context.rank().process.partitioned_receive(args.dest.comm, args.dest.rank, args.dest.tag)?;
    let each = Elements::new(args.buf, args.count, args.datatype);
    let side = Side::new(context, each, args.partitions, channel)?;
    let operation = Partitioned::Receive(Rc::clone(&side));
    let start = move |context: &mut Context| Ok(side.start_receive(context));
    args.request.give(persistent::create(context, Some(operation), start))
}

/// Says that partitions of an active send are ready.
fn ready(context: &mut Context, request: Handle, partitions: impl IntoIterator<Item = c_int>) -> Done {
    let (Partitioned::Send(side), Some(id)) = persistent::partitioned(context, request)? else {
        return Err(MpiError::Request);
    };
    partitions.into_iter().try_for_each(|partition| side.ready(context, id, partition))
}

pub(crate) fn pready(context: &mut Context, partition: c_int, request: Handle) -> Done {
    ready(context, request, [partition])
}

pub(crate) fn pready_range(context: &mut Context, low: c_int, high: c_int, request: Handle) -> Done {
    ready(context, request, low..=high)
}

pub(crate) fn pready_list(context: &mut Context, args: PreadyList) -> Done {
    let partitions = Array::new(args.partitions.cast_mut(), args.length, "array of requests")?;
    ready(context, args.request, partitions.iter())
}

pub(crate) fn parrived(context: &mut Context, request: Handle, partition: c_int, flag: Out<c_int>) -> Done {
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
            context.poll(Awaited::Requests(vec![id]), look)?.is_some()
        }
    };
    flag.give(c_int::from(there))
}
