//! A node as engines and the message layer get it.

use super::{GapOf, NodeSection, PacketGap};
use crate::TopologySection;
use weir_message::{Bandwidths, Costs, Far, FreshMemory, LocalCosts, Overhead, Rendezvous};
use weir_network::{Copying, Placement, WithinNode, WorkFactors};
use weir_packet::{Nics, NodeModel};
use weir_topology::{NodeCables, NodeLink};
use weir_units::{Bandwidth, Bytes, Duration};

impl NodeSection {
    /// The cables to the router: as fast as the interface, and not faster than it reaches the memory.
    pub(crate) fn link(&self, topology: &TopologySection) -> NodeLink {
        let nic = self.nic_bandwidth.unwrap_or_else(|| topology.largest_bandwidth());
        NodeLink {
            bandwidth: self.dma_bandwidth.map_or(nic, |dma| nic.min(dma)),
            latency: self.link_latency.unwrap_or_else(|| topology.first_latency()),
        }
    }

    pub(crate) fn node_cables(&self) -> NodeCables {
        NodeCables { bandwidth: self.nic_bandwidth, latency: self.link_latency, limit: self.dma_bandwidth }
    }

    /// Returns whether its interfaces are one, with nothing beside its cable that limits them.
    pub(crate) fn sends_one_message(&self) -> bool {
        let limits = [self.injection_limit, self.ejection_limit, self.memory_limit];
        self.nics == Nics::Several(1) && self.cables == 1 && limits.iter().all(Option::is_none)
    }

    /// The node for the flow engine.
    pub fn flow_model(&self) -> weir_flow::NodeModel {
        weir_flow::NodeModel {
            within: self.within(self.memory_bandwidth),
            interfaces: if let Nics::Several(count) = self.nics { count } else { 1 },
            choose: self.choose.flatten().unwrap_or_default(),
            serving: self.interface,
            striping: self.striping,
            injection_limit: self.injection_limit,
            ejection_limit: self.ejection_limit,
        }
    }

    pub(crate) fn model(&self) -> NodeModel {
        NodeModel {
            within: self.within(self.memory_bandwidth),
            nics: self.nics,
            injection_limit: self.injection_limit,
            ejection_limit: self.ejection_limit,
            choose: self.choose.flatten().unwrap_or_default(),
            serving: self.interface,
            striping: self.striping,
            packet_gap: if let PacketGap::Fixed(gap) = self.packet_gap { gap } else { 0.0 },
            injection_channels: self.injection_channels,
        }
    }

    /// Messages between ranks of a node, on an engine where they pass so fast if nothing else is said.
    pub fn within(&self, default: Option<Bandwidth>) -> WithinNode {
        let (latency, memory_limit) = (self.local_latency, self.memory_limit);
        let in_turn = self.local_bandwidth.is_some() || memory_limit.is_some();
        let copying = if in_turn { Copying::InTurn } else { Copying::Apart };
        WithinNode { bandwidth: self.local_bandwidth.or(default), copying, latency, memory_limit }
    }

