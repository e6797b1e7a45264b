//! The crossbars of routers, by kind.

use super::{RouterPlace, Sender, counted, pipeline};
use crate::rooms::RoundTrips;
use crate::speed::Speed;
use crate::{Credits, RouterModel};
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, LinkId};

/// The crossbar of routers of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Crossbar {
    /// Time through it, in picoseconds.
    pub(crate) delay: u64,
    /// Bandwidth of each of its ports.
    pub(crate) speed: Speed,
    pub(crate) trips: RoundTrips,
}

impl Crossbar {
    /// When the place of a packet is given back that is granted at an instant, passes the crossbar in so long and has crossed it at another one.
    #[inline(always)]
    pub(crate) fn given_back(&self, now: u64, passes: u64, crossed: u64) -> u64 {
        self.trips.flit_passes.map_or(crossed, |flit| now + passes.min(flit))
    }
}

impl Sender {
    /// Time through the crossbar before the link, in picoseconds; none behind an interface.
    pub(crate) fn crossing(self, routers: &[RouterPlace], crossbars: &[Crossbar]) -> u64 {
        match self {
            Self::Router(router, _) => crossbars[routers[router as usize].kind as usize].delay,
            Self::Nic(_) | Self::None => 0,
        }
    }
}

/// The places of all input ports in ascending order, each with the crossbar of its router.
pub(crate) fn by_input<'n>(
    routers: &'n [RouterPlace],
    crossbars: &'n [Crossbar],
) -> impl Iterator<Item = (usize, &'n Crossbar)> {
    routers.windows(2).flat_map(|pair| {
        let crossbar = &crossbars[pair[0].kind as usize];
        (pair[0].input as usize..pair[1].input as usize).map(move |place| (place, crossbar))
    })
}

/// The crossbars of all kinds of routers, each as fast as its fastest link, times the speedup, where nothing is said. A router is as fast
/// as it was when one of its links slows down, and as fast as a link that is faster than the others.
pub(super) fn crossbars(model: &RouterModel, topology: &Topology, kinds: &[u16]) -> Vec<Crossbar> {
    let count = kinds.iter().max().map_or(1, |&last| usize::from(last) + 1);
    let mut fastest: Vec<Option<Bandwidth>> = vec![None; count];
    for id in (0..topology.links()).map(LinkId::new) {
        let (link, whole) = (topology.link(id), topology.whole().link(id));
        let bandwidth = whole.capacity.max(link.capacity);
        for end in [link.from, link.to] {
            if let End::Router(router) = end {
                let fastest = &mut fastest[usize::from(kinds[router.index()])];
                *fastest = Some(fastest.map_or(bandwidth, |other| other.max(bandwidth)));
            }
        }
    }
    let times = |fastest: Bandwidth| {
        Bandwidth::new(fastest.bytes_per_second() * f64::from(model.speedup)).unwrap_or(fastest)
    };
    let make = |(kind, fastest): (usize, Option<Bandwidth>)| {
        let said = model.switch_bandwidth.get(kind).or(model.switch_bandwidth.first());
        let bandwidth = said.copied().or(fastest.map(times)).expect("a router has links");
        let delay = model.switch_delay.get(kind).unwrap_or(&model.switch_delay[0]);
        let speed = Speed::new(bandwidth, model.mtu.0 as u32);
        Crossbar { delay: counted(*delay), trips: round_trips(model, &speed), speed }
    };
    fastest.into_iter().enumerate().map(make).collect()
}

/// The part of a round trip that all links to a crossbar have in common.
fn round_trips(routers: &RouterModel, switch: &Speed) -> RoundTrips {
    let flit_passes = (routers.credits == Credits::Flit).then(|| flit_time(switch, routers));
    RoundTrips { pipeline: pipeline(routers), passes: switch.range().1, flit_passes }
}

fn flit_time(switch: &Speed, routers: &RouterModel) -> u64 {
    Speed::new(switch.bandwidth(), routers.flit().0 as u32).range().1
}
