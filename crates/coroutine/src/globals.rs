//! Globals of their own for all ranks of a loaded program.
//!
//! There are two ways. Small data are put [in place](crate::in_place) when a rank's turn comes: that is cheap, and there
//! may be any number of ranks. Programs with more data, and those that can make threads, whose globals must stay where they
//! are while other ranks run, get an [instance](crate::instance) for every rank.

use crate::crash::has_crashed;
use crate::image::Image;
use crate::in_place::{InPlace, MOST_COPIED};
use crate::instance::Instances;
use crate::object::{Object, Region};
use crate::program::{LoadedProgram, Threads};
use crate::stack::Arena;
use crate::thread_locals::{ThreadLocals, thread_pointer};
use std::fs;
use std::io;

/// The way in which ranks come to have globals of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Way {
    /// The best for the program.
    #[default]
    Fitting,
    /// At one address for all, put in place when a rank's turn comes.
    InPlace,
    /// In an instance of the program for each rank, where that is possible.
    Instances,
}

/// A program that some of the ranks run, and what of it they share.
#[derive(Clone, Copy)]
pub struct ProgramOfRanks<'a> {
    /// The program.
    pub program: &'a LoadedProgram,
    /// Number of ranks that run it.
    pub ranks: usize,
    /// A part of its data that all of them share: address and length.
    pub shared: (*mut u8, usize),
}

/// The globals of all ranks of loaded programs.
pub struct Globals {
    in_place: InPlace,
    /// The programs, in the order of the ranks that run them.
    programs: Vec<OfProgram>,
}

struct OfProgram {
    /// The first rank that runs it.
    first: usize,
    /// If it has some.
    instances: Option<(Instances, Shared)>,
    /// Why there are no instances.
    why_in_place: Option<String>,
    /// Thread-local variables that every rank has for itself and the loader has placed.
    fixed_locals: Vec<Region>,
}

/// Which ranks have an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shared {
    /// Each one of its own.
    No,
    /// All of them the same one, in which their globals are put in place.
    ByAll,
}

impl OfProgram {
    /// The number of the instance of a rank.
    #[inline]
    fn instance(&self, rank: usize) -> Option<(&Instances, usize)> {
        let (instances, shared) = self.instances.as_ref()?;
        Some((instances, if *shared == Shared::No { rank - self.first } else { 0 }))
    }
}

/// Mappings left for everything else: memory of the C library, files, threads.
const OTHER_MAPPINGS: usize = 4096;

