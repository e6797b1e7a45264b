//! The executable that runs, as a number.

use std::fs::File;
use std::sync::OnceLock;
use weir_record::fingerprint;

/// What this executable is: of the same bytes the same number; 0 where it cannot be read.
#[must_use]
pub fn build() -> u64 {
    static BUILD: OnceLock<u64> = OnceLock::new();
    *BUILD.get_or_init(|| {
        File::open("/proc/self/exe").and_then(|mut file| fingerprint(&mut file)).unwrap_or_default()
    })
}
