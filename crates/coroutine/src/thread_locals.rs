//! Thread-local variables of instances: a copy for each instance in every thread that asks for it.
//!
//! Code gets the address of such a variable from a function, to which it passes the number of its module. Instances pass
//! the address of a [`Template`], and the function is ours.

use crate::object::{__tls_get_addr, TlsIndex};
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The content of an instance's variables in a new thread.
pub(crate) struct Template {
    /// No other instance of this process has this number.
    number: usize,
    /// Where the first bytes come from, how many there are, and how many all are; the others are zero.
    start: usize,
    given: usize,
    layout: Layout,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Template {
    /// One that lives as long as the process: a thread may ask for it at any time. `None` if the alignment is impossible.
    pub(crate) fn leak(start: usize, given: usize, all: usize, alignment: usize) -> Option<&'static Self> {
        let layout = Layout::from_size_align(all.max(given).max(1), alignment).ok()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Some(Box::leak(Box::new(Self { number, start, given, layout })))
    }

    fn copy(&self) -> *mut u8 {
        // SAFETY: the size is not zero, and the template is in a living instance, which is what asks.
        unsafe {
            let copy = alloc(self.layout);
            if copy.is_null() {
                handle_alloc_error(self.layout);
            }
            std::ptr::copy_nonoverlapping(self.start as *const u8, copy, self.given);
            copy.add(self.given).write_bytes(0, self.layout.size() - self.given);
            copy
        }
    }
}

thread_local! {
    /// This thread's copies, by number of instance. They stay when the thread ends: destructors of what is in them may run
    /// later.
    static COPIES: RefCell<Vec<*mut u8>> = const { RefCell::new(Vec::new()) };
}

/// A thread's copy of the variables of one instance.
pub(crate) struct LocalsCopy {
    number: usize,
    at: *mut u8,
}

/// This thread's copy of the variables of the instance with this number, if it has one.
pub(crate) fn copy_of(number: usize) -> Option<LocalsCopy> {
    let at = COPIES.with_borrow(|copies| copies.get(number).copied()).filter(|at| !at.is_null())?;
    Some(LocalsCopy { number, at })
}

/// From now on this thread has a copy that another one has had.
fn take_over(copy: LocalsCopy) {
    COPIES.with_borrow_mut(|copies| *place_of(copies, copy.number) = copy.at);
}

fn place_of(copies: &mut Vec<*mut u8>, number: usize) -> &mut *mut u8 {
    if copies.len() <= number {
        copies.resize(number + 1, std::ptr::null_mut());
    }
    &mut copies[number]
}

/// Thread-local variables of one rank on the ranks' thread: they go with it.
#[derive(Default)]
pub struct ThreadLocals {
    /// The copy of its instance's variables.
    pub(crate) own: Option<LocalsCopy>,
    /// Others, where the loader gives each thread a place at a fixed distance from its pointer: that distance, and the contents.
    pub(crate) fixed: Vec<(usize, Vec<u8>)>,
}

/// The thread's pointer of the kernel and the C library.
pub(crate) fn thread_pointer() -> usize {
    // SAFETY: a question about this thread; on x86-64 this is the pointer itself.
    (unsafe { libc::pthread_self() }) as usize
}

impl ThreadLocals {
    pub(crate) fn put_in_place(self) {
        if let Some(own) = self.own {
            take_over(own);
        }
        for (distance, bytes) in self.fixed {
            let place = thread_pointer().wrapping_add(distance) as *mut u8;
            // SAFETY: the loader has given every thread the same places.
            unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
}

/// Number of instances that have had variables so far: the number of the next one.
pub(crate) fn next_number() -> usize {
    NEXT.load(Ordering::Relaxed)
}

/// Modules have numbers of their own, the loader's, which are small.
const MOST_MODULES: usize = 1 << 20;

/// In place of `__tls_get_addr` in instances.
pub(crate) extern "C" fn find(index: *const TlsIndex) -> *mut c_void {
    // SAFETY: the program passes a pair of its own.
    let TlsIndex { module, offset } = unsafe { index.read() };
    if module < MOST_MODULES {
        // A library's variable.
        // SAFETY: as the program would have called it.
        return unsafe { __tls_get_addr(index) };
    }
    // SAFETY: no module of the loader's, so one of ours, which lives for ever.
    let template = unsafe { &*(module as *const Template) };
    let copy = COPIES.try_with(|copies| {
        let mut copies = copies.borrow_mut();
        let place = place_of(&mut copies, template.number);
        if place.is_null() {
            *place = template.copy();
        }
        *place
    });
    // A thread that has nearly ended asks again for what it has had.
    copy.unwrap_or_else(|_| template.copy()).wrapping_add(offset).cast()
}
