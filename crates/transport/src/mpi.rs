//! Processes that a launcher of MPI has started.
//!
//! # One meeting
//! Letters and words go in one round, without anybody knowing beforehand who writes to whom: the nonblocking consensus of
//! T. Hoefler, C. Siebert, A. Lumsdaine, "Scalable communication protocols for dynamic sparse data exchange", PPoPP 2010,
//! figure 5, with a reduction of the words in place of the barrier.
//!
//! ```text
//!   start to send each letter (MPI_Issend: done when its receiver takes it)
//!   until the reduction is done:
//!       take any letter that has come
//!       when all own letters are taken, start the reduction of the words
//! ```
//! When the reduction is done all processes have started it, so all letters have been taken, and this process has taken
//! all that are for it. It may be at the next meeting while others still wait for this one to be done, but not at the one
//! after it; so two tags are enough to keep the letters of meetings apart.

mod launcher;
mod library;

use crate::{Backoff, Error, Wait};
use launcher::Launcher;
use library::{Handle, Mpi, Status};
use std::ffi::c_int;
use std::marker::PhantomData;
use weir_pdes::{Lost, Transport};

/// Longer letters go in pieces: counts are numbers of 32 bits.
const PIECE: usize = 1 << 30;
/// Few looks at once, as each is a call of MPI that takes some tenths of a microsecond, and processes may share a core; then
/// about a millisecond of offering it to others.
const LOOKS: (u32, u32) = (10, 2_000);

/// One of several processes that a launcher of MPI has started, `mpirun` or `srun`, and that run a simulation together.
///
/// All calls are to be made by the thread that has joined.
///
/// # When it is dropped
/// Before [`MpiProcesses::finish`], by a panic or after an error for example, `MPI_Abort` ends all processes, this one too, so
/// that none waits for ever. What is to be said must have been said before.
#[derive(Debug)]
pub struct MpiProcesses {
    mpi: Mpi,
    communicator: Handle,
    process: usize,
    processes: usize,
    on_this_host: usize,
    /// The tag of the letters of the next meeting: its parity.
    tag: c_int,
    piece: usize,
    /// Memory that MPI reads or writes while a meeting goes on. It is kept here, so that it lives on if the meeting fails.
    flight: Flight,
    /// Why there is no further meeting.
    lost: Option<Lost>,
    finished: bool,
    /// MPI has been started for calls by one thread only.
    not_send: PhantomData<*const ()>,
}

#[derive(Debug, Default)]
struct Flight {
    /// By receiver.
    sent: Vec<Vec<u8>>,
    sends: Vec<Handle>,
    /// By sender.
    received: Vec<Vec<u8>>,
    brought: Vec<u64>,
    least: Vec<u64>,
}

impl MpiProcesses {
    /// Joins the other processes; `None` if no launcher of MPI has started this one, or this one alone.
    ///
    /// # Errors
    /// When no library of MPI is found, when the library is not the launcher's, or when it fails.
    pub fn join() -> Result<Option<Self>, Error> {
        let variable = |name: &str| std::env::var(name).ok();
        let Some(launcher) = Launcher::of_environment(variable) else { return Ok(None) };
        let mpi = Mpi::find(&launcher)?;
        let mut this = Self::begin(mpi).map_err(Error::Mpi)?;
        let known = this.processes;
        let started = launcher.processes.unwrap_or(known);
        if known == started && known > 1 {
            this.count_neighbors()?;
            return Ok(Some(this));
        }
        let library = this.mpi.name.clone();
        this.finish()?;
        if known == started {
            return Ok(None);
        }
        Err(Error::OtherMpi { launcher: launcher.name(), started, library, known })
    }

    /// Starts MPI, with a communicator of our own.
    fn begin(mpi: Mpi) -> Result<Self, String> {
        let mut provided = 0;
        let (count, texts) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: null stands for no arguments (MPI 4.1, section 11.2.1). A wrong library would have failed to load.
        let code = unsafe { (mpi.call.init_thread)(count, texts, mpi.flavor.funneled, &raw mut provided) };
        mpi.check("MPI_Init_thread", code)?;
        let mut this = Self {
            communicator: mpi.world,
            mpi,
            process: 0,
            processes: 0,
            on_this_host: 0,
            tag: 0,
            piece: PIECE,
            flight: Flight::default(),
            lost: None,
            finished: false,
            not_send: PhantomData,
        };
        // From here on what is dropped ends all.
        this.prepare()?;
        Ok(this)
    }

