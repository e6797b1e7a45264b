//! Lines of a text by place.

pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { text, starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    pub(crate) fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The line of a record of CSV that its reader found from a place on: empty lines and comments before it belong to
    /// the place.
    pub(super) fn of_record(&self, position: Option<&csv::Position>) -> usize {
        let mut line = position.map_or(1, |position| self.of(position.byte() as usize));
        let skipped = |line: usize| {
            let start = *self.starts.get(line - 1)?;
            let rest = &self.text[start..];
            (rest.starts_with(['#', '\n', '\r'])).then_some(())
        };
        while skipped(line).is_some() {
            line += 1;
        }
        line
    }

    pub(super) fn of_part(&self, part: &str) -> usize {
        self.of((part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        let text = "a\nbc\n\nd";
        let lines = Lines::new(text);
        assert_eq!([0, 1, 2, 4, 5, 6].map(|offset| lines.of(offset)), [1, 1, 2, 2, 3, 4]);
        assert_eq!(lines.of_part(&text[6..]), 4);
    }
}
