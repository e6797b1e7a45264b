//! The head packets of a router that could be granted in a window, and which of them could be first.

use super::router::Due;

/// Packets that could be granted in a window.
#[derive(Debug, Default)]
pub(super) struct DueHeads {
    /// The beginning of the window, in picoseconds.
    start: u64,
    heads: Vec<DueHead>,
}

#[derive(Clone, Copy, Debug)]
struct DueHead {
    /// When it could be granted, as far as is known.
    at: u64,
    head: Due,
}

/// A packet that could be granted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct First {
    pub(super) place: usize,
    pub(super) at: u64,
    /// False if others could be granted at the same instant.
    pub(super) is_alone: bool,
}

/// Instants after a grant for those who wait for the same ports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted {
    pub(super) input: u16,
    /// When the crossbar takes the next packet from this input.
    pub(super) input_free: u64,
    pub(super) output: u16,
    /// When the output takes the next packet.
    pub(super) available: u64,
}

impl DueHeads {
    /// Begins with a window, when there are none any more.
    pub(super) fn begin(&mut self, start: u64) {
        debug_assert!(self.heads.is_empty(), "packets of another window are left");
        self.start = start;
    }

    /// After a limit an instant may lie before the window.
    #[inline(always)]
    fn in_window(&self, at: u64) -> u64 {
        at.max(self.start)
    }

    /// Adds a packet that could be granted at an instant, or from the beginning of the window on.
    #[inline(always)]
    pub(super) fn push(&mut self, head: Due, at: u64) {
        self.heads.push(DueHead { at: self.in_window(at), head });
    }

    /// Puts a packet in the place of another one.
    #[inline(always)]
    pub(super) fn replace(&mut self, place: usize, head: Due, at: u64) {
        self.heads[place] = DueHead { at: self.in_window(at), head };
    }

    /// Takes out a packet; the last one has its place then.
    #[inline(always)]
    pub(super) fn remove(&mut self, place: usize) {
        self.heads.swap_remove(place);
    }

    /// A packet could be granted at another instant.
    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, at: u64) {
        self.heads[place].at = self.in_window(at);
    }

    /// When a packet could be granted, as far as is known.
    pub(super) fn at(&self, place: usize) -> u64 {
        self.heads[place].at
    }

    #[inline(always)]
    pub(super) fn head(&self, place: usize) -> &Due {
        &self.heads[place].head
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// All packets with their places and when they could be granted.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64, &Due)> {
        self.heads.iter().enumerate().map(|(place, DueHead { at, head })| (place, *at, head))
    }

    /// Those that could be granted at an instant, with their places.
    pub(super) fn ready(&self, now: u64) -> impl Iterator<Item = (usize, &Due)> {
        self.iter().filter(move |&(_, at, _)| at == now).map(|(place, _, head)| (place, head))
    }

    /// Takes out all packets, with the instants at which they could be granted.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (u64, Due)> {
        self.heads.drain(..).map(|DueHead { at, head }| (at, head))
    }

    /// The packet that could be granted first.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<First> {
        first_of(self.heads.len(), |place| self.heads[place].at)
    }

    /// Packets that wait for the same input port or the same output port as a packet that has been granted wait longer now. Then as
    /// [`Self::first`].
    #[inline(always)]
    pub(super) fn hold_back(&mut self, granted: &Granted) -> Option<First> {
        first_of(self.heads.len(), |place| {
            let DueHead { at, head } = &mut self.heads[place];
            // All bits set where a port is the same.
            let [output, input] = [head.output == granted.output, head.input == granted.input]
                .map(|same| u64::from(same).wrapping_neg());
            *at = (*at).max(granted.available & output).max(granted.input_free & input);
            *at
        })
    }
}

