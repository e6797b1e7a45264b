//! What leaves routers and interfaces: packets for other routers, with the wake-ups that belong to them.

use super::{Delivery, Ordering, Sink};
use crate::machine::Machine;
use crate::parts::Shared;
use crate::prefetch::prefetch;
use crate::slots::Packet;
use std::ops::Range;
use weir_pdes::{Activity, Window};

/// Where a packet goes: a router, one of its lanes, the place in it, and the lane's bit in the router's masks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) router: u32,
    /// The word of the lane's bit in the masks of all routers, if it is below 64.
    pub(crate) mask: u32,
    pub(crate) lane: u32,
    pub(crate) slot: u16,
    pub(crate) bit: u16,
}

/// The outgoing side of a part.
pub(crate) struct Post<'a> {
    machine: &'a Machine,
    shared: &'a Shared<'a>,
    part: usize,
    /// The routers of this part.
    pub(crate) routers: Range<usize>,
    first_mask: usize,
    /// By mask word: lanes that have got a packet from this part.
    news: Vec<u64>,
    activity: Activity,
    /// Whether anything has moved in the last window.
    moved: bool,
    /// Deliveries for endpoints of other parts, by part.
    away: Vec<Vec<Delivery>>,
    /// 2^64 over the width of a window, rounded up; 0 if that does not fit.
    per_width: u64,
}

impl<'a> Post<'a> {
    pub(super) fn new(machine: &'a Machine, shared: &'a Shared<'a>, part: usize) -> Self {
        let routers = shared.routers(part);
        let (first, after) = (machine.routers[routers.start].mask, machine.routers[routers.end].mask);
        let width = machine.width.duration().as_ps();
        Self {
            machine,
            shared,
            part,
            first_mask: first as usize,
            news: vec![0; (after - first) as usize],
            activity: Activity::new(routers.len()),
            routers,
            moved: false,
            away: vec![Vec::new(); shared.parts()],
            per_width: if width > 1 { u64::MAX / width + 1 } else { 0 },
        }
    }

    /// Begins a window: fills `awake` with the routers that are awake in it, those to `retry` among them.
    pub(super) fn begin(&mut self, window: &Window, retry: &mut Vec<u32>, awake: &mut Vec<u32>) {
        self.shared.alarms(self.part).hand_over(window.number, &mut self.activity);
        retry.drain(..).for_each(|router| self.activity.wake(router, window.number));
        self.activity.take(window.number, awake);
    }

    /// The window of an instant that is not before this one.
    #[inline]
    fn window_of(&self, at: u64, window: &Window) -> u64 {
        let ahead = at - window.start.as_ps();
        // Exact for a dividend below 2^32, whatever the divisor.
        let quotient = if ahead < 1 << 32 && self.per_width != 0 {
            ((u128::from(ahead) * u128::from(self.per_width)) >> 64) as u64
        } else {
            ahead / self.machine.width.duration().as_ps()
        };
        window.number + quotient
    }

    /// Puts a packet into the input buffer of a router, which may be one of another part, and wakes it in time.
    #[inline]
    pub(crate) fn put(&mut self, to: Entry, packet: Packet, lag: u64, eligible: u64, window: &Window) {
        let slots = &self.shared.slots;
        slots.put(slots.place(to.lane, to.slot), packet, lag, eligible);
        let due = self.window_of(eligible, window);
        let word = to.mask as usize + usize::from(to.bit) / 64;
        let bit = 1 << (to.bit % 64);
        if self.routers.contains(&(to.router as usize)) {
            self.news[word - self.first_mask] |= bit;
            self.activity.wake(to.router - self.routers.start as u32, due);
        } else {
            self.shared.news[word].fetch_or(bit, Ordering::Release);
            self.shared.wake_router(to.router, due, window.number);
        }
        self.moved = true;
    }

    /// Hands a packet to the endpoint of a node, which may be in another part.
    #[inline]
    pub(super) fn deliver(&mut self, delivery: Delivery, sink: &mut impl Sink) {
        self.moved = true;
        match self.shared.home(delivery.node) {
            home if home == self.part => sink.deliver(delivery),
            home => self.away[home].push(delivery),
        }
    }

    /// Wakes a router of this part at an instant after this window. After a limit, where windows are run in which nothing
    /// happens, the instant may lie before it: then the next one will do.
    #[inline]
    pub(super) fn wake(&mut self, router: u32, at: u64, window: &Window) {
        let due = self.window_of(at.max(window.start.as_ps()), window).max(window.number + 1);
        self.activity.wake(router - self.routers.start as u32, due);
    }

    /// Asks for [`Self::news`] before it is needed.
    #[inline]
    pub(super) fn ask_for_news(&self, word: usize) {
        prefetch(&self.news, word);
    }

    /// Lanes of a mask word, counted from the part's first, that have got packets from this part.
    #[inline]
    pub(super) fn news(&self, word: usize) -> u64 {
        self.news[word]
    }

    /// Lanes that have got packets since this was asked last.
    #[inline]
    pub(super) fn take_news(&mut self, word: usize) -> u64 {
        let mut news = std::mem::take(&mut self.news[word]);
        if let Some(shared) = self.shared.news.get(word + self.first_mask)
            && shared.load(Ordering::Relaxed) != 0
        {
            news |= shared.swap(0, Ordering::Acquire);
        }
        news
    }

    /// Ends a window.
    pub(super) fn send(&mut self, window: &Window) {
        for (part, away) in self.away.iter_mut().enumerate() {
            self.shared.deliveries.put(window.turn, self.part, part, away);
        }
    }

    pub(super) fn next(&mut self, from: u64) -> Option<u64> {
        // What has moved may have freed a place that somebody waits for without being awake for it, or be the business of
        // another part.
        if std::mem::take(&mut self.moved) {
            return Some(from);
        }
        let alarm = self.shared.alarms(self.part).next(from);
        self.activity.next(from).into_iter().chain(alarm).min()
    }
}
