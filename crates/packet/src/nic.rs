//! Interfaces: each sends packets one after the other into its injection link.

use crate::counts::Counts;
use crate::labels::{Label, Origin, Stall};
use crate::meters::{Interval, Load, Loads};
use crate::network::PacketNetwork;
use crate::prefetch::{needed, prefetch};
use crate::remote;
use crate::reports::Samples;
use crate::routers::{Entry, Measurement, Routers};
use crate::services::Services;
use crate::slots::{Filling, NoCredit, Packet, Size};
use weir_network::Requested;
use weir_pdes::{Activity, Width, Window};
use weir_units::{Duration, LinkId, NodeId, Rank, Time};

/// The sending sides of the interfaces of a part.
#[derive(Debug)]
pub(crate) struct Nics {
    nics: Vec<Nic>,
    /// By interface and virtual channel: the place it fills next.
    tails: Vec<u16>,
    /// By interface and service class. Empty if there are no classes: then [`Nic`] has that.
    classed: Vec<Classed>,
    count_from: u64,
    /// They send packets from here on, in picoseconds, and none from here on; between the two the machine changes.
    opens: u64,
    closes: u64,
    /// By number in [`PacketNetwork::nics`]: its place here.
    place_of: Vec<u32>,
    activity: Activity,
    width: Width,
    /// By interface: packets sent so far. Empty unless single packets are looked at.
    sent: Vec<u64>,
    /// If samples of intervals are requested.
    series: Option<Box<NicSeries>>,
}

/// The counters of an interval, by interface; and the interfaces by link.
#[derive(Debug)]
struct NicSeries {
    loads: Loads,
    by_link: Vec<(LinkId, u32)>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Nic {
    /// When it can send the next packet, in picoseconds.
    free: u64,
    /// Load of its injection link.
    packets: u64,
    bytes: u64,
    busy: u64,
    /// Time for which its packets have stalled.
    waited: u64,
    /// The stall of its next packet.
    stall: Stall,
    /// Its number in [`PacketNetwork::nics`].
    number: u32,
    /// Its number at its node.
    of_node: u16,
    last_vc: u16,
}

/// A service class at an interface.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Classed {
    /// The stall of its next packet.
    stall: Stall,
    last_vc: u16,
}

impl Classed {
    fn all(services: &Services) -> impl Iterator<Item = Self> + '_ {
        let last = services.all.iter().map(|service| service.channels.0 as u16);
        last.map(|last_vc| Self { stall: Stall::default(), last_vc })
    }
}

impl Nic {
    fn count(&mut self, bytes: u32, busy: u64, waited: u64) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
        self.busy += busy;
        self.waited += waited;
    }
}

/// A packet that an interface is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    /// For the routing rule.
    pub(crate) address: u32,
    pub(crate) to: NodeId,
    pub(crate) message: u64,
    /// Who sends it.
    pub(crate) from: Rank,
    /// At most the MTU.
    pub(crate) bytes: u32,
    /// Its service class.
    pub(crate) service: u8,
    /// Pause of the interface behind it, in times that it takes.
    pub(crate) gap: f64,
    /// Time for which those of its message before it have stalled here, in picoseconds.
    pub(crate) stalled: u64,
}

/// A packet that has left, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// When its head has left, and when its tail.
    pub(crate) start: u64,
    pub(crate) tail: u64,
    /// Time for which it has stalled.
    pub(crate) stalled: u64,
}

/// The instant up to which an interface sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until {
    /// Packets whose heads leave before this instant, in picoseconds.
    pub(crate) at: u64,
    /// True if that is all for this window.
    pub(crate) is_all: bool,
}

impl Nics {
    /// The interfaces with these numbers in [`PacketNetwork::nics`]. All are asleep.
    pub(crate) fn new(
        network: &PacketNetwork,
        numbers: impl Iterator<Item = u32>,
        Measurement { counted, requested }: Measurement<'_>,
    ) -> Self {
        let mut place_of = vec![u32::MAX; network.nics.len()];
        let nic = |(place, number)| {
            place_of[number as usize] = place;
            let of_node = (number % network.nics_per_node) as u16;
            Nic {
                number,
                of_node,
                free: 0,
                last_vc: 0,
                packets: 0,
                bytes: 0,
                busy: 0,
                waited: 0,
                stall: Stall::default(),
            }
        };
        let nics: Vec<Nic> = (0..).zip(numbers).map(nic).collect();
        let series = requested.and_then(Requested::of_links).map(|interval| {
            let link = |nic: &Nic| LinkId(network.nics[nic.number as usize].link);
            let mut by_link: Vec<_> = nics.iter().map(link).zip(0..).collect();
            by_link.sort_unstable();
            let loads = Loads::new(nics.len(), Interval::first(interval.as_ps()));
            Box::new(NicSeries { loads, by_link })
        });
        Self {
            tails: vec![0; nics.len() * network.vcs as usize],
            classed: match &network.services {
                None => Vec::new(),
                Some(services) => nics.iter().flat_map(|_| Classed::all(services)).collect(),
            },
            activity: Activity::new(nics.len()),
            sent: if requested.is_some_and(|requested| requested.stays.is_some()) {
                vec![0; nics.len()]
            } else {
                Vec::new()
            },
            nics,
            count_from: counted.from,
            opens: 0,
            closes: network.changes_at(),
            place_of,
            width: network.width,
            series,
        }
    }

