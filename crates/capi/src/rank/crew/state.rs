//! State of the threads of a rank: the activity of each, and the order of their calls.

use super::looks::Stop;
use super::{FIRST_TIMEOUT, MAIN};
use crate::rank::context::Lent;
use crate::rank::{Calling, Rank};
use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar};
use std::time::Duration as WallTime;
use weir_coroutine::progress::{self, Loop};
use weir_coroutine::standing::{self, Standing};
use weir_coroutine::{CoroutineEnd, Elsewhere};
use weir_message::Body;
use weir_network::Actions;
use weir_units::{Duration, Time};

pub(super) struct State {
    /// True if all of them may call MPI.
    pub(super) is_open: bool,
    pub(super) members: BTreeMap<u32, Member>,
    pub(super) count: u32,
    /// The rank, during its turn.
    pub(super) lent: Option<Lent>,
    pub(super) holder: Option<u32>,
    /// When the library can serve a call, while the holder does something beside it.
    pub(super) library: Time,
    /// Computing time of members that the rank does not know of.
    pub(super) computed: Duration,
    pub(super) ended: Option<(CoroutineEnd, Elsewhere)>,
    /// Exit status with which another thread has ended the rank.
    pub(super) left: Option<i32>,
    /// Time that the engine waits for those that run; simulated time then goes on without them for as long.
    pub(super) timeout: WallTime,
    pub(super) interval: Duration,
    /// By what threads are held in the loops in which they wait. It is never given back, for they may
    /// be there until the process ends.
    pub(super) held: &'static AtomicU32,
    /// Something has happened since those that stay in loops looked last, so that they may find what they wait for.
    pub(super) may_find: bool,
    /// A thread has begun to wait since then, which may wait for one of those.
    waits_for_them: bool,
    /// The timer at which they are looked at again.
    pub(super) looks_again: Option<u64>,
}

pub(super) enum Next {
    Member(u32),
    /// None of those that ask and wait in MPI, for now.
    Nobody,
    /// Perhaps one that looks again: those that had stopped say when they stop once more, but not those that were `held`.
    AnyInLoops {
        held: bool,
    },
}

/// In which loops threads that run are looked for.
#[derive(Clone, Copy)]
pub(super) enum Loops {
    /// In those in which they have been found before.
    Known,
    /// In any; this takes some thousandths of a second.
    Any,
}

pub(super) enum Quiet {
    Yes,
    /// One of them runs on and on.
    No,
    Over(CoroutineEnd),
}

