//! Synthetic traffic: every node generates packets at a given rate, whatever becomes of them.

use super::pattern::{FRACTION, read_root};
use super::{Room, Setting};
use crate::exact::number;
use crate::reader::{BYTES, DURATION, Section};
use crate::{Units, name_of};
use serde_json::{Map, Value, json};
use weir_packet::{Injection, SelfTraffic, Synthetic, TrafficPattern};
use weir_units::{Bytes, Duration, NodeId, Rank};

/// Packets from every node at a given rate (an open loop). There is one rank on each node, and rank = node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticSection {
    /// Where packets go.
    pub pattern: TrafficPattern,
    /// How much each node generates, as a part of the bandwidth of its injection link: above 0, at most 1.
    pub offered_load: f64,
    /// When packets are generated.
    pub injection: Injection,
    /// What becomes of packets whose destination is their source.
    pub self_traffic: SelfTraffic,
    /// Size of each packet, at most that of the largest packet.
    pub packet_size: Bytes,
    /// How long the network fills before anything is measured.
    pub warmup: Duration,
    /// How long is measured.
    pub duration: Duration,
    /// Of all that is random in it.
    pub seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Uniform,
    Tornado,
    Transpose,
    BitReverse,
    BitComplement,
    Neighbour,
    Shift,
    GroupShift,
    DigitReversal,
    Complement,
    HotSpot,
}

const RULES: [(&str, Rule); 11] = [
    ("uniform", Rule::Uniform),
    ("tornado", Rule::Tornado),
    ("transpose", Rule::Transpose),
    ("bit-reverse", Rule::BitReverse),
    ("bit-complement", Rule::BitComplement),
    ("neighbour", Rule::Neighbour),
    ("shift", Rule::Shift),
    ("group-shift", Rule::GroupShift),
    ("digit-reversal", Rule::DigitReversal),
    ("complement", Rule::Complement),
    ("hot-spot", Rule::HotSpot),
];
const INJECTIONS: [(&str, Injection); 2] =
    [("bernoulli", Injection::Bernoulli { slot: None }), ("exponential", Injection::Exponential)];

fn injection_name(injection: Injection) -> &'static str {
    match injection {
        Injection::Bernoulli { .. } => "bernoulli",
        Injection::Exponential => "exponential",
    }
}

/// A slot is checked against the packets of the load when the machine is known.
fn read_injection(section: &mut Section<'_>) -> Injection {
    let injection =
        section.choice("injection", &INJECTIONS, &[]).unwrap_or(Injection::Bernoulli { slot: None });
    if injection == Injection::Exponential {
        section.refuse(&["slot"], "belongs to injection = \"bernoulli\"");
        return injection;
    }
    let slot = section.quantity("slot", &DURATION);
    if slot == Some(Duration::ZERO) {
        section.problem("slot", "must be greater than zero", None);
    }
    Injection::Bernoulli { slot }
}
/// Part of the measured time that the network fills before, unless said.
const WARMUP: u64 = 5;

