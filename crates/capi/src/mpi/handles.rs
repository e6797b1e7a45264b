//! Handles as numbers, as Fortran has them.
//!
//! Values of handles are below 2^33, and those with bit 32 have bit 31 clear: bit 32 becomes the sign. The Fortran
//! bindings do the same (`crates/compiler/runtime/fortran_special.c`).

use crate::calls::abi::Handle;
use std::ffi::c_int;

const LOW: usize = 0x7fff_ffff;

pub(crate) extern "C" fn to_int(handle: Handle) -> c_int {
    let bits = handle as usize;
    ((bits & LOW) | (bits >> 32 & 1) << 31) as u32 as c_int
}

pub(crate) extern "C" fn from_int(number: c_int) -> Handle {
    let bits = number as u32 as usize;
    ((bits & LOW) | (bits >> 31) << 32) as Handle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_come_back() {
        for value in [0x101, 0x1_0000, 0x7fff_ffff, 0x1_0000_0005] {
            assert_eq!(from_int(to_int(value as Handle)) as usize, value);
        }
        assert_eq!(to_int(0x101 as Handle), 0x101);
    }
}
