//! What is read beside experiments, machines and traces.

use crate::scratch;
use libfuzzer_sys::arbitrary::Unstructured;
use std::os::unix::fs::PermissionsExt;
use weir_coroutine::elf_file::{self, Expected};
use weir_units::parse;

// Private to their crates, and without anything else of them: they are compiled once more, here.
#[allow(dead_code)]
#[path = "../../crates/cli/src/sweep/design.rs"]
mod design;
#[path = "../../crates/capi/src/mpi/memory_kinds.rs"]
mod kinds;

/// Any text as each of the quantities.
pub(crate) fn units(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(time) = parse::duration(text) {
        assert_eq!(parse::duration(&format!("{} ps", time.as_ps())), Ok(time));
        let _ = time.to_string();
    }
    if let Ok(bytes) = parse::bytes(text) {
        let _ = bytes.to_string();
    }
    if let Ok(bandwidth) = parse::bandwidth(text) {
        assert!(bandwidth.bytes_per_second() > 0.0);
        let _ = bandwidth.to_string();
    }
    if let Ok(frequency) = parse::frequency(text) {
        assert!(frequency.hertz() > 0.0);
    }
    let refused = [parse::duration(text).err(), parse::bytes(text).err(), parse::bandwidth(text).err()];
    assert!(refused.iter().flatten().all(|error| !error.to_string().is_empty()));
    if let Ok(number) = text.parse::<f64>() {
        let _ = (parse::bytes_unitless(number), parse::bandwidth_unitless(number));
        let _ = weir_units::Duration::from_secs_f64(number);
    }
}

/// Lines as the axes of a sweep.
pub(crate) fn sweep(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let blocks = match text.lines().map(design::axis).collect::<Result<Vec<_>, _>>() {
        Ok(blocks) => blocks,
        Err(what) => return assert!(what.contains("--vary")),
    };
    for (block, text) in
        blocks.iter().zip(text.lines()).filter(|(_, text)| text.contains(':') && !text.contains(';'))
    {
        let values = block.rows.iter().flatten();
        let numbers: Vec<f64> = values.filter_map(|(_, value)| value.parse().ok()).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{text}");
        assert!(numbers.len() < 2 || numbers.iter().all(|number| number.is_finite()), "{text}");
    }
    let axes = blocks.len();
    if let Ok(design) = design::Design::new(blocks) {
        for point in [0, design.points() - 1] {
            assert_eq!(design.values(point).count(), axes);
        }
    }
}

/// Any bytes as a program.
pub(crate) fn executable(bytes: &[u8]) {
    let _ = elf_file::check(bytes, Expected::Executable);
    let _ = elf_file::check(bytes, Expected::SharedObject);
    let path = scratch::write("program", bytes);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("a file of our own");
    if let Err((what, hint)) = weir_capi::executable::kind(&path) {
        assert!(!what.is_empty() && !hint.is_empty());
    }
}

/// Any text as a list of kinds of memory: what is granted is granted again.
pub(crate) fn memory_kinds(bytes: &[u8]) {
    let Ok(wanted) = std::ffi::CString::new(bytes) else { return };
    let granted = std::ffi::CString::new(kinds::granted(&wanted)).expect("no zero was in it");
    assert_eq!(kinds::granted(&granted).as_bytes(), granted.as_bytes());
    assert!(
        kinds::ALWAYS.to_str().expect("ASCII").split(',').all(|kind| kinds::granted(&wanted).contains(kind))
    );
    assert!(!kinds::KINDS.is_empty() && !kinds::ASSERTED.is_empty());
}

/// A summary and a table in the place of those that a run writes.
pub(crate) fn results(bytes: &[u8]) {
    let mut u = Unstructured::new(bytes);
    // The length is the last of the bytes.
    let Ok(table) = u.arbitrary_len::<u8>().and_then(|length| u.bytes(length)) else { return };
    let folder = scratch::path("results");
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    std::fs::write(folder.join("links.parquet"), table).expect("a file of our own");
    std::fs::write(folder.join("summary.json"), u.take_rest()).expect("a file of our own");
    if let Err(error) = weir_record::RunFolder::begin(&folder, "fuzz") {
        assert!(!error.to_string().is_empty());
    }
}
