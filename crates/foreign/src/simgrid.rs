//! Platforms of SimGrid (XML, version 4).
//!
//! Grammar and meaning: SimGrid's manual, "XML reference" and "Platform routing", and its examples. Read are zones with the routing Full, Floyd, Dijkstra, Cluster, Star as clusters make it, and None; hosts,
//! routers, links, clusters of all kinds, cabinets, peers, backbones, routes of all kinds and bypasses.
//!
//! # Model
//! A link of SimGrid is a resource, wherever a route passes it; a link of weir leads from one place to another. So a link becomes a wire between two places, and places are one router where a route goes
//! straight on from one link to the next. Where a link is passed in both directions, as those that are shared by them, this would lead in circles: then a place is a router of its own, and cables that
//! take no time and are never full join them. Either way every route has the links that SimGrid gives it, and max-min sharing gives the same rates.

mod clusters;
mod elements;
mod hosts;
mod links;
mod place;
mod platform;
mod routes;
mod write;

use crate::machine::Machine;
use crate::reading::Reading;
pub(crate) use write::write;

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    let platform = elements::read(text, reading)?;
    if reading.is_wrong() {
        return None;
    }
    place::machine(platform, reading)
}
