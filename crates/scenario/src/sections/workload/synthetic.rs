//! Synthetic traffic: every node generates packets at a given rate, whatever becomes of them.

use super::kinds::DESTINATIONS;
use super::pattern::read_root;
use super::{Room, Setting, keys};
use crate::keys::form::Variant;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_packet::{Injection, SelfTraffic, Synthetic, TrafficPattern};
use weir_units::{Bytes, Duration, NodeId};

/// Packets from every node at a given rate (an open loop). There is one rank on each node, and rank = node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticSection {
    /// Where packets go.
    pub pattern: TrafficPattern,
    /// Load that each node generates, as a part of the bandwidth of its injection link: above 0, at most 1.
    pub offered_load: f64,
    /// When packets are generated.
    pub injection: Injection,
    /// Treatment of packets whose destination is their source.
    pub self_traffic: SelfTraffic,
    /// Size of each packet, at most that of the largest packet.
    pub packet_size: Bytes,
    /// Time in which the network fills before anything is measured.
    pub warmup: Duration,
    /// Time that is measured.
    pub duration: Duration,
    /// Seed of all that is random in it.
    pub seed: u64,
}

/// A slot is checked against the packets of the load when the machine is known.
fn read_injection(section: &mut Section<'_>) -> Injection {
    let injection = section.get_or_default(&keys::INJECTION);
    if injection == Injection::Exponential {
        section.refuse(&["slot"], "belongs to injection = \"bernoulli\"");
        return injection;
    }
    let slot = section.get(&keys::SLOT);
    if slot == Some(Duration::ZERO) {
        section.problem("slot", "must be greater than zero", None);
    }
    Injection::Bernoulli { slot }
}
/// Part of the measured time that the network fills before, unless said.
const WARMUP: u64 = 5;

impl SyntheticSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>, setting: &Setting) -> Option<Self> {
        let rule = section.get(&keys::PATTERN);
        let rule = if section.has("pattern") { rule } else { Some(TrafficPattern::Uniform) };
        let pattern = read_pattern(section, rule);
        let offered_load = section.get_required(&keys::OFFERED_LOAD);
        let injection = read_injection(section);
        let self_traffic = section.get_or_default(&keys::SELF_TRAFFIC);
        let packet_size = read_packet_size(section, setting.mtu);
        let warmup = section.get(&keys::WARMUP);
        let duration = section.get_required(&keys::DURATION);
        if duration == Some(Duration::ZERO) {
            section.problem("duration", "must be greater than zero", None);
        }
        let seed = section.get(&keys::SEED).unwrap_or(setting.seed);
        if let Some(TrafficPattern::HotSpot { node, part: 1.0 }) = pattern
            && self_traffic == SelfTraffic::Skipped
        {
            let hint = "write self_traffic = true, or a smaller fraction".to_owned();
            section.problem("fraction", format!("rank {node} would have no rank to send to"), Some(hint));
        }
        if let (Some(ranks), Some(pattern)) = (ranks, pattern) {
            check_ranks(section, &pattern, ranks, setting.room);
        }
        let duration = duration?;
        Some(Self {
            pattern: pattern?,
            offered_load: offered_load?,
            injection,
            self_traffic,
            packet_size,
            warmup: warmup.unwrap_or(Duration::from_ps(duration.as_ps() / WARMUP)),
            duration,
            seed,
        })
    }

    /// The traffic for the engine.
    #[must_use]
    pub fn traffic(&self) -> Synthetic {
        Synthetic {
            pattern: self.pattern,
            offered_load: self.offered_load,
            injection: self.injection,
            self_traffic: self.self_traffic,
            packet: self.packet_size,
            warmup: self.warmup,
            duration: self.duration,
            seed: self.seed,
        }
    }

    pub(super) fn put(&self, section: &mut Resolved) {
        section.put(&keys::PATTERN, self.pattern);
        match self.pattern {
            TrafficPattern::HotSpot { node, part } => {
                section.put(&keys::ROOT, node.0);
                section.put(&keys::FRACTION, part);
            }
            TrafficPattern::Shift { shift } => section.put(&keys::SHIFT, shift),
            TrafficPattern::GroupShift { group, shift } => {
                section.put(&keys::GROUP, group);
                section.put(&keys::SHIFT, shift);
            }
            TrafficPattern::DigitReversal { base } => section.put(&keys::BASE, base),
            _ => {}
        }
        section.put(&keys::OFFERED_LOAD, self.offered_load);
        section.put(&keys::INJECTION, self.injection);
        if let Injection::Bernoulli { slot } = self.injection {
            section.put_some(&keys::SLOT, slot);
        }
        section.put(&keys::SELF_TRAFFIC, self.self_traffic);
        section.put(&keys::PACKET_SIZE, self.packet_size);
        section.put(&keys::WARMUP, self.warmup);
        section.put(&keys::DURATION, self.duration);
        section.put(&keys::SEED, self.seed);
    }
}

