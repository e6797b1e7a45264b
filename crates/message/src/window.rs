//! Windows: memory that a rank lets others reach into (MPI 5.0, chapter 12).
//!
//! Here a window is what the standard's epochs make of it: who may reach where at the moment, who holds or waits for a
//! lock, what has been asked for and not been answered yet. The memory itself belongs to the owner of the process:
//! what others ask of it comes out of [`Process::next_memory_work`](crate::Process::next_memory_work).
//!
//! ```text
//!   origin                                         target
//!   put ------- access: where, and the data ------> carried out at once, whatever its program does
//!       <------ answer (no data) -----------------
//!   get ------- access: where (no data) ----------> likewise
//!       <------ answer: the data -----------------
//! ```
//! Messages of a pair of ranks are delivered in the order sent, so accesses of one origin act at one target in the order in
//! which they were made, and each of them acts as a whole: accumulates are atomic and ordered without further care.

mod access;

use crate::{CommunicatorId, Data, Group, MpiError, Result};
pub use access::{Access, Layout, Update};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
pub use weir_operations::{Access as What, AfterFence, Conflicts, Lock};
use weir_units::Rank;

/// A message from one window to another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WindowMessage {
    /// The context of the window's communicator.
    pub(crate) window: u64,
    pub(crate) part: Part,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Part {
    /// Do this in your memory.
    Access { operation: u32, access: Access },
    /// It is done; here is what was asked for.
    Answer { operation: u32, data: Data, error: Option<MpiError> },
    /// A request for a lock.
    Lock { lock: Lock, answer: Answer },
    /// You have it.
    Granted,
    /// I do not need my lock any more.
    Unlock,
    /// You may reach into my window (`MPI_Win_post`).
    Posted,
    /// I have done so (`MPI_Win_complete`).
    Completed,
}

/// Permission of a rank to access the windows of others.
#[derive(Clone, Debug)]
pub(crate) enum Epoch {
    /// No access: no epoch is open.
    None,
    /// Everything, between two fences. One that has not been made use of need not have been meant as a beginning.
    Fence(Use),
    /// To reach those it has started with.
    Started(Group),
    /// To reach those it has locked.
    Locked(BTreeMap<Rank, Conflicts>),
    /// To reach everybody; those who know that they are locked, because something has been sent to them.
    LockedAll(BTreeSet<Rank>, Conflicts),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    No,
    Yes,
}

/// A condition that a rank waits for at a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// That all its accesses to this rank of the world are done there; `None`: to everybody.
    Done(Option<Rank>),
    /// That all its accesses to this rank of the world (`None`: to everybody) are done here: what was asked for has
    /// come, what was given has left.
    DoneHere(Option<Rank>),
    /// That it has the locks it has asked for.
    Granted,
    /// That those it starts with have posted.
    Posted,
    /// That those it has posted for have completed.
    Completed,
}

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    there: u64,
    here: u64,
}

/// A window as one of its ranks sees it. Ranks are those of the world.
#[derive(Debug)]
pub struct Window {
    pub(crate) communicator: CommunicatorId,
    pub(crate) context: u64,
    pub(crate) epoch: Epoch,
    /// Others may reach in since `MPI_Win_post`.
    pub(crate) exposed: bool,
    open: BTreeMap<Rank, Open>,
    /// The first thing that went wrong at a target since the last synchronization.
    pub(crate) error: Option<MpiError>,
    pub(crate) ungranted: BTreeSet<Rank>,
    posts: Notices,
    completions: Notices,
    pub(crate) locks: Locks,
    /// Accesses of ranks whose locks are not granted yet.
    pub(crate) held_back: VecDeque<(Rank, u32, Access)>,
}

/// Notices that are waited for, and those that have come before anybody waited.
#[derive(Debug, Default)]
struct Notices {
    missing: BTreeSet<Rank>,
    early: BTreeMap<Rank, u32>,
}

impl Notices {
    /// From now on one of each of them is waited for.
    fn expect(&mut self, members: &Group) {
        for member in members.members() {
            match self.early.get_mut(&member) {
                Some(1) => drop(self.early.remove(&member)),
                Some(several) => *several -= 1,
                None => drop(self.missing.insert(member)),
            }
        }
    }

    fn came(&mut self, from: Rank) {
        if !self.missing.remove(&from) {
            *self.early.entry(from).or_default() += 1;
        }
    }
}

pub(crate) fn sync(what: impl Into<String>) -> MpiError {
    MpiError::RmaSync(what.into())
}

impl Window {
    pub(crate) fn new(communicator: CommunicatorId, context: u64) -> Self {
        Self {
            communicator,
            context,
            epoch: Epoch::None,
            exposed: false,
            open: BTreeMap::new(),
            error: None,
            ungranted: BTreeSet::new(),
            posts: Notices::default(),
            completions: Notices::default(),
            locks: Locks::default(),
            held_back: VecDeque::new(),
        }
    }

    /// Checks that this rank may reach `target` now; returns the lock that it has to ask for first.
    pub(crate) fn reach(&mut self, target: Rank) -> Result<Option<Lock>> {
        match &mut self.epoch {
            Epoch::Fence(used) => *used = Use::Yes,
            Epoch::Started(group) if group.rank_of(target).is_some() => {}
            Epoch::Locked(targets) if targets.contains_key(&target) => {}
            Epoch::LockedAll(known, conflicts) => {
                let asks = *conflicts == Conflicts::Possible && known.insert(target);
                return Ok(asks.then_some(Lock::Shared));
            }
            _ => return Err(sync(format!("an access to rank {target} outside of an epoch that allows it"))),
        }
        Ok(None)
    }

