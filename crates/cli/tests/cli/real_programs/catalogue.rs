//! Which programs there are: how their packages are built, how they are run, and what of their output counts.

/// Sources that are fetched together, and what they are compiled with.
pub(super) struct Package {
    /// The folder in `target/programs`.
    pub(super) name: &'static str,
    /// Headers that the package's own configuration would write: path and text.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Folders of headers, below the package's.
    pub(super) include: &'static [&'static str],
    pub(super) options: &'static [&'static str],
    /// Sources that its programs share, with blanks between; a `*` stands for anything.
    pub(super) library: &'static str,
    /// A package whose library it needs as well.
    pub(super) needs: Option<&'static str>,
}

/// Where a program writes what is compared.
pub(super) enum Output {
    Stdout,
    Stderr,
    File(&'static str),
}

/// A program, and one run of it.
pub(super) struct Case {
    pub(super) package: &'static str,
    /// Its own sources; the first one names it.
    pub(super) sources: &'static [&'static str],
    pub(super) ranks: usize,
    pub(super) args: &'static [&'static str],
    /// Options of `weir mpirun`.
    pub(super) machines: &'static [&'static [&'static str]],
    /// Files it reads: name and text.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) output: Output,
    /// What counts of a line, if anything does: no times, no addresses.
    pub(super) keep: fn(&str) -> Option<String>,
    /// So many lines must count at least.
    pub(super) at_least: usize,
    /// The exit status, which is not always 0.
    pub(super) code: i32,
}

/// No network at all, flows on a fat tree, packets on a torus.
const MACHINES: &[&[&str]] = &[
    &[],
    &["--machine", "examples/fat-tree.toml"],
    &["--machine", "examples/torus.toml", "--engine", "packet"],
];

pub(super) const PACKAGES: &[Package] = &[
    Package {
        name: "gsl",
        headers: &[
            ("config.h", ""),
            ("gsl/gsl_cblas.h", "#include <gsl_cblas.h>\n"),
            (
                "gsl/gsl_math.h",
                "#include <math.h>\n#define GSL_MIN(a, b) ((a) < (b) ? (a) : (b))\n\
                 #define GSL_MAX(a, b) ((a) > (b) ? (a) : (b))\n",
            ),
        ],
        include: &["cblas"],
        options: &[],
        library: "cblas/dgemm.c cblas/dtrsm.c cblas/dgemv.c cblas/dtrsv.c cblas/dger.c cblas/dcopy.c \
                  cblas/daxpy.c cblas/dscal.c cblas/idamax.c cblas/xerbla.c",
        needs: None,
    },
    Package {
        name: "hpcc",
        headers: &[],
        include: &["", "include", "hpl/include"],
        options: &["-DHPL_CALL_CBLAS"],
        library: "DGEMM/*.c FFT/*.c PTRANS/*.c RandomAccess/*.c STREAM/*.c hpl/src/auxil/*.c \
                  hpl/src/blas/*.c hpl/src/comm/*.c hpl/src/grid/*.c hpl/src/panel/*.c hpl/src/pauxil/*.c \
                  hpl/src/pfact/*.c hpl/src/pgesv/*.c hpl/testing/matgen/*.c hpl/testing/pmatgen/*.c \
                  hpl/testing/ptest/*.c hpl/testing/ptimer/*.c hpl/testing/timer/*.c src/HPL_slamch.c \
                  src/bench_lat_bw*.c src/ext*.c src/io.c src/noopt.c",
        needs: Some("gsl"),
    },
    Package {
        name: "nas",
        // The programs were adapted to SimGrid's MPI, which can leave out some of the work; here they do all of it.
        headers: &[
            ("smpi/mpi.h", "#include <mpi.h>\n"),
            (
                "simgrid/instr.h",
                "#define TRACE_smpi_set_category(category)\n\
                 #define SMPI_SAMPLE_GLOBAL(start, condition, step, times, precision) for (start; condition; step)\n\
                 #define SMPI_SHARED_MALLOC(bytes) malloc(bytes)\n#define SMPI_SHARED_FREE(memory) free(memory)\n",
            ),
        ],
        include: &["examples/smpi/NAS"],
        options: &[],
        library: "examples/smpi/NAS/nas_common.c examples/smpi/NAS/DGraph.c",
        needs: None,
    },
    Package {
        name: "netpipe",
        headers: &[],
        include: &["src"],
        options: &["-DMPI"],
        library: "",
        needs: None,
    },
    Package {
        name: "p4est",
        headers: &[("sc_config.h", SC_CONFIG), ("p4est_config.h", P4EST_CONFIG)],
        include: &["src", "sc/src", "sc/src/sc_builtin", "sc/iniparser", "sc/libb64"],
        options: &[],
        library: "sc/iniparser/dictionary.c sc/iniparser/iniparser.c sc/libb64/c*.c sc/src/*.c \
                  src/p4est*.c",
        needs: None,
    },
    Package {
        name: "sprng",
        headers: &[],
        include: &["SRC", "include", "TESTS"],
        options: &["-fcommon", "-DLittleEndian", "-DINTEL", "-DAdd__", "-DSPRNG_MPI"],
        library: "SRC/sprng/sprng.c SRC/cmrg/cmrg.c SRC/lcg/lcg.c SRC/lcg64/lcg64.c SRC/lfg/lfg.c \
                  SRC/mlfg/mlfg.c SRC/checkid.c SRC/communicate.c SRC/cputime.c SRC/makeseed.c \
                  SRC/memory.c SRC/primes_*.c SRC/simple_mpi.c SRC/store.c",
        needs: None,
    },
    Package {
        name: "sundials",
        headers: &[("sundials/sundials_config.h", SUNDIALS_CONFIG)],
        include: &["include", "src/sundials", "src/cvode"],
        options: &[],
        library: "src/cvode/cvode.c src/cvode/cvode_diag.c src/cvode/cvode_io.c src/cvode/cvode_ls.c \
                  src/cvode/cvode_nls.c src/cvode/cvode_proj.c src/nvector/parallel/nvector_parallel.c \
                  src/sundials/sundials_context.c src/sundials/sundials_futils.c \
                  src/sundials/sundials_iterative.c src/sundials/sundials_linearsolver.c \
                  src/sundials/sundials_logger.c src/sundials/sundials_math.c \
                  src/sundials/sundials_matrix.c src/sundials/sundials_memory.c src/sundials/sundials_n*.c \
                  src/sundials/sundials_version.c src/sunmatrix/band/sunmatrix_band.c \
                  src/sunmatrix/dense/sunmatrix_dense.c src/sundials/sundials_band.c \
                  src/sundials/sundials_dense.c src/sundials/sundials_direct.c \
                  src/sunnonlinsol/fixedpoint/sunnonlinsol_fixedpoint.c \
                  src/sunnonlinsol/newton/sunnonlinsol_newton.c",
        needs: None,
    },
];

