//! Tasks of all ranks in a file without a name, on their way from whoever makes them to whoever carries them out: so that graphs
//! need no memory by their length. The file is gone with whoever reads it.

mod needs;

use needs::{Behind, Needs};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use weir_operations::{Task, Tasks};

/// Bytes that are kept before they are written.
const KEPT: usize = 32 << 20;

/// Bytes of all ranks together that are read ahead.
const READ_AHEAD: usize = 256 << 20;

/// Blocks of tasks of all ranks together of which it is kept what they wait for.
const MOST_BLOCKS: usize = 4 << 20;

/// Takes tasks: ranks in any order, the tasks of each in theirs.
pub(crate) struct Spool {
    file: File,
    end: u64,
    /// By rank: what is not written yet, and where the rest is.
    ranks: Vec<RankSpool>,
    kept: usize,
    tasks: u64,
    /// The most blocks of tasks of a rank of which it is kept what they wait for.
    blocks: usize,
}

#[derive(Clone, Default)]
struct RankSpool {
    kept: Vec<u8>,
    written: Vec<Piece>,
    needs: Needs,
}

/// Bytes of a rank in the file.
#[derive(Clone, Copy)]
struct Piece {
    at: u64,
    bytes: u64,
}

impl Spool {
    /// A spool for so many ranks.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub(crate) fn new(ranks: usize) -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        let blocks = (MOST_BLOCKS / ranks.max(1)).clamp(8, 2048);
        Ok(Self { file, end: 0, ranks: vec![RankSpool::default(); ranks], kept: 0, tasks: 0, blocks })
    }

    /// Adds a task behind those of its rank.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When there is no such rank.
    pub(crate) fn add(&mut self, rank: usize, task: &Task) -> io::Result<()> {
        let RankSpool { kept, needs, .. } = &mut self.ranks[rank];
        needs.add(task, self.blocks);
        let before = kept.len();
        let taken = std::mem::take(kept);
        *kept = postcard::to_extend(task, taken).map_err(io::Error::other)?;
        self.kept += kept.len() - before;
        self.tasks += 1;
        if self.kept >= KEPT { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        for rank in &mut self.ranks {
            let kept = std::mem::take(&mut rank.kept);
            if kept.is_empty() {
                continue;
            }
            self.file.write_all_at(&kept, self.end)?;
            let bytes = kept.len() as u64;
            match rank.written.last_mut() {
                Some(last) if last.at + last.bytes == self.end => last.bytes += bytes,
                _ => rank.written.push(Piece { at: self.end, bytes }),
            }
            self.end += bytes;
        }
        self.kept = 0;
        Ok(())
    }

    /// All tasks, from the first of each rank on. They can be read more than once: each reader begins anew.
    ///
    /// # Errors
    /// When what is kept cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<Spooled> {
        self.write()?;
        let ranks = self.ranks.into_iter().map(|rank| Stored {
            pieces: rank.written.into_boxed_slice(),
            needs: rank.needs.of_all_behind(),
        });
        // A list that is collected out of another one may keep the room of that one, which is larger.
        let ranks = ranks.collect::<Vec<_>>().into_boxed_slice();
        Ok(Spooled { file: self.file, ranks, tasks: self.tasks })
    }
}

/// Tasks of all ranks in a file.
pub struct Spooled {
    file: File,
    ranks: Box<[Stored]>,
    tasks: u64,
}

/// The tasks of a rank in the file.
struct Stored {
    pieces: Box<[Piece]>,
    /// The ends for which the tasks wait that are not read yet.
    needs: Behind,
}

impl std::fmt::Debug for Spooled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tasks of {} ranks", self.tasks, self.ranks.len())
    }
}

impl Spooled {
    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// Number of tasks.
    pub const fn len(&self) -> u64 {
        self.tasks
    }

    /// Returns whether there are no tasks.
    pub const fn is_empty(&self) -> bool {
        self.tasks == 0
    }

    /// Reads them, from the first of each rank on.
    pub fn tasks(self: std::sync::Arc<Self>) -> impl Tasks + Send {
        let cursors = self.ranks.iter().map(|_| Cursor::default()).collect();
        let block = (READ_AHEAD / self.ranks.len().max(1)).clamp(256, 64 << 10);
        Reader { spooled: self, cursors, block }
    }
}

