//! The parts of an instance of a program.
//!
//! An instance has the program's segments a second time, at other addresses: pages as they are in the file, and the words
//! that the loader and the constructors it ran have changed. These words are found by comparing the loaded program, of
//! which nothing else has run yet, with its file. Those that are addresses within the program move with it; by the
//! relocations that is known of all but those that constructors have written.

use crate::object::{Object, PAGE};
use crate::program::LoadedProgram;
use crate::relocation::{Holds, Tables};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Why a program cannot have instances.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsuitable {
    /// A library uses a symbol of the program, and would use that of no instance.
    #[error("its library {library} uses its symbol {symbol}")]
    UsedByLibrary { library: String, symbol: String },
    /// Its code expects thread-local variables at a fixed distance from the thread's pointer.
    #[error("it has thread-local variables of the initial-exec model")]
    FixedThreadLocals,
    /// The loader has done something to it that this crate does not know.
    #[error("it has relocations of an unknown kind")]
    Relocation,
    /// Its file cannot be read again.
    #[error("its file cannot be read again: {0}")]
    File(String),
}

/// A word of the image, at a distance from the image's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) offset: usize,
    pub(crate) value: Value,
}

/// The content of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The same in all instances.
    Fixed(usize),
    /// An address in the program as it was loaded; in an instance it is as far away as the instance.
    Moves(usize),
    /// The instance's own number for its thread-local variables.
    ThreadLocalModule,
    /// The function that finds thread-local variables of instances.
    ThreadLocalFinder,
}

/// Words by offset.
type FilledIn = BTreeMap<usize, Value>;

/// A segment: pages of the file, and then empty ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Distance of the first page from the image's beginning.
    pub(crate) offset: usize,
    /// Bytes of the file's pages.
    pub(crate) of_file: usize,
    /// Bytes of file up to which the last of these pages belongs to the segment; the rest is to be zero.
    pub(crate) data_end: usize,
    /// Bytes of all pages.
    pub(crate) length: usize,
    /// Where its pages are in the file.
    pub(crate) file_offset: u64,
    /// The protection, as `mmap` takes it.
    pub(crate) protection: i32,
}

pub(crate) struct Image {
    pub(crate) file: File,
    /// Where the loader has put the program.
    pub(crate) loaded: Range<usize>,
    pub(crate) alignment: usize,
    pub(crate) segments: Vec<Segment>,
    pub(crate) words: Vec<Word>,
    /// The part that is read-only once all words are filled in: whole pages, from the image's beginning.
    pub(crate) read_only: Option<Range<usize>>,
    /// Initial contents of thread-local variables, from the image's beginning: bytes that are given, all, and alignment.
    pub(crate) thread_locals: Option<(usize, usize, usize, usize)>,
    /// The table for unwinding, from the image's beginning.
    pub(crate) unwinding: Option<usize>,
}

impl Image {
    /// The image of a loaded program of which nothing has run but what the loader runs.
    pub(crate) fn of(program: &LoadedProgram) -> Result<Self, Unsuitable> {
        let objects = Object::from_on(program.path());
        let Some((object, libraries)) = objects.split_first() else { return Err(Unsuitable::Relocation) };
        let span = object.span();
        for library in libraries {
            let tables = Tables::of(library);
            let mut uses = tables.iter().flat_map(Tables::uses);
            if let Some(found) = uses.find(|found| span.contains(&found.address())) {
                let symbol = found.name.to_string_lossy().into_owned();
                return Err(Unsuitable::UsedByLibrary { library: library.file_name(), symbol });
            }
        }
        let file = File::open(program.path()).map_err(|error| Unsuitable::File(error.to_string()))?;
        let start = span.start / PAGE * PAGE;
        let loaded = start..span.end.next_multiple_of(PAGE);
        let alignments = object.segments(libc::PT_LOAD).map(|header| header.p_align as usize);
        let mut image = Self {
            file,
            alignment: alignments.max().unwrap_or(PAGE).max(PAGE),
            segments: segments(object, start),
            words: vec![],
            read_only: object.segments(libc::PT_GNU_RELRO).next().map(|header| {
                let range = object.range(header);
                (range.start - start) / PAGE * PAGE..(range.end - start) / PAGE * PAGE
            }),
            thread_locals: object.segments(libc::PT_TLS).next().map(|header| {
                let at = object.range(header).start - start;
                (at, header.p_filesz as usize, header.p_memsz as usize, header.p_align.max(1) as usize)
            }),
            unwinding: unwinding(object).map(|address| address - start),
            loaded,
        };
        let filled_in = image.filled_in(program, object)?;
        image.words = image.changed(&filled_in).map_err(|error| Unsuitable::File(error.to_string()))?;
        Ok(image)
    }

