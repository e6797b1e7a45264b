//! A rank as a program of the engine: its coroutine, and when that goes on.

use crate::c_library::leaving;
use crate::calls::call_site::{CallSite, CalledIn, offset_in_file};
use crate::mpi::collectives::OwnAlgorithms;
use crate::mpi::dynamic::Ports;
use crate::mpi::files::Files;
use crate::mpi::info::Infos;
use crate::mpi::operations::UserOperations;
use crate::mpi::requests::persistent::KeptRequests;
use crate::mpi::windows::{self, Windows};
use crate::process;
use crate::rank::crew::Crew;
use crate::rank::{Phase, Rank, context};
use crate::world::World;
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::rc::Rc;
use std::sync::Arc;
use weir_coroutine::{Coroutine, CoroutineEnd, Crash, CrashPlace, Elsewhere, as_loaded, own_threads};
use weir_message::{Body, Fate, Group, Process};
use weir_network::causes::Ledger;
use weir_network::{Actions, Event, Program, Waiting};
use weir_units::Time;

/// One rank of a C program, as engines see it.
pub struct RankProgram {
    pub(crate) rank: Box<Rank>,
    main: Option<Main>,
    state: State,
}

enum Main {
    Here(Coroutine),
    /// On a thread of its own, as one of those that may call MPI.
    Among(Arc<Crew>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// The program has ended; the engine still has to come up to the rank's clock, where this timer is.
    Ending(u64),
    Over,
}

impl State {
    /// The state after the end at a time of the rank's clock.
    pub(crate) fn at_end(clock: Time, actions: &mut Actions<Body>, token: impl FnOnce() -> u64) -> Self {
        if clock <= actions.now() {
            return Self::Over;
        }
        let token = token();
        actions.set_timer(clock, token);
        Self::Ending(token)
    }
}

impl RankProgram {
    pub(crate) fn new(world: &Rc<World>, process: Process) -> Self {
        leaving::watch_forks();
        Self { rank: Box::new(Rank::new(world, process)), main: None, state: State::Running }
    }

    /// Which rank it is.
    pub fn number(&self) -> weir_units::Rank {
        self.rank.process.rank()
    }

    /// Returns what it has left behind at its end; all of it only where the world's options say that it is asked for.
    pub fn remnants(&self) -> Vec<Remnant> {
        of_rank(&self.rank)
    }

    #[inline]
    fn resume(&mut self, actions: &mut Actions<Body>) {
        if self.main.is_none() {
            return;
        }
        let world = Rc::clone(&self.rank.world);
        world.activate(self.rank.process.rank());
        world.turns.begin(self.rank.process.rank());
        world.resume_output(self.rank.process.rank(), || actions.moment());
        let ended = self.go_on(actions);
        if process::is_forked() {
            world.flush_output();
            process::end_forked(self.rank.process.rank().index(), ended);
        }
        world.turns.end();
        match ended {
            None => world.output().suspend(),
            Some(ended) => {
                world.output().end();
                self.main = None;
                self.end(ended, actions);
            }
        }
    }

    fn go_on(&mut self, actions: &mut Actions<Body>) -> Option<CoroutineEnd> {
        let Self { rank, main, .. } = self;
        match main.as_mut()? {
            Main::Among(crew) => return Arc::clone(crew).turn(rank, actions, None),
            Main::Here(coroutine) => {
                let ended = context::with_rank(rank, actions, || coroutine.resume());
                if ended.is_some() || !rank.is_open_to_threads {
                    return ended;
                }
            }
        }
        // All of its threads may call from now on, and this one goes on as one of them.
        let crew = Arc::clone(rank.crew());
        let Some(Main::Here(coroutine)) = main.replace(Main::Among(Arc::clone(&crew))) else { return None };
        let moves = Elsewhere::new(coroutine, rank.world.thread_locals(rank.process.rank()));
        crew.turn(rank, actions, Some(moves))
    }

