//! Checks that a file can be a program of this computer before the dynamic loader, which trusts its files, gets
//! it.

const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
/// Kinds of files and parts (System V ABI).
const SHARED_OBJECT: u16 = 3;
const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const READ_ONLY: u32 = 0x6474_e552;
/// Addresses of programs end here.
const END: u64 = 1 << 47;

/// Description of the mistake in a file, if there is one.
type Result = std::result::Result<(), String>;

/// Architectures and their numbers: that of this computer is the first.
const MACHINES: [(u16, &str); 7] = [
    (62, "x86-64"),
    (3, "32-bit x86"),
    (183, "64-bit Arm"),
    (40, "32-bit Arm"),
    (243, "RISC-V"),
    (21, "PowerPC"),
    (258, "LoongArch"),
];

/// The type of file that [`check`] requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A shared object, which the loader can load into this process.
    SharedObject,
    /// Anything that the system can run.
    Executable,
}

/// Looks at the contents of a file.
///
/// # Errors
/// Why it cannot be loaded, or run: what it "is", in words.
pub fn check(bytes: &[u8], expected: Expected) -> Result {
    check_header(bytes, expected)?;
    let (start, count) = (number::<8>(bytes, 32) as usize, number::<2>(bytes, 56) as usize);
    let parts = || bytes[start..start + count * PROGRAM_HEADER].chunks_exact(PROGRAM_HEADER);
    check_parts(parts(), bytes.len() as u64, expected)?;
    match expected {
        Expected::SharedObject => check_marks(parts).and_then(|()| check_dynamic(bytes, parts)),
        Expected::Executable => Ok(()),
    }
}

/// Checks that the marked parts lie in loaded ones: those that the loader makes read-only, thread-local variables, the table for
/// unwinding, and the table for the loader.
fn check_marks<'b, Parts: Iterator<Item = &'b [u8]>>(parts: impl Fn() -> Parts) -> Result {
    const MARKS: [u32; 4] = [DYNAMIC, 7, 0x6474_e550, READ_ONLY];
    const WRITABLE: u64 = 2;
    let range = |part: &[u8], length_at| (number::<8>(part, 16), number::<8>(part, length_at));
    for part in parts().filter(|part| MARKS.contains(&(number::<4>(part, 0) as u32))) {
        let is_read_only = number::<4>(part, 0) as u32 == READ_ONLY;
        // Thread-local variables that are zero take no memory here.
        let (start, length) = range(part, if is_read_only { 40 } else { 32 });
        let holds = |load: &&[u8]| {
            let (first, all) = range(load, 40);
            let end = if is_read_only { (first + all).next_multiple_of(4096) } else { first + all };
            start >= first && start.saturating_add(length) <= end
        };
        let holder = parts().filter(|part| number::<4>(part, 0) as u32 == LOAD).find(holds);
        if holder.is_none_or(|holder| is_read_only && number::<4>(holder, 4) & WRITABLE == 0) {
            return Err("is damaged: it names parts that it does not have".into());
        }
    }
    Ok(())
}

/// Looks at what the loader ends the process for, where it is not as it expects: the entries of its table that have one possible
/// value, the size of a filter in the table of symbols, and the relocations that stand first because they are all of one kind.
fn check_dynamic<'b, Parts: Iterator<Item = &'b [u8]>>(bytes: &[u8], parts: impl Fn() -> Parts) -> Result {
    /// `DT_RELAENT`, `DT_SYMENT`, `DT_PLTREL`, `DT_RELRENT`: sizes of entries, and `DT_RELA`.
    const EXPECTED: [(u64, u64); 4] = [(9, 24), (11, 24), (20, 7), (37, 8)];
    const GNU_HASH: u64 = 0x6fff_fef5;
    const RELOCATIONS: u64 = 7;
    const RELATIVE_COUNT: u64 = 0x6fff_fff9;
    const RELATIVE: u64 = 8;
    let of_kind = |kind| parts().filter(move |part| number::<4>(part, 0) as u32 == kind);
    let Some(table) = of_kind(DYNAMIC).next() else { return Ok(()) };
    let (offset, length) = (number::<8>(table, 8) as usize, number::<8>(table, 32) as usize);
    let entries = bytes[offset..offset + length].chunks_exact(16);
    let entries = || {
        entries
            .clone()
            .map(|entry| (number::<8>(entry, 0), number::<8>(entry, 8)))
            .take_while(|entry| entry.0 != 0)
    };
    let value = |key| entries().find(|&(tag, _)| tag == key).map(|(_, value)| value);
    // So many bytes of the file at an address of the program.
    let at = |address: u64, length: u64| {
        let inside = |part: &&[u8]| {
            let start = address.checked_sub(number::<8>(part, 16));
            start.and_then(|start| start.checked_add(length)).is_some_and(|end| end <= number::<8>(part, 32))
        };
        let part = of_kind(LOAD).find(inside)?;
        let start = (number::<8>(part, 8) + address - number::<8>(part, 16)) as usize;
        bytes.get(start..start + length as usize)
    };
    if entries()
        .any(|(tag, value)| EXPECTED.iter().any(|&(known, expected)| tag == known && value != expected))
    {
        return Err("is damaged: its table for the loader".into());
    }
    if let Some(hash) = value(GNU_HASH)
        && !at(hash, 16).is_some_and(|header| number::<4>(header, 8).is_power_of_two())
    {
        return Err("is damaged: its table of symbols".into());
    }
    if let (Some(start), Some(count)) = (value(RELOCATIONS), value(RELATIVE_COUNT)) {
        let first = count.checked_mul(24).and_then(|length| at(start, length));
        let is_relative = |relocation: &[u8]| number::<8>(relocation, 8) == RELATIVE;
        if !first.is_some_and(|first| first.chunks_exact(24).all(is_relative)) {
            return Err("is damaged: its relocations".into());
        }
    }
    Ok(())
}

