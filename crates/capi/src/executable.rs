//! What kind of program a file is, and so how its ranks run.

use crate::table;
use elf::ElfBytes;
use elf::abi::DT_NEEDED;
use elf::endian::NativeEndian;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use weir_coroutine::elf_file::{self, Wanted};

/// How the ranks of a program run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In one process: it was built by `weir cc` or one of its kin.
    Loadable,
    /// Each in a process of its own: any other program, with the standard's binary interface
    /// ([`remote`](crate::remote)).
    Separate,
}

/// Says what kind of program a file is. Reads it.
///
/// # Errors
/// Why it cannot be run, in a few words, and what to do.
pub fn kind(path: &Path) -> Result<Kind, (String, &'static str)> {
    let bytes =
        fs::read(path).map_err(|error| (format!("cannot be read: {error}"), "name a compiled program"))?;
    let mark = table::MARK.as_bytes();
    if bytes.starts_with(b"\x7fELF") {
        let is_loadable = bytes.windows(mark.len()).any(|window| window == mark);
        let wanted = if is_loadable { Wanted::SharedObject } else { Wanted::Executable };
        let hint = "compile it on this computer with weir cc: weir cc program.c -o program";
        elf_file::check(&bytes, wanted).map_err(|why| (why, hint))?;
        if is_loadable {
            return Ok(Kind::Loadable);
        }
    }
    let is_executable = fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    if !is_executable {
        let hint = "compile it with weir cc: weir cc program.c -o program";
        return Err(("is neither built by weir cc nor executable".into(), hint));
    }
    let other = needed(&bytes).into_iter().find(|library| is_other_mpi(library));
    if let Some(library) = other {
        let hint = "compile it with weir cc, or with the mpicc_abi of an MPI that has the standard's binary interface";
        return Err((format!("is built for another MPI library, {library}"), hint));
    }
    Ok(Kind::Separate)
}

/// Whether a library has an MPI of its own, with an interface of its own.
fn is_other_mpi(library: &str) -> bool {
    ["libmpi.so", "libmpich.so", "libmpi_cxx.so", "libmpi_mpifh.so", "libsimgrid.so"]
        .iter()
        .any(|known| library.starts_with(known))
}

/// The shared libraries that an executable names; none if it is no such file.
fn needed(bytes: &[u8]) -> Vec<String> {
    let Ok(file) = ElfBytes::<NativeEndian>::minimal_parse(bytes) else { return vec![] };
    let Ok(common) = file.find_common_data() else { return vec![] };
    let (Some(entries), Some(names)) = (common.dynamic, common.dynsyms_strs) else { return vec![] };
    let needed = entries.iter().filter(|entry| entry.d_tag == DT_NEEDED);
    needed.filter_map(|entry| Some(names.get(entry.d_val() as usize).ok()?.to_owned())).collect()
}
