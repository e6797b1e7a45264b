//! Files of a few lines, of our own writing, in the forms of other tools.

use super::*;

/// Words in the sentence of each file.
const FILES: &[(&str, &[u8], &str)] = &[
    ("ring", b"\x7fELF\x02\x01\x01\0\0\0\0\0", "compiled program"),
    ("a.goal.gz", b"\x1f\x8b\x08\0\0\0", "compressed"),
    ("a.profile", b"weir-profile 4\nranks 2\n", "weir replay"),
    ("a.pattern", b"# of ours\nweir-pattern 1\nranks 2\n", "workload.file"),
    ("a.c", b"/* ours */\n#include <mpi.h>\nint main(void) { return 0; }\n", "weir cc"),
    ("a.f90", b"program a\n  use mpi_f08\nend\n", "weir cc"),
    ("job.sh", b"#!/bin/bash\n#SBATCH -N 4\nsrun ./a\n", "weir mpirun"),
    ("p.xml", b"<?xml version='1.0'?>\n<!-- ours -->\n<platform version=\"4.1\">\n</platform>\n", "SimGrid"),
    ("t.xml", b"<system version=\"1\">\n <cpu numaid=\"0\"/>\n</system>\n", "NCCL"),
    ("h.xml", b"<topology version=\"2.0\">\n <object type=\"Machine\"/>\n</topology>\n", "hwloc"),
    ("a.sdl", b"<sdl version=\"2.0\"/>\n", "SST"),
    ("anynet", b"router 0 node 0 router 1 10\nrouter 1 node 1\n", "anynet"),
    ("config", b"// ours\ntopology = torus;\nk = 4;\n", "configuration of BookSim"),
    ("a.topo", b"# ours\nNodes 8\nTiers 2\nPodsize 8\n", "htsim (.topo)"),
    ("a.cm", b"Nodes 8\nConnections 1\n0->3 id 1 start 0 size 1000\n", "htsim (.cm)"),
    ("n.yml", b"topology: [ Ring ]\nnpus_count: [ 8 ]\n", "network of ASTRA-sim"),
    ("n.json", b"{ \"topology\": [ \"Ring\" ], \"npus_count\": [ 4 ] }", "network of ASTRA-sim"),
    ("s.json", b"{ \"scheduling-policy\": \"LIFO\" }", "ASTRA-sim (JSON)"),
    (
        "w.txt",
        b"MICRO\n1\nconv -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1024 5\n",
        "a training step in text (ASTRA-sim 1.0, SimAI, AICB)",
    ),
    ("topology.txt", b"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n", "topology of ns-3"),
    ("flow.txt", b"1\n0 1 3 100 100000 2.0\n", "flows of ns-3"),
    ("config.txt", b"ENABLE_QCN 1\n", "configuration of ns-3"),
    ("a.conf", b"LPGROUPS\n{\n  MODELNET_GRP\n  {\n", "CODES"),
    ("a.yaml", b"schema_version: 1\n\ntopology:\n  format: groups\n", "CODES"),
    ("intra", b"\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0", "binary numbers"),
    ("fabric", b"vendid=0x1\nswitchguid=0x2(2)\nSwitch\t36 \"S-2\"\n", "InfiniBand"),
    ("topology.conf", b"SwitchName=s0 Nodes=n[0-3]\n", "Slurm"),
    ("a.dot", b"digraph {\n  a -> b;\n}\n", "Graphviz"),
    ("a.gml", b"graph [\n node [ id 0 ]\n]\n", "GML"),
    ("a.net", b"*Vertices 2\n1 \"a\"\n", "Pajek"),
    ("adjacency.json", b"{\"directed\": false, \"nodes\": [], \"adjacency\": []}", "node_link_data"),
    ("graph.json", b"{\"directed\": false, \"nodes\": [], \"edges\": []}", "topology.file"),
    ("a.graphml", b"<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\"><graph/></graphml>", "topology.file"),
    ("a.csv", b"# ours\nsource,target,bandwidth\na,b,1 GB/s\n", "topology.file"),
    ("a.goal", b"num_ranks 2\n\nrank 0 {\nl1: send 1b to 1 tag 0\n}\n", "GOAL"),
    ("a.bin", b"\x7f\x10\0\0\0\0\0\0\x02\0\0\0", "GOAL, compiled"),
    ("a.0.et", b"\x07\x0a\x050.0.4\x08\x12\x03abc\x42\x01\x01", "Chakra"),
    ("old.0.et", b"\x09\x12\x05a_b_c\x18\x04", "Chakra"),
    ("kineto.json", b"{\"schemaVersion\": 1, \"traceEvents\": []}", "PyTorch"),
    ("m.xml", b"<algo name=\"a\" ngpus=\"2\">\n</algo>\n", "(MSCCL XML)"),
    (
        "perf.jsonl",
        b"{\"name\":\"allgather\", \"algBw\":291.52}",
        "a log of MSCCL++, which weir does not read",
    ),
    ("load.log", b"NetworkLoad Tests v1.3\n", "a log of GPCNeT, which weir does not read"),
    ("m.json", b"{\"name\": \"a\", \"collective\": \"allreduce\", \"gpus\": []}", "MSCCL++"),
    ("traces.otf2", b"\x03BOTF2\0\x03", "OTF2"),
    ("a.bin", b"\xff\xaa\xddDUMPI\0", "DUMPI"),
    ("a.meta", b"hostname=a\nnumprocs=4\nfileprefix=a\n", "DUMPI"),
    ("rank-0.txt", b"# collprof 0.9 output file\nMPI_Init:0:1\n", "liballprof"),
    ("a.prv", b"#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1)\n", "Paraver"),
    ("a.cfg", b"#DIMEMAS_CONFIGURATION\n", "a configuration of Dimemas"),
    ("a.dim", b"#DIMEMAS:\"a\":1,0:1(1)\n", "a trace of Dimemas"),
    ("view.cfg", b"#ParaverCFG\nConfigFile.Version: 3.4\n", "no trace but a view"),
    ("0.evt", b"\x03B\x01\0\0\0\0\0\0\0", "an archive of OTF2"),
    ("a.trace", b"%EventDef PajeDefineContainerType 0\n", "Paje"),
    ("actions.txt", b"0 init\n0 send 1 0 1e6\n", "actions of SimGrid"),
    ("a.load", b"[JOB_ID] 1\n[MOTIF] Init\n", "Ember"),
    ("a.py", b"import sst\n", "SST (Python)"),
    ("first.cc", b"#include \"ns3/core-module.h\"\n", "program of ns-3"),
    ("first.py", b"from ns import ns\n", "program of ns-3"),
    ("b.py", b"print(1)\n", "Python"),
    ("a.ini", b"node {\n app1 {\n  size = 1\n }\n}\n", "SST/macro"),
    ("hosts", b"node01 slots=4\nnode02 slots=4\n", "mapping.file"),
    ("osu.log", b"# OSU MPI Latency Test v7.0\n# Size Latency (us)\n1 1.0\n", "weir calibrate"),
    ("imb.log", b"#----\n#    Intel(R) MPI Benchmarks 2021\n", "weir calibrate"),
    ("nccl.log", b"# nThread 1 nGpus 1 minBytes 8\n", "weir calibrate"),
];

