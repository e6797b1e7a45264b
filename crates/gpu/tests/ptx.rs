//! The committed PTX was made from the committed kernels.

use std::fs;
use std::io;
use std::path::Path;

/// The first words of the line that says which sources the PTX was made from.
const LINE: &str = "// of sources with FNV-1a hash ";

/// The hash FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo); `tools/gpu_ptx.py` has it as well.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The hash of all files in a folder but PTX, in the order of their names: name, zero, content, zero of each.
fn hash_of_sources(folder: &Path) -> io::Result<u64> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_none_or(|end| end != "ptx"));
    files.sort();
    let mut bytes = Vec::new();
    for path in &files {
        bytes.extend(path.file_name().unwrap_or_default().as_encoded_bytes());
        bytes.push(0);
        bytes.extend(fs::read(path)?);
        bytes.push(0);
    }
    Ok(fnv1a(&bytes))
}

#[test]
fn the_ptx_is_of_these_kernels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let ptx = fs::read_to_string(folder.join("packet.ptx")).unwrap();
    let found = ptx.lines().find_map(|line| line.strip_prefix(LINE)).unwrap_or("none");
    let expected = format!("{:016x}", hash_of_sources(&folder).unwrap());
    assert_eq!(
        found, expected,
        "crates/gpu/kernels/packet.ptx was made from other sources than those beside it\n\nhint: make gpu-ptx"
    );
}

#[test]
fn the_hash_is_fnv1a() {
    // From the test vectors of its authors.
    assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
}
