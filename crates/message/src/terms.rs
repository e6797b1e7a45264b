//! Terms of calls: the way of a message, the buffer it is sent from, and which collectives belong together.

use crate::CommunicatorId;
use weir_network::SendOptions;
use weir_operations::{Choices, Copying, Gap, Protocol};

/// Choices for the messages that a rank sends from now on. The default leaves all to the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SendChoices {
    /// Eager or rendezvous.
    pub protocol: Protocol,
    /// Copied first or not.
    pub copying: Copying,
    /// Interface and inter-packet gap.
    pub way: SendOptions,
}

/// Choices that programs have among the interfaces of their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Interfaces {
    /// Interfaces of a node.
    pub count: u16,
    /// Inter-packet gaps of single messages.
    pub gaps: Gaps,
}

/// Presence of inter-packet gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Gaps {
    /// The engine knows no packets.
    None,
    /// Each message may have its own.
    PerMessage,
}

impl Interfaces {
    /// Those of engines that know nothing of packets.
    pub const PLAIN: Self = Self { count: 1, gaps: Gaps::None };
}

impl Default for Interfaces {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl SendChoices {
    /// Choices of a file, on a machine with these interfaces: an interface or a gap that it has not got, it chooses itself.
    pub fn on(interfaces: Interfaces, choices: &Choices) -> Self {
        let nic = choices.nic.filter(|&nic| nic < interfaces.count);
        let gap = choices.gap.filter(|_| interfaces.gaps == Gaps::PerMessage).map(Gap::packet_times);
        let way = SendOptions::default().with_nic(nic).with_gap(gap);
        Self { protocol: choices.protocol, copying: choices.copying, way }
    }

    /// The same choices, in which form files hold them.
    pub(crate) fn choices(&self) -> Choices {
        let (nic, gap) = (self.way.nic, self.way.gap.and_then(Gap::new));
        Choices { protocol: self.protocol, copying: self.copying, nic, gap }
    }
}

/// The owner of a buffer for buffered sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferOf {
    /// The whole process.
    Process,
    /// Sends on a communicator.
    Communicator(CommunicatorId),
    /// The session with this number.
    Session(u32),
}

/// Which collectives of the ranks of a communicator belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Those that each rank starts at the same place among all that it starts.
    InOrder,
    /// Those with the same number of [`crate::Process::reserve_collective`], each time they are started.
    Reserved(u32),
}

/// A message that a matched probe has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId(pub u32);
