//! In the simulator: ranks whose programs run in processes of their own.

use super::{FromRank, HOST_NAME, Link, PROTOCOL, Printed, Progress, SOCKET, Standing, Startup, ToRank};
use crate::process::signals;
use crate::process::turns::StuckRankWarnings;
use crate::rank::Phase;
use crate::rank::program::State;
use crate::world::nodes::Nodes;
use crate::world::{ProgramToRun, WorldOptions};
use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thiserror::Error;
use weir_message::Body;
use weir_network::{Actions, Event, Limits, Program, Waiting};
use weir_units::Rank;

/// Why the processes of a program's ranks are not started: our library is not where it should be, a folder for it cannot be made,
/// or the system refuses a process.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ProcessError(String);

impl ProcessError {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    pub(super) fn no_folder(path: &Path, reason: &io::Error) -> Self {
        let hint = "set XDG_CACHE_HOME to a folder that can be written";
        Self(format!("cannot write {}: {reason}\n\nhint: {hint}", path.display()))
    }
}

/// The processes of all ranks of a program, and what they count together.
pub struct Processes {
    calls: Cell<u64>,
    events: Cell<u64>,
    exit_codes: RefCell<Vec<(Rank, i32)>>,
    without_mpi: Cell<usize>,
    limits: Limits,
    started: Instant,
    /// Ranks keep in files there what they share, until all have ended.
    _shared: TempDir,
}

impl Processes {
    /// Starts a process for every rank. They run until they call MPI, and wait then for their first event.
    ///
    /// # Errors
    /// When our library is not there, or a process cannot be started.
    pub fn start(
        options: &WorldOptions,
        limits: Limits,
    ) -> Result<(Rc<Self>, Vec<RankProcess>), ProcessError> {
        let folder = super::library_folder()?;
        let shared = tempfile::Builder::new()
            .prefix("weir-")
            .tempdir()
            .map_err(|reason| ProcessError::no_folder(&std::env::temp_dir(), &reason))?;
        let place = shared.path().as_os_str().to_owned();
        let (calls, events, without_mpi) = (Cell::new(0), Cell::new(0), Cell::new(0));
        let (exit_codes, started) = (RefCell::default(), Instant::now());
        let processes =
            Rc::new(Self { calls, events, exit_codes, without_mpi, limits, started, _shared: shared });
        let ranks = (0..options.ranks).map(Rank::new);
        let nodes: Vec<String> = ranks.clone().map(|rank| options.processor_names.name(rank)).collect();
        let program = |program: &ProgramToRun| {
            (program.path.clone().into_os_string(), program.args.clone(), program.ranks)
        };
        let programs: Vec<_> = options.programs.iter().map(program).collect();
        let startup = |rank| Startup {
            protocol: PROTOCOL,
            rank,
            costs: options.costs.as_ref().clone(),
            choice: options.choice.clone(),
            moved: options.moved,
            compute: options.compute,
            interfaces: options.interfaces,
            programs: programs.clone(),
            nodes: nodes.clone(),
            shared: place.clone(),
        };
        let paths = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let paths = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&paths)));
        let of_nodes = Nodes::of(options);
        let start = |rank: Rank| {
            let environment = Nodes::variables().filter_map(|name| {
                Some((name, of_nodes.variable(name, rank, || nodes[rank.index()].clone())?))
            });
            let paths = paths.as_deref().unwrap_or_default();
            let started = spawn(options, rank, paths, environment);
            let (child, link, printed) = started.map_err(|reason| {
                let program = options.program_of(rank).path.display();
                ProcessError(format!("cannot start {program} for rank {rank}: {reason}"))
            })?;
            // A process that ends before it reads this is found to have ended.
            _ = link.send(&ToRank::Startup(Box::new(startup(rank))));
            let (processes, state) = (Rc::clone(&processes), State::Running);
            Ok(RankProcess {
                rank,
                child,
                link: Some(link),
                printed,
                state,
                last: None,
                next_token: 1 << 63,
                processes,
            })
        };
        let ranks: Result<Vec<RankProcess>, ProcessError> = ranks.map(start).collect();
        Ok((processes, ranks?))
    }

    /// MPI functions called so far.
    pub fn mpi_calls(&self) -> u64 {
        self.calls.get()
    }

    /// Events delivered to ranks so far.
    pub fn context_switches(&self) -> u64 {
        self.events.get()
    }

    /// Number of ranks that have ended without a call of MPI.
    pub fn without_mpi(&self) -> usize {
        self.without_mpi.get()
    }

    /// Ranks that ended with something other than 0, in the order of ending.
    pub fn exit_codes(&self) -> Vec<(Rank, i32)> {
        self.exit_codes.borrow().clone()
    }
}

type Started = (Child, Link, Option<Printed>);

