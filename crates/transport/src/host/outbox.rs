//! The bytes that a process writes for one meeting, and all others read.
//!
//! ```text
//!   word 0          how many words it brings
//!   words 1..       by number of the receiver: where its letter begins, and how many bytes it has
//!   after these     the words it brings
//!   bytes after it  the letters
//! ```
//! The file only grows. Who wrote and who reads never do so at the same time: [`super::control`] says why.

use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;

const WORD: usize = size_of::<u64>();
/// A new outbox has room for letters of so many bytes.
const ROOM: usize = 64 << 10;

/// An outbox, as far as this process has mapped it.
#[derive(Debug)]
pub(super) struct Outbox {
    file: File,
    map: MmapRaw,
    processes: usize,
}

impl Outbox {
    /// Makes a file of memory into an outbox.
    pub(super) fn create(file: File, processes: usize) -> io::Result<Self> {
        file.set_len((ROOM + (1 + 2 * processes) * WORD).next_multiple_of(4096) as u64)?;
        Self::open(file, processes)
    }

    /// An outbox that another process has made.
    pub(super) fn open(file: File, processes: usize) -> io::Result<Self> {
        let map = MmapOptions::new().map_raw(&file)?;
        let table = (1 + 2 * processes) * WORD;
        if map.len() < table {
            return Err(damaged());
        }
        Ok(Self { file, map, processes })
    }

    /// Where the words begin, in words.
    fn table(&self) -> usize {
        1 + 2 * self.processes
    }

    /// Writes what a process brings to a meeting, but for its letter to itself.
    pub(super) fn write(&mut self, own: usize, words: &[u64], letters: &[Vec<u8>]) -> io::Result<()> {
        let table = self.table();
        let mut end = (table + words.len()) * WORD;
        let letters_of_others = || letters.iter().enumerate().filter(|&(to, _)| to != own);
        let bytes = end + letters_of_others().map(|(_, letter)| letter.len()).sum::<usize>();
        if bytes > self.map.len() {
            self.file.set_len(bytes.next_power_of_two() as u64)?;
            self.map = MmapOptions::new().map_raw(&self.file)?;
        }
        let start = self.map.as_mut_ptr();
        // SAFETY: the map is at least `bytes` long and begins at a page. Until this process comes to its meeting no other
        // one reads the outbox, and this one has it alone by `&mut self`.
        let head = unsafe { std::slice::from_raw_parts_mut(start.cast::<u64>(), table + words.len()) };
        head[0] = words.len() as u64;
        head[table..].copy_from_slice(words);
        head[1..table].fill(0);
        for (to, letter) in letters_of_others() {
            head[1 + 2 * to..][..2].copy_from_slice(&[end as u64, letter.len() as u64]);
            // SAFETY: as above; the letters are no part of the map.
            unsafe { start.add(end).copy_from_nonoverlapping(letter.as_ptr(), letter.len()) };
            end += letter.len();
        }
        Ok(())
    }

    /// Some words of the beginning, as far as they are there.
    fn head(&mut self, from: usize, count: usize) -> io::Result<&[u64]> {
        self.reach(from, count.checked_mul(WORD), WORD)?;
        // SAFETY: `reach` has looked that the words are in the map, which begins at a page. After the meeting, and before
        // this process comes to the next one, the outbox is not written.
        Ok(unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<u64>().add(from), count) })
    }

    /// The words that its process has brought.
    pub(super) fn words(&mut self) -> io::Result<&[u64]> {
        let count = self.head(0, 1)?[0] as usize;
        self.head(self.table(), count)
    }

    pub(super) fn letter(&mut self, to: usize) -> io::Result<&[u8]> {
        let place = self.head(1 + 2 * to, 2)?;
        let (from, length) = (place[0] as usize, place[1] as usize);
        self.reach(from, Some(length), 1)?;
        // SAFETY: as in `head`.
        Ok(unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(from), length) })
    }

    /// Looks that bytes from some unit on are in the map, and maps the file anew if it has grown.
    fn reach(&mut self, from: usize, bytes: Option<usize>, unit: usize) -> io::Result<()> {
        let end = from.checked_mul(unit).zip(bytes).and_then(|(from, bytes)| from.checked_add(bytes));
        let end = end.ok_or_else(damaged)?;
        if end > self.map.len() {
            self.map = MmapOptions::new().map_raw(&self.file)?;
        }
        if end > self.map.len() { Err(damaged()) } else { Ok(()) }
    }
}

fn damaged() -> io::Error {
    io::Error::other("its letters are not where it says")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outbox_that_has_grown_is_read_by_one_who_mapped_it_before() {
        let file = tempfile::tempfile().unwrap();
        let mut own = Outbox::create(file.try_clone().unwrap(), 3).unwrap();
        let mut other = Outbox::open(file, 3).unwrap();
        for size in [0, 1, 70_000, 3, 5_000_000] {
            let letters = [vec![1; size], vec![2; size + 1], vec![3; 2 * size]];
            own.write(1, &[7, 8], &letters).unwrap();
            assert_eq!(other.words().unwrap(), [7, 8]);
            assert_eq!(other.letter(0).unwrap(), letters[0]);
            assert_eq!(other.letter(1).unwrap(), []);
            assert_eq!(other.letter(2).unwrap(), letters[2]);
        }
    }

    #[test]
    fn what_is_no_outbox_is_refused() {
        let file = tempfile::tempfile().unwrap();
        // A byte less than the table of three.
        file.set_len(55).unwrap();
        assert!(Outbox::open(file.try_clone().unwrap(), 3).is_err());
        let mut outbox = Outbox::create(file.try_clone().unwrap(), 3).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, &[0xff; 64], 0).unwrap();
        assert!(outbox.words().is_err());
        assert!(outbox.letter(1).is_err());
    }
}
