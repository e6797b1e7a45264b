//! One end of the socket between the simulator and a rank's process.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

/// Sends and receives values: the length in 8 bytes, then the value.
#[derive(Debug)]
pub(super) struct Link {
    stream: UnixStream,
    /// Used again and again.
    buffer: RefCell<Vec<u8>>,
}

impl Link {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, buffer: RefCell::default() }
    }

    pub(super) fn send<T: Serialize>(&self, value: &T) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut *self.buffer.borrow_mut());
        buffer.clear();
        buffer.extend([0; 8]);
        let mut buffer = postcard::to_extend(value, buffer).map_err(io::Error::other)?;
        let length = buffer.len() as u64 - 8;
        buffer[..8].copy_from_slice(&length.to_le_bytes());
        let sent = (&self.stream).write_all(&buffer);
        *self.buffer.borrow_mut() = buffer;
        sent
    }

    /// The file descriptor.
    pub(super) fn number(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// The next value. A closed socket is an error of the kind [`io::ErrorKind::UnexpectedEof`].
    pub(super) fn receive<T: DeserializeOwned>(&self) -> io::Result<T> {
        let mut length = [0; 8];
        (&self.stream).read_exact(&mut length)?;
        let mut buffer = std::mem::take(&mut *self.buffer.borrow_mut());
        buffer.resize(u64::from_le_bytes(length) as usize, 0);
        (&self.stream).read_exact(&mut buffer)?;
        let value = postcard::from_bytes(&buffer).map_err(io::Error::other);
        *self.buffer.borrow_mut() = buffer;
        value
    }
}
