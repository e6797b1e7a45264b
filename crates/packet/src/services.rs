//! Service classes, ready for packets, and the turns that they take.
//!
//! # Turns
//! Where packets of several classes could go at the same instant, the class with the highest priority does. Classes of one priority take
//! turns by weight, as in start-time fair queueing (Goyal, Vin, Cheng: "Start-time fair queueing", IEEE/ACM Trans. Networking 5(5),
//! 1997): each has a *tag* that grows by the bytes of its packets over its weight, and the least tag goes first. A class in which nothing
//! waits that could go is not behind the one whose turn it was: so no class saves up turns. Tags are whole numbers: bytes are multiplied by the
//! least common multiple of all weights over that of the class.

use crate::network::PacketNetwork;
use crate::{NodeModel, Refusal, RouterModel};
use weir_network::{Class, ServiceClasses};
use weir_units::{Bytes, Rank};

/// The service classes of a machine, in the order of [`ServiceClasses`]: the highest priority first.
#[derive(Clone, Debug)]
pub(crate) struct Services {
    pub(crate) classes: ServiceClasses,
    pub(crate) all: Vec<Service>,
    /// By virtual channel: its class.
    of_channel: Vec<u8>,
    /// Number of classes of the routing rule in each.
    of_routes: u32,
}

/// A service class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Service {
    /// Its virtual channels, from the first below the second.
    pub(crate) channels: (u32, u32),
    /// Those that interfaces use.
    pub(crate) injection: (u32, u32),
    /// Number of different priorities above its own.
    pub(crate) level: u8,
    /// Growth of its tag for each byte.
    step: u64,
}

/// More than this no sensible weights need.
const MOST_STEPS: u64 = 1 << 32;

impl Services {
    /// The service classes of routers, whose routes need so many classes of virtual channels; `None` if there are none.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub(crate) fn new(
        routers: &RouterModel,
        node: &NodeModel,
        of_routes: u32,
    ) -> Result<Option<Box<Self>>, Refusal> {
        let Some(classes) = &routers.services else { return Ok(None) };
        let (named, mut all) = (classes.all(), Vec::new());
        let multiple = named.iter().try_fold(1, |multiple, class| {
            let multiple = common_multiple(multiple, class.weight.into());
            Some(multiple).filter(|&multiple| multiple <= MOST_STEPS)
        });
        let multiple = multiple.ok_or_else(|| {
            let what = "have weights without a small common multiple";
            Refusal::new("classes.weight", what, "take rounder numbers, such as 70, 20 and 10")
        })?;
        if named.len() as u32 * of_routes > 1 << u8::BITS {
            let what =
                format!("are {}, and the routes need {of_routes} virtual channels in each", named.len());
            return Err(Refusal::new("classes.channels", what, "a link has up to 256 virtual channels"));
        }
        let (mut level, mut priority) = (0, named.first().map_or(0, |class| class.priority));
        for (class, channels) in named.iter().zip(routers.service_channels()) {
            let most = node.injection_channels.unwrap_or(u32::MAX).min(class.channels);
            level += u8::from(class.priority != priority);
            priority = class.priority;
            let (injection, step) = ((channels.0, channels.0 + most), multiple / u64::from(class.weight));
            all.push(Service { channels, injection, level, step });
        }
        let of = |(number, service): (u8, &Service)| {
            let (from, below) = service.channels;
            std::iter::repeat_n(number, (below - from) as usize)
        };
        let of_channel = (0..).zip(&all).flat_map(of).collect();
        Ok(Some(Box::new(Self { classes: classes.clone(), all, of_channel, of_routes })))
    }

    /// The class of a virtual channel.
    #[inline(always)]
    pub(crate) fn of_channel(&self, vc: u8) -> usize {
        self.of_channel[usize::from(vc)].into()
    }

    /// The number of a class of the routing rule among those of all service classes, for a packet in a virtual channel.
    #[inline(always)]
    pub(crate) fn class(&self, vc: u8, of_route: u8) -> u8 {
        (self.of_channel(vc) as u32 * self.of_routes) as u8 + of_route
    }

    /// A packet of a class has had its turn, where the classes of the bits in `waiting` had packets that could go but for others.
    pub(crate) fn served(&self, tags: &mut [u64], class: usize, bytes: u32, waiting: u32) {
        let (own, level) = (tags[class], self.all[class].level);
        let of_level = || (0..self.all.len()).filter(|&other| self.all[other].level == level);
        for other in of_level().filter(|&other| waiting >> other & 1 == 0) {
            tags[other] = tags[other].max(own);
        }
        tags[class] = own.saturating_add(u64::from(bytes.max(1)).saturating_mul(self.all[class].step));
        // Only differences count, and these are small.
        let least = of_level().map(|other| tags[other]).min().unwrap_or(0);
        of_level().for_each(|other| tags[other] -= least);
    }
}

impl RouterModel {
    /// The virtual channels of each service class, from the first below the second; all of them without classes.
    pub(crate) fn service_channels(&self) -> Vec<(u32, u32)> {
        let Some(classes) = &self.services else { return vec![(0, self.virtual_channels)] };
        let each = classes.all().iter().scan(0, |next, class| {
            let first = *next;
            *next += class.channels;
            Some((first, *next))
        });
        each.collect()
    }

    /// The routers as the routes of a message see them: with the virtual channels of the service class that has fewest.
    pub(crate) fn of_one_service(&self) -> Self {
        let least = self.services.iter().flat_map(ServiceClasses::all).map(|class| class.channels).min();
        Self { virtual_channels: least.unwrap_or(self.virtual_channels), ..self.clone() }
    }
}

impl PacketNetwork {
    /// The number of a class of the routing rule among those of all service classes, for a packet in a virtual channel.
    #[inline(always)]
    pub(crate) fn class_of_service(&self, vc: u8, class: u8) -> u8 {
        self.services.as_ref().map_or(class, |services| services.class(vc, class))
    }

    /// The virtual channels that interfaces use for a service class.
    #[inline(always)]
    pub(crate) fn injection_range(&self, service: u8) -> (u32, u32) {
        match &self.services {
            None => (0, self.injection_vcs),
            Some(services) => services.all[usize::from(service)].injection,
        }
    }

    /// The service class of a message of a rank, of so many bytes.
    #[inline]
    pub(crate) fn service_of(&self, from: Rank, bytes: Bytes, class: Class) -> u8 {
        let of_one = |services: &Services| services.classes.of_one(from, bytes, class) as u8;
        self.services.as_deref().map_or(0, of_one)
    }

    /// Number of service classes, one if nothing is said.
    pub(crate) fn services(&self) -> usize {
        self.services.as_ref().map_or(1, |services| services.all.len())
    }

    /// Returns whether messages take turns at interfaces, or leave one after the other.
    pub(crate) fn takes_turns(&self) -> bool {
        self.node.serving.is_shared() || self.services.is_some()
    }
}

fn common_multiple(one: u64, other: u64) -> u64 {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    one / a.max(1) * other
}
