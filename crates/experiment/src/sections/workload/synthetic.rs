//! Synthetic traffic: every node generates packets at a given rate, whatever becomes of them.

use super::keys::{self, DESTINATIONS};
use super::pattern::read_root;
use super::{Room, Setting};
use crate::keys::form::OneOf;
use crate::source::nearest::is_name;
use crate::source::reader::Section;
use weir_packet::{Injection, SelfTraffic, Synthetic, TrafficPattern};
use weir_units::{Bytes, Duration, NodeId};

/// A slot is checked against the packets of the load when the machine is known.
fn read_injection(section: &mut Section<'_>) -> Injection {
    let injection = section.get_or_default(&keys::INJECTION);
    if injection == Injection::Exponential {
        section.refuse(&["slot"], "belongs to injection = \"bernoulli\"");
        return injection;
    }
    let slot = section.get(&keys::SLOT);
    section.report_if(slot == Some(Duration::ZERO), "slot", "must be greater than zero", "");
    Injection::Bernoulli { slot }
}

/// Part of the measured time that the network fills before, unless said.
const WARMUP: u64 = 5;

pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>, setting: &Setting) -> Option<Synthetic> {
    let rule = section.get(&keys::PATTERN);
    let rule = if section.has("pattern") { rule } else { Some(TrafficPattern::Uniform) };
    section.settle(&keys::PATTERN, rule);
    let pattern = read_pattern(section, rule);
    let offered_load = section.get_required(&keys::OFFERED_LOAD);
    let injection = read_injection(section);
    let self_traffic = section.get_or_default(&keys::SELF_TRAFFIC);
    let packet = read_packet_size(section, setting.mtu);
    let warmup = section.get(&keys::WARMUP);
    let duration = section.get_required(&keys::DURATION);
    section.report_if(duration == Some(Duration::ZERO), "duration", "must be greater than zero", "");
    let seed = section.get_or(&keys::SEED, setting.seed);
    if let Some(TrafficPattern::HotSpot { node, part: 1.0 }) = pattern
        && self_traffic == SelfTraffic::Skipped
    {
        let hint = "write self_traffic = true, or a smaller fraction";
        section.report("fraction", format!("rank {node} would have no rank to send to"), hint);
    }
    if let (Some(ranks), Some(pattern)) = (ranks, pattern) {
        check_ranks(section, &pattern, ranks, setting.room);
    }
    let warmup = warmup.unwrap_or(Duration::from_ps(duration?.as_ps() / WARMUP));
    section.settle(&keys::WARMUP, warmup);
    let (pattern, offered_load, duration) = (pattern?, offered_load?, duration?);
    Some(Synthetic { pattern, offered_load, injection, self_traffic, packet, warmup, duration, seed })
}

/// Keys of some patterns only.
const OWN_KEYS: [(&str, &str); 5] = [
    ("root", "belongs to pattern = \"hot-spot\""),
    ("fraction", "belongs to pattern = \"hot-spot\""),
    ("shift", "belongs to pattern = \"shift\", \"group-shift\" and \"router-shift\""),
    ("group", "belongs to pattern = \"group-shift\""),
    ("base", "belongs to pattern = \"digit-reversal\""),
];

/// The keys that this pattern has beside those of all.
fn own_keys(pattern: TrafficPattern) -> &'static [&'static str] {
    match pattern {
        TrafficPattern::HotSpot { .. } => &["root", "fraction"],
        TrafficPattern::Shift { .. } | TrafficPattern::RouterShift { .. } => &["shift"],
        TrafficPattern::GroupShift { .. } => &["group", "shift"],
        TrafficPattern::DigitReversal { .. } => &["base"],
        _ => &[],
    }
}

/// The keys of `[workload]` that a pattern of synthetic traffic has beside those of all; `None` if there is no pattern of this name.
pub fn keys_of_pattern(name: &str) -> Option<&'static [&'static str]> {
    let known = DESTINATIONS.iter().find(|(known, _)| is_name(known, name));
    known.map(|&(_, pattern)| own_keys(pattern))
}

