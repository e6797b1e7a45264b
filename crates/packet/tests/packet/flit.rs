//! A second computation of what the packet engine computes: flit by flit, for tiny networks.
//!
//! The engine knows when the tail of a packet passes from a formula, once per hop. Here every flit is moved by itself,
//! and nothing is known before it happens: an instant is looked at again and again until nothing moves any more.
//!
//! ```text
//!   NIC --wire--> [input buffer, one FIFO per virtual channel] --crossbar--> [output buffer] --wire--> router or node
//!         <------ credits ------'
//! ```
//!
//! # Flits and edges
//! The engine's tail is that of a fluid: on the wire it follows the head by the packet's time there, but is not earlier
//! than its own end comes in. Store-and-forward of whole flits would be later by one flit time at every change from slow
//! to fast. So a flit is cut-through as well: it has a leading and a trailing *edge*, shared with its neighbors, so a
//! packet of n flits has n + 1 edges. Each stage passes edge i as soon as it has come in, and one flit time of the stage
//! after edge i - 1. With a single flit this is the engine's rule; with many it is a recursion over all of them. Both
//! agree because arrival times of edges are convex in the edge's number: linear at the NIC, and every stage takes the
//! larger of a linear and a convex function. All bandwidths must give whole picoseconds per byte; rounding is not
//! modeled.
//!
//! # The switch delay
//! The engine grants when the output buffer will have room at the time the head gets there, a switch delay later. So
//! that nothing has to be known in advance, the output stage runs on a clock that is a switch delay late: flits are in
//! the output buffer at once, and spend the switch delay on the wire. Nothing comes back from there, so all times stay
//! the same.

mod journey;
mod network;
mod nic;
mod packet;
mod router;
mod ruling;
mod simulator;
mod wire;

pub(crate) use journey::{Journey, Message};
pub(crate) use network::{Precedence, Settings, longest_route};
pub(crate) use simulator::{simulate, simulate_changing, simulate_deciding};