    /// Bytes of address space of an instance.
    pub(crate) fn length(&self) -> usize {
        self.loaded.len().next_multiple_of(self.alignment)
    }

    /// Mappings that the kernel counts for an instance.
    pub(crate) fn mappings(&self) -> usize {
        let of_segments =
            self.segments.iter().map(|segment| 1 + usize::from(segment.length > segment.of_file));
        let ends = self.segments.iter().map(|segment| segment.offset + segment.length);
        let next = self.segments.iter().skip(1).map(|segment| segment.offset).chain([self.length()]);
        let gaps = ends.zip(next).filter(|(end, next)| end < next).count();
        of_segments.sum::<usize>() + gaps + usize::from(self.read_only.is_some())
    }

    /// The words that the loader has filled in.
    fn filled_in(&self, program: &LoadedProgram, object: &Object) -> Result<FilledIn, Unsuitable> {
        let tables = Tables::of(object).ok_or(Unsuitable::Relocation)?;
        // What libgfortran has of this kind is never set: it belongs to input and output beside the program's own.
        let harmless = program.symbol("thread_unit").ok().zip(object.thread_locals());
        let harmless = harmless.map(|(address, all)| (address as usize).wrapping_sub(all.start) as i64);
        let mut words = BTreeMap::new();
        for word in tables.words() {
            let offset = self.offset_of_word(word.address).ok_or(Unsuitable::Relocation)?;
            // SAFETY: a word of a writable segment of the program.
            let value = unsafe { (word.address as *const usize).read_unaligned() };
            let value = match word.holds {
                Holds::Own => Value::Moves(value),
                Holds::Symbol { addend } => self.value(value, value.wrapping_sub(addend as usize)),
                Holds::ThreadLocalFinder => Value::ThreadLocalFinder,
                Holds::ThreadLocalModule if value == object.tls_module => Value::ThreadLocalModule,
                Holds::Number | Holds::ThreadLocalModule => Value::Fixed(value),
                Holds::FromThreadPointer { addend } if Some(addend) == harmless => Value::Fixed(value),
                Holds::FromThreadPointer { .. } => return Err(Unsuitable::FixedThreadLocals),
                Holds::Unknown => return Err(Unsuitable::Relocation),
            };
            words.insert(offset, value);
        }
        Ok(words)
    }

    /// The distance of a word of a writable segment from the image's beginning.
    fn offset_of_word(&self, address: usize) -> Option<usize> {
        let offset = address.checked_sub(self.loaded.start)?;
        let inside = |segment: &&Segment| {
            segment.protection & libc::PROT_WRITE != 0
                && offset >= segment.offset
                && offset + 8 <= segment.offset + segment.length
        };
        self.segments.iter().find(inside).map(|_| offset)
    }

    fn value(&self, value: usize, something: usize) -> Value {
        if self.loaded.contains(&something) { Value::Moves(value) } else { Value::Fixed(value) }
    }

