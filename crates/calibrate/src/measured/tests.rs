use super::*;

fn read(text: &str) -> Measured {
    Measured::read("log.txt", text, &Reading::default()).unwrap()
}

/// The rows in words, with microseconds.
fn rows(measured: &Measured) -> Vec<(String, f64)> {
    measured.rows.iter().map(|row| (row.name(), (row.seconds * 1e12).round() / 1e6)).collect()
}

fn mistakes(text: &str) -> String {
    Measured::read("log.txt", text, &Reading::default()).unwrap_err().to_string()
}

const OSU: &str = "\
# weir: nodes = 4, ranks_per_node = 2, algorithm = ring

# OSU MPI Allreduce Latency Test v7.3
# Datatype: MPI_INT.
# Size       Avg Latency(us)
4                       3.25
8                       3.31
# weir: algorithm = bruck
# OSU MPI All-to-All Personalized Exchange Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       5.00              4.00              6.50        1000
# weir: algorithm = default
# OSU MPI Barrier Latency Test v7.3
# Avg Latency(us)
             2.75
# weir: ranks = 2
# OSU MPI Latency Test v7.3
# Size          Latency (us)
0                       0.95
1024                    1.50
";

#[test]
fn osu_logs_are_read() {
    let set = ", mapping.ranks_per_node=2, workload.ranks=8";
    let expected = [
        (format!("allreduce ring, 4 B{set}"), 3.25),
        (format!("allreduce ring, 8 B{set}"), 3.31),
        (format!("alltoall bruck, 8 B{set}"), 6.5),
        (format!("barrier, 0 B{set}"), 2.75),
        ("pingpong, 0 B, mapping.ranks_per_node=2, workload.ranks=2".to_owned(), 0.95),
        ("pingpong, 1024 B, mapping.ranks_per_node=2, workload.ranks=2".to_owned(), 1.5),
    ];
    let measured = read(OSU);
    assert_eq!((rows(&measured), measured.left_out.count()), (expected.to_vec(), 0));
    // OSU says nowhere how many ranks there are.
    let error = mistakes(&OSU.replace("nodes = 4, ", ""));
    assert!(error.contains("log.txt:12: how many ranks took part in All-to-All"), "{error}");
    let error = mistakes(&OSU.replace("nodes = 4", "node = 4"));
    assert!(error.contains("log.txt:1: node: neither a key nor one of nodes, ranks_per_node"), "{error}");
    let error = mistakes(&OSU.replace("3.31", "0.00"));
    assert!(error.contains("log.txt:7: 0 us: a measured time is above 0"), "{error}");
}

const IMB: &str = "\
#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#------------------------------------------------------------
# List of Benchmarks to run:

# PingPong
# Allgather
# Barrier

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.12         0.00
         1024         1000         1.85       553.51

#----------------------------------------------------------------
# Benchmarking Allgather
# #processes = 8
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.04         0.03
          128         1000         6.10         6.40         6.25

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 8
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         3.90         4.00         3.95


# All processes entering MPI_Finalize
";

#[test]
fn imb_logs_are_read() {
    let measured = read(IMB);
    let expected = [
        ("pingpong, 0 B, workload.ranks=2".to_owned(), 1.12),
        ("pingpong, 1024 B, workload.ranks=2".to_owned(), 1.85),
        ("allgather, 1024 B, workload.ranks=8".to_owned(), 6.4),
        ("barrier, 0 B, workload.ranks=8".to_owned(), 4.0),
    ];
    assert_eq!(rows(&measured), expected);
    // A collective of nothing is left out: libraries return at once.
    let reasons: Vec<_> = measured.left_out.reasons().collect();
    assert_eq!(reasons, [("allgather of 0 bytes", &[24][..])]);
}

/// Everything that looks like a row of numbers and is none is named with its line; what a batch system writes below is no row.
#[test]
fn rows_that_cannot_be_read_are_named() {
    let log = "# OSU MPI Broadcast Latency Test v7.4\n# Size       Avg Latency(us)\n# weir: ranks = 4\n1  1,23\n2  1.25\n\
               1024  4.5us\n2048 5.0\n4096 6.0\n8 Kb 7\nSTART OF JOBSPEC\n{\"a\": 1}\n";
    let left_out = |text: &str| -> Vec<(String, Vec<usize>)> {
        let measured = read(text);
        measured.left_out.reasons().map(|(reason, lines)| (reason.to_owned(), lines.to_vec())).collect()
    };
    let expected = [
        ("\"1  1,23\" is not a row of bytes and microseconds".to_owned(), vec![4]),
        ("\"1024  4.5us\" is not a row of bytes and microseconds".to_owned(), vec![6]),
        ("\"8 Kb 7\" is not a row of bytes and microseconds".to_owned(), vec![9]),
    ];
    assert_eq!(left_out(log), expected);
    assert_eq!(left_out(&IMB.replace("553.51", "553.51\n         2048         1000         x")).len(), 2);
    let bandwidth = "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n1  0.00\n2  1.55\n";
    assert_eq!(left_out(bandwidth), [("weir has no benchmark of Bandwidth".to_owned(), vec![3, 4])]);
}