/// The place of the least instant, without branches that cannot be foreseen.
#[inline(always)]
fn first_of(count: usize, mut instant: impl FnMut(usize) -> u64) -> Option<First> {
    let (mut first, mut least, mut is_alone) = (0, u64::MAX, true);
    for place in 0..count {
        let own = instant(place);
        (first, is_alone) = if own < least { (place, true) } else { (first, is_alone & (own != least)) };
        least = least.min(own);
    }
    (count > 0).then_some(First { place: first, at: least, is_alone })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::{Packet, Size};
    use proptest::prelude::*;

    fn head(lane: u16, (input, output): (u16, u16)) -> Due {
        let packet = Packet::new(0, 0, Size::Mtu);
        Due { packet, eligible: 0, slot: 0, lane, input, output, class: 0, vc: 0 }
    }

    /// A change of the packets of a router.
    #[derive(Clone, Debug)]
    enum Step {
        Push(u64, (u16, u16)),
        Remove(usize),
        Replace(usize, u64, (u16, u16)),
        Set(usize, u64),
        Grant((u16, u16), (u64, u64)),
    }

    fn step() -> impl Strategy<Value = Step> {
        let (at, ports) = (0_u64..20, || (0_u16..3, 0_u16..3));
        prop_oneof![
            3 => (at.clone(), ports()).prop_map(|(at, ports)| Step::Push(at, ports)),
            1 => any::<usize>().prop_map(Step::Remove),
            1 => (any::<usize>(), at.clone(), ports()).prop_map(|(place, at, ports)| Step::Replace(place, at, ports)),
            1 => (any::<usize>(), at.clone()).prop_map(|(place, at)| Step::Set(place, at)),
            2 => (ports(), (at.clone(), at)).prop_map(|(ports, at)| Step::Grant(ports, at)),
        ]
    }

    proptest! {
        /// Whatever happens, the first of the least instants is found, and whether there are others, as by going through a list.
        #[test]
        fn the_first_is_that_of_a_list(steps in prop::collection::vec(step(), 0..60), start in 0_u64..1 << 60) {
            let mut due = DueHeads::default();
            due.begin(start);
            let mut list: Vec<(u64, u16, (u16, u16))> = Vec::new();
            for (lane, step) in (0..).zip(steps) {
                let place = |place: usize| (!list.is_empty()).then(|| place % list.len());
                let mut found = None;
                match step {
                    Step::Push(at, ports) => {
                        due.push(head(lane, ports), start + at);
                        list.push((start + at, lane, ports));
                    }
                    Step::Remove(of) => if let Some(place) = place(of) {
                        due.remove(place);
                        list.swap_remove(place);
                    },
                    Step::Replace(of, at, ports) => if let Some(place) = place(of) {
                        due.replace(place, head(lane, ports), start + at);
                        list[place] = (start + at, lane, ports);
                    },
                    Step::Set(of, at) => if let Some(place) = place(of) {
                        due.set(place, start + at);
                        list[place].0 = start + at;
                    },
                    Step::Grant((input, output), (free, available)) => {
                        let [input_free, available] = [free, available].map(|at| start + at);
                        found = Some(due.hold_back(&Granted { input, input_free, output, available }));
                        for (at, _, ports) in &mut list {
                            *at = (*at).max(if ports.0 == input { input_free } else { 0 });
                            *at = (*at).max(if ports.1 == output { available } else { 0 });
                        }
                    }
                }
                let least = list.iter().map(|&(at, ..)| at).min();
                let expected = least.map(|at| First {
                    place: list.iter().position(|other| other.0 == at).expect("it is there"),
                    at,
                    is_alone: list.iter().filter(|other| other.0 == at).count() == 1,
                });
                prop_assert_eq!(found.unwrap_or_else(|| due.first()), expected);
                let all: Vec<_> = due.iter().map(|(_, at, head)| (at, head.lane, (head.input, head.output))).collect();
                prop_assert_eq!(&all, &list);
            }
        }
    }

    /// A packet that could have been granted before the window can be at its beginning.
    #[test]
    fn instants_before_the_window() {
        let mut due = DueHeads::default();
        due.begin(100);
        due.push(head(1, (0, 0)), 7);
        assert_eq!(due.first(), Some(First { place: 0, at: 100, is_alone: true }));
    }
}
