//! A copy of a program's writable data for every rank, put in place when its turn comes.
//!
//! All ranks share the addresses of their globals. Before a rank runs, the data of the rank that ran before are saved and
//! its own are put in place. Small data are copied; large ones, whose copying would dominate, are pages of a file in
//! memory, and the rank's pages are mapped over the addresses.

use crate::memory;
use crate::object::{PAGE, Region};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Regions up to this size are copied, larger ones mapped. Saving one rank's 64 KiB and putting another's in place takes
/// about as long as mapping, which takes 2.5 us at any size and a fault for the pages touched.
pub(crate) const MOST_COPIED: usize = 64 * 1024;

/// The data of all ranks.
pub(crate) struct InPlace {
    copied: Vec<Region>,
    mapped: Vec<Mapped>,
    /// The content of the copied regions before `main`.
    template: Box<[u8]>,
    saved: Vec<Option<Box<[u8]>>>,
    in_place: Option<usize>,
    ranks: usize,
}

impl InPlace {
    /// Takes charge of these regions, as they are now, for so many ranks.
    ///
    /// # Safety
    /// They stay valid for reading and writing, and are used on this thread only.
    ///
    /// # Errors
    /// When the kernel gives no memory for large ones.
    pub(crate) unsafe fn new(regions: impl Iterator<Item = Region>, ranks: usize) -> io::Result<Self> {
        let mut copied: Vec<Region> = Vec::new();
        let mut mapped = Vec::new();
        for region in regions {
            if region.length <= MOST_COPIED {
                copied.push(region);
                continue;
            }
            let pages = region.start.next_multiple_of(PAGE)..(region.start + region.length) / PAGE * PAGE;
            let (head, tail) = (pages.start - region.start, region.start + region.length - pages.end);
            copied.push(Region { start: region.start, length: head });
            copied.push(Region { start: pages.end, length: tail });
            // SAFETY: whole pages of the program's own data.
            mapped.push(unsafe { Mapped::new(Region { start: pages.start, length: pages.len() }, ranks)? });
        }
        let copied = joined(copied);
        let mut template = vec![0; copied.iter().map(|region| region.length).sum()].into_boxed_slice();
        // SAFETY: the caller's promise.
        unsafe {
            save(&copied, &mut template);
            // It changes nothing; but a damaged file may have had the loader make these read-only, and that is to be found now.
            restore(&copied, &template);
        }
        Ok(Self { copied, mapped, template, saved: vec![None; ranks], in_place: None, ranks })
    }

    /// Bytes of one rank.
    pub(crate) fn bytes(&self) -> usize {
        self.template.len() + self.mapped.iter().map(|mapped| mapped.region.length).sum::<usize>()
    }

    /// Returns whether some of these bytes are another's while another rank's are in place.
    pub(crate) fn overlap(&self, start: usize, length: usize) -> bool {
        let mut regions = self.copied.iter().chain(self.mapped.iter().map(|mapped| &mapped.region));
        regions.any(|region| start < region.start + region.length && region.start < start + length)
    }

    /// Puts the data of this rank in place.
    ///
    /// # Panics
    /// When there is no such rank, or the kernel does not map its pages.
    pub(crate) fn activate(&mut self, rank: usize) {
        if self.in_place == Some(rank) || self.copied.is_empty() && self.mapped.is_empty() {
            return;
        }
        assert!(rank < self.ranks, "rank {rank} of {}", self.ranks);
        if let Some(before) = self.in_place.replace(rank) {
            let place = self.saved[before].get_or_insert_with(|| self.template.clone());
            // SAFETY: the regions are valid as long as the program is loaded, and no rank is running now.
            unsafe { save(&self.copied, place) };
        }
        let data = self.saved[rank].as_ref().unwrap_or(&self.template);
        // SAFETY: as above.
        unsafe { restore(&self.copied, data) };
        for mapped in &mut self.mapped {
            mapped.activate(rank);
        }
    }

    /// Puts in place what was there before `main`.
    pub(crate) fn reset(&mut self) {
        // SAFETY: as in `activate`.
        unsafe { restore(&self.copied, &self.template) };
        for mapped in &mut self.mapped {
            mapped.activate(self.ranks);
        }
        self.in_place = None;
    }
}

/// The same memory in as few regions as there are gaps.
fn joined(mut regions: Vec<Region>) -> Vec<Region> {
    regions.retain(|region| region.length > 0);
    regions.sort_unstable_by_key(|region| region.start);
    regions.dedup_by(|next, region| {
        let adjoins = region.start + region.length == next.start;
        if adjoins {
            region.length += next.length;
        }
        adjoins
    });
    regions
}

/// # Safety
/// The regions are readable, and as long together as `into`.
unsafe fn save(regions: &[Region], into: &mut [u8]) {
    let mut rest = into;
    for region in regions {
        let (part, after) = rest.split_at_mut(region.length);
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(region.start as *const u8, part.as_mut_ptr(), region.length) };
        rest = after;
    }
}

/// # Safety
/// The regions are writable, and as long together as `from`.
unsafe fn restore(regions: &[Region], from: &[u8]) {
    let mut rest = from;
    for region in regions {
        let (part, after) = rest.split_at(region.length);
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), region.start as *mut u8, region.length) };
        rest = after;
    }
}

/// Pages of globals that are too large to copy.
struct Mapped {
    region: Region,
    file: OwnedFd,
    /// The pages that are not all zero before `main`: offset and contents.
    template: Vec<(usize, Box<[u8]>)>,
    begun: Vec<bool>,
}

impl Mapped {
    /// # Safety
    /// The region is whole pages of a loaded program's data.
    unsafe fn new(region: Region, ranks: usize) -> io::Result<Self> {
        // SAFETY: the name is a C string.
        let file = unsafe { libc::memfd_create(c"weir-globals".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a file descriptor that is not used elsewhere.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        // One part more than there are ranks: none of them ever writes to it.
        let length = (region.length * (ranks + 1)) as libc::off_t;
        // SAFETY: our own file; it takes memory only where it is written.
        memory::done(unsafe { libc::ftruncate(file.as_raw_fd(), length) })?;
        // SAFETY: the caller's promise.
        let contents = unsafe { std::slice::from_raw_parts(region.start as *const u8, region.length) };
        let pages = contents.chunks(PAGE).enumerate().filter(|(_, page)| page.iter().any(|&byte| byte != 0));
        let template = pages.map(|(number, page)| (number * PAGE, page.into())).collect();
        Ok(Self { region, file, template, begun: vec![false; ranks + 1] })
    }

    fn activate(&mut self, rank: usize) {
        let offset = rank * self.region.length;
        if !std::mem::replace(&mut self.begun[rank], true) {
            for (place, page) in &self.template {
                let at = (offset + place) as libc::off_t;
                // SAFETY: a page of ours to a file of ours.
                let written =
                    unsafe { libc::pwrite(self.file.as_raw_fd(), page.as_ptr().cast(), page.len(), at) };
                assert_eq!(written, page.len() as isize, "no memory left for the globals of rank {rank}");
            }
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let Region { start, length } = self.region;
        // SAFETY: it replaces the pages of the program's data, which no rank is using now, by this rank's.
        let placed =
            unsafe { memory::map(start, length, protection, flags, (self.file.as_raw_fd(), offset)) };
        assert_eq!(placed.ok(), Some(start), "the kernel maps the globals of rank {rank}");
    }
}
