//! Programs for any number of ranks, as profiles.

use weir_extrapolate::{Extrapolation, ExtrapolationError, Totals, compare};
use weir_formats::profile::{Communicators, Format, Profile, read_text};
use weir_operations::{
    Collective, Function, Lengths, Mode, OperandOrder, Operation, ReceiveSource, RequestId, Requests, Root,
    Step, Wildcards,
};
use weir_units::{Duration, Rank};

/// A part of a program.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    /// Each rank sends to the one so far behind it, around the end or not.
    Shift {
        by: i64,
        is_open: bool,
        bytes: Size,
    },
    /// A round with the rank whose number differs in one bit, for each bit.
    Hypercube(Size),
    /// Each rank sends to each other one.
    All(Size),
    /// Neighbors in a square of ranks.
    Square {
        is_open: bool,
        bytes: Size,
    },
    /// A message along a binomial tree from rank 0.
    Tree(Size),
    /// All ranks send to the last one, or to rank 0.
    Gather {
        is_last: bool,
        bytes: Size,
    },
    Allreduce(Size),
    /// A broadcast from this rank, of those that there are.
    Broadcast {
        root: u32,
        bytes: Size,
    },
    /// It computes: microseconds, over the number of ranks if `is_shared`.
    Work {
        microseconds: u64,
        is_shared: bool,
    },
    Repeat(u32, Vec<Element>),
}

/// A number of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Fixed(u64),
    Shared(u64),
    PerRank(u64),
    /// The part of a rank.
    Part(u64),
}

impl Size {
    fn of(self, rank: i64, ranks: i64) -> u64 {
        let (rank, ranks) = (rank as u64, ranks as u64);
        match self {
            Self::Fixed(bytes) => bytes,
            Self::Shared(bytes) => bytes / ranks,
            Self::PerRank(bytes) => bytes * ranks,
            Self::Part(total) => 8 * (total / ranks + u64::from(rank < total % ranks)),
        }
    }
}

struct Writer {
    rank: i64,
    ranks: i64,
    work: Duration,
    steps: Vec<Step>,
}

impl Writer {
    fn add(&mut self, operation: Operation) {
        let compute = std::mem::take(&mut self.work);
        self.steps.push(Step { compute, took: None, operation });
    }

    fn send(&mut self, to: Option<i64>, bytes: u64, request: Option<u32>) {
        let (to, request) = (to.map(|to| to as u32), request.map(RequestId));
        self.add(Operation::Send { mode: Mode::Standard, to, tag: 3, bytes, communicator: 0, request });
    }

    fn receive(&mut self, from: Option<i64>, bytes: u64, request: Option<u32>) {
        let known =
            |source: i64| ReceiveSource { source: Some(source as u32), tag: Some(3), asked: Wildcards::Both };
        let from = from.map_or(ReceiveSource::NOBODY, known);
        self.add(Operation::Receive { from, bytes, communicator: 0, request: request.map(RequestId) });
    }

    fn exchange(&mut self, to: Option<i64>, from: Option<i64>, size: Size) {
        let there = from.map_or(0, |from| size.of(from, self.ranks));
        self.receive(from, there, Some(0));
        self.send(to, size.of(self.rank, self.ranks), Some(1));
        self.add(Operation::Wait {
            requests: Requests::new(&[RequestId(0), RequestId(1)]),
            look: Default::default(),
        });
    }

    fn collective(&mut self, function: Function, root: Root, lengths: Lengths) {
        let collective = Box::new(Collective::new(function, root, lengths));
        self.add(Operation::Collective { collective, communicator: 0, persistent: None, request: None });
    }

    fn elements(&mut self, elements: &[Element]) {
        elements.iter().for_each(|element| self.element(element));
    }