    /// All words that are not as in the file.
    fn changed(&self, filled_in: &FilledIn) -> io::Result<Vec<Word>> {
        let mut words: Vec<Word> = filled_in.iter().map(|(&offset, &value)| Word { offset, value }).collect();
        let writable = |segment: &&Segment| segment.protection & libc::PROT_WRITE != 0;
        let mut page = [0; PAGE];
        for segment in self.segments.iter().filter(writable) {
            for start in (0..segment.length).step_by(PAGE) {
                page.fill(0);
                if start < segment.of_file {
                    let given = segment.data_end.saturating_sub(start).min(PAGE);
                    self.file.read_exact_at(&mut page[..given], segment.file_offset + start as u64)?;
                }
                let at = segment.offset + start;
                // SAFETY: a page of the loaded program.
                let now = unsafe { &*((self.loaded.start + at) as *const [u8; PAGE]) };
                if *now == page {
                    continue;
                }
                for (number, (now, before)) in now.chunks_exact(8).zip(page.chunks_exact(8)).enumerate() {
                    let offset = at + 8 * number;
                    // Words need not be aligned, so one that is filled in may begin up to 7 bytes before or behind.
                    let known = filled_in.range(offset.saturating_sub(7)..offset + 8).next().is_some();
                    if now != before && !known {
                        let value = usize::from_ne_bytes(now.try_into().unwrap_or_default());
                        words.push(Word { offset, value: self.value(value, value) });
                    }
                }
            }
        }
        words.sort_unstable_by_key(|word| word.offset);
        Ok(words)
    }
}

/// The segments of an object. Neighbors that only contain code and constants become one, for the kernel counts mappings.
fn segments(object: &Object, start: usize) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for next in object.segments(libc::PT_LOAD).map(|header| segment(object, header, start)) {
        let is_constant = |segment: &Segment| {
            segment.protection & libc::PROT_WRITE == 0
                && segment.length == segment.of_file
                && segment.length > 0
        };
        match segments.last_mut() {
            Some(last)
                if is_constant(last)
                    && is_constant(&next)
                    && next.offset == last.offset + last.length
                    && next.file_offset == last.file_offset + last.length as u64 =>
            {
                let data_end = last.length + next.data_end;
                let length = last.length + next.length;
                let protection = last.protection | next.protection;
                *last = Segment { of_file: length, data_end, length, protection, ..*last };
            }
            _ => segments.push(next),
        }
    }
    segments
}

fn segment(object: &Object, header: &libc::Elf64_Phdr, start: usize) -> Segment {
    let range = object.range(header);
    let first = range.start / PAGE * PAGE;
    let before = range.start - first;
    let protection =
        [(libc::PF_R, libc::PROT_READ), (libc::PF_W, libc::PROT_WRITE), (libc::PF_X, libc::PROT_EXEC)];
    let protection = protection.iter().filter(|(flag, _)| header.p_flags & flag != 0);
    let data_end = before + header.p_filesz as usize;
    Segment {
        offset: first - start,
        of_file: if header.p_filesz == 0 { 0 } else { data_end.next_multiple_of(PAGE) },
        data_end,
        length: (before + header.p_memsz as usize).next_multiple_of(PAGE),
        file_offset: header.p_offset - before as u64,
        protection: protection.fold(0, |all, (_, one)| all | one),
    }
}

/// Where the table for unwinding begins, as `.eh_frame_hdr` says: a distance from the word that says so.
fn unwinding(object: &Object) -> Option<usize> {
    const RELATIVE_4_BYTES: u8 = 0x1b;
    let header = object.range(object.segments(libc::PT_GNU_EH_FRAME).next()?);
    // SAFETY: a segment of the loaded program.
    let bytes = unsafe { &*(header.start as *const [u8; 8]) };
    let [1, RELATIVE_4_BYTES, _, _, a, b, c, d] = *bytes else { return None };
    (header.start + 4).checked_add_signed(i32::from_ne_bytes([a, b, c, d]) as isize)
}