#[derive(Default)]
pub(super) struct Member {
    pub(super) number: Vec<u32>,
    pub(super) made: u32,
    /// Its number with the kernel, once it has begun.
    pub(super) thread: Option<libc::pid_t>,
    pub(super) clock: Time,
    pub(super) doing: Doing,
    /// If it has waited for another thread since its last call: when the call was over that was made first while it waited, if one
    /// was.
    pub(super) waited: Option<Option<Time>>,
    /// True if it had waited for another thread before the call that it asks for.
    has_waited: bool,
    /// Number of times that it had given up its processor when it was seen to wait last.
    stood: Option<u64>,
    /// The loop in which it was found last, whether it was there when it was looked at last, and whether it is held there.
    pub(super) waits_in: Loop,
    is_in_loop: bool,
    is_held: bool,
    /// Where it has stopped itself in a loop, if it has; it waits until it is let go.
    pub(super) has_stopped: Option<Stop>,
    pub(super) calling: Calling,
    pub(super) turn: Arc<Condvar>,
    /// True if it is about to change this.
    pub(super) comes: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doing {
    /// Its own work, or it waits for another thread.
    #[default]
    Own,
    /// It asks for the rank; at the time of this timer, if there is one.
    Asks(Option<u64>),
    /// It has asked for an instant that has come.
    Due,
    Waits,
    /// The event that it waited for in MPI has come.
    Woken,
    Has,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            is_open: false,
            members: BTreeMap::from([(MAIN, Member::default())]),
            count: 1,
            lent: None,
            holder: None,
            library: Time::ZERO,
            computed: Duration::ZERO,
            ended: None,
            left: None,
            timeout: FIRST_TIMEOUT,
            interval: Duration::from_ns(100),
            held: Box::leak(Box::new(AtomicU32::new(0))),
            may_find: false,
            waits_for_them: false,
            looks_again: None,
        }
    }

    pub(super) fn member(&mut self, member: u32) -> &mut Member {
        self.members.get_mut(&member).expect("a member that has not ended")
    }

    /// A new member, made by another one; the time at which that has made it, if it is not its clock.
    pub(super) fn add(&mut self, maker: u32, at: Option<Time>) -> u32 {
        let made_by = self.member(maker);
        made_by.made += 1;
        let mut number = made_by.number.clone();
        number.push(made_by.made);
        let clock = at.unwrap_or(made_by.clock);
        let member = self.count;
        self.count += 1;
        self.members.insert(member, Member { number, clock, ..Member::default() });
        member
    }

    pub(super) fn give_back(&mut self, member: u32, rank: &mut Rank, doing: Doing) {
        self.holder = None;
        let me = self.member(member);
        mem::swap(&mut me.calling, &mut rank.calling);
        me.doing = doing;
    }

    pub(super) fn give(&mut self, member: u32, rank: &mut Rank) {
        rank.process.has_computed(mem::take(&mut self.computed));
        self.holder = Some(member);
        self.may_find = true;
        let me = self.members.get_mut(&member).expect("it was chosen among them");
        if matches!(me.doing, Doing::Asks(_) | Doing::Due) {
            self.library = rank.process.set_clock(me.clock);
        }
        me.doing = Doing::Has;
        mem::swap(&mut me.calling, &mut rank.calling);
        me.turn.notify_one();
    }

    /// Looks at what members wait for in MPI; whether one can go on.
    pub(super) fn wake(&mut self, rank: &mut Rank) -> bool {
        let combines = rank.process.has_combinations();
        for member in self.members.values_mut().filter(|member| member.doing == Doing::Waits) {
            mem::swap(&mut member.calling.blocked, &mut rank.calling.blocked);
            if rank.is_ready() || combines {
                member.doing = Doing::Woken;
            }
            mem::swap(&mut member.calling.blocked, &mut rank.calling.blocked);
        }
        self.members.values().any(|member| member.doing == Doing::Woken)
    }

    /// Who gets the rank next, while no thread runs: whose call comes first, by its time, by whether its thread has waited for another
    /// one before it, and by the number of the thread. If it has to wait until the engine has come to the time it asks for, sets a
    /// timer instead.
    pub(super) fn choose(&mut self, rank: &mut Rank, actions: &mut Actions<Body>) -> Next {
        self.wake(rank);
        let now = actions.now();
        let candidates = self.members.iter().filter_map(|(&name, member)| match member.doing {
            Doing::Woken => Some(((now, false, &member.number), name)),
            Doing::Asks(_) | Doing::Due => {
                Some(((member.clock.max(now), member.has_waited, &member.number), name))
            }
            Doing::Own | Doing::Waits | Doing::Has => None,
        });
        let Some((first, name)) = candidates.min() else { return Next::Nobody };
        if self.may_come_before(first, now) {
            return Next::AnyInLoops { held: self.let_go() };
        }
        let at = first.0;
        let others_wait = self.members.values().any(|member| member.doing == Doing::Waits);
        let chosen = self.member(name);
        match chosen.doing {
            Doing::Asks(timer) if at > now && others_wait => {
                chosen.doing = Doing::Asks(timer.or_else(|| {
                    let timer = rank.next_token();
                    actions.set_timer(at, timer);
                    Some(timer)
                }));
                Next::Nobody
            }
            _ => Next::Member(name),
        }
    }

    /// Returns true if threads that stay in loops look again before this call: if they would ask for a call before this one, or where
    /// they have stopped and may find something.
    fn may_come_before(&self, first: (Time, bool, &Vec<u32>), now: Time) -> bool {
        let comes_before = |member: &Member| {
            let (has_waited, released) = (member.waited.is_some(), member.waited.flatten());
            let at = released.unwrap_or(now).max(member.clock).max(now);
            member.stays() && (at, has_waited, &member.number) < first
                || member.has_stopped.as_ref().is_some_and(Stop::may_find)
        };
        self.waits_for_them || self.may_find && self.members.values().any(comes_before)
    }

    /// Threads that are held in loops, or have stopped there, look again; whether some were held.
    pub(super) fn let_go(&mut self) -> bool {
        (self.may_find, self.waits_for_them) = (false, false);
        let mut has_held = false;
        for member in self.members.values_mut() {
            let is_held = mem::take(&mut member.is_held);
            if member.has_stopped.take().is_some() {
                // Until it has the lock that is needed for it, it waits for no other thread.
                member.comes.store(true, Ordering::SeqCst);
                member.turn.notify_one();
            } else {
                has_held |= is_held;
            }
        }
        if has_held {
            progress::let_go(self.held);
        }
        has_held
    }

    /// True if no thread that stays in a loop finds what it waits for. If something has happened since they looked, they are let go.
    pub(super) fn holds_for_good(&mut self) -> bool {
        let holds = !self.may_find;
        if !holds {
            self.let_go();
        }
        holds
    }

    /// Returns true if no member runs. The kernel is asked about those that are not in MPI; what it says holds for one instant: each has
    /// waited from the first question to the second, and has not run in between. Those that run are asked whether they wait in a
    /// loop while the others wait.
    pub(super) fn is_quiet(&mut self, loops: Loops) -> bool {
        let comes = |member: &Member| member.comes.load(Ordering::SeqCst);
        if self.holder.is_some() || self.members.values().any(comes) {
            return false;
        }
        // Before its beginning a thread has no number. One that has stopped, or is held and has been seen to wait there, stays.
        let stands = |member: &Member| match member.stood.filter(|_| member.is_held) {
            Some(times) => Standing::Waits { times },
            None => match &member.has_stopped {
                Some(stop) => Standing::Waits { times: stop.number },
                None => member.thread.map_or(Standing::Runs, standing::of_thread),
            },
        };
        let (mut first, members) = (Vec::new(), self.members.len());
        self.members.retain(|_, member| {
            let standing = if member.doing == Doing::Own { stands(member) } else { return true };
            first.extend(Some(standing).filter(|&standing| standing != Standing::Gone));
            standing != Standing::Gone
        });
        let some_are_gone = self.members.len() < members;
        let own = self.members.values_mut().filter(|member| member.doing == Doing::Own);
        let running = own.zip(&first).filter(|(_, standing)| **standing == Standing::Runs);
        let mut running: Vec<&mut Member> = running.map(|(member, _)| member).collect();
        if !running.iter_mut().all(|member| member.looks_in_loop(loops)) {
            return false;
        }
        // One that was looked at before another one may have gone on because of that one's last step.
        let several = running.len() > 1;
        if several && !running.iter_mut().all(|member| member.looks_in_loop(Loops::Known)) {
            return false;
        }
        let own = || self.members.values().filter(|member| member.doing == Doing::Own);
        let waits = |standing: &Standing| *standing != Standing::Runs;
        if own().map(stands).zip(&first).any(|(now, first)| waits(first) && now != *first) || own().any(comes)
        {
            return false;
        }
        let has_changed = own().zip(&first).any(Member::waits_anew);
        let some_stay = self.members.values().any(Member::stays);
        self.may_find = some_stay && (self.may_find || has_changed || some_are_gone);
        self.waits_for_them = some_stay && (self.waits_for_them || has_changed);
        let own = self.members.values_mut().filter(|member| member.doing == Doing::Own);
        for (member, standing) in own.zip(first) {
            // What let it go on before, let it come here.
            if Member::waits_anew((member, &standing))
                && let Some(Some(released)) = member.waited
            {
                member.clock = member.clock.max(released);
                member.waited = Some(None);
            }
            let runs = standing == Standing::Runs;
            member.is_in_loop |= runs;
            if let Standing::Waits { times } = standing {
                member.is_in_loop &= member.is_held;
                member.stood = Some(times);
            }
            if self.may_find {
                continue;
            }
            member.waited = Some(None);
            if runs {
                // Nobody lets it out of its loop now.
                member.is_held = member.thread.is_some_and(|thread| progress::hold(thread, self.held));
                member.stood = None;
            }
            member.is_held |= member.has_stopped.is_some();
        }
        true
    }
}