const SC_CONFIG: &str = "#define SC_CC \"\"
#define SC_CFLAGS \"\"
#define SC_CPP \"\"
#define SC_CPPFLAGS \"\"
#define SC_ENABLE_MEMALIGN 1
#define SC_ENABLE_MPI 1
#define SC_ENABLE_USE_REALLOC 1
#define SC_HAVE_ANY_MEMALIGN 1
#define SC_HAVE_POSIX_MEMALIGN 1
#define SC_HAVE_SIGNAL_H 1
#define SC_HAVE_STRTOLL 1
#define SC_HAVE_SYS_TIME_H 1
#define SC_HAVE_SYS_TYPES_H 1
#define SC_HAVE_TIME_H 1
#define SC_LDFLAGS \"\"
#define SC_LIBS \"\"
#define SC_MEMALIGN_BYTES 32
#define SC_PACKAGE_STRING \"libsc\"
";

const SUNDIALS_CONFIG: &str = "#define SUNDIALS_C_COMPILER_HAS_INLINE
#define SUNDIALS_C_COMPILER_HAS_ISINF_ISNAN
#define SUNDIALS_C_COMPILER_HAS_MATH_PRECISIONS
#define SUNDIALS_C_COMPILER_HAS_SNPRINTF_AND_VA_COPY
#define SUNDIALS_DEPRECATED_EXPORT
#define SUNDIALS_DEPRECATED_EXPORT_MSG(msg)
#define SUNDIALS_DEPRECATED_MSG(msg)
#define SUNDIALS_DEPRECATED_NO_EXPORT_MSG(msg)
#define SUNDIALS_DOUBLE_PRECISION 1
#define SUNDIALS_EXPORT
#define SUNDIALS_GIT_VERSION \"\"
#define SUNDIALS_INDEX_TYPE int64_t
#define SUNDIALS_INLINE inline
#define SUNDIALS_INT64_T 1
#define SUNDIALS_LOGGING_LEVEL 0
#define SUNDIALS_MAX_SPRINTF_SIZE 5064
#define SUNDIALS_MPI_COMM_F2C 1
#define SUNDIALS_MPI_ENABLED 1
#define SUNDIALS_STATIC_INLINE static inline
#define SUNDIALS_USE_GENERIC_MATH
#define SUNDIALS_VERSION \"6.4.1\"
#define SUNDIALS_VERSION_LABEL \"\"
#define SUNDIALS_VERSION_MAJOR 6
#define SUNDIALS_VERSION_MINOR 4
#define SUNDIALS_VERSION_PATCH 1
";

const P4EST_CONFIG: &str = "#define P4EST_CC \"\"
#define P4EST_CFLAGS \"\"
#define P4EST_CPP \"\"
#define P4EST_CPPFLAGS \"\"
#define P4EST_ENABLE_BUILD_2D 1
#define P4EST_ENABLE_MPI 1
#define P4EST_HAVE_ARPA_NET_H 1
#define P4EST_HAVE_NETINET_IN_H 1
#define P4EST_HAVE_UNISTD_H 1
#define P4EST_LDFLAGS \"\"
#define P4EST_LIBS \"\"
#define P4EST_PACKAGE_STRING \"p4est\"
#define P4EST_PACKAGE_VERSION \"2.2\"
";

