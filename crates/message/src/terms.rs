//! Terms of calls: mode and way of a message, the buffer it is sent from, and which collectives belong together.

use crate::CommunicatorId;
use weir_network::SendOptions;

/// The mode of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Eager up to the eager limit, else rendezvous.
    Standard,
    /// Complete when the receiver has begun to receive: always rendezvous.
    Synchronous,
    /// Complete at once, however long: the data are copied into a buffer that the program has attached
    /// ([`crate::Process::attach_buffer`]), and sent from there as a standard send.
    Buffered,
    /// The standard mode, but a message that finds no receive posted ends the run: the program is wrong.
    Ready,
}

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

/// Which way a message of [`Mode::Standard`](crate::Mode::Standard), buffered or ready goes; synchronous ones are always
/// by rendezvous, since their sender waits for the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Eager up to [`Costs::eager_limit`](crate::Costs::eager_limit).
    #[default]
    Auto,
    /// Without asking, however long.
    Eager,
    /// The receiver is asked, however short.
    Rendezvous,
}

/// Copying of a message into a buffer of the library before it leaves (paper 003, section 3.1). Messages of
/// [`Mode::Buffered`](crate::Mode::Buffered) always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copying {
    /// Eager messages are copied, those by rendezvous are not.
    #[default]
    Auto,
    /// Not copied: no processor time for it, but the send is complete only when the data have left the node.
    ZeroCopy,
    /// Copied, at [`Costs::memory_bandwidth`](crate::Costs::memory_bandwidth).
    OneCopy,
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