    /// Makes a communicator of our own, and asks it for the processes.
    fn prepare(&mut self) -> Result<(), String> {
        let mpi = &self.mpi;
        let mut communicator: Handle = 0;
        // SAFETY: MPI has been started, and the handle is as wide as the widest.
        mpi.check("MPI_Comm_dup", unsafe { (mpi.call.comm_dup)(mpi.world, &raw mut communicator) })?;
        self.communicator = communicator;
        // SAFETY: as above.
        let code = unsafe { (mpi.call.comm_set_errhandler)(communicator, mpi.errors_return) };
        mpi.check("MPI_Comm_set_errhandler", code)?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: as above.
        mpi.check("MPI_Comm_rank", unsafe { (mpi.call.comm_rank)(communicator, &raw mut rank) })?;
        // SAFETY: as above.
        mpi.check("MPI_Comm_size", unsafe { (mpi.call.comm_size)(communicator, &raw mut size) })?;
        (self.process, self.processes) = (rank as usize, size as usize);
        self.flight.sent.resize_with(self.processes, Vec::new);
        self.flight.received.resize_with(self.processes, Vec::new);
        Ok(())
    }

    /// Counts the processes that share the cores of this one: each brings the number of its own, the largest one for the others.
    fn count_neighbors(&mut self) -> Result<(), Error> {
        let own = launcher::own();
        let mut all = vec![u64::MAX; self.processes];
        all[self.process] = own;
        let mut letters = vec![Vec::new(); self.processes];
        self.meet(&mut all, &mut letters, &mut |_, _| ()).map_err(|lost| Error::Mpi(lost.why))?;
        self.on_this_host = all.into_iter().filter(|&other| other == own).count();
        Ok(())
    }

    /// For tests: letters longer than so many bytes go in pieces.
    #[doc(hidden)]
    #[must_use]
    pub fn with_pieces(mut self, bytes: usize) -> Self {
        self.piece = bytes.clamp(1, PIECE);
        self
    }

    /// The library of MPI that has been found.
    pub fn library(&self) -> &str {
        &self.mpi.name
    }

