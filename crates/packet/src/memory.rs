//! A large piece of memory in few pages.
//!
//! A run touches its slots all over, so with pages of 4 KiB nearly every access would wait for the translation of its
//! address: on 65,536 nodes that is a fifth to a third of the time. So the system is asked for huge pages.

use memmap2::{MmapMut, MmapOptions};
use std::sync::atomic::AtomicU64;
use zerocopy::{FromBytes, IntoBytes};

/// Words, all zero in the beginning. What is never used is never taken from the system.
pub(crate) enum Memory {
    Pages(MmapMut),
    /// Where the system gives no pages.
    Words(Vec<u64>),
}

impl Memory {
    /// Reserves so many words. Where the system has no room for them, the allocator is asked: it ends the process as for anything
    /// else that there is no memory for.
    pub(crate) fn new(words: usize) -> Self {
        let bytes = (words * size_of::<u64>()).max(1);
        let Ok(memory) = MmapOptions::new().len(bytes).no_reserve_swap().map_anon() else {
            return Self::Words(vec![0; words]);
        };
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Self::Pages(memory)
    }

    pub(crate) fn words(&mut self) -> &[AtomicU64] {
        let bytes = match self {
            Self::Pages(pages) => &mut pages[..],
            Self::Words(words) => words.as_mut_bytes(),
        };
        let count = bytes.len() / size_of::<u64>();
        let (words, _) = <[AtomicU64]>::mut_from_prefix_with_elems(bytes, count)
            .expect("pages and words begin at a multiple of eight bytes");
        words
    }
}
