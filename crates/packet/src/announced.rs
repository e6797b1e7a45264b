//! Routers announce what waits at their outputs, where a rule weighs whole ways or interfaces decide.
//!
//! # What is announced when
//! An *interval* is the least time in which a router can affect another one, which follows from the machine alone. At each of its
//! multiples a router announces the bytes that wait for each of its outputs, as they were at that instant, whatever it learned
//! later. A decision at an instant in interval `k` looks at what was announced at the beginning of interval `k - 2`, so the view is
//! between two and three intervals old, for any number of threads and processes and for windows of any width. That holds for interfaces
//! too, whose router may belong to another thread.
//!
//! # Why it is there in time
//! A window is no wider than an interval. A router writes what it announces at an instant at the latest when it is run in the
//! window of that instant: it is woken for it where anything waits. What is decided two intervals later is in another window.
//! That may be the next one that is run, so a process writes what others announce when it meets them, between two windows: in a
//! window one of its threads would look before another one has taken the mail. Nothing is written where nothing waits: a cell
//! with another interval than the one asked for means that.

use crate::network::{Channel, PacketNetwork};
use crate::routing::ruled::At;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use weir_pdes::{Division, Letters};
use weir_units::mix;

/// Cells of an output: what may be written in a window and what may be read are four intervals at most.
const CELLS: usize = 4;

/// Keeps what has been announced; it has nothing where no rule asks for that.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    /// By output of the machine: the bytes, each with its interval in the upper half.
    outputs: Vec<[AtomicU64; CELLS]>,
    /// By number of a router in the topology: its first output.
    first: Vec<u32>,
    /// Announcements that have not gone to the other processes yet: outputs and words.
    going: Mutex<Vec<(u32, u64)>>,
    /// The number of this process.
    process: usize,
}

impl PacketNetwork {
    /// Length of an interval, in picoseconds.
    pub(crate) fn announcement_interval(&self) -> u64 {
        self.lookahead.as_ps()
    }
}

impl Announced {
    /// Those of a machine, in the process from which a division is seen.
    pub(crate) fn new(network: &PacketNetwork, division: Division) -> Self {
        if !network.routing.announces() {
            return Self::default();
        }
        let outputs = std::iter::repeat_with(Default::default).take(network.outputs.len()).collect();
        let mut first = vec![0; network.numbers.len()];
        for (&number, place) in network.numbers.iter().zip(&network.routers) {
            first[number as usize] = place.output;
        }
        let process = division.process_of(division.here().start);
        Self { outputs, first, going: Mutex::default(), process }
    }

    /// The bytes that wait for an output of a router, by its number in the topology, as a decision at an instant knows them.
    pub(crate) fn view(&self, (router, output): (u32, u16), now: u64, network: &PacketNetwork) -> u64 {
        let Some(first) = self.first.get(router as usize) else { return 0 };
        let Some(interval) = (now / network.announcement_interval()).checked_sub(2) else { return 0 };
        self.waited(first + u32::from(output), interval)
    }

    /// Sends all of these announcements, each an output and its word, to the other processes, and leaves `announcements` empty.
    pub(crate) fn send_away(&self, announcements: &mut Vec<(u32, u64)>) {
        if !announcements.is_empty() {
            self.going().append(announcements);
        }
    }

    /// A thread that panics while it holds the lock ends the run; until then what is inside is whole.
    fn going(&self) -> MutexGuard<'_, Vec<(u32, u64)>> {
        self.going.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a word of an output, in this process.
    pub(crate) fn note(&self, output: u32, word: u64) {
        write(&self.outputs[output as usize], word);
    }

    /// The address with which a packet leaves the interface with a number in [`PacketNetwork::nics`] at an instant: where interfaces
    /// decide, by what has been announced.
    #[inline(always)]
    pub(crate) fn injected(&self, from: (u32, u32), now: u64, network: &PacketNetwork) -> u32 {
        // Most machines announce nothing, and this is done for each packet.
        if self.outputs.is_empty() { from.0 } else { self.decided(from, now, network) }
    }

    #[inline(never)]
    fn decided(&self, (address, number): (u32, u32), now: u64, network: &PacketNetwork) -> u32 {
        let router = network.routers[network.nics[number as usize].router as usize].address;
        let nic = network.nic_of_route(number % network.nics_per_node);
        let at = At { router, channel: Channel::OF_A_NODE, address, nic };
        // Routers draw from the numbers of their lanes, which are small.
        let draw = mix(mix(!u64::from(number)).wrapping_add(now));
        network.routing.injected(at, draw, &|router, output| self.view((router, output), now, network))
    }

