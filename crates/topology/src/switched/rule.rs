//! Rules that choose among ways.

use super::Wiring;

/// A rule for the routes of a [`super::Switched`]. docs/concepts/routing-rules.md has each with its formula and source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A shortest way, always the same one to a node.
    Minimal,
    /// A shortest way, drawn for each packet anew at every router.
    MinimalRandom,
    /// A shortest way, drawn once for each pair of nodes and interface.
    Hashed,
    /// A shortest way to a router that is drawn for each packet, and a shortest way on from there.
    Valiant,
    /// Like [`Self::Valiant`], but the second part begins with the first router of the drawn one's group.
    ValiantGroup,
    /// A shortest way or that of [`Self::Valiant`], by the queues of the source's router.
    UgalL(Adaptive),
    /// Like [`Self::UgalL`], by the queues of all routers of both ways.
    UgalG(Adaptive),
    /// Like [`Self::UgalL`], decided once more behind each link that stays in the source's group.
    Par(Adaptive),
    /// Dimension by dimension, with a detour of one link within each where its queue is shorter.
    DimWar(Adaptive),
    /// Any dimension that differs at any time, with detours of one link within them.
    OmniWar(Adaptive),
    /// Any shortest way, link by link the one with the shortest queue.
    MinimalAdaptive,
    /// Up a fat tree by a port that is drawn for each packet at every switch, until the destination is below.
    RandomUp,
    /// Up a fat tree by the port with the shortest queue, until the destination is below.
    AdaptiveUp,
}

/// When a way around is taken: if `minimal_weight * q_minimal > detour_weight * q_detour + threshold`, with the bytes that wait for
/// the first link of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adaptive {
    /// Bytes by which a detour has to be better.
    pub threshold: u64,
    /// Weight of the queue of the shortest way.
    pub minimal_weight: u32,
    /// Weight of the queue of the detour.
    pub detour_weight: u32,
    /// Number of detours that are drawn, of which the one with the shortest queue counts; at least 1.
    pub candidates: u32,
    /// Who decides, under those rules that leave it open.
    pub decide: Decide,
}

/// Who decides between a shortest way and one around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decide {
    /// The interface of the source, as it begins to send a packet, by what its router has announced.
    Injection,
    /// The router of the source.
    #[default]
    SourceRouter,
    /// Each router of a shortest way, until one decides for a way around.
    EachRouter,
}

impl Adaptive {
    /// A detour of twice the length is taken if less than half as much waits at its first port.
    pub const DEFAULT: Self = Self {
        threshold: 0,
        minimal_weight: 1,
        detour_weight: 2,
        candidates: 1,
        decide: Decide::SourceRouter,
    };
}

impl Default for Adaptive {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Rule {
    /// All rules, those that weigh queues with these weights.
    pub fn all(adaptive: Adaptive) -> [Self; 13] {
        [
            Self::Minimal,
            Self::MinimalRandom,
            Self::Hashed,
            Self::Valiant,
            Self::ValiantGroup,
            Self::UgalL(adaptive),
            Self::UgalG(adaptive),
            Self::Par(adaptive),
            Self::DimWar(adaptive),
            Self::OmniWar(adaptive),
            Self::MinimalAdaptive,
            Self::RandomUp,
            Self::AdaptiveUp,
        ]
    }

    /// The value of `topology.routing`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::MinimalRandom => "minimal-random",
            Self::Hashed => "hashed",
            Self::Valiant => "valiant",
            Self::ValiantGroup => "valiant-group",
            Self::UgalL(_) => "ugal-l",
            Self::UgalG(_) => "ugal-g",
            Self::Par(_) => "par",
            Self::DimWar(_) => "dimwar",
            Self::OmniWar(_) => "omniwar",
            Self::MinimalAdaptive => "minimal-adaptive",
            Self::RandomUp => "random-up",
            Self::AdaptiveUp => "adaptive-up",
        }
    }

    /// Its parameters, where it weighs queues.
    pub fn adaptive(self) -> Option<Adaptive> {
        match self {
            Self::UgalL(adaptive)
            | Self::UgalG(adaptive)
            | Self::Par(adaptive)
            | Self::DimWar(adaptive)
            | Self::OmniWar(adaptive) => Some(adaptive),
            Self::Minimal
            | Self::MinimalRandom
            | Self::Hashed
            | Self::Valiant
            | Self::ValiantGroup
            | Self::MinimalAdaptive
            | Self::RandomUp
            | Self::AdaptiveUp => None,
        }
    }

    /// Returns whether the same pair of nodes always has the same route.
    pub fn is_fixed(self) -> bool {
        self == Self::Minimal
    }

    /// Returns whether packets of a pair may go different ways, so that the way of each is decided router by router.
    pub fn decides(self) -> bool {
        !matches!(self, Self::Minimal | Self::Hashed)
    }

    /// Returns whether what a pair sends goes around where shortest ways are full.
    pub fn weighs(self) -> bool {
        self.adaptive().is_some()
    }

    /// Why a network does not have it, and what would do.
    pub(super) fn misfit(self, wiring: &Wiring) -> Option<(String, String)> {
        let (has_dimensions, has_groups) = match wiring {
            Wiring::HyperX(_) => (true, false),
            Wiring::Dragonfly(_) | Wiring::DragonflyPlus(_) => (false, true),
            Wiring::SlimFly(_) | Wiring::PolarFly(_) => (false, false),
            // These are made by machines that have other names for what is fixed.
            Wiring::FatTree(_) | Wiring::Torus(_) => return self.misfit_of_others(wiring),
        };
        let what = match self {
            Self::RandomUp | Self::AdaptiveUp => "needs the stages of a fat tree",
            Self::DimWar(_) | Self::OmniWar(_) if !has_dimensions => {
                "needs the dimensions of a HyperX or full mesh"
            }
            Self::ValiantGroup | Self::Par(_) if !has_groups => "needs groups of routers, as a dragonfly has",
            _ => return None,
        };
        let others = match (has_dimensions, has_groups) {
            (true, _) => ", minimal-adaptive, dimwar or omniwar",
            (_, true) => ", minimal-adaptive, par or valiant-group",
            _ => " or minimal-adaptive",
        };
        let hint = format!("take minimal, minimal-random, hashed, valiant, ugal-l, ugal-g{others}");
        Some((format!("is \"{}\", which {what}", self.name()), hint))
    }

    fn misfit_of_others(self, wiring: &Wiring) -> Option<(String, String)> {
        let (fits, hint) = match wiring {
            Wiring::FatTree(_) => {
                (matches!(self, Self::RandomUp | Self::AdaptiveUp), "random-up or adaptive-up")
            }
            _ => (self == Self::MinimalAdaptive, "minimal-adaptive"),
        };
        let what = || format!("is \"{}\", which is no rule of this network", self.name());
        (!fits).then(|| (what(), format!("take {hint}")))
    }
}
