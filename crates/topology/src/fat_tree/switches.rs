//! The stages of switches of a fat tree: what a radix, a list of radices and a taper mean.

use crate::error::{self, Mistake};

/// The ports of each switch of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Ports that lead down: to nodes in the lowest stage.
    pub down: u32,
    /// Ports that lead up: 0 in the top stage.
    pub up: u32,
}

impl Switches {
    /// A tree of so many stages of switches of `radix = 2p` ports with full bisection bandwidth: half of the ports lead down and
    /// half up, and at the top all lead down. `2 p^stages` nodes.
    ///
    /// # Errors
    /// Names the key `radix` when it is odd or less than 2, or when the links cannot be numbered with 32 bits; the key
    /// `stages` when there is none.
    pub fn full(radix: u32, stages: u32) -> Result<Vec<Self>, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let mut refuse = |what, hint: String| mistakes.push(Mistake { key: "radix", what, hint });
        if radix == 0 {
            refuse("is 0".into(), "the smallest switch has 2 ports".into());
        }
        if !radix.is_multiple_of(2) {
            let (below, above) = (u64::from(radix) - 1, u64::from(radix) + 1);
            let even = if below == 0 { format!("{above}") } else { format!("{below} or {above}") };
            refuse(
                format!("is {radix}, which is odd"),
                format!("half the ports lead up and half down: try {even}"),
            );
        }
        let p = u128::from(radix / 2);
        let (nodes, links) = size(p, stages);
        if links > u128::from(u32::MAX) {
            let fits = |p: u128| size(p, stages).1 <= u128::from(u32::MAX);
            let largest =
                (0..u32::BITS).rev().fold(0, |p, bit| if fits(p | 1 << bit) { p | 1 << bit } else { p });
            refuse(error::too_many(nodes, links), format!("the largest possible radix is {}", 2 * largest));
        }
        if !(1..=MOST_STAGES).contains(&stages) {
            let hint = format!("a tree has 1 to {MOST_STAGES} stages");
            mistakes.push(Mistake { key: "stages", what: format!("is {stages}"), hint });
        }
        error::unless_empty(mistakes)?;
        Ok(Self::halves(&vec![radix; stages as usize]))
    }

    /// Half of the ports up, but at the top.
    fn halves(radices: &[u32]) -> Vec<Self> {
        let below = radices.iter().map(|radix| Self { down: radix / 2, up: radix / 2 });
        let mut stages: Vec<Self> = below.collect();
        if let (Some(top), Some(&radix)) = (stages.last_mut(), radices.last()) {
            *top = Self { down: radix, up: 0 };
        }
        stages
    }

    /// Stages of switches with these numbers of ports, from the leaves to the top: half of the ports lead down and half
    /// up, and at the top all lead down.
    ///
    /// # Errors
    /// Names the key `stages` when a radix below the top is odd or one is 0.
    pub fn of_radices(radices: &[u32]) -> Result<Vec<Self>, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        for (i, &radix) in radices.iter().enumerate() {
            let top = i + 1 == radices.len();
            if radix == 0 || (!top && radix % 2 == 1) {
                let why =
                    if radix == 0 { "no ports".to_owned() } else { format!("{radix} ports, which is odd") };
                let hint = "below the top stage half the ports lead up and half down; write {down = 3, up = 2} for others";
                let what = format!("has switches with {why}, in stage {}, counted from 1", i + 1);
                mistakes.push(Mistake { key: "stages", what, hint: hint.into() });
            }
        }
        error::unless_empty(mistakes)?;
        Ok(Self::halves(radices))
    }

    /// Gives switches of each stage but the top one `taper * down` ports up; a stage for which there is no taper keeps
    /// what it has. A taper of the lowest stage alone tapers the whole tree: the stages above are full for what they
    /// get, so the bisection bandwidth is this part of the full one.
    ///
    /// # Errors
    /// Names the key `taper` when a number of ports up is not whole or less than 1.
    ///
    /// # Panics
    /// When there are more tapers than stages below the top.
    pub fn taper(stages: &mut [Self], tapers: &[f64]) -> Result<(), Vec<Mistake>> {
        assert!(tapers.len() < stages.len().max(1), "a taper belongs to the cables above a stage");
        let mut mistakes = Vec::new();
        for (i, (switches, &taper)) in stages.iter_mut().zip(tapers).enumerate() {
            let down = f64::from(switches.down);
            let up = (taper * down).round();
            // A taper such as 0.3333 for a third is near enough.
            if up >= 1.0 && (taper * down - up).abs() <= 1e-3 {
                switches.up = up as u32;
                continue;
            }
            let near = |up: f64| format!("{} ({up} of {down})", up / down);
            let below = (taper * down).floor();
            let mut possible: Vec<_> = [below, below + 1.0].map(|up| near(up.max(1.0))).into();
            possible.dedup();
            mistakes.push(Mistake {
                key: "taper",
                what: format!(
                    "of {taper} gives {} cables up for {down} down, in stage {}, counted from 1",
                    taper * down,
                    i + 1
                ),
                hint: format!("the nearest possible are {}", possible.join(" and ")),
            });
        }
        error::unless_empty(mistakes)
    }
}

