//! Patterns of which it is known whether their profiles say what they are.

use crate::program::{Element, Size, Verdict, extrapolated, profile, verdict};
use weir_formats::profile::{Profile, read_text};
use weir_units::Rank;

#[track_caller]
fn check(elements: &[Element], sizes: &[i64], target: i64, expected: Verdict) {
    assert_eq!(verdict(elements, sizes, target), expected, "{elements:?} {sizes:?} -> {target}");
}

#[test]
fn what_three_sizes_decide_is_the_same_at_a_fourth() {
    let (fixed, shared) = (Size::Fixed(1000), Size::Shared(1 << 20));
    let same = |elements: &[Element]| check(elements, &[4, 8, 16], 64, Verdict::Same);
    same(&[Element::Shift { by: 1, is_open: false, bytes: fixed }]);
    same(&[Element::Shift { by: 1, is_open: true, bytes: shared }]);
    same(&[Element::Hypercube(shared)]);
    same(&[Element::All(Size::PerRank(8))]);
    same(&[Element::Tree(fixed)]);
    same(&[Element::Gather { is_last: true, bytes: fixed }]);
    same(&[Element::Gather { is_last: false, bytes: Size::Part(1001) }]);
    same(&[Element::Allreduce(fixed), Element::Broadcast { root: 1, bytes: shared }]);
    let step = [
        Element::Work { microseconds: 400, is_shared: true },
        Element::Shift { by: 1, is_open: false, bytes: fixed },
        Element::Shift { by: -1, is_open: false, bytes: fixed },
        Element::Allreduce(Size::Fixed(8)),
    ];
    same(&[Element::Broadcast { root: 0, bytes: fixed }, Element::Repeat(50, step.to_vec())]);
    // Nothing marks where the second tree begins.
    same(&[Element::Repeat(3, vec![Element::Tree(fixed)])]);
}

#[test]
fn sizes_need_not_be_powers_of_two() {
    let bytes = Size::Fixed(64);
    check(&[Element::Shift { by: 1, is_open: false, bytes }], &[6, 9, 10], 12, Verdict::Same);
    check(&[Element::All(bytes)], &[6, 9, 10], 12, Verdict::Same);
    check(&[Element::Tree(bytes)], &[6, 11, 16, 20], 37, Verdict::Same);
    // A ring of a prime number of ranks may be a grid with one side.
    check(&[Element::Shift { by: 1, is_open: false, bytes }], &[3, 5, 7], 12, Verdict::SameOfSeveral);
    check(&[Element::Square { is_open: false, bytes }], &[9, 16, 25], 64, Verdict::SameOfSeveral);
}

/// A share of two sizes may be one of the ranks, or fall by the same number of bytes with each doubling.
#[test]
fn two_sizes_leave_open_how_bytes_change() {
    let elements = [Element::Shift { by: 1, is_open: false, bytes: Size::Shared(1 << 20) }];
    let profiles: Vec<Profile> = [4, 8].map(|ranks| profile(&elements, ranks)).into();
    let (more, totals) = extrapolated(&profiles, 16).unwrap();
    assert_eq!(weir_extrapolate::compare(&more, &profile(&elements, 16)).differences, []);
    assert!(totals.open().iter().any(|open| open.contains("bytes of isend")), "{:?}", totals.open());
}

/// 5 bytes of each rank, in whole elements of 8 bytes, are 1, 3 and 5 elements, which is 2*log2(P)-1, too; of 12 ranks they are 7.
#[test]
fn what_is_rounded_down_is_found() {
    let elements = [Element::Allreduce(Size::PerRank(5))];
    check(&elements, &[3, 5, 8], 12, Verdict::Other);
    let profiles: Vec<Profile> = [3, 5, 8].map(|ranks| profile(&elements, ranks)).into();
    let (_, totals) = extrapolated(&profiles, 12).unwrap();
    let expected =
        "elements of allreduce: 2*log2(P)-1 was taken; 5*P/8 rounded down fits, too (rank 0: 5, or 7)";
    assert!(totals.open().iter().any(|open| open == expected), "{:?}", totals.open());
    check(&elements, &[3, 5, 8, 13], 21, Verdict::Same);
    check(&[Element::Allreduce(Size::PerRank(39))], &[3, 5, 8], 12, Verdict::Other);
}

