//! Any single bit of a Parquet file may change: it is refused, or read as what it was.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use weir_formats::profile::{self, Profile};
use weir_formats::{Format, ReadError};
use weir_units::Bytes;
use weir_workload::{Algorithm, AllToAll, Steps};

/// Flips bit after bit of a file, one in so many; returns how many flips were taken for what the file was.
#[track_caller]
fn flip<T: PartialEq + Debug>(
    path: &Path,
    one_in: usize,
    read: impl Fn(&Path) -> Result<T, ReadError>,
) -> usize {
    let whole = std::fs::read(path).unwrap();
    let expected = read(path).unwrap();
    let mut taken = 0;
    for bit in (0..8 * whole.len()).step_by(one_in) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(path, flipped).unwrap();
        match read(path) {
            Ok(found) => {
                assert_eq!(found, expected, "bit {bit} of {}", 8 * whole.len());
                taken += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    // Cut off, and with something behind it.
    for length in (0..whole.len()).step_by(one_in) {
        std::fs::write(path, &whole[..length]).unwrap();
        assert!(read(path).is_err(), "{length} of {}", whole.len());
    }
    std::fs::write(path, [whole.as_slice(), b"0"].concat()).unwrap();
    assert!(read(path).is_err());
    taken
}

const GRAPH: &str = "weir-graph 1\ntitle by hand\nranks 2\ncommunicator 2: 1 0\n0 compute 3 us\n0 send 1 20 kB tag 7 requires\n\
    0 compute 5 us stream 1 requires 0 1\n0 allreduce 8 element 8 comm 2\n1 recv any 20 kB tag any begun\n1 allreduce 8 element 8 comm 2 begun 0\n";

const PROFILE: &str = "weir-profile 1\ntitle by hand\nranks 2\ncommunicator 2: 1 0\n0 compute 3 us\n\
    0 isend 1 20 kB tag 7 request 0\n0 wait 0\n0 allreduce 8 B element 8 comm 2\n0 end\n\
    1 recv any 20 kB tag any from 0 tagged 7\n1 allreduce 8 element 8 comm 2 took 1 ns\n";

fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("x.parquet")
}

#[test]
fn of_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let order = AllToAll::new(3, Bytes(1234), Algorithm::SimpleSpread, Steps::Synchronised).unwrap();
    weir_formats::write(
        Format::Parquet,
        &order,
        "three weir.seal ranks",
        std::fs::File::create(&path).unwrap(),
    )
    .unwrap();
    let taken = flip(&path, 1, weir_formats::read);
    // The name of the checksum and that of the writer: without them a file is one of another program.
    assert!(taken <= 8 * ("weir.seal".len() + "weir ".len()), "{taken}");
}

#[test]
fn of_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let text = folder.path().join("x.profile");
    std::fs::write(&text, PROFILE).unwrap();
    let read: Profile = profile::read(&text).unwrap();
    read.write(Format::Parquet, std::fs::File::create(&path).unwrap()).unwrap();
    // All kinds of bytes, in a third of the time.
    let taken = flip(&path, 3, profile::read);
    assert!(taken <= 8 * ("weir.seal".len() + "weir ".len()), "{taken}");
}

#[test]
fn of_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let graph = weir_formats::graph::read_text(GRAPH.as_bytes()).unwrap();
    graph.write_table(std::fs::File::create(&path).unwrap()).unwrap();
    // All kinds of bytes, in a third of the time.
    let read = |path: &Path| weir_formats::graph::read(path).map(|graph| crate::graphs::text_of(&graph));
    let taken = flip(&path, 3, read);
    assert!(taken <= 8 * ("weir.seal".len() + "weir ".len()), "{taken}");
}
