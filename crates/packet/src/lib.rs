//! The packet-level engine.
mod counts;
mod finish;
mod flights;
mod hosts;
mod latencies;
mod machine;
mod memory;
mod model;
mod nic;
mod parts;
mod prefetch;
mod routers;
mod routing;
mod run;
mod slots;
mod sources;
mod speed;
mod stuck;
mod synthetic;

pub use counts::{Counts, LinkCounts};
pub use latencies::Latencies;
pub use machine::Machine;
pub use model::{Arbiter, DeadlockPolicy, Nics, NodeModel, Refusal, RouterModel};
pub use run::PacketEnded;
pub use stuck::StuckChannel;
pub use synthetic::{Injection, SelfTraffic, Synthetic, SyntheticEnded, TrafficPattern};