    /// An epoch can only begin where none has.
    pub(crate) fn may_begin(&self, what: &str) -> Result<()> {
        match self.epoch {
            Epoch::None | Epoch::Fence(Use::No) => Ok(()),
            Epoch::Fence(Use::Yes) => {
                Err(sync(format!("{what} before the fence that ends the accesses made")))
            }
            Epoch::Started(_) => Err(sync(format!("{what} between MPI_Win_start and MPI_Win_complete"))),
            Epoch::Locked(_) | Epoch::LockedAll(..) => Err(sync(format!("{what} while locks are held"))),
        }
    }

    /// Returns whether the window is synchronized by locks now.
    pub(crate) fn is_locked(&self, target: Option<Rank>) -> bool {
        match (&self.epoch, target) {
            (Epoch::Locked(targets), Some(target)) => targets.contains_key(&target),
            (Epoch::Locked(_), None) | (Epoch::LockedAll(..), _) => true,
            _ => false,
        }
    }

    pub(crate) fn expose(&mut self, group: &Group) -> Result<()> {
        if self.exposed {
            return Err(sync("MPI_Win_post before the MPI_Win_wait that belongs to the post before"));
        }
        self.exposed = true;
        self.completions.expect(group);
        Ok(())
    }

    pub(crate) fn start(&mut self, group: Group, conflicts: Conflicts) {
        if conflicts == Conflicts::Possible {
            self.posts.expect(&group);
        }
        self.epoch = Epoch::Started(group);
    }

    pub(crate) fn posted(&mut self, from: Rank) {
        self.posts.came(from);
    }

    pub(crate) fn completed(&mut self, from: Rank) {
        self.completions.came(from);
    }

    /// An access is made; `here` says that its origin still waits for something itself.
    pub(crate) fn opened(&mut self, target: Rank, here: bool) {
        let open = self.open.entry(target).or_default();
        open.there += 1;
        open.here += u64::from(here);
    }

    pub(crate) fn over_here(&mut self, target: Rank) {
        if let Some(open) = self.open.get_mut(&target) {
            open.here -= 1;
        }
    }

    pub(crate) fn over_there(&mut self, target: Rank) {
        if let Some(open) = self.open.get_mut(&target) {
            open.there -= 1;
            if open.there == 0 && open.here == 0 {
                self.open.remove(&target);
            }
        }
    }

    pub(crate) fn is_ready(&self, until: Until) -> bool {
        self.missing(until).next().is_none()
    }

    pub(crate) fn missing(&self, until: Until) -> impl Iterator<Item = Rank> + '_ {
        let open = |target: Option<Rank>, count: fn(&Open) -> u64| {
            let (first, last) = target.map_or((Rank(0), Rank(u32::MAX)), |target| (target, target));
            let open = self.open.range(first..=last).filter(move |(_, open)| count(open) > 0);
            open.map(|(&target, _)| target)
        };
        let (accesses, notices) = match until {
            Until::Done(target) => (Some(open(target, |open| open.there)), None),
            Until::DoneHere(target) => (Some(open(target, |open| open.here)), None),
            Until::Granted => (None, Some(&self.ungranted)),
            Until::Posted => (None, Some(&self.posts.missing)),
            Until::Completed => (None, Some(&self.completions.missing)),
        };
        accesses.into_iter().flatten().chain(notices.into_iter().flatten().copied())
    }
}

/// Need of the rank that asks for a lock for the answer that it has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Answer {
    /// It does.
    Requested,
    /// It does not: its accesses follow right behind, and are held back until then.
    NotRequested,
}

/// Who holds the lock of a window, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    exclusive: Option<Rank>,
    shared: u32,
    waiting: VecDeque<(Rank, Lock, Answer)>,
}

impl Locks {
    /// Returns whether a rank gets the lock at once. If not, it waits. A shared lock does not overtake an exclusive one that
    /// waits, or that would never come.
    pub(crate) fn ask(&mut self, from: Rank, lock: Lock, answer: Answer) -> bool {
        let granted = self.waiting.is_empty() && self.take(from, lock);
        if !granted {
            self.waiting.push_back((from, lock, answer));
        }
        granted
    }

    fn take(&mut self, from: Rank, lock: Lock) -> bool {
        match lock {
            _ if self.exclusive.is_some() => return false,
            Lock::Exclusive if self.shared > 0 => return false,
            Lock::Exclusive => self.exclusive = Some(from),
            Lock::Shared => self.shared += 1,
        }
        true
    }

    /// A rank gives its lock back: those who get theirs now, in the order in which they have asked.
    pub(crate) fn release(&mut self, from: Rank) -> Vec<(Rank, Answer)> {
        if self.exclusive == Some(from) {
            self.exclusive = None;
        } else {
            self.shared = self.shared.saturating_sub(1);
        }
        let mut granted = Vec::new();
        while let Some(&(next, lock, answer)) = self.waiting.front()
            && self.take(next, lock)
        {
            self.waiting.pop_front();
            granted.push((next, answer));
        }
        granted
    }

    pub(crate) fn waits(&self, from: Rank) -> bool {
        self.waiting.iter().any(|&(rank, ..)| rank == from)
    }
}

#[cfg(test)]
mod tests;
