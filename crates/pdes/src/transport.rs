//! Transport between the processes of a run.

pub(crate) mod harness;

use crate::agreement::Agreement;
use std::sync::{Arc, Mutex, PoisonError};

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

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::harness::check;
    use super::*;

    #[test]
    fn letters_and_words_of_threads() {
        for processes in [1, 2, 3, 5] {
            let mut transports = ThreadAsProcess::several(processes);
            std::thread::scope(|scope| {
                for transport in &mut transports {
                    scope.spawn(move || {
                        assert_eq!(transport.processes(), processes);
                        check(transport);
                    });
                }
            });
        }
    }

    #[test]
    fn letters_and_words_of_one_process() {
        check(&mut OneProcess);
    }
}