    fn element(&mut self, element: &Element) {
        let (rank, ranks) = (self.rank, self.ranks);
        let inside = |rank: i64| (0..ranks).contains(&rank).then_some(rank);
        match *element {
            Element::Shift { by, is_open: true, bytes } => {
                self.exchange(inside(rank + by), inside(rank - by), bytes);
            }
            Element::Shift { by, is_open: false, bytes } => {
                let around = |rank: i64| Some(rank.rem_euclid(ranks));
                self.exchange(around(rank + by), around(rank - by), bytes);
            }
            Element::Hypercube(size) => {
                for bit in (0..).map(|bit| 1 << bit).take_while(|bit| *bit < ranks) {
                    let other = inside(rank ^ bit);
                    self.exchange(other, other, size);
                }
            }
            Element::All(size) => {
                let others = || (0..ranks).filter(move |other| *other != rank);
                let mut requests = Vec::new();
                for other in others() {
                    self.receive(Some(other), size.of(other, ranks), Some(requests.len() as u32));
                    requests.push(RequestId(requests.len() as u32));
                }
                others().for_each(|other| self.send(Some(other), size.of(rank, ranks), None));
                self.add(Operation::Wait { requests: Requests::new(&requests), look: Default::default() });
            }
            Element::Square { is_open, bytes } => self.square(is_open, bytes),
            Element::Tree(size) => {
                let low = if rank == 0 { ranks.next_power() } else { rank & -rank };
                if rank > 0 {
                    self.receive(Some(rank - low), size.of(rank - low, ranks), None);
                }
                let bits = (0..).map(|bit| low >> (bit + 1)).take_while(|bit| *bit > 0);
                for to in bits.map(|bit| rank + bit).filter(|to| *to < ranks) {
                    self.send(Some(to), size.of(rank, ranks), None);
                }
            }
            Element::Gather { is_last, bytes } => {
                let root = if is_last { ranks - 1 } else { 0 };
                if rank != root {
                    return self.send(Some(root), bytes.of(rank, ranks), None);
                }
                for other in (0..ranks).filter(|other| *other != root) {
                    self.receive(Some(other), bytes.of(other, ranks), None);
                }
            }
            Element::Allreduce(size) => {
                let bytes = size.of(0, ranks) / 8 * 8;
                let lengths = Lengths::Elements { bytes, element: 8, operands: OperandOrder::Commute };
                self.collective(Function::Allreduce, Root::None, lengths);
            }
            Element::Broadcast { root, bytes } => {
                let root = Root::Rank(root % ranks as u32);
                self.collective(Function::Bcast, root, Lengths::Bytes(bytes.of(0, ranks)));
            }
            Element::Work { microseconds, is_shared } => {
                let parts = if is_shared { ranks as u64 } else { 1 };
                self.work += Duration::from_ps(microseconds * 1_000_000 / parts);
            }
            Element::Repeat(count, ref elements) => (0..count).for_each(|_| self.elements(elements)),
        }
    }

    fn square(&mut self, is_open: bool, bytes: Size) {
        let side = (1..).take_while(|side| side * side <= self.ranks).last().unwrap_or(1);
        if side * side != self.ranks {
            return;
        }
        let (x, y) = (self.rank / side, self.rank % side);
        for (dx, dy) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
            let at = |x: i64, y: i64| {
                let is_inside = (0..side).contains(&x) && (0..side).contains(&y);
                (is_inside || !is_open).then(|| x.rem_euclid(side) * side + y.rem_euclid(side))
            };
            self.exchange(at(x + dx, y + dy), at(x - dx, y - dy), bytes);
        }
    }
}

trait NextPower {
    fn next_power(self) -> Self;
}

impl NextPower for i64 {
    fn next_power(self) -> Self {
        (self as u64).next_power_of_two() as Self
    }
}

/// The profile of a program on so many ranks.
pub(crate) fn profile(elements: &[Element], ranks: i64) -> Profile {
    let of_rank = |rank| {
        let mut writer = Writer { rank, ranks, work: Duration::ZERO, steps: Vec::new() };
        writer.elements(elements);
        writer.add(Operation::End);
        writer.steps
    };
    Profile::new("a program", Communicators::default(), (0..ranks).map(of_rank).collect()).expect("a profile")
}

/// An extrapolated profile, and what is said of it.
pub(crate) fn extrapolated(profiles: &[Profile], ranks: u32) -> Result<(Profile, Totals), Vec<String>> {
    let mut text = Vec::new();
    let totals =
        Extrapolation::fit(profiles, ranks).and_then(|found| found.write(Format::Text, "more", &mut text));
    match totals {
        Ok(totals) => Ok((read_text(text.as_slice()).expect("what is written is read"), totals)),
        Err(ExtrapolationError::Refused(why)) => Err(why),
        Err(ExtrapolationError::Write(error)) => panic!("{error}"),
    }
}

/// What became of an extrapolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The same messages, and nothing is open.
    Same,
    /// The same messages, and something is open.
    SameOfSeveral,
    /// Other messages, and something is open.
    Other,
    Refused,
}

/// Extrapolates a program and compares it with itself.
///
/// # Panics
/// When it is different, and nothing was said.
pub(crate) fn verdict(elements: &[Element], sizes: &[i64], target: i64) -> Verdict {
    let profiles: Vec<Profile> = sizes.iter().map(|&ranks| profile(elements, ranks)).collect();
    let Ok((more, totals)) = extrapolated(&profiles, target as u32) else { return Verdict::Refused };
    let real = profile(elements, target);
    let found = compare(&more, &real);
    match (found.is_same(), totals.open().is_empty()) {
        (true, true) => {
            assert_eq!(more.len(), real.len());
            assert!((0..target).all(|rank| !more.steps(Rank(rank as u32)).is_empty()));
            Verdict::Same
        }
        (true, false) => Verdict::SameOfSeveral,
        (false, false) => Verdict::Other,
        (false, true) => panic!("{elements:?} of {sizes:?} and {target} ranks: {:?}", found.differences[0]),
    }
}
