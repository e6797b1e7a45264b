//! Mail between parts of a model, wherever they are.

use crate::{Gathering, Lost};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use weir_units::OwnLine;

/// A [`Mailbox`] whose parts may be in other processes: what is for one of these is written into a letter when the processes
/// meet. Either way it can be taken out in the next turn, not before. Parts are named by their numbers among those of all
/// processes.
///
/// Threads wait while their processes meet, so each makes bytes of what its part sends, and things of the bytes that have come for its part. At the
/// meeting bytes are only copied.
#[derive(Debug)]
pub struct Letterbox<T> {
    division: Division,
    within: Mailbox<T>,
    /// By sender of this process.
    going: Vec<OwnLine<Mutex<Going>>>,
    /// By receiver of this process.
    come: Vec<OwnLine<Mutex<Come>>>,
    code: Code<T>,
    /// The process that has sent what cannot be read, plus one.
    unreadable: AtomicUsize,
}

/// Makes bytes of things, and things of bytes.
#[derive(Debug)]
struct Code<T> {
    write: fn(&T, &mut Vec<u8>),
    read: Read<T>,
}

/// Reads a thing, and returns what is behind it too; `None` if it cannot.
type Read<T> = for<'l> fn(&'l [u8]) -> Option<(T, &'l [u8])>;

/// All that a part sends to parts of other processes.
#[derive(Debug, Default)]
struct Going {
    /// The receivers so far, whose bundles keep their memory.
    bundles: Vec<(usize, Bundle)>,
    /// By receiver: the number of its bundle plus one, or 0.
    numbers: Vec<u32>,
}

/// Things as bytes, one behind the other.
#[derive(Debug, Default)]
struct Bundle {
    count: u32,
    bytes: Vec<u8>,
}

/// All that has come for a part from others: sender, number of things, and where their bytes end.
#[derive(Debug, Default)]
struct Come {
    bundles: Vec<(usize, u32, usize)>,
    bytes: Vec<u8>,
}

/// Before a bundle in a letter: sender, receiver, number of things, number of bytes.
type Head = [u32; 4];

/// Letterboxes of any contents, as the processes' meeting sees them.
pub trait Letters {
    /// Appends what goes to other processes to their letters, each bundle behind the number of this box, and counts the things.
    fn write(&self, number: u8, letters: &mut [Vec<u8>]) -> u64;

    /// Takes the bundle at the beginning of `letter`, behind the number of this box, from a process; returns what is behind it.
    ///
    /// # Errors
    /// When it is not what another box of this kind has written.
    fn read<'l>(&self, letter: &'l [u8]) -> Result<&'l [u8], postcard::Error>;

    /// The process that has sent things which a part could not read.
    fn unreadable(&self) -> Option<usize>;
}

impl Going {
    fn bundle(&mut self, to: usize) -> &mut Bundle {
        if self.numbers.len() <= to {
            self.numbers.resize(to + 1, 0);
        }
        if self.numbers[to] == 0 {
            self.bundles.push((to, Bundle::default()));
            self.numbers[to] = self.bundles.len() as u32;
        }
        &mut self.bundles[self.numbers[to] as usize - 1].1
    }
}

impl<T: Serialize + DeserializeOwned> Letterbox<T> {
    /// For all parts.
    pub fn new(division: Division) -> Self {
        let code = Code {
            write: |thing, bytes| {
                postcard::to_io(thing, bytes).expect("memory takes all that is written");
            },
            read: |bytes| postcard::take_from_bytes(bytes).ok(),
        };
        let threads = division.threads();
        Self {
            division,
            within: Mailbox::new(threads),
            going: std::iter::repeat_with(|| OwnLine(Mutex::default())).take(threads).collect(),
            come: std::iter::repeat_with(|| OwnLine(Mutex::default())).take(threads).collect(),
            code,
            unreadable: AtomicUsize::new(0),
        }
    }
}

impl<T> Letterbox<T> {
    /// Puts all of `things` into the box from a part of this process to any other, behind what is there, and leaves `things`
    /// empty.
    pub fn put(&self, turn: u64, from: usize, to: usize, things: &mut Vec<T>) {
        if things.is_empty() {
            return;
        }
        let sender = self.division.local(from);
        if self.division.is_here(to) {
            self.within.put(turn, sender, self.division.local(to), things);
        } else {
            let going = &mut *open(&self.going[sender].0);
            let bundle = going.bundle(to);
            things.drain(..).for_each(|thing| self.add(bundle, &thing));
        }
    }

