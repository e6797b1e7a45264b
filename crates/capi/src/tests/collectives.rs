//! Collectives in one group: every form of each, checked against what it is to give; and their times.
//!
//! Forms: waiting, going on (`MPI_Ibcast`) and persistent (`MPI_Bcast_init`), each with counts of both widths.

use super::forms::{Form, Width, array, carry_out, every_form};
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

/// Runs a collective in every form on one to five ranks, from every root.
fn everywhere(body: fn(Form, Width, usize, usize, usize)) {
    for size in 1..6 {
        run(size, move |rank| {
            for (form, width) in every_form() {
                (0..size).for_each(|root| body(form, width, size, rank, root));
            }
        });
    }
}

#[test]
fn bcast() {
    everywhere(|form, width, _, rank, root| {
        let mut data = values(rank, 3);
        let words = [(&mut data[..]).word(), 3, MPI_INT, root, WORLD];
        carry_out("Bcast", form, width, &words);
        assert_eq!(data, values(root, 3));
    });
}

#[test]
fn gather_and_scatter() {
    everywhere(|form, width, size, rank, root| {
        let (mine, mut all) = (values(rank, 2), vec![-1; 2 * size]);
        let expected: Vec<i32> = (0..size).flat_map(|rank| values(rank, 2)).collect();
        let words = [(&mine[..]).word(), 2, MPI_INT, (&mut all[..]).word(), 2, MPI_INT, root, WORLD];
        carry_out("Gather", form, width, &words);
        assert_eq!(all, if rank == root { expected.clone() } else { vec![-1; 2 * size] });
        let mut got = [-1; 2];
        let words = [(&expected[..]).word(), 2, MPI_INT, (&mut got).word(), 2, MPI_INT, root, WORLD];
        carry_out("Scatter", form, width, &words);
        assert_eq!(got[..], values(rank, 2));
        // At the root, its own block may be in place.
        let mut all = vec![-1; 2 * size];
        all[2 * root..][..2].copy_from_slice(&values(root, 2));
        let given = if rank == root { MPI_IN_PLACE } else { (&mine[..]).word() };
        let words = [given, 2, MPI_INT, (&mut all[..]).word(), 2, MPI_INT, root, WORLD];
        carry_out("Gather", form, width, &words);
        assert!(rank != root || all == expected);
        let got_at = if rank == root { MPI_IN_PLACE } else { (&mut got).word() };
        let words = [(&mut all[..]).word(), 2, MPI_INT, got_at, 2, MPI_INT, root, WORLD];
        carry_out("Scatter", form, width, &words);
        assert_eq!(got[..], values(rank, 2));
    });
}

/// Blocks of the ranks: rank `r` has `r` elements, and they lie one element apart, the last rank's first.
fn uneven(size: usize) -> (Vec<i64>, Vec<i64>, usize) {
    let counts: Vec<i64> = (0..size as i64).collect();
    let mut places = vec![0; size];
    let mut end = 0;
    for rank in (0..size).rev() {
        places[rank] = end;
        end += counts[rank] + 1;
    }
    (counts, places, end as usize)
}

/// What is in memory with such blocks, and -1 between them.
fn spread(size: usize) -> Vec<i32> {
    let (_, places, length) = uneven(size);
    let mut all = vec![-1; length];
    for rank in 0..size {
        all[places[rank] as usize..][..rank].copy_from_slice(&values(rank, rank));
    }
    all
}

#[test]
fn gatherv_and_scatterv() {
    everywhere(|form, width, size, rank, root| {
        let (counts, places, length) = uneven(size);
        let (counts, places) = (array(&counts, width), array(&places, width));
        let (mine, mut all) = (values(rank, rank), vec![-1; length]);
        let at = (&mut all[..]).word();
        let words =
            [(&mine[..]).word(), rank, MPI_INT, at, counts.word(), places.word(), MPI_INT, root, WORLD];
        carry_out("Gatherv", form, width, &words);
        assert_eq!(all, if rank == root { spread(size) } else { vec![-1; length] });
        let (all, mut got) = (spread(size), vec![-1; size]);
        let at = (&all[..]).word();
        let words =
            [at, counts.word(), places.word(), MPI_INT, (&mut got[..]).word(), rank, MPI_INT, root, WORLD];
        carry_out("Scatterv", form, width, &words);
        assert_eq!((&got[..rank], &got[rank..]), (&values(rank, rank)[..], &vec![-1; size - rank][..]));
    });
}

