//! Kinds of routers, each of which is compiled by itself.

use crate::network::PacketNetwork;

/// The rules that the routers of a run follow. Each kind is compiled by itself, so that most routers pay nothing for what few need.
pub(super) trait Kind {
    /// Packets take virtual channels before the crossbar, see `allocation.rs`.
    const HELD: bool = false;
    /// There are service classes, see `serving.rs`.
    const CLASSED: bool = false;
    /// Routers may have some of [`Extras`](super::states::Extras).
    const MORE: bool = true;
    /// The virtual channels of a link; 0 if the network says that.
    const VCS: usize = 0;

    /// The virtual channels of a link.
    #[inline(always)]
    fn vcs(network: &PacketNetwork) -> usize {
        if Self::VCS > 0 { Self::VCS } else { network.vcs as usize }
    }
}

/// Routers have ports and lanes, and nothing else.
pub(super) struct Plain<const VCS: usize>;
pub(super) struct More;
pub(super) struct Held;
pub(super) struct Classed;

impl<const VCS: usize> Kind for Plain<VCS> {
    const MORE: bool = false;
    const VCS: usize = VCS;
}

impl Kind for More {}

impl Kind for Held {
    const HELD: bool = true;
}

impl Kind for Classed {
    const CLASSED: bool = true;
}
