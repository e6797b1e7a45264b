//! Logs of OSU Micro-Benchmarks: a head `# OSU MPI Allreduce Latency Test v7.3`, a line of column names that begins with
//! `# Size`, and lines of bytes and microseconds. With `-f` there are also the least and the greatest time over ranks:
//! then the greatest counts, which is what weir predicts.

use super::Found;
use super::log::Time;
use super::setting::Setting;

pub(super) fn read(file: &str, text: &str, mut setting: Setting) -> Found {
    let mut found = Found::default();
    let mut test = "";
    let mut column = 1;
    for (line, number) in text.lines().zip(1..) {
        if found.says_where(file, number, line, &mut setting) {
            continue;
        }
        if let Some(title) = line.trim().strip_prefix("# OSU MPI ") {
            test = title.split(" Latency").next().unwrap_or(title);
            test = test.split(" Test v").next().unwrap_or(test);
            // The point-to-point test is only called that.
            test = if title.starts_with("Latency") { "latency" } else { test };
            column = usize::from(test != "Barrier");
        } else if line.trim_start().starts_with("# Size") || line.trim_start().starts_with("# Avg") {
            column = time_column(line, column);
        } else if !line.trim_start().starts_with('#') {
            let words: Vec<&str> = line.split_whitespace().collect();
            let bytes =
                if test == "Barrier" { Some(0) } else { words.first().and_then(|word| word.parse().ok()) };
            let time = words.get(column).and_then(|word| word.parse().ok());
            match (bytes, time) {
                (Some(bytes), Some(microseconds)) => {
                    let time = Time { line: number, operation: test, bytes, is_whole: false, microseconds };
                    found.add(file, &time, &setting);
                }
                _ => found.unread(number, line, "a row of bytes and microseconds"),
            }
        }
    }
    found
}

/// Which column has the time over all ranks: names stand two blanks apart.
fn time_column(head: &str, otherwise: usize) -> usize {
    let names =
        head.trim_start_matches(['#', ' ']).split("  ").map(str::trim).filter(|name| !name.is_empty());
    let mut names = names.enumerate();
    names.find(|(_, name)| name.starts_with("Max Lat")).map_or(otherwise, |(place, _)| place)
}
