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
}

/// Sends messages and records arrivals and departures.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    handing: Handing,
    /// In the order of their times.
    messages: Vec<Message>,
    /// Sender, number among the sender's messages, when.
    pub(crate) arrivals: Vec<(u32, u64, u64)>,
    /// When message i departed.
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

fn send(message: &Message) -> Send<()> {
    Send {
        at: Time::from_ps(message.at),
        to: Rank(message.to),
        bytes: Bytes(message.bytes),
        class: Class::Data,
        notice: Notice::Departed,
        body: (),
    }
}

impl Program for Recorder {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let now = actions.now().as_ps();
        match event {
            Event::Start => {
                for (i, message) in self.messages.iter().enumerate() {
                    match self.handing {
                        Handing::AtTheStart => assert_eq!(actions.send(send(message)), i as u64),
                        Handing::ByTimers => actions.set_timer(Time::from_ps(message.at), i as u64),
                    }
                }
            }
            Event::Timer { token } => {
                assert_eq!(actions.send(send(&self.messages[token as usize])), token);
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
