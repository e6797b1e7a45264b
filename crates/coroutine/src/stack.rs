//! Stacks: one reservation of address space for all, committed page by page as they are used.
//!
//! The kernel limits a process to 65,530 mappings, and a guard page splits a mapping in two. So guards are there up
//! to `MOST_GUARDED` stacks; beyond, an overflow is found when the rank next suspends, by a word at the end of its
//! stack that is no longer zero.

use crate::memory::{self, NO_FILE};
use corosensei::stack::{STACK_ALIGNMENT, StackPointer};
use std::io;
use std::ptr::{self, NonNull};
use std::rc::Rc;

/// With more stacks than this there are no guard pages between them.
pub(crate) const MOST_GUARDED: usize = 20_000;

/// Inaccessible bytes below each guarded stack. Programs compiled with `-fstack-clash-protection`, as `weir cc` does,
/// touch every page in between, so that none can step over it.
const GUARD: usize = 64 * 1024;

/// Bytes of address space for one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSize(pub usize);

impl StackSize {
    /// The default size for each of so many ranks: 8 MiB, as a process has, while all fit into
    /// 64 GiB of address space; at least 256 KiB. Only pages that are used take memory.
    pub fn default_for(ranks: usize) -> Self {
        let share = (64 << 30) / ranks.max(1);
        let power = if share.is_power_of_two() { share } else { share.next_power_of_two() / 2 };
        Self(power.clamp(256 << 10, 8 << 20))
    }
}

/// Address space for the stacks of all ranks.
#[derive(Debug)]
pub struct Arena {
    start: NonNull<u8>,
    length: usize,
    stride: usize,
    count: usize,
    guard: usize,
}

impl Arena {
    /// Reserves `count` stacks of at least `size` bytes. Takes no memory until they are used.
    ///
    /// # Errors
    /// When the kernel does not give the address space.
    pub fn new(count: usize, size: StackSize) -> io::Result<Rc<Self>> {
        let guard = if count <= MOST_GUARDED { GUARD } else { 0 };
        let page = 4096;
        let stride = size.0.max(16 * 1024).next_multiple_of(page) + guard;
        let length =
            stride.checked_mul(count.max(1)).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice.
        let start = unsafe { memory::map(0, length, libc::PROT_READ | libc::PROT_WRITE, flags, NO_FILE)? };
        let start = ptr::with_exposed_provenance_mut::<libc::c_void>(start);
        // Huge pages would commit 2 MiB for a rank that uses 8 KiB.
        // SAFETY: our own mapping.
        unsafe { libc::madvise(start, length, libc::MADV_NOHUGEPAGE) };
        let arena = Self {
            start: NonNull::new(start.cast()).expect("mmap gives no null"),
            length,
            stride,
            count: count.max(1),
            guard,
        };
        if guard > 0 {
            for index in 0..arena.count {
                // SAFETY: the lowest bytes of each stride belong to our own mapping and to no stack.
                unsafe { memory::protect(arena.bottom(index) as usize, guard, libc::PROT_NONE)? };
            }
        }
        Ok(Rc::new(arena))
    }

    /// Mappings that the kernel counts for so many stacks.
    pub(crate) fn mappings(count: usize) -> usize {
        if count <= MOST_GUARDED { 2 * count } else { 1 }
    }

    fn bottom(&self, index: usize) -> *mut u8 {
        // SAFETY: index < count, so the result stays inside the mapping.
        unsafe { self.start.as_ptr().add(index * self.stride) }
    }

    /// The stack with this number.
    ///
    /// # Panics
    /// When there is none. The caller uses each number for one coroutine at a time.
    pub(crate) fn stack(self: &Rc<Self>, index: usize) -> Stack {
        assert!(index < self.count, "stack {index} of {}", self.count);
        let bottom = self.bottom(index) as usize;
        // The tops of all stacks would fall into the same sets of the caches; 64 different offsets spread them.
        let stagger = index % 64 * 64;
        Stack { bottom, guard: self.guard, top: bottom + self.stride - stagger, _arena: Rc::clone(self) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: our own mapping; every stack holds the arena, so none is in use.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

pub(crate) struct Stack {
    bottom: usize,
    guard: usize,
    /// The address behind its first word.
    pub(crate) top: usize,
    _arena: Rc<Arena>,
}

impl Stack {
    /// The lowest word, if there is no guard: it is zero until somebody has written down to it.
    pub(crate) fn last_word(&self) -> Option<*const u64> {
        (self.guard == 0).then_some(self.bottom as *const u64)
    }

    /// The addresses of the guard below this stack; empty if it has none.
    pub(crate) fn guard_range(&self) -> (usize, usize) {
        (self.bottom, self.bottom + self.guard)
    }
}

// SAFETY: base and limit are the ends of a mapping that lives as long as the stack does. The trait asks for a guard
// page, which large arenas cannot have; there an overflow is found late, by `has_overflowed`, and ends the run.
unsafe impl corosensei::stack::Stack for Stack {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.top & !(STACK_ALIGNMENT - 1)).expect("not null")
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.bottom).expect("not null")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_share_the_address_space() {
        let kibibytes = |ranks| StackSize::default_for(ranks).0 >> 10;
        assert_eq!([0, 1, 8192, 8193, 16384, 16385].map(kibibytes), [8192, 8192, 8192, 4096, 4096, 2048]);
        assert_eq!([1 << 18, (1 << 18) + 1, 1 << 20].map(kibibytes), [256; 3]);
        assert_eq!([1, 20_000, 20_001].map(Arena::mappings), [2, 40_000, 1]);
    }
}