impl Globals {
    /// Takes charge of the globals of programs, as they are now: nothing of them has run but what the loader runs. `more` are
    /// variables of libraries that every rank should have for itself: addresses and lengths.
    ///
    /// # Safety
    /// The programs stay loaded. What of them has no instance, and the variables of `more`, are used on this thread only, and
    /// valid for reading and writing.
    ///
    /// # Errors
    /// When the kernel gives no memory for them.
    pub unsafe fn new(
        programs: &[ProgramOfRanks<'_>],
        way: Way,
        more: &[(*mut u8, usize)],
    ) -> io::Result<Self> {
        let ranks = programs.iter().map(|program| program.ranks).sum();
        let mut in_place: Vec<Region> =
            more.iter().map(|&(start, length)| Region { start: start as usize, length }).collect();
        let openmp = programs.iter().find_map(|of| openmp_state(of.program));
        in_place.extend(openmp);
        let (mut made, mut first): (Vec<OfProgram>, usize) = (Vec::new(), 0);
        for (place, of) in programs.iter().enumerate() {
            let (instances, why_in_place) = match image(of, way, ranks) {
                Ok(image) => (Some((Instances::new(&image, of.ranks)?, Shared::No)), None),
                Err(why) => (None, Some(why)),
            };
            // The same file may stand here several times.
            let again = (0..place).any(|before| {
                programs[before].program.path() == of.program.path() && made[before].instances.is_none()
            });
            if instances.is_none() && !again {
                let shared = Region { start: of.shared.0 as usize, length: of.shared.1 };
                in_place.extend(of.program.writable().into_iter().flat_map(|region| region.without(shared)));
            }
            let own_locals = if instances.is_some() { None } else { of.program.thread_locals() };
            let fixed_locals = openmp.into_iter().chain(own_locals).collect();
            made.push(OfProgram { first, instances, why_in_place, fixed_locals });
            first += of.ranks;
        }
        // SAFETY: the caller's promise and the loader's word.
        let in_place = unsafe { InPlace::new(in_place.into_iter(), ranks)? };
        Ok(Self { in_place, programs: made })
    }

    /// The same for the ranks of one thread, while those of others run: they use nothing of the programs where the loader has put them, nor
    /// where another thread has them. A program with few globals has one instance for all of these ranks. `ranks` are those of all threads.
    ///
    /// # Safety
    /// The programs stay loaded, and make no threads. One thread at a time uses the ranks' globals.
    ///
    /// # Errors
    /// Why the programs cannot be had a second time.
    pub unsafe fn of_thread(programs: &[ProgramOfRanks<'_>], way: Way, ranks: usize) -> Result<Self, String> {
        if way == Way::InPlace {
            return Err("they are put in place, as was asked for".into());
        }
        let no_memory = |error: io::Error| format!("there is no memory: {error}");
        let (mut in_place, mut made, mut first) = (Vec::new(), Vec::new(), 0);
        for of in programs {
            let program = of.program;
            if program.thread_locals().is_some() {
                return Err("it has variables of threads".into());
            }
            let is_small =
                program.writable().iter().map(|region| region.length).sum::<usize>() <= MOST_COPIED;
            let shared = if way != Way::Instances && is_small { Shared::ByAll } else { Shared::No };
            let image = Image::of(program).map_err(|why| why.to_string())?;
            let count = if shared == Shared::ByAll { 1 } else { of.ranks };
            if shared == Shared::No {
                check_mappings(&image, ranks, ranks)?;
            }
            let instances = Instances::new(&image, count).map_err(no_memory)?;
            if shared == Shared::ByAll {
                let slots = Region { start: of.shared.0 as usize, length: of.shared.1 };
                let own = program.writable().into_iter().flat_map(|region| region.without(slots));
                in_place
                    .extend(own.map(|region| Region { start: instances.address(0, region.start), ..region }));
            }
            let instances = Some((instances, shared));
            made.push(OfProgram { first, instances, why_in_place: None, fixed_locals: Vec::new() });
            first += of.ranks;
        }
        // SAFETY: the data of new instances, and the caller's promise.
        let in_place = unsafe { InPlace::new(in_place.into_iter(), first) }.map_err(no_memory)?;
        Ok(Self { in_place, programs: made })
    }

    /// Bytes of globals of one rank of the first program.
    pub fn bytes(&self) -> usize {
        let of_instances = self.programs.first().and_then(|program| program.instances.as_ref());
        let own = of_instances.filter(|(_, shared)| *shared == Shared::No);
        self.in_place.bytes() + own.map_or(0, |(instances, _)| instances.own_bytes)
    }

    /// Where the instances of a program, by its place among those given, have what it has at this address, as it was loaded.
    pub fn addresses(&self, program: usize, loaded: usize) -> Vec<usize> {
        let instances = self.programs[program].instances.as_ref();
        let of = |(instances, _): &(Instances, Shared)| instances.addresses(loaded).collect();
        instances.map_or_else(Vec::new, of)
    }

    /// Which program a rank runs: its place among those given.
    #[inline]
    pub fn program_of(&self, rank: usize) -> usize {
        self.programs.iter().rposition(|program| program.first <= rank).unwrap_or_default()
    }

    /// Where this rank has what its program has at this address, as it was loaded: a global or a function.
    #[inline]
    pub fn address(&self, rank: usize, loaded: usize) -> usize {
        let instance = self.programs[self.program_of(rank)].instance(rank);
        instance.map_or(loaded, |(instances, number)| instances.address(number, loaded))
    }

    /// Why threads of a rank would see the globals of whichever rank is running; `None` if they see their own rank's.
    pub fn why_in_place(&self) -> Option<&str> {
        self.programs.iter().find_map(|program| program.why_in_place.as_deref())
    }

    /// The thread-local variables of this rank, whose globals are in place and which is suspended, for a thread of its own. On the
    /// ranks' thread.
    pub fn thread_locals(&self, rank: usize) -> ThreadLocals {
        let program = &self.programs[self.program_of(rank)];
        let own = program.instance(rank).and_then(|(instances, number)| instances.thread_locals(number));
        let fixed = program.fixed_locals.iter().map(|&Region { start, length }| {
            // SAFETY: this thread's own variables, which do not change now.
            let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, length) };
            (start.wrapping_sub(thread_pointer()), bytes.to_vec())
        });
        ThreadLocals { own, fixed: fixed.collect() }
    }

