//! Asks for memory before it is needed.

/// Asks the processor to bring what a place holds nearer. Does nothing where the processor cannot be asked, or when there
/// is no such place.
#[inline(always)]
pub(crate) fn prefetch<T>(things: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(thing) = things.get(place) {
        safe_arch::prefetch_t0(thing);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (things, place);
}
