//! A collective under way at one rank.

use super::{Round, Schedule, Side, Step};
use crate::{Combine, Combining, CommunicatorId, Data, Envelope, Group, MpiError};
use std::ops::Range;
use std::rc::Rc;

/// The operation of a collective; `None` for those that only move data.
pub type Reduction = Option<Rc<dyn Combine>>;

pub(crate) struct Running {
    pub(crate) schedule: Schedule,
    pub(crate) workspace: Data,
    pub(crate) round: Round,
    pub(crate) outstanding: usize,
    /// A message was longer than the room for it: ranks do not agree on how much there is.
    pub(crate) error: Option<Box<MpiError>>,
    pub(crate) envelope: Envelope,
    pub(crate) group: Group,
    pub(crate) communicator: CommunicatorId,
    pub(crate) combining: Combining,
    reduction: Reduction,
    next: usize,
}

impl Running {
    pub(crate) fn new(
        schedule: Schedule,
        workspace: Data,
        reduction: Reduction,
        envelope: Envelope,
        group: Group,
        communicator: CommunicatorId,
    ) -> Self {
        let round = Round::default();
        let combining = reduction.as_ref().map_or(Combining::default(), |combine| combine.combining());
        Self {
            schedule,
            workspace,
            round,
            outstanding: 0,
            error: None,
            envelope,
            group,
            communicator,
            combining,
            reduction,
            next: 0,
        }
    }

    pub(crate) fn is_of_interfaces(&self) -> bool {
        super::Call::is_by_interfaces(self.envelope.context)
    }

    pub(crate) fn rounds_begun(&self) -> usize {
        self.next
    }

    /// Sets up the next round; false if there is none.
    pub(crate) fn next_round(&mut self) -> bool {
        self.round.clear();
        if self.next == self.schedule.rounds() {
            return false;
        }
        self.schedule.round(self.next, &mut self.round);
        self.next += 1;
        true
    }

    /// The error if a message has another length than was due: the ranks give different counts. Where each block has
    /// a count of its own, or a rank gets the blocks of all, programs give more room than they need, and other libraries
    /// let them.
    pub(crate) fn wrong_length(&self, message: u64, due: u64) -> Option<Box<MpiError>> {
        if message > due {
            return Some(Box::new(MpiError::Truncate { message, buffer: due }));
        }
        let what = || {
            format!("a message of {message} bytes came where {due} were due: the ranks give different counts")
        };
        (message < due && self.is_exact()).then(|| Box::new(MpiError::Other(what())))
    }

    /// Returns whether every message must have just the length that is due.
    fn is_exact(&self) -> bool {
        use super::Function;
        let function = super::Call::marked(self.envelope.context).map(super::Call::function);
        matches!(
            function,
            Some(
                Function::Bcast | Function::Reduce | Function::Allreduce | Function::Scan | Function::Exscan
            )
        )
    }

    /// Returns whether the messages of this rank are empty from now on, by which others see that it has failed.
    pub(crate) fn passes_failure_on(&self) -> bool {
        self.error.is_some() && self.is_exact()
    }

    /// Returns whether the owner of the process computes the round: a function of the program combines.
    pub(crate) fn is_for_owner(&self) -> bool {
        self.reduction.as_ref().is_some_and(|combine| combine.is_of_program())
            && matches!(self.workspace, Data::Bytes(_))
            && self.round.then.iter().any(|step| matches!(step, Step::Reduce { .. }))
    }

    pub(crate) fn finish_round(&mut self) {
        let Data::Bytes(workspace) = &mut self.workspace else { return };
        for step in self.round.then.drain(..) {
            match step {
                Step::Copy { from, to } => workspace.copy_within(from, to),
                Step::Reduce { from, into, side } => {
                    let combine =
                        self.reduction.as_deref().expect("a schedule with reductions has an operation");
                    if side == Side::Left || combine.commutes() {
                        let (operand, place) = apart(workspace, from, into);
                        combine.combine(operand, place);
                    } else {
                        let (place, mut operand) = (into..into + from.len(), workspace[from].to_vec());
                        combine.combine(&workspace[place.clone()], &mut operand);
                        workspace[place].copy_from_slice(&operand);
                    }
                }
            }
        }
    }
}

/// The bytes of `from`, and as many from `into` on.
///
/// # Panics
/// When they overlap.
fn apart(workspace: &mut [u8], from: Range<usize>, into: usize) -> (&[u8], &mut [u8]) {
    let length = from.len();
    if from.end <= into {
        let (low, high) = workspace.split_at_mut(into);
        (&low[from], &mut high[..length])
    } else {
        let (low, high) = workspace.split_at_mut(from.start);
        (&high[..length], &mut low[into..into + length])
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("next", &self.next).field("outstanding", &self.outstanding).finish()
    }
}