#[test]
fn allgather_and_allgatherv() {
    everywhere(|form, width, size, rank, root| {
        let (mine, mut all) = (values(rank, 2), vec![-1; 2 * size]);
        let expected: Vec<i32> = (0..size).flat_map(|rank| values(rank, 2)).collect();
        let at = (&mut all[..]).word();
        carry_out("Allgather", form, width, &[(&mine[..]).word(), 2, MPI_INT, at, 2, MPI_INT, WORLD]);
        assert_eq!(all, expected);
        all.fill(-1);
        all[2 * rank..][..2].copy_from_slice(&mine);
        carry_out("Allgather", form, width, &[MPI_IN_PLACE, 0, 0, (&mut all[..]).word(), 2, MPI_INT, WORLD]);
        assert_eq!(all, expected);
        let (counts, places, length) = uneven(size);
        let (counts, places) = (array(&counts, width), array(&places, width));
        let (mine, mut all) = (values(rank, rank), vec![-1; length]);
        let at = (&mut all[..]).word();
        let words = [(&mine[..]).word(), rank, MPI_INT, at, counts.word(), places.word(), MPI_INT, WORLD];
        if root == 0 {
            carry_out("Allgatherv", form, width, &words);
            assert_eq!(all, spread(size));
            carry_out("Allgatherv", form, width, &[&[MPI_IN_PLACE, 0, 0], &words[3..]].concat());
            assert_eq!(all, spread(size));
        }
    });
}

/// Element `index` of what rank `from` has for rank `to`.
fn between(from: usize, to: usize, index: usize) -> i32 {
    (1000 * from + 100 * to + index) as i32
}

#[test]
fn alltoall() {
    everywhere(|form, width, size, rank, root| {
        if root > 0 {
            return;
        }
        let block = |from, to| (0..2).map(move |index| between(from, to, index));
        let given: Vec<i32> = (0..size).flat_map(|to| block(rank, to)).collect();
        let expected: Vec<i32> = (0..size).flat_map(|from| block(from, rank)).collect();
        let mut got = vec![-1; 2 * size];
        let at = (&mut got[..]).word();
        carry_out("Alltoall", form, width, &[(&given[..]).word(), 2, MPI_INT, at, 2, MPI_INT, WORLD]);
        assert_eq!(got, expected);
        if form != Form::Kept {
            got.copy_from_slice(&given);
            let at = (&mut got[..]).word();
            carry_out("Alltoall", form, width, &[MPI_IN_PLACE, 0, 0, at, 2, MPI_INT, WORLD]);
            assert_eq!(got, expected);
        }
    });
}

/// Rank `from` has `from + to` elements for rank `to`, in blocks of ten.
#[test]
fn alltoallv_and_alltoallw() {
    everywhere(|form, width, size, rank, root| {
        if root > 0 {
            return;
        }
        let block = |from: usize, to: usize| {
            (0..10).map(move |index| if index < from + to { between(from, to, index) } else { -1 })
        };
        let given: Vec<i32> = (0..size).flat_map(|to| block(rank, to)).collect();
        let expected: Vec<i32> = (0..size).flat_map(|from| block(from, rank)).collect();
        let counts: Vec<i64> = (0..size).map(|other| (rank + other) as i64).collect();
        let elements: Vec<i64> = (0..size as i64).map(|other| 10 * other).collect();
        let bytes: Vec<i64> = elements.iter().map(|place| 4 * place).collect();
        let (counts, elements) = (array(&counts, width), array(&elements, width));
        let (bytes, types) = (array(&bytes, width), vec![MPI_INT; size]);
        let mut got = vec![-1; 10 * size];
        let from = (&given[..]).word();
        let [counts, elements, bytes, types] =
            [counts.word(), elements.word(), bytes.word(), types[..].word()];
        let into = (&mut got[..]).word();
        let words = [from, counts, elements, MPI_INT, into, counts, elements, MPI_INT, WORLD];
        carry_out("Alltoallv", form, width, &words);
        assert_eq!(got, expected);
        got.fill(-1);
        let into = (&mut got[..]).word();
        carry_out("Alltoallw", form, width, &[from, counts, bytes, types, into, counts, bytes, types, WORLD]);
        assert_eq!(got, expected);
        if form != Form::Kept {
            for (name, places, of) in [("Alltoallv", elements, MPI_INT), ("Alltoallw", bytes, types)] {
                got.copy_from_slice(&given);
                let into = (&mut got[..]).word();
                let words = [MPI_IN_PLACE, 0, 0, 0, into, counts, places, of, WORLD];
                carry_out(name, form, width, &words);
                assert_eq!(got, expected, "{name} in place");
            }
        }
    });
}

