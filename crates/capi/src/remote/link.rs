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

#[cfg(test)]
mod tests {
    use super::*;

    /// Values come as they were sent, one behind the other, however long the last one was; then the end.
    #[test]
    fn values_go_both_ways() {
        let (one, other) = UnixStream::pair().unwrap();
        let (here, there) = (Link::new(one), Link::new(other));
        assert_ne!(here.number(), there.number());
        here.send(&("a".repeat(300), 7_u64)).unwrap();
        here.send(&Some(-1_i32)).unwrap();
        assert_eq!(there.receive::<(String, u64)>().unwrap(), ("a".repeat(300), 7));
        there.send(&()).unwrap();
        assert_eq!(there.receive::<Option<i32>>().unwrap(), Some(-1));
        here.receive::<()>().unwrap();
        // The length in eight bytes comes first.
        here.send(&[1_u8, 2, 3]).unwrap();
        let mut raw = [0; 11];
        (&there.stream).read_exact(&mut raw).unwrap();
        assert_eq!(raw, [3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
        drop(here);
        let error = there.receive::<u8>().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert!(there.send(&1_u8).is_err());
    }
}