/// More stages of switches with two ports down have more nodes than can be numbered.
pub(super) const MOST_STAGES: u32 = 32;

/// Nodes and links of a full tree of so many stages, saturating.
fn size(p: u128, stages: u32) -> (u128, u128) {
    let nodes = p.saturating_pow(stages).saturating_mul(2);
    (nodes, nodes.saturating_mul(2 * u128::from(stages)))
}

/// Checks that there is such a tree, with so many parallel cables at each port up of each stage but the top one.
///
/// # Errors
/// See [`super::FatTree::with_parallel_cables`].
pub(super) fn check(stages: &[Switches], parallel: &[u32]) -> Result<(), Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut refuse = |what, hint: &str| mistakes.push(Mistake { key: "stages", what, hint: hint.to_owned() });
    if stages.is_empty() {
        refuse("has no stage".into(), "the smallest tree has one stage of switches");
    }
    if stages.len() > MOST_STAGES as usize {
        refuse(format!("has {} stages", stages.len()), "a tree has at most 32 stages of switches");
    }
    for (i, switches) in stages.iter().enumerate() {
        let (stage, top) = (i + 1, i + 1 == stages.len());
        if switches.down == 0 {
            refuse(format!("has no ports down in stage {stage}, counted from 1"), "a switch leads somewhere");
        }
        if !top && switches.up == 0 {
            refuse(
                format!("has no ports up in stage {stage}, counted from 1"),
                "only the top stage has none",
            );
        }
        if top && switches.up > 0 {
            refuse(format!("has ports up in stage {stage}, the top one"), "the top stage leads only down");
        }
    }
    for stage in (1..).zip(parallel).filter(|&(_, &cables)| cables == 0).map(|(stage, _)| stage) {
        let what = format!("has no cables at the ports up in stage {stage}, counted from 1");
        refuse(what, "parallel = 1 is one cable at each");
    }
    let nodes = stages.iter().fold(1_u128, |n, s| n.saturating_mul(u128::from(s.down)));
    let mut links = nodes.saturating_mul(2);
    let (mut under, mut width) = (1_u128, 1_u128);
    for (switches, cables) in stages.iter().zip(parallel.iter().chain(std::iter::repeat(&1))) {
        under = under.saturating_mul(u128::from(switches.down.max(1)));
        width = width.saturating_mul(u128::from(switches.up));
        let ports = (nodes / under).saturating_mul(width);
        links = links.saturating_add(ports.saturating_mul(2 * u128::from(*cables)));
    }
    if links > u128::from(u32::MAX) {
        refuse(error::too_many(nodes, links), "take fewer stages or fewer ports");
    }
    error::unless_empty(mistakes)
}
