//! Files that are damaged: cut off, changed, with lines twice or missing, of other endings of lines. Whatever is in them, they are read or refused, with a sentence.
//!
//! `WEIR_FOREIGN_FILES` names a folder of further files to begin with, and `WEIR_FOREIGN_ROUNDS` how often each is damaged.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use weir_foreign::{Given, Hop, Imported, Machine, Mistake, Reader, Writer};
use weir_formats::graph::{GraphFile, read_text};
use weir_units::{Bandwidth, Bytes, GOLDEN, mix};

/// A small file of each format that is a text.
const SEEDS: [(&str, &str); 19] = [
    (
        "cluster.xml",
        "<?xml version='1.0'?>\n<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n  <cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" bb_bw=\"2GBps\" bb_lat=\"1us\"/>\n</zone>\n</platform>\n",
    ),
    (
        "routes.xml",
        "<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Floyd\">\n  <host id=\"a\" speed=\"1Gf\"/>\n  <host id=\"b\" speed=\"1Gf\"/>\n  <router id=\"r\"/>\n  <link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n  <link id=\"m\" bandwidth=\"125MBps\" latency=\"50us\"/>\n  <route src=\"a\" dst=\"r\"><link_ctn id=\"l\"/></route>\n  <route src=\"r\" dst=\"b\"><link_ctn id=\"m\"/></route>\n</zone>\n</platform>\n",
    ),
    (
        "torus.xml",
        "<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"n\" suffix=\".x\" radical=\"0-11\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" topology=\"TORUS\" topo_parameters=\"3,2,2\"/>\n</platform>\n",
    ),
    (
        "fabric",
        "vendid=0x1\ndevid=0x2\nswitchguid=0x10(10)\nSwitch\t36 \"S-10\"\t# \"leaf\" base port 0 lid 1 lmc 0\n[1]\t\"H-20\"[1](21) \t# \"a HCA-1\" lid 2 4xQDR\n[2]\t\"H-30\"[1](31) \t# \"b HCA-1\" lid 3 4xQDR\n\nvendid=0x1\ncaguid=0x20\nCa\t1 \"H-20\"\t# \"a HCA-1\"\n[1](21) \t\"S-10\"[1]\t# lid 2 lmc 0 \"leaf\" lid 1 4xQDR\n\nvendid=0x1\ncaguid=0x30\nCa\t1 \"H-30\"\t# \"b HCA-1\"\n[1](31) \t\"S-10\"[2]\t# lid 3 lmc 0 \"leaf\" lid 1 4xQDR\n",
    ),
    ("topology.conf", "SwitchName=s[1-2] Nodes=n[0-3,7]\nSwitchName=t Switches=s[1-2]\n"),
    ("anynet", "router 0 node 0 node 1 router 1 10\nrouter 1 node 2 3\n"),
    (
        "network.yml",
        "# ours\ntopology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 1000 ]\n",
    ),
    (
        "system.json",
        "{ \"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"all-reduce-implementation\": [\"ring\"] }\n",
    ),
    ("topology.txt", "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 400Gbps 0.5us 0\n"),
    (
        "tiers.topo",
        "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 400\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 400\nRadix_Down 4\nDownlink_Latency_ns 1000\n",
    ),
    (
        "matrix.cm",
        "Nodes 4\nConnections 2\nTriggers 1\n0->3 id 1 start 0 size 1000000 send_done_trigger 1\n0->2 id 2 trigger 1 size 1000\ntrigger id 1 oneshot\n",
    ),
    (
        "two.goal",
        "num_ranks 2\nrank 0 {\nl2 requires l1\nl1: calc 3000\nl2: send 20000b to 1 tag 7\nl3: calc 50000 cpu 1\nl3 irequires l2\n}\nrank 1 {\nl1: recv 20000b from -1 tag 7\n}\n",
    ),
    (
        "actions.txt",
        "0 init\n1 init\n0 compute 1e6\n0 isend 1 7 1e4\n0 wait 0 1 7\n1 irecv 0 7 1e4\n1 wait 0 1 7\n0 allreduce 8 1e3\n1 allreduce 8 1e3\n0 alltoallv 4 2 2 4 2 2\n1 alltoallv 4 2 2 4 2 2\n0 finalize\n1 finalize\n",
    ),
    (
        "step.txt",
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n2\na -1 3000 ALLGATHER 1000 2000 NONE 0 1000 ALLREDUCE 100000 10\nb -1 3000 NONE 0 2000 ALLTOALL_EP 64 1000 REDUCESCATTER 100000 10\n",
    ),
    (
        "pair.xml",
        "<algo name=\"pair\" nchunksperloop=\"2\" ngpus=\"2\">\n<gpu id=\"0\"><tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">\n<step s=\"0\" type=\"s\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/>\n<step s=\"1\" type=\"r\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/></tb></gpu>\n<gpu id=\"1\"><tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">\n<step s=\"0\" type=\"s\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/>\n<step s=\"1\" type=\"r\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/></tb></gpu></algo>\n",
    ),
    (
        "jobs.swf",
        "; Version: 2.2\n1 0 5 100 4 -1 -1 4 200 -1 1 1 1 1 1 -1 -1 -1\n2 10 0 50 8 -1 -1 8 60 -1 1 1 1 1 1 -1 -1 -1\n",
    ),
    (
        "sacct.txt",
        "JobID|Submit|Start|End|NNodes\n1|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:01:00|4\n1.0|2026-01-01T00:00:05|2026-01-01T00:00:05|2026-01-01T00:01:00|4\n",
    ),
    ("jobs.csv", "submit,nodes,duration\n0 s,4,100 s\n5 s,2,1 min\n"),
    (
        "run.prv",
        "#Paraver (01/01/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n1:1:1:1:1:0:100:1\n1:2:1:2:1:0:100:1\n2:1:1:1:1:10:50000003:31\n2:1:1:1:1:20:50000003:0\n2:1:1:1:1:100:50000001:1\n3:1:1:1:1:100:110:2:1:2:1:100:150:64:7\n2:1:1:1:1:120:50000001:0\n2:2:1:2:1:100:50000001:2\n2:2:1:2:1:160:50000001:0\n",
    ),
];

