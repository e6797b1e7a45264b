//! The host's files, and what the ranks that have opened one together share of it.

use super::mistake;
use crate::mpi::prelude::*;
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use weir_message::FileMistake;
use weir_message::storage::{Storage, StorageModel};
use weir_units::{Rank, Time};

/// A collective opening: the context of its communicator, and its first member (those of one rank may have one context).
pub(super) type OpeningKey = (u64, Rank);

/// Result of an opening, until all ranks know it.
struct Opening {
    outcome: Result<Rc<SharedFile>>,
    left: usize,
}

/// Files that the ranks of a run open, and the disks they lie on.
pub(super) struct HostFiles {
    openings: BTreeMap<OpeningKey, Opening>,
    storage: Option<Storage>,
    /// All files ever opened, in the order of their first opening: so they are dealt out to the servers.
    known: BTreeMap<PathBuf, usize>,
}

impl World {
    pub(super) fn files(&self) -> RefMut<'_, HostFiles> {
        self.shared(|options| HostFiles::new(options.storage.clone()))
    }
}

impl HostFiles {
    fn new(model: Option<StorageModel>) -> Self {
        Self { openings: BTreeMap::new(), storage: model.map(Storage::new), known: BTreeMap::new() }
    }

    /// Opens a file for all `members` of a communicator: the first that calls it does, the others get the same. `apart` is the
    /// folder of the run, for ranks that are processes.
    pub(super) fn open(
        &mut self,
        key: OpeningKey,
        members: usize,
        path: &Path,
        mode: c_int,
        apart: Option<&Path>,
    ) -> Result<Rc<SharedFile>> {
        if let Some(folder) = apart.filter(|_| members > 1) {
            let place = folder.join(format!("{}-{}", key.0, key.1));
            return SharedFile::open_apart(&place, members, path, mode).map(Rc::new);
        }
        let Some(opening) = self.openings.get_mut(&key) else {
            let outcome = SharedFile::open(path, mode, members).map(|mut file| {
                let number = self.known.len();
                file.number = *self.known.entry(file.path.clone()).or_insert(number);
                Rc::new(file)
            });
            if members > 1 {
                let opening = Opening { outcome: outcome.clone(), left: members - 1 };
                self.openings.insert(key, opening);
            }
            return outcome;
        };
        opening.left -= 1;
        let outcome = opening.outcome.clone();
        if opening.left == 0 {
            self.openings.remove(&key);
        }
        outcome
    }

    /// When an access to these bytes that begins now is over.
    pub(super) fn access(&mut self, now: Time, file: &SharedFile, ranges: &[(u64, u64)]) -> Time {
        match &mut self.storage {
            Some(storage) => storage.access(now, file.number, ranges.iter().copied()),
            None => now,
        }
    }
}

pub(super) struct SharedFile {
    file: File,
    path: PathBuf,
    number: usize,
    common: Kept,
}

/// The ranks of an open file share this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Common {
    pub(super) length_at_first: u64,
    /// The shared file pointer, in elementary types.
    pub(super) pointer: i64,
    /// For accesses in rank order: how many elementary types each rank asks for, and then where each begins.
    pub(super) requested: Vec<i64>,
    pub(super) offsets: Vec<i64>,
    /// The last time that all ranks came together, and what came of it.
    turn: (u64, Done),
}

enum Kept {
    Here(RefCell<Common>),
    /// In a file of the run, which has an [`OpeningApart`] in it: for ranks that are processes, of which one runs at a time.
    Apart(File),
}

/// A collective opening by ranks that are processes, and what they share of the file.
#[derive(Serialize, Deserialize)]
struct OpeningApart {
    outcome: Result<Common>,
    left: usize,
    /// The file of the first rank. By name another rank may find another file, or none.
    path: PathBuf,
    process: u32,
    descriptor: c_int,
}

impl OpeningApart {
    fn read(kept: &File) -> io::Result<Self> {
        let mut bytes = vec![0; kept.metadata()?.len() as usize];
        kept.read_exact_at(&mut bytes, 0)?;
        postcard::from_bytes(&bytes).map_err(io::Error::other)
    }

    fn write(&self, kept: &File) -> io::Result<()> {
        let bytes = postcard::to_allocvec(self).map_err(io::Error::other)?;
        kept.write_all_at(&bytes, 0)?;
        kept.set_len(bytes.len() as u64)
    }
}