fn cut_off(length: u64, end: u64) -> String {
    format!("is cut off: it has {length} bytes, and its parts end at byte {end}")
}

/// A little-endian number at an offset that is known to be inside.
fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + BYTES].iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

fn check_header(bytes: &[u8], expected: Expected) -> Result {
    if !bytes.starts_with(b"\x7fELF") {
        return Err("is no program: it does not begin as an ELF file".into());
    }
    let length = bytes.len() as u64;
    if bytes.len() < HEADER {
        return Err(cut_off(length, HEADER as u64));
    }
    if bytes[4] != 2 {
        return Err("is a 32-bit program, and this is a 64-bit weir: compile it without -m32".into());
    }
    let machine = number::<2>(bytes, 18) as u16;
    let [own, others @ ..] = MACHINES;
    if machine != own.0 || bytes[5] != 1 {
        let other = others.iter().find(|(known, _)| *known == machine).map(|(_, name)| (*name).to_owned());
        let other = other.unwrap_or_else(|| format!("another architecture (number {machine})"));
        return Err(format!("is compiled for {other}, and this computer is {}", own.1));
    }
    if expected == Expected::SharedObject && number::<2>(bytes, 16) as u16 != SHARED_OBJECT {
        return Err("is no shared object, which is what weir cc makes".into());
    }
    let (start, size, count) = (number::<8>(bytes, 32), number::<2>(bytes, 54), number::<2>(bytes, 56));
    if size != PROGRAM_HEADER as u64 || count == 0 {
        return Err("is damaged: it has no table of its parts".into());
    }
    let end = start.saturating_add(size * count);
    if end > length { Err(cut_off(length, end)) } else { Ok(()) }
}

