//! A server of short answers, in one thread, that no client can hold up.
//!
//! A connection is one request without a body and one answer. Memory, connections and waiting are bounded whoever is connected: a head is
//! at most [`HEAD`] bytes long and there within [`ASKED_WITHIN`], and where there are [`CONNECTIONS`] already, a new one takes the place of
//! the one that has been silent for longest. What comes after the head is never read.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use weir_network::begin_thread;

/// Bytes of a request without its body, and lines of it. Browsers send less than one kilobyte in twenty lines.
const HEAD: usize = 8192;
const LINES: usize = 64;
/// Connections at a time. A browser has six.
const CONNECTIONS: usize = 32;
/// Connections that are accepted before those that are there are looked at again.
const AT_ONCE: usize = 8;
/// The time for a head, that for the answer, and that for answers that are on their way when the server ends.
const ASKED_WITHIN: Duration = Duration::from_secs(2);
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The system is left alone for this long when it has no connection to give.
const PAUSE: Duration = Duration::from_millis(200);

/// A request, as far as it is looked at.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    headers: Vec<(String, Vec<u8>)>,
}

impl Request {
    /// The values of all headers of a name.
    pub(super) fn headers(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let of_name = self.headers.iter().filter(move |(other, _)| other.eq_ignore_ascii_case(name));
        of_name.map(|(_, value)| value.as_slice())
    }

    /// The request that bytes begin with: none yet, or the status that refuses it.
    fn of(bytes: &[u8]) -> Result<Option<Self>, u16> {
        let mut lines = [httparse::EMPTY_HEADER; LINES];
        let mut request = httparse::Request::new(&mut lines);
        match request.parse(bytes) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) if bytes.len() < HEAD => return Ok(None),
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => return Err(431),
            Err(_) => return Err(400),
        }
        let headers = request.headers.iter().map(|header| (header.name.to_owned(), header.value.to_vec()));
        Ok(Some(Self {
            method: request.method.unwrap_or_default().to_owned(),
            target: request.path.unwrap_or_default().to_owned(),
            headers: headers.collect(),
        }))
    }
}

pub(super) struct Answer {
    pub(super) status: u16,
    /// Its type, such as `text/css`.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

impl Answer {
    /// A refusal in a few words.
    pub(super) fn refusal(status: u16, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", text: format!("{text}\n") }
    }

    fn into_bytes(self) -> Vec<u8> {
        let Self { status, kind, text } = self;
        let head = format!(
            "HTTP/1.1 {status} \r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
             Content-Security-Policy: default-src 'self'; img-src data:\r\n\r\n",
            text.len(),
        );
        [head.into_bytes(), text.into_bytes()].concat()
    }
}

/// A server that goes on until it is ended.
pub(super) struct Server {
    listener: Arc<TcpListener>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Answers what comes to a listener.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub(super) fn begin(
        listener: TcpListener,
        answer: impl Fn(&Request) -> Answer + Send + 'static,
    ) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        let (listener, is_over) = (Arc::new(listener), Arc::new(AtomicBool::new(false)));
        let (own, over) = (Arc::clone(&listener), Arc::clone(&is_over));
        let serve = move || serve(&own, &over, answer);
        let thread = begin_thread(serve, |thread, serve| thread.name("page".into()).spawn(serve))?;
        Ok(Self { listener, is_over, thread })
    }

    /// Ends, at the latest after [`LAST_WORDS`].
    pub(super) fn end(self) {
        self.is_over.store(true, Ordering::Release);
        // No connection comes any more, and the thread that waits for one goes on.
        let _ = shutdown(&self.listener, Shutdown::Both);
        // If it has panicked, the results of the run are there none the less.
        let _ = self.thread.join();
    }
}

fn serve(listener: &TcpListener, is_over: &AtomicBool, answer: impl Fn(&Request) -> Answer) {
    let mut open: VecDeque<Connection> = VecDeque::with_capacity(CONNECTIONS);
    let mut paused: Option<Instant> = None;
    let mut has_said = false;
    let mut last: Option<Instant> = None;
    loop {
        if is_over.load(Ordering::Acquire) {
            let last = *last.get_or_insert_with(Instant::now);
            open.retain(|connection| matches!(connection.state, State::IsAnswered { .. }));
            if open.is_empty() || last.elapsed() > LAST_WORDS {
                return;
            }
        }
        paused = paused.filter(|since| since.elapsed() < PAUSE);
        let accepts = last.is_none() && paused.is_none();
        wait(accepts.then_some(listener), &open);
        open.retain_mut(|connection| connection.go_on(&answer));
        for _ in 0..if accepts { AT_ONCE } else { 0 } {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if is_of_one(error.kind()) => break,
                Err(error) => {
                    if !has_said && !is_over.load(Ordering::Acquire) {
                        eprintln!(
                            "warning: the page of --live cannot be reached for now, the run goes on: {error}"
                        );
                        has_said = true;
                    }
                    paused = Some(Instant::now());
                    break;
                }
            };
            let Ok(mut connection) = Connection::begin(stream) else { continue };
            if !connection.go_on(&answer) {
                continue;
            }
            if open.len() == CONNECTIONS {
                let asks = open.iter().position(|connection| matches!(connection.state, State::Asks(_)));
                open.remove(asks.unwrap_or(0));
            }
            open.push_back(connection);
        }
    }
}