    /// They open at an instant, in picoseconds, and close when the machine changes again.
    pub(crate) fn open(&mut self, at: u64, network: &PacketNetwork) {
        (self.opens, self.closes) = (at, network.changes_at());
    }

    /// When they close, as seen in a window; at once if they are closed.
    pub(crate) fn closes(&self, window: &Window) -> u64 {
        if window.start.as_ps() < self.closes { self.closes } else { 0 }
    }

    pub(crate) fn of_node(&self, place: usize) -> u32 {
        self.nics[place].of_node.into()
    }

    pub(crate) fn len(&self) -> usize {
        self.nics.len()
    }

    /// Wakes an interface in the window of an instant, or in the next one if that is over.
    pub(crate) fn wake(&mut self, place: u32, at: u64, window: &Window) {
        self.activity.wake(place, self.width.number(Time::from_ps(at)).max(window.number + 1));
    }

    /// Wakes an interface before the first window is run, in the window of an instant.
    pub(crate) fn wake_first(&mut self, place: u32, at: u64) {
        self.activity.wake(place, self.width.number(Time::from_ps(at)));
    }

    /// The interface with a number in [`PacketNetwork::nics`] has a credit in a window.
    pub(crate) fn credit(&mut self, number: u32, window: u64) {
        self.activity.wake(self.place_of[number as usize], window);
    }

    /// Fills `awake` with the interfaces that are awake in a window.
    pub(crate) fn begin(&mut self, window: &Window, awake: &mut Vec<u32>) {
        self.activity.take(window.number, awake);
    }

    /// The first window from this one on in which one is awake.
    pub(crate) fn next(&self, from: u64) -> Option<u64> {
        self.activity.next(from)
    }

    /// When a packet can leave that can leave from an instant on, if it gets a credit.
    #[inline]
    pub(crate) fn soonest(&self, place: usize, ready: u64) -> u64 {
        ready.max(self.nics[place].free).max(self.opens)
    }

    /// Sends a packet as soon as possible: not before `ready`, nor before the one before it and its gap have passed, and in
    /// this window only.
    ///
    /// # Errors
    /// When it cannot leave yet: until when nothing changes that, as far as is known, in picoseconds. If that is all for this
    /// window, the interface will be awake when it might.
    #[inline]
    pub(crate) fn send(
        &mut self,
        place: usize,
        parcel: Parcel,
        ready: u64,
        until: Until,
        routers: &mut Routers<'_>,
    ) -> Result<Sent, u64> {
        // Where a run goes on from what was kept, nothing says any more that a credit has come too late.
        if routers.window.start.as_ps() >= self.closes {
            return Err(u64::MAX);
        }
        let network = routers.network;
        let slots = &routers.shared.slots;
        needed(&self.nics, place);
        needed(&network.nics, self.nics[place].number as usize);
        let own = &mut self.nics[place];
        let range = network.injection_range(parcel.service);
        let of_class = self.classed.get_mut(place * network.services() + usize::from(parcel.service));
        let (stall, last_vc) = match of_class {
            Some(of_class) => (&mut of_class.stall, &mut of_class.last_vc),
            None => (&mut own.stall, &mut own.last_vc),
        };
        let (tails, first_tail) = (&mut *self.tails, place * network.vcs as usize);
        let nic = &network.nics[own.number as usize];
        let mut now = ready.max(own.free).max(self.opens);
        let end = until.at.min(self.closes);
        let vc = loop {
            if now >= end {
                // Interfaces that have something to send are woken when they open again.
                if now >= self.closes {
                    return Err(u64::MAX);
                }
                if until.is_all {
                    self.wake(place as u32, now, &routers.window);
                }
                return Err(now);
            }
            let last = u32::from(*last_vc);
            let filling = Filling { slots, first_lane: nic.lane, tails, first_tail };
            match filling.find_credit(range, last, now, end) {
                Ok(vc) => break vc,
                Err(NoCredit::Before(later)) => {
                    stall.note(now);
                    now = later;
                }
                Err(NoCredit::Later(known)) => {
                    stall.note(now);
                    return Err(self.await_credit((place, range), known, until, routers));
                }
            }
        };
        let wire = &network.wires[nic.wire as usize];
        let Parcel { address, to: destination, message, from, bytes, gap, stalled: before, .. } = parcel;
        let time = wire.speed.time(bytes);
        let stalled = stall.end(now);
        let tail = &mut tails[first_tail + vc as usize];
        let slot = std::mem::replace(tail, slots.after(nic.lane + vc, *tail));
        *last_vc = vc as u16;
        if now >= self.count_from {
            // While they are closed it is not for a credit that they wait.
            own.count(bytes, time, stalled.min(now - self.opens));
            if let Some(series) = &mut self.series {
                series.loads.note(place, bytes, now, now + time);
            }
        }
        let pause = if gap == 0.0 { 0 } else { (time as f64 * gap).round() as u64 };
        own.free = now + time + pause;
        let to = Entry { router: nic.router, lane: nic.lane + vc, slot };
        let eligible = now + wire.latency + network.pipeline;
        let address = routers.shared.announced.injected((address, own.number), now, network);
        let nic = network.nic_of_route(own.of_node.into());
        let label = routers.outbox.label(Label { message, bytes, nic, birth: now });
        self.note(place, label, (from, destination), before + stalled, routers);
        let size = if bytes == network.mtu { Size::Mtu } else { Size::Labeled };
        let packet = Packet::new(address, label, size);
        routers.put(to, packet, &remote::Sent { bytes, birth: now, lag: time, eligible });
        routers.outbox.note_injected();
        Ok(Sent { start: now, tail: now + time, stalled })
    }

