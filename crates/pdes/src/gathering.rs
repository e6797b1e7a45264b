//! Meetings of the processes of a run beside its windows: counted, and used to put together what each has.

use crate::{Lost, Transport};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::{Duration, Instant};

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
