//! Texts of foreign files in messages.

use std::borrow::Cow;

/// A text for a terminal: control characters other than the ends of lines are written out, so that they do nothing there.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let acts = |letter: char| letter.is_control() && letter != '\n';
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let letter =
        |letter: char| if acts(letter) { letter.escape_default().to_string() } else { letter.to_string() };
    Cow::Owned(text.chars().map(letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert!(matches!(visible("plain, \u{e9} and\n\"quoted\""), Cow::Borrowed(_)));
        assert_eq!(visible("a\u{1b}]0;x\u{7}b\tc\r\u{9b}"), "a\\u{1b}]0;x\\u{7}b\\tc\\r\\u{9b}");
    }
}
