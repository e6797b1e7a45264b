//! The largest memory of one run among several of the same process.

use std::fs;

/// Lets the largest resident memory of this process begin anew with what it holds now (Linux). Where the system does
/// not have this, the largest memory stays that of the process so far.
pub(crate) fn forget_peak() {
    // Nothing depends on it but how exact a number is.
    _ = fs::write("/proc/self/clear_refs", "5");
}