/// Numbers that look random and are the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        let draw = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        (draw % below.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.next(all.len())]
    }
}

/// Words that have broken readers.
const WORDS: [&str; 27] = [
    "0",
    "-1",
    "1",
    "2",
    "7",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
    "16777216",
    "2147483647",
    "-2147483648",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "1e400",
    "9e18",
    "4e18",
    "9223372036854775807",
    "0.5",
    "",
    "[0-999999999]",
    "\u{e9}",
    "\"",
    "<",
    "=",
];

/// The file, damaged in one way or several.
fn damaged(good: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..[1, 1, 1, 2, 4][numbers.next(5)] {
        if bytes.is_empty() {
            return bytes;
        }
        match numbers.next(12) {
            0 => bytes.truncate(numbers.next(bytes.len())),
            1 => {
                let at = numbers.next(bytes.len());
                bytes[at] ^= 1 << numbers.next(8);
            }
            2 => {
                let at = numbers.next(bytes.len());
                bytes[at] = [0, 0xff, b'\n', b' ', b'-', b'9'][numbers.next(6)];
            }
            3 => {
                let (from, to) = (numbers.next(bytes.len()), numbers.next(bytes.len()));
                bytes.drain(from.min(to)..from.max(to).min(from.min(to) + 200));
            }
            4 => bytes = [b"\xef\xbb\xbf", &bytes[..]].concat(),
            5 => bytes = String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes(),
            6..=8 => word(&mut bytes, numbers),
            _ => line(&mut bytes, numbers),
        }
    }
    bytes
}

/// Another word in the place of one of a text.
fn word(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
    let at = numbers.next(bytes.len());
    let before = bytes[..at].iter().rev().take_while(|byte| is_part(byte)).count();
    let behind = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
    let new = numbers.of(&WORDS).as_bytes().to_vec();
    bytes.splice(at - before..at + behind, new);
}

/// A line twice, elsewhere or no more.
fn line(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (from, to) = (numbers.next(lines.len()), numbers.next(lines.len()));
    match numbers.next(3) {
        0 => _ = lines.remove(from),
        1 => lines.insert(to, lines[from].clone()),
        _ => lines.swap(from, to),
    }
    *bytes = lines.join(&b'\n');
}

fn given(skip: bool) -> Given {
    Given {
        bandwidth: Bandwidth::new(1e10),
        latency: Some(weir_units::Duration::from_ns(100)),
        speed: Some(1e9),
        message_size: Some(Bytes(1 << 20)),
        ranks: Some(8),
        group: Some(2),
        processors_per_node: Some(2),
        skip,
    }
}

/// Reads a file as whatever it is, and looks at what came of it.
fn read(path: &Path, skip: bool) {
    let Some(format) = weir_foreign::recognize(path) else { return };
    let text = || String::from_utf8(fs::read(path).unwrap()).ok();
    let wrong = match format.reader {
        Some(Reader::Work(reader)) => look(reader.read(path, given(skip)), |graph| work(&graph)),
        Some(Reader::Machine(reader)) => {
            text().and_then(|text| look(reader.read(&text, given(skip)), |found| machine(&found)))
        }
        Some(Reader::Pattern(reader)) => {
            text().and_then(|text| look(reader.read(&text, given(skip)), |_| ()))
        }
        Some(Reader::Keys(reader)) => text().and_then(|text| look(reader.read(&text, given(skip)), |_| ())),
        Some(Reader::Jobs(reader)) => text().and_then(|text| look(reader.read(&text, given(skip)), |_| ())),
        None => None,
    };
    for mistake in wrong.into_iter().flatten() {
        assert!(mistake.what.len() > 8, "{} says {mistake:?}", format.name);
    }
}

