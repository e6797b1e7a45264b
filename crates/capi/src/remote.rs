//! Ranks that are processes of their own: programs built elsewhere, interpreters.
//!
//! Every rank is a process that has loaded our library of the standard's binary interface, `libmpi_abi.so.1` (the crate
//! `abi`), in which the same C functions run as in a program of `weir cc`. Only what is below them differs: instead of
//! being suspended as a coroutine, the process sends the simulator what it has answered and waits for the next event,
//! over a socket. One process runs at a time, while the simulator waits for it, so a run gives the same bytes as with
//! coroutines.
//!
//! ```text
//!   simulator: RankProcess::react --- ToRank::Event --->  Context::wait in the rank's process: Rank::take
//!                     ^                                        |  goes on when what it waits for is there
//!                     '------------- FromRank::Waits <---------'  ... and then waits for something else
//! ```

pub(crate) mod attached;
mod processes;

use crate::cache;
use crate::rank::Phase;
use crate::world::options::Compute;
pub use attached::enable;
pub use processes::{ProcessError, Processes, RankProcess};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ChildStdout;
use weir_collectives::Choice;
use weir_message::{Body, Costs, Interfaces, Moved};
use weir_network::{Answers, Event, Waiting};
use weir_units::{Rank, Time};

/// The environment variable with the number of a process's socket.
const SOCKET: &str = "WEIR_RANK_SOCKET";

/// The environment variable with the name of its node.
pub const HOST_NAME: &str = "WEIR_HOST_NAME";

/// Version of what is said below.
const PROTOCOL: u32 = 9;

/// Data that a rank's process needs before it calls MPI.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Startup {
    protocol: u32,
    rank: Rank,
    costs: Costs,
    choice: Choice,
    moved: Moved,
    compute: Compute,
    interfaces: Interfaces,
    /// The programs, their arguments, and how many ranks run each.
    programs: Vec<(OsString, Vec<OsString>, usize)>,
    nodes: Vec<String>,
    /// The folder for what ranks share.
    shared: OsString,
}

#[derive(Debug, Serialize, Deserialize)]
enum ToRank {
    Startup(Box<Startup>),
    Event { now: Time, next_sequence: u64, event: Event<Body> },
    Explain,
}

#[derive(Debug, Serialize, Deserialize)]
enum FromRank {
    Waits(Progress),
    /// It ends; the socket closes next.
    Leaves(Progress),
    Explained(Waiting),
    /// The run ends, for this reason; a thread that is not the rank says so.
    Fails(String),
}

/// Actions of a rank since the last event, and where it stands.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    answers: Answers<Body>,
    standing: Standing,
}

#[derive(Debug, Serialize, Deserialize)]
struct Standing {
    clock: Time,
    phase: Phase,
    /// The MPI function called last.
    call: String,
    /// MPI functions called so far.
    calls: u64,
}

/// Sends and receives values: the length in 8 bytes, then the value.
#[derive(Debug)]
struct Link {
    stream: UnixStream,
    /// Used again and again.
    buffer: RefCell<Vec<u8>>,
}

impl Link {
    fn new(stream: UnixStream) -> Self {
        Self { stream, buffer: RefCell::default() }
    }

