//! Programs that send what a list says and write down what happens.

use crate::flit::Message;
use weir_network::{Actions, Class, Event, Notice, Outcome, Placement, Program, RunContext, Send};
use weir_packet::{PacketEnded, PacketNetwork};
use weir_units::{Bytes, Rank, Time};

/// How the messages get to the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handing {
    /// All at the start, each for its time.
    AtTheStart,
    /// Each when a timer fires.
    ByTimers,
    /// Each when a timer fires, and their sender asks only of every third when it has left.
    AskingSeldom,
}

impl Handing {
    pub(crate) const ALL: [Self; 3] = [Self::AtTheStart, Self::ByTimers, Self::AskingSeldom];

    /// Returns whether a sender asks when a message has left, by its number among those of the sender.
    pub(crate) fn asks(self, number: u64) -> bool {
        self != Self::AskingSeldom || number % 3 == 2
    }
}

/// Sends messages and records arrivals and departures.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    handing: Handing,
    /// In the order of their times.
    messages: Vec<Message>,
    /// Sender, number among the sender's messages, when.
    pub(crate) arrivals: Vec<(u32, u64, u64)>,
    /// When message i departed; [`u64::MAX`] if that is not asked.
    pub(crate) departures: Vec<u64>,
}

impl Recorder {
    /// A program for each of so many ranks.
    pub(crate) fn all(ranks: usize, messages: &[Message], handing: Handing) -> Vec<Self> {
        let of = |rank: usize| {
            let messages: Vec<_> = messages.iter().filter(|m| m.from as usize == rank).copied().collect();
            let departures = vec![u64::MAX; messages.len()];
            Self { handing, messages, arrivals: Vec::new(), departures }
        };
        (0..ranks).map(of).collect()
    }
}

fn send(message: &Message, notice: Notice) -> Send<()> {
    Send {
        at: Time::from_ps(message.at),
        to: Rank(message.to),
        bytes: Bytes(message.bytes),
        class: Class::Data,
        notice,
        body: (),
    }
}

impl Program for Recorder {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let now = actions.now().as_ps();
        let notice = |i: usize| if self.handing.asks(i as u64) { Notice::Departed } else { Notice::None };
        match event {
            Event::Start => {
                for (i, message) in self.messages.iter().enumerate() {
                    match self.handing {
                        Handing::AtTheStart => assert_eq!(actions.send(send(message, notice(i))), i as u64),
                        Handing::ByTimers | Handing::AskingSeldom => {
                            actions.set_timer(Time::from_ps(message.at), i as u64);
                        }
                    }
                }
            }
            Event::Timer { token } => {
                let number = token as usize;
                assert_eq!(actions.send(send(&self.messages[number], notice(number))), token);
            }
            Event::Arrived(message) => {
                assert_eq!(message.to, actions.rank());
                self.arrivals.push((message.from.0, message.sequence, now));
            }
            Event::Departed { sequence } => {
                let departure = &mut self.departures[sequence as usize];
                assert_eq!(*departure, u64::MAX, "it has departed before");
                *departure = now;
            }
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(&(&self.arrivals, &self.departures)).ok()
    }

    fn restore(&mut self, saved: &[u8]) -> Option<()> {
        (self.arrivals, self.departures) = postcard::from_bytes(saved).ok()?;
        Some(())
    }
}

/// Runs the messages, one rank on each node.
pub(crate) fn play(
    network: &PacketNetwork,
    nodes: usize,
    messages: &[Message],
    handing: Handing,
    threads: usize,
) -> (PacketEnded, Vec<Recorder>) {
    let mut programs = Recorder::all(nodes, messages, handing);
    let placement = Placement::one_per_node(nodes);
    let ended = network.run(&mut programs, RunContext::new(&placement).threads(threads));
    assert_eq!(ended.ended.outcome, Outcome::Finished);
    assert!(ended.stuck.is_none());
    (ended, programs)
}