/// The keys of `[workload]` that belong to some patterns of synthetic traffic only.
pub fn keys_of_some_patterns() -> impl Iterator<Item = &'static str> {
    OWN_KEYS.into_iter().map(|(key, _)| key)
}

/// Fills in the keys of a pattern; those of a hot spot are those of `kind = "hot-spot"`.
fn read_pattern(section: &mut Section<'_>, pattern: Option<TrafficPattern>) -> Option<TrafficPattern> {
    let own = pattern.map_or(&[][..], own_keys);
    for (key, why) in OWN_KEYS.into_iter().filter(|(key, _)| !own.contains(key)) {
        match pattern {
            None => section.pass(&[key]),
            Some(_) => section.refuse(&[key], why),
        }
    }
    let mut pattern = pattern?;
    match &mut pattern {
        TrafficPattern::Shift { shift } | TrafficPattern::RouterShift { shift } => {
            *shift = section.get_required(&keys::SHIFT)?;
        }
        TrafficPattern::GroupShift { group, shift } => {
            let read = (section.get_required(&keys::GROUP), section.get_required(&keys::SHIFT));
            (*group, *shift) = (read.0?, read.1?);
        }
        TrafficPattern::DigitReversal { base } => *base = section.get_required(&keys::BASE)?,
        TrafficPattern::HotSpot { node, part } => {
            *node = NodeId(read_root(section).0);
            *part = section.get_or_default(&keys::FRACTION);
        }
        _ => {}
    }
    Some(pattern)
}

fn read_packet_size(section: &mut Section<'_>, mtu: Bytes) -> Bytes {
    let size = section.get(&keys::PACKET_SIZE);
    if size == Some(Bytes::ZERO) {
        section.report("packet_size", "must be greater than zero", "");
    } else if size.is_some_and(|size| size > mtu) {
        let mtu = crate::source::quantity_text::bytes_text(mtu);
        let what = format!("is larger than the largest packet: packet.mtu is {mtu}");
        section.report("packet_size", what, "make packet.mtu larger");
    }
    section.settle(&keys::PACKET_SIZE, size.unwrap_or(mtu));
    size.unwrap_or(mtu)
}

fn check_ranks(section: &mut Section<'_>, pattern: &TrafficPattern, ranks: usize, room: Room) {
    if let Room::Ranks(room) | Room::Places(room) = room
        && (ranks as u64) < room
    {
        let what = format!("must be {room}: synthetic traffic has one rank on each node");
        section.report("ranks", what, "leave ranks out");
        return;
    }
    if ranks < 2 {
        let hint = "make the machine larger";
        section.report("kind", "does not fit: a single node has no other to send to", hint);
        return;
    }
    if let TrafficPattern::HotSpot { node, .. } = *pattern
        && node.index() >= ranks
    {
        let hint = "ranks are counted from 0";
        section.report("root", format!("there is no rank {node} among {ranks} ranks"), hint);
    }
    let needs = match *pattern {
        TrafficPattern::BitReverse | TrafficPattern::BitComplement if !ranks.is_power_of_two() => {
            "power of two"
        }
        TrafficPattern::Transpose if !ranks.is_power_of_two() || ranks.ilog2() % 2 == 1 => "power of four",
        TrafficPattern::DigitReversal { base } if !is_power(ranks, base as usize) => "power of base",
        TrafficPattern::GroupShift { group, .. } if !ranks.is_multiple_of(group as usize) => {
            "multiple of group"
        }
        _ => return,
    };
    let name = OneOf(&DESTINATIONS).name(pattern);
    let what = format!("{name} needs a number of ranks that is a {needs}, and {ranks} is not");
    let hint = "use uniform, tornado or neighbour, which take any number of ranks";
    section.report("pattern", what, hint);
}

fn is_power(number: usize, base: usize) -> bool {
    std::iter::successors(Some(base), |power| power.checked_mul(base)).any(|power| power == number)
}
