//! Instances of a program: one for each rank, each at an address of its own.
//!
//! Code and constants are pages of the program's file, which all instances share; data are an instance's own. So a rank's
//! globals are where the rank looks for them, whoever runs, and nothing has to be put in place.

use crate::image::{Image, Segment, Value, Word};
use crate::memory::{self, InstancePlaces, NO_FILE};
use crate::thread_locals::{self, Template};
use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr;

/// The instances of one program. They stay in memory to the end of the process.
pub(crate) struct Instances {
    /// The start of the first one.
    start: usize,
    stride: usize,
    count: usize,
    /// Where the loader has put the program.
    loaded: Range<usize>,
    /// Bytes that each has for itself, at most.
    pub(crate) own_bytes: usize,
    /// The number of the first one's thread-local variables, if they have such.
    first_locals: Option<usize>,
}

impl Instances {
    /// Makes so many instances.
    ///
    /// # Errors
    /// When the kernel gives no memory.
    pub(crate) fn new(image: &Image, count: usize) -> io::Result<Self> {
        let too_much = || io::Error::from(io::ErrorKind::OutOfMemory);
        let stride = image.length();
        let length = stride.checked_mul(count).and_then(|length| length.checked_add(image.alignment));
        let length = length.ok_or_else(too_much)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let reserved = unsafe { memory::map(0, length, libc::PROT_NONE, flags, NO_FILE)? };
        let own = image.segments.iter().filter(|segment| segment.protection & libc::PROT_WRITE != 0);
        let instances = Self {
            start: reserved.next_multiple_of(image.alignment),
            stride,
            count,
            loaded: image.loaded.clone(),
            own_bytes: own.map(|segment| segment.length).sum(),
            first_locals: image.thread_locals.map(|_| thread_locals::next_number()),
        };
        for number in 0..count {
            // SAFETY: the part of our reservation that is this instance's.
            unsafe { map(image, instances.start + number * stride)? };
        }
        if let Some(table) = image.unwinding {
            for number in 0..count {
                // SAFETY: the instance's own table, which ends as the compiler has ended it.
                unsafe { __register_frame((instances.start + number * stride + table) as *const c_void) };
            }
        }
        let all = instances.start..instances.start + stride * count;
        InstancePlaces { all, stride, loaded: image.loaded.start }.keep();
        Ok(instances)
    }

    /// Where an instance has what the loaded program has at this address, if that is part of the program.
    pub(crate) fn address(&self, number: usize, loaded: usize) -> usize {
        assert!(number < self.count, "instance {number} of {}", self.count);
        match loaded.checked_sub(self.loaded.start) {
            Some(offset) if self.loaded.contains(&loaded) => self.start + number * self.stride + offset,
            _ => loaded,
        }
    }

    /// Where each instance has what the loaded program has at this address.
    pub(crate) fn addresses(&self, loaded: usize) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |number| self.address(number, loaded))
    }

    /// The calling thread's copy of the thread-local variables of an instance, if it has one.
    pub(crate) fn thread_locals(&self, number: usize) -> Option<thread_locals::LocalsCopy> {
        thread_locals::copy_of(self.first_locals? + number)
    }
}

// Of the compiler's support library, whose job unwinding is.
unsafe extern "C" {
    fn __register_frame(table: *const c_void);
}

/// Makes an instance.
///
/// # Safety
/// From `start` on there is reserved address space for it.
unsafe fn map(image: &Image, start: usize) -> io::Result<()> {
    for segment in &image.segments {
        // SAFETY: the caller's promise.
        unsafe { map_segment(image, segment, start + segment.offset)? };
    }
    let module = image
        .thread_locals
        .and_then(|(at, given, all, alignment)| Template::leak(start + at, given, all, alignment));
    let moved = start.wrapping_sub(image.loaded.start);
    for &Word { offset, value } in &image.words {
        let value = match value {
            Value::Fixed(value) => value,
            Value::Moves(value) => value.wrapping_add(moved),
            Value::ThreadLocalModule => module.map_or(0, |module| ptr::from_ref(module) as usize),
            Value::ThreadLocalFinder => thread_locals::find as *const () as usize,
        };
        // SAFETY: the image has words in writable segments only.
        unsafe { ((start + offset) as *mut usize).write_unaligned(value) };
    }
    let read_only = image.read_only.clone().filter(|part| !part.is_empty());
    if let Some(part) = read_only {
        // SAFETY: pages of this instance.
        unsafe { memory::protect(start + part.start, part.len(), libc::PROT_READ)? };
    }
    Ok(())
}

/// # Safety
/// From `start` on there is reserved address space for the segment.
unsafe fn map_segment(image: &Image, segment: &Segment, start: usize) -> io::Result<()> {
    let Segment { of_file, data_end, length, file_offset, protection, .. } = *segment;
    let zeroes = libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    for (start, length, flags, file) in [
        (start, of_file, 0, (image.file.as_raw_fd(), file_offset as usize)),
        (start + of_file, length - of_file, zeroes, NO_FILE),
    ] {
        if length > 0 {
            let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | flags;
            // SAFETY: the caller's promise: these addresses are not in use.
            unsafe { memory::map(start, length, protection, flags, file)? };
        }
    }
    if protection & libc::PROT_WRITE != 0 && data_end < of_file {
        // SAFETY: the end of the last page of the file's.
        unsafe { ((start + data_end) as *mut u8).write_bytes(0, of_file - data_end) };
    }
    Ok(())
}
