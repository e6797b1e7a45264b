//! Files that commands write: complete, or as they were before.

use anyhow::Context;
use std::io::Write;
use std::path::Path;

/// Writes a whole file.
///
/// # Errors
/// When that fails; then there is what was there before.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    weir_record::write_whole(path, |out| out.write_all(text.as_ref()))
        .with_context(|| path.display().to_string())
}
