//! A key with its values, in a line: `--vary`.

use super::design::{Block, MOST_POINTS};

/// Reads `KEY=FROM:TO:STEP`, with a unit behind it if need be, or `KEY=VALUE; VALUE; ...`.
pub(super) fn axis(text: &str) -> Result<Block, String> {
    let wrong = |what: &str| {
        format!(
            "--vary {text}: {what}\n\nhint: write --vary node.packet_gap=0:4:0.125, or --vary \
             \"workload.message_size=96 KiB; 288 KiB\""
        )
    };
    let (key, values) = text.split_once('=').ok_or_else(|| wrong("has no ="))?;
    values_of(values).map(|values| Block::of_key(key.trim(), values)).map_err(wrong)
}

/// Reads what stands behind the key.
pub(super) fn values_of(values: &str) -> Result<Vec<String>, &'static str> {
    // A unit stands behind the whole range.
    let (range, unit) = values.trim().split_once(' ').unwrap_or((values, ""));
    let parts: Vec<Option<f64>> = range.split(':').map(|part| part.trim().parse().ok()).collect();
    let values: Vec<String> = match parts[..] {
        [Some(from), Some(to), Some(step)] => {
            let steps = ((to - from) / step + 1e-9).floor();
            if !(step > 0.0 && step.is_finite() && (0.0..MOST_POINTS as f64).contains(&steps)) {
                return Err("is no range: FROM:TO:STEP with FROM not above TO and STEP above 0");
            }
            let written = |number: f64| format!("{number} {unit}").trim_end().to_owned();
            let values: Vec<String> = (0..=steps as u64).map(|i| written(value(from, step, i))).collect();
            if values.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err("has a STEP that makes no difference to FROM");
            }
            values
        }
        _ => values.split(';').map(|value| value.trim().to_owned()).collect(),
    };
    if values.iter().any(String::is_empty) { Err("has an empty value") } else { Ok(values) }
}

/// A value of a range, rounded to a part of the step, so that 3 x 0.1 is 0.3.
fn value(from: f64, step: f64, number: u64) -> f64 {
    const DIGITS_OF_STEP: i32 = 9;
    let value = from + step * number as f64;
    let decimals = (DIGITS_OF_STEP - step.log10().floor() as i32).max(0) as usize;
    // Minus zero is zero.
    format!("{value:.decimals$}").parse().unwrap_or(value) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists() {
        let values = |text| {
            let rows = axis(text).map(|block| block.rows);
            rows.map(|rows| rows.into_iter().flatten().map(|(_, value)| value).collect::<Vec<_>>())
        };
        assert_eq!(values("a.b=0:0.3:0.1").unwrap(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("a.b=2:2:1").unwrap(), ["2"]);
        assert_eq!(values("a.b=1:2:0.5 GB/s").unwrap(), ["1 GB/s", "1.5 GB/s", "2 GB/s"]);
        assert_eq!(
            values("a.b=1e-10:3e-10:1e-10").unwrap(),
            ["0.0000000001", "0.0000000002", "0.0000000003"]
        );
        assert_eq!(values("a.b=-0.2:0.1:0.1").unwrap(), ["-0.2", "-0.1", "0", "0.1"]);
        assert_eq!(values("a.b=1e300:1e300:1").unwrap(), [1e300.to_string()]);
        assert_eq!(values("a.b=96 KiB; 1 MiB").unwrap(), ["96 KiB", "1 MiB"]);
        assert_eq!(values("a.b=x:y").unwrap(), ["x:y"]);
        for wrong in [
            "a.b",
            "a.b=3:1:1",
            "a.b=0:1:0",
            "a.b=1:2:inf",
            "a.b=0:1:1e-9",
            "a.b=1e17:100000000000000032:1",
            "a.b=1;;2",
            "a.b=",
        ] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }
}
