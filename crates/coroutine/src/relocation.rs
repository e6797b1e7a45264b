//! The words of a program that the dynamic loader has filled in, and what they say.

use crate::memory;
use crate::object::{Object, PAGE};
use std::ffi::CStr;
use std::io;

/// A word that the loader has filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocated {
    /// Where it is.
    pub(crate) address: usize,
    pub(crate) holds: Holds,
}

/// Its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// An address in the program, if it was not loaded at 0: the loader's number for it.
    Own,
    /// The address of a symbol, and so many bytes more.
    Symbol { addend: i64 },
    /// The address of the function that finds thread-local variables.
    ThreadLocalFinder,
    /// The number of the module whose thread-local variable is meant.
    ThreadLocalModule,
    /// The distance of a thread-local variable from the thread's pointer, in every thread.
    FromThreadPointer { addend: i64 },
    /// A number that has nothing to do with addresses.
    Number,
    /// A kind that this crate does not know.
    Unknown,
}

const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_JMPREL: u64 = 23;
const DT_RELRSZ: u64 = 35;
const DT_RELR: u64 = 36;

/// Kinds of relocations (System V ABI, AMD64 supplement, table 4.9).
const NONE: u32 = 0;
const R_64: u32 = 1;
const GLOB_DAT: u32 = 6;
const JUMP_SLOT: u32 = 7;
const RELATIVE: u32 = 8;
const DTPMOD64: u32 = 16;
const DTPOFF64: u32 = 17;
const TPOFF64: u32 = 18;
const SIZE64: u32 = 33;
const IRELATIVE: u32 = 37;

#[repr(C)]
#[derive(Clone, Copy)]
struct Rela {
    offset: u64,
    info: u64,
    addend: i64,
}

/// The tables of an object in memory that say how it is connected to others.
pub(crate) struct Tables<'o> {
    object: &'o Object,
    symbols: usize,
    strings: usize,
    relocations: [(usize, usize); 2],
    packed: (usize, usize),
}

impl<'o> Tables<'o> {
    /// The tables of an object that the loader has loaded, and so found valid.
    pub(crate) fn of(object: &'o Object) -> Option<Self> {
        let dynamic = object.segments(libc::PT_DYNAMIC).next()?;
        let entries = object.range(dynamic);
        let (start, count) = (entries.start as *const [u64; 2], entries.len() / size_of::<[u64; 2]>());
        // SAFETY: the loader has read these entries before us.
        let entries = unsafe { std::slice::from_raw_parts(start, count) };
        let entries = || entries.iter().take_while(|entry| entry[0] != 0);
        let value = |tag| entries().find(|entry| entry[0] == tag).map_or(0, |entry| entry[1] as usize);
        // The loader has made addresses of some of these numbers, as it likes.
        let address = |tag| match value(tag) {
            0 => 0,
            number if number < object.base => object.base + number,
            address => address,
        };
        Some(Self {
            object,
            symbols: address(DT_SYMTAB),
            strings: address(DT_STRTAB),
            relocations: [(address(DT_RELA), value(DT_RELASZ)), (address(DT_JMPREL), value(DT_PLTRELSZ))],
            packed: (address(DT_RELR), value(DT_RELRSZ)),
        })
    }

    fn name(&self, symbol: u32) -> &CStr {
        if symbol == 0 || self.symbols == 0 {
            return c"";
        }
        let entry = (self.symbols as *const libc::Elf64_Sym).wrapping_add(symbol as usize);
        // SAFETY: the loader has looked up this symbol of the object before us.
        unsafe { CStr::from_ptr((self.strings + (*entry).st_name as usize) as *const _) }
    }

    fn entries(&self) -> impl Iterator<Item = &Rela> {
        let tables = self.relocations.into_iter().filter(|&(start, _)| start != 0);
        // SAFETY: the loader has carried these out, or will do so when a function is first called.
        let tables = tables.map(|(start, length)| unsafe {
            std::slice::from_raw_parts(start as *const Rela, length / size_of::<Rela>())
        });
        tables.flatten()
    }

