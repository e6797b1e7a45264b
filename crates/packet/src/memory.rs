//! A large piece of memory in few pages.
//!
//! A run touches its slots all over, so with pages of 4 KiB nearly every access would wait for the translation of its
//! address: on 65,536 nodes that is a fifth to a third of the time. So the system is asked for huge pages.

use memmap2::{MmapMut, MmapOptions};
use std::sync::atomic::AtomicU64;
use zerocopy::FromBytes;

/// Words, all zero in the beginning. What is never used is never taken from the system.
pub(crate) struct Memory(MmapMut);

impl Memory {
    /// So many words.
    ///
    /// # Panics
    /// When the system has no room for them.
    pub(crate) fn new(words: usize) -> Self {
        let bytes = (words * size_of::<u64>()).max(1);
        let memory = MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
        let memory = memory.expect("there is memory for the buffers of the machine");
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Self(memory)
    }

    pub(crate) fn words(&mut self) -> &[AtomicU64] {
        let count = self.0.len() / size_of::<u64>();
        let (words, _) = <[AtomicU64]>::mut_from_prefix_with_elems(&mut self.0, count)
            .expect("a page begins at a multiple of eight bytes");
        words
    }
}
