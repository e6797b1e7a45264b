//! Lines of a text file.

use crate::ReadError;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// As long may a line be.
const LONGEST: u64 = 256 << 20;

/// Opens a file that has an end.
pub(crate) fn open(path: &Path) -> Result<File, ReadError> {
    let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let kind = file.metadata().map_err(unreadable)?.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        return Err(ReadError::Unreadable("a device; a file was expected".into()));
    }
    Ok(file)
}

/// Hands each line to `take`, with its number, from 1, and without the blanks around it, until `take` breaks off; `None` is
/// a line that is not UTF-8.
///
/// # Errors
/// When the input cannot be read.
pub(crate) fn each(
    mut input: impl BufRead,
    mut take: impl FnMut(u64, Option<&str>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
        if input.by_ref().take(LONGEST + 1).read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        if bytes.len() as u64 > LONGEST {
            let what = format!("line {line} has more than {} MiB, the most that is read", LONGEST >> 20);
            return Err(ReadError::Unreadable(what));
        }
        if take(line, std::str::from_utf8(&bytes).ok().map(str::trim)).is_break() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_no_blanks_around_them() {
        let mut seen = Vec::new();
        let input: &[u8] = b" one \n\n\xff\nfour\nfive";
        let read = each(input, |line, text| {
            seen.push((line, text.map(str::to_owned)));
            if line == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(read, Ok(()));
        let texts = [Some("one"), Some(""), None, Some("four")];
        assert_eq!(seen, (1..).zip(texts.map(|text| text.map(str::to_owned))).collect::<Vec<_>>());
    }
}
