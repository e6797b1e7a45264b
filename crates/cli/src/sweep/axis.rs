//! What is varied: keys, their values, and all combinations of them.

/// More points than that are a mistake.
const MOST_POINTS: usize = 100_000;

/// A key and the values that it takes, as they are written.
pub(super) struct Axis {
    pub(super) key: String,
    pub(super) values: Vec<String>,
}

/// Reads all axes.
pub(super) fn axes(texts: &[String]) -> Result<Vec<Axis>, String> {
    let axes: Vec<Axis> = texts.iter().map(|text| axis(text)).collect::<Result<_, _>>()?;
    within_reason(&axes).map(|()| axes)
}

/// How many points they make.
pub(super) fn points(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).product()
}

/// Keys and values of a point; the values of the first axis change fastest.
pub(super) fn named(axes: &[Axis], point: usize) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = point;
    axes.iter().map(move |axis| {
        let value = rest % axis.values.len();
        rest /= axis.values.len();
        (axis.key.as_str(), axis.values[value].as_str())
    })
}

/// Reads `KEY=FROM:TO:STEP` or `KEY=VALUE; VALUE; ...`.
fn axis(text: &str) -> Result<Axis, String> {
    let wrong = |what: &str| {
        format!(
            "--vary {text}: {what}\n\nhint: write --vary node.packet_gap=0:4:0.125, or --vary \
             \"workload.message_size=96 KiB; 288 KiB\""
        )
    };
    let (key, values) = text.split_once('=').ok_or_else(|| wrong("has no ="))?;
    let parts: Vec<Option<f64>> = values.split(':').map(|part| part.trim().parse().ok()).collect();
    let values: Vec<String> = match parts[..] {
        [Some(from), Some(to), Some(step)] => {
            let steps = ((to - from) / step + 1e-9).floor();
            if !(step > 0.0 && step.is_finite() && (0.0..MOST_POINTS as f64).contains(&steps)) {
                return Err(wrong("is no range: FROM:TO:STEP with FROM not above TO and STEP above 0"));
            }
            let values: Vec<String> = (0..=steps as u64).map(|i| value(from, step, i).to_string()).collect();
            if values.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(wrong("has a STEP that makes no difference to FROM"));
            }
            values
        }
        _ => values.split(';').map(|value| value.trim().to_owned()).collect(),
    };
    if values.iter().any(String::is_empty) {
        return Err(wrong("has an empty value"));
    }
    Ok(Axis { key: key.trim().to_owned(), values })
}

/// A value of a range, rounded to a part of the step, so that 3 x 0.1 is 0.3.
fn value(from: f64, step: f64, number: u64) -> f64 {
    const DIGITS_OF_STEP: i32 = 9;
    let value = from + step * number as f64;
    let decimals = (DIGITS_OF_STEP - step.log10().floor() as i32).max(0) as usize;
    // Minus zero is zero.
    format!("{value:.decimals$}").parse().unwrap_or(value) + 0.0
}

fn within_reason(axes: &[Axis]) -> Result<(), String> {
    let points = axes.iter().map(|axis| axis.values.len()).fold(1_usize, usize::saturating_mul);
    for (number, axis) in axes.iter().enumerate() {
        if axes[..number].iter().any(|other| other.key == axis.key) {
            return Err(format!("--vary {}: is there twice", axis.key));
        }
    }
    if points > MOST_POINTS {
        return Err(format!("--vary: {points} points; at most {MOST_POINTS} are run"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists() {
        let values = |text| axis(text).map(|axis| axis.values);
        assert_eq!(values("a.b=0:0.3:0.1").unwrap(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("a.b=2:2:1").unwrap(), ["2"]);
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

    #[test]
    fn the_first_axis_changes_fastest() {
        let axes = [axis("a=1;2;3").unwrap(), axis("b=x;y").unwrap()];
        let written = |point| named(&axes, point).map(|(_, value)| value).collect::<Vec<_>>().join(",");
        assert_eq!(
            (points(&axes), [0, 1, 2, 3].map(written)),
            (6, ["1,x", "2,x", "3,x", "1,y"].map(String::from))
        );
        assert!(within_reason(&axes).is_ok());
        assert!(within_reason(&[axis("a=1").unwrap(), axis("a=2").unwrap()]).is_err());
        assert!(within_reason(&[axis("a=0:999:1").unwrap(), axis("b=0:999:1").unwrap()]).is_err());
    }
}