    /// Sends all of `things` from a part of this process to parts of other processes, which are named, and leaves `things` empty.
    pub fn send_away(&self, from: usize, things: &mut Vec<(usize, T)>) {
        if !things.is_empty() {
            let going = &mut *open(&self.going[self.division.local(from)].0);
            things.drain(..).for_each(|(to, thing)| self.add(going.bundle(to), &thing));
        }
    }

    fn add(&self, bundle: &mut Bundle, thing: &T) {
        bundle.count += 1;
        (self.code.write)(thing, &mut bundle.bytes);
    }

    /// Hands everything that was put for a part of this process in the turn before to `take`, with its sender: what each has
    /// put in the order of putting.
    pub fn take(&self, turn: u64, to: usize, mut take: impl FnMut(usize, T)) {
        let first = self.division.here().start;
        let receiver = self.division.local(to);
        self.within.take(turn, receiver, |from, thing| take(first + from, thing));
        if self.division.processes() == 1 {
            return;
        }
        let come = &mut *open(&self.come[receiver].0);
        let mut start = 0;
        for (from, count, end) in come.bundles.drain(..) {
            let mut rest = &come.bytes[start..end];
            start = end;
            for _ in 0..count {
                let Some((thing, behind)) = (self.code.read)(rest) else {
                    self.unreadable.store(1 + self.division.process_of(from), Ordering::Relaxed);
                    break;
                };
                take(from, thing);
                rest = behind;
            }
        }
        come.bytes.clear();
    }
}

impl<T> Letters for Letterbox<T> {
    fn write(&self, number: u8, letters: &mut [Vec<u8>]) -> u64 {
        let mut sum = 0;
        for (from, going) in self.division.here().zip(&self.going) {
            for (to, Bundle { count, bytes }) in &mut open(&going.0).bundles {
                if *count == 0 {
                    continue;
                }
                let letter = &mut letters[self.division.process_of(*to)];
                let length = u32::try_from(bytes.len()).expect("a bundle has less than four gigabytes");
                let head: Head = [from as u32, *to as u32, *count, length];
                letter.push(number);
                head.iter().for_each(|word| letter.extend_from_slice(&word.to_le_bytes()));
                letter.append(bytes);
                sum += u64::from(std::mem::take(count));
            }
        }
        sum
    }

    fn read<'l>(&self, letter: &'l [u8]) -> Result<&'l [u8], postcard::Error> {
        let (head, rest) =
            letter.split_at_checked(size_of::<Head>()).ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        let (words, _) = head.as_chunks();
        let word = |place: usize| u32::from_le_bytes(words[place]);
        let (from, to, length) = (word(0) as usize, word(1) as usize, word(3) as usize);
        let (bytes, behind) =
            rest.split_at_checked(length).ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        if from >= self.division.parts() || !self.division.is_here(to) {
            return Err(postcard::Error::DeserializeBadEncoding);
        }
        let come = &mut *open(&self.come[self.division.local(to)].0);
        come.bytes.extend_from_slice(bytes);
        come.bundles.push((from, word(2), come.bytes.len()));
        Ok(behind)
    }

    fn unreadable(&self) -> Option<usize> {
        self.unreadable.load(Ordering::Relaxed).checked_sub(1)
    }
}

/// A thread that panics while it holds the lock ends the run; until then what is inside is whole.
fn open<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Boxes from every part to every part. What is put into one while a window is run can be taken out in the next window
/// that is run (the next *turn*), not before.
///
/// Who takes looks at one word for all senders, which is written only by those that send something: between many parts most boxes are empty, and a look into one
/// takes its memory away from another processor.
#[derive(Debug)]
pub struct Mailbox<T> {
    parts: usize,
    /// By parity of the turn in which they are filled.
    turns: [Boxes<T>; 2],
}

#[derive(Debug)]
struct Boxes<T> {
    /// By sender, by receiver. Never contended.
    things: Vec<OwnLine<Mutex<Vec<T>>>>,
    /// By receiver: a bit for each sender that has put something in, modulo 64.
    senders: Vec<OwnLine<AtomicU64>>,
}

