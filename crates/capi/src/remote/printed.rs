//! Output of the process of a rank: whole lines, in the order in which the ranks run.

use super::Link;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::process::ChildStdout;

/// The standard output of a process, which never has to wait for us.
#[derive(Debug)]
pub(super) struct Printed {
    pipe: ChildStdout,
    /// The beginning of a line.
    begun: Vec<u8>,
}

impl Printed {
    pub(super) fn new(pipe: ChildStdout) -> io::Result<Self> {
        // SAFETY: our own end of the pipe.
        match unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } {
            0 => Ok(Self { pipe, begun: Vec::new() }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Passes on what the process prints, until it has something to say to the simulator. Asks now and then whether to go on
    /// with that; whether it was to the end.
    pub(super) fn pass_on_until(&mut self, link: &Link, mut goes_on: impl FnMut() -> bool) -> bool {
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
    pub(super) fn pass_on(&mut self) -> bool {
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
    pub(super) fn pass_on_rest(&mut self) {
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