/// There is no connection, or it is closed already.
fn is_of_one(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted)
}

/// Waits until there is something to do: with connections, or while none is accepted, for a tenth of a second at the most.
fn wait(listener: Option<&TcpListener>, open: &VecDeque<Connection>) {
    let mut waits: Vec<PollFd<'_>> = Vec::with_capacity(CONNECTIONS + 1);
    waits.extend(listener.map(|listener| PollFd::new(listener, PollFlags::IN)));
    waits.extend(open.iter().map(|connection| match connection.state {
        State::Asks(_) => PollFd::new(&connection.stream, PollFlags::IN),
        State::IsAnswered { .. } => PollFd::new(&connection.stream, PollFlags::OUT),
    }));
    let tenth = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    let limit = (listener.is_none() || !open.is_empty()).then_some(&tenth);
    if poll(&mut waits, limit).is_err_and(|error| error != rustix::io::Errno::INTR) {
        std::thread::sleep(PAUSE);
    }
}

/// A connection, which never blocks.
struct Connection {
    stream: TcpStream,
    since: Instant,
    state: State,
}

enum State {
    /// The head is not there yet, but for these bytes.
    Asks(Vec<u8>),
    IsAnswered {
        bytes: Vec<u8>,
        sent: usize,
    },
}

impl Connection {
    fn begin(stream: TcpStream) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, since: Instant::now(), state: State::Asks(Vec::new()) })
    }

    /// Reads and writes what can be. Returns whether there is more to do.
    fn go_on(&mut self, answer: &impl Fn(&Request) -> Answer) -> bool {
        if let State::Asks(head) = &mut self.state {
            let ended = match (&self.stream).take((HEAD - head.len()) as u64).read_to_end(head) {
                Ok(_) => head.len() < HEAD,
                Err(error) if error.kind() == ErrorKind::WouldBlock => false,
                Err(_) => return false,
            };
            let answer = match Request::of(head) {
                Ok(Some(request)) => answer(&request),
                Ok(None) => return !ended && self.since.elapsed() < ASKED_WITHIN,
                Err(status) => Answer::refusal(status, "this is no request of the page"),
            };
            self.state = State::IsAnswered { bytes: answer.into_bytes(), sent: 0 };
            self.since = Instant::now();
        }
        if let State::IsAnswered { bytes, sent } = &mut self.state {
            while *sent < bytes.len() {
                match self.stream.write(&bytes[*sent..]) {
                    Ok(more) if more > 0 => *sent += more,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        return self.since.elapsed() < ANSWERED_WITHIN;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(_) | Err(_) => return false,
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &[u8]) -> Option<u16> {
        Request::of(text).err()
    }

    /// A head is read when it is whole; lines without end, too many of them, and what is no head are refused.
    #[test]
    fn heads() {
        let whole = b"POST /x/stop?1,2 HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\nbody";
        for end in 1..whole.len() - 4 {
            assert!(Request::of(&whole[..end]).unwrap().is_none(), "{end}");
        }
        let request = Request::of(whole).unwrap().unwrap();
        assert_eq!((&*request.method, &*request.target), ("POST", "/x/stop?1,2"));
        assert_eq!(request.headers("HOST").collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(refused(&[&b"GET /"[..], &vec![b'a'; HEAD]].concat()), Some(431));
        let lines =
            |number| ["GET / HTTP/1.1\r\n".to_owned(), "a: b\r\n".repeat(number), "\r\n".into()].concat();
        assert_eq!(refused(lines(LINES).as_bytes()), None);
        assert_eq!(refused(lines(LINES + 1).as_bytes()), Some(431));
        for text in
            ["\x16\x03\x01\x02", "GET\r\n\r\n", "GET / HTTP/1.1\r\na b\r\n\r\n", "GET / SIP/2\r\n\r\n"]
        {
            assert_eq!(refused(text.as_bytes()), Some(400), "{text:?}");
        }
    }
}
