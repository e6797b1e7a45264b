//! Buffers that the program has attached for its buffered sends (MPI 5.0, section 3.6): of the whole process, and of
//! communicators. A message takes room from the send until its data have left the node.

use super::Process;
use crate::request::{About, Owner, Request, State};
use crate::{Body, CommunicatorId, Completion, MpiError, RequestId};
use weir_network::Actions;
use weir_units::Time;

/// Room that a message takes besides its data: `MPI_BSEND_OVERHEAD`.
const BSEND_OVERHEAD: u64 = 512;

/// A buffer and the messages in it.
#[derive(Debug)]
pub(super) struct SendBuffer {
    /// The communicator it belongs to; `None`: the process.
    of: Option<CommunicatorId>,
    /// Its length in bytes; `None`: as long as needed.
    room: Option<u64>,
    /// Messages under way: number, and bytes taken.
    under_way: Vec<(u32, u64)>,
    /// Requests to tell when all messages with smaller numbers have left.
    flushes: Vec<(RequestId, u32)>,
    /// The number of the next message; they begin again when the buffer is empty.
    next: u32,
}

impl Process {
    fn buffer(&mut self, of: Option<CommunicatorId>) -> Option<&mut SendBuffer> {
        self.rare.as_mut()?.buffers.iter_mut().find(|buffer| buffer.of == of)
    }

    /// Attaches a buffer of `room` bytes (of any length, if `None`) to a communicator, or to the process.
    ///
    /// # Errors
    /// When there is no such communicator, or it has a buffer already.
    pub fn attach_buffer(&mut self, of: Option<CommunicatorId>, room: Option<u64>) -> Result<(), MpiError> {
        of.map_or(Ok(()), |id| self.communicator(id).map(|_| ()))?;
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
    pub fn flush_buffer(&mut self, of: Option<CommunicatorId>) -> Result<RequestId, MpiError> {
        of.map_or(Ok(()), |id| self.communicator(id).map(|_| ()))?;
        if self.buffer(of).is_none_or(|buffer| buffer.under_way.is_empty()) {
            return Ok(self.completed());
        }
        let about = About { communicator: of.unwrap_or(CommunicatorId::WORLD), ..About::NOBODY };
        let id = self.requests.add(Request { state: State::Open, owner: Owner::Program, about });
        if let Some(buffer) = self.buffer(of) {
            let upto = buffer.next;
            buffer.flushes.push((id, upto));
        }
        Ok(id)
    }

    /// Detaches a buffer, whose messages have left.
    ///
    /// # Errors
    /// When none is attached.
    pub fn detach_buffer(&mut self, of: Option<CommunicatorId>) -> Result<(), MpiError> {
        let buffers = &mut self.rare().buffers;
        let index = buffers.iter().position(|buffer| buffer.of == of);
        let index = index.ok_or_else(|| MpiError::Buffer("no buffer is attached".into()))?;
        buffers.remove(index);
        Ok(())
    }

    /// Takes room for a message of so many bytes in the buffer of the communicator, or else in that of the process.
    pub(super) fn take_room(&mut self, communicator: CommunicatorId, bytes: u64) -> Result<Owner, MpiError> {
        let of = Some(communicator).filter(|_| self.buffer(Some(communicator)).is_some());
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
        let number = buffer.next;
        buffer.next += 1;
        buffer.under_way.push((number, needed));
        Ok(Owner::Buffered { of, number })
    }

    /// A message in a buffer has left.
    pub(super) fn room_is_free(
        &mut self,
        actions: &mut Actions<Body>,
        of: Option<CommunicatorId>,
        number: u32,
        at: Time,
    ) {
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