    /// Notes what is asked of a packet that has got a label: whose it is, and how long it has stalled.
    #[inline(always)]
    fn note(
        &mut self,
        place: usize,
        label: u32,
        (from, destination): (Rank, NodeId),
        stalled: u64,
        routers: &Routers<'_>,
    ) {
        let (network, labels) = (routers.network, &routers.shared.labels);
        if let (Some(origins), Some(sent)) = (&labels.origins, self.sent.get_mut(place)) {
            let Nic { number, of_node, .. } = self.nics[place];
            let sequence = *sent * u64::from(network.nics_per_node) + u64::from(of_node);
            *sent += 1;
            origins.write(label, Origin { source: network.node_of(number), destination, sequence });
        }
        if let Some(stalls) = &labels.stalls {
            stalls.write(label, stalled);
        }
        if let Some(jobs) = &labels.jobs {
            jobs.write_sender(label, from);
        }
    }

    /// No credit has come, and the next one is known to come at an instant or not at all: returns until when nothing changes that, and
    /// lets the interface be awake when it might, if that is all for this window.
    fn await_credit(
        &mut self,
        (place, range): (usize, (u32, u32)),
        mut known: u64,
        until: Until,
        routers: &Routers<'_>,
    ) -> u64 {
        if !until.is_all {
            // Nothing leaves by a credit that comes after they close, and who asks again then gets the same answer.
            return if known < self.closes { known } else { u64::MAX };
        }
        if known == u64::MAX {
            let network = routers.network;
            let nic = &network.nics[self.nics[place].number as usize];
            let (tails, first_tail) = (&*self.tails, place * network.vcs as usize);
            let between_threads = !routers.outbox.is_own(nic.router);
            let filling = Filling { slots: &routers.shared.slots, first_lane: nic.lane, tails, first_tail };
            known = filling.mark_all(range, between_threads);
        }
        if known != u64::MAX {
            self.wake(place as u32, known, &routers.window);
        }
        known
    }

    /// When a packet of a service class can leave that can from an instant on: if it gets a credit, and when it does, as far as that is in
    /// this window; else never.
    pub(crate) fn soonest_of(
        &self,
        (place, service): (usize, u8),
        ready: u64,
        routers: &Routers<'_>,
    ) -> (u64, u64) {
        let (network, own) = (routers.network, &self.nics[place]);
        let (first, end) = (self.soonest(place, ready), routers.end.min(self.closes));
        let (tails, first_tail) = (&*self.tails, place * network.vcs as usize);
        let first_lane = network.nics[own.number as usize].lane;
        let filling = Filling { slots: &routers.shared.slots, first_lane, tails, first_tail };
        let (range, mut now) = (network.injection_range(service), first);
        while now < end {
            match filling.find_credit(range, range.0, now, end) {
                Ok(_) => return (first, now),
                Err(NoCredit::Before(later)) => now = later,
                Err(NoCredit::Later(_)) => break,
            }
        }
        (first, u64::MAX)
    }