/// Two numbers and a quantity are chosen by three sizes, so no size shows that they are right.
#[test]
fn a_form_that_no_size_confirms_is_named() {
    let of = |(ranks, bytes): (u32, u32)| {
        let mut text = format!("weir-profile 4\nranks {ranks}\n");
        (0..ranks).for_each(|rank| text += &format!("{rank} bcast {bytes} root 0\n{rank} end\n"));
        read_text(text.as_bytes()).expect("a profile")
    };
    let open = |seen: &[(u32, u32)]| {
        let profiles: Vec<Profile> = seen.iter().copied().map(of).collect();
        extrapolated(&profiles, 64).unwrap().1.open()
    };
    let expected = "bytes of bcast: 1000*log2(P)-700 was taken, which takes all sizes to find and none to confirm (rank 0: 5300)";
    assert_eq!(open(&[(4, 1300), (8, 2300), (16, 3300)]), [expected]);
    assert_eq!(open(&[(4, 1300), (8, 2300), (16, 3300), (32, 4300)]), [""; 0]);
}

#[track_caller]
fn refused(texts: &[&str], ranks: u32, expected: &str) {
    let profiles: Vec<Profile> =
        texts.iter().map(|text| read_text(text.as_bytes()).expect("a profile")).collect();
    let why = extrapolated(&profiles, ranks).expect_err("it is refused");
    assert!(why.iter().any(|why| why.contains(expected)), "{why:?}");
}

#[test]
fn what_no_form_fits_is_named_with_its_place() {
    let of = |ranks: u32| {
        let mut text = format!("weir-profile 4\nranks {ranks}\n");
        for rank in 0..ranks {
            let bytes = weir_units::mix(u64::from(rank << 8 | ranks)) % 1000;
            text += &format!("{rank} bcast {bytes} root 0\n{rank} end\n");
        }
        text
    };
    let texts = [of(16), of(25)];
    refused(&[&texts[0], &texts[1]], 36, "bytes of bcast");
    refused(&[&texts[0]], 12, "at least two");
    refused(&[&texts[0], &texts[0]], 12, "at least two");
    let of_communicators = |ranks: u32, count: u32| {
        let mut text = format!("weir-profile 4\nranks {ranks}\n");
        (2..2 + count).for_each(|number| text += &format!("communicator {number}: 0-{}\n", ranks - 1));
        (0..ranks).for_each(|rank| text += &format!("{rank} end\n"));
        text
    };
    refused(&[&of_communicators(4, 2), &of_communicators(8, 3)], 16, "different numbers of places");
    let lone = "weir-profile 4\nranks 2\ncommunicator 2: 0 | 1\n0 end\n1 end\n";
    refused(&[lone, &texts[0]], 12, "between two groups");
}

/// The last rank receives one message more than it is sent: every profile has that mistake, so the new one has it too.
#[test]
fn messages_that_do_not_match_are_named() {
    let of = |ranks: u32| {
        let mut text = format!("weir-profile 4\nranks {ranks}\n");
        for rank in 0..ranks {
            let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            text += &format!("{rank} isend {to} 8 request 0\n{rank} recv {from} 8\n{rank} wait 0\n");
            if rank == ranks - 1 {
                text += &format!("{rank} recv 0 8\n");
            }
            text += &format!("{rank} end\n");
        }
        text
    };
    refused(&[&of(4), &of(8)], 16, "rank 15: 1 messages are sent to it, and it receives 2");
}

