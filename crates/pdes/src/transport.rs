//! Transport between the processes of a run, and their meetings beside its windows: counted, and used to put together what each has.

pub(crate) mod harness;

use crate::agreement::Agreement;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Several processes that run one simulation together, seen from one of them. A process may be anything that shares no
/// memory with the others: a process of the same host, of another one, or, in tests, a thread.
pub trait Transport {
    /// The number of this process, below [`Self::processes`].
    fn process(&self) -> usize;

    /// Number of processes, at least 1.
    fn processes(&self) -> usize;

    /// Number of processes that share the cores of this host, at least 1.
    fn on_this_host(&self) -> usize {
        self.processes()
    }

    /// Meets all others once. Takes what is in `letters`, one for each process by its number, and leaves them empty, also the
    /// one for this process itself; passes each letter that is not empty to `receive` with the number of its sender, in ascending
    /// order of these; and replaces each of `words` by the least that a process has brought.
    ///
    /// All processes come to all meetings, with the same number of words each time. A process waits here for the others as
    /// long as it takes, with little use of its core after a while.
    ///
    /// # Errors
    /// When a process has been lost: no meeting after it takes place.
    fn meet(&mut self, words: &mut [u64], letters: &mut [Vec<u8>], receive: Receive<'_>) -> Result<(), Lost>;
}

/// Takes the letter of a process.
pub type Receive<'r> = &'r mut dyn FnMut(usize, &[u8]);

/// A process has ended before the run has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Which one, if that is known.
    pub process: Option<usize>,
    /// Reason, for people: "was ended by signal 9".
    pub why: String,
}

impl Lost {
    /// The loss of a process that has sent something which this one cannot read.
    pub fn unreadable(process: usize) -> Self {
        let why = "has sent something that this one cannot read; are all of the same build of weir?".into();
        Self { process: Some(process), why }
    }

    /// Consequence for a run of so many processes, in words.
    pub fn in_words(&self, processes: usize) -> String {
        let who = self
            .process
            .map_or("a process of the run".into(), |lost| format!("process {lost} of {processes}"));
        format!("{who} {}: the run has no result", self.why)
    }
}

/// The only process of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneProcess;

impl Transport for OneProcess {
    fn process(&self) -> usize {
        0
    }

    fn processes(&self) -> usize {
        1
    }

    fn meet(&mut self, _: &mut [u64], letters: &mut [Vec<u8>], receive: Receive<'_>) -> Result<(), Lost> {
        if let Some(letter) = letters.first_mut().filter(|letter| !letter.is_empty()) {
            receive(0, letter);
            letter.clear();
        }
        Ok(())
    }
}

/// A thread that stands for a process: for tests that have many processes in one.
#[derive(Clone, Debug)]
pub struct ThreadAsProcess {
    process: usize,
    meeting: u64,
    shared: Arc<Meetings>,
}

#[derive(Debug)]
struct Meetings {
    processes: usize,
    agreement: Agreement,
    /// By parity of the meeting, by sender, by receiver.
    letters: [Vec<Mutex<Vec<u8>>>; 2],
    /// By parity of the meeting: the least words so far, and how many have brought theirs.
    words: [Mutex<Vec<u64>>; 2],
}

impl ThreadAsProcess {
    /// Creates so many, each for a thread of its own.
    pub fn several(processes: usize) -> Vec<Self> {
        let letters = || (0..processes * processes).map(|_| Mutex::default()).collect();
        let shared = Arc::new(Meetings {
            processes,
            agreement: Agreement::new(processes),
            letters: [letters(), letters()],
            words: Default::default(),
        });
        (0..processes).map(|process| Self { process, meeting: 0, shared: Arc::clone(&shared) }).collect()
    }
}

