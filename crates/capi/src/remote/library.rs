//! Where our library of the standard's binary interface is.

use super::ProcessError;
use crate::cache;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The names under which programs look for it: the standard's, and that of MPICH 5.0.0 and 5.0.1.
const NAMES: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so.0"];

/// The library: what the environment variable `WEIR_MPI_ABI` names, or `libmpi_abi.so` beside the running command or in
/// `lib` beside the command's folder.
pub(crate) fn library() -> Result<PathBuf, ProcessError> {
    if let Some(path) = std::env::var_os("WEIR_MPI_ABI").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return if path.is_file() { Ok(path) } else { Err(ProcessError::NotThere { path }) };
    }
    let command = std::env::current_exe().unwrap_or_default();
    let folder = command.parent().unwrap_or(Path::new("."));
    let places = [folder.to_owned(), folder.join("../lib")];
    let found = places.into_iter().map(|place| place.join("libmpi_abi.so")).find(|path| path.exists());
    found.ok_or(ProcessError::NoLibrary { command })
}

/// A folder that has the library under the names that programs look for.
pub(super) fn folder() -> Result<PathBuf, ProcessError> {
    let library = library()?;
    let library = library.canonicalize().unwrap_or(library);
    let name = format!("mpi-abi-{:016x}", cache::fingerprint([&*library.to_string_lossy()].into_iter()));
    let folder = cache::folder().join(name);
    let no_folder = |reason| ProcessError::NoFolder { path: folder.clone(), reason };
    fs::create_dir_all(&folder).map_err(no_folder)?;
    for link in NAMES.map(|name| folder.join(name)) {
        if fs::read_link(&link).is_ok_and(|to| to == library) {
            continue;
        }
        // Made beside its place and moved there: others may be looking.
        let unfinished = folder.join(format!("{}.new", std::process::id()));
        _ = fs::remove_file(&unfinished);
        symlink(&library, &unfinished).and_then(|()| fs::rename(&unfinished, &link)).map_err(no_folder)?;
    }
    Ok(folder)
}
