//! Views against hand-computed ones, and against their definition written out byte by byte.

use super::*;
use crate::datatype::Basic;
use proptest::prelude::*;

fn basic(basic: Basic) -> Rc<Type> {
    Type::named(1, &[(0, basic)])
}

fn ranges(view: &FileView, position: u64, bytes: u64) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    view.ranges(position, bytes, &mut |at, length| all.push((at, length)));
    all
}

#[track_caller]
fn refused(displacement: i64, etype: &Rc<Type>, filetype: &Rc<Type>, why: &str) {
    let error = FileView::new(displacement, etype, filetype, Representation::Native).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_file_just_opened_shows_all_its_bytes() {
    let view = FileView::whole(&basic(Basic::Byte));
    assert_eq!(ranges(&view, view.position(7, 1 << 40).unwrap(), 1 << 40), [(7, 1 << 40)]);
    assert_eq!((view.byte_offset(9), view.units_in(100)), (9, 100));
    assert!(view.position(-1, 0).is_err() && view.position(i64::MAX, 5).is_err());
}

/// Of every 12 bytes from byte 5 on, the rank sees the first 4 of the second 8: ints 1, 4, 7, ... of three ranks.
#[test]
fn every_third_int() {
    let int = basic(Basic::Number(4));
    let block = Type::resized_by::<i32>(&Type::hindexed(&[1], &[4], &int).unwrap(), 0, 12).unwrap();
    let view = FileView::new(5, &int, &block, Representation::Native).unwrap();
    assert_eq!(ranges(&view, view.position(1, 8).unwrap(), 8), [(21, 4), (33, 4)]);
    assert_eq!(ranges(&view, 2, 4), [(11, 2), (21, 2)]);
    assert_eq!((view.byte_offset(4), view.byte_offset(6)), (21, 23));
    // Ints at 9, 21, 33: a file of 22 bytes has one of them and the beginning of another.
    assert_eq!([9, 10, 13, 21, 22, 25, 34].map(|size| view.units_in(size)), [0, 1, 1, 1, 2, 2, 3]);
}

#[test]
fn blocks_that_touch_are_one_range() {
    let byte = basic(Basic::Byte);
    let filetype = Type::hindexed(&[2, 3, 1], &[0, 2, 8], &byte).unwrap();
    let view = FileView::new(0, &byte, &filetype, Representation::Native).unwrap();
    assert_eq!(ranges(&view, 0, 12), [(0, 5), (8, 6), (17, 1)]);
}

#[test]
fn numbers_are_shorter_in_the_external_representation() {
    let long = basic(Basic::Long);
    let three = Type::contiguous_of(3, &long).unwrap();
    let view = FileView::new(10, &long, &three, Representation::External).unwrap();
    assert_eq!((view.unit(), ranges(&view, view.position(3, 8).unwrap(), 8)), (4, vec![(22, 8)]));
    assert_eq!((Representation::External.extent(&three), Representation::Native.extent(&three)), (12, 24));
    let gaps = Type::vector(2, 1, 2, &long).unwrap();
    let error = FileView::new(0, &long, &gaps, Representation::External).unwrap_err();
    assert!(matches!(error, MpiError::OfFile { mistake: FileMistake::Representation, .. }), "{error}");
}

#[test]
fn views_that_make_no_sense() {
    let (byte, int) = (basic(Basic::Byte), basic(Basic::Number(4)));
    let nothing = Type::contiguous_of(0, &int).unwrap();
    refused(-1, &int, &int, "-1 is negative");
    refused(0, &int, &byte, "whole elementary types");
    refused(0, &nothing, &int, "whole elementary types");
    refused(0, &byte, &Type::hindexed(&[1, 1], &[4, 0], &byte).unwrap(), "decrease");
    refused(0, &byte, &Type::hindexed(&[1], &[-4], &byte).unwrap(), "before the file");
    refused(0, &byte, &Type::hindexed(&[1, 1], &[-4, 0], &byte).unwrap(), "negative");
    // Behind bytes 0, 8 and 16 none at 12 may follow, but one at 16 or 17.
    let behind = |at| {
        let spread = Type::hvector(3, 1, 8, &byte).unwrap();
        Type::structure(&[1, 1], &[0, at], &[spread, Rc::clone(&byte)]).unwrap()
    };
    refused(0, &byte, &behind(12), "decrease");
    assert!([16, 17].iter().all(|&at| FileView::new(0, &byte, &behind(at), Representation::Native).is_ok()));
    let empty = FileView::new(0, &int, &nothing, Representation::Native).unwrap();
    assert!(empty.position(0, 4).is_err() && empty.position(3, 0).is_ok());
    assert!(empty.position(i64::MAX, 0).is_err());
    assert_eq!((ranges(&empty, 0, 0).len(), empty.units_in(99)), (0, 0));
}

/// A type of bytes: blocks with gaps before and behind them.
fn filetype() -> impl Strategy<Value = (Vec<(u64, u64)>, u64)> {
    (prop::collection::vec((0u64..4, 1u64..4), 1..6), 0u64..5).prop_map(|(steps, behind)| {
        let mut end = 0;
        let mut blocks = Vec::new();
        for (gap, length) in steps {
            blocks.push((end + gap, length));
            end += gap + length;
        }
        (blocks, end + behind)
    })
}

proptest! {
    /// The same bytes as when all tiles are written out.
    #[test]
    fn agrees_with_byte_by_byte(
        (blocks, extent) in filetype(),
        rows in 1i32..4,
        displacement in 0i64..9,
        position in 0u64..80,
        bytes in 0u64..60,
        size in 0u64..150,
    ) {
        let byte = basic(Basic::Byte);
        let lengths: Vec<i32> = blocks.iter().map(|&(_, length)| length as i32).collect();
        let places: Vec<isize> = blocks.iter().map(|&(at, _)| at as isize).collect();
        let row = Type::hindexed(&lengths, &places, &byte).unwrap();
        let row = Type::resized_by::<i32>(&row, 0, extent as isize).unwrap();
        let filetype = Type::contiguous_of(rows, &row).unwrap();
        let view = FileView::new(displacement, &byte, &filetype, Representation::Native).unwrap();
        let tiles = (0u64..).map(|tile| displacement as u64 + tile * extent);
        let blocks = &blocks;
        let all: Vec<u64> = tiles
            .flat_map(|tile| blocks.iter().flat_map(move |&(at, length)| (tile + at)..(tile + at + length)))
            .take(400)
            .collect();
        let found = ranges(&view, view.position(position as i64, bytes).unwrap(), bytes);
        let mut last_end = None;
        for &(at, length) in &found {
            prop_assert!(length > 0 && last_end.is_none_or(|end| end < at), "{:?}", found);
            last_end = Some(at + length);
        }
        let written: Vec<u64> = found.into_iter().flat_map(|(at, length)| at..at + length).collect();
        prop_assert_eq!(&written, &all[position as usize..(position + bytes) as usize]);
        prop_assert_eq!(view.byte_offset(position), all[position as usize]);
        prop_assert_eq!(view.units_in(size), all.iter().filter(|&&at| at < size).count() as i64);
    }
}

#[test]
fn what_overlaps_may_be_read_only() {
    let int = basic(Basic::Number(4));
    let view = |kind: &Rc<Type>| FileView::new(0, &int, kind, Representation::Native).unwrap();
    assert!(view(&Type::indexed(&[3, 1], &[0, 3], &int).unwrap()).may_write().is_ok());
    assert!(view(&Type::vector(3, 1, 2, &int).unwrap()).may_write().is_ok());
    let twice =
        [Type::indexed(&[3, 1], &[0, 1], &int), Type::hvector(3, 1, 2, &int), Type::hvector(2, 1, 0, &int)];
    for kind in twice {
        let mistake = view(&kind.unwrap()).may_write().unwrap_err();
        assert!(mistake.to_string().contains("overlap"), "{mistake}");
    }
}

#[test]
fn what_a_view_is_asked_for() {
    let byte = basic(Basic::Byte);
    for displacement in [0, 1, 77] {
        let view = FileView::new(displacement, &byte, &byte, Representation::Native).unwrap();
        assert_eq!(view.displacement(), displacement);
    }
    for known in [Representation::Native, Representation::Internal, Representation::External] {
        assert_eq!(Representation::named(known.name()), Some(known));
    }
    assert_eq!(Representation::named("external"), None);
}

/// Data end at 2^63 - 1 at the latest. From 6 * 2^60 on there is room for three bytes that are 2^59 apart, or for 2^60 bytes 2^59
/// farther on, not for four that are 2^60 apart, nor for 2^61 bytes 2^61 farther on.
#[test]
fn data_end_where_files_do() {
    let byte = basic(Basic::Byte);
    let far = |steps: i64| steps << 59;
    let apart = |count: i64, stride: i64| Type::hvector(count, 1, stride as isize, &byte).unwrap();
    let behind = |at: i64, length: i64| {
        let block = Type::contiguous_of(length, &byte).unwrap();
        Type::structure(&[1], &[at as isize], &[block]).unwrap()
    };
    for (filetype, fits) in [
        (apart(3, far(1)), true),
        (behind(far(1), far(2)), true),
        (apart(4, far(2)), false),
        (behind(far(4), far(4)), false),
    ] {
        let filetype = Type::resized_by::<i32>(&filetype, 0, 1).unwrap();
        let view = FileView::new(far(12), &byte, &filetype, Representation::Native).unwrap();
        assert_eq!(view.position(0, 1).is_ok(), fits, "{filetype:?}");
    }
}