/// The test of SPRNG with the first source, and its library of tests.
macro_rules! sprng {
    ($source:literal, $args:expr) => {
        Case {
            sources: &[
                $source,
                "TESTS/chisquare.c",
                "TESTS/communicate.c",
                "TESTS/init_tests.c",
                "TESTS/stirling.c",
                "TESTS/util.c",
            ],
            args: $args,
            keep: not_the_command,
            at_least: 2,
            ..simple("sprng", 3)
        }
    };
}

/// A test of p4est.
const fn p4est(sources: &'static [&'static str], ranks: usize, at_least: usize) -> Case {
    Case { sources, at_least, ..simple("p4est", ranks) }
}

/// A program that reads nothing and whose lines all count.
const fn simple(package: &'static str, ranks: usize) -> Case {
    Case {
        package,
        sources: &[],
        ranks,
        args: &[],
        machines: MACHINES,
        files: &[],
        output: Output::Stdout,
        keep: all,
        at_least: 1,
        code: 0,
    }
}

pub(super) const CASES: &[Case] = &[
    Case {
        sources: &["src/hpcc.c"],
        // It measures bandwidth for a while, which never passes where messages take no time.
        machines: &[&["--machine", "examples/fat-tree.toml"]],
        files: &[("hpccinf.txt", HPCC_INPUT)],
        output: Output::File("hpccoutf.txt"),
        keep: hpcc_result,
        at_least: 60,
        ..simple("hpcc", 4)
    },
    Case {
        sources: &["examples/smpi/NAS/is.c"],
        args: &["4", "S"],
        keep: not_a_time,
        at_least: 10,
        ..simple("nas", 4)
    },
    Case {
        sources: &["examples/smpi/NAS/ep.c"],
        args: &["4", "S"],
        keep: not_a_time,
        at_least: 20,
        ..simple("nas", 4)
    },
    Case {
        sources: &["examples/smpi/NAS/dt.c"],
        args: &["5", "S", "BH"],
        keep: not_a_time,
        at_least: 9,
        code: 1, // it ends with this under every MPI
        ..simple("nas", 5)
    },
    Case {
        sources: &["src/mpi.c", "src/netpipe.c"],
        args: &["-i", "-n", "20", "-u", "4096"],
        output: Output::Stderr,
        keep: netpipe_result,
        at_least: 20,
        ..simple("netpipe", 2)
    },
    p4est(&["test/test_ghost2.c"], 3, 20),
    p4est(&["test/test_iterate2.c"], 3, 50),
    p4est(&["test/test_lnodes2.c"], 4, 50),
    p4est(&["test/test_nodes2.c"], 4, 20),
    p4est(&["test/test_partition_corr2.c"], 5, 50),
    p4est(&["test/test_subcomm2.c"], 4, 10),
    sprng!("TESTS/equidist.c", &["0", "6", "2", "0", "0", "2", "0", "10", "1000"]),
    Case { sources: &["examples/cvode/parallel/cvAdvDiff_diag_p.c"], at_least: 17, ..simple("sundials", 2) },
    // On more ranks its steps depend on the order of summation, which MPI leaves open.
    Case { sources: &["examples/cvode/parallel/cvAdvDiff_non_p.c"], at_least: 15, ..simple("sundials", 2) },
];

const HPCC_INPUT: &str = "HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
100          Ns
1            # of NBs
16           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
";

fn all(line: &str) -> Option<String> {
    Some(line.to_owned())
}

/// SPRNG's tests print their own path first.
fn not_the_command(line: &str) -> Option<String> {
    assert!(!line.starts_with("Error"), "{line}");
    (!line.contains('/')).then(|| line.to_owned())
}

/// NAS: everything but times and what is computed of them.
fn not_a_time(line: &str) -> Option<String> {
    let timed = ["Time", "Mop/s", "CPU", "Total time", "Gaussian pairs: ", "Random numbers: "];
    (!timed.iter().any(|word| line.contains(word))).then(|| line.trim_end().to_owned())
}

/// HPC Challenge: the results of its summary that are no times and no rates. Timers are also asked how fine they are.
fn hpcc_result(line: &str) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    let measured =
        ["time", "Time", "flops", "GUPs", "GBs", "GBytes", "usec", "STREAM_", "Wtick", "Update", "ops"];
    let is_key = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let counts = is_key && !measured.iter().any(|word| key.contains(word));
    counts.then(|| line.to_owned())
}

/// NetPIPE: the sizes and whether they arrived whole, but not how often each was sent.
fn netpipe_result(line: &str) -> Option<String> {
    let (size, rest) = line.split_once(" bytes ")?;
    let (_, result) = rest.split_once("-->")?;
    Some(format!("{size} {result}"))
}
