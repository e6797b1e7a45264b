//! A large piece of memory in few pages.
//!
//! A run touches its slots all over, so with pages of 4 KiB nearly every access would wait for the translation of its
//! address: on 65,536 nodes that is a fifth to a third of the time. So the system is asked for huge pages.

use memmap2::MmapMut;
use std::sync::atomic::AtomicU64;
use zerocopy::FromBytes;

/// What kind of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Huge ones where the system has them.
    Huge,
    /// Those that the system gives: where little will be used, huge ones would take much more memory than that.
    Usual,
}

/// Words, all zero in the beginning. What is never used is never taken from the system.
pub(crate) struct Memory(MmapMut);

impl Memory {
    /// So many words.
    ///
    /// # Panics
    /// When the system has no room for them.
    pub(crate) fn new(words: usize, pages: Pages) -> Self {
        let bytes = (words * size_of::<u64>()).max(1);
        let memory = MmapMut::map_anon(bytes).expect("there is memory for the buffers of the machine");
        #[cfg(target_os = "linux")]
        if pages == Pages::Huge {
            // Without them it works as well, only slower.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = pages;
        Self(memory)
    }

    pub(crate) fn words(&mut self) -> &[AtomicU64] {
        let count = self.0.len() / size_of::<u64>();
        let (words, _) = <[AtomicU64]>::mut_from_prefix_with_elems(&mut self.0, count)
            .expect("a page begins at a multiple of eight bytes");
        words
    }
}