impl Member {
    /// It asks for the rank, after it has computed.
    pub(super) fn asks(&mut self, computed: Duration) {
        self.has_waited = self.waited.is_some();
        let released = self.waited.take().flatten();
        self.clock = released.map_or(self.clock, |released| released.max(self.clock)) + computed;
        self.doing = Doing::Asks(None);
    }

    fn looks_in_loop(&mut self, loops: Loops) -> bool {
        let Some(thread) = self.thread else { return false };
        match loops {
            Loops::Known => self.waits_in.is_in(thread, &self.comes),
            Loops::Any => self.waits_in.find(thread, &self.comes),
        }
    }

    /// Returns true if it stays in a loop until it is let go.
    fn stays(&self) -> bool {
        self.is_held || self.has_stopped.is_some()
    }

    /// Returns true if it waits now, and did not when it was looked at last.
    fn waits_anew((member, standing): (&Self, &Standing)) -> bool {
        match standing {
            Standing::Runs => !member.is_in_loop,
            Standing::Waits { times } => !member.is_held && member.stood != Some(*times),
            Standing::Gone => false,
        }
    }

    /// A call is over at this time: if the member has waited for another thread, that one may have let it go on.
    pub(super) fn is_let_go(&mut self, at: Time) {
        if let Some(released @ None) = &mut self.waited {
            *released = Some(at);
        }
    }
}