    /// All words that the loader has filled in.
    pub(crate) fn words(&self) -> Vec<Relocated> {
        let mut words = Vec::new();
        for relocation in self.entries() {
            let address = self.object.base + relocation.offset as usize;
            words.extend(self.holds(relocation).map(|holds| Relocated { address, holds }));
        }
        self.for_each_packed(|address| words.push(Relocated { address, holds: Holds::Own }));
        words
    }

    fn holds(&self, &Rela { info, addend, .. }: &Rela) -> Option<Holds> {
        Some(match info as u32 {
            NONE => return None,
            RELATIVE => Holds::Own,
            GLOB_DAT | JUMP_SLOT if self.name((info >> 32) as u32) == c"__tls_get_addr" => {
                Holds::ThreadLocalFinder
            }
            GLOB_DAT | JUMP_SLOT | IRELATIVE => Holds::Symbol { addend: 0 },
            R_64 => Holds::Symbol { addend },
            DTPMOD64 => Holds::ThreadLocalModule,
            TPOFF64 => Holds::FromThreadPointer { addend },
            DTPOFF64 | SIZE64 => Holds::Number,
            _ => Holds::Unknown,
        })
    }

    /// The words of `DT_RELR`: an even entry is the address of one, an odd one has a bit for each of the next 63.
    fn for_each_packed(&self, mut each: impl FnMut(usize)) {
        let (start, length) = self.packed;
        if start == 0 {
            return;
        }
        // SAFETY: the loader has carried these out.
        let entries = unsafe { std::slice::from_raw_parts(start as *const u64, length / size_of::<u64>()) };
        let mut next = 0;
        for &entry in entries {
            if entry & 1 == 0 {
                let address = self.object.base + entry as usize;
                each(address);
                next = address + 8;
            } else {
                (0..63).filter(|bit| entry >> (bit + 1) & 1 == 1).for_each(|bit| each(next + 8 * bit));
                next += 63 * 8;
            }
        }
    }

    /// The words that hold addresses of symbols.
    pub(crate) fn uses(&self) -> impl Iterator<Item = Use<'_>> {
        let of_symbol = |relocation: &&Rela| {
            matches!(relocation.info as u32, R_64 | GLOB_DAT | JUMP_SLOT) && relocation.info >> 32 != 0
        };
        let read_only = self.object.segments(libc::PT_GNU_RELRO).next().map(|part| self.object.range(part));
        // The page in which it ends stays writable.
        let is_read_only = move |word| {
            read_only.as_ref().is_some_and(|part| part.start <= word && word < part.end / PAGE * PAGE)
        };
        self.entries().filter(of_symbol).map(move |relocation| {
            let word = self.object.base + relocation.offset as usize;
            Use { word, name: self.name((relocation.info >> 32) as u32), is_read_only: is_read_only(word) }
        })
    }
}

/// A word of an object in memory that holds the address of a symbol, and the symbol's name.
pub(crate) struct Use<'t> {
    word: usize,
    pub(crate) name: &'t CStr,
    /// Says whether the loader has made it read-only.
    is_read_only: bool,
}

impl Use<'_> {
    pub(crate) fn address(&self) -> usize {
        // SAFETY: a word that the loader has filled in.
        unsafe { (self.word as *const usize).read_unaligned() }
    }

    /// Has it hold another address.
    ///
    /// # Safety
    /// Who uses the symbol can use what is at that address instead.
    pub(crate) unsafe fn replace(&self, address: usize) -> io::Result<()> {
        let page = self.word / PAGE * PAGE;
        let length = (self.word + size_of::<usize>()).next_multiple_of(PAGE) - page;
        let protect = |protection| {
            // SAFETY: pages with words that the loader has filled in, which it may have made read-only after that.
            unsafe { memory::protect(page, length, protection) }
        };
        protect(libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: the word can be written now.
        unsafe { (self.word as *mut usize).write_unaligned(address) };
        if self.is_read_only { protect(libc::PROT_READ) } else { Ok(()) }
    }
}
