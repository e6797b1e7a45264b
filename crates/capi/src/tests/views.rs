//! What views and other common words on a file do to its pointers, and what a refused call leaves as it was.

use super::files::{Path, positions};
use crate::harness::*;
use std::ffi::c_char;

const DISPLACEMENT_CURRENT: i64 = -1;

fn set_view(file: usize, displacement: i64, kind: usize) -> i32 {
    code!(File_set_view, file, displacement, MPI_INT, kind, c"native", MPI_INFO_NULL)
}

/// A view sets both pointers to its beginning (MPI 5.0, section 14.3).
#[test]
fn pointers_begin_anew() {
    let path = Path::with(&[5, 6, 7, 8]);
    run(1, move |_| {
        let (mut file, mut got) = (path.open(), [0; 2]);
        mpi!(File_read, file, &mut got, 1, MPI_INT, NULL);
        mpi!(File_read_shared, file, &mut got, 2, MPI_INT, NULL);
        assert_eq!(positions(file), (1, 2));
        assert_eq!(set_view(file, 4, MPI_INT), MPI_SUCCESS);
        assert_eq!(positions(file), (0, 0));
        mpi!(File_read_shared, file, &mut got, 2, MPI_INT, NULL);
        assert_eq!(got, [6, 7]);
        mpi!(File_close, &mut file);
    });
}

/// The view of a sequence begins where the shared pointer is by then: behind what the other rank has written meanwhile.
#[test]
fn views_of_sequences() {
    let path = Path::new();
    timed(2, move |rank| {
        let mut file = path.open_as(MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL).unwrap();
        let from = now();
        if rank == 0 {
            work(50_000);
        } else {
            work(1000);
            mpi!(File_write_shared, file, &[0_u8; 8], 8, MPI_BYTE, NULL);
        }
        assert!(now() >= from + 1000);
        assert_eq!(set_view(file, DISPLACEMENT_CURRENT, MPI_INT), MPI_SUCCESS);
        let (mut at, mut kinds, mut name) = (-1_i64, [0_usize; 2], [0 as c_char; 128]);
        mpi!(File_get_view, file, &mut at, &mut kinds[0], &mut kinds[1], &mut name);
        assert_eq!((at, text(&name).as_str()), (8, "native"));
        mpi!(File_close, &mut file);
    });
}

/// What may not be read or written is refused before a pointer moves; so are views whose parts overlap where something may be
/// written (MPI 5.0, section 14.1.1).
#[test]
fn refused_accesses_move_no_pointer() {
    let path = Path::with(&[5, 6, 7]);
    run(1, move |_| {
        let mut data = [0; 2];
        let mut file = path.open_as(MPI_MODE_WRONLY).unwrap();
        assert_eq!(code!(File_read, file, &mut data, 1, MPI_INT, NULL), MPI_ERR_ACCESS);
        assert_eq!(code!(File_read_shared, file, &mut data, 1, MPI_INT, NULL), MPI_ERR_ACCESS);
        assert_eq!(code!(File_read, file, &mut data, 0, MPI_INT, NULL), MPI_ERR_ACCESS);
        assert_eq!(positions(file), (0, 0));
        mpi!(File_close, &mut file);
        file = path.open_as(MPI_MODE_RDONLY).unwrap();
        assert_eq!(code!(File_write, file, &data, 1, MPI_INT, NULL), MPI_ERR_READ_ONLY);
        assert_eq!(code!(File_write_shared, file, &data, 0, MPI_INT, NULL), MPI_ERR_READ_ONLY);
        assert_eq!(positions(file), (0, 0));
        mpi!(File_close, &mut file);
        let overlaps = committed(get_handle!(Type_indexed, 2, &[2, 2], &[0, 1], MPI_INT));
        for (mode, expected) in
            [(MPI_MODE_RDONLY, MPI_SUCCESS), (MPI_MODE_WRONLY, MPI_ERR_IO), (MPI_MODE_RDWR, MPI_ERR_IO)]
        {
            file = path.open_as(mode).unwrap();
            assert_eq!(set_view(file, 0, overlaps), expected, "{mode}");
            mpi!(File_close, &mut file);
        }
    });
}

/// Hints of a file are given together: where one rank's are none, nobody's are kept.
#[test]
fn hints_are_given_together() {
    let path = Path::with(&[0]);
    run(2, move |rank| {
        let mut file = path.open();
        let info = get_handle!(Info_create);
        mpi!(Info_set, info, c"access_style", c"random");
        let (given, expected) = [(info, MPI_ERR_NOT_SAME), (MPI_INFO_NULL, MPI_ERR_INFO)][rank];
        assert_eq!(code!(File_set_info, file, given), expected);
        let style = || hint(get_handle!(File_get_info, file), c"access_style");
        assert_eq!(style(), None);
        mpi!(File_set_info, file, info);
        assert_eq!(style().as_deref(), Some("random"));
        mpi!(Info_set, info, c"access_style", c"sequential");
        mpi!(File_set_view, file, 0, MPI_INT, MPI_INT, c"native", info);
        assert_eq!(style().as_deref(), Some("sequential"), "a view brings its own");
        mpi!(File_close, &mut file);
    });
}

/// What is wrong with a handle of no file, in words.
#[test]
fn handles_of_no_file() {
    for (file, words) in [(MPI_FILE_NULL, "it is MPI_FILE_NULL"), (0x1_0000 + 99, "it is not an open file")] {
        let ran = Machine::free(1).run_mpi(move |_| {
            mpi!(File_set_errhandler, MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
            mpi!(File_get_size, file, &mut 0_i64);
        });
        let (_, why) = ran.aborted();
        assert!(why.starts_with("MPI_File_get_size failed: ") && why.contains(words), "{why}");
    }
    // A name of a representation that is a null pointer.
    let path = Path::with(&[0]);
    run(1, move |_| {
        let mut file = path.open();
        assert_eq!(code!(File_set_view, file, 0, MPI_INT, MPI_INT, NULL, MPI_INFO_NULL), MPI_ERR_ARG);
        mpi!(File_close, &mut file);
    });
}