impl<T> Boxes<T> {
    fn new(parts: usize) -> Self {
        Self {
            things: (0..parts * parts).map(|_| OwnLine(Mutex::new(Vec::new()))).collect(),
            senders: (0..parts).map(|_| OwnLine(AtomicU64::new(0))).collect(),
        }
    }
}

impl<T> Mailbox<T> {
    /// For so many parts.
    pub fn new(parts: usize) -> Self {
        Self { parts, turns: [Boxes::new(parts), Boxes::new(parts)] }
    }

    /// Puts all of `things` into the box from one part to another, behind what is there, and leaves `things` empty.
    pub fn put(&self, turn: u64, from: usize, to: usize, things: &mut Vec<T>) {
        if things.is_empty() {
            return;
        }
        let Boxes { things: boxes, senders } = &self.turns[(turn % 2) as usize];
        let mut inside = open(&boxes[from * self.parts + to].0);
        if inside.is_empty() {
            std::mem::swap(&mut *inside, things);
        } else {
            inside.append(things);
        }
        // Parts meet between this turn and the next.
        senders[to].0.fetch_or(1 << (from % 64), Ordering::Relaxed);
    }

    /// Hands everything that was put for a part in the turn before to `take`: senders in their order, and what each has
    /// put in the order of putting.
    pub fn take(&self, turn: u64, to: usize, mut take: impl FnMut(usize, T)) {
        let Some(before) = turn.checked_sub(1) else { return };
        let Boxes { things, senders } = &self.turns[(before % 2) as usize];
        let bits = senders[to].0.load(Ordering::Relaxed);
        if bits == 0 {
            return;
        }
        senders[to].0.store(0, Ordering::Relaxed);
        for from in (0..self.parts).filter(|from| bits >> (from % 64) & 1 == 1) {
            open(&things[from * self.parts + to].0).drain(..).for_each(|thing| take(from, thing));
        }
    }
}

/// The letterboxes of a process.
pub struct Exchange<'s> {
    boxes: Vec<&'s dyn Letters>,
    /// By process; empty between two meetings.
    letters: Vec<Vec<u8>>,
}

impl<'s> Exchange<'s> {
    /// These boxes, in an order that is the same in all of so many processes.
    pub fn new(boxes: Vec<&'s dyn Letters>, processes: usize) -> Self {
        Self { boxes, letters: vec![Vec::new(); processes] }
    }

    /// Meets the others: what was put into the boxes for them before can be taken out there. `words` as in
    /// [`Transport::meet`](crate::Transport::meet). `None` if another process is lost.
    pub fn meet(&mut self, gathering: &mut Gathering<'_>, words: &mut [u64]) -> Option<()> {
        let Self { boxes, letters } = self;
        if let Some(process) = boxes.iter().find_map(|letterbox| letterbox.unreadable()) {
            gathering.counts.lost.get_or_insert_with(|| Lost::unreadable(process));
            return None;
        }
        for (number, letterbox) in (0..).zip(&*boxes) {
            gathering.counts.mail += letterbox.write(number, letters);
        }
        gathering.meet(words, letters, |letter| read(boxes, letter))
    }
}

/// Puts what is in a letter into the boxes; `None` if it is not what these boxes have written.
fn read(boxes: &[&dyn Letters], letter: &[u8]) -> Option<()> {
    let mut rest = letter;
    while let Some((&number, behind)) = rest.split_first() {
        rest = boxes.get(usize::from(number))?.read(behind).ok()?;
    }
    Some(())
}

/// The parts of all processes have numbers one after the other: first those of process 0. Each process has as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    process: usize,
    processes: usize,
    threads: usize,
}

impl Division {
    /// Divides a model among so many processes with so many parts each, one for each thread; seen from one of them.
    ///
    /// # Panics
    /// When the process is not one of them, or has no part.
    pub fn new(process: usize, processes: usize, threads: usize) -> Self {
        assert!(process < processes && threads > 0, "process {process} of {processes} with {threads} parts");
        Self { process, processes, threads }
    }

    /// Number of processes.
    pub fn processes(self) -> usize {
        self.processes
    }

    /// Number of parts of each process.
    pub fn threads(self) -> usize {
        self.threads
    }

    /// Number of parts in all.
    pub fn parts(self) -> usize {
        self.processes * self.threads
    }

    /// The parts of this process.
    pub fn here(self) -> Range<usize> {
        self.of_process(self.process)
    }

