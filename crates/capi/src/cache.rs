//! What weir keeps from run to run, in the user's cache: folders named by what they are made of.

use std::path::PathBuf;

/// The folder of all that weir keeps.
#[must_use]
pub fn folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("weir")
}

/// FNV-1a, 64 bits: names a folder, protects nothing.
pub fn fingerprint<'t>(texts: impl Iterator<Item = &'t str>) -> u64 {
    let bytes = texts.flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published numbers of FNV-1a begin with that of no bytes; a zero ends each text.
    #[test]
    fn names_of_folders_are_fingerprints() {
        let of = |texts: &[&'static str]| fingerprint(texts.iter().copied());
        assert_eq!(of(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(of(&["a"]), 0x089b_e207_b544_f1e4);
        assert_eq!(of(&["foo", "bar"]), 0x5863_d945_8c10_38de);
        assert_ne!(of(&["foo", "bar"]), of(&["foob", "ar"]));
    }
}
