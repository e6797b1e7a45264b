//! Collectives in one group: every form of each, checked against what it is to give; and their times.
//!
//! Forms: waiting, going on (`MPI_Ibcast`) and persistent (`MPI_Bcast_init`), each with counts of both widths.

use super::forms::{Form, Numbers, Width, array, carry_out, every_form};
use crate::harness::*;
use std::cell::RefCell;
use std::rc::Rc;

/// Element `index` of what a rank gives.
fn value(rank: usize, index: usize) -> i32 {
    100 * rank as i32 + index as i32 + 1
}

fn values(rank: usize, count: usize) -> Vec<i32> {
    (0..count).map(|index| value(rank, index)).collect()
}

/// The sum of what the ranks give.
fn sum(ranks: std::ops::Range<usize>, index: usize) -> i32 {
    ranks.map(|rank| value(rank, index)).sum()
}

/// The buffer of [`Called::got`] among the words of a call.
const INTO: usize = usize::MAX - 9;

/// A call of a collective of ints by a rank of the world.
#[derive(Clone, Copy)]
struct Called {
    form: Form,
    width: Width,
    size: usize,
    rank: usize,
    root: usize,
}

impl Called {
    /// Carries the collective out with a buffer that holds this at first; what it holds then.
    fn got(&self, name: &str, words: &[usize], mut into: Vec<i32>) -> Vec<i32> {
        let at = (&mut into[..]).word();
        let words: Vec<usize> = words.iter().map(|&word| if word == INTO { at } else { word }).collect();
        carry_out(name, self.form, self.width, &words);
        into
    }

    fn array(&self, numbers: impl Iterator<Item = usize>) -> Numbers {
        array(&numbers.map(|number| number as i64).collect::<Vec<_>>(), self.width)
    }
}

/// Runs collectives in every form on one to five ranks, from every root.
fn everywhere(body: fn(Called)) {
    for size in 1..6 {
        run(size, move |rank| {
            for (form, width) in every_form() {
                (0..size).for_each(|root| body(Called { form, width, size, rank, root }));
            }
        });
    }
}

/// Likewise for those without a root.
fn without_root(body: fn(Called)) {
    for size in 1..6 {
        run(size, move |rank| {
            every_form().for_each(|(form, width)| body(Called { form, width, size, rank, root: 0 }));
        });
    }
}

#[test]
fn blocks_of_a_root() {
    everywhere(|c| {
        let (Called { size, rank, root, .. }, int) = (c, MPI_INT);
        assert_eq!(c.got("Bcast", words![INTO, 3, int, root, WORLD], values(rank, 3)), values(root, 3));
        let (mine, none) = (values(rank, 2), vec![-1; 2 * size]);
        let all: Vec<i32> = (0..size).flat_map(|rank| values(rank, 2)).collect();
        let got = c.got("Gather", words![&mine[..], 2, int, INTO, 2, int, root, WORLD], none.clone());
        assert_eq!(got, if rank == root { all.clone() } else { none.clone() });
        let got = c.got("Scatter", words![&all[..], 2, int, INTO, 2, int, root, WORLD], vec![-1; 2]);
        assert_eq!(got, mine);
        // At the root, its own block may be in place.
        let (mut own, is_root) = (none, rank == root);
        own[2 * root..][..2].copy_from_slice(&values(root, 2));
        let given = if is_root { MPI_IN_PLACE } else { (&mine[..]).word() };
        let got = c.got("Gather", words![given, 2, int, INTO, 2, int, root, WORLD], own);
        assert!(!is_root || got == all);
        let place = if is_root { MPI_IN_PLACE } else { INTO };
        let got = c.got("Scatter", words![&all[..], 2, int, place, 2, int, root, WORLD], vec![-1; 2]);
        assert!(is_root || got == mine);
    });
}

/// Blocks of the ranks: rank `r` has `r` elements, and they lie one element apart, the last rank's first. Their places, and what
/// is in memory with them, -1 between them.
fn spread(size: usize) -> (Vec<usize>, Vec<i32>) {
    let (mut places, mut all) = (vec![0; size], Vec::new());
    for rank in (0..size).rev() {
        places[rank] = all.len();
        all.extend(values(rank, rank).into_iter().chain([-1]));
    }
    (places, all)
}