    fn end(&mut self, ended: CoroutineEnd, actions: &mut Actions<Body>) {
        self.state = State::Over;
        if self.rank.is_interrupted || ended == CoroutineEnd::Interrupted {
            return actions.note_limit();
        }
        let (how, code) = match ended {
            CoroutineEnd::Returned(code) => (format!("its main returned {code}"), code),
            CoroutineEnd::Left(code) => {
                let call = self.rank.left_by.take().unwrap_or_else(|| format!("exit({code})"));
                (format!("it called {call}"), code)
            }
            CoroutineEnd::ByThread => {
                let end = own_threads::take().map(|end| end.to_string());
                return actions.stop(end.unwrap_or_else(|| "a thread of the program has ended it".into()));
            }
            CoroutineEnd::Crashed(crash) => return actions.stop(self.crashed(crash)),
            CoroutineEnd::Interrupted => unreachable!("has been looked at before"),
        };
        if self.rank.calling.call == Rank::BEFORE_ANY_CALL {
            let without_mpi = &self.rank.world.without_mpi;
            without_mpi.set(without_mpi.get() + 1);
        }
        self.rank.charge_own_work();
        self.rank.process.end_program();
        let rank = self.rank.process.rank();
        match self.rank.phase_at_end() {
            Phase::Initialized if self.rank.has_session() => {
                actions.stop(format!("{how} before MPI_Session_finalize"));
            }
            Phase::Initialized => actions.stop(format!("{how} before MPI_Finalize")),
            Phase::Before | Phase::Finalized => {
                self.rank.world.note_exit_code(actions.moment(), rank, code);
            }
        }
        self.state = State::at_end(self.rank.process.clock(), actions, || self.rank.next_token());
    }
}

impl RankProgram {
    /// Words for a crash: where it was, as far as that is known, and what helps.
    fn crashed(&self, crash: Crash) -> String {
        let stack = self.rank.world.options.stack_size.0 >> 10;
        let more = match crash {
            Crash::StackOverflow => {
                format!(" ({stack} KiB: --set \"workload.stack_size={} KiB\" gives more)", 8 * stack)
            }
            _ => String::new(),
        };
        let place = weir_coroutine::crash_place().and_then(in_words);
        let place = place.map_or_else(String::new, |place| format!(", in {place}"));
        format!("it crashed in or after {}: {crash}{more}{place}", self.rank.calling.call)
    }
}

impl Rank {
    /// The ranks of its job: its `MPI_COMM_WORLD`.
    pub(crate) fn job(&self) -> Group {
        self.world.options.job_of(self.process.rank())
    }

    /// Takes in an event, and does what others have asked of its memory; whether it can go on.
    pub(crate) fn take(&mut self, event: Event<Body>, actions: &mut Actions<Body>) -> bool {
        self.take_in(event, actions, windows::memory::serve)
    }
}

impl World {
    /// The ranks of the program that this process has, in rank order.
    pub fn ranks(self: &Rc<Self>) -> Vec<RankProgram> {
        self.ranks_here().map(|rank| RankProgram::new(self, self.process(rank))).collect()
    }
}

impl Program for RankProgram {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions<Body>) {
        match (&event, self.state) {
            (Event::Start, _) => {
                self.main = Some(Main::Here(self.rank.world.coroutine(self.rank.process.rank())));
                self.rank.own_work_goes_on();
                self.rank.world.turns.return_from_call();
            }
            (Event::Timer { token }, State::Ending(end)) if end == *token => return self.state = State::Over,
            _ => {}
        }
        if self.rank.take(event, actions) && self.main.is_some() {
            self.resume(actions);
        }
    }

    fn is_over(&self) -> bool {
        self.state == State::Over
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(self.rank.process.ledger())
    }

    fn waiting(&self) -> Option<Waiting> {
        (self.state != State::Over).then(|| self.rank.waiting())
    }
}

/// Something that a rank has left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remnant {
    /// `request`, `message` or `object`.
    pub kind: &'static str,
    /// Details with their names.
    pub details: Vec<(&'static str, String)>,
}

/// Kinds of objects that the program has made and not freed, with their numbers.
pub(crate) fn objects_left(rank: &Rank) -> [(&'static str, usize); 8] {
    let files = rank.known().map_or(0, |files: &Files| files.open.len());
    let windows = rank.known().map_or(0, |windows: &Windows| windows.all.len());
    let of_ports = rank.known().and_then(|ports: &Ports| ports.communicator);
    let hidden = rank.known().map_or(0, |own: &OwnAlgorithms| own.shadows.len()) + of_ports.iter().count();
    let is_kept = |kept: &KeptRequests| kept.slots.iter().flatten().count();
    [
        // Files and windows have communicators of their own, as have ports and algorithms of the program.
        ("communicators", rank.process.communicators_left().saturating_sub(files + windows + hidden)),
        ("datatypes", rank.types.left()),
        ("groups", rank.groups.len()),
        ("operations", rank.known().map_or(0, |made: &UserOperations| made.0.len())),
        ("files", files),
        ("windows", windows),
        ("info objects", rank.known().map_or(0, |infos: &Infos| infos.made.len())),
        ("persistent requests", rank.known().map_or(0, is_kept)),
    ]
}

pub(crate) fn of_rank(rank: &Rank) -> Vec<Remnant> {
    let mut found = Vec::new();
    let mut sites: BTreeMap<CallSite, String> = BTreeMap::new();
    for request in rank.process.open_requests() {
        let mut details = Vec::new();
        if let Some((call, site)) = rank.origins.as_ref().and_then(|origins| origins.of(request.id)) {
            details.push(("call", call.to_owned()));
            if let Some(site) = site {
                let words = sites.entry(site).or_insert_with(|| site.describe());
                details.push(("called_in", words.clone()));
            }
        }
        let state = match request.fate {
            Fate::Complete => "complete, neither waited for nor freed",
            Fate::Open => "never completed",
            Fate::Freed => "freed, never completed",
        };
        details.push(("state", state.to_owned()));
        details.extend(request.details);
        found.push(Remnant { kind: "request", details });
    }
    found.extend(rank.process.unreceived().map(|details| Remnant { kind: "message", details }));
    let objects = objects_left(rank);
    found.extend(objects.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| Remnant {
        kind: "object",
        details: vec![("what", what.to_owned()), ("not_freed", count.to_string())],
    }));
    found
}

