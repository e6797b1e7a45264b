//! Costs of this rank's messages by the node of the other rank: its own, or another.

use super::Process;
use crate::choices::Copies;
use crate::collective::Running;
use crate::{Costs, Data, Overhead};
use weir_network::causes::Cause;
use weir_units::{Bytes, Duration, Rank, Time};

impl Process {
    /// Processor time of a message to a rank, without a copy.
    #[inline]
    pub(super) fn send_time(&self, to: Rank, bytes: Bytes) -> Duration {
        let Costs { send, .. } = &*self.costs;
        self.costs.between(self.rank, to).map_or(send, |local| &local.send).of(bytes)
    }

    /// Processor time of handing a message over, its copy included.
    #[inline]
    pub(super) fn handing_time(&self, to: Rank, copies: Copies, bytes: Bytes) -> Duration {
        let copy = match copies {
            Copies::None => Duration::ZERO,
            Copies::One => self.costs.eager_copy(bytes),
        };
        self.send_time(to, bytes) + copy
    }

    /// Up to how many bytes a message to a rank goes without asking it.
    #[inline]
    pub(super) fn eager_limit(&self, to: Rank) -> Bytes {
        self.costs.between(self.rank, to).map_or(self.costs.eager_limit, |local| local.eager_limit)
    }

    /// From when both are ready to when this rank lets a message of another one go.
    pub(super) fn rendezvous_time(&self, from: Rank) -> Duration {
        self.costs.between(self.rank, from).map_or(self.costs.rendezvous, |local| local.rendezvous)
    }

    /// The rank has seen that these data are there. Those that nobody has sent cost as much as those of another node.
    #[inline]
    pub(super) fn pay_for_receive(&mut self, from: Option<Rank>, data: &Data) {
        let local = from.and_then(|from| self.costs.between(self.rank, from));
        let receive: &Overhead = local.map_or(&self.costs.receive, |local| &local.receive);
        self.spend(receive.of(Bytes(data.length())), Cause::StartUp);
    }

    /// A message of a collective is there: the rank has seen that, or its interface, where the interfaces carry it out.
    pub(super) fn pay_for_part(&mut self, running: &Running, from: Option<Rank>, data: &Data) {
        if running.is_of_interfaces() {
            self.spend(self.costs.hardware_message, Cause::StartUp);
        } else {
            self.pay_for_receive(from, data);
        }
    }

    /// When the node gets a message that this rank has ready.
    #[inline]
    pub(super) fn hand_over(&mut self, to: Rank) -> Time {
        let local = self.costs.between(self.rank, to).and_then(|local| local.gap);
        if local.is_none() && self.costs.gap_turns > 1 {
            return self.hand_over_in_turn();
        }
        let next = if local.is_some() { &mut self.next_local } else { &mut self.next_message };
        let at = self.clock.max(*next);
        *next = at + local.unwrap_or(self.costs.gap);
        at
    }

    /// The same where several interfaces take turns: that of this message has got the one so many before it.
    fn hand_over_in_turn(&mut self) -> Time {
        let turns = &mut self.next_by_turn;
        let free = if turns.len() < self.costs.gap_turns as usize { None } else { turns.pop_front() };
        let at = self.clock.max(free.unwrap_or(Time::ZERO));
        turns.push_back(at + self.costs.gap);
        at
    }
}