#[test]
fn blocks_of_different_lengths() {
    everywhere(|c| {
        let (Called { size, rank, root, .. }, int) = (c, MPI_INT);
        let ((places, all), mine) = (spread(size), values(rank, rank));
        let none = vec![-1; all.len()];
        let (counts, places) = (c.array(0..size), c.array(places.into_iter()));
        let (n, p) = (counts.word(), places.word());
        let got = c.got("Gatherv", words![&mine[..], rank, int, INTO, n, p, int, root, WORLD], none.clone());
        assert_eq!(got, if rank == root { all.clone() } else { none.clone() });
        let words = words![&all[..], n, p, int, INTO, rank, int, root, WORLD];
        let got = c.got("Scatterv", words, vec![-1; size]);
        assert_eq!((&got[..rank], &got[rank..]), (&mine[..], &vec![-1; size - rank][..]));
        if root == 0 {
            let words = words![&mine[..], rank, int, INTO, n, p, int, WORLD];
            assert_eq!(c.got("Allgatherv", words, none), all);
            assert_eq!(
                c.got("Allgatherv", words![MPI_IN_PLACE, 0, 0, INTO, n, p, int, WORLD], all.clone()),
                all
            );
        }
    });
}

/// Rank `from` has `from + to` elements for rank `to`, in blocks of ten; with a single length it has two.
fn block(from: usize, to: usize, length: usize) -> impl Iterator<Item = i32> {
    let element = move |index: usize| (1000 * from + 100 * to + index) as i32;
    (0..10).map(move |index| if index < length { element(index) } else { -1 })
}

#[test]
fn blocks_of_all() {
    without_root(|c| {
        let (Called { size, rank, form, .. }, int) = (c, MPI_INT);
        let (mine, mut own) = (values(rank, 2), vec![-1; 2 * size]);
        let all: Vec<i32> = (0..size).flat_map(|rank| values(rank, 2)).collect();
        let words = words![&mine[..], 2, int, INTO, 2, int, WORLD];
        assert_eq!(c.got("Allgather", words, own.clone()), all);
        own[2 * rank..][..2].copy_from_slice(&mine);
        assert_eq!(c.got("Allgather", words![MPI_IN_PLACE, 0, 0, INTO, 2, int, WORLD], own), all);

        let even = |from, to| block(from, to, 2).take(2);
        let given: Vec<i32> = (0..size).flat_map(|to| even(rank, to)).collect();
        let expected: Vec<i32> = (0..size).flat_map(|from| even(from, rank)).collect();
        let words = words![&given[..], 2, int, INTO, 2, int, WORLD];
        assert_eq!(c.got("Alltoall", words, vec![-1; 2 * size]), expected);
        if form != Form::Kept {
            let words = words![MPI_IN_PLACE, 0, 0, INTO, 2, int, WORLD];
            assert_eq!(c.got("Alltoall", words, given), expected);
        }

        let given: Vec<i32> = (0..size).flat_map(|to| block(rank, to, rank + to)).collect();
        let expected: Vec<i32> = (0..size).flat_map(|from| block(from, rank, from + rank)).collect();
        let counts = c.array((0..size).map(|other| rank + other));
        let [elements, bytes] = [10, 40].map(|step| c.array((0..size).map(|other| step * other)));
        let (n, types) = (counts.word(), vec![MPI_INT; size]);
        for (name, p, t) in [("Alltoallv", &elements, int), ("Alltoallw", &bytes, (&types[..]).word())] {
            let p = p.word();
            let words = words![&given[..], n, p, t, INTO, n, p, t, WORLD];
            assert_eq!(c.got(name, words, vec![-1; 10 * size]), expected, "{name}");
            if form != Form::Kept {
                let words = words![MPI_IN_PLACE, 0, 0, 0, INTO, n, p, t, WORLD];
                assert_eq!(c.got(name, words, given.clone()), expected, "{name} in place");
            }
        }
    });
}

#[test]
fn reductions() {
    everywhere(|c| {
        let (Called { size, rank, root, form, .. }, int, op) = (c, MPI_INT, MPI_SUM);
        let (mine, none) = (values(rank, 2), vec![-1; 2]);
        let of = |ranks: std::ops::Range<usize>| vec![sum(ranks.clone(), 0), sum(ranks, 1)];
        let reduced = if rank == root { of(0..size) } else { none.clone() };
        assert_eq!(c.got("Reduce", words![&mine[..], INTO, 2, int, op, root, WORLD], none.clone()), reduced);
        let before = if rank == 0 { None } else { Some(of(0..rank)) };
        if root > 0 {
            return;
        }
        for (name, expected) in
            [("Allreduce", Some(of(0..size))), ("Scan", Some(of(0..rank + 1))), ("Exscan", before)]
        {
            let got = c.got(name, words![&mine[..], INTO, 2, int, op, WORLD], none.clone());
            assert_eq!(got, expected.clone().unwrap_or(none.clone()), "{name}");
            if form != Form::Kept {
                let got = c.got(name, words![MPI_IN_PLACE, INTO, 2, int, op, WORLD], mine.clone());
                assert_eq!(got, expected.unwrap_or(mine.clone()), "{name} in place");
            }
        }
        if form != Form::Kept {
            let words = if rank == 0 { [MPI_IN_PLACE, INTO] } else { [INTO, 0] };
            let got = c.got("Reduce", words![words[0], words[1], 2, int, op, 0, WORLD], mine.clone());
            assert_eq!(got, if rank == 0 { of(0..size) } else { mine });
        }
    });
}