    /// Says that this process is done: all have come to the last meeting. Waits until all others say so.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn finish(mut self) -> Result<(), Error> {
        self.finished = true;
        // SAFETY: MPI has been started by this thread, and nothing is under way.
        let code = unsafe { (self.mpi.call.finalize)() };
        self.mpi.check("MPI_Finalize", code).map_err(Error::Mpi)
    }

    /// Starts to send all letters but that to this process itself.
    fn send(&mut self) -> Result<(), String> {
        let Self { mpi, communicator, flight, tag, piece, process, .. } = self;
        flight.sends.clear();
        for (to, letter) in flight.sent.iter().enumerate().filter(|&(to, _)| to != *process) {
            for part in letter.chunks(*piece) {
                let mut request: Handle = 0;
                let (start, count, to) = (part.as_ptr().cast(), part.len() as c_int, to as c_int);
                // SAFETY: the letter is left as it is until the request is done, or for ever if the meeting fails.
                let code = unsafe {
                    (mpi.call.issend)(start, count, mpi.byte, to, *tag, *communicator, &raw mut request)
                };
                mpi.check("MPI_Issend", code)?;
                flight.sends.push(request);
            }
        }
        Ok(())
    }

    /// Takes a letter that has come, or a piece of one; whether there was one.
    fn take(&mut self) -> Result<bool, String> {
        let Self { mpi, communicator, flight, tag, .. } = self;
        let (mut there, mut status) = (0, Status::default());
        // SAFETY: the status is large enough for all libraries.
        let code = unsafe {
            (mpi.call.iprobe)(mpi.flavor.any_source, *tag, *communicator, &raw mut there, status.pointer())
        };
        mpi.check("MPI_Iprobe", code)?;
        if there == 0 {
            return Ok(false);
        }
        let source = status.0[mpi.flavor.source];
        let mut count = 0;
        // SAFETY: the status is that of a message.
        let code = unsafe { (mpi.call.get_count)(status.pointer(), mpi.byte, &raw mut count) };
        mpi.check("MPI_Get_count", code)?;
        // Pieces of one sender come in order (MPI 4.1, section 3.5).
        let letter = &mut flight.received[source as usize];
        let before = letter.len();
        letter.resize(before + count as usize, 0);
        // SAFETY: there is room for `count` bytes. Only this thread takes messages, so it is the one looked at.
        let code = unsafe {
            let room = letter.as_mut_ptr().add(before).cast();
            (mpi.call.recv)(room, count, mpi.byte, source, *tag, *communicator, status.pointer())
        };
        mpi.check("MPI_Recv", code)?;
        Ok(true)
    }

    /// Starts to agree on the least words.
    fn agree(&mut self) -> Result<Handle, String> {
        let Self { mpi, communicator, flight, .. } = self;
        let mut request: Handle = 0;
        let (own, count) = (flight.brought.as_ptr().cast(), flight.brought.len() as c_int);
        let least = flight.least.as_mut_ptr().cast();
        // SAFETY: both lists are left as they are until the request is done, or for ever if the meeting fails.
        let code = unsafe {
            (mpi.call.iallreduce)(own, least, count, mpi.word, mpi.least, *communicator, &raw mut request)
        };
        mpi.check("MPI_Iallreduce", code)?;
        Ok(request)
    }

    /// Returns whether a request is done.
    fn is_done(mpi: &Mpi, request: &mut Handle) -> Result<bool, String> {
        let (mut done, mut status) = (0, Status::default());
        // SAFETY: it is a request that has been started, and has not been found done before.
        mpi.check("MPI_Test", unsafe { (mpi.call.test)(request, &raw mut done, status.pointer()) })?;
        Ok(done != 0)
    }

    /// Has letters and words of all processes go where they belong.
    fn exchange(&mut self) -> Result<(), String> {
        self.send()?;
        let mut agreement = None;
        let mut backoff = Backoff::new(LOOKS.0, LOOKS.1);
        loop {
            while self.take()? {
                backoff.renew();
            }
            if let Some(request) = &mut agreement {
                if Self::is_done(&self.mpi, request)? {
                    return Ok(());
                }
            } else {
                while let Some(send) = self.flight.sends.last_mut()
                    && Self::is_done(&self.mpi, send)?
                {
                    self.flight.sends.pop();
                }
                if self.flight.sends.is_empty() {
                    agreement = Some(self.agree()?);
                    continue;
                }
            }
            match backoff.next() {
                Wait::Spin => {}
                Wait::Yield => std::thread::yield_now(),
                Wait::Sleep(time) => std::thread::sleep(time),
            }
        }
    }
}

impl Transport for MpiProcesses {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn on_this_host(&self) -> usize {
        self.on_this_host
    }

    fn meet(
        &mut self,
        words: &mut [u64],
        letters: &mut [Vec<u8>],
        receive: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Lost> {
        assert_eq!(letters.len(), self.processes, "there is a letter for each process");
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let flight = &mut self.flight;
        flight.sent.iter_mut().zip(&mut *letters).for_each(|(sent, letter)| std::mem::swap(sent, letter));
        flight.brought.clear();
        flight.brought.extend_from_slice(words);
        if words.is_empty() {
            // A reduction of nothing would not wait for the others.
            flight.brought.push(0);
        }
        flight.least.resize(flight.brought.len(), 0);
        if let Err(why) = self.exchange() {
            let lost = Lost { process: None, why };
            self.lost = Some(lost.clone());
            return Err(lost);
        }
        let flight = &mut self.flight;
        words.copy_from_slice(&flight.least[..words.len()]);
        for from in 0..self.processes {
            let place = if from == self.process { &mut flight.sent } else { &mut flight.received };
            if !place[from].is_empty() {
                receive(from, &place[from]);
                place[from].clear();
            }
        }
        for (sent, letter) in flight.sent.iter_mut().zip(letters) {
            sent.clear();
            std::mem::swap(sent, letter);
        }
        self.tag = 1 - self.tag;
        Ok(())
    }
}

impl Drop for MpiProcesses {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // What MPI may still read and write lives to the end of the process, if that is not now.
        std::mem::forget(std::mem::take(&mut self.flight));
        // SAFETY: MPI has been started by this thread.
        unsafe { (self.mpi.call.abort)(self.communicator, 1) };
    }
}
