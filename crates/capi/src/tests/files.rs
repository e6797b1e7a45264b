//! Files: every way of reading and writing, pointers, views, sizes, modes, mistakes, and the time of disks.

use crate::harness::declarations::DeclaredParameter;
use crate::harness::*;
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file of a test, which goes with it.
#[derive(Clone)]
pub(super) struct Path(pub(super) std::rc::Rc<Kept>);

pub(super) struct Kept(PathBuf, pub(super) CString);

impl Path {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("weir-capi-{}-{number}", std::process::id()));
        let name = CString::new(path.to_str().unwrap()).unwrap();
        Self(std::rc::Rc::new(Kept(path, name)))
    }

    /// With these ints in it.
    pub(super) fn with(ints: &[i32]) -> Self {
        let path = Self::new();
        let bytes: Vec<u8> = ints.iter().flat_map(|int| int.to_ne_bytes()).collect();
        std::fs::write(&path.0.0, bytes).unwrap();
        path
    }

    pub(super) fn ints(&self) -> Vec<i32> {
        let bytes = std::fs::read(&self.0.0).unwrap();
        bytes.chunks(4).map(|int| i32::from_ne_bytes(int.try_into().unwrap())).collect()
    }

    pub(super) fn open_as(&self, mode: i32) -> Result<usize, i32> {
        let mut file = 0;
        let code = code!(File_open, WORLD, &*self.0.1, mode, MPI_INFO_NULL, &mut file);
        if code == MPI_SUCCESS { Ok(file) } else { Err(code) }
    }

    /// Open, with ints for elements.
    pub(super) fn open(&self) -> usize {
        let file = self.open_as(MPI_MODE_RDWR | MPI_MODE_CREATE).unwrap();
        mpi!(File_set_view, file, 0, MPI_INT, MPI_INT, c"native", MPI_INFO_NULL);
        file
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        _ = std::fs::remove_file(&self.0);
    }
}

/// Carries out an access of two ints in a form; what came with it.
fn access(name: &str, file: usize, at: Option<i64>, data: &mut [i32; 2], wide: &str) -> (i32, i32) {
    let mut told = status();
    let mut words = vec![file];
    words.extend(at.map(|at| at as usize));
    words.extend([data.word(), 2, MPI_INT]);
    if let Some(name) = name.strip_suffix("_begin") {
        assert_eq!(call(&format!("MPI_File_{name}_begin{wide}"), &words), MPI_SUCCESS, "{name}");
        let ends = [file, data.word(), (&mut told).word()];
        assert_eq!(call(&format!("MPI_File_{name}_end"), &ends), MPI_SUCCESS);
    } else if name.starts_with('i') {
        let mut request = MPI_REQUEST_NULL;
        words.push((&mut request).word());
        assert_eq!(call(&format!("MPI_File_{name}{wide}"), &words), MPI_SUCCESS, "{name}");
        mpi!(Wait, &mut request, &mut told);
    } else {
        words.push((&mut told).word());
        assert_eq!(call(&format!("MPI_File_{name}{wide}"), &words), MPI_SUCCESS, "{name}");
    }
    (get!(Get_count, &told, MPI_INT), told.error)
}

/// Own and shared position.
pub(super) fn positions(file: usize) -> (i64, i64) {
    let (mut own, mut shared) = (-1_i64, -1_i64);
    mpi!(File_get_position, file, &mut own);
    mpi!(File_get_position_shared, file, &mut shared);
    (own, shared)
}