/// A log that does not say how many ranks took part needs the option, once for each operation.
#[test]
fn ranks_are_asked_for() {
    let log = "# OSU MPI Allreduce Latency Test v5.8\n# Size  Avg Latency(us)\n4 1843.35\n8 1900.26\n";
    let error = mistakes(log);
    assert!(error.starts_with("log.txt:3: how many ranks took part in Allreduce is not said"), "{error}");
    assert!(error.contains("hint: give --ranks 8") && !error.contains("log.txt:4"), "{error}");
    let reading = Reading { ranks: Some(12288), ..Reading::default() };
    let measured = Measured::read("log.txt", log, &reading).unwrap();
    assert_eq!(measured.rows[1].name(), "allreduce, 8 B, workload.ranks=12288");
}

const NCCL: &str = "\
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 8388608 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    120.3    8.72   15.25      0    119.9    8.75   15.30      0
     2097152        524288     float     sum      -1    171.2   12.25   21.44      0    170.0   12.34   21.59      0
     8388608       2097152     float     sum      -1    420.1   19.97   34.94      3    419.2   20.01   35.02      0
# Out of bounds values : 0 OK
";

/// 34.94 over 19.97 is 1.7496 = 2 * 7 / 8: an all-reduce of eight ranks. A row with wrong values is none.
#[test]
fn logs_of_nccl_are_read() {
    let measured = read(NCCL);
    let expected = [
        ("allreduce, 1048576 B, workload.ranks=8".to_owned(), 120.3),
        ("allreduce, 2097152 B, workload.ranks=8".to_owned(), 171.2),
    ];
    assert_eq!(rows(&measured), expected);
    assert!(measured.notes[0].contains("the test of line 6 is taken for 8 ranks"), "{:?}", measured.notes);
    let reasons: Vec<_> = measured.left_out.reasons().collect();
    assert_eq!(reasons, [("allreduce: the test found wrong values", &[8][..])]);

    // Newer versions say what the test is, and all list devices; the sizes of an all-gather are whole vectors.
    let devices = "# Collective test starting: all_gather_perf\n# Using devices\n\
                   #  Rank  0 Group  0 Pid 1 on a device  0 [0000:1b:00] X\n#  Rank  1 Group  0 Pid 2 on b device  0 [0000:1b:00] X\n";
    let gather = NCCL.replace("sum ", "none").replace("float", "double");
    let text = format!("{devices}{gather}# Collective test starting: sendrecv_perf\n{gather}");
    let measured = read(&text);
    assert_eq!(measured.rows[0].name(), "allgather, 1048576 B, workload.ranks=2");
    let reasons: Vec<_> = measured.left_out.reasons().map(|(reason, lines)| (reason, lines.len())).collect();
    assert_eq!(
        reasons,
        [
            ("all_gather: the test found wrong values", 1),
            ("sendrecv: the test found wrong values", 1),
            ("weir has no benchmark of sendrecv", 2)
        ]
    );

    // Columns are missing in older versions, with their values.
    let old = "# nThread 1 nGpus 2 minBytes 1 maxBytes 2\n#   Rank  0 Pid 1 on x device  0 [0x00] A\n#   Rank  1 Pid 1 on x device  1 [0x00] A\n\
               #       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n\
               0 0 float 1.63 0.00 0.00 N/A 1.38 0.00 0.00 N/A\n1024 32 float 35.38 0.03 0.03 N/A 34.53 0.03 0.03 N/A\n";
    assert!(mistakes(old).contains("which collective was measured is not said"), "{}", mistakes(old));
    let measured = read(&format!("# weir: operation = alltoall\n{old}"));
    assert_eq!(rows(&measured), [("alltoall, 1024 B, workload.ranks=2".to_owned(), 35.38)]);
}