impl Transport for ThreadAsProcess {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.shared.processes
    }

    fn meet(&mut self, words: &mut [u64], letters: &mut [Vec<u8>], receive: Receive<'_>) -> Result<(), Lost> {
        let Self { process, shared, .. } = self;
        let Meetings { processes, agreement, .. } = &**shared;
        let _guard = agreement.guard();
        let parity = (self.meeting % 2) as usize;
        let open = |from: usize, to: usize| {
            shared.letters[parity][from * processes + to].lock().unwrap_or_else(PoisonError::into_inner)
        };
        for (to, letter) in letters.iter_mut().enumerate() {
            std::mem::swap(&mut *open(*process, to), letter);
        }
        let least = || shared.words[parity].lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut least = least();
            if least.is_empty() {
                least.resize(words.len(), u64::MAX);
            }
            least.iter_mut().zip(&*words).for_each(|(least, word)| *least = (*least).min(*word));
        }
        agreement.least(2 * self.meeting, 0);
        words.iter_mut().zip(&*least()).for_each(|(word, least)| *word = *least);
        for from in 0..*processes {
            let mut letter = open(from, *process);
            if !letter.is_empty() {
                receive(from, &letter);
                letter.clear();
            }
        }
        // All have read the words before anybody brings those of another meeting.
        agreement.least(2 * self.meeting + 1, 0);
        if *process == 0 {
            least().clear();
        }
        self.meeting += 1;
        Ok(())
    }
}

/// Cost of a run over several processes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessCounts {
    /// Number of processes; the other counts are those of this one.
    pub processes: usize,
    /// Number of meetings between windows.
    pub meetings: u64,
    /// Things that it has sent to others: packets, credits, messages that set out or have been delivered, reports.
    pub mail: u64,
    /// Their bytes.
    pub mail_bytes: u64,
    /// Time in these meetings, on the clock on the wall: waiting for the others, most of all.
    pub waited: Duration,
    /// Whom it has lost.
    pub lost: Option<Lost>,
}

/// This process among those of a run. When another one is lost nothing is given or taken any more, and
/// [`ProcessCounts::lost`] says so.
pub struct Gathering<'t> {
    transport: &'t mut dyn Transport,
    /// Cost so far.
    pub counts: ProcessCounts,
}

impl<'t> Gathering<'t> {
    /// The processes of a transport.
    pub fn new(transport: &'t mut dyn Transport) -> Self {
        let counts = ProcessCounts { processes: transport.processes(), ..ProcessCounts::default() };
        Self { transport, counts }
    }

    /// Returns whether this is the first process.
    pub fn is_first(&self) -> bool {
        self.transport.process() == 0
    }

    /// A meeting between two windows, see [`Transport::meet`]. `read` takes a letter; `None` if it cannot.
    pub fn meet(
        &mut self,
        words: &mut [u64],
        letters: &mut [Vec<u8>],
        mut read: impl FnMut(&[u8]) -> Option<()>,
    ) -> Option<()> {
        let counts = &mut self.counts;
        counts.mail_bytes += letters.iter().map(|letter| letter.len() as u64).sum::<u64>();
        counts.meetings += 1;
        let started = Instant::now();
        let mut unreadable = None;
        let met = self.unless_lost(|transport| {
            transport.meet(words, letters, &mut |process, letter| {
                if read(letter).is_none() {
                    unreadable.get_or_insert_with(|| Lost::unreadable(process));
                }
            })
        });
        self.counts.waited += started.elapsed();
        if unreadable.is_some() {
            self.counts.lost = unreadable;
            return None;
        }
        met
    }

    /// Gives what all processes have to the first one, in their order; the others get nothing.
    pub fn gather<T: Serialize + DeserializeOwned>(&mut self, own: T) -> Option<Vec<T>> {
        let gathered = self.unless_lost(|transport| {
            let processes = transport.processes();
            if processes == 1 {
                return Ok(Some(vec![own]));
            }
            let mut letters = vec![Vec::new(); processes];
            if transport.process() > 0 {
                letters[0] = postcard::to_stdvec(&own).expect("memory takes all that is written");
            }
            let mut all = vec![Ok(own)];
            transport.meet(&mut [], &mut letters, &mut |process, letter| {
                all.push(postcard::from_bytes(letter).map_err(|_| Lost::unreadable(process)));
            })?;
            if transport.process() > 0 {
                Ok(None)
            } else {
                all.into_iter().collect::<Result<_, _>>().map(Some)
            }
        });
        gathered.flatten()
    }

    /// Joins the values of all processes, in the first process.
    pub fn join<T: Serialize + DeserializeOwned>(&mut self, own: T, by: impl FnMut(T, T) -> T) -> Option<T> {
        self.gather(own)?.into_iter().reduce(by)
    }