/// The halo of a cube of ranks with faces, edges and corners, as LULESH and HPCG have it.
fn cube(side: i64) -> String {
    let mut text = format!("weir-profile 4\nranks {}\n", side * side * side);
    for rank in 0..side * side * side {
        let at = [rank / side / side, rank / side % side, rank % side];
        let neighbors: Vec<[i64; 3]> = (0..27)
            .map(|place| [place / 9 - 1, place / 3 % 3 - 1, place % 3 - 1])
            .filter(|step| *step != [0; 3] && (0..3).all(|d| (0..side).contains(&(at[d] + step[d]))))
            .collect();
        let to = |step: &[i64; 3]| rank + (step[0] * side + step[1]) * side + step[2];
        let bytes = |step: &[i64; 3]| 8 * 30_i64.pow(step.iter().filter(|step| **step == 0).count() as u32);
        for (request, step) in neighbors.iter().enumerate() {
            text += &format!("{rank} irecv {} {} request {request}\n", to(step), bytes(step));
        }
        neighbors.iter().for_each(|step| text += &format!("{rank} send {} {}\n", to(step), bytes(step)));
        (0..neighbors.len()).for_each(|request| text += &format!("{rank} wait {request}\n"));
        text += &format!("{rank} end\n");
    }
    text
}

/// Each corner is one rank of each profile: two values have many forms, of which that of the grid is taken.
#[test]
fn two_sizes_are_enough_for_a_cube() {
    let of = |side| read_text(cube(side).as_bytes()).expect("a profile");
    let (more, _) = extrapolated(&[of(3), of(4)], 125).unwrap();
    assert_eq!(weir_extrapolate::compare(&more, &of(5)).differences, []);
}

/// More than 16 ranks gather and broadcast: profiles of fewer do not show it.
#[test]
fn what_begins_beyond_the_profiles_is_not_seen() {
    let of = |ranks: u32| {
        let mut text = format!("weir-profile 4\nranks {ranks}\n");
        for rank in 0..ranks {
            text += &match ranks {
                ..=16 => format!("{rank} allgather 40\n"),
                _ => format!("{rank} gather 40 root 0\n{rank} bcast {} root 0\n", 40 * ranks),
            };
            text += &format!("{rank} end\n");
        }
        read_text(text.as_bytes()).expect("a profile")
    };
    let (more, totals) = extrapolated(&[4, 8, 16].map(of), 32).unwrap();
    assert_eq!(totals.open(), [""; 0]);
    assert_ne!(weir_extrapolate::compare(&more, &of(32)).differences, []);
}

#[test]
fn times_are_carried_on() {
    let elements = [Element::Work { microseconds: 640, is_shared: true }, Element::Allreduce(Size::Fixed(8))];
    let profiles: Vec<Profile> = [4, 8].map(|ranks| profile(&elements, ranks)).into();
    let (more, _) = extrapolated(&profiles, 64).unwrap();
    // 640 us of 64 ranks are 10 us of each.
    let found = weir_extrapolate::compare(&more, &profile(&elements, 64));
    assert_eq!(found.compute_ps, (640_000_000, 640_000_000));
}

/// A master that takes from any source: who is first follows no form. Rank 1 has looked in vain. Its work is half that of rank 2.
#[test]
fn what_is_left_out() {
    let of = |ranks: u32, order: &[u32]| {
        let mut text = format!("weir-profile 4\nranks {ranks}\n");
        order.iter().for_each(|from| text += &format!("0 recv any 8 from {from}\n"));
        (1..ranks).for_each(|rank| text += &format!("{rank} compute {rank} us\n"));
        text += "1 poll 3 us\n";
        (1..ranks).for_each(|rank| text += &format!("{rank} send 0 8\n"));
        (0..ranks).for_each(|rank| text += &format!("{rank} end\n"));
        text
    };
    let texts = [of(4, &[2, 1, 3]), of(6, &[1, 4, 2, 5, 3])];
    let profiles = texts.map(|text| read_text(text.as_bytes()).unwrap());
    let (more, totals) = extrapolated(&profiles, 8).unwrap();
    assert_eq!((totals.polls, totals.sources_are_open), (2, true));
    assert!(totals.open().iter().any(|open| open.contains("whoever comes first")), "{:?}", totals.open());
    let works: Vec<u64> = (1..8).map(|rank| more.steps(Rank(rank))[0].compute.as_ps()).collect();
    // The median of 1, 2 and 3 us, and of 1 to 5 us, goes up with the square root of ranks at least.
    assert!(works.iter().all(|work| *work == works[0] && *work > 2_000_000), "{works:?}");
}