    /// The next packet of a service class lacks a credit at an instant.
    pub(crate) fn note_stall(&mut self, (place, service): (usize, u8), at: u64, network: &PacketNetwork) {
        let of_class = self.classed.get_mut(place * network.services() + usize::from(service));
        of_class.into_iter().for_each(|of_class| of_class.stall.note(at));
    }

    /// Time of an interface for so many bytes, packet by packet without pauses, in picoseconds.
    pub(crate) fn time_of(&self, place: usize, bytes: u64, network: &PacketNetwork) -> u64 {
        let nic = &network.nics[self.nics[place].number as usize];
        let speed = &network.wires[nic.wire as usize].speed;
        let mtu = u64::from(network.mtu);
        let (whole, rest) = (bytes.saturating_sub(1) / mtu, bytes.saturating_sub(1) % mtu);
        let rest = if bytes == 0 { 0 } else { rest as u32 + 1 };
        whole.saturating_mul(speed.time(network.mtu)).saturating_add(speed.time(rest))
    }

    /// Asks for what interfaces need that will be run after the one whose turn it is; returns the one for which the rest may
    /// be asked for.
    #[inline]
    pub(crate) fn prefetch_ahead(&self, awake: &[u32], turn: usize, routers: &Routers<'_>) -> Option<usize> {
        let network = routers.network;
        if let Some(&later) = awake.get(turn + 4) {
            let lane = network.nics[self.nics[later as usize].number as usize].lane;
            for vc in 0..network.vcs {
                let tail = self.tails[(later * network.vcs + vc) as usize];
                routers.shared.slots.prefetch(lane + vc, tail);
            }
        }
        let later = *awake.get(turn + 8)? as usize;
        prefetch(&self.nics, later);
        prefetch(&network.nics, self.nics[later].number as usize);
        Some(later)
    }

    /// Closes the counters of an interval.
    pub(crate) fn close(&mut self, samples: &mut Samples) {
        let Some(series) = &mut self.series else { return };
        for &(link, place) in &series.by_link {
            let &Nic { packets, bytes, busy, .. } = &self.nics[place as usize];
            // Packets are counted as routers do.
            let load = series.loads.take(place as usize, Load { packets, bytes, busy });
            samples.links.extend(load.sample(link));
        }
    }

    /// Begins another interval, when the one before it is closed.
    pub(crate) fn begin_interval(&mut self, interval: Interval) {
        if let Some(series) = &mut self.series {
            series.loads.carry_over.begin(interval);
        }
    }

    /// The first instant after the interval at which something that is known will happen.
    pub(crate) fn first_later(&self) -> Option<u64> {
        self.series.as_ref()?.loads.carry_over.first_later()
    }

    /// When the last packet has left an interface, with its pause.
    pub(crate) fn last(&self) -> Time {
        Time::from_ps(self.nics.iter().map(|nic| nic.free).max().unwrap_or(0))
    }

    /// Adds what the injection links have carried.
    pub(crate) fn count(&self, network: &PacketNetwork, counts: &mut Counts) {
        for nic in &self.nics {
            let counts = &mut counts.links[network.nics[nic.number as usize].link as usize];
            counts.packets += nic.packets;
            counts.bytes += nic.bytes;
            counts.busy += Duration::from_ps(nic.busy);
            counts.stalled += Duration::from_ps(nic.waited);
        }
    }
}

/// Interfaces, the tails of all of them, and what they have for each service class.
pub(crate) type SavedNics = (Vec<Nic>, Vec<u16>, Vec<Classed>);

impl Nics {
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        let place = self.place_of.get(number as usize).filter(|&&place| place != u32::MAX);
        place.map(|&place| place as usize)
    }

    /// No interface is awake in any window to come.
    pub(crate) fn sleep(&mut self) {
        self.activity = Activity::new(self.nics.len());
    }

    pub(crate) fn save(&self) -> SavedNics {
        (self.nics.clone(), self.tails.clone(), self.classed.clone())
    }

    /// Takes over the state of these interfaces. They are awake in the window with this number.
    pub(crate) fn restore(&mut self, (nics, tails, classed): SavedNics, window: u64) -> Option<()> {
        let [vcs, services] =
            [tails.len(), classed.len()].map(|all| all.checked_div(nics.len()).unwrap_or(0));
        for (then, (nic, saved)) in nics.into_iter().zip(tails.chunks(vcs.max(1))).enumerate() {
            let Some(place) = self.place(nic.number) else { continue };
            self.tails.get_mut(place * vcs..)?.get_mut(..vcs)?.copy_from_slice(saved);
            let of_classes = self.classed.get_mut(place * services..)?.get_mut(..services)?;
            of_classes.copy_from_slice(&classed[then * services..][..services]);
            self.nics[place] = nic;
            self.activity.wake(place as u32, window);
        }
        Some(())
    }
}