fn look<T>(read: Result<Imported<T>, Vec<Mistake>>, good: impl FnOnce(T)) -> Option<Vec<Mistake>> {
    match read {
        Ok(imported) => {
            good(imported.made);
            None
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty());
            Some(mistakes)
        }
    }
}

/// A graph of work is written in all forms, or said not to be.
fn work(graph: &GraphFile) {
    let sink = &mut std::io::sink();
    if graph.tasks.ranks() <= 1000 && graph.tasks.len() <= 10_000 {
        let [mut once, mut twice] = [Vec::new(), Vec::new()];
        graph.write(&mut once).unwrap();
        let text = String::from_utf8(once).unwrap();
        read_text(text.as_bytes()).unwrap().write(&mut twice).unwrap();
        assert_eq!(String::from_utf8(twice).unwrap(), text);
    }
    for format in weir_foreign::FORMATS {
        match format.writer {
            Some(Writer::Work(writer)) => _ = writer(graph, &mut *sink).unwrap(),
            Some(Writer::Ranks { one, beside }) => {
                let ranks = graph.tasks.ranks();
                _ = beside(graph);
                for rank in (0..ranks.min(4)).chain(ranks.checked_sub(1)) {
                    _ = one(graph, rank, &mut *sink).unwrap();
                }
            }
            _ => {}
        }
    }
}

/// Cables end at vertices, and routes are some.
fn machine(machine: &Machine) {
    let count = machine.vertices.len() as u32;
    assert_eq!(machine.lines.len(), count as usize);
    assert!(machine.cables.iter().all(|cable| cable.from < count && cable.to < count));
    let nodes: Vec<u32> = (0..)
        .zip(&machine.vertices)
        .filter(|(_, vertex)| vertex.kind == weir_topology::VertexKind::Node)
        .map(|(number, _)| number)
        .take(6)
        .collect();
    let mut hops: Vec<Hop> = Vec::new();
    for (&from, &to) in nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to))) {
        if let Some(routes) = machine.routes.as_deref().filter(|_| from != to) {
            routes.route(from, to, &mut hops);
            assert!(hops.iter().all(|hop| hop.router < count));
        }
    }
}

/// All files of a folder, and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Damages a file again and again, beside all others of its folder, which may be read with it, and reports what breaks or takes too long.
fn all_of(good: &Path, rounds: u64, report: &mut String) {
    let folder = tempfile::tempdir().unwrap();
    let name = good.file_name().unwrap();
    for other in fs::read_dir(good.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()) {
        let place = folder.path().join(other.file_name().unwrap());
        if other.is_dir() {
            _ = std::os::unix::fs::symlink(&other, place);
        } else if other != good {
            fs::copy(&other, place).unwrap();
        }
    }
    let path = folder.path().join(name);
    let bytes = fs::read(good).unwrap();
    if weir_foreign::recognize(good).is_none() {
        return;
    }
    for round in 0..=rounds {
        let bad = if round == 0 { bytes.clone() } else { damaged(&bytes, &mut Numbers(round)) };
        fs::write(&path, &bad).unwrap();
        let began = Instant::now();
        let result = std::panic::catch_unwind(|| read(&path, round % 2 == 1));
        if result.is_err() || began.elapsed() > Duration::from_secs(10) {
            let kept = std::env::temp_dir().join(format!("weir-damaged-{round}-{}", name.display()));
            fs::write(&kept, &bad).unwrap();
            writeln!(report, "{} round {round}: {:?}; {}", good.display(), began.elapsed(), kept.display())
                .unwrap();
            if report.lines().count() > 40 {
                return;
            }
        }
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut report = String::new();
    for (name, text) in SEEDS {
        let own = folder.path().join(format!("of-{name}"));
        fs::create_dir(&own).unwrap();
        let path = own.join(name);
        fs::write(&path, text).unwrap();
        fs::write(own.join("run.pcf"), "EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n0 Outside MPI\n\nEVENT_TYPE\n9 50000003 MPI Other\nVALUES\n31 MPI_Init\n0 Outside MPI\n").unwrap();
        assert!(weir_foreign::recognize(&path).is_some(), "{name}");
        all_of(&path, 200, &mut report);
    }
    if let Some(more) = std::env::var_os("WEIR_FOREIGN_FILES") {
        let rounds = std::env::var("WEIR_FOREIGN_ROUNDS").map_or(20, |rounds| rounds.parse().unwrap());
        for path in files(Path::new(&more)) {
            all_of(&path, rounds, &mut report);
        }
    }
    assert!(report.is_empty(), "{report}");
}