    /// Returns whether some of these bytes are another rank's while that one's globals are in place.
    pub fn overlap(&self, start: usize, length: usize) -> bool {
        self.in_place.overlap(start, length)
    }

    /// Makes the globals of this rank those that its code finds.
    ///
    /// # Panics
    /// When there is no such rank, or the kernel does not map its pages.
    #[inline]
    pub fn activate(&mut self, rank: usize) {
        self.in_place.activate(rank);
    }
}

impl Drop for Globals {
    fn drop(&mut self) {
        // Instances stay, as the program does. One without them may be run again.
        if self.programs.iter().all(|program| program.instances.is_none()) && !has_crashed() {
            self.in_place.reset();
        }
    }
}

/// The state that the runtime of OpenMP keeps for the thread that all ranks share, if the program uses it: teams, threads, settings. Every
/// rank has its own, for it may wait in MPI within a parallel region while others begin theirs.
fn openmp_state(program: &LoadedProgram) -> Option<Region> {
    const RUNTIMES: [&str; 3] = ["libgomp.so", "libomp.so", "libiomp5.so"];
    let is_runtime = |object: &Object| RUNTIMES.iter().any(|name| object.file_name().starts_with(name));
    let uses_runtime = program.threads() == Threads::OfLibraries;
    uses_runtime.then(Object::all)?.iter().find(|object| is_runtime(object))?.thread_locals()
}

/// The image of a program's instances, if it is to have some; else why it has none.
fn image(of: &ProgramOfRanks<'_>, way: Way, ranks: usize) -> Result<Image, String> {
    let program = of.program;
    let large = || program.writable().iter().map(|region| region.length).sum::<usize>() > MOST_COPIED;
    match way {
        Way::InPlace => return Err("they are put in place, as was asked for".into()),
        Way::Fitting if program.threads() == Threads::None && !large() => {
            return Err("they are few, and the program makes no threads".into());
        }
        Way::Fitting | Way::Instances => {}
    }
    let image = Image::of(program).map_err(|why| why.to_string())?;
    check_mappings(&image, of.ranks, ranks)?;
    Ok(image)
}

/// Refuses instances for so many ranks, of all that there are, if the kernel allows no mappings for them.
fn check_mappings(image: &Image, ranks: usize, all: usize) -> Result<(), String> {
    let (needed, free) = (image.mappings() * ranks, free_mappings(all));
    if needed > free {
        return Err(format!(
            "instances for {ranks} ranks take {needed} mappings, and the kernel allows {free} more"
        ));
    }
    Ok(())
}

/// Mappings that the kernel still allows this process when the stacks of so many ranks are there.
fn free_mappings(ranks: usize) -> usize {
    let most = fs::read_to_string("/proc/sys/vm/max_map_count").ok();
    let most = most.and_then(|text| text.trim().parse().ok()).unwrap_or(65_530);
    let now = fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count());
    let taken = now + Arena::mappings(ranks) + OTHER_MAPPINGS;
    usize::saturating_sub(most, taken)
}