#[test]
fn reductions_that_scatter() {
    without_root(|c| {
        let (Called { size, rank, form, .. }, int, op) = (c, MPI_INT, MPI_SUM);
        let mine = values(rank, 3 * size);
        let of =
            |first: usize, count| (first..first + count).map(|index| sum(0..size, index)).collect::<Vec<_>>();
        // Blocks of three; and rank r gets r elements.
        let counts = c.array(0..size);
        for (name, counts, count, expected) in [
            ("Reduce_scatter_block", 3, 3, of(3 * rank, 3)),
            ("Reduce_scatter", counts.word(), rank, of(rank * rank.saturating_sub(1) / 2, rank)),
        ] {
            let got = c.got(name, words![&mine[..], INTO, counts, int, op, WORLD], vec![-1; count + 1]);
            assert_eq!((&got[..count], got[count]), (&expected[..], -1), "{name}");
            if form != Form::Kept {
                let got = c.got(name, words![MPI_IN_PLACE, INTO, counts, int, op, WORLD], mine.clone());
                assert_eq!(got[..count], expected[..], "{name} in place");
            }
        }
    });
}

/// What rank `r` has to leave out or to shorten is found before anybody waits.
#[test]
fn own_blocks_must_fit() {
    run(1, |_| {
        let (given, mut got) = ([1, 2], [0; 2]);
        let into = (&mut got).word();
        let (truncated, other) = (MPI_ERR_TRUNCATE, MPI_ERR_OTHER);
        let (one, short, none) = (&MPI_INT, &MPI_SHORT, MPI_DATATYPE_NULL);
        for (code, expected) in [
            (code!(Alltoallv, &given, &2, &0, MPI_INT, into, &1, &0, MPI_INT, WORLD), truncated),
            (code!(Alltoallw, &given, &1, &0, one, into, &1, &0, short, WORLD), truncated),
            (code!(Gatherv, &given, 2, MPI_INT, into, &1, &0, MPI_INT, 0, WORLD), truncated),
            (code!(Allgatherv, &given, 2, MPI_INT, into, &1, &0, MPI_INT, WORLD), truncated),
            (code!(Scatterv, &given, &2, &0, MPI_INT, into, 1, MPI_INT, 0, WORLD), truncated),
            (code!(Scatter, &given, 2, MPI_INT, into, 1, MPI_INT, 0, WORLD), other),
            (code!(Gather, &given, 2, MPI_INT, into, 1, MPI_INT, 0, WORLD), other),
            (code!(Alltoall, &given, 2, MPI_INT, into, 1, MPI_INT, WORLD), other),
            (code!(Allgather, &given, 2, MPI_INT, into, 1, MPI_INT, WORLD), other),
            // Of no elements neither the pointer nor the datatype matters.
            (code!(Alltoallv, 0, &0, &0, none, 0, &0, &0, none, WORLD), MPI_SUCCESS),
            (code!(Alltoallv, 0, &0, &0, MPI_INT, into, &-1, &0, MPI_INT, WORLD), MPI_ERR_COUNT),
        ] {
            assert_eq!(code, expected);
        }
        assert_eq!(got, [0; 2]);
    });
}

/// All ranks must give alike: what differs is found by the second rank that comes, without a message. Where mistakes end the run,
/// it says what both have given.
#[test]
fn ranks_must_agree() {
    type Body = fn(usize) -> i32;
    let cases: [(Body, i32, &str); 5] = [
        (
            |rank| code!(Bcast, &mut [0; 2], 1 + rank, MPI_INT, 0, WORLD),
            MPI_ERR_OTHER,
            "with 8 bytes, and rank 0 with 4",
        ),
        (
            |rank| code!(Allreduce, &[0; 3], &mut [0; 3], 2 + rank, MPI_INT, MPI_SUM, WORLD),
            MPI_ERR_OTHER,
            "with 12 bytes, and rank 0 with 8",
        ),
        (
            |rank| code!(Reduce_scatter_block, &[0; 6], &mut [0; 3], 2 + rank, MPI_INT, MPI_SUM, WORLD),
            MPI_ERR_OTHER,
            "with 24 bytes, and rank 0 with 16",
        ),
        (
            |rank| code!(Reduce, &0, &mut 0, 1, MPI_INT, [MPI_PROD, MPI_LXOR][rank], 0, WORLD),
            MPI_ERR_OP,
            "with MPI_LXOR, and rank 0 with MPI_PROD",
        ),
        (|_| code!(Alltoall, &[1; 2], 1, MPI_INT, &mut [0; 4], 2, MPI_INT, WORLD), MPI_ERR_OTHER, ""),
    ];
    for (body, class, words) in cases {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let note = Rc::clone(&seen);
        Machine::free(2).run_mpi(move |rank| {
            let code = body(rank);
            note.borrow_mut().push(code);
        });
        assert!(seen.borrow().contains(&class), "{words}: {:?}", seen.borrow());
        for handler in [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT] {
            let ran = Machine::timed(2).run_mpi(move |rank| {
                mpi!(Comm_set_errhandler, WORLD, handler);
                body(rank);
            });
            let (rank, why) = ran.aborted();
            let name = if class == MPI_ERR_OP { "MPI_ERR_OP: " } else { "MPI_ERR_OTHER: " };
            assert!(why.starts_with("MPI_") && why.contains(&format!(" failed: {name}")), "{why}");
            assert!((rank == 1 || words.is_empty()) && why.contains(words), "{why}");
            assert!(ran.ended.traffic.messages <= 1, "{words}");
        }
    }
}

