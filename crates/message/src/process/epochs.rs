//! Windows: making and ending them, and the epochs in which their memory may be reached (MPI 5.0, section 12.5).
//!
//! Each function here makes one step. Where the standard has a call wait, its owner waits between two steps, until
//! [`Process::window_is_ready`].

use super::Process;
use super::sending::CONTROL_BYTES;
use crate::window::{
    AfterFence, Answer, Conflicts, Epoch, Lock, Part, Until, Use, Window, WindowMessage, sync,
};
use crate::{Actions, Body, CommunicatorId, Group, MpiError, Result};
use std::collections::BTreeMap;
use weir_network::causes::{Cause, Sending};
use weir_operations::{Asks, Operation, Over, PollFirst, WindowOperation};
use weir_units::Rank;

impl Process {
    /// Opens a window to the members of a communicator, and names it by a communicator of its own, which no other
    /// messages meet. Collective, but needs no message; no rank may reach in before all have opened it.
    pub fn open_window(&mut self, communicator: CommunicatorId) -> Result<CommunicatorId> {
        let name = format!("window on {}", self.communicator(communicator)?.name);
        let id = self.duplicate(communicator)?;
        let comm = self.communicator_mut(id)?;
        comm.name = name.into();
        comm.topology = None;
        self.make_window(id)?;
        Ok(id)
    }

    /// Makes a communicator a window, which it is then alone: for ranks that know its members by a number
    /// ([`Process::join`]).
    pub fn make_window(&mut self, id: CommunicatorId) -> Result<()> {
        let window = Window::new(id, self.communicator(id)?.context);
        self.one_sided().windows.push(window);
        self.observe_window(id, || WindowOperation::Open);
        Ok(())
    }

    /// Passes an operation at a window to the observer, if there is one.
    fn observe_window(&self, id: CommunicatorId, operation: impl FnOnce() -> WindowOperation) {
        self.observe(|| Operation::Window { communicator: id.0, operation: Box::new(operation()) });
    }

    /// Passes on that this rank has waited at a window until accesses were over, there or here, to a rank of the world or to all.
    pub fn observe_flush(&self, id: CommunicatorId, target: Option<Rank>, over: Over) {
        self.observe_window(id, || {
            let rank_of = |rank| self.communicator(id).ok()?.group.rank_of(rank);
            WindowOperation::Flush { rank: target.and_then(rank_of), over }
        });
    }

    /// Closes a window. No rank may be about to reach in.
    pub fn close_window(&mut self, id: CommunicatorId) -> Result<()> {
        self.window(id)?;
        self.observe_window(id, || WindowOperation::Close);
        self.one_sided().windows.retain(|window| window.communicator != id);
        self.free(id)
    }

    /// Checks that a window is in no epoch that would have to end first.
    pub fn may_close_window(&self, id: CommunicatorId) -> Result<()> {
        let window = self.window(id)?;
        if window.exposed {
            return Err(sync("the window is exposed: MPI_Win_wait is missing"));
        }
        match window.epoch {
            Epoch::None | Epoch::Fence(_) => Ok(()),
            _ => window.may_begin("the window is freed"),
        }
    }

    /// Checks that there is such a window.
    pub fn is_window(&self, id: CommunicatorId) -> Result<()> {
        self.window(id).map(|_| ())
    }

    /// The number that all members of a window know it by.
    pub fn window_context(&self, id: CommunicatorId) -> Result<u64> {
        self.window(id).map(|window| window.context)
    }

    pub(super) fn window(&self, id: CommunicatorId) -> Result<&Window> {
        let windows = self.rare.as_ref().map_or(&[][..], |rare| &rare.one_sided.windows);
        windows.iter().find(|window| window.communicator == id).ok_or(MpiError::Window)
    }

    pub(super) fn window_mut(&mut self, id: CommunicatorId) -> Result<&mut Window> {
        let windows = self.rare.as_mut().map_or(&mut [][..], |rare| &mut rare.one_sided.windows);
        windows.iter_mut().find(|window| window.communicator == id).ok_or(MpiError::Window)
    }

    /// The world rank of a rank of a window.
    pub fn window_rank(&self, id: CommunicatorId, rank: i32) -> Result<Rank> {
        self.window(id)?;
        self.communicator(id)?.world_rank(rank)
    }

    /// Returns whether a rank need not wait at a window any more. A window that does not exist is no reason to wait.
    pub fn window_is_ready(&self, id: CommunicatorId, until: Until) -> bool {
        self.window(id).map_or(true, |window| window.is_ready(until))
    }

    /// Fails with the first thing that went wrong at a target since this was last asked for.
    pub fn window_outcome(&mut self, id: CommunicatorId) -> Result<()> {
        self.window_mut(id)?.error.take().map_or(Ok(()), Err)
    }

