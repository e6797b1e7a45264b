//! A rank as a program of the engine: its coroutine, and when that goes on.

use super::{Phase, Rank};
use crate::c_library::leaving;
use crate::mpi::windows;
use crate::process;
use crate::rank::crew::Crew;
use crate::rank::remnants::{self, Remnant};
use crate::rank::{context, crash_place};
use crate::world::World;
use std::rc::Rc;
use std::sync::Arc;
use weir_coroutine::{Coroutine, CoroutineEnd, Crash, Elsewhere, own_threads};
use weir_message::{Body, Process};
use weir_network::causes::Ledger;
use weir_network::{Actions, Event, Program, Waiting};

/// One rank of a C program, as engines see it.
pub struct RankProgram {
    rank: Box<Rank>,
    main: Option<Main>,
    state: State,
}

enum Main {
    Here(Coroutine),
    /// On a thread of its own, as one of those that may call MPI.
    Among(Arc<Crew>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    /// `main` has returned; the engine still has to come up to the rank's clock.
    Ending(u64),
    Over,
}

impl RankProgram {
    pub(crate) fn new(world: &Rc<World>, process: Process) -> Self {
        leaving::watch_forks();
        Self { rank: Box::new(Rank::new(world, process)), main: None, state: State::Running }
    }

    /// Which rank it is.
    #[must_use]
    pub fn number(&self) -> weir_units::Rank {
        self.rank.process.rank()
    }

    /// Returns what it has left behind at its end; all of it only where the world's options say that it is asked for.
    #[must_use]
    pub fn remnants(&self) -> Vec<Remnant> {
        remnants::of_rank(&self.rank)
    }

    #[inline]
    fn resume(&mut self, actions: &mut Actions<Body>) {
        if self.main.is_none() {
            return;
        }
        let world = Rc::clone(&self.rank.world);
        world.activate(self.rank.process.rank());
        world.turns().begin(self.rank.process.rank());
        world.resume_output(self.rank.process.rank(), || actions.moment());
        let ended = self.go_on(actions);
        if process::is_forked() {
            world.flush_output();
            process::end_forked(self.rank.process.rank().index(), ended);
        }
        world.turns().end();
        match ended {
            None => world.output().suspend(),
            Some(ended) => {
                world.output().end();
                self.main = None;
                self.end(ended, actions);
            }
        }
    }

    /// Returns its end, if it has ended.
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
        if self.rank.is_interrupted || ended == CoroutineEnd::Interrupted {
            actions.note_limit();
            self.state = State::Over;
            return;
        }
        let (how, code) = match ended {
            CoroutineEnd::Returned(code) => (format!("its main returned {code}"), code),
            CoroutineEnd::Left(code) => {
                let call = self.rank.left_by.take().unwrap_or_else(|| format!("exit({code})"));
                (format!("it called {call}"), code)
            }
            CoroutineEnd::ByThread => {
                let end = own_threads::take().map(|end| end.to_string());
                actions.stop(end.unwrap_or_else(|| "a thread of the program has ended it".into()));
                self.state = State::Over;
                return;
            }
            CoroutineEnd::Crashed(crash) => {
                actions.stop(self.crashed(crash));
                self.state = State::Over;
                return;
            }
            CoroutineEnd::Interrupted => unreachable!("has been looked at before"),
        };
        if self.rank.calling.call == Rank::BEFORE_ANY_CALL {
            self.rank.world.note_without_mpi();
        }
        self.rank.charge_own_work();
        self.rank.process.end_program();
        let rank = self.rank.process.rank();
        match self.rank.phase_at_end() {
            Phase::Initialised if self.rank.has_session() => {
                actions.stop(format!("{how} before MPI_Session_finalize"));
            }
            Phase::Initialised => actions.stop(format!("{how} before MPI_Finalize")),
            Phase::Before | Phase::Finalised => self.rank.world.note_exit_code(rank, code),
        }
        self.state = State::Over;
        let clock = self.rank.process.clock();
        if clock > actions.now() {
            let token = self.rank.next_token();
            actions.set_timer(clock, token);
            self.state = State::Ending(token);
        }
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
        let place = weir_coroutine::crash_place().and_then(crash_place::in_words);
        let place = place.map_or_else(String::new, |place| format!(", in {place}"));
        format!("it crashed in or after {}: {crash}{more}{place}", self.rank.calling.call)
    }
}

impl Rank {
    /// Takes in an event, and does what others have asked of its memory; whether it can go on.
    pub(crate) fn take(&mut self, event: Event<Body>, actions: &mut Actions<Body>) -> bool {
        self.take_in(event, actions, windows::memory::serve)
    }
}

impl World {
    /// The ranks of the program that this process has, in rank order.
    #[must_use]
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
                self.rank.world.turns().return_from_call();
            }
            (Event::Timer { token }, State::Ending(end)) if end == *token => return self.state = State::Over,
            _ => {}
        }
        if self.rank.take(event, actions) && self.main.is_some() {
            self.resume(actions);
        }
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(self.rank.process.ledger())
    }

    fn waiting(&self) -> Option<Waiting> {
        if self.state == State::Over {
            return None;
        }
        Some(self.rank.waiting())
    }
}