#[test]
fn reductions() {
    everywhere(|form, width, size, rank, root| {
        let (mine, mut got) = (values(rank, 2), [-1; 2]);
        let of = |ranks: std::ops::Range<usize>| [sum(ranks.clone(), 0), sum(ranks, 1)];
        let from = (&mine[..]).word();
        carry_out("Reduce", form, width, &[from, (&mut got).word(), 2, MPI_INT, MPI_SUM, root, WORLD]);
        assert_eq!(got, if rank == root { of(0..size) } else { [-1; 2] });
        if root > 0 {
            return;
        }
        carry_out("Allreduce", form, width, &[from, (&mut got).word(), 2, MPI_INT, MPI_SUM, WORLD]);
        assert_eq!(got, of(0..size));
        carry_out("Scan", form, width, &[from, (&mut got).word(), 2, MPI_INT, MPI_SUM, WORLD]);
        assert_eq!(got, of(0..rank + 1));
        got = [-1; 2];
        carry_out("Exscan", form, width, &[from, (&mut got).word(), 2, MPI_INT, MPI_SUM, WORLD]);
        assert_eq!(got, if rank == 0 { [-1; 2] } else { of(0..rank) });
        if form == Form::Kept {
            return;
        }
        for name in ["Allreduce", "Scan", "Exscan", "Reduce"] {
            let mut both = mine.clone();
            let at = (&mut both[..]).word();
            let mut words = vec![MPI_IN_PLACE, at, 2, MPI_INT, MPI_SUM, WORLD];
            if name == "Reduce" {
                words.insert(5, 0);
                if rank != 0 {
                    (words[0], words[1]) = (at, 0);
                }
            }
            carry_out(name, form, width, &words);
            let expected = match name {
                "Allreduce" => of(0..size),
                "Scan" => of(0..rank + 1),
                "Exscan" if rank > 0 => of(0..rank),
                "Reduce" if rank == 0 => of(0..size),
                _ => [mine[0], mine[1]],
            };
            assert_eq!(both[..], expected, "{name}");
        }
    });
}

#[test]
fn reductions_that_scatter() {
    everywhere(|form, width, size, rank, root| {
        if root > 0 {
            return;
        }
        let mine = values(rank, 3 * size);
        let mut got = [-1; 3];
        let from = (&mine[..]).word();
        let words = [from, (&mut got).word(), 3, MPI_INT, MPI_SUM, WORLD];
        carry_out("Reduce_scatter_block", form, width, &words);
        assert_eq!(got, [0, 1, 2].map(|index| sum(0..size, 3 * rank + index)));
        // Rank r gets r elements.
        let counts = array(&(0..size as i64).collect::<Vec<_>>(), width);
        let before = rank * rank.saturating_sub(1) / 2;
        let mut got = vec![-1; size];
        let words = [from, (&mut got[..]).word(), counts.word(), MPI_INT, MPI_SUM, WORLD];
        carry_out("Reduce_scatter", form, width, &words);
        let expected: Vec<i32> = (0..rank).map(|index| sum(0..size, before + index)).collect();
        assert_eq!((&got[..rank], &got[rank..]), (&expected[..], &vec![-1; size - rank][..]));
        if form != Form::Kept {
            let mut both = mine.clone();
            let words = [MPI_IN_PLACE, (&mut both[..]).word(), 3, MPI_INT, MPI_SUM, WORLD];
            carry_out("Reduce_scatter_block", form, width, &words);
            assert_eq!(both[..3], [0, 1, 2].map(|index| sum(0..size, 3 * rank + index)));
            both.copy_from_slice(&mine);
            let words = [MPI_IN_PLACE, (&mut both[..]).word(), counts.word(), MPI_INT, MPI_SUM, WORLD];
            carry_out("Reduce_scatter", form, width, &words);
            assert_eq!(both[..rank], expected[..]);
        }
    });
}