#[test]
fn names_of_operations() {
    for (name, expected) in [
        ("MPI_Allreduce", Some("allreduce")),
        ("Reduce_scatter", Some("reduce_scatter")),
        ("Reduce-scatter", Some("reduce_scatter")),
        ("reduce_scatter_block", Some("reduce_scatter")),
        ("Broadcast", Some("bcast")),
        ("All-to-All Personalized Exchange", Some("alltoall")),
        ("PingPong", Some("pingpong")),
        ("ping-pong", Some("pingpong")),
        ("Exscan", None),
    ] {
        assert_eq!(Operation::named(name).map(Operation::name), expected, "{name}");
    }
}

#[test]
fn tables_are_read() {
    let text = "\u{feff}# by hand\ncollective, bytes ,median_us,p10,job_shape,algorithm,mapping.kind\n\
                bcast,1024,2.5,2,2x3x4,knomial,random\nallreduce,8,1,1,,default,\n";
    let measured = Measured::read("t.csv", text, &Reading::default()).unwrap();
    let names: Vec<String> = measured.rows.iter().map(Row::name).collect();
    let set = "topology.shape=[2,3,4], mapping.kind=random, workload.ranks=24";
    assert_eq!(names, [format!("bcast knomial, 1024 B, {set}"), "allreduce, 8 B".to_owned()]);
    assert_eq!(measured.ignored, ["p10"]);
    assert!((measured.rows[0].seconds / 2.5e-6 - 1.0).abs() < 1e-12);
    assert_eq!(measured.rows[1].line, 4);
}

/// Names are those of the preset, or of the one in a column; what is not published is left out with its reason.
#[test]
fn algorithms_have_the_names_of_the_preset() {
    let text = "collective,algorithm,bytes,time_us,nodes,collectives.preset\n\
                bcast,binomial,8,1,8,\nbcast,bintree6d,8,1,8,\ngather,simple,8,1,8,\ngather,simple,8,1,8,open-mpi\n\
                gather,in_order,8,1,8,\n";
    let measured =
        Measured::read("t.csv", text, &Reading { preset: Preset::Fujitsu, ..Reading::default() }).unwrap();
    let names: Vec<_> = measured.rows.iter().map(|row| row.algorithm.clone().unwrap()).collect();
    assert_eq!(names, ["binomial", "simple"]);
    let reasons: Vec<_> = measured.left_out.reasons().collect();
    let expected: [(&str, &[usize]); 3] = [
        ("bcast bintree6d is an algorithm of Fujitsu MPI whose steps are not published", &[3]),
        ("gather has no algorithm in_order", &[6]),
        ("gather has no algorithm simple with collectives.preset = open-mpi, but with fujitsu", &[5]),
    ];
    assert_eq!(reasons, expected);
}

/// A job is the machine's shape, or, where the machine folds jobs, the job of the mapping.
#[test]
fn jobs_lie_where_the_machine_has_them() {
    let text = "job_shape,collective,bytes,algorithm,median_ns\n2x2x4,bcast,64,binary_tree,100\n\
                2x2x4,bcast,64,OTHER,100\n";
    for (machine, key) in [
        ("[mapping]\nkind = 'folded'", "mapping.job"),
        ("[mapping]\nkind = 'linear'", "topology.shape"),
        ("", "topology.shape"),
    ] {
        let machine: toml_edit::DocumentMut = machine.parse().unwrap();
        let reading = Reading::of_machine(machine.as_item());
        let measured = Measured::read("t.csv", text, &reading).unwrap();
        let row = &measured.rows[0];
        assert_eq!(row.set, [format!("{key}=[2,2,4]"), "workload.ranks=16".to_owned()]);
        assert_eq!((row.job.as_str(), row.algorithm.as_deref()), ("2x2x4", Some("binary-tree")));
        let reasons: Vec<_> = measured.left_out.reasons().collect();
        assert_eq!(reasons, [("bcast has no algorithm OTHER", &[3usize][..])]);
    }
}

