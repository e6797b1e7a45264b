//! What is written is read back, and files of other programs are read.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use weir_formats::{Format, PatternFile, ReadError, Written, read, write};
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Algorithm, AllToAll, Entry, Gap, Script, Steps};

/// Writes a pattern and reads it again.
fn again(script: &Script, title: &str, format: Format, folder: &Path) -> PatternFile {
    let ending = if format == Format::Text { "pattern" } else { "parquet" };
    let path = folder.join("again").with_extension(ending);
    let file = std::fs::File::create(&path).unwrap();
    write(format, script, title, file).unwrap();
    read(&path).unwrap()
}

fn any_entry(rank: u32, ranks: u32) -> impl Strategy<Value = Entry> {
    let peer = (0..ranks - 1).prop_map(move |peer| Rank(if peer < rank { peer } else { peer + 1 }));
    (peer, 0..4, 0_u32..64, any::<u64>(), 0_u32..70, any::<u64>()).prop_map(
        |(peer, kind, size_bits, size, wait_bits, wait)| {
            let wait = Duration::from_ps(wait.checked_shr(wait_bits).unwrap_or(0));
            let bytes = Bytes((size >> size_bits) >> 8);
            match kind {
                0 => Entry::Send { to: peer, bytes, wait },
                1 => Entry::Post { to: peer, bytes, wait },
                2 => Entry::Pause { time: wait },
                _ => Entry::Await { from: peer },
            }
        },
    )
}