const WORDS: usize = 8192;
const PLACES: usize = 12;

/// Where a program has broken: the function of its own, and the line if it was compiled with `-g`. The instruction that broke it
/// may be in a library. Then the stack shows who has called it: words on it that are addresses behind a call. They are read
/// as they are, since what broke the program may have broken what a debugger goes by.
///
/// In words, as far as it is known: `solve+0x52 of program (solve.c:12)`. It makes no thread and asks nothing of the C
/// library's memory: the program may have broken in the midst of that.
pub(crate) fn in_words(place: CrashPlace) -> Option<String> {
    let own = offset_in_file(in_words as *const () as usize)?.0;
    let code = weir_coroutine::code();
    // An address that a call returns to is behind the call; what is looked up lies before it.
    let first = std::iter::once(place.instruction + 1);
    let callers = words(place.stack).filter(|&word| is_behind_a_call(word));
    let all = first.chain(callers).map(as_loaded);
    // Data may look like a call by chance.
    let places = all.filter(|address| code.iter().any(|code| code.contains(address))).filter_map(|address| {
        let (file, offset) = offset_in_file(address)?;
        (file != own && !["/lib", "/usr/lib"].iter().any(|folder| file.starts_with(folder)))
            .then_some((file, offset))
    });
    let found: Vec<CalledIn> =
        places.take(PLACES).map(|(file, offset)| CalledIn::read(&file, offset)).collect();
    let with_line = found.iter().find(|found| found.line.is_some());
    with_line.or_else(|| found.iter().find(|found| is_of_program(found))).map(ToString::to_string)
}

/// Libraries of languages are linked into programs.
fn is_of_program(found: &CalledIn) -> bool {
    const OF_LANGUAGES: [&str; 8] =
        ["std::", "__gnu_cxx::", "__cxxabiv1::", "__cxa_", "_Unwind_", "_gfortran", "_init", "weir_"];
    let name = found.function.as_ref().map(|(name, _)| name.as_str());
    name.is_some_and(|name| !OF_LANGUAGES.iter().any(|start| name.starts_with(start)))
}

/// The words of a stack, from its end on.
fn words(stack: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    let start = stack.start.next_multiple_of(8);
    let addresses = (0..WORDS).map(move |word| start + 8 * word).take_while(move |at| at + 8 <= stack.end);
    addresses.filter_map(|at| bytes(at).map(usize::from_ne_bytes))
}

/// Memory that may not be there.
fn bytes<const N: usize>(address: usize) -> Option<[u8; N]> {
    let mut to = MaybeUninit::<[u8; N]>::uninit();
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: N };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: N };
    // SAFETY: the kernel copies what is there; all of it has come where it says so.
    unsafe {
        let read = libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0);
        (read == N as isize).then(|| to.assume_init())
    }
}

/// True where the instruction before an address is a call (Intel 64 and IA-32 manual, volume 2, CALL).
fn is_behind_a_call(address: usize) -> bool {
    let Some(before) = address.checked_sub(7).and_then(bytes::<7>) else { return false };
    // Of a call through memory or a register the second byte has 2 in bits 3 to 5.
    let through = |length: usize| before[7 - length] == 0xff && before[8 - length] >> 3 & 7 == 2;
    before[2] == 0xe8 || [2, 3, 4, 6, 7].into_iter().any(through)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Memory is read where something is there.
    #[test]
    fn memory_that_is_not_there_is_not_read() {
        let numbers = [1_usize, 2, 3];
        let range = numbers.as_ptr_range();
        let found: Vec<usize> = words(range.start as usize..range.end as usize).collect();
        assert_eq!(found, numbers);
        assert_eq!((bytes::<8>(16), words(4096..8192).count()), (None, 0));
    }

    #[test]
    fn calls_are_known_by_their_bytes() {
        let cases: [(&[u8], bool); 6] = [
            (&[0, 0, 0xe8, 1, 2, 3, 4], true),
            (&[0, 0, 0, 0, 0, 0xff, 0xd0], true),
            (&[0, 0xff, 0x15, 1, 2, 3, 4], true),
            (&[0, 0, 0, 0, 0xff, 0x50, 8], true),
            (&[0, 0, 0, 0, 0, 0xff, 0xc0], false),
            (&[0, 0, 0, 0, 0, 0, 0], false),
        ];
        for (code, expected) in cases {
            assert_eq!(is_behind_a_call(code.as_ptr() as usize + 7), expected, "{code:?}");
        }
    }
    #[test]
    fn code_is_no_data() {
        static DATA: AtomicUsize = AtomicUsize::new(0);
        let code = weir_coroutine::code();
        let is_code = |address: usize| code.iter().any(|range| range.contains(&address));
        let addresses = [in_words as *const () as usize, (&raw const DATA) as usize];
        assert_eq!(addresses.map(is_code), [true, false]);
    }
}
