//! The packet-level engine: what buffers, virtual channels, credits and pauses between packets do (papers 003 and 004,
//! NSIM).
//!
//! Messages are cut into packets, and a packet is one piece of work at each router that it passes, whatever its size: the
//! cost of a run grows with packet-hops. There are no flits; where the tail of a packet is follows from where its head is.
//!
//! # Model
//! Virtual cut-through as in paper 003, section 3.1; the delays are those of its tables 2 and 3.
//!
//! ```text
//!   node                     router
//!  +-----+   injection    +-------------------------------------------------------------+
//!  | NIC |---- link ----->| input buffers:    wait p     crossbar        output buffer: |     link
//!  |     |<--- credits ---| one FIFO per    ----------> (takes sigma) -> one FIFO for   |----------------> next router
//!  +-----+                | virtual channel                              all virtual    |<-- credits ----  or node
//!                         |  ... one set per link that comes in           channels      |
//!                         +-------------------------------------------------------------+
//! ```
//!
//! Times are whole picoseconds. `time(s, b)` is what `s` bytes take at a bandwidth `b`, rounded up; a packet of 0 bytes
//! takes the time of 1. `p` is the sum of the delays of computing a route, allocating a virtual channel, and allocating
//! the crossbar; `sigma` is the delay of the crossbar; `c` is how long a credit takes back ([`RouterModel::credit_delay`],
//! else the latency of the link).
//!
//! **Interface** (NIC). It sends its messages one after the other in the order in which it got them, each in packets of
//! the MTU and one of what remains; a message of 0 bytes is one packet. A packet starts at
//!
//! ```text
//!   t = max(message handed over, interface free, credit for the first router's input buffer)
//!   interface free = t + (1 + gap) time(s, injection link)          gap: of the message (Way::gap), or NodeModel::packet_gap
//!   head at the router = t + latency,     tail behind the head by     lag = time(s, injection link)
//! ```
//!
//! It may use every virtual channel of its link, or the first ones ([`NodeModel::injection_channels`]): the injection link
//! is in no circle. A message has departed when the tail
//! of its last packet has left, the gap not included.
//!
//! **Router.** Let the head of a packet arrive in its input buffer at `A`, the tail at `A + lag`. Its route is computed at
//! once, also behind others, so it is *eligible* at `E = A + p`. The first packet of a virtual channel is *granted* at
//!
//! ```text
//!   t = max(E, turned, input port of the crossbar free, output port of the crossbar free,
//!           room in the output buffer, credit of the input buffer behind the link)
//!
//!   turned         crossed + turnaround, with `crossed` of the packet before it in its virtual channel
//!
//!   crossbar       crossed = max(t + time(s, crossbar), A + lag)     both ports are busy, and its place in the input
//!                                                                    buffer is taken, until then
//!   credit         known to the sender of the packet at crossed + c; with Credits::Flit at
//!                  t + min(time(s, crossbar), time(flit, crossbar)) + c
//!   output buffer  head there at t + sigma, tail at crossed + sigma
//!   link           L = max(t + sigma, link free)                     the head leaves
//!                  end = max(L + time(s, link), crossed + sigma)     the tail leaves: link free
//!   next router    A' = L + latency,  lag' = end - L
//! ```
//!
//! So the tail follows the head by the serialization time of the slowest place so far, less what the head has had to wait
//! since: in each router the head waits for `p`, and the tail catches up by as much, if it is behind by more than its own
//! time there.
//!
//! - The turnaround ([`RouterModel::turnaround_delay`]) is 0 in paper 003. It is for routers that begin with a packet only
//!   when it has become the first of its virtual channel. It holds a packet back only if that came in before `turned - p`.
//!   It counts as waiting, as all time after `E` does.
//! - An input port has one way into the crossbar for all its virtual channels, an output port one way out.
//! - The output buffer has `B` places for all virtual channels. A packet enters only with a credit, so what is in it always
//!   drains: there is room when the packet `B` places before has left the link, `end[k - B] <= t + sigma`.
//! - A packet takes the first virtual channel of its class that has a credit, beginning after the one that the link used
//!   last, which in the beginning is channel 0; from the first one if that was of another class.
//! - An input buffer has so many places in each virtual channel ([`RouterModel::input_buffer`]), or as many as its link needs so as
//!   never to wait for a credit if nothing is in the way ([`Room::RoundTrip`], `rooms.rs`). What links have less of their
//!   bandwidth because of that, [`PacketNetwork::throttle`] says.
//! - The ejection link is a link like others, without credits: the node takes everything. A packet has arrived when its
//!   tail has, at `end + latency`.
//! - A message has arrived when all its packets have, and all messages before it of the same pair of ranks.
//! - Ranks of one node reach each other without the network, in the time that memory takes ([`NodeModel`]).
//!
//! On an idle machine with `k` routers on the route, links between routers all alike, a packet arrives after
//!
//! ```text
//!   latency(injection) + k (p + sigma) + (k - 1) latency(link) + latency(ejection)
//!     + max(time(s, injection link), time(s, crossbar), time(s, ejection link), time(s, link) - p if k > 1)
//! ```
//!
//! That and everything above is checked to the picosecond against a second implementation that moves every flit
//! (`tests/packet/agreement.rs`, `tests/packet/flit.rs`); loaded networks against BookSim2 and CAMINOS
//! (`tests/packet/booksim.rs`, `tests/packet/caminos.rs`).
//!
//! **Routes.** Computed hop by hop from an address that the packet carries. Where packets could wait for each other in a
//! circle, virtual channels are divided into classes so that they cannot:
//!
//! | machine | route | classes |
//! |---|---|---|
//! | torus, mesh, Tofu | dimension order | 2 if a dimension of four or more routers wraps, else 1 |
//! | fat tree | up by source or destination, then down | 1 |
//! | hypercrossbar | dimension order | 1 |
//! | graph | those of the topology, stored | 1 without circles; else one for each link passed, or as few as a search finds |
//!
//! In a dimension that wraps, class 1 is for packets that still have to cross its closing link, class 0 for the others; or
//! for those that cross it at all ([`Dateline`]). In a graph the class is the number of links between routers that a packet
//! has passed, if there are virtual channels enough ([`ClassRule`], decision 18).
//!
//! With `v` virtual channels and `n` classes, class `i` has those from `i v / n` on, below `(i + 1) v / n`. With less
//! than one for each a machine is refused ([`DeadlockPolicy::Refuse`]), or runs with the classes it has, and may end as a
//! deadlock with the circle of [`StuckChannel`]s.
//!
//! **Service classes.** Messages may be in several classes ([`ServiceClasses`](weir_network::ServiceClasses)). Each has virtual channels of its own, which are divided as above,
//! and at every interface a line of its own, with its messages in the order that [`NodeModel::serving`] says. The class of a packet is that of its virtual
//! channel. Where packets of several classes could be granted, or leave an interface, at the same instant, the class with the highest priority goes
//! first, and of one priority that whose turn it is by weight (`services.rs`). A packet of a higher priority that waits with a credit for a port keeps the
//! others from it, so it waits for what has been granted before, and for what is in the output buffer. [`VcAllocation::BeforeSwitch`] has no classes.
//!
//! # Ties
//! A router looks at the packets that could be granted at the same instant *and hold a credit*, grants one, and looks
//! again. Of all of them, to whichever outputs they go, the [`Arbiter`] chooses one by its lane, a lane being a virtual channel of an input
//! port, numbered port by port:
//!
//! - round robin: that of the input port that has waited longest for the output, of its lanes the one that has waited longest, and of
//!   equal ones the lowest lane. A port waits for an output, with packets of one class, since its packet came in, or since the last
//!   one of this class went by it to that output; a lane since its packet came in, or since the last one left it. So in each class
//!   a node, whose packets are in all channels of its port, gets no more than each neighbor;
//! - transit first: the same among the ports of routers; those of nodes have their turns when no other packet could go.
//!   Injection first: the other way round;
//! - oldest first: the packet that started first on its injection link, among equals the lowest lane;
//! - fixed priority: the lowest lane.
//!
//! With service classes the arbiter chooses the output among the packets of the highest priority, and then among those of one class that go
//! there.
//!
//! With [`VcAllocation::BeforeSwitch`] packets that can take a virtual channel for an output do so before others are granted
//! there: round robin by the lane that has waited longest; with the other arbiters as above. A packet takes the first channel of its class that is free, beginning behind the one taken last, whether
//! there is room or not.
//!
//! Interfaces get messages of one instant in the order of [`EventKey`](weir_network::EventKey), as in every engine. All
//! that a router decides about an instant is there before it decides, so nothing depends on the order in which routers
//! are visited, on threads, or on windows.
//!
//! # Windows
//! There is no queue of packet events. Time is cut into windows ([`weir_pdes`]), and each router runs a whole window by
//! itself. A window is not longer than the lookahead, the least time in which one router or interface can affect another:
//!
//! | what | takes at least | table 3 of paper 003 |
//! |---|---|---|
//! | a packet granted: eligible at the next router | `sigma + latency + p` | 246 ns |
//! | a packet granted: arrived at its node | `sigma + latency + time(1 byte, link)` | 240.1 ns |
//! | a packet injected: eligible at the router | `latency + p` | 106 ns |
//! | a place that becomes free: a credit at the sender | `c + time(1 byte, crossbar)` | 100.1 ns |
//!
//! The least of all is the width ([`PacketNetwork::window`]). Synthetic traffic of packets of one size has wider windows
//! ([`PacketNetwork::for_packets_of`]): 132 ns with 256 bytes. A credit delay of 0 makes windows very short, 125 ps here. That
//! costs time; results are the same for any width, see [`PacketNetwork::with_window`]. A machine in which one of these is 0
//! (only the first and the third can be) is refused.
//!
//! # What is left out
//! - Flits: a link carries one packet at a time from head to tail, a buffer has room for so many packets whatever their
//!   size, and a credit is for a packet. It comes back when all of the packet has left, or when a flit of it has
//!   ([`Credits`]). The first costs a packet time on each turn of a place: with room for one packet in a virtual channel a
//!   link is idle that long, with room for many it does not count.
//! - Packet headers: a packet takes as long as its data. Take them off the bandwidth, or off the MTU.
//! - Adaptive routing, repetition of what was lost or damaged, several destinations of one packet. Routers are all alike.
//! - Allocators of several steps: they take their time, `p`, but always find what the rules above say.
//! - The memory of the receiver: the node takes what the ejection link brings.
//! - Costs of programs: those are the business of whoever writes a [`Program`](weir_network::Program).
//!
//! # Memory
//! A slot, the place of one packet in an input buffer, takes 16 bytes: the packet on the link, the buffer and the
//! credit are one. If links are not all equally fast, or a port of the crossbar is slower than a link, 8 more; where links differ
//! in how many places they need, 4 for each virtual channel, which say where its ring begins. A torus of three dimensions with 2 virtual
//! channels of 16 packets has 7 x 2 x 16 slots a node, 3.6 KB, which huge pages take at their first use; with all the
//! rest 65,536 nodes take 5.1 KB each. A packet on its way has a label of 16 bytes. A message takes memory from the start
//! of its first packet, or in the queue of its interface, until it is woken.
//!
//! # Limits
//! A packet has at most 1,048,575 bytes; a node at most 16 interfaces; a run at most 64 threads, others are not used. A
//! link has up to 256 virtual channels, a buffer up to 65,535 places. A run ends with a limit after 2^61 ps, 26 days.
//! All buffers of a machine together have at most 2^30 places. When a packet of synthetic traffic was made is counted
//! modulo 2^32 units, at least 1.1 s and 16 million packet times. At most 2^26 messages are on their way from the nodes
//! of one thread to those of another at a time. Stored routes have at most 2^30 hops, 15 classes and 4,096 ports at a
//! router.
//!
//! # Where things are
//! `network.rs` numbers ports and finds the lookahead, `routing/` has a rule per kind of machine. `slots.rs` is the buffer of one
//! packet, `rooms.rs` how many there are, `labels.rs` what a packet says at the ends of its way, `routers/router.rs` one router
//! in one window, `routers/states.rs` its lanes and ports, `routers/due.rs` its packets that could go, `routers/arbiter.rs` their ties, `routers/allocation.rs` virtual channels taken before the crossbar, `nic.rs` an
//! interface. `services.rs`, `routers/serving.rs` and `hosts/lines.rs` have service classes. `hosts.rs` has programs at the nodes, `flights.rs` their messages under way; `sources.rs` has synthetic traffic.
//! `changes.rs` makes the machine another one while a run goes on. `shared.rs` cuts a machine into one part per thread, ranges
//! of the order in `network/ports.rs`.