/// Older tests of NCCL say by what they reduce, by the root and by their rates which they are, and of an all-reduce for how many ranks.
#[test]
fn tests_of_nccl_without_a_name_are_known_by_their_numbers() {
    let read = |name: &str, redop: &str, root: i64, rates: [&str; 2]| {
        let row = |bytes: u64, [algorithm, bus]: [&str; 2]| {
            format!("{bytes} 8 float {redop} {root} 9.5 {algorithm} {bus} 0 7.5 {algorithm} {bus} 0\n")
        };
        let text = format!("# nThread 1\n{name}{}{}", row(64, ["0.4", "9.0"]), row(1024, rates));
        Measured::read("n", &text, &Reading::default()).map(|measured| rows(&measured)[1].clone())
    };
    let eight = "# weir: ranks = 8\n";
    for (redop, root, bus, expected) in [
        ("sum", 0, "10.0", Some("reduce")),
        ("sum", 3, "17.5", Some("reduce")),
        ("none", 0, "10.0", Some("bcast")),
        ("sum", -1, "17.5", Some("allreduce")),
        ("sum", -1, "10.3", Some("allreduce")),
        ("sum", -1, "10.1", None),
        ("sum", -1, "9.9", None),
        ("sum", -1, "9.7", Some("reduce_scatter")),
        ("none", -1, "8.75", None),
    ] {
        let found = read(eight, redop, root, ["10.0", bus]).ok();
        let expected = expected.map(|name| (format!("{name}, 1024 B, workload.ranks=8"), 9.5));
        assert_eq!(found, expected, "{redop} {root} {bus}");
    }
    let named = "# Collective test starting: all_reduce_perf\n";
    for (bus, ranks) in
        [("10.0", 2), ("15.0", 4), ("18.0", 10), ("18.75", 16), ("18.83", 0), ("17.9", 0), ("5.0", 0)]
    {
        let found = read(named, "sum", -1, ["10.0", bus]);
        let expected = (ranks > 0).then(|| (format!("allreduce, 1024 B, workload.ranks={ranks}"), 9.5));
        assert_eq!(found.ok(), expected, "{bus}");
    }
    assert!(read(named, "sum", -1, ["0.5", "0.8"]).is_err());
    let devices = "# Rank 0 a\n# Rank 1 a\n# Rank 1 b\n";
    let found = read(&format!("{named}{devices}"), "sum", -1, ["10.0", "15.0"]).unwrap();
    assert_eq!(found.0, "allreduce, 1024 B, workload.ranks=2");
}

/// Columns say where a row was measured, in words and as keys; of wrong lines twenty are listed.
#[test]
fn places_are_told_in_words_and_set_as_keys() {
    for (cells, job, set) in [
        (",,,,", "the machine", ""),
        ("4,,,,", "4 nodes", "workload.ranks=4"),
        ("4,1,,,", "4 nodes", "mapping.ranks_per_node=1 workload.ranks=4"),
        ("4,2,,,", "4 nodes, 2 ranks on each", "mapping.ranks_per_node=2 workload.ranks=8"),
        ("4,,3,,", "4 nodes", "workload.ranks=3"),
        (",2,6,,", "6 ranks", "mapping.ranks_per_node=2 workload.ranks=6"),
        (",,,2x3,", "2x3", "topology.shape=[2,3] workload.ranks=6"),
        (
            ",2,,2x3,",
            "2x3, 2 ranks on each",
            "topology.shape=[2,3] mapping.ranks_per_node=2 workload.ranks=12",
        ),
        (",,,,5", "5 ranks", "workload.ranks=5"),
        ("8,,,,5", "8 nodes", "workload.ranks=5"),
    ] {
        let head = "collective,bytes,t_max_us,nodes,ranks_per_node,ranks,job_shape,workload.ranks\n";
        let measured = read(&format!("{head}bcast,8,3,{cells}\npingpong,0,3,{cells}\nbcast,0,3,{cells}\n"));
        let [row, message] = &measured.rows[..] else { panic!("{measured:?}") };
        assert_eq!((row.job.as_str(), row.set.join(" ").as_str()), (job, set), "{cells}");
        let two = if set.is_empty() { "workload.ranks=2" } else { set };
        assert_eq!((message.set.join(" ").as_str(), message.line), (two, 3));
        assert_eq!(measured.left_out.reasons().collect::<Vec<_>>(), [("bcast of 0 bytes", &[4][..])]);
    }
    let wrong = format!("collective,bytes,time_s\n{}", "bcast,8,0\n".repeat(30));
    assert_eq!(mistakes(&wrong).matches("log.txt:").count(), 20);
    let gather = "# weir: ranks = 3\n# OSU MPI Gather Latency Test v5\n# Size  Avg Latency(us)\n4 2.5\n";
    for (name, bytes) in [
        ("Gather", 12),
        ("Scatter", 12),
        ("Allgather", 12),
        ("All-to-All", 12),
        ("Reduce", 4),
        ("Allreduce", 4),
    ] {
        assert_eq!(read(&gather.replace("Gather", name)).rows[0].bytes, bytes, "{name}");
    }
}