struct Reader {
    spooled: std::sync::Arc<Spooled>,
    cursors: Vec<Cursor>,
    /// Bytes of a rank that are read at a time.
    block: usize,
}

/// Where the reader is in the pieces of a rank, and the bytes that it has read there.
#[derive(Default)]
struct Cursor {
    piece: u32,
    /// Bytes of the piece that were taken.
    taken: u64,
    block: Box<[u8]>,
    /// Where the next task begins in the block.
    next: usize,
    /// Number of tasks that were taken.
    tasks: u64,
}

impl Tasks for Reader {
    fn ranks(&self) -> usize {
        self.spooled.ranks.len()
    }

    fn next(&mut self, rank: usize) -> Result<Option<Task>, String> {
        let (file, pieces) = (&self.spooled.file, &self.spooled.ranks[rank].pieces);
        let cursor = &mut self.cursors[rank];
        loop {
            if let Ok((task, rest)) = postcard::take_from_bytes::<Task>(&cursor.block[cursor.next..])
                && cursor.next < cursor.block.len()
            {
                cursor.next = cursor.block.len() - rest.len();
                cursor.tasks += 1;
                return Ok(Some(task));
            }
            // The rest of the block is no whole task: the block that is read next begins with it.
            cursor.taken += cursor.next as u64;
            let Some(piece) = pieces.get(cursor.piece as usize) else {
                *cursor = Cursor { piece: cursor.piece, tasks: cursor.tasks, ..Cursor::default() };
                return Ok(None);
            };
            let left = piece.bytes - cursor.taken;
            if left == 0 {
                *cursor = Cursor { piece: cursor.piece + 1, tasks: cursor.tasks, ..Cursor::default() };
                continue;
            }
            let rest = cursor.block.len() - cursor.next;
            let bytes = left.min(self.block.max(2 * rest) as u64) as usize;
            if bytes == rest {
                return Err("the tasks in the temporary file are damaged".into());
            }
            let mut block = vec![0; bytes].into_boxed_slice();
            let read = file.read_exact_at(&mut block, piece.at + cursor.taken);
            read.map_err(|error| format!("the temporary file of the tasks cannot be read: {error}"))?;
            (cursor.block, cursor.next) = (block, 0);
        }
    }

    fn unread_wait_for(&self, rank: usize) -> Option<u64> {
        self.spooled.ranks[rank].needs.from(self.cursors[rank].tasks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use weir_operations::{Operation, Requires};
    use weir_units::Duration;

    /// Ranks take turns, and tasks may be longer than a block.
    #[test]
    fn tasks_come_back_in_their_order() {
        let task = |rank: u64, number: u64| Task {
            operation: Operation::Compute { time: Duration::from_ps(rank << 32 | number) },
            stream: (number % 3) as u32,
            requires: (number % 7 == 6).then(|| {
                let ended = (0..number % 5000).collect();
                Box::new(Requires { ended, begun: Box::default() })
            }),
        };
        let mut spool = Spool::new(3).unwrap();
        for number in 0..6000 {
            for rank in [0, 2] {
                spool.add(rank, &task(rank as u64, number)).unwrap();
                if number % 1000 == 0 {
                    spool.write().unwrap();
                }
            }
        }
        let spooled = Arc::new(spool.finish().unwrap());
        assert_eq!((spooled.len(), spooled.ranks(), spooled.is_empty()), (12_000, 3, false));
        for _ in 0..2 {
            let mut tasks = Arc::clone(&spooled).tasks();
            assert_eq!((tasks.ranks(), tasks.next(1)), (3, Ok(None)));
            for number in 0..6000 {
                for rank in [0, 2] {
                    // The task that comes next waits for the end of one before it, unless it waits for none.
                    let needs = tasks.unread_wait_for(rank);
                    assert!(needs.is_none_or(|from| from < number.max(1)), "{number}: {needs:?}");
                    assert_eq!(tasks.next(rank), Ok(Some(task(rank as u64, number))), "{number}");
                }
            }
            assert_eq!((tasks.next(0), tasks.next(2), tasks.next(2)), (Ok(None), Ok(None), Ok(None)));
        }
    }
}