mod announced;
mod counts;
mod crossing;
mod destinations;
mod draws;
mod flat;
mod flights;
mod halts;
#[cfg(test)]
mod harness;
mod hosts;
mod labels;
mod logarithm;
mod meters;
mod model;
mod network;
mod nic;
mod parts;
mod prefetch;
mod processes;
mod remote;
mod reports;
mod rooms;
mod routers;
mod routing;
mod run;
mod series;
mod services;
mod shared;
mod slots;
mod sources;
mod speed;
mod stuck;
mod synthetic;
mod traffic;
mod watched;
mod zero_load;

pub use counts::{Counts, LinkCounts};
pub use flat::{FlatMessages, FlatNetwork, FlatRun, Memory, PlacedMessages, PlacedRun, Region};
pub use model::{
    Arbiter, ClassRule, Classes, Credits, Dateline, DeadlockPolicy, Nics, NodeModel, Refusal, Room,
    RouterModel, VcAllocation,
};
pub use network::PacketNetwork;
pub use remote::{Injected, RemoteCounts, RemoteLoad, RemoteRouters, RemoteWindow};
pub use routing::channels_of;
pub use run::PacketEnded;
pub use stuck::StuckChannel;
pub use synthetic::SyntheticEnded;
pub use traffic::{Injection, SelfTraffic, Synthetic, TrafficPattern};
pub use weir_network::Latencies;
pub use zero_load::Throttle;
