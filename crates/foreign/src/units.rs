//! Quantities as SimGrid and ns-3 write them: a number and its unit without a blank, `125MBps`, `100Gbps`, `0.005ms`.

use weir_units::{Bandwidth, Duration};

/// No quantity is longer.
const MOST_LETTERS: usize = 64;

/// The number at the beginning of a text, and its unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    if text.len() > MOST_LETTERS {
        return None;
    }
    // An exponent is part of the number: 1.25E9Bps.
    let end = (0..=text.len()).rev().filter(|&at| text.is_char_boundary(at)).find(|&at| {
        text[..at].parse::<f64>().is_ok_and(f64::is_finite)
            && text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.')
    })?;
    Some((text[..end].parse().ok()?, text[end..].trim()))
}

/// A rate in bytes or bits per second: `Bps` and `bps` with a decimal or a binary prefix. More than 0.
pub(crate) fn rate(text: &str) -> Option<Bandwidth> {
    let (number, unit) = split(text)?;
    let (prefix, bits) = match (unit.strip_suffix("Bps"), unit.strip_suffix("bps")) {
        (Some(prefix), _) => (prefix, 1.0),
        (_, Some(prefix)) => (prefix, 8.0),
        _ => return None,
    };
    Bandwidth::new(number * factor(prefix)? / bits)
}

fn factor(prefix: &str) -> Option<f64> {
    const LETTERS: &str = "kMGTPEZY";
    if prefix.is_empty() {
        return Some(1.0);
    }
    let mut letters = prefix.chars();
    let first = letters.next().map(|letter| if letter == 'K' { 'k' } else { letter })?;
    let power = i32::try_from(LETTERS.find(first)? + 1).ok()?;
    match letters.as_str() {
        "" => Some(1000_f64.powi(power)),
        "i" => Some(1024_f64.powi(power)),
        _ => None,
    }
}

/// A time; a bare number is seconds, as SimGrid has it.
pub(crate) fn time(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let ps = match unit {
        "ps" => 1.0,
        "ns" => 1e3,
        "us" => 1e6,
        "ms" => 1e9,
        "" | "s" => 1e12,
        "m" | "min" => 60e12,
        "h" => 3600e12,
        "d" => 86400e12,
        "w" => 7.0 * 86400e12,
        _ => return None,
    };
    let ps = (number * ps).round();
    ((0.0..1e19).contains(&ps)).then_some(Duration::from_ps(ps as u64))
}

/// Operations in a second: `1Gf`, `250Mf`, as SimGrid writes the speed of hosts. More than 0.
pub fn speed(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    let speed = number * factor(unit.strip_suffix('f').unwrap_or(unit))?;
    (speed > 0.0 && speed.is_finite()).then_some(speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_their_units() {
        for (text, bytes) in [
            ("125MBps", 125e6),
            ("1.25E9Bps", 1.25e9),
            ("100Gbps", 12.5e9),
            ("1GiBps", 1073741824.0),
            ("100kBps", 1e5),
            ("2Bps", 2.0),
        ] {
            assert_eq!(rate(text).map(Bandwidth::bytes_per_second), Some(bytes), "{text}");
        }
        for text in ["", "Bps", "10", "-1Bps", "0Bps", "1XBps", "1 GB/s", "nanBps", "infBps", "1e999Bps"] {
            assert_eq!(rate(text), None, "{text}");
        }
        for (text, ps) in [
            ("50us", 50_000_000),
            ("0", 0),
            ("1.0E-4s", 100_000_000),
            ("0.005ms", 5_000_000),
            ("1000ns", 1_000_000),
        ] {
            assert_eq!(time(text), Some(Duration::from_ps(ps)), "{text}");
        }
        for text in ["-1s", "s", "1 fortnight", "1e30s"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
