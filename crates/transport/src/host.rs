//! Processes of one host, which meet in memory that they share.
//!
//! Process 0 makes the memory, as files without a name, and starts the others, which inherit the files. There is a control
//! block, in which they meet ([`control`]), and of each process two outboxes, one for meetings with even numbers and one
//! for odd ones ([`outbox`]): what a process brings stands there, and the others read it in place.
//!
//! Process 0 sees how the others end, as their parent ([`children`]). They see when it is gone: somebody else is their
//! parent then.

mod control;
mod invitation;
mod outbox;

use crate::Error;
use control::{Cause, Control, Failure, LOOK};
use invitation::{Invitation, VARIABLE};
use outbox::Outbox;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{fmt, io};
use weir_pdes::{Lost, Transport};

/// One of several processes of this host that run a simulation together.
///
/// # When it is dropped
/// Before [`HostProcesses::finish`], by a panic for example, the process counts as lost, and the others end their run. Process
/// 0 then waits a short while for them, and ends those that go on.
#[derive(Debug)]
pub struct HostProcesses {
    process: usize,
    control: Control,
    /// By process, by parity of the meeting.
    outboxes: Vec<[Outbox; 2]>,
    /// The meeting that comes next. It may wrap: only its neighbors matter.
    meeting: u32,
    role: Role,
    looked: Instant,
    finished: bool,
}

#[derive(Debug)]
enum Role {
    /// Process 0, which has started the others.
    First(Children),
    /// Another one, which process 0 has started: the system's number of that.
    Other(u32),
}

impl HostProcesses {
    /// The most processes that a run may have.
    pub const MOST: usize = control::MOST;

    /// Makes this process number 0 of so many, and starts the others: `command` makes the command of each by its number.
    /// A command is to become the process itself, which calls [`HostProcesses::join`]: not a script that starts it.
    ///
    /// The others get process groups of their own: signals that the terminal sends to the group of this process concern
    /// this one alone, which may pass them on ([`HostProcesses::forwarding`]).
    ///
    /// # Errors
    /// When there is no memory, or a process cannot be started; those that have been started are ended.
    ///
    /// # Panics
    /// When the number of processes is 0 or above [`HostProcesses::MOST`].
    pub fn start(processes: usize, mut command: impl FnMut(usize) -> Command) -> Result<Self, Error> {
        assert!((1..=Self::MOST).contains(&processes), "a run has 1 to {} processes", Self::MOST);
        let files: Vec<File> =
            (0..1 + 2 * processes).map(|_| memory()).collect::<io::Result<_>>().map_err(Error::Memory)?;
        let descriptors: Vec<RawFd> = files.iter().map(File::as_raw_fd).collect();
        let mut files = files.into_iter();
        let control = files.next().expect("there is at least one");
        let control = Control::create(&control, processes).map_err(Error::Memory)?;
        let outboxes = pairs(files.map(|file| Outbox::create(file, processes))).map_err(Error::Memory)?;
        let role = Role::First(Children::default());
        let mut this =
            Self { process: 0, control, outboxes, meeting: 0, role, looked: Instant::now(), finished: false };
        for process in 1..processes {
            let mut command = command(process);
            let parent = std::process::id();
            let invitation = Invitation { process, processes, parent, files: descriptors.clone() };
            command.env(VARIABLE, invitation.text()).process_group(0);
            // SAFETY: between fork and exec only system calls are made, which all such code may do.
            unsafe { command.pre_exec(move || invitation.files.iter().copied().try_for_each(leave_open)) };
            let child = command.spawn().map_err(|error| Error::Start { process, error })?;
            if let Role::First(children) = &mut this.role {
                children.others.push(child);
            }
        }
        Ok(this)
    }