/// With own pointers each rank reads the beginning; at offsets its own part; with a shared pointer what remains.
#[test]
fn every_way_of_reading() {
    for wide in ["", "_c"] {
        let path = Path::with(&[10, 11, 12, 13, 14, 15]);
        run(2, move |rank| {
            let mut file = path.open();
            let read = |name: &str, at: Option<i64>| {
                let mut data = [-1; 2];
                assert_eq!(access(name, file, at, &mut data, wide).0, 2, "{name}");
                data
            };
            for name in ["read", "read_all", "iread", "iread_all", "read_all_begin"] {
                mpi!(File_seek, file, 1, MPI_SEEK_SET);
                assert_eq!((read(name, None), positions(file).0), ([11, 12], 3), "{name}");
            }
            for name in ["read_at", "read_at_all", "iread_at", "iread_at_all", "read_at_all_begin"] {
                let at = 2 * rank as i32;
                assert_eq!(read(name, Some(at.into())), [10 + at, 11 + at], "{name}");
            }
            for name in ["read_ordered", "read_ordered_begin"] {
                mpi!(File_seek_shared, file, 1, MPI_SEEK_SET);
                let at = 1 + 2 * rank as i32;
                assert_eq!(read(name, None), [10 + at, 11 + at], "{name}");
            }
            for name in ["read_shared", "iread_shared"] {
                mpi!(File_seek_shared, file, 2, MPI_SEEK_SET);
                let first = read(name, None)[0];
                mpi!(Barrier, WORLD);
                let mut sum = 0;
                mpi!(Allreduce, &first, &mut sum, 1, MPI_INT, MPI_SUM, WORLD);
                assert_eq!(sum, 12 + 14, "{name}: one is first, the other second");
                assert_eq!(positions(file).1, 6);
            }
            // Only a part is there.
            let mut data = [-1; 2];
            assert_eq!(access("read_at", file, Some(5), &mut data, wide), (1, -80));
            assert_eq!(data, [15, -1]);
            mpi!(File_close, &mut file);
            assert_eq!(file, MPI_FILE_NULL);
        });
    }
}

