//! Buffers that the program has attached for its buffered sends (MPI 5.0, section 3.6): of the whole process, and of
//! communicators. A message takes room from the send until its data have left the node.

use super::Process;
use crate::Observation;
use crate::request::{About, Owner, Request, State};
use crate::{Actions, BufferOf, CommunicatorId, Completion, MpiError, RequestId, Result};
use weir_units::Time;

/// Room that a message takes besides its data. The standard's binary interface lets programs add 512 bytes for each message
/// (`MPI_BSEND_OVERHEAD`); this is what MPICH takes of them, and programs that add no more run there.
const BSEND_OVERHEAD: u64 = 96;

#[derive(Debug)]
pub(super) struct SendBuffer {
    of: BufferOf,
    /// Its length in bytes; `None`: as long as needed.
    room: Option<u64>,
    /// Messages under way: number, and bytes taken.
    under_way: Vec<(u32, u64)>,
    /// Requests to complete when all messages with smaller numbers have left.
    flushes: Vec<(RequestId, u32)>,
    /// The number of the next message; they begin again when the buffer is empty.
    next: u32,
}

impl Process {
    fn buffer(&mut self, of: BufferOf) -> Option<&mut SendBuffer> {
        self.rare.as_mut()?.buffers.iter_mut().find(|buffer| buffer.of == of)
    }

    fn check_owner(&self, of: BufferOf) -> Result<()> {
        match of {
            BufferOf::Communicator(id) => self.communicator(id).map(|_| ()),
            BufferOf::Process | BufferOf::Session(_) => Ok(()),
        }
    }

    /// Attaches a buffer of `room` bytes (of any length, if `None`).
    ///
    /// # Errors
    /// When there is no such communicator, or it has a buffer already.
    pub fn attach_buffer(&mut self, of: BufferOf, room: Option<u64>) -> Result<()> {
        self.check_owner(of)?;
        if self.buffer(of).is_some() {
            return Err(MpiError::Buffer("a buffer is attached already".into()));
        }
        let (under_way, flushes) = (Vec::new(), Vec::new());
        self.rare().buffers.push(SendBuffer { of, room, under_way, flushes, next: 0 });
        Ok(())
    }

    /// A request that is complete when all messages that are in the buffer now have left.
    ///
    /// # Errors
    /// When there is no such communicator. Without a buffer, the request is complete.
    pub fn flush_buffer(&mut self, of: BufferOf) -> Result<RequestId> {
        self.check_owner(of)?;
        if self.buffer(of).is_none_or(|buffer| buffer.under_way.is_empty()) {
            return Ok(self.completed());
        }
        let communicator = match of {
            BufferOf::Communicator(id) => id,
            BufferOf::Process | BufferOf::Session(_) => CommunicatorId::WORLD,
        };
        let about = About { communicator, ..About::NOBODY };
        let id = self.requests.add(Request { state: State::Open, owner: Owner::Program, about });
        if let Some(buffer) = self.buffer(of) {
            let upto = buffer.next;
            buffer.flushes.push((id, upto));
        }
        self.notice(Observation::Flushes(of, id));
        Ok(id)
    }

    /// Detaches a buffer, whose messages have left.
    pub fn detach_buffer(&mut self, of: BufferOf) -> Result<()> {
        let buffers = &mut self.rare().buffers;
        let index = buffers.iter().position(|buffer| buffer.of == of);
        let index = index.ok_or_else(|| MpiError::Buffer("no buffer is attached".into()))?;
        buffers.remove(index);
        Ok(())
    }

    /// Takes room for a message of so many bytes in the buffer of the communicator, or else in that of the process, or
    /// else in one of a session. Which session a communicator was made in is not kept: programs have one.
    pub(super) fn take_room(&mut self, communicator: CommunicatorId, bytes: u64) -> Result<Owner> {
        let buffer = self.roomy_buffer(communicator, bytes)?;
        let (of, number) = (buffer.of, buffer.next);
        buffer.next += 1;
        buffer.under_way.push((number, bytes + BSEND_OVERHEAD));
        Ok(Owner::Buffered { of, number })
    }

    /// Checks that a buffered send of so many bytes has room. What is sent need not be there if it has none.
    pub fn check_room(&mut self, communicator: CommunicatorId, bytes: u64) -> Result<()> {
        self.roomy_buffer(communicator, bytes).map(|_| ())
    }

    /// The buffer for a message, which has room for it.
    fn roomy_buffer(&mut self, communicator: CommunicatorId, bytes: u64) -> Result<&mut SendBuffer> {
        let preference = |of: BufferOf| match of {
            BufferOf::Communicator(id) if id == communicator => Some(0),
            BufferOf::Communicator(_) => None,
            BufferOf::Process => Some(1),
            BufferOf::Session(number) => Some(2 + u64::from(number)),
        };
        let buffers = self.rare.as_ref().map_or(&[][..], |rare| &rare.buffers[..]);
        let ranked = buffers.iter().filter_map(|buffer| Some((preference(buffer.of)?, buffer.of)));
        let of = ranked.min_by_key(|(preference, _)| *preference).map_or(BufferOf::Process, |(_, of)| of);
        let needed = bytes + BSEND_OVERHEAD;
        let Some(buffer) = self.buffer(of) else {
            return Err(MpiError::Buffer(format!("no buffer is attached for a message of {bytes} bytes")));
        };
        let taken: u64 = buffer.under_way.iter().map(|(_, bytes)| bytes).sum();
        if let Some(room) = buffer.room
            && taken + needed > room
        {
            return Err(MpiError::Buffer(format!(
                "the attached buffer of {room} bytes has no room for a message of {bytes} and {BSEND_OVERHEAD} bytes: \
                 {taken} are taken by messages under way"
            )));
        }
        Ok(buffer)
    }

    pub(super) fn room_is_free(&mut self, actions: &mut Actions, of: BufferOf, number: u32, at: Time) {
        let Some(buffer) = self.buffer(of) else { return };
        buffer.under_way.retain(|(known, _)| *known != number);
        let first = buffer.under_way.iter().map(|(number, _)| *number).min().unwrap_or(u32::MAX);
        let (over, open) =
            std::mem::take(&mut buffer.flushes).into_iter().partition(|(_, upto)| *upto <= first);
        buffer.flushes = open;
        if buffer.under_way.is_empty() {
            buffer.next = 0;
        }
        let over: Vec<(RequestId, u32)> = over;
        for (id, _) in over {
            self.complete(actions, id, at, Completion::empty());
        }
    }
}