    /// Joins the run for which this process has been started by [`HostProcesses::start`]; `None` if it has not been.
    ///
    /// To be called first in `main`: processes that this one starts are not to take the place of it, so what says that it
    /// belongs to a run is taken from the environment, which is possible while there are no other threads only.
    ///
    /// # Errors
    /// When the environment names a run that there is not.
    pub fn join() -> Result<Option<Self>, Error> {
        let Some(text) = std::env::var_os(VARIABLE) else { return Ok(None) };
        let refused = || Error::Invitation(text.to_string_lossy().into_owned());
        let invitation = Invitation::read(&text).ok_or_else(refused)?;
        let files = invitation.take_files()?;
        if is_alone() {
            // SAFETY: this is the only thread, so no other one reads the environment meanwhile.
            unsafe { std::env::remove_var(VARIABLE) };
        }
        let Invitation { process, processes, parent, .. } = invitation;
        let mut files = files.into_iter();
        let control = files.next().ok_or_else(refused)?;
        let control = Control::open(&control, processes).map_err(Error::Memory)?.ok_or_else(refused)?;
        let outboxes = pairs(files.map(|file| Outbox::open(file, processes))).map_err(Error::Memory)?;
        let (role, looked) = (Role::Other(parent), Instant::now());
        Ok(Some(Self { process, control, outboxes, meeting: 0, role, looked, finished: false }))
    }

    /// Passes signals on from process 0 to the others: `forward` is asked some 50 times in a second while this process waits,
    /// and each signal that it returns is passed on once. Changes nothing in another process.
    #[must_use]
    pub fn forwarding(mut self, forward: impl FnMut() -> Option<i32> + Send + 'static) -> Self {
        if let Role::First(children) = &mut self.role {
            children.forward = Some(Box::new(forward));
        }
        self
    }

    /// Says that this process is done: all have come to the last meeting. Process 0 waits until all others have ended,
    /// and returns how, beginning with process 1; the others return nothing.
    ///
    /// # Errors
    /// When the system cannot say how they have ended.
    pub fn finish(mut self) -> Result<Vec<ExitStatus>, Error> {
        self.finished = true;
        self.control.finish(self.process);
        match &mut self.role {
            Role::First(children) => children.wait(&self.control),
            Role::Other(_) => Ok(Vec::new()),
        }
    }
}

impl Transport for HostProcesses {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.outboxes.len()
    }

    fn meet(
        &mut self,
        words: &mut [u64],
        letters: &mut [Vec<u8>],
        receive: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Lost> {
        let Self { process, control, outboxes, meeting, role, looked, .. } = self;
        let mut look = |control: &Control| {
            if looked.elapsed() >= LOOK {
                role.look(control);
                *looked = Instant::now();
            }
        };
        // While meetings are short no process would look otherwise.
        look(control);
        if let Some(failure) = control.failure() {
            return Err(lost(failure));
        }
        let parity = (*meeting % 2) as usize;
        if let Err(error) = outboxes[*process][parity].write(*process, words, letters) {
            control.fail(*process, Cause::GaveUp);
            let why = format!("has no memory for its letters: {error}");
            return Err(Lost { process: Some(*process), why });
        }
        control.meet(*meeting, look).map_err(lost)?;
        for (from, outboxes) in outboxes.iter_mut().enumerate() {
            if from == *process {
                if let Some(own) = letters.get(from).filter(|own| !own.is_empty()) {
                    receive(from, own);
                }
                continue;
            }
            let unreadable = |error| {
                let why = format!("has an outbox that cannot be read: {error}");
                Lost { process: Some(from), why }
            };
            let brought = outboxes[parity].words().map_err(unreadable)?;
            assert_eq!(brought.len(), words.len(), "all processes bring the same number of words");
            words.iter_mut().zip(brought).for_each(|(word, other)| *word = (*word).min(*other));
            let letter = outboxes[parity].letter(*process).map_err(unreadable)?;
            if !letter.is_empty() {
                receive(from, letter);
            }
        }
        letters.iter_mut().for_each(Vec::clear);
        *meeting = meeting.wrapping_add(1);
        Ok(())
    }
}

impl Role {
    /// Looks whether the others are there, and shows all who is not.
    fn look(&mut self, control: &Control) {
        match self {
            // What cannot be looked at now is looked at again; the others look as well.
            Self::First(children) => _ = children.look(control),
            Self::Other(parent) => {
                let now = rustix::process::getppid().map(|id| id.as_raw_nonzero().get() as u32);
                if now != Some(*parent) {
                    control.fail(0, Cause::Vanished);
                }
            }
        }
    }
}

