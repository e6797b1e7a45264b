//! Logs of Intel MPI Benchmarks (IMB-MPI1): for each benchmark a head with `# Benchmarking Bcast` and `# #processes = 8`, a
//! line of column names that begins with `#bytes`, and lines of numbers. The greatest time over ranks counts, where it
//! is printed, which is what weir predicts.

use super::Found;
use super::log::Time;
use super::setting::Setting;

pub(super) fn read(file: &str, text: &str, mut setting: Setting) -> Found {
    let mut found = Found::default();
    let mut benchmark = String::new();
    let mut columns: Option<(Option<usize>, usize)> = None;
    for (line, number) in text.lines().zip(1..) {
        if found.says_where(file, number, line, &mut setting) {
            continue;
        }
        let line = line.trim();
        if let Some(name) = line.strip_prefix("# Benchmarking ") {
            name.trim().clone_into(&mut benchmark);
            columns = None;
        } else if let Some(processes) = line.trim_start_matches(['#', ' ']).strip_prefix("processes =") {
            let count = processes.split_whitespace().next().unwrap_or_default();
            if let Err(what) = setting.put("ranks", count) {
                found.wrong_line(file, number, crate::Mistake::new("", what));
            }
        } else if line.starts_with("#bytes") || line.starts_with("#repetitions") {
            columns = numbers(line);
        } else if let Some((bytes, time)) = columns.filter(|_| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let bytes = bytes.map_or(Some(0), |place| words.get(place)?.parse().ok());
            let time = words.get(time).and_then(|word| word.parse().ok());
            match (bytes, time) {
                (Some(bytes), Some(microseconds)) => {
                    let (line, operation) = (number, benchmark.as_str());
                    found.add(
                        file,
                        &Time { line, operation, bytes, is_whole: false, microseconds },
                        &setting,
                    );
                }
                _ => found.unread(number, line, "a row of numbers as the head above it has them"),
            }
        } else if line.starts_with(|letter: char| letter.is_ascii_digit()) {
            found.left_out.add(format!("weir has no benchmark of {benchmark}"), number);
        }
    }
    found
}

/// Where bytes (a barrier has none) and times stand.
fn numbers(head: &str) -> Option<(Option<usize>, usize)> {
    let names: Vec<&str> = head.split_whitespace().collect();
    let place = |wanted: &str| names.iter().position(|name| name.starts_with(wanted));
    let time = place("t_max").or_else(|| place("t_avg")).or_else(|| place("t["))?;
    Some((place("#bytes"), time))
}
