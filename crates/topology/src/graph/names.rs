//! The order of names, in which digits count as numbers: `h2` comes before `h10`.

use std::cmp::Ordering;

/// Compares names part by part: numbers by their value, all else letter by letter. Names that differ in zeros before their
/// numbers alone are compared as texts, so that only equal ones are equal.
pub fn compare_names(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (one, other) = (part(&mut left), part(&mut right));
        let numbers = [one, other].map(|part| part.starts_with(|letter: char| letter.is_ascii_digit()));
        let order = if numbers == [true, true] {
            let [one, other] = [one, other].map(|digits| digits.trim_start_matches('0'));
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        } else {
            one.cmp(other)
        };
        match order {
            Ordering::Equal if one.is_empty() => return a.cmp(b),
            Ordering::Equal => {}
            order => return order,
        }
    }
}

/// Takes the first part from a name: all digits at its beginning, or one letter. Empty at its end.
fn part<'a>(name: &mut &'a str) -> &'a str {
    let digits = name.len() - name.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let length = if digits > 0 { digits } else { name.chars().next().map_or(0, char::len_utf8) };
    let (part, rest) = name.split_at(length);
    *name = rest;
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_count_as_numbers() {
        let sorted = [
            "", "-", "2", "10", "a", "h", "h-1", "h0.2", "h0.10", "h1", "h01", "h2", "h10", "h10a",
            "h\u{e9}", "i",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                let expected =
                    if ["h1", "h01"].contains(a) && ["h1", "h01"].contains(b) { a.cmp(b) } else { i.cmp(&j) };
                assert_eq!(compare_names(a, b), expected, "{a:?} and {b:?}");
            }
        }
        // Longer than any number of a processor.
        assert_eq!(
            compare_names("n99999999999999999999999998", "n99999999999999999999999999"),
            Ordering::Less
        );
    }

    proptest! {
        /// Sorting needs an order.
        #[test]
        fn it_is_an_order(a in "[a1029.]{0,5}", b in "[a1029.]{0,5}", c in "[a1029.]{0,5}") {
            prop_assert_eq!(compare_names(&a, &b), compare_names(&b, &a).reverse());
            prop_assert_eq!(compare_names(&a, &b) == Ordering::Equal, a == b);
            let mut sorted = [&a, &b, &c];
            sorted.sort_by(|one, other| compare_names(one, other));
            prop_assert!(compare_names(sorted[0], sorted[2]) != Ordering::Greater);
        }
    }
}