impl SyntheticSection {
    /// `None` when something is missing or wrong.
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>, setting: &Setting) -> Option<Self> {
        let rule = section.choice("pattern", &RULES, &[]);
        let rule = if section.has("pattern") { rule } else { Some(Rule::Uniform) };
        let pattern = read_pattern(section, rule);
        let in_words = "a number above 0, at most 1: a part of the injection bandwidth";
        let offered_load = section.number("offered_load", |load| load > 0.0 && load <= 1.0, in_words);
        let offered_load = section.required(offered_load, "offered_load", "say how much: offered_load = 0.3");
        let injection = read_injection(section);
        let self_traffic = match section.boolean("self_traffic") {
            Some(true) => SelfTraffic::Allowed,
            _ => SelfTraffic::Skipped,
        };
        let packet_size = read_packet_size(section, setting.mtu);
        let warmup = section.quantity("warmup", &DURATION);
        let duration = section.quantity("duration", &DURATION);
        let duration = section.required(duration, "duration", "say how long: duration = \"100 us\"");
        if duration == Some(Duration::ZERO) {
            section.problem("duration", "must be greater than zero", None);
        }
        let seed = section.integer("seed", 0..=u64::MAX).unwrap_or(setting.seed);
        if let Some(TrafficPattern::HotSpot { node, part: 1.0 }) = pattern
            && self_traffic == SelfTraffic::Skipped
        {
            let hint = "write self_traffic = true, or a smaller fraction".to_owned();
            section.problem("fraction", format!("rank {node} would have nobody to send to"), Some(hint));
        }
        if let (Some(ranks), Some(rule), Some(pattern)) = (ranks, rule, pattern) {
            check_ranks(section, rule, &pattern, ranks, setting.room);
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

    pub(super) fn put(&self, units: Units, object: &mut Map<String, Value>) {
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        put("pattern", json!(name_of(&RULES, rule_of(&self.pattern))));
        match self.pattern {
            TrafficPattern::HotSpot { node, part } => {
                put("root", json!(node.0));
                put("fraction", number(part));
            }
            TrafficPattern::Shift { shift } => drop(put("shift", json!(shift))),
            TrafficPattern::GroupShift { group, shift } => {
                put("group", json!(group));
                put("shift", json!(shift));
            }
            TrafficPattern::DigitReversal { base } => drop(put("base", json!(base))),
            _ => {}
        }
        put("offered_load", number(self.offered_load));
        put("injection", json!(injection_name(self.injection)));
        if let Injection::Bernoulli { slot: Some(slot) } = self.injection {
            put("slot", units.duration(slot));
        }
        put("self_traffic", json!(self.self_traffic == SelfTraffic::Allowed));
        put("packet_size", units.bytes(self.packet_size));
        put("warmup", units.duration(self.warmup));
        put("duration", units.duration(self.duration));
        put("seed", json!(self.seed));
    }
}

fn rule_of(pattern: &TrafficPattern) -> Rule {
    match pattern {
        TrafficPattern::Uniform => Rule::Uniform,
        TrafficPattern::Tornado => Rule::Tornado,
        TrafficPattern::Transpose => Rule::Transpose,
        TrafficPattern::BitReverse => Rule::BitReverse,
        TrafficPattern::BitComplement => Rule::BitComplement,
        TrafficPattern::Neighbour => Rule::Neighbour,
        TrafficPattern::Shift { .. } => Rule::Shift,
        TrafficPattern::GroupShift { .. } => Rule::GroupShift,
        TrafficPattern::DigitReversal { .. } => Rule::DigitReversal,
        TrafficPattern::Complement => Rule::Complement,
        TrafficPattern::HotSpot { .. } => Rule::HotSpot,
    }
}

/// Keys of some patterns only, and the patterns.
const OWN_KEYS: [(&str, &[Rule], &str); 5] = [
    ("root", &[Rule::HotSpot], "belongs to pattern = \"hot-spot\""),
    ("fraction", &[Rule::HotSpot], "belongs to pattern = \"hot-spot\""),
    ("shift", &[Rule::Shift, Rule::GroupShift], "belongs to pattern = \"shift\" and \"group-shift\""),
    ("group", &[Rule::GroupShift], "belongs to pattern = \"group-shift\""),
    ("base", &[Rule::DigitReversal], "belongs to pattern = \"digit-reversal\""),
];

/// The keys of a hot spot are those of `kind = "hot-spot"`.
fn read_pattern(section: &mut Section<'_>, rule: Option<Rule>) -> Option<TrafficPattern> {
    for (key, rules, why) in OWN_KEYS {
        match rule {
            Some(rule) if rules.contains(&rule) => {}
            None => section.pass(&[key]),
            Some(_) => section.refuse(&[key], why),
        }
    }
    let mut number = |key, least, hint: &str| {
        let number = section.integer(key, least..=u64::from(u32::MAX)).map(|number| number as u32);
        section.required(number, key, hint)
    };
    Some(match rule? {
        Rule::Uniform => TrafficPattern::Uniform,
        Rule::Tornado => TrafficPattern::Tornado,
        Rule::Transpose => TrafficPattern::Transpose,
        Rule::BitReverse => TrafficPattern::BitReverse,
        Rule::BitComplement => TrafficPattern::BitComplement,
        Rule::Neighbour => TrafficPattern::Neighbour,
        Rule::Shift => TrafficPattern::Shift { shift: number("shift", 0, "say how far: shift = 1")? },
        Rule::GroupShift => {
            let group = number("group", 1, "say how many nodes a group has: group = 8");
            let shift = number("shift", 0, "say how many groups further: shift = 1");
            TrafficPattern::GroupShift { group: group?, shift: shift? }
        }
        Rule::DigitReversal => {
            TrafficPattern::DigitReversal { base: number("base", 2, "say the base of the digits: base = 4")? }
        }
        Rule::Complement => TrafficPattern::Complement,
        Rule::HotSpot => {
            let Rank(root) = read_root(section);
            let part = section.number("fraction", |part| (0.0..=1.0).contains(&part), "a number from 0 to 1");
            TrafficPattern::HotSpot { node: NodeId(root), part: part.unwrap_or(FRACTION) }
        }
    })
}

fn read_packet_size(section: &mut Section<'_>, mtu: Bytes) -> Bytes {
    let size = section.quantity("packet_size", &BYTES);
    if size == Some(Bytes::ZERO) {
        section.problem("packet_size", "must be greater than zero", None);
    } else if size.is_some_and(|size| size > mtu) {
        let mtu = crate::exact::bytes_text(mtu);
        let what = format!("is larger than the largest packet: packet.mtu is {mtu}");
        section.problem("packet_size", what, Some("make packet.mtu larger".into()));
    }
    size.unwrap_or(mtu)
}

/// Whether there is one rank on each node, and the pattern takes so many.
fn check_ranks(section: &mut Section<'_>, rule: Rule, pattern: &TrafficPattern, ranks: usize, room: Room) {
    if let Room::Ranks(room) = room
        && (ranks as u64) < room
    {
        let what = format!("must be {room}: synthetic traffic has one rank on each node");
        section.problem("ranks", what, Some("leave ranks out".into()));
        return;
    }
    if ranks < 2 {
        let hint = "make the machine larger".to_owned();
        section.problem("kind", "does not fit: a single node has nobody to send to", Some(hint));
        return;
    }
    if let TrafficPattern::HotSpot { node, .. } = *pattern
        && node.index() >= ranks
    {
        let hint = "ranks are counted from 0".to_owned();
        section.problem("root", format!("there is no rank {node} among {ranks} ranks"), Some(hint));
    }
    let needs = match (rule, *pattern) {
        (Rule::BitReverse | Rule::BitComplement, _) if !ranks.is_power_of_two() => "power of two",
        (Rule::Transpose, _) if !ranks.is_power_of_two() || ranks.ilog2() % 2 == 1 => "power of four",
        (_, TrafficPattern::DigitReversal { base }) if !is_power(ranks, base as usize) => "power of base",
        (_, TrafficPattern::GroupShift { group, .. }) if !ranks.is_multiple_of(group as usize) => {
            "multiple of group"
        }
        _ => return,
    };
    let name = name_of(&RULES, rule);
    let what = format!("{name} needs a number of ranks that is a {needs}, and {ranks} is not");
    let hint = "use uniform, tornado or neighbour, which take any number of ranks";
    section.problem("pattern", what, Some(hint.to_owned()));
}

fn is_power(number: usize, base: usize) -> bool {
    std::iter::successors(Some(base), |power| power.checked_mul(base)).any(|power| power == number)
}