/// Ends a request, if the call has made one; the code of the two.
fn ended(code: i32, request: &mut usize) -> i32 {
    if code == MPI_SUCCESS && *request != MPI_REQUEST_NULL { code!(Wait, request, NULL) } else { code }
}

/// A program that goes on has its mistake at the end of the collective, at every rank that waits for both, and the next one
/// is good.
#[test]
fn programs_go_on_behind_a_mistake() {
    run(2, |rank| {
        let (given, mut got, alone) = ([rank as i32 + 1; 4], [0; 4], MPI_COMM_SELF);
        let op = [MPI_SUM, MPI_MAX][rank];
        let one_each = [rank as i32 + 1; 2];
        for _ in 0..2 {
            assert_eq!(code!(Allreduce, &given, &mut got, 1, MPI_INT, op, WORLD), MPI_ERR_OP);
            let mut request = MPI_REQUEST_NULL;
            let code = code!(Iallreduce, &given, &mut got, 1, MPI_INT, op, WORLD, &mut request);
            assert_eq!(ended(code, &mut request), MPI_ERR_OP);
            // Both have come before one may go on, and there is no message with which they come.
            let mut kept = MPI_REQUEST_NULL;
            let code =
                code!(Allreduce_init, &given, &mut got, 1, MPI_INT, op, WORLD, MPI_INFO_NULL, &mut kept);
            let made = kept != MPI_REQUEST_NULL;
            assert_eq!((code, made), if rank == 0 { (MPI_SUCCESS, true) } else { (MPI_ERR_OP, false) });
            mpi!(Barrier, WORLD);
            let code = code!(Allgather, &given, 2 - rank, MPI_INT, &mut got, 2 - rank, MPI_INT, WORLD);
            assert!([MPI_ERR_OTHER, MPI_ERR_TRUNCATE].contains(&code), "{code}");
            // A rank that gives itself another length than it takes.
            let code = code!(Alltoall, &one_each, 1, MPI_INT, &mut got, 2, MPI_INT, WORLD);
            assert_eq!(code, MPI_ERR_OTHER);
            mpi!(Allreduce, &given, &mut got, 1, MPI_INT, MPI_SUM, WORLD);
            assert_eq!(got[0], 3);
            mpi!(Allreduce, &given, &mut got, 1, MPI_INT, op, alone);
            assert_eq!(got[0], rank as i32 + 1, "alone there is nobody to agree with");
        }
        // Operations of the program are numbered by each rank, and blocks of different lengths are no mistake.
        extern "C" fn nothing(_: usize, _: usize, _: usize, _: usize) {}
        let mut own = get_handle!(Op_create, nothing as *const (), 1);
        if rank == 1 {
            own = get_handle!(Op_create, nothing as *const (), 1);
        }
        mpi!(Allreduce, &given, &mut got, 1, MPI_INT, own, WORLD);
        let (counts, places) = (array(&[1, 2], Width::Int), array(&[0, 1], Width::Int));
        let (counts, places) = (counts.word(), places.word());
        mpi!(Allgatherv, &given, rank + 1, MPI_INT, &mut got, counts, places, MPI_INT, WORLD);
        assert_eq!(got[..3], [1, 2, 2]);
    });
}

/// The library's own collectives do not take another's longer message for theirs.
#[test]
fn messages_of_other_collectives_are_refused() {
    run(2, |rank| {
        let part = get_handle!(Comm_dup, WORLD);
        errors_return(part);
        let (given, mut got) = ([7_i64; 40], [0_i64; 80]);
        if rank == 0 {
            code!(Allgather, &given, 40, MPI_LONG, &mut got, 40, MPI_LONG, part);
        } else {
            assert_eq!(code!(Comm_split, part, 0, 0, &mut 0_usize), MPI_ERR_TRUNCATE);
        }
    });
}