impl Drop for HostProcesses {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        self.control.fail(self.process, Cause::GaveUp);
        if let Role::First(children) = &mut self.role {
            children.end(&self.control);
        }
    }
}

/// A file without a name, in memory. Programs that this process starts do not inherit it.
fn memory() -> io::Result<File> {
    Ok(File::from(memfd_create("weir", MemfdFlags::CLOEXEC)?))
}

/// Has a file stay open in the program that this process becomes.
fn leave_open(file: RawFd) -> io::Result<()> {
    // SAFETY: process 0 keeps its files open until all processes are started.
    Ok(fcntl_setfd(unsafe { BorrowedFd::borrow_raw(file) }, FdFlags::empty())?)
}

/// The outboxes of each process.
fn pairs(mut outboxes: impl Iterator<Item = io::Result<Outbox>>) -> io::Result<Vec<[Outbox; 2]>> {
    let mut pairs = Vec::new();
    while let Some(even) = outboxes.next() {
        let odd = outboxes.next().expect("there are two for each process");
        pairs.push([even?, odd?]);
    }
    Ok(pairs)
}

/// Returns whether this process has one thread only.
fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// In words for people.
fn lost(failure: Failure) -> Lost {
    let why = match failure.cause {
        Cause::Ended(status) => match (status.signal(), status.code()) {
            (Some(signal), _) => format!("was ended by signal {signal}"),
            (_, code) => format!("has ended with status {}", code.unwrap_or_default()),
        },
        Cause::GaveUp => "has given up".to_owned(),
        Cause::Vanished => "has gone".to_owned(),
        Cause::Finished => "is done, but others are not".to_owned(),
    };
    Lost { process: Some(failure.process), why }
}

/// After process 0 has given up, the others may take so long to notice and to end by themselves.
const GRACE: Duration = Duration::from_secs(2);

/// Returns a signal that is to be passed on, if there is one.
type Forward = Box<dyn FnMut() -> Option<i32> + Send>;

/// The other processes, by number, beginning with process 1.
#[derive(Default)]
struct Children {
    others: Vec<Child>,
    forward: Option<Forward>,
    /// The last signal that has been passed on.
    forwarded: Option<i32>,
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.others).finish()
    }
}

impl Children {
    /// Passes a signal on if there is one, and shows all others who has been lost.
    fn look(&mut self, control: &Control) -> io::Result<()> {
        self.pass_signal_on();
        for (process, child) in (1..).zip(&mut self.others) {
            if let Some(status) = child.try_wait()?
                && !control.has_finished(process)
            {
                control.fail(process, Cause::Ended(status));
            }
        }
        Ok(())
    }

    /// Each signal once, to those that have not ended.
    fn pass_signal_on(&mut self) {
        let Some(signal) = self.forward.as_mut().and_then(|forward| forward()) else { return };
        if self.forwarded.replace(signal) == Some(signal) {
            return;
        }
        let Some(signal) = Signal::from_named_raw(signal) else { return };
        for child in &mut self.others {
            if let Ok(None) = child.try_wait() {
                // It has not been waited for, so its number is still its own.
                _ = kill_process(Pid::from_child(child), signal);
            }
        }
    }

    /// Waits until all have ended, and returns how.
    fn wait(&mut self, control: &Control) -> Result<Vec<ExitStatus>, Error> {
        let mut pause = Duration::from_micros(200);
        loop {
            self.look(control).map_err(Error::Wait)?;
            let ended = self.others.iter_mut().map(Child::try_wait).collect::<io::Result<Option<Vec<_>>>>();
            if let Some(ended) = ended.map_err(Error::Wait)? {
                return Ok(ended);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LOOK);
        }
    }

    /// Waits for a while, and then ends those that are left.
    fn end(&mut self, control: &Control) {
        let since = Instant::now();
        while since.elapsed() < GRACE
            && self.look(control).is_ok()
            && self.others.iter_mut().any(|child| matches!(child.try_wait(), Ok(None)))
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        for child in &mut self.others {
            // One that has ended stays as it is. Nothing is left to be done about one that cannot be ended.
            _ = child.kill();
            _ = child.wait();
        }
    }
}