    fn say(&mut self, actions: &mut Actions, window: u64, to: Rank, part: Part) {
        let at = self.clock.max(actions.now());
        self.control(actions, at, to, Body::Window(Box::new(WindowMessage { window, part })));
        self.account_for(actions, Sending::Late);
    }

    /// This rank's processor says something about a window to the windows of others: one message each.
    fn say_to_each(
        &mut self,
        actions: &mut Actions,
        id: CommunicatorId,
        to: impl IntoIterator<Item = Rank>,
        part: &Part,
    ) -> Result<()> {
        let context = self.window_context(id)?;
        self.wake(actions.now());
        for rank in to {
            self.spend(self.send_time(rank, CONTROL_BYTES), Cause::StartUp);
            self.say(actions, context, rank, part.clone());
        }
        Ok(())
    }

    /// A fence may be made. Accesses made before it have to be [done](Until::Done) before its barrier.
    pub fn begin_fence(&self, id: CommunicatorId) -> Result<()> {
        let window = self.window(id)?;
        if window.exposed {
            return Err(sync("MPI_Win_fence before MPI_Win_wait"));
        }
        match window.epoch {
            Epoch::Fence(_) => Ok(()),
            _ => window.may_begin("MPI_Win_fence"),
        }
    }

    /// The barrier of a fence is over.
    pub fn end_fence(&mut self, id: CommunicatorId, after: AfterFence) -> Result<()> {
        self.window_mut(id)?.epoch = match after {
            AfterFence::Accesses => Epoch::Fence(Use::No),
            AfterFence::Nothing => Epoch::None,
        };
        self.observe_window(id, || WindowOperation::Fence { after });
        Ok(())
    }

    /// Exposes the window to a group, and sends its members a message about it.
    ///
    /// # Errors
    /// When there is no such window, members of the group are not of the window, or it is exposed already.
    pub fn post_window(
        &mut self,
        actions: &mut Actions,
        id: CommunicatorId,
        group: &Group,
        conflicts: Conflicts,
    ) -> Result<()> {
        let ranks = self.ranks_at(id, group)?;
        self.window_mut(id)?.expose(group)?;
        if conflicts == Conflicts::Possible {
            self.say_to_each(actions, id, group.members(), &Part::Posted)?;
        }
        self.observe_window(id, || WindowOperation::Post { group: ranks, conflicts });
        Ok(())
    }

    /// Begins to reach the members of a group. They have to have [posted](Until::Posted) before the first access.
    pub fn start_window(&mut self, id: CommunicatorId, group: Group, conflicts: Conflicts) -> Result<()> {
        let ranks = self.ranks_at(id, &group)?;
        let window = self.window_mut(id)?;
        window.may_begin("MPI_Win_start")?;
        window.start(group, conflicts);
        self.observe_window(id, || WindowOperation::Start { group: ranks, conflicts });
        Ok(())
    }

    /// Checks that there is something that `MPI_Win_complete` would end.
    pub fn may_complete(&self, id: CommunicatorId) -> Result<()> {
        match self.window(id)?.epoch {
            Epoch::Started(_) => Ok(()),
            _ => Err(sync("MPI_Win_complete without MPI_Win_start")),
        }
    }

    /// Sends those it has started with that it is through. Its accesses are [done](Until::Done).
    pub fn complete_window(&mut self, actions: &mut Actions, id: CommunicatorId) -> Result<()> {
        self.may_complete(id)?;
        let epoch = std::mem::replace(&mut self.window_mut(id)?.epoch, Epoch::None);
        if let Epoch::Started(group) = epoch {
            self.say_to_each(actions, id, group.members(), &Part::Completed)?;
        }
        self.observe_window(id, || WindowOperation::Complete);
        Ok(())
    }

    /// Checks that the window is exposed, so that there is something to wait for.
    pub fn is_exposed(&self, id: CommunicatorId) -> Result<()> {
        if self.window(id)?.exposed { Ok(()) } else { Err(sync("there has been no MPI_Win_post")) }
    }

    /// The exposure is over: all have [completed](Until::Completed).
    pub fn end_exposure(&mut self, id: CommunicatorId) -> Result<()> {
        self.window_mut(id)?.exposed = false;
        self.observe_window(id, || WindowOperation::Wait { look: PollFirst::No });
        Ok(())
    }

    /// Asks for the lock of a rank of the window. It has to be [granted](Until::Granted) before the first access.
    ///
    /// # Errors
    /// When there is no such window or rank, it is locked already, or another epoch has not ended.
    pub fn lock_window(
        &mut self,
        actions: &mut Actions,
        id: CommunicatorId,
        rank: i32,
        lock: Lock,
        conflicts: Conflicts,
    ) -> Result<()> {
        let to = self.window_rank(id, rank)?;
        let window = self.window_mut(id)?;
        match &mut window.epoch {
            Epoch::Locked(targets) if targets.contains_key(&to) => {
                return Err(sync(format!("rank {rank} is locked already")));
            }
            Epoch::Locked(targets) => drop(targets.insert(to, conflicts)),
            _ => {
                window.may_begin("MPI_Win_lock")?;
                window.epoch = Epoch::Locked(BTreeMap::from([(to, conflicts)]));
            }
        }
        if conflicts == Conflicts::Possible {
            window.ungranted.insert(to);
            self.say_to_each(actions, id, [to], &Part::Lock { lock, answer: Answer::Requested })?;
        }
        self.observe_window(id, || WindowOperation::Lock { rank: rank as u32, lock, conflicts });
        Ok(())
    }

