//! Messages of the events of a profile, as far as they are known before a run: for advice.

use crate::setting::Setting;
use crate::started::{Ground, Known, plan};
use weir_collectives::{Choice, Round};
use weir_formats::profile::Profile;
use weir_message::{CommunicatorId, Costs, MpiError, PROC_NULL, Process};
use weir_operations::{Operation, Step, WindowOperation};
use weir_units::{Bytes, Rank};

/// A step of a rank that concerns messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutlineStep {
    /// It sends these, at a time: to which rank of the world, and how long each is.
    Sends(Vec<(Rank, Bytes)>),
    /// It waits for something before it goes on.
    Waits,
}

/// The events of one rank as steps. Left out are answers to accesses, which go without the rank's doing, and partitions.
pub struct Outline {
    ground: Ground,
    process: Process,
    known: Known,
}

impl Outline {
    /// Prepares the outline of a rank of a profile, with these algorithms.
    pub fn new(profile: &Profile, rank: Rank, choice: Choice) -> Self {
        let process = Process::new(rank, profile.ranks(), Costs::default());
        let ground = Ground::new(&profile.communicators, Setting { choice, ..Setting::default() });
        Self { ground, process, known: Known::default() }
    }

    /// Returns the steps of an event. A collective is made of its rounds; O(messages).
    ///
    /// # Errors
    /// When the profile does not fit: that of another rank, or an algorithm that is not possible.
    pub fn steps(&mut self, event: &Step) -> Result<Vec<OutlineStep>, MpiError> {
        Ok(match &event.operation {
            Operation::Send { to, bytes, communicator, request, .. } => {
                let sends = self.one(*communicator, *to, Bytes(*bytes))?;
                if request.is_some() { vec![sends] } else { vec![sends, OutlineStep::Waits] }
            }
            Operation::Access { access, target, bytes, communicator, .. } => {
                vec![self.one(*communicator, Some(*target), Bytes(access.given(*bytes)))?]
            }
            Operation::Collective { collective, communicator, .. } => {
                let id = self.communicator(*communicator)?;
                let known = self.process.communicator(id)?;
                let everybody = known.everybody().clone();
                let schedule = plan(collective, &self.ground.setting.choice, known)?.schedule;
                let mut steps = Vec::new();
                for number in 0..schedule.rounds() {
                    let mut round = Round::default();
                    schedule.round(number, &mut round);
                    let sends = round.sends.iter().filter_map(|transfer| {
                        Some((everybody.member(transfer.peer)?, Bytes(transfer.range.len() as u64)))
                    });
                    steps.extend([OutlineStep::Sends(sends.collect()), OutlineStep::Waits]);
                }
                steps
            }
            Operation::Receive { request: None, .. }
            | Operation::ReceiveMatched { request: None, .. }
            | Operation::Wait { .. }
            | Operation::See { .. }
            | Operation::Probe { .. }
            | Operation::Match { .. }
            | Operation::Flush => vec![OutlineStep::Waits],
            Operation::Window { operation, .. }
                if !matches!(**operation, WindowOperation::Open | WindowOperation::Post { .. }) =>
            {
                vec![OutlineStep::Waits]
            }
            _ => Vec::new(),
        })
    }

    fn one(&mut self, communicator: u32, to: Option<u32>, bytes: Bytes) -> Result<OutlineStep, MpiError> {
        let id = self.communicator(communicator)?;
        let to = self.process.check_send(id, to.map_or(PROC_NULL, |to| to as i32), 0)?;
        Ok(OutlineStep::Sends(to.map(|to| (to, bytes)).into_iter().collect()))
    }

    fn communicator(&mut self, number: u32) -> Result<CommunicatorId, MpiError> {
        self.known.communicator(&mut self.process, &self.ground, number)
    }
}
