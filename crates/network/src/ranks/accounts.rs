//! The accounts of ranks when all is over.

use super::{Programs, Ranks};
use crate::Program;
use crate::causes::{Accounts, RankEnd, SoFar, SumsDue};
use crate::record::Keep;
use weir_units::Time;

impl<P: Program> Ranks<'_, P> {
    /// Shows the watch the causes of the time of ranks now and then, where they keep account of that.
    #[must_use]
    pub fn showing_causes(mut self, shows: Keep) -> Self {
        self.sums_due = (shows == Keep::Yes && self.keeps_causes()).then(SumsDue::default);
        self
    }

    pub(super) fn so_far_if_due(&mut self) -> Option<SoFar> {
        let mut due = self.sums_due.take()?;
        let found = due.sum_up(|| self.so_far(self.now));
        self.sums_due = Some(due);
        found
    }

    /// Causes of the time of these ranks up to an instant. Takes time for each rank.
    pub fn so_far(&mut self, now: Time) -> SoFar {
        let mut all = SoFar::default();
        for place in 0..self.programs.len() {
            if let Some(ledger) = self.programs.at(place).ledger().and_then(|ledger| ledger.as_ref()) {
                all.join(&ledger.so_far(now));
            }
        }
        all
    }

    /// The accounts of all ranks that have kept one.
    pub(super) fn take_accounts(&mut self) -> Option<Accounts> {
        let close = |program: &mut P| {
            let rank_end = if program.waiting().is_some() { RankEnd::Waits } else { RankEnd::Done };
            program.ledger().and_then(Option::take).map(|ledger| ledger.close(rank_end))
        };
        let add = |all: Option<Accounts>, one: Accounts| match all {
            Some(mut all) => {
                all.add(one);
                Some(all)
            }
            None => Some(one),
        };
        if !self.actions.keeps_causes {
            return None;
        }
        match &mut self.programs {
            Programs::All(programs) => programs.iter_mut().filter_map(close).fold(None, add),
            Programs::Some { programs, .. } => {
                programs.iter_mut().filter_map(|(_, program)| close(program)).fold(None, add)
            }
        }
    }
}