/// Checks that all parts are in the file and in the address space, those that are loaded in order.
fn check_parts<'b>(parts: impl Iterator<Item = &'b [u8]>, length: u64, expected: Expected) -> Result {
    let damaged = |what: &str| Err(format!("is damaged: {what}"));
    let (mut next_address, mut dynamic, mut loaded) = (0, false, false);
    for part in parts {
        let kind = number::<4>(part, 0) as u32;
        let [offset, address, of_file, of_memory, alignment] =
            [8, 16, 32, 40, 48].map(|at| number::<8>(part, at));
        if kind != LOAD && kind != DYNAMIC {
            continue;
        }
        let end = offset.saturating_add(of_file);
        if end > length {
            return Err(cut_off(length, end));
        }
        let memory_end = address.saturating_add(of_memory);
        if of_file > of_memory || memory_end > END {
            return damaged("a part of it does not fit into memory");
        }
        dynamic |= kind == DYNAMIC;
        if kind == LOAD {
            loaded = true;
            let aligned =
                alignment.is_power_of_two() && offset % alignment.min(4096) == address % alignment.min(4096);
            if address < next_address || !aligned {
                return damaged("its parts overlap, or are not aligned");
            }
            next_address = memory_end;
        }
    }
    let has_all = loaded && (dynamic || expected == Expected::Executable);
    if has_all { Ok(()) } else { damaged("a part that the loader needs is missing") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one part that is loaded, from beginning to end, and the table for the loader.
    fn file() -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x00");
        (bytes[16], bytes[18], bytes[32], bytes[54], bytes[56]) = (3, 62, 64, 56, 2);
        for (part, kind, offset, size) in [(64, 1, 0, 512_u64), (120, 2, 256, 64)] {
            bytes[part] = kind;
            for at in [8, 16] {
                bytes[part + at..part + at + 8].copy_from_slice(&u64::to_le_bytes(offset));
            }
            for at in [32, 40] {
                bytes[part + at..part + at + 8].copy_from_slice(&size.to_le_bytes());
            }
            bytes[part + 49] = 16;
        }
        bytes
    }

    #[test]
    fn a_file_that_cannot_be_loaded_is_refused_with_the_reason() {
        let check_bytes = |bytes: &[u8]| check(bytes, Expected::SharedObject);
        assert_eq!(check_bytes(&file()), Ok(()));
        let changed = |at: usize, value| {
            let mut bytes = file();
            bytes[at] = value;
            check_bytes(&bytes).expect_err("it is no program any more")
        };
        assert!(changed(0, 0).contains("does not begin as an ELF file"));
        assert!(changed(4, 1).contains("32-bit"));
        assert!(changed(18, 183).contains("compiled for 64-bit Arm, and this computer is x86-64"));
        assert!(changed(18, 99).contains("number 99"));
        assert!(changed(16, 2).contains("no shared object"));
        let mut executable = file();
        executable[16] = 2;
        assert_eq!(check(&executable, Expected::Executable), Ok(()));
        assert!(changed(56, 0).contains("no table"));
        assert!(changed(64 + 33, 3).contains("cut off: it has 512 bytes, and its parts end at byte 768"));
        assert!(changed(64 + 23, 1).contains("does not fit into memory"));
        assert!(changed(120, 0).contains("missing"));
        assert!(changed(64 + 16, 1).contains("not aligned"));
        for length in 0..512 {
            assert!(check_bytes(&file()[..length]).is_err(), "{length} bytes");
        }
    }

    /// Puts words of 8 bytes into a file.
    fn put(bytes: &mut [u8], at: usize, words: &[u64]) {
        words
            .iter()
            .zip(bytes[at..].chunks_exact_mut(8))
            .for_each(|(word, to)| to.copy_from_slice(&word.to_le_bytes()));
    }

    /// Entries of the table for the loader, and words at a byte of the file; the part that does not fit.
    #[test]
    fn what_the_loader_ends_the_process_for_is_refused() {
        const HASH: u64 = 0x6fff_fef5;
        const RELOCATIONS: u64 = 7;
        const RELATIVE: u64 = 0x6fff_fff9;
        let with = |entries: [u64; 4], at: usize, words: &[u64]| {
            let mut bytes = file();
            put(&mut bytes, 256, &entries);
            put(&mut bytes, at, words);
            check(&bytes, Expected::SharedObject).err()
        };
        let damaged = |what: &str| Some(format!("is damaged: its {what}"));
        for (key, size) in [(9, 24), (11, 24), (20, 7), (37, 8)] {
            assert_eq!(with([5, 9, key, size], 320, &[]), None);
            assert_eq!(with([5, 9, key, size + 1], 320, &[]), damaged("table for the loader"));
            assert_eq!(with([0, 0, key, size + 1], 320, &[]), None, "behind the end of the table");
        }
        for (at, filter, fits) in
            [(320, 4, true), (496, 1 << 32 | 8, true), (320, 3, false), (320, 0, false), (504, 1, false)]
        {
            let expected = if fits { None } else { damaged("table of symbols") };
            assert_eq!(with([HASH, at, 0, 0], at as usize, &[7, filter]), expected, "{at} {filter}");
        }
        for (at, count, fits) in
            [(320, 2, true), (320, 3, false), (464, 2, true), (464, 3, false), (320, 1 << 61, false)]
        {
            let expected = if fits { None } else { damaged("relocations") };
            let words = &[7, 8, 7, 7, 8, 7, 7, 9, 7];
            assert_eq!(
                with([RELOCATIONS, at, RELATIVE, count], at as usize, words),
                expected,
                "{at} {count}"
            );
        }
    }

    /// A third part of the file: its kind, where it begins, its bytes in the file and in memory, and the flags of what holds it.
    #[test]
    fn marked_parts_lie_in_loaded_ones() {
        for (kind, start, of_file, of_memory, flags, fits) in [
            (7, 500, 12, 99, 0, true),
            (7, 500, 13, 13, 0, false),
            (0x6474_e550, 0, 512, 512, 0, true),
            (0x6474_e550, u64::MAX, 2, 2, 0, false),
            (READ_ONLY, 0, 0, 4096, 2, true),
            (READ_ONLY, 0, 0, 4097, 2, false),
            (READ_ONLY, 0, 0, 512, 5, false),
            (0x6474_e551, 500, 13, 13, 0, true),
        ] {
            let mut bytes = file();
            (bytes[56], bytes[68]) = (3, flags);
            put(&mut bytes, 176, &[u64::from(kind), start, start, 0, of_file, of_memory]);
            let expected =
                if fits { Ok(()) } else { Err("is damaged: it names parts that it does not have".into()) };
            assert_eq!(check(&bytes, Expected::SharedObject), expected, "{kind:#x} {start}");
        }
    }
}