#[test]
fn a_barrier_waits_for_the_last() {
    for form in [Form::Waiting, Form::Started, Form::Kept] {
        for size in 1..6 {
            run(size, move |rank| {
                work(100 * rank as u64);
                carry_out("Barrier", form, Width::Int, &[WORLD]);
                assert_eq!(now(), 100 * (size as u64 - 1));
            });
        }
    }
}

/// What rank `r` has to leave out or to shorten is found before anybody waits.
#[test]
fn own_blocks_must_fit() {
    run(1, |_| {
        let (given, mut got) = ([1, 2], [0; 2]);
        let into = (&mut got).word();
        let truncated = MPI_ERR_TRUNCATE;
        assert_eq!(code!(Alltoallv, &given, &2, &0, MPI_INT, into, &1, &0, MPI_INT, WORLD), truncated);
        let (one, other) = (&MPI_INT, &MPI_SHORT);
        assert_eq!(code!(Alltoallw, &given, &1, &0, one, into, &1, &0, other, WORLD), truncated);
        assert_eq!(code!(Gatherv, &given, 2, MPI_INT, into, &1, &0, MPI_INT, 0, WORLD), truncated);
        assert_eq!(code!(Allgatherv, &given, 2, MPI_INT, into, &1, &0, MPI_INT, WORLD), truncated);
        assert_eq!(code!(Scatterv, &given, &2, &0, MPI_INT, into, 1, MPI_INT, 0, WORLD), truncated);
        assert_eq!(code!(Scatter, &given, 2, MPI_INT, into, 1, MPI_INT, 0, WORLD), MPI_ERR_OTHER);
        assert_eq!(code!(Gather, &given, 2, MPI_INT, into, 1, MPI_INT, 0, WORLD), MPI_ERR_OTHER);
        assert_eq!(code!(Alltoall, &given, 2, MPI_INT, into, 1, MPI_INT, WORLD), MPI_ERR_OTHER);
        assert_eq!(code!(Allgather, &given, 2, MPI_INT, into, 1, MPI_INT, WORLD), MPI_ERR_OTHER);
        assert_eq!(got, [0; 2]);
        // One piece of memory for both.
        let buffer = MPI_ERR_BUFFER;
        assert_eq!(code!(Allreduce, into, into, 1, MPI_INT, MPI_SUM, WORLD), buffer);
        assert_eq!(code!(Gather, into, 1, MPI_INT, into, 1, MPI_INT, 0, WORLD), buffer);
        assert_eq!(code!(Scatter, into, 1, MPI_INT, into, 1, MPI_INT, 0, WORLD), buffer);
        assert_eq!(code!(Alltoall, into, 1, MPI_INT, into, 1, MPI_INT, WORLD), buffer);
        assert_eq!(code!(Alltoallv, into, &1, &0, MPI_INT, into, &1, &0, MPI_INT, WORLD), buffer);
        assert_eq!(code!(Bcast, MPI_IN_PLACE, 1, MPI_INT, 0, WORLD), buffer);
        // Of no elements neither the pointer nor the datatype matters.
        mpi!(Alltoallv, 0, &0, &0, MPI_DATATYPE_NULL, 0, &0, &0, MPI_DATATYPE_NULL, WORLD);
        assert_eq!(code!(Alltoallv, 0, &0, &0, MPI_INT, into, &-1, &0, MPI_INT, WORLD), MPI_ERR_COUNT);
    });
}