    /// Gives what the first process has to all others.
    ///
    /// # Panics
    /// When the first process has nothing, and has not lost another one.
    pub fn spread<T: Serialize + DeserializeOwned>(&mut self, of_first: Option<T>) -> Option<T> {
        self.unless_lost(|transport| {
            let processes = transport.processes();
            if processes == 1 {
                return Ok(of_first.expect("process 0 has what is spread"));
            }
            let mut letters = vec![Vec::new(); processes];
            if transport.process() == 0 {
                let own = of_first.as_ref().expect("process 0 has what is spread");
                let letter = postcard::to_stdvec(own).expect("memory takes all that is written");
                letters[1..].iter_mut().for_each(|place| place.clone_from(&letter));
            }
            let mut spread = of_first.map(Ok);
            transport.meet(&mut [], &mut letters, &mut |process, letter| {
                spread = Some(postcard::from_bytes(letter).map_err(|_| Lost::unreadable(process)));
            })?;
            spread.unwrap_or_else(|| Err(Lost::unreadable(0)))
        })
    }

    fn unless_lost<T>(&mut self, meet: impl FnOnce(&mut dyn Transport) -> Result<T, Lost>) -> Option<T> {
        if self.counts.lost.is_some() {
            return None;
        }
        meet(self.transport).map_err(|lost| self.counts.lost = Some(lost)).ok()
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::harness::check;
    use super::*;

    /// Has so many processes do something.
    fn each(processes: usize, work: impl Fn(&mut ThreadAsProcess) + Sync) {
        std::thread::scope(|scope| {
            for mut transport in ThreadAsProcess::several(processes) {
                let work = &work;
                scope.spawn(move || work(&mut transport));
            }
        });
    }

    #[test]
    fn letters_and_words_of_threads() {
        for processes in [1, 2, 3, 5] {
            each(processes, |transport| {
                assert_eq!((transport.processes(), transport.on_this_host()), (processes, processes));
                check(transport);
            });
        }
    }

    /// The first gets what all have, in their order, and all get what the first has.
    #[test]
    fn the_first_process_gathers_and_spreads() {
        for processes in [1, 2, 4] {
            each(processes, |transport| {
                let (own, is_first) = (transport.process(), transport.process() == 0);
                let mut gathering = Gathering::new(transport);
                assert_eq!(gathering.gather(own), is_first.then(|| (0..processes).collect()));
                let joined = (1..=processes).fold(0, |joined, next| 10 * joined + next);
                assert_eq!(gathering.join(own + 1, |a, b| 10 * a + b), is_first.then_some(joined));
                assert_eq!(gathering.spread(is_first.then(|| "all".to_owned())), Some("all".to_owned()));
                let mut letters = vec![vec![7; own]; processes];
                let mut taken = 0;
                let met = gathering.meet(&mut [], &mut letters, |letter| {
                    taken += letter.len();
                    Some(())
                });
                assert_eq!((met, taken), (Some(()), (0..processes).sum()));
                let ProcessCounts { meetings, mail_bytes, .. } = gathering.counts;
                assert_eq!(
                    (gathering.counts.processes, meetings, mail_bytes),
                    (processes, 1, (own * processes) as u64)
                );
            });
        }
    }

    /// Who gets what it cannot read says whose it was, and comes to no further meeting.
    #[test]
    fn who_cannot_be_read_is_lost() {
        each(3, |transport| {
            let own = transport.process();
            let mut gathering = Gathering::new(transport);
            let mut letters = vec![vec![own as u8]; 3];
            let met = gathering.meet(&mut [], &mut letters, |letter| (letter[0] == 0).then_some(()));
            assert_eq!((met, gathering.counts.lost.clone()), (None, Some(Lost::unreadable(1))));
            assert_eq!((gathering.gather(0), gathering.spread(Some(0))), (None, None));
            let words = Lost { process: None, why: "has gone".into() }.in_words(3);
            assert_eq!(words, "a process of the run has gone: the run has no result");
            assert!(Lost::unreadable(1).in_words(3).starts_with("process 1 of 3 has sent something"));
        });
        // Ten bytes of a number are not the beginning of a text as long as they say.
        each(2, |transport| {
            let own = transport.process();
            let mut gathering = Gathering::new(transport);
            let is_read = match own {
                0 => gathering.spread(Some(u64::MAX)).is_some(),
                _ => gathering.spread(None::<String>).is_some(),
            };
            assert_eq!(
                (is_read, gathering.counts.lost.clone()),
                (own == 0, (own == 1).then(|| Lost::unreadable(0)))
            );
        });
    }

    #[test]
    fn letters_and_words_of_one_process() {
        check(&mut OneProcess);
    }
}
