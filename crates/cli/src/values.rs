//! Values of options that clap does not read.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use weir_units::{Bytes, parse};

pub(crate) fn word(text: &str) -> Result<String, String> {
    let word = text.trim();
    if word.is_empty() { Err("a name is empty".to_owned()) } else { Ok(word.to_owned()) }
}

pub(crate) fn bytes(text: &str) -> Result<Bytes, String> {
    let bytes = parse::bytes(text.trim()).map_err(|error| error.to_string())?;
    if bytes == Bytes(0) { Err("must be at least 1 B".to_owned()) } else { Ok(bytes) }
}

pub(crate) fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_known = path.extension().is_some_and(|extension| extension == "svg" || extension == "html");
    if is_known { Ok(path) } else { Err("must end in .svg or .html".to_owned()) }
}

pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.trim().parse().map_err(|_| "must be a whole number, at least 1".to_owned())
}

pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse().ok();
    number
        .filter(|percent: &f64| *percent >= 0.0 && percent.is_finite())
        .ok_or_else(|| "must be a number, 0 or more".to_owned())
}

pub(crate) fn margin(text: &str) -> Result<f64, String> {
    let margin = text.parse().ok().filter(|&margin: &f64| (0.0..=10.0).contains(&margin));
    margin.ok_or_else(|| "must be a number from 0 to 10: 0.08 loads links to 93 %".to_owned())
}

/// Reads an error from which on rows count less: a factor, less 1.
pub(crate) fn error_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|&scale: &f64| scale > 0.0 && scale <= 1e3);
    scale.ok_or_else(|| "must be a number above 0, such as 0.1 for a factor of 1.1".to_owned())
}

pub(crate) fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|&factor: &f64| factor > 1.0 && factor <= 1e9);
    factor.ok_or_else(|| "must be a number above 1, at most 1e9".to_owned())
}