    /// Checks that this rank's accesses to a rank of the window (`None`: to all) can be flushed.
    pub fn may_flush(&self, id: CommunicatorId, rank: Option<i32>) -> Result<Option<Rank>> {
        let target = rank.map(|rank| self.window_rank(id, rank)).transpose()?;
        if self.window(id)?.is_locked(target) { Ok(target) } else { Err(sync("no lock is held")) }
    }

    /// Checks that there is a lock of one rank to be given back.
    pub fn may_unlock(&self, id: CommunicatorId, rank: i32) -> Result<Rank> {
        let target = self.window_rank(id, rank)?;
        match &self.window(id)?.epoch {
            Epoch::Locked(targets) if targets.contains_key(&target) => Ok(target),
            _ => Err(sync(format!("rank {rank} is not locked"))),
        }
    }

    /// Gives the lock of a rank of the window back. Its accesses there are [done](Until::Done).
    pub fn unlock_window(&mut self, actions: &mut Actions, id: CommunicatorId, rank: i32) -> Result<()> {
        let to = self.may_unlock(id, rank)?;
        let window = self.window_mut(id)?;
        let Epoch::Locked(targets) = &mut window.epoch else { return Ok(()) };
        let conflicts = targets.remove(&to);
        if targets.is_empty() {
            window.epoch = Epoch::None;
        }
        if conflicts == Some(Conflicts::Possible) {
            self.say_to_each(actions, id, [to], &Part::Unlock)?;
        }
        self.observe_window(id, || WindowOperation::Unlock { rank: rank as u32 });
        Ok(())
    }

    /// Locks all ranks of the window, shared. They are asked when they are reached first; those of `at_once` (ranks of
    /// the window, whose memory this rank reaches by itself) now, and have to [grant](Until::Granted) it.
    pub fn lock_all(
        &mut self,
        actions: &mut Actions,
        id: CommunicatorId,
        at_once: &[Rank],
        conflicts: Conflicts,
    ) -> Result<()> {
        let window = self.window_mut(id)?;
        window.may_begin("MPI_Win_lock_all")?;
        let asked = if conflicts == Conflicts::Possible { at_once } else { &[] };
        window.ungranted.extend(asked);
        window.epoch = Epoch::LockedAll(asked.iter().copied().collect(), conflicts);
        let ask = Part::Lock { lock: Lock::Shared, answer: Answer::Requested };
        self.say_to_each(actions, id, asked.iter().copied(), &ask)?;
        self.observe_window(id, || {
            let asks = if asked.is_empty() { Asks::WhenReached } else { Asks::AtOnce };
            WindowOperation::LockAll { asks, conflicts }
        });
        Ok(())
    }

    /// Checks that all ranks are locked.
    pub fn may_unlock_all(&self, id: CommunicatorId) -> Result<()> {
        match self.window(id)?.epoch {
            Epoch::LockedAll(..) => Ok(()),
            _ => Err(sync("MPI_Win_unlock_all without MPI_Win_lock_all")),
        }
    }

    /// Gives the locks of all ranks back. All accesses are [done](Until::Done).
    pub fn unlock_all(&mut self, actions: &mut Actions, id: CommunicatorId) -> Result<()> {
        self.may_unlock_all(id)?;
        let epoch = std::mem::replace(&mut self.window_mut(id)?.epoch, Epoch::None);
        if let Epoch::LockedAll(known, _) = epoch
            && !known.is_empty()
        {
            self.say_to_each(actions, id, known, &Part::Unlock)?;
        }
        self.observe_window(id, || WindowOperation::UnlockAll);
        Ok(())
    }

    /// An access follows right behind, so no rank waits for the answer.
    pub(super) fn ask_for_lock(&mut self, actions: &mut Actions, window: u64, to: Rank, lock: Lock) {
        self.say(actions, window, to, Part::Lock { lock, answer: Answer::NotRequested });
    }

    /// A rank has its lock now. The answer goes at once, whatever this rank's processor does.
    pub(super) fn grant(&mut self, actions: &mut Actions, window: u64, to: Rank, answer: Answer) {
        if answer == Answer::Requested {
            let body = Body::Window(Box::new(WindowMessage { window, part: Part::Granted }));
            self.control(actions, actions.now(), to, body);
            self.account_for_reply(actions);
        }
    }
}
