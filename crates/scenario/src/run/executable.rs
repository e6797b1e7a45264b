//! The executable that runs, as a number.

use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;
use weir_record::fingerprint;

/// Number of this executable, the same for the same bytes; 0 where it cannot be read.
#[must_use]
pub fn build() -> u64 {
    static BUILD: OnceLock<u64> = OnceLock::new();
    *BUILD.get_or_init(|| {
        File::open("/proc/self/exe").and_then(|mut file| number(&mut file)).unwrap_or_default()
    })
}

/// The linker's number of an executable if its beginning has one, else a sum over all of it, which takes as long as reading it.
fn number(executable: &mut dyn Read) -> io::Result<u64> {
    const BEGINNING: u64 = 1 << 13;
    let mut beginning = Vec::new();
    (&mut *executable).take(BEGINNING).read_to_end(&mut beginning)?;
    match build_id(&beginning) {
        Some(mut id) => fingerprint(&mut id),
        None => fingerprint(&mut beginning.as_slice().chain(executable)),
    }
}

/// The note `NT_GNU_BUILD_ID` of an ELF file: the lengths of its name and its value, its kind, name and value (System V ABI, "Note
/// Section").
fn build_id(file: &[u8]) -> Option<&[u8]> {
    const HEAD: usize = 16;
    const LEAST: usize = 8;
    let is_note = |head: &[u8]| {
        head[..4] == 4_u32.to_ne_bytes() && head[8..12] == 3_u32.to_ne_bytes() && head[12..] == *b"GNU\0"
    };
    let at = file.windows(HEAD).position(is_note)?;
    let length = file[at + 4..at + 8].try_into().map(u32::from_ne_bytes).ok()? as usize;
    file.get(at + HEAD..at + HEAD + length).filter(|id| id.len() >= LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        number(&mut &*bytes).unwrap()
    }

    /// With a number of the linker that alone counts; without one every byte does, however far behind.
    #[test]
    fn executables_have_numbers() {
        let mut with = vec![0x7f; 300];
        with.extend([4_u32, 20, 3].map(u32::to_ne_bytes).concat());
        with.extend(*b"GNU\0twenty bytes of an id");
        with.resize(100_000, 1);
        let (mut other_id, mut other_code) = (with.clone(), with.clone());
        other_id[320] ^= 1;
        other_code[90_000] ^= 1;
        assert_eq!(of(&with), of(&other_code));
        assert_ne!(of(&with), of(&other_id));
        let (without, mut other) = (vec![1; 100_000], vec![1; 100_000]);
        other[90_000] = 2;
        assert_ne!(of(&without), of(&other));
        assert_eq!(of(&without), fingerprint(&mut &*without).unwrap());
        // A note that is cut off is none.
        assert_eq!(build_id(&with[..330]), None);
        assert_ne!(build(), 0);
    }
}