    /// The bytes that waited for an output at the beginning of an interval.
    fn waited(&self, output: u32, interval: u64) -> u64 {
        let word = self.outputs[output as usize][interval as usize % CELLS].load(Ordering::Relaxed);
        if word >> u32::BITS == interval & u64::from(u32::MAX) { word & u64::from(u32::MAX) } else { 0 }
    }

    /// All words of some outputs, for a checkpoint.
    pub(crate) fn words(&self, outputs: std::ops::Range<u32>) -> Vec<(u32, u64)> {
        if self.outputs.is_empty() {
            return Vec::new();
        }
        let words = |output: u32| self.outputs[output as usize].iter().map(move |cell| (output, cell));
        let all = outputs.flat_map(words).map(|(output, cell)| (output, cell.load(Ordering::Relaxed)));
        all.filter(|&(_, word)| word > 0).collect()
    }
}

/// All processes get the same. No window has to be run for it: processes meet before the next one, whichever that is, and nothing is looked
/// at sooner. After a limit a window would say that something else is to come.
impl Letters for Announced {
    fn write(&self, number: u8, letters: &mut [Vec<u8>]) -> u64 {
        let going = std::mem::take(&mut *self.going());
        if going.is_empty() {
            return 0;
        }
        let others = letters.iter_mut().enumerate().filter(|&(process, _)| process != self.process);
        let written = others.map(|(_, letter)| {
            letter.push(number);
            postcard::to_io(&going, letter).expect("memory takes all that is written");
            going.len() as u64
        });
        written.sum()
    }

    fn read<'l>(&self, letter: &'l [u8]) -> Result<&'l [u8], postcard::Error> {
        let (come, behind): (Vec<(u32, u64)>, _) = postcard::take_from_bytes(letter)?;
        for (output, word) in come {
            let cells = self.outputs.get(output as usize).ok_or(postcard::Error::DeserializeBadEncoding)?;
            write(cells, word);
        }
        Ok(behind)
    }

    fn unreadable(&self) -> Option<usize> {
        None
    }
}

/// Writes a word of an output into its cell.
fn write(cells: &[AtomicU64; CELLS], word: u64) {
    cells[(word >> u32::BITS) as usize % CELLS].store(word, Ordering::Relaxed);
}

pub(crate) fn word(interval: u64, bytes: u64) -> u64 {
    interval << u32::BITS | bytes.min(u32::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::cable;
    use crate::{NodeModel, RouterModel};
    use weir_topology::{Adaptive, HyperX, Rule, Switched, Topology, Wiring};

    /// Three routers with a node each, whose rule weighs the queues of others.
    fn weighing() -> PacketNetwork {
        let wiring = Wiring::HyperX(HyperX::new(&[3], 1).expect("three routers"));
        let rule = Rule::UgalG(Adaptive::default());
        let switched = Switched::new(wiring, 1, vec![cable(8e9, 100)], cable(8e9, 100), rule).expect("small");
        let topology = Topology::Switched(switched);
        PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &topology).expect("a machine")
    }

    /// Processes meet between two windows. From then on all threads of the others see what one has announced, which none of them has to take
    /// first: the window in which it is looked at may be the next one.
    #[test]
    fn other_processes_see_it_when_they_have_met() {
        let network = weighing();
        let [first, second, third] =
            [0, 1, 2].map(|process| Announced::new(&network, Division::new(process, 3, 2)));
        let at = |interval: u64| interval * network.announcement_interval();
        let seen = |announced: &Announced| announced.view((0, 1), at(9), &network);
        let mut letters = vec![Vec::new(); 3];
        assert_eq!(first.write(4, &mut letters), 0);
        assert_eq!(letters, [[], [], []]);
        let announcements = &mut vec![(1, word(7, 512)), (0, word(6, 99))];
        first.send_away(announcements);
        assert_eq!((announcements.len(), seen(&second)), (0, 0));
        // Both announcements go to both others.
        assert_eq!(first.write(4, &mut letters), 4);
        assert_eq!(letters[0], []);
        for (announced, letter) in [(&second, &letters[1]), (&third, &letters[2])] {
            let behind = &[&letter[1..], &[8, 8]].concat();
            assert_eq!((letter[0], announced.read(behind)), (4, Ok(&[8, 8][..])));
            assert_eq!((seen(announced), announced.view((0, 0), at(8), &network)), (512, 99));
            assert!(announced.read(&letter[1..letter.len() - 1]).is_err());
        }
        // They have gone.
        assert_eq!(first.write(4, &mut letters), 0);
        // An output that the machine does not have.
        first.send_away(&mut vec![(network.outputs.len() as u32, word(7, 1))]);
        let mut letters = vec![Vec::new(); 3];
        first.write(4, &mut letters);
        assert!(second.read(&letters[1][1..]).is_err());
    }
}
