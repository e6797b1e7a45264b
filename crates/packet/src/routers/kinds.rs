//! Kinds of routers, each of which is compiled by itself.

/// The rules that the routers of a run follow. Each kind is compiled by itself, so that most routers pay nothing for what few need.
pub(super) trait Kind {
    /// Packets take virtual channels before the crossbar, see `allocation.rs`.
    const HELD: bool;
    /// There are service classes, see `serving.rs`.
    const CLASSED: bool;
    /// Routers may have some of [`Extras`](super::states::Extras).
    const MORE: bool;
    /// The virtual channels of a link; 0 if the network says that.
    const VCS: usize = 0;
}

/// Routers have ports and lanes, and nothing else.
pub(super) struct Plain<const VCS: usize>;
pub(super) struct More;
pub(super) struct Held;
pub(super) struct Classed;

impl<const VCS: usize> Kind for Plain<VCS> {
    const HELD: bool = false;
    const CLASSED: bool = false;
    const MORE: bool = false;
    const VCS: usize = VCS;
}

impl Kind for More {
    const HELD: bool = false;
    const CLASSED: bool = false;
    const MORE: bool = true;
}

impl Kind for Held {
    const HELD: bool = true;
    const CLASSED: bool = false;
    const MORE: bool = true;
}

impl Kind for Classed {
    const HELD: bool = false;
    const CLASSED: bool = true;
    const MORE: bool = true;
}
