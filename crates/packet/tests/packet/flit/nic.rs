//! The sending side of a node: message after message, or a packet of each in turn.

use super::packet::Packet;
use super::router::Stay;
use std::collections::VecDeque;

/// What a node sends, and when it may send the next packet.
pub(super) struct Nic {
    /// Messages that have not been handed over, each with its packets.
    pub(super) to_come: VecDeque<VecDeque<usize>>,
    /// What has no data, where that goes first; what is sent in turn; and what waits for that.
    control: VecDeque<VecDeque<usize>>,
    in_turn: VecDeque<VecDeque<usize>>,
    waiting: VecDeque<VecDeque<usize>>,
    pub(super) sending: Option<Stay>,
    pub(super) free: u64,
}

impl Nic {
    pub(super) fn new() -> Self {
        let none = VecDeque::new;
        Self { to_come: none(), control: none(), in_turn: none(), waiting: none(), sending: None, free: 0 }
    }

    /// Packets that have not set out.
    pub(super) fn packets(&self) -> impl Iterator<Item = usize> {
        let all = self.to_come.iter().chain(&self.control).chain(&self.in_turn).chain(&self.waiting);
        all.flatten().copied()
    }

    /// Takes what has been handed over by now.
    pub(super) fn take(&mut self, packets: &[Packet], at_once: Option<usize>, now: u64) {
        while self.to_come.front().is_some_and(|message| packets[message[0]].handed_over <= now) {
            let Some(message) = self.to_come.pop_front() else { return };
            if at_once.is_some() && packets[message[0]].bytes == 0 {
                self.control.push_back(message);
            } else {
                self.waiting.push_back(message);
            }
            self.fill(at_once);
        }
    }

    pub(super) fn fill(&mut self, at_once: Option<usize>) {
        while self.in_turn.len() < at_once.unwrap_or(1)
            && let Some(message) = self.waiting.pop_front()
        {
            self.in_turn.push_back(message);
        }
    }

    /// The packet whose turn it is, and since when one of those in turn has been there.
    pub(super) fn next(&self, packets: &[Packet]) -> Option<(usize, u64)> {
        let all = || self.control.iter().chain(&self.in_turn).map(|message| message[0]);
        Some((all().next()?, all().map(|packet| packets[packet].handed_over).min()?))
    }

    /// That packet sets out.
    pub(super) fn turn_over(&mut self, at_once: Option<usize>) {
        if self.control.pop_front().is_none() {
            let mut message = self.in_turn.pop_front().expect("its packet sets out");
            message.pop_front();
            match at_once {
                _ if message.is_empty() => self.fill(at_once),
                Some(_) => self.in_turn.push_back(message),
                None => self.in_turn.push_front(message),
            }
        }
    }
}
