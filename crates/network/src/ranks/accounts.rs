//! The accounts of ranks when all is over.

use super::{Programs, Ranks};
use crate::Program;
use crate::causes::{Accounts, Standing};

impl<P: Program> Ranks<'_, P> {
    /// The accounts of all ranks that have kept one.
    pub(super) fn take_accounts(&mut self) -> Option<Accounts> {
        let close = |program: &mut P| {
            let standing = if program.waiting().is_some() { Standing::Waits } else { Standing::Done };
            program.take_ledger().map(|ledger| ledger.close(standing))
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
