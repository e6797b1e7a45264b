use super::*;

fn rows(text: &str) -> Vec<(String, u64, f64)> {
    let measured = Measured::read("log.txt", text, &Reading::default()).unwrap();
    assert_eq!(measured.left_out.count(), 0, "{:?}", measured.left_out);
    measured.rows.iter().map(|row| (row.name(), row.bytes, (row.seconds * 1e12).round() / 1e6)).collect()
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
        (format!("allreduce ring, 4 B{set}"), 4, 3.25),
        (format!("allreduce ring, 8 B{set}"), 8, 3.31),
        (format!("alltoall bruck, 8 B{set}"), 8, 6.5),
        (format!("barrier, 0 B{set}"), 0, 2.75),
        ("pingpong, 0 B, mapping.ranks_per_node=2, workload.ranks=2".to_owned(), 0, 0.95),
        ("pingpong, 1024 B, mapping.ranks_per_node=2, workload.ranks=2".to_owned(), 1024, 1.5),
    ];
    assert_eq!(rows(OSU), expected);
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
    let measured = Measured::read("log.txt", IMB, &Reading::default()).unwrap();
    let names: Vec<(String, f64)> =
        measured.rows.iter().map(|row| (row.name(), (row.seconds * 1e12).round() / 1e6)).collect();
    let expected = [
        ("pingpong, 0 B, workload.ranks=2".to_owned(), 1.12),
        ("pingpong, 1024 B, workload.ranks=2".to_owned(), 1.85),
        ("allgather, 1024 B, workload.ranks=8".to_owned(), 6.4),
        ("barrier, 0 B, workload.ranks=8".to_owned(), 4.0),
    ];
    assert_eq!(names, expected);
    // A collective of nothing is left out: libraries return at once.
    let reasons: Vec<_> = measured.left_out.reasons().collect();
    assert_eq!(reasons, [("allgather of 0 bytes", &[24][..])]);
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
    let text = "job_shape,collective,bytes,algorithm,median_ns\n2x2x4,bcast,64,default-binary_tree,100\n\
                2x2x4,bcast,64,OTHER,100\n";
    for (machine, key) in [
        ("[mapping]\nkind = 'folded'", "mapping.job"),
        ("[mapping]\nkind = 'linear'", "topology.shape"),
        ("", "topology.shape"),
    ] {
        let machine: toml_edit::DocumentMut = machine.parse().unwrap();
        let reading = Reading { prefix: "default-".into(), ..Reading::of_machine(machine.as_item()) };
        let measured = Measured::read("t.csv", text, &reading).unwrap();
        let row = &measured.rows[0];
        assert_eq!(row.set, [format!("{key}=[2,2,4]"), "workload.ranks=16".to_owned()]);
        assert_eq!((row.job.as_str(), row.algorithm.as_deref()), ("2x2x4", Some("binary-tree")));
        let reasons: Vec<_> = measured.left_out.reasons().collect();
        assert_eq!(reasons, [("the algorithm does not begin with default-", &[3usize][..])]);
    }
}