fn any_script() -> impl Strategy<Value = Script> {
    (2_u32..6).prop_flat_map(|ranks| {
        let list = move |rank| proptest::collection::vec(any_entry(rank, ranks), 0..8);
        let gaps = proptest::collection::vec(proptest::option::of(0.0..1e6), 8);
        let gaps = proptest::collection::vec(gaps, ranks as usize);
        let lists = (0..ranks).map(list).collect::<Vec<_>>();
        (lists, any::<bool>(), gaps).prop_map(|(lists, paced, mut gaps)| {
            // Only messages have gaps.
            for (list, gaps) in lists.iter().zip(&mut gaps) {
                let message = |i: usize| matches!(list.get(i), Some(Entry::Send { .. } | Entry::Post { .. }));
                (0..gaps.len()).filter(|&i| !(paced && message(i))).for_each(|i| gaps[i] = None);
                let last = gaps.iter().rposition(Option::is_some);
                gaps.truncate(last.map_or(0, |last| last + 1));
            }
            let gaps =
                gaps.into_iter().map(|list| list.into_iter().map(|gap| gap.and_then(Gap::new)).collect());
            Script::new(lists).unwrap().with_gaps(gaps.collect())
        })
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(script in any_script(), title in "[a-z#]{0,5}( [a-z0-9]{1,5}){0,2}") {
        let folder = tempfile::tempdir().unwrap();
        for format in [Format::Text, Format::Parquet] {
            let file = again(&script, &title, format, folder.path());
            prop_assert_eq!(&file.script, &script);
            prop_assert_eq!(file.title, title.trim());
        }
    }
}

/// More rows than a row group has: 400 x 399.
#[test]
fn a_large_pattern_comes_back_whole() {
    let pattern = AllToAll::new(400, Bytes(20_000), Algorithm::SimpleSpread, Steps::Synchronised).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for ending in ["pattern", "parquet"] {
        let path = folder.path().join("large").with_extension(ending);
        let format = Format::of_pattern(&path).unwrap();
        let written = write(format, &pattern, "", std::fs::File::create(&path).unwrap()).unwrap();
        assert_eq!(written, Written { entries: 2 * 400 * 399, messages: 400 * 399 });
        let script = read(&path).unwrap().script;
        assert_eq!(first.get_or_insert(script.clone()), &script);
        let read_again = |index| weir_workload::Sequence::entry(&script, Rank(7), index);
        let original = |index| weir_workload::Sequence::entry(&pattern, Rank(7), index);
        assert!((0..=2 * 399).all(|index| read_again(index) == original(index)));
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The files of `fixtures.py`, written by pyarrow.
#[test]
fn files_of_pyarrow_are_read() {
    let send = |to, bytes, ps| Entry::Send { to: Rank(to), bytes: Bytes(bytes), wait: Duration::from_ps(ps) };
    let receive = |from| Entry::Await { from: Rank(from) };
    let expected = |of_second: &[Entry]| {
        let first = vec![send(1, 20_000, 3_000_000), receive(2)];
        let last = vec![send(0, 1 << 40, 0), send(1, 7, 1500)];
        let script = Script::new(vec![first, of_second.to_vec(), last]).unwrap();
        Ok(PatternFile { title: "from pyarrow".into(), script })
    };
    // With the types that weir writes; rows out of order.
    assert_eq!(read(&fixture("exact.parquet")), expected(&[]));
    // Signed 64 bits, empty cells, a dictionary of kinds, a column too many; and a pause, which has no peer.
    let pause = Entry::Pause { time: Duration::from_ps(70) };
    assert_eq!(read(&fixture("loose.parquet")), expected(&[pause]));
    // Without order and wait.
    let short = Script::new(vec![vec![send(1, 5, 0), send(1, 6, 0)], vec![receive(0)]]).unwrap();
    assert_eq!(read(&fixture("short.parquet")).map(|file| file.script), Ok(short));
}

#[track_caller]
fn check_mistakes(name: &str, expected: &[&str]) {
    let Err(ReadError::Mistakes(mistakes)) = read(&fixture(name)) else { panic!("accepted") };
    let shown = mistakes.to_string();
    let agree =
        shown.lines().count() == expected.len() && shown.lines().zip(expected).all(|(a, b)| a.starts_with(b));
    assert!(agree, "expected {expected:#?}\n{shown}");
}

#[test]
fn mistakes_in_tables_are_reported_at_once() {
    check_mistakes(
        "wrong.parquet",
        &[
            "row 0: rank 0 cannot exchange messages with itself",
            "row 1: peer: there is no rank 9",
            "row 2: bytes = -4 must be a whole number, at least 0",
            "row 3: kind = \"recv\" must be \"send\", \"post\", \"await\" or \"pause\"",
            "row 4: rank is empty",
            "row 5: an await has neither bytes nor wait_ps",
            "row 7: rank 1 has an entry of order 6 already, in row 6",
        ],
    );
    check_mistakes(
        "headless.parquet",
        &[
            "file: the metadata of the file have no weir.pattern",
            "file: the metadata of the file have no weir.ranks",
            "file: the column kind must hold texts, not whole numbers",
            "file: the column peer is missing",
        ],
    );
}

#[test]
fn what_is_no_pattern_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert_eq!(read(&path("x.csv")), Err(ReadError::UnknownFormat));
    assert!(matches!(read(&path("x.pattern")), Err(ReadError::Unreadable(_))));
    std::fs::write(path("x.parquet"), "weir-pattern 1\nranks 2\n").unwrap();
    assert!(
        matches!(read(&path("x.parquet")), Err(ReadError::Unreadable(why)) if why.contains("not Parquet"))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_noticed() {
    for format in [Format::Text, Format::Parquet] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        assert!(write(format, &Script::new(vec![vec![]]).unwrap(), "", full).is_err());
    }
}

/// No room is made for what a dictionary only claims to have.
#[test]
fn a_dictionary_of_more_values_than_bytes_is_refused() {
    let mut damaged = std::fs::read(fixture("exact.parquet")).unwrap();
    // The header of the first page says: a dictionary (4c) of two values (15 04).
    assert_eq!(damaged[10..13], [0x4c, 0x15, 0x04]);
    damaged[12] = 0x7e;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    std::fs::write(&path, damaged).unwrap();
    let refused = read(&path).unwrap_err().to_string();
    assert!(refused.contains("a dictionary of 63 values in 8 bytes"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Whatever is damaged, a table is read or refused.
    #[test]
    fn a_damaged_table_does_no_harm(place: proptest::sample::Index, byte: u8, cut in 0_usize..40) {
        let whole = std::fs::read(fixture("exact.parquet")).unwrap();
        let mut damaged = whole.clone();
        *place.get_mut(&mut damaged) = byte;
        damaged.truncate(whole.len() - if cut < 30 { 0 } else { cut });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        std::fs::write(&path, damaged).unwrap();
        _ = read(&path);
    }
}
