//! Choices of a rank for the messages it sends from now on (the functions of `weir.h`).

use std::fmt;

/// Choices for the messages that follow; the default leaves all to the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Choices {
    /// Eager or rendezvous.
    pub protocol: Protocol,
    /// Copied first or not.
    pub copying: Copying,
    /// The interface of the node, from 0; `None`: the machine chooses.
    pub nic: Option<u16>,
    /// The inter-packet gap; `None`: as the machine says.
    pub gap: Option<Gap>,
}

/// The way of a message of the standard mode, buffered or ready; synchronous ones are always
/// by rendezvous, since their sender waits for the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Protocol {
    /// Eager up to the eager limit of the machine.
    #[default]
    Auto,
    /// Without asking, however long.
    Eager,
    /// The receiver is asked, however short.
    Rendezvous,
}

/// Copying of a message into a buffer of the library before it leaves (paper 003, section 3.1). Messages of
/// the buffered mode always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Copying {
    /// Eager messages are copied, those by rendezvous are not.
    #[default]
    Auto,
    /// Not copied: no processor time for it, but the send is complete only when the data have left the node.
    ZeroCopy,
    /// Copied, at the bandwidth of the memory.
    OneCopy,
}

/// The pause of an interface behind each packet, in times that the packet takes (paper 004, section 5.2): from 0 to
/// [`Gap::MOST`]. With 1 the rate is half of what it is without.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
pub struct Gap(f64);

// A gap is never NaN, see `Gap::new`.
impl Eq for Gap {}

impl Gap {
    /// The largest gap.
    pub const MOST: f64 = 1e6;

    /// `None` when the number is negative, larger than [`Gap::MOST`], or none.
    pub fn new(packet_times: f64) -> Option<Self> {
        // A negative zero is a zero, also when it is written.
        (0.0..=Self::MOST).contains(&packet_times).then_some(Self(packet_times + 0.0))
    }

    /// In times that a packet takes.
    pub const fn packet_times(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