#[test]
fn files_are_recognized_by_what_is_in_them() {
    for (name, bytes, words) in FILES {
        let found = of(Path::new(name), bytes, FORMS).or_else(|| of(Path::new(name), bytes, OWN));
        let found = found.unwrap_or_else(|| panic!("{name} is not recognized"));
        assert!(found.contains(words), "{name}: {found}");
    }
}

#[test]
fn sentences_go_on_from_the_name_of_a_file() {
    for form in FORMS.iter().chain(OWN) {
        let sentence = form.sentence;
        assert!(
            sentence.starts_with("is ") && !sentence.ends_with('.') && sentence.len() < 500,
            "{sentence}"
        );
        assert!(
            sentence.contains("weir")
                || sentence.contains("topology.kind")
                || sentence.contains("workload.kind"),
            "{sentence}"
        );
    }
}

#[test]
fn own_files_and_plain_text_are_not_recognized() {
    let own: &[&[u8]] = &[
        b"[topology]\nkind = \"torus\"\nshape = [4]\n",
        b"title = \"a\"\n[workload]\nkind = \"ring\"\n",
        b"",
        b"\n",
        b"some words\nand others\n",
        b"1 2 3\n4 5 6\n",
        b"{\"title\": \"a\", \"workload\": {\"kind\": \"ring\"}}",
    ];
    for bytes in own {
        let found = [FORMS, OWN].map(|forms| of(Path::new("a.toml"), bytes, forms));
        assert_eq!(found, [None, None], "{}", String::from_utf8_lossy(bytes));
    }
    for shipped in crate::SHIPPED.iter().filter(|shipped| shipped.path.ends_with(".toml")) {
        let found = [FORMS, OWN].map(|forms| of(Path::new(shipped.path), shipped.text.as_bytes(), forms));
        assert_eq!(found, [None, None], "{}", shipped.path);
    }
}

/// Of a file on a disk the first 64 KiB are looked at, whose last line may be cut.
#[test]
fn the_beginning_of_a_file_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (path, row) = (folder.path().join("network"), "router 123456 node 0\n");
    for (text, is_known) in [
        (row.to_owned(), true),
        (row.repeat(4000), true),
        (format!("{row}router\n"), false),
        (String::new(), false),
    ] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(file(&path).is_some(), is_known);
    }
    assert!(file(folder.path()).is_none());
}
