//! Program files that are damaged: whatever is in them, weir itself does not crash.

use crate::command::{compile_text, scratch, weir};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use weir_units::{GOLDEN, mix};

const PROGRAM: &str = include_str!("../programs/damaged_good.c");

fn write(path: &Path, bytes: &[u8]) {
    // A new file: the loader knows the old one.
    _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        let draw = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        (draw % below as u64) as usize
    }
}

/// Everything before the code is changed in hundreds of ways: headers, symbols, names, relocations. (What damaged code does is
/// another matter.)
#[test]
fn damaged_files_do_not_crash_weir() {
    let folder = scratch();
    let good = fs::read(compile_text(PROGRAM, "good", folder.path())).unwrap();
    // The first part that is loaded has all tables; its length stands in the first program header.
    let tables = usize::try_from(u64::from_le_bytes(good[96..104].try_into().unwrap())).unwrap();
    let path = folder.path().join("damaged");
    for seed in 0..300 {
        let mut numbers = Numbers(seed);
        let mut bytes = good.clone();
        let end = [64 + 12 * 56, 4096, tables, tables][numbers.next(4)].min(tables);
        for _ in 0..[1, 2, 8, 32][numbers.next(4)] {
            let at = numbers.next(end);
            bytes[at] ^= 1 << numbers.next(8);
        }
        write(&path, &bytes);
        let mut command = weir(["mpirun", "-n", "2", "--set", "limits.wall_time=20 s"]);
        let output = command.arg(&path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), None, "seed {seed}: {said}");
        assert!(output.status.success() || !said.is_empty(), "seed {seed} says nothing");
    }
}