#[test]
fn every_way_of_writing() {
    for wide in ["", "_c"] {
        let names = "write_at write_at_all iwrite_at iwrite_at_all write_at_all_begin \
            write write_all iwrite iwrite_all write_all_begin \
            write_ordered write_ordered_begin write_shared iwrite_shared";
        for name in names.split_whitespace() {
            let path = Path::new();
            let of_run = path.clone();
            run(2, move |rank| {
                let (mut file, first) = (of_run.open(), 2 * rank as i64);
                let at = name.contains("_at").then_some(first);
                if at.is_none() && !name.contains("shared") && !name.contains("ordered") {
                    mpi!(File_seek, file, first, MPI_SEEK_SET);
                }
                assert_eq!(access(name, file, at, &mut [rank as i32, 7], wide).0, 2, "{name}");
                mpi!(File_close, &mut file);
            });
            let mut found = path.ints();
            let expected = if name.ends_with("shared") { [0, 1, 7, 7] } else { [0, 7, 1, 7] };
            if name.ends_with("shared") {
                found.sort_unstable();
            }
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[test]
fn pointers_and_sizes() {
    let path = Path::with(&[0; 6]);
    run(1, move |_| {
        let mut file = path.open();
        mpi!(File_seek, file, -2, MPI_SEEK_END);
        assert_eq!(positions(file).0, 4);
        assert_eq!(code!(File_seek, file, -9, MPI_SEEK_CUR), MPI_ERR_ARG);
        assert_eq!(code!(File_seek, file, 0, 5), MPI_ERR_ARG);
        assert_eq!(positions(file).0, 4);
        let (mut size, mut extent, mut flag) = (0_i64, 0_i64, -1);
        mpi!(File_set_size, file, 40);
        mpi!(File_get_size, file, &mut size);
        assert_eq!(size, 40);
        mpi!(File_preallocate, file, 20);
        mpi!(File_get_size, file, &mut size);
        assert_eq!(size, 40, "it never shrinks");
        mpi!(File_get_atomicity, file, &mut flag);
        assert_eq!(flag, 0, "as files are opened");
        mpi!(File_get_type_extent, file, MPI_DOUBLE, &mut extent);
        assert_eq!(extent, 8);
        assert_eq!(code!(File_set_size, file, -1), MPI_ERR_ARG);
        mpi!(File_close, &mut file);
    });
}

/// Every other int belongs to the view, from the third on.
#[test]
fn views_leave_gaps() {
    let path = Path::with(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let of_run = path.clone();
    run(1, move |_| {
        let mut file = of_run.open();
        let mut spread = MPI_DATATYPE_NULL;
        mpi!(Type_create_resized, MPI_INT, 0, 8, &mut spread);
        mpi!(Type_commit, &mut spread);
        mpi!(File_set_view, file, 8, MPI_INT, spread, c"native", MPI_INFO_NULL);
        let mut data = [-1; 2];
        access("read_at", file, Some(1), &mut data, "");
        assert_eq!(data, [4, 6]);
        access("write", file, None, &mut [70, 71], "");
        let (mut start, mut element, mut kind, mut name) =
            (-1_i64, 0_usize, 0_usize, [1 as std::ffi::c_char; 128]);
        mpi!(File_get_view, file, &mut start, &mut element, &mut kind, &mut name);
        assert_eq!((start, element, text(&name).as_str()), (8, MPI_INT, "native"));
        assert_eq!(get!(Type_size, kind), 4);
        assert_eq!(
            code!(File_set_view, file, 0, MPI_INT, MPI_INT, c"odd", MPI_INFO_NULL),
            MPI_ERR_UNSUPPORTED_DATAREP
        );
        assert_eq!(code!(File_set_view, file, -1, MPI_INT, MPI_INT, c"native", MPI_INFO_NULL), MPI_ERR_ARG);
        mpi!(File_set_view, file, 0, MPI_INT, MPI_INT, c"external32", MPI_INFO_NULL);
        access("write_at", file, Some(0), &mut [1, 2], "");
        mpi!(File_close, &mut file);
    });
    assert_eq!(path.ints(), [1_i32.to_be(), 2_i32.to_be(), 70, 3, 71, 5, 6, 7, 8]);
}

#[test]
fn modes_and_mistakes() {
    let (there, not_there) = (Path::with(&[1]), Path::new());
    run(1, move |_| {
        let error = |path: &Path, mode: i32| path.open_as(mode).unwrap_err();
        assert_eq!(error(&not_there, MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
        assert_eq!(error(&there, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL), MPI_ERR_FILE_EXISTS);
        for mode in [
            0,
            MPI_MODE_RDONLY | MPI_MODE_WRONLY,
            MPI_MODE_RDONLY | MPI_MODE_CREATE,
            MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
            1 << 20,
        ] {
            assert_eq!(error(&there, mode), MPI_ERR_AMODE, "{mode}");
        }
        let mut file = there.open_as(MPI_MODE_RDONLY).unwrap();
        assert_eq!(positions(file), (0, 0), "at the beginning");
        assert_eq!(code!(File_write_at, file, 0, &1, 1, MPI_INT, NULL), MPI_ERR_READ_ONLY);
        assert_eq!(code!(File_set_size, file, 8), MPI_ERR_READ_ONLY);
        assert_eq!(code!(File_preallocate, file, 8), MPI_ERR_READ_ONLY);
        assert_eq!(code!(File_read_at, file, -1, &mut 1, 1, MPI_INT, NULL), MPI_ERR_ARG);
        assert_eq!(code!(File_read, file, &mut 1, -1, MPI_INT, NULL), MPI_ERR_COUNT);
        assert_eq!(code!(File_read, file, &mut 1, 1, MPI_DATATYPE_NULL, NULL), MPI_ERR_TYPE);
        let mut data = 1;
        assert_eq!(code!(File_read_all_end, file, &mut data, NULL), MPI_ERR_IO, "not begun");
        mpi!(File_read_all_begin, file, &mut data, 1, MPI_INT);
        assert_eq!(code!(File_read_all_begin, file, &mut data, 1, MPI_INT), MPI_ERR_IO, "begun already");
        mpi!(File_read_all_end, file, &mut data, NULL);
        mpi!(File_close, &mut file);
        assert_eq!(code!(File_close, &mut { file }), MPI_ERR_FILE);
        assert_eq!(code!(File_get_size, MPI_FILE_NULL, &mut 0_i64), MPI_ERR_FILE);
        file = there.open_as(MPI_MODE_WRONLY | MPI_MODE_APPEND).unwrap();
        assert_eq!(positions(file), (4, 4), "at the end");
        assert_ne!(code!(File_read, file, &mut data, 1, MPI_INT, NULL), MPI_SUCCESS);
        mpi!(File_close, &mut file);
        file = not_there.open_as(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE).unwrap();
        mpi!(File_close, &mut file);
        assert_eq!(code!(File_delete, &*not_there.0.1, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
        mpi!(File_delete, &*there.0.1, MPI_INFO_NULL);
        assert_eq!(error(&there, MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
        // Errors of files are returned unless the program sets it otherwise.
        assert_eq!(get_handle!(File_get_errhandler, MPI_FILE_NULL), MPI_ERRORS_RETURN);
    });
}

/// A file that is opened as a sequence has the shared pointer alone (MPI 5.0, section 14.2.1).
#[test]
fn sequences_are_read_in_order() {
    let path = Path::with(&[5, 6, 7]);
    run(1, move |_| {
        let mut file = path.open_as(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL).unwrap();
        let (mut data, mut position, mut request) = ([0_i32; 2], 0_i64, MPI_REQUEST_NULL);
        let (to, place, int, n) = ((&mut data).word(), (&mut position).word(), MPI_INT, NULL);
        let refused: [(&str, &[usize]); 12] = [
            ("read", &[file, to, 1, int, n]),
            ("read_all", &[file, to, 1, int, n]),
            ("read_at", &[file, 0, to, 1, int, n]),
            ("read_at_all", &[file, 0, to, 1, int, n]),
            ("iread", words![file, to, 1, int, &mut request]),
            ("iread_at", words![file, 0, to, 1, int, &mut request]),
            ("seek", words![file, 0, MPI_SEEK_SET]),
            ("seek_shared", words![file, 0, MPI_SEEK_SET]),
            ("get_position", &[file, place]),
            ("get_position_shared", &[file, place]),
            ("get_byte_offset", &[file, 0, place]),
            ("set_atomicity", &[file, 1]),
        ];
        for (name, words) in refused {
            let code = call(&format!("MPI_File_{name}"), words);
            assert_eq!(code, MPI_ERR_UNSUPPORTED_OPERATION, "{name}");
        }
        mpi!(File_read_shared, file, &mut data, 4, MPI_BYTE, NULL);
        assert_eq!(data, [5, 0]);
        mpi!(File_read_ordered, file, &mut data, 8, MPI_BYTE, NULL);
        assert_eq!(data, [6, 7]);
        mpi!(File_close, &mut file);
    });
}

/// Ranks that open a file with different modes are refused together.
#[test]
fn ranks_open_alike() {
    let path = Path::with(&[1]);
    run(2, move |rank| {
        let mode = [MPI_MODE_RDONLY, MPI_MODE_RDWR][rank];
        assert_eq!(path.open_as(mode), Err(MPI_ERR_NOT_SAME));
    });
}

/// One disk: 500 ns for each access, and 1 byte per ns; two ranks wait for each other.
#[test]
fn disks_take_time() {
    let path = Path::new();
    Machine::free(2).with_a_disk().finishes(move |rank| {
        let mut file = path.open();
        let begin = now();
        mpi!(File_write_at, file, 100 * rank, &[0; 100], 100, MPI_INT, NULL);
        assert_eq!(now() - begin, 900 * (rank as u64 + 1));
        mpi!(Barrier, WORLD);
        let begin = now();
        if rank == 0 {
            let mut data = [0; 10];
            let mut request = MPI_REQUEST_NULL;
            mpi!(File_iread_at, file, 0, &mut data, 10, MPI_INT, &mut request);
            assert_eq!(now(), begin);
            work(200);
            mpi!(Wait, &mut request, NULL);
            assert_eq!(now() - begin, 540);
        }
        mpi!(File_close, &mut file);
    });
}

/// A disk of 500 ns for each access and 1 byte per ns reads what is there, piece by piece, and no more.
#[test]
fn short_reads_take_what_is_there() {
    let path = Path::with(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    Machine::free(1).with_a_disk().finishes(move |_| {
        let (mut file, mut spread) = (path.open(), MPI_DATATYPE_NULL);
        let took = |at: i64, count: i32, expected: &[i32]| {
            let (mut data, mut told, begin) = ([-1; 100], status(), now());
            mpi!(File_read_at, file, at, &mut data, count, MPI_INT, &mut told);
            assert_eq!(told.bytes(), 4 * expected.len() as u64);
            assert_eq!(&data[..expected.len()], expected);
            assert!(data[expected.len()..].iter().all(|&left| left == -1));
            now() - begin
        };
        assert_eq!(took(0, 100, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 540);
        assert_eq!(took(8, 100, &[8, 9]), 508);
        assert_eq!(took(3, 2, &[3, 4]), 508);
        // Two of three pieces: the last is beyond the end.
        mpi!(Type_create_resized, MPI_INT, 0, 16, &mut spread);
        mpi!(Type_commit, &mut spread);
        mpi!(File_set_view, file, 4, MPI_INT, spread, c"native", MPI_INFO_NULL);
        assert_eq!(took(0, 2, &[1, 5]), 508);
        assert_eq!((took(0, 3, &[1, 5, 9]), took(1, 9, &[5, 9])), (512, 508));
        mpi!(File_close, &mut file);
    });
}

/// In the external representation as many elements are read as are there, and turned round.
#[test]
fn short_reads_of_external_data() {
    let path = Path::with(&[1_i32.to_be(), 2_i32.to_be(), 3_i32.to_be()]);
    run(1, move |_| {
        let (mut file, mut data, mut told) = (path.open(), [-1; 5], status());
        mpi!(File_set_view, file, 4, MPI_INT, MPI_INT, c"external32", MPI_INFO_NULL);
        mpi!(File_read, file, &mut data, 5, MPI_INT, &mut told);
        assert_eq!((data, told.bytes()), ([2, 3, -1, -1, -1], 8));
        mpi!(File_close, &mut file);
    });
}

/// A write of 400 bytes takes 900 ns on this disk, whatever the program suggests.
#[test]
fn hints_change_no_times() {
    let hints: [&[(&CStr, &CStr)]; 2] =
        [&[], &[(c"striping_factor", c"8"), (c"striping_unit", c"100"), (c"access_style", c"write_once")]];
    for pairs in hints {
        let path = Path::new();
        let machine = Machine::free(1).with_a_disk();
        machine
            .run_mpi(move |_| {
                let info = get_handle!(Info_create);
                pairs.iter().for_each(|(key, value)| mpi!(Info_set, info, *key, *value));
                let (mut file, mode) = (MPI_FILE_NULL, MPI_MODE_RDWR | MPI_MODE_CREATE);
                mpi!(File_open, WORLD, &*path.0.1, mode, info, &mut file);
                let begin = now();
                mpi!(File_write_at, file, 0, &[0; 100], 100, MPI_INT, NULL);
                assert_eq!(now() - begin, 900, "{pairs:?}");
                mpi!(File_close, &mut file);
            })
            .finished();
    }
}

/// What all ranks of a file have to give alike: the first that differs is a mistake of all.
#[test]
fn ranks_say_the_same_of_files() {
    let path = Path::with(&[0; 4]);
    run(2, move |rank| {
        let mut file = path.open();
        let own = rank as i64;
        let bytes = [MPI_BYTE, MPI_INT][rank];
        let external = [c"native", c"external32"][rank];
        assert_eq!(code!(File_set_size, file, 8 + own), MPI_ERR_NOT_SAME);
        assert_eq!(code!(File_preallocate, file, 80 + own), MPI_ERR_NOT_SAME);
        assert_eq!(code!(File_set_atomicity, file, own), MPI_ERR_NOT_SAME);
        assert_eq!(code!(File_seek_shared, file, own, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
        let view = |kind: usize, name: &CStr| code!(File_set_view, file, 0, kind, kind, name, MPI_INFO_NULL);
        assert_eq!((view(bytes, c"native"), view(MPI_INT, external)), (MPI_ERR_NOT_SAME, MPI_ERR_NOT_SAME));
        // One rank's own mistake is known to the others.
        let expected = [MPI_ERR_ARG, MPI_ERR_NOT_SAME][rank];
        assert_eq!(code!(File_set_size, file, own - 1), expected);
        assert_eq!(code!(File_seek_shared, file, 5 * own - 1, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
        let (mut size, mut flag) = (-1_i64, -1);
        mpi!(File_get_size, file, &mut size);
        mpi!(File_get_atomicity, file, &mut flag);
        assert_eq!((size, flag), (16, 0), "nothing has changed");
        mpi!(File_set_atomicity, file, 1 + rank);
        mpi!(File_get_atomicity, file, &mut flag);
        assert_eq!(flag, 1, "any value but 0 is true");
        mpi!(File_close, &mut file);
    });
}

/// Every function of a file with a handle that is none.
#[test]
fn functions_of_files_need_a_file() {
    let takes_a_file =
        |parameters: &[DeclaredParameter]| parameters.first().is_some_and(|first| first.kind == "MPI_File");
    let mut tried = 0;
    for (name, parameters) in declarations::all().iter().filter(|(_, parameters)| takes_a_file(parameters)) {
        if name.ends_with("toint") || name.contains("errhandler") {
            continue;
        }
        tried += 1;
        run(1, move |_| {
            let pages = vec![[0_usize; 64]; parameters.len()];
            for file in [MPI_FILE_NULL, 0x1_0000 + 99] {
                let word = |(at, parameter): (usize, &DeclaredParameter)| match parameter.kind.as_str() {
                    "MPI_File" => file,
                    "MPI_Datatype" => MPI_INT,
                    "const char *" => c"native".as_ptr() as usize,
                    "MPI_Info" => MPI_INFO_NULL,
                    kind if kind.ends_with('*') => pages[at].as_ptr() as usize,
                    _ => 0,
                };
                let words: Vec<usize> = parameters.iter().enumerate().map(word).collect();
                assert_eq!(call(name, &words), MPI_ERR_FILE, "{name}");
            }
        });
    }
    assert!(tried > 70, "only {tried} functions");
}