type Belongs = fn(TrafficPattern) -> bool;
/// Keys of some patterns only, and the patterns.
const OWN_KEYS: [(&str, Belongs, &str); 5] = [
    ("root", |rule| matches!(rule, TrafficPattern::HotSpot { .. }), "belongs to pattern = \"hot-spot\""),
    ("fraction", |rule| matches!(rule, TrafficPattern::HotSpot { .. }), "belongs to pattern = \"hot-spot\""),
    (
        "shift",
        |rule| matches!(rule, TrafficPattern::Shift { .. } | TrafficPattern::GroupShift { .. }),
        "belongs to pattern = \"shift\" and \"group-shift\"",
    ),
    (
        "group",
        |rule| matches!(rule, TrafficPattern::GroupShift { .. }),
        "belongs to pattern = \"group-shift\"",
    ),
    (
        "base",
        |rule| matches!(rule, TrafficPattern::DigitReversal { .. }),
        "belongs to pattern = \"digit-reversal\"",
    ),
];

/// Fills in the keys of a pattern; those of a hot spot are those of `kind = "hot-spot"`.
fn read_pattern(section: &mut Section<'_>, pattern: Option<TrafficPattern>) -> Option<TrafficPattern> {
    for (key, belongs, why) in OWN_KEYS {
        match pattern {
            Some(pattern) if belongs(pattern) => {}
            None => section.pass(&[key]),
            Some(_) => section.refuse(&[key], why),
        }
    }
    let mut pattern = pattern?;
    match &mut pattern {
        TrafficPattern::Shift { shift } => *shift = section.get_required(&keys::SHIFT)?,
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
        section.problem("packet_size", "must be greater than zero", None);
    } else if size.is_some_and(|size| size > mtu) {
        let mtu = crate::source::quantity_text::bytes_text(mtu);
        let what = format!("is larger than the largest packet: packet.mtu is {mtu}");
        section.problem("packet_size", what, Some("make packet.mtu larger".into()));
    }
    size.unwrap_or(mtu)
}

fn check_ranks(section: &mut Section<'_>, pattern: &TrafficPattern, ranks: usize, room: Room) {
    if let Room::Ranks(room) | Room::Places(room) = room
        && (ranks as u64) < room
    {
        let what = format!("must be {room}: synthetic traffic has one rank on each node");
        section.problem("ranks", what, Some("leave ranks out".into()));
        return;
    }
    if ranks < 2 {
        let hint = "make the machine larger".to_owned();
        section.problem("kind", "does not fit: a single node has no other to send to", Some(hint));
        return;
    }
    if let TrafficPattern::HotSpot { node, .. } = *pattern
        && node.index() >= ranks
    {
        let hint = "ranks are counted from 0".to_owned();
        section.problem("root", format!("there is no rank {node} among {ranks} ranks"), Some(hint));
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
    let name = Variant(&DESTINATIONS).name(pattern);
    let what = format!("{name} needs a number of ranks that is a {needs}, and {ranks} is not");
    let hint = "use uniform, tornado or neighbour, which take any number of ranks";
    section.problem("pattern", what, Some(hint.to_owned()));
}

fn is_power(number: usize, base: usize) -> bool {
    std::iter::successors(Some(base), |power| power.checked_mul(base)).any(|power| power == number)
}