    /// The parts of a process.
    pub fn of_process(self, process: usize) -> Range<usize> {
        process * self.threads..(process + 1) * self.threads
    }

    /// The place of a part among those of its process.
    pub fn local(self, part: usize) -> usize {
        part % self.threads
    }

    /// The process of a part.
    pub fn process_of(self, part: usize) -> usize {
        part / self.threads
    }

    /// Returns whether a part belongs to this process.
    pub fn is_here(self, part: usize) -> bool {
        self.process_of(part) == self.process
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OneProcess;

    /// Two processes of two parts; what the first one writes is in the other in the next turn, with what comes from there.
    #[test]
    fn things_cross_between_processes() {
        let [first, second] = [0, 1].map(|process| Letterbox::new(Division::new(process, 2, 2)));
        first.put(0, 1, 3, &mut vec!["a".to_owned(), "b".to_owned()]);
        first.put(0, 0, 3, &mut vec!["c".to_owned()]);
        first.put(0, 0, 1, &mut vec!["here".to_owned()]);
        second.put(0, 2, 3, &mut vec!["there".to_owned()]);
        let mut letters = vec![Vec::new(); 2];
        assert_eq!(first.write(7, &mut letters), 3);
        assert_eq!(second.write(7, &mut vec![Vec::new(); 2]), 0);
        assert!(letters[0].is_empty());
        let mut letter = letters[1].as_slice();
        while let Some((7, rest)) = letter.split_first() {
            letter = second.read(rest).expect("it is whole");
        }
        let take = |letterbox: &Letterbox<String>, turn, to| {
            let mut taken = Vec::new();
            letterbox.take(turn, to, |from, thing| taken.push((from, thing)));
            taken
        };
        let owned = |things: &[(usize, &str)]| {
            things.iter().map(|&(from, t)| (from, t.to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(take(&second, 1, 3), owned(&[(2, "there"), (0, "c"), (1, "a"), (1, "b")]));
        assert_eq!(take(&second, 2, 3), []);
        assert_eq!(take(&first, 1, 1), owned(&[(0, "here")]));
        // For a part of another process, and cut off.
        assert!(first.read(&letters[1][1..]).is_err());
        assert!(second.read(&letters[1][1..4]).is_err());
        assert!(second.read(&letters[1][1..18]).is_err());
        // Bytes that are no text: all that was before them is taken, and whose they are is noted.
        let mut damaged = letters[1].clone();
        *damaged.last_mut().expect("it is not empty") = 0xff;
        let mut letter = damaged.as_slice();
        while let Some((7, rest)) = letter.split_first() {
            letter = second.read(rest).expect("its bundles are whole");
        }
        assert_eq!((take(&second, 3, 3), second.unreadable()), (owned(&[(0, "c"), (1, "a")]), Some(0)));
        let mut transport = OneProcess;
        let mut gathering = Gathering::new(&mut transport);
        assert_eq!(Exchange::new(vec![&second], 2).meet(&mut gathering, &mut []), None);
        assert_eq!(gathering.counts.lost, Some(Lost::unreadable(0)));
    }

    /// More parts than there are bits: of senders with the same bit those come that have put something.
    #[test]
    fn mail_of_many_parts() {
        let mailbox = Mailbox::new(200);
        for from in [3, 67, 131, 199] {
            mailbox.put(4, from, 70, &mut vec![from]);
        }
        let mut taken = Vec::new();
        mailbox.take(5, 70, |from, thing| taken.push((from, thing)));
        assert_eq!(taken, [3, 67, 131, 199].map(|from| (from, from)));
        for to in [6, 70, 134] {
            mailbox.take(5, to, |from, _| panic!("{to} has got something of {from}"));
        }
    }

    #[test]
    fn mail_comes_in_the_next_turn() {
        let mailbox = Mailbox::new(2);
        mailbox.put(0, 1, 0, &mut vec!["a", "b"]);
        mailbox.put(0, 0, 0, &mut vec!["c"]);
        mailbox.put(1, 1, 0, &mut vec!["later"]);
        let take = |turn| {
            let mut taken = Vec::new();
            mailbox.take(turn, 0, |from, thing| taken.push((from, thing)));
            taken
        };
        assert_eq!(take(0), []);
        assert_eq!(take(1), [(0, "c"), (1, "a"), (1, "b")]);
        assert_eq!(take(2), [(1, "later")]);
        assert_eq!(take(3), []);
    }
}