/// Where a collective leaves each rank of the machine of [`timed`], in ns.
fn leaves(size: usize, body: fn(usize)) -> Vec<u64> {
    let seen = Rc::new(RefCell::new(vec![0; size]));
    let note = Rc::clone(&seen);
    timed(size, move |rank| {
        body(rank);
        note.borrow_mut()[rank] = now();
    });
    seen.take()
}

/// A message of 4 bytes costs its sender 10 and a copy of 2; it leaves in 4, takes 1000, and costs its receiver 10.
#[test]
fn times_of_collectives() {
    const NEXT: u64 = 12 + 4 + 1000 + 10;
    assert_eq!(leaves(2, |_| mpi!(Barrier, WORLD)), [1020; 2]);
    assert_eq!(leaves(4, |_| mpi!(Barrier, WORLD)), [2040; 4]);
    assert_eq!(leaves(1, |_| mpi!(Barrier, WORLD)), [0]);
    // The root sends to rank 2 and then to rank 1; rank 2 to rank 3.
    let bcast = leaves(4, |_| mpi!(Bcast, &mut 0, 1, MPI_INT, 0, WORLD));
    assert_eq!(bcast, [24, 12 + NEXT, NEXT + 12, 2 * NEXT]);
    // Rank 3 sends to rank 2, rank 1 to rank 0; then rank 2 to rank 0.
    let reduce = leaves(4, |_| mpi!(Reduce, &0, &mut 0, 1, MPI_INT, MPI_SUM, 0, WORLD));
    assert_eq!(reduce, [2 * NEXT, 12, NEXT + 12, 12]);
    let allreduce = leaves(4, |_| mpi!(Allreduce, &0, &mut 0, 1, MPI_INT, MPI_SUM, WORLD));
    assert_eq!(allreduce, [2 * NEXT; 4]);
    let gather = leaves(2, |_| mpi!(Gather, &0, 1, MPI_INT, &mut [0; 2], 1, MPI_INT, 0, WORLD));
    assert_eq!(gather, [NEXT, 12]);
    let scatter = leaves(2, |_| mpi!(Scatter, &[0; 2], 1, MPI_INT, &mut 0, 1, MPI_INT, 0, WORLD));
    assert_eq!(scatter, [12, NEXT]);
    let allgather = leaves(2, |_| mpi!(Allgather, &0, 1, MPI_INT, &mut [0; 2], 1, MPI_INT, WORLD));
    assert_eq!(allgather, [NEXT; 2]);
    let alltoall = leaves(2, |_| mpi!(Alltoall, &[0; 2], 1, MPI_INT, &mut [0; 2], 1, MPI_INT, WORLD));
    assert_eq!(alltoall, [NEXT; 2]);
    let scan = leaves(2, |_| mpi!(Scan, &0, &mut 0, 1, MPI_INT, MPI_SUM, WORLD));
    assert_eq!(scan, [12, NEXT]);
}

/// Rank 0 starts to broadcast and works: its message leaves meanwhile.
#[test]
fn collectives_go_on_while_ranks_work() {
    let at = leaves(2, |_| {
        let mut request = get_handle!(Ibcast, &mut 0, 1, MPI_INT, 0, WORLD);
        work(5000);
        mpi!(Wait, &mut request, NULL);
    });
    assert_eq!(at, [5012, 5010]);
}

/// All ranks must give alike: a wrong count or operation is found without a message.
#[test]
fn ranks_must_agree() {
    type Body = fn(usize) -> i32;
    let cases: [(Body, i32); 3] = [
        (|rank| code!(Bcast, &mut [0; 2], 1 + rank, MPI_INT, 0, WORLD), MPI_ERR_OTHER),
        (|rank| code!(Allreduce, &[0; 2], &mut [0; 2], 1 + rank, MPI_INT, MPI_SUM, WORLD), MPI_ERR_OTHER),
        (|rank| code!(Allreduce, &0, &mut 0, 1, MPI_INT, [MPI_SUM, MPI_MAX][rank], WORLD), MPI_ERR_OP),
    ];
    for (body, class) in cases {
        let seen = Rc::new(RefCell::new(vec![0; 2]));
        let note = Rc::clone(&seen);
        Machine::free(2).run_mpi(move |rank| note.borrow_mut()[rank] = body(rank));
        assert!(seen.borrow().contains(&class), "{:?}", seen.borrow());
    }
}