    /// For the message layer, with ranks on these nodes, of so many interfaces; without what `[[combining]]` and `[[work]]` say.
    pub(crate) fn message_costs(&self, placement: &Placement, interfaces: u32) -> Costs {
        let local = self.local_costs();
        let nodes = (local.is_some() || self.eager_latency.is_some()).then(|| placement.nodes().into());
        Costs {
            send: self.overhead(self.send_overhead.as_ref()),
            receive: self.overhead(self.receive_overhead.as_ref()),
            nodes: nodes.unwrap_or_default(),
            local: local.map(Box::new),
            unexpected: in_pieces(
                self.unexpected_overhead.as_deref().unwrap_or_default(),
                self.overhead_limits.as_deref(),
            ),
            rendezvous: self.rendezvous(),
            eager_latency: in_pieces(
                self.eager_latency.as_deref().unwrap_or_default(),
                self.overhead_limits.as_deref(),
            ),
            memory_bandwidth: self.memory_bandwidth,
            gap: self.message_gap,
            gap_turns: if self.gap_of == GapOf::Interface { interfaces } else { 1 },
            combine_bandwidth: self.combine_bandwidth,
            combining: Box::default(),
            copy_bandwidths: self.by_size(self.copy_bandwidth.as_ref()),
            copy_overhead: self.copy_overhead,
            pack_overhead: self.pack_overhead,
            collective: self.collective_overhead,
            wait: self.wait_overhead,
            far: self.far(),
            fresh_memory: self.fresh_memory(),
            hardware: self.hardware_overhead.unwrap_or_default(),
            hardware_message: self.hardware_message_time.unwrap_or_default(),
            progress: self.progress,
            work: WorkFactors::default(),
            eager_limit: self.eager_limit,
            eager_messages: self.eager_messages,
        }
    }

    fn local_costs(&self) -> Option<LocalCosts> {
        let (send, receive) = (&self.local_send_overhead, &self.local_receive_overhead);
        let (rendezvous, gap) = (self.local_rendezvous_overhead, self.local_message_gap);
        let is_own = send.is_some() || receive.is_some() || rendezvous.is_some() || gap.is_some();
        let is_own = is_own || self.local_eager_limit.is_some();
        is_own.then(|| LocalCosts {
            send: self.overhead(send.as_ref().or(self.send_overhead.as_ref())),
            receive: self.overhead(receive.as_ref().or(self.receive_overhead.as_ref())),
            rendezvous: rendezvous.map_or_else(|| self.rendezvous(), Rendezvous::fixed),
            gap,
            eager_limit: self.local_eager_limit.unwrap_or(self.eager_limit),
        })
    }

    fn rendezvous(&self) -> Rendezvous {
        let limits = self.overhead_limits.as_deref();
        let time = in_pieces(self.rendezvous_overhead.as_deref().unwrap_or_default(), limits);
        Rendezvous { time, bandwidths: self.by_size(self.rendezvous_bandwidth.as_ref()) }
    }

    /// Rates for pieces of sizes between limits, or one for all.
    fn by_size(&self, rates: Option<&Vec<Bandwidth>>) -> Bandwidths {
        let limits = self.overhead_limits.iter().flatten().copied();
        std::iter::once(Bytes(0)).chain(limits).zip(rates.into_iter().flatten().copied()).collect()
    }

    fn far(&self) -> Option<Far> {
        let of = |times: &Option<Vec<Duration>>| {
            in_pieces(times.as_deref().unwrap_or_default(), self.far_limits.as_deref())
        };
        let receive =
            self.far_receive_overhead.as_ref().map_or(&self.far_overhead, |_| &self.far_receive_overhead);
        Some(Far { near: self.near_partners?, send: of(&self.far_overhead), receive: of(receive) })
    }

    fn fresh_memory(&self) -> Option<FreshMemory> {
        let (from, bandwidth) = (self.fresh_memory_from?, self.fresh_memory_bandwidth?);
        let (several_from, overhead) = (self.fresh_memory_several_from, self.fresh_memory_overhead);
        Some(FreshMemory { from, several_from, overhead, bandwidth })
    }

    fn overhead(&self, times: Option<&Vec<Duration>>) -> Overhead {
        match times {
            None => Overhead::fixed(self.mpi_overhead),
            Some(times) => in_pieces(times, self.overhead_limits.as_deref()),
        }
    }
}

/// Times for pieces of sizes between limits, or one for all.
fn in_pieces(times: &[Duration], limits: Option<&[Bytes]>) -> Overhead {
    let (first, more) = times.split_first().map_or((Duration::ZERO, times), |(first, more)| (*first, more));
    let pieces = limits.unwrap_or_default().iter().copied().zip(more.iter().copied()).collect();
    Overhead::pieces(first, pieces).expect("the limits have been checked")
}
