//! A program or library in memory, as the dynamic loader has put it there.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(crate) const PAGE: usize = 4096;

/// A stretch of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Region {
    /// The parts before and behind `hole`.
    pub(crate) fn without(self, hole: Self) -> [Self; 2] {
        let end = self.start + self.length;
        let hole_start = hole.start.clamp(self.start, end);
        let hole_end = (hole.start + hole.length).clamp(hole_start, end);
        [
            Self { start: self.start, length: hole_start - self.start },
            Self { start: hole_end, length: end - hole_end },
        ]
    }
}

#[derive(Clone)]
pub(crate) struct Object {
    /// The difference between its addresses and those in its file.
    pub(crate) base: usize,
    /// Its segments.
    pub(crate) headers: Vec<libc::Elf64_Phdr>,
    /// The number of its thread-local variables with the loader; 0 if it has none.
    pub(crate) tls_module: usize,
    name: CString,
}

impl Object {
    /// The object loaded from this file, and all that were loaded after it: its libraries, as far as they were not there.
    pub(crate) fn from_on(path: &Path) -> Vec<Self> {
        let path = path.as_os_str().as_bytes();
        Self::all().into_iter().skip_while(|object| object.name.as_bytes() != path).collect()
    }

    /// All objects in memory, in the order in which they were loaded.
    pub(crate) fn all() -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        // SAFETY: the callback gets the pointer it is given here, for the time of the call.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        found
    }

    /// Segments of a kind, in order of address.
    pub(crate) fn segments(&self, kind: u32) -> impl Iterator<Item = &libc::Elf64_Phdr> {
        self.headers.iter().filter(move |header| header.p_type == kind)
    }

    /// Where a segment is in memory.
    pub(crate) fn range(&self, header: &libc::Elf64_Phdr) -> Range<usize> {
        let start = self.base + header.p_vaddr as usize;
        start..start + header.p_memsz as usize
    }

    /// From the first to behind the last of its bytes.
    pub(crate) fn span(&self) -> Range<usize> {
        let ranges = || self.segments(libc::PT_LOAD).map(|header| self.range(header));
        let start = ranges().map(|range| range.start).min().unwrap_or(self.base);
        start..ranges().map(|range| range.end).max().unwrap_or(start)
    }

    /// The last name in its path.
    pub(crate) fn file_name(&self) -> String {
        let name = self.name.to_string_lossy();
        name.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Where its writable data are: what the loader has not made read-only after relocation, and this thread's copy of
    /// its thread-local variables.
    pub(crate) fn writable(&self) -> Vec<Region> {
        let mut found = Vec::new();
        let read_only = self.segments(libc::PT_GNU_RELRO).next().map(|header| self.range(header));
        for header in self.segments(libc::PT_LOAD).filter(|header| header.p_flags & libc::PF_W != 0) {
            let Range { mut start, end } = self.range(header);
            // The part made read-only stands at the beginning of the segment and ends on a page.
            if let Some(part) = &read_only
                && part.start <= start
                && part.end > start
            {
                start = part.end.next_multiple_of(PAGE).min(end).min(part.end.max(start));
            }
            if end > start {
                found.push(Region { start, length: end - start });
            }
        }
        found.extend(self.thread_locals());
        found
    }

    /// This thread's copy of its thread-local variables.
    pub(crate) fn thread_locals(&self) -> Option<Region> {
        let header = self.segments(libc::PT_TLS).find(|header| header.p_memsz > 0)?;
        let index = TlsIndex { module: self.tls_module, offset: 0 };
        // SAFETY: the module is loaded; the loader gives this thread its copy if it has none yet.
        let start = unsafe { __tls_get_addr(&raw const index) } as usize;
        Some(Region { start, length: header.p_memsz as usize })
    }
}

/// The argument that code passes to the loader to get the address of a thread-local variable.
#[repr(C)]
pub(crate) struct TlsIndex {
    pub(crate) module: usize,
    pub(crate) offset: usize,
}

unsafe extern "C" {
    pub(crate) fn __tls_get_addr(index: *const TlsIndex) -> *mut c_void;
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader gives a valid description of one object, and `found` is what `all` passed.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Vec<Object>>()) };
    if info.dlpi_name.is_null() || info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: names are C strings, and there are as many program headers as the loader says.
    let (name, headers) = unsafe {
        (CStr::from_ptr(info.dlpi_name), std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize))
    };
    found.push(Object {
        base: info.dlpi_addr as usize,
        headers: headers.to_vec(),
        tls_module: info.dlpi_tls_modid,
        name: name.to_owned(),
    });
    0
}
