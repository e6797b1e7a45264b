//! Files that targets write for weir to read, in a folder of this process.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::Builder::new().prefix("weir-fuzz").tempdir().expect("a folder for files"));

/// Where a file of this name is.
pub(crate) fn path(name: &str) -> PathBuf {
    FOLDER.path().join(name)
}

/// Writes a file of this name over the one before.
pub(crate) fn write(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = path(name);
    std::fs::write(&path, bytes).expect("a file in a temporary folder");
    path
}

/// The name as it stands in TOML.
pub(crate) fn quoted(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}