impl SharedFile {
    fn open(path: &Path, mode: c_int, members: usize) -> Result<Self> {
        let has = |bit| mode & bit != 0;
        let mut options = OpenOptions::new();
        options.read(!has(MPI_MODE_WRONLY)).write(!has(MPI_MODE_RDONLY));
        if has(MPI_MODE_CREATE) {
            options.create(!has(MPI_MODE_EXCL)).create_new(has(MPI_MODE_EXCL));
        }
        let opened = options.open(path).and_then(|file| {
            let metadata = file.metadata()?;
            // A folder can be opened to be read, but there is nothing to read in it.
            if metadata.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { Ok((file, metadata.len())) }
        });
        let (file, length) = opened.map_err(|error| of_host(path, &error))?;
        let common = Common {
            length_at_first: length,
            pointer: if has(MPI_MODE_APPEND) { length as i64 } else { 0 },
            requested: vec![0; members],
            offsets: Vec::new(),
            turn: (0, Ok(())),
        };
        Ok(Self {
            file,
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            number: 0,
            common: Kept::Here(RefCell::new(common)),
        })
    }

    /// Opens a file as one of `members` that are processes. The first that comes here makes it, and leaves at `place` what came of
    /// it; the others open what is there.
    fn open_apart(place: &Path, members: usize, path: &Path, mode: c_int) -> Result<Self> {
        let of_place = |error: io::Error| of_host(place, &error);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        match options.clone().create_new(true).open(place) {
            Ok(kept) => {
                let opened = Self::open(path, mode, members);
                let (outcome, path, descriptor) = match &opened {
                    Ok(file) => {
                        (file.common(|common| common.clone()), file.path.clone(), file.file.as_raw_fd())
                    }
                    Err(error) => (Err(error.clone()), PathBuf::new(), -1),
                };
                let (left, process) = (members - 1, std::process::id());
                let opening = OpeningApart { outcome, left, path, process, descriptor };
                opening.write(&kept).map_err(of_place)?;
                Ok(Self { common: Kept::Apart(kept), ..opened? })
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let kept = options.open(place).map_err(of_place)?;
                let mut opening = OpeningApart::read(&kept).map_err(of_place)?;
                opening.left -= 1;
                opening.write(&kept).map_err(of_place)?;
                if opening.left == 0 {
                    std::fs::remove_file(place).map_err(of_place)?;
                }
                opening.outcome?;
                let path = PathBuf::from(format!("/proc/{}/fd/{}", opening.process, opening.descriptor));
                let opened = Self::open(&path, mode & !(MPI_MODE_CREATE | MPI_MODE_EXCL), members)?;
                Ok(Self { common: Kept::Apart(kept), path: opening.path, ..opened })
            }
            Err(error) => Err(of_place(error)),
        }
    }

    /// Looks at what its ranks share, or changes it.
    pub(super) fn common<T>(&self, body: impl FnOnce(&mut Common) -> T) -> Result<T> {
        match &self.common {
            Kept::Here(common) => Ok(body(&mut common.borrow_mut())),
            Kept::Apart(kept) => {
                let mut opening = self.checked(OpeningApart::read(kept))?;
                let result = body(opening.outcome.as_mut().map_err(|error| error.clone())?);
                self.checked(opening.write(kept))?;
                Ok(result)
            }
        }
    }

    /// The shared file pointer, in elementary types.
    pub(super) fn pointer(&self) -> Result<i64> {
        self.common(|common| common.pointer)
    }

    pub(super) fn set_pointer(&self, to: i64) -> Done {
        self.common(|common| common.pointer = to)
    }

    /// Does what the first rank that comes does for all, in turn number `turn`; the others get the same result.
    pub(super) fn once(&self, turn: u64, action: impl FnOnce(&Self) -> Done) -> Done {
        let (last, outcome) = self.common(|common| common.turn.clone())?;
        if last >= turn {
            return outcome;
        }
        let outcome = action(self);
        self.common(|common| common.turn = (turn, outcome.clone()))?;
        outcome
    }

    /// Says which file a mistake of the host concerns.
    pub(super) fn checked<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| of_host(&self.path, &error))
    }

    pub(super) fn length(&self) -> Result<u64> {
        self.checked(self.file.metadata().map(|metadata| metadata.len()))
    }

    pub(super) fn set_length(&self, bytes: u64) -> Done {
        self.checked(self.file.set_len(bytes))
    }

    pub(super) fn delete(&self) -> Done {
        self.checked(std::fs::remove_file(&self.path))
    }

    pub(super) fn write(&self, at: u64, data: &[u8]) -> Done {
        self.checked(self.file.write_all_at(data, at))
    }

    /// Reads what is at a place; less than there is room for only at the end of the file.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        while done < into.len() {
            match self.file.read_at(&mut into[done..], at + done as u64) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(of_host(&self.path, &error)),
            }
        }
        Ok(done)
    }
}

pub(super) fn of_host(path: &Path, error: &io::Error) -> MpiError {
    mistake(FileMistake::of_host(error), format!("{}: {error}", path.display()))
}