    fn send<T: Serialize>(&self, value: &T) -> io::Result<()> {
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

    fn number(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// The next value. A closed socket is an error of the kind [`io::ErrorKind::UnexpectedEof`].
    fn receive<T: DeserializeOwned>(&self) -> io::Result<T> {
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

/// The names under which programs look for it: the standard's, and that of MPICH 5.0.0 and 5.0.1.
const NAMES: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so.0"];

/// The library: what the environment variable `WEIR_MPI_ABI` names, or `libmpi_abi.so` beside the running command or in
/// `lib` beside the command's folder.
pub(crate) fn library() -> Result<PathBuf, ProcessError> {
    if let Some(path) = std::env::var_os("WEIR_MPI_ABI").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(ProcessError::new(format!(
                "{}, which the environment variable WEIR_MPI_ABI names, is no file\n\nhint: name libmpi_abi.so, or unset it",
                path.display()
            )))
        };
    }
    let command = std::env::current_exe().unwrap_or_default();
    let folder = command.parent().unwrap_or(Path::new("."));
    let places = [folder.to_owned(), folder.join("../lib")];
    let found = places.into_iter().map(|place| place.join("libmpi_abi.so")).find(|path| path.exists());
    found.ok_or_else(|| {
        ProcessError::new(format!(
            "the library libmpi_abi.so, with which weir runs programs built elsewhere, is not beside {}\n\nhint: build it with \
             cargo build --release --package weir-abi, or say in the environment variable WEIR_MPI_ABI where it is",
            command.display()
        ))
    })
}

/// A folder that has the library under the names that programs look for.
fn library_folder() -> Result<PathBuf, ProcessError> {
    let library = library()?;
    let library = library.canonicalize().unwrap_or(library);
    let name = format!("mpi-abi-{:016x}", cache::fingerprint([&*library.to_string_lossy()].into_iter()));
    let folder = cache::folder().join(name);
    let no_folder = |reason| ProcessError::no_folder(&folder, &reason);
    fs::create_dir_all(&folder).map_err(no_folder)?;
    for link in NAMES.map(|name| folder.join(name)) {
        if fs::read_link(&link).is_ok_and(|to| to == library) {
            continue;
        }
        // Made beside its place and moved there: others may be looking.
        let unfinished = folder.join(format!("{}.new", std::process::id()));
        _ = fs::remove_file(&unfinished);
        symlink(&library, &unfinished).and_then(|()| fs::rename(&unfinished, &link)).map_err(no_folder)?;
    }
    Ok(folder)
}

/// The standard output of a process, which never has to wait for us.
#[derive(Debug)]
struct Printed {
    pipe: ChildStdout,
    /// The beginning of a line.
    begun: Vec<u8>,
}

impl Printed {
    fn new(pipe: ChildStdout) -> io::Result<Self> {
        // SAFETY: our own end of the pipe.
        match unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } {
            0 => Ok(Self { pipe, begun: Vec::new() }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Passes on what the process prints, until it has something to say to the simulator. Asks now and then whether to go on
    /// with that; whether it was to the end.
    fn pass_on_until(&mut self, link: &Link, mut goes_on: impl FnMut() -> bool) -> bool {
        loop {
            let [has_said, has_printed] = wait([link.number(), self.pipe.as_raw_fd()]);
            let is_open = !has_printed || self.pass_on();
            if has_said || !is_open {
                return true;
            }
            if !goes_on() {
                return false;
            }
        }
    }

    /// Passes on the whole lines that are there; false at the end of the output.
    fn pass_on(&mut self) -> bool {
        let mut piece = [0; 1 << 14];
        loop {
            match self.pipe.read(&mut piece) {
                Ok(0) => return false,
                Ok(length) => {
                    self.begun.extend(&piece[..length]);
                    if let Some(end) = self.begun.iter().rposition(|&byte| byte == b'\n') {
                        let lines: Vec<u8> = self.begun.drain(..=end).collect();
                        print(&lines);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return true,
            }
        }
    }

    /// Passes on all that is there; the process has ended.
    fn pass_on_rest(&mut self) {
        self.pass_on();
        if !self.begun.is_empty() {
            print(&std::mem::take(&mut self.begun));
        }
    }
}

/// There is nowhere to report to when our own output is closed.
fn print(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Waits until something can be read from one of two files, or one of them is at its end, but not for ever; from which.
fn wait(files: [RawFd; 2]) -> [bool; 2] {
    let mut asked = files.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    const MILLISECONDS: libc::c_int = 100;
    // SAFETY: an array of our own; interrupted, it says that nothing is there.
    unsafe { libc::poll(asked.as_mut_ptr(), 2, MILLISECONDS) };
    asked.map(|file| file.revents != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};

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

    /// Whole lines are passed on, and what the process has to say comes first; then its end.
    #[test]
    fn lines_are_passed_on_whole() {
        let script = "printf 'one\\ntwo'; read line; printf 'three\\nfour'";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut printed = Printed::new(child.stdout.take().unwrap()).unwrap();
        let (here, there) = UnixStream::pair().unwrap();
        let (here, there) = (Link::new(here), Link::new(there));
        // Nothing is said: whoever waits is asked whether to go on.
        let mut asked = 0;
        while printed.begun != b"two" {
            let goes_on = || {
                asked += 1;
                asked % 3 != 0 && asked < 300
            };
            assert!(!printed.pass_on_until(&here, goes_on));
            assert!(asked < 300, "it has printed {:?}", printed.begun);
        }
        assert!(printed.pass_on(), "it is open");
        there.send(&7).unwrap();
        assert!(printed.pass_on_until(&here, || panic!("it has said something")));
        assert_eq!((here.receive::<i32>().unwrap(), printed.begun.as_slice()), (7, &b"two"[..]));
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(child.wait().unwrap().success());
        assert!(printed.pass_on_until(&here, || true), "it is at its end");
        assert_eq!(printed.begun, b"four");
        assert!(!printed.pass_on());
        printed.pass_on_rest();
        assert_eq!(printed.begun, b"");
    }
}