fn spawn(
    options: &WorldOptions,
    rank: Rank,
    paths: &OsStr,
    environment: impl Iterator<Item = (&'static str, String)>,
) -> io::Result<Started> {
    let (own, theirs) = UnixStream::pair()?;
    let number = theirs.as_raw_fd();
    let program = options.program_of(rank);
    let mut command = Command::new(&program.path);
    command.args(&program.args).env("LD_LIBRARY_PATH", paths).env(SOCKET, number.to_string());
    command.env(HOST_NAME, options.processor_names.name(rank)).envs(environment);
    if rank != Rank(0) {
        command.stdin(Stdio::null());
    }
    // Signals for a whole group are for us: we end our ranks. Only one that reads from a terminal has to be in our group.
    let at_terminal = rank == Rank(0) && io::stdin().is_terminal();
    if !at_terminal {
        command.process_group(0);
    }
    signals::dies_with_us(&mut command);
    // SAFETY: system calls between fork and exec: the socket stays open.
    unsafe {
        command.pre_exec(move || {
            if at_terminal {
                libc::signal(libc::SIGINT, libc::SIG_IGN);
            }
            match libc::fcntl(number, libc::F_SETFD, 0) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let printed = child.stdout.take().map(Printed::new).transpose()?;
    Ok((child, Link::new(own), printed))
}

/// One rank whose program runs in a process of its own.
pub struct RankProcess {
    rank: Rank,
    child: Child,
    /// Closed when the process has ended.
    link: Option<Link>,
    printed: Option<Printed>,
    state: State,
    last: Option<Standing>,
    next_token: u64,
    processes: Rc<Processes>,
}

impl RankProcess {
    /// Receives from the process until it waits for events or has ended.
    fn receive(&mut self, actions: &mut Actions<Body>) {
        let processes = Rc::clone(&self.processes);
        let (rank, since, mut words) = (self.rank, Instant::now(), StuckRankWarnings::default());
        let mut goes_on = || {
            const LEAST: Duration = Duration::from_millis(200);
            let elapsed = since.elapsed();
            words.say(rank, elapsed);
            elapsed < LEAST || processes.limits.wall_is_over(processes.started).is_none()
        };
        loop {
            if let (Some(link), Some(printed)) = (&self.link, &mut self.printed)
                && !printed.pass_on_until(link, &mut goes_on)
            {
                actions.note_limit();
                return self.kill();
            }
            let received = self.link.as_ref().map(Link::receive);
            match received {
                Some(Ok(FromRank::Waits(progress))) => return self.note(progress, actions),
                Some(Ok(FromRank::Leaves(progress))) => self.note(progress, actions),
                Some(Ok(FromRank::Explained(_))) => {}
                Some(Ok(FromRank::Fails(why))) => {
                    self.end_of_output();
                    self.kill();
                    return actions.stop(why);
                }
                Some(Err(_)) | None => return self.end(actions),
            }
        }
    }

    fn note(&mut self, progress: Progress, actions: &mut Actions<Body>) {
        actions.answer(progress.answers);
        let before = self.last.as_ref().map_or(0, |last| last.calls);
        self.processes.calls.set(self.processes.calls.get() + progress.standing.calls - before);
        self.last = Some(progress.standing);
    }

    /// The process is not awaited any more.
    fn kill(&mut self) {
        self.link = None;
        self.state = State::Over;
        self.kill_group();
        _ = self.child.wait();
    }

    /// Ends the process, and those that it has started.
    fn kill_group(&mut self) {
        // SAFETY: the group of a process that has not been waited for, where it has one of its own.
        unsafe { libc::kill(-self.child.id().cast_signed(), libc::SIGKILL) };
        _ = self.child.kill();
    }

    /// The process has closed its socket.
    fn end(&mut self, actions: &mut Actions<Body>) {
        self.end_of_output();
        self.state = State::Over;
        let status = match self.child.wait() {
            Ok(status) => status,
            Err(reason) => return actions.stop(format!("its process is lost: {reason}")),
        };
        let Some(code) = status.code() else {
            let after = self.last.as_ref().map(|last| format!(", after {}", last.call)).unwrap_or_default();
            let signal = status.signal().unwrap_or_default();
            return actions.stop(format!("its process died by signal {signal}{after}"));
        };
        let Some(Standing { clock, phase, .. }) = self.last else {
            self.processes.without_mpi.set(self.processes.without_mpi.get() + 1);
            return self.note_exit_code(code);
        };
        match phase {
            Phase::Initialized => {
                actions.stop(format!("its process ended with {code} before MPI_Finalize"));
            }
            Phase::Before | Phase::Finalized => self.note_exit_code(code),
        }
        self.state = State::at_end(clock, actions, || {
            self.next_token += 1;
            self.next_token
        });
    }

    /// Closes the socket and passes on what the process has printed before it ended.
    fn end_of_output(&mut self) {
        self.link = None;
        if let Some(printed) = &mut self.printed {
            printed.pass_on_rest();
        }
    }

    fn note_exit_code(&self, code: i32) {
        if code != 0 {
            self.processes.exit_codes.borrow_mut().push((self.rank, code));
        }
    }
}

impl Program for RankProcess {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions<Body>) {
        match (self.state, &event) {
            (State::Running, _) => {}
            (State::Ending(end), Event::Timer { token }) if *token == end => return self.state = State::Over,
            (_, Event::Timer { .. }) => return actions.ignore(),
            // It will not be asked for any more.
            _ => return,
        }
        self.processes.events.set(self.processes.events.get() + 1);
        let message = ToRank::Event { now: actions.now(), next_sequence: actions.next_sequence(), event };
        if let Some(link) = &self.link {
            // A process that has ended does not receive; that it has is found next.
            _ = link.send(&message);
        }
        self.receive(actions);
    }

    fn waiting(&self) -> Option<Waiting> {
        if self.state == State::Over {
            return None;
        }
        let link = self.link.as_ref()?;
        link.send(&ToRank::Explain).ok()?;
        match link.receive() {
            Ok(FromRank::Explained(waiting)) => Some(waiting),
            _ => None,
        }
    }
}

impl Drop for RankProcess {
    /// A process whose socket closes prints what it has to print, and ends; one that does not is killed.
    fn drop(&mut self) {
        const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);
        self.link = None;
        let start = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if let Some(printed) = &mut self.printed {
                printed.pass_on();
            }
            if start.elapsed() > CLOSE_TIMEOUT {
                self.kill_group();
                _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.end_of_output();
    }
}