/// Where mistakes end the run, it ends when the second rank comes, which sends nothing, and says what both have given.
#[test]
fn ranks_that_do_not_agree_end_the_run() {
    type Body = fn(usize) -> i32;
    let cases: [(Body, &str); 4] = [
        (|rank| code!(Bcast, &mut [0; 2], 1 + rank, MPI_INT, 0, WORLD), "with 8 bytes, and rank 0 with 4"),
        (
            |rank| code!(Allreduce, &[0; 3], &mut [0; 3], 2 + rank, MPI_INT, MPI_SUM, WORLD),
            "with 12 bytes, and rank 0 with 8",
        ),
        (
            |rank| code!(Reduce_scatter_block, &[0; 6], &mut [0; 3], 2 + rank, MPI_INT, MPI_SUM, WORLD),
            "with 24 bytes, and rank 0 with 16",
        ),
        (
            |rank| code!(Reduce, &0, &mut 0, 1, MPI_INT, [MPI_PROD, MPI_LXOR][rank], 0, WORLD),
            "with MPI_LXOR, and rank 0 with MPI_PROD",
        ),
    ];
    for (body, words) in cases {
        let ran = Machine::timed(2).run_mpi(move |rank| {
            mpi!(Comm_set_errhandler, WORLD, MPI_ERRORS_ARE_FATAL);
            body(rank);
        });
        let (rank, why) = ran.aborted();
        assert!(rank == 1 && why.contains(words), "{why}");
        assert!(ran.ended.traffic.messages <= 1, "{words}");
    }
}

/// Collectives that are kept are compared when they are made.
#[test]
fn kept_collectives_must_agree() {
    let seen = Rc::new(RefCell::new(vec![0; 2]));
    let note = Rc::clone(&seen);
    Machine::free(2).run_mpi(move |rank| {
        let mut kept = MPI_REQUEST_NULL;
        let (data, count) = ([0; 2], 1 + rank);
        let info = MPI_INFO_NULL;
        note.borrow_mut()[rank] =
            code!(Allreduce_init, &data, &mut [0; 2], count, MPI_INT, MPI_SUM, WORLD, info, &mut kept);
        assert_eq!(kept == MPI_REQUEST_NULL, rank == 1);
    });
    assert_eq!(*seen.borrow(), [MPI_SUCCESS, MPI_ERR_OTHER]);
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
            assert_eq!(code, if rank == 0 { MPI_SUCCESS } else { MPI_ERR_OP });
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

/// Where mistakes end the run the first that finds one does, in words.
#[test]
fn mistakes_end_the_run() {
    type Body = fn(usize, usize);
    let cases: [(Body, &str); 3] = [
        (
            |rank, comm| {
                let op = [MPI_SUM, MPI_MAX][rank];
                mpi!(Allreduce, &1, &mut 0, 1, MPI_INT, op, comm);
            },
            "MPI_Allreduce failed: MPI_ERR_OP: ",
        ),
        (
            |rank, comm| mpi!(Bcast, &mut [0; 2], rank + 1, MPI_INT, 0, comm),
            "MPI_Bcast failed: MPI_ERR_OTHER: ",
        ),
        (
            |_, comm| mpi!(Alltoall, &[1; 2], 1, MPI_INT, &mut [0; 4], 2, MPI_INT, comm),
            "MPI_Alltoall failed: MPI_ERR_OTHER: ",
        ),
    ];
    for (body, words) in cases {
        for handler in [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT] {
            let ran = Machine::free(2).run_mpi(move |rank| {
                mpi!(Comm_set_errhandler, WORLD, handler);
                body(rank, WORLD);
                mpi!(Barrier, WORLD);
            });
            let (_, why) = ran.aborted();
            assert!(why.starts_with(words), "{why}");
        }
    }
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
