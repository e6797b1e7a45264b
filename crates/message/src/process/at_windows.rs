//! Operations at windows, whoever has them: calls of a program, or a file. Each begins, waits where it has to, and ends.

use super::Process;
use crate::window::Until;
use crate::{Actions, CommunicatorId, Group, MpiError, Result};
use weir_operations::{Asks, Over, WindowOperation};
use weir_units::Rank;

impl Process {
    /// Begins an operation at a window. Returns the condition that the rank waits for before it [ends](Self::end_at_window) the
    /// operation; `None`: it need not wait. A fence has its flush before it, and its barrier.
    ///
    /// # Errors
    /// When the rank may not do so now, or there is no such window or rank.
    pub fn begin_at_window(
        &mut self,
        actions: &mut Actions,
        id: CommunicatorId,
        operation: &WindowOperation,
    ) -> Result<Option<Until>> {
        Ok(match operation {
            WindowOperation::Open => {
                self.make_window(id)?;
                None
            }
            WindowOperation::Close => {
                self.may_close_window(id)?;
                self.close_window(id)?;
                None
            }
            WindowOperation::Fence { after } => {
                self.begin_fence(id)?;
                self.end_fence(id, *after)?;
                None
            }
            WindowOperation::Post { group, conflicts } => {
                let group = self.group_at(id, group)?;
                self.post_window(actions, id, &group, *conflicts)?;
                None
            }
            WindowOperation::Flush { rank, over } => {
                let target = rank.map(|rank| self.window_rank(id, rank as i32)).transpose()?;
                Some(if *over == Over::There { Until::Done(target) } else { Until::DoneHere(target) })
            }
            WindowOperation::Start { group, conflicts } => {
                let group = self.group_at(id, group)?;
                self.start_window(id, group, *conflicts)?;
                Some(Until::Posted)
            }
            WindowOperation::Lock { rank, lock, conflicts } => {
                self.lock_window(actions, id, *rank as i32, *lock, *conflicts)?;
                Some(Until::Granted)
            }
            WindowOperation::LockAll { asks, conflicts } => {
                let members: Vec<Rank> = match asks {
                    Asks::AtOnce => self.communicator(id)?.group.members().collect(),
                    Asks::WhenReached => Vec::new(),
                };
                self.lock_all(actions, id, &members, *conflicts)?;
                Some(Until::Granted)
            }
            WindowOperation::Complete => {
                self.may_complete(id)?;
                Some(Until::Done(None))
            }
            WindowOperation::Wait { .. } => {
                self.is_exposed(id)?;
                Some(Until::Completed)
            }
            WindowOperation::Unlock { rank } => Some(Until::Done(Some(self.may_unlock(id, *rank as i32)?))),
            WindowOperation::UnlockAll => {
                self.may_unlock_all(id)?;
                Some(Until::Done(None))
            }
        })
    }

    /// Ends an operation at a window: what it waited for is there.
    ///
    /// # Errors
    /// Those of [`Self::begin_at_window`].
    pub fn end_at_window(
        &mut self,
        actions: &mut Actions,
        id: CommunicatorId,
        operation: &WindowOperation,
    ) -> Result<()> {
        match operation {
            WindowOperation::Complete => self.complete_window(actions, id),
            WindowOperation::Wait { .. } => self.end_exposure(id),
            WindowOperation::Unlock { rank } => self.unlock_window(actions, id, *rank as i32),
            WindowOperation::UnlockAll => self.unlock_all(actions, id),
            _ => Ok(()),
        }
    }

    /// The numbers in the window of the members of a group.
    ///
    /// # Errors
    /// When there is no such window, or it has not all of them.
    pub fn ranks_at(&self, id: CommunicatorId, group: &Group) -> Result<Box<[u32]>> {
        self.is_window(id)?;
        let whole = &self.communicator(id)?.group;
        group.members().map(|rank| whole.rank_of(rank).ok_or(MpiError::Group)).collect()
    }

    /// The group of these ranks of a window.
    fn group_at(&self, id: CommunicatorId, ranks: &[u32]) -> Result<Group> {
        let rank = |&rank: &u32| self.window_rank(id, rank as i32);
        Ok(Group::new(&ranks.iter().map(rank).collect::<Result<Vec<Rank>>>()?))
    }
}
