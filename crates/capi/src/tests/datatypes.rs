//! Datatypes: what constructors make of bytes, what they say of themselves, and packing.

use super::forms::{Width, array};
use crate::harness::*;
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// What a datatype says of itself: size, lower bound, extent, true lower bound, true extent.
fn facts(datatype: usize) -> [i64; 5] {
    let ask = |names: [&str; 3]| {
        let mut of = [0_i64; 5];
        for (name, range) in names.into_iter().zip([0..1, 1..3, 3..5]) {
            let words: Vec<usize> = range.map(|place| (&mut of[place]).word()).collect();
            assert_eq!(call(&format!("MPI_Type_{name}"), &[&[datatype], &words[..]].concat()), MPI_SUCCESS);
        }
        of
    };
    let of = ask(["size_x", "get_extent", "get_true_extent"]);
    assert_eq!(ask(["size_c", "get_extent_c", "get_true_extent_c"]), of);
    assert_eq!(ask(["size_c", "get_extent_x", "get_true_extent_x"]), of);
    let (mut extent, mut lower, mut upper) = (0_i64, 0_i64, 0_i64);
    mpi!(Type_extent, datatype, &mut extent);
    mpi!(Type_lb, datatype, &mut lower);
    mpi!(Type_ub, datatype, &mut upper);
    let size = i64::from(get!(Type_size, datatype));
    assert_eq!([size, lower, extent, upper], [of[0], of[1], of[2], of[1] + of[2]]);
    of
}

/// Which bytes of memory are data of `count` elements, in their order: what packing a memory of numbered bytes gives.
fn data(datatype: usize, count: usize, start: usize) -> Vec<u8> {
    mpi!(Type_commit, &mut { datatype });
    let memory: Vec<u8> = (0..=255).collect();
    let size = count * get!(Type_size, datatype) as usize;
    let (mut packed, mut position) = (vec![0_u8; size], 0);
    mpi!(Pack, &memory[start], count, datatype, &mut packed[..], size, &mut position, WORLD);
    assert_eq!(position, size as i32);
    packed
}

fn bytes(ranges: &[(u8, u8)]) -> Vec<u8> {
    ranges.iter().flat_map(|&(start, length)| start..start + length).collect()
}

/// A constructor with what it gets, the facts, and the bytes of one element.
type Made<'a, T> = (&'a str, T, [i64; 5], &'a [(u8, u8)]);

#[test]
fn constructors() {
    const S: usize = MPI_SHORT;
    run(1, |_| {
        let check = |name: &str, datatype: usize, wanted: [i64; 5], ranges: &[(u8, u8)]| {
            assert_eq!((facts(datatype), data(datatype, 1, 64)), (wanted, bytes(ranges)), "{name}");
        };
        for (wide, width) in [("", Width::Int), ("_c", Width::Count)] {
            let numbers = |numbers: &[i64]| array(numbers, width);
            let make = |name: &str, words: &[usize]| {
                let mut new = MPI_DATATYPE_NULL;
                let code = call(&format!("MPI_Type_{name}{wide}"), &[words, &[(&mut new).word()]].concat());
                if code == MPI_SUCCESS { Ok(new) } else { Err(code) }
            };
            let (lengths, near, apart) = (numbers(&[2, 1]), numbers(&[4, 0]), numbers(&[3, 0]));
            let (n, near, apart, far) = (lengths.word(), near.word(), apart.word(), &[9_i64, 1]);
            // A char and a double: padded to the double's alignment.
            let ones = numbers(&[1, 1]);
            let of_two = words![2, ones.word(), &[8_i64, 0], &[MPI_CHAR, MPI_DOUBLE]];
            let structure = make("create_struct", of_two).unwrap();
            // Rows 1 and 2, columns 1 of 3 by 2; Fortran counts columns first.
            let (sizes, part, from) = (numbers(&[3, 2]), numbers(&[2, 1]), numbers(&[1, 1]));
            let sub = |order: i32| [2, sizes.word(), part.word(), from.word(), order as usize, S];
            // Seven elements dealt out to two, two at a time: the second has 2, 3 and 6; or in blocks.
            let (sizes, over) = (numbers(&[7]), [2]);
            let (cyclic, block) =
                (([MPI_DISTRIBUTE_CYCLIC], [2]), ([MPI_DISTRIBUTE_BLOCK], [MPI_DISTRIBUTE_DFLT_DARG]));
            let dealt = |(how, deal): &([i32; 1], [i32; 1])| {
                [2, 1, 1, sizes.word(), how.word(), deal.word(), (&over).word(), MPI_ORDER_C as usize, S]
            };
            let cases: [Made<'_, &[usize]>; 13] = [
                ("contiguous", words![3, S], [6, 0, 6, 0, 6], &[(64, 6)]),
                ("vector", words![2, 2, 3, S], [8, 0, 10, 0, 10], &[(64, 4), (70, 4)]),
                ("create_hvector", words![2, 1, -6_i64, S], [4, -6, 8, -6, 8], &[(64, 2), (58, 2)]),
                ("indexed", words![2, n, near, S], [6, 0, 12, 0, 12], &[(72, 4), (64, 2)]),
                ("create_hindexed", words![2, n, far, S], [6, 1, 12, 1, 12], &[(73, 4), (65, 2)]),
                ("create_hindexed_block", words![2, 2, far, S], [8, 1, 12, 1, 12], &[(73, 4), (65, 4)]),
                ("create_indexed_block", words![2, 2, apart, S], [8, 0, 10, 0, 10], &[(70, 4), (64, 4)]),
                ("create_struct", of_two, [9, 0, 16, 0, 9], &[(72, 1), (64, 8)]),
                ("create_resized", words![structure, -4_i64, 24], [9, -4, 24, 0, 9], &[(72, 1), (64, 8)]),
                ("create_subarray", &sub(MPI_ORDER_C), [4, 0, 12, 6, 6], &[(70, 2), (74, 2)]),
                ("create_subarray", &sub(MPI_ORDER_FORTRAN), [4, 0, 12, 8, 4], &[(72, 4)]),
                ("create_darray", &dealt(&cyclic), [6, 0, 14, 4, 10], &[(68, 4), (76, 2)]),
                ("create_darray", &dealt(&block), [6, 0, 14, 8, 6], &[(72, 6)]),
            ];
            for (name, words, wanted, ranges) in cases {
                check(name, make(name, words).unwrap(), wanted, ranges);
            }
            let wider = make("create_resized", words![structure, -4_i64, 24]).unwrap();
            assert_eq!(data(wider, 2, 64), bytes(&[(72, 1), (64, 8), (96, 1), (88, 8)]));
            for (place, wrong) in [(7, 11), (0, 3)] {
                let mut words = dealt(&block);
                words[place] = wrong;
                assert_eq!(make("create_darray", &words), Err(MPI_ERR_ARG));
            }
        }
        let cases: [Made<'_, usize>; 5] = [
            ("hvector", get_handle!(Type_hvector, 2, 1, 6, S), [4, 0, 8, 0, 8], &[(64, 2), (70, 2)]),
            ("hindexed", get_handle!(Type_hindexed, 1, &[2], &[3_i64], S), [4, 3, 4, 3, 4], &[(67, 4)]),
            ("struct", get_handle!(Type_struct, 1, &[2], &[3_i64], &[S]), [4, 3, 4, 3, 4], &[(67, 4)]),
            ("dup", get_handle!(Type_dup, S), [2, 0, 2, 0, 2], &[(64, 2)]),
            ("pair", MPI_SHORT_INT, [6, 0, 8, 0, 8], &[(64, 2), (68, 4)]),
        ];
        cases.into_iter().for_each(|(name, made, wanted, ranges)| check(name, made, wanted, ranges));
        let (mut address, variable) = (0_i64, 5);
        mpi!(Get_address, &variable, &mut address);
        assert_eq!(address as usize, (&raw const variable) as usize);
    });
}

/// Envelope, and the integers, addresses and datatypes it was made of.
#[test]
fn envelopes_and_contents() {
    run(1, |_| {
        let envelope = |datatype: usize| {
            let mut of = [0; 4];
            let [a, b, c, d] = &mut of;
            mpi!(Type_get_envelope, datatype, a, b, c, d);
            of
        };
        let contents = |datatype: usize| {
            let [a, b, c, _] = envelope(datatype);
            let (mut integers, mut addresses, mut types) = ([0; 9], [0_i64; 4], [0_usize; 4]);
            mpi!(Type_get_contents, datatype, a, b, c, &mut integers, &mut addresses, &mut types);
            let [a, b, c] = [a, b, c].map(|count| count as usize);
            (integers[..a].to_vec(), addresses[..b].to_vec(), types[..c].to_vec())
        };
        assert_eq!(envelope(MPI_INT), [0, 0, 0, MPI_COMBINER_NAMED]);
        assert_eq!(code!(Type_get_contents, MPI_INT, 0, 0, 0, NULL, NULL, NULL), MPI_ERR_TYPE);
        let mut new = 0;
        mpi!(Type_create_f90_real, 6, 30, &mut new);
        assert_eq!((envelope(new)[3], contents(new).0), (MPI_COMBINER_F90_REAL, vec![6, 30]));
        let again = get_handle!(Type_create_f90_real, 6, 30);
        assert_eq!(
            (new, code!(Type_free, &mut { again })),
            (again, MPI_ERR_TYPE),
            "the program must not free it"
        );
        mpi!(Type_create_f90_complex, 6, 30, &mut new);
        assert_eq!((envelope(new)[3], contents(new).0), (MPI_COMBINER_F90_COMPLEX, vec![6, 30]));
        mpi!(Type_create_f90_integer, 9, &mut new);
        assert_eq!((envelope(new)[3], contents(new).0), (MPI_COMBINER_F90_INTEGER, vec![9]));
        mpi!(Type_create_hvector, 2, 1, -6_i64, MPI_INT, &mut new);
        assert_eq!(contents(new), (vec![2, 1], vec![-6], vec![MPI_INT]));
        // Too little room.
        mpi!(Type_vector, 3, 2, 5, MPI_INT, &mut new);
        for room in [[2, 0, 1], [3, 0, 0]] {
            let [a, b, c] = room;
            let code = code!(Type_get_contents, new, a, b, c, &mut [0; 3], NULL, &mut [0_usize; 1]);
            assert_eq!(code, MPI_ERR_ARG);
        }
        // Large counts have no place in the older functions.
        mpi!(Type_vector_c, 3, 2, 5, MPI_INT, &mut new);
        let (mut numbers, mut types) = ([-1; 4], [MPI_DATATYPE_NULL]);
        let [a, b, c, d] = &mut numbers;
        assert_eq!(code!(Type_get_envelope, new, a, b, c, d), MPI_ERR_TYPE);
        assert_eq!(code!(Type_get_contents, new, 9, 9, 9, NULL, NULL, &mut types), MPI_ERR_TYPE);
        assert_eq!((numbers, types), ([-1; 4], [MPI_DATATYPE_NULL]));
        let (mut counts, mut combiner) = ([0_i64; 4], 0);
        let [a, b, c, d] = &mut counts;
        mpi!(Type_get_envelope_c, new, a, b, c, d, &mut combiner);
        assert_eq!((counts, combiner), ([0, 0, 3, 1], MPI_COMBINER_VECTOR));
        let mut large = [0_i64; 3];
        for (room, expected) in [([2, 1], MPI_ERR_ARG), ([3, 0], MPI_ERR_ARG), ([3, 1], MPI_SUCCESS)] {
            let [n, t] = room;
            let code = code!(Type_get_contents_c, new, 0, 0, n, t, NULL, NULL, &mut large, &mut types);
            assert_eq!(code, expected, "{room:?}");
        }
        assert_eq!((large, types), ([3, 2, 5], [MPI_INT]));
    });
}

#[test]
fn predefined_types_by_size_and_pair() {
    run(1, |_| {
        let found = get_handle!(Type_match_size, MPI_TYPECLASS_REAL, 8);
        assert_eq!(get!(Type_size, found), 8);
        assert_eq!(code!(Type_match_size, MPI_TYPECLASS_REAL, 3, &mut 0_usize), MPI_ERR_ARG);
        assert_eq!(get_handle!(Type_get_value_index, MPI_DOUBLE, MPI_INT), MPI_DOUBLE_INT);
        assert_eq!(get_handle!(Type_get_value_index, MPI_CHAR, MPI_INT), MPI_DATATYPE_NULL);
    });
}

#[test]
fn packing_by_hand() {
    run(1, |_| {
        let (mut packed, mut got, mut double) = ([0_u8; 16], [0; 2], 0.0_f64);
        let (mut long, mut at, mut size) = (8_i64, 0_i64, 0_i64);
        assert_eq!(code!(Pack, &1, 1, MPI_INT, NULL, 16, &mut 0, WORLD), MPI_ERR_BUFFER);
        mpi!(Pack, &3.5_f64, 1, MPI_DOUBLE, &mut packed, 16, &mut 8, WORLD);
        mpi!(Unpack_c, &packed, 16, &mut long, &mut double, 1, MPI_DOUBLE, WORLD);
        assert_eq!((long, double), (16, 3.5));
        assert_eq!(get!(Pack_size, 3, MPI_SHORT_INT, WORLD), 18);
        mpi!(Pack_size_c, 3, MPI_INT, WORLD, &mut long);
        assert_eq!(long, 12);
        // The external representation is big-endian.
        mpi!(Pack_external, c"external32", &[1, 258], 2, MPI_INT, &mut packed, 16, &mut at);
        assert_eq!((at, &packed[..8]), (8, &[0, 0, 0, 1, 0, 0, 1, 2][..]));
        mpi!(Unpack_external, c"external32", &packed, 16, &mut 0_i64, &mut got, 2, MPI_INT);
        assert_eq!(got, [1, 258]);
        let name = c"native";
        assert_eq!(code!(Pack_external_size, name, 3, MPI_INT, &mut size), MPI_ERR_ARG);
        assert_eq!(code!(Pack_external, name, &1, 1, MPI_INT, &mut packed, 16, &mut at), MPI_ERR_ARG);
        assert_eq!(code!(Unpack_external, name, &packed, 16, &mut at, &mut got, 1, MPI_INT), MPI_ERR_ARG);
        // Nothing needs no packed buffer.
        let (name, mut position) = (c"external32", 0);
        (at, long) = (0, 0);
        mpi!(Pack, NULL, 0, MPI_INT, NULL, 0, &mut position, WORLD);
        mpi!(Unpack, NULL, 0, &mut position, NULL, 0, MPI_INT, WORLD);
        mpi!(Pack_external, name, NULL, 0, MPI_INT, NULL, 0, &mut at);
        mpi!(Unpack_external, name, NULL, 0, &mut long, NULL, 0, MPI_INT);
        assert_eq!((position, at, long), (0, 0, 0));
    });
}

/// Some type of bytes, made in steps; and the bytes of its elements, from a model that lists them: data in order, lower
/// bound and extent.
#[derive(Clone, Debug)]
struct Model {
    data: Vec<i64>,
    lower: i64,
    extent: i64,
}

#[derive(Clone, Debug)]
enum Step {
    Contiguous(i64),
    Vector(i64, i64, i64),
    Blocks(Vec<(i64, i64)>),
    Resized(i64, i64),
}

impl Model {
    fn at(&self, places: impl Iterator<Item = i64>) -> Self {
        let places: Vec<i64> = places.collect();
        let data = places.iter().flat_map(|place| self.data.iter().map(move |byte| place + byte)).collect();
        let lower = places.iter().map(|place| place + self.lower).min().unwrap_or(0);
        let upper = places.iter().map(|place| place + self.lower + self.extent).max().unwrap_or(0);
        Self { data, lower, extent: upper - lower }
    }

    fn step(&self, step: &Step) -> Self {
        let extent = self.extent;
        match step {
            Step::Contiguous(count) => self.at((0..*count).map(|n| n * extent)),
            &Step::Vector(count, length, stride) => {
                self.at((0..count).flat_map(|n| (0..length).map(move |m| (n * stride + m) * extent)))
            }
            Step::Blocks(blocks) => self.at(blocks
                .iter()
                .flat_map(|&(length, place)| (0..length).map(move |m| (place + m) * extent))),
            &Step::Resized(lower, extent) => Self { lower, extent, ..self.clone() },
        }
    }
}

fn apply(old: usize, step: &Step) -> usize {
    match step {
        Step::Contiguous(count) => get_handle!(Type_contiguous, *count, old),
        &Step::Vector(count, length, stride) => get_handle!(Type_vector, count, length, stride, old),
        Step::Blocks(blocks) => {
            let lengths: Vec<i32> = blocks.iter().map(|block| block.0 as i32).collect();
            let places: Vec<i32> = blocks.iter().map(|block| block.1 as i32).collect();
            get_handle!(Type_indexed, blocks.len(), &lengths[..], &places[..], old)
        }
        &Step::Resized(lower, extent) => get_handle!(Type_create_resized, old, lower, extent),
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..4_i64).prop_map(Step::Contiguous),
        (1..4_i64, 1..3_i64, 2..5_i64)
            .prop_map(|(count, length, stride)| Step::Vector(count, length, stride)),
        prop::collection::vec((0..3_i64, 0..6_i64), 1..4).prop_map(Step::Blocks),
        (-3..3_i64, 1..20_i64).prop_map(|(lower, extent)| Step::Resized(lower, extent)),
    ];
    prop::collection::vec(step, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Packing takes the bytes that the model lists, unpacking puts them back, and a message moves the same.
    #[test]
    fn packing_is_what_the_model_lists(steps in steps(), count in 1..3_usize) {
        const ORIGIN: i64 = 2000;
        let mut model = Model { data: vec![0], lower: 0, extent: 1 };
        model = steps.iter().fold(model, |model, step| model.step(step));
        let all: Vec<i64> = (0..count as i64)
            .flat_map(|n| model.data.iter().map(move |byte| (n, byte)))
            .map(|(n, byte)| ORIGIN + n * model.extent + byte)
            .collect();
        let seen = Rc::new(RefCell::new(None));
        let (note, size) = (Rc::clone(&seen), all.len());
        run(1, move |_| {
            let mut datatype = steps.iter().fold(MPI_BYTE, apply);
            mpi!(Type_commit, &mut datatype);
            let facts = facts(datatype);
            let memory: Vec<u8> = (0..8192_u32).map(|byte| ((byte * 31) >> 3) as u8).collect();
            let (mut packed, mut position) = (vec![0_u8; size], 0);
            let from = (&raw const memory[ORIGIN as usize]) as usize;
            mpi!(Pack, from, count, datatype, &mut packed[..], size, &mut position, WORLD);
            let mut back = vec![0_u8; 8192];
            let to = (&raw mut back[ORIGIN as usize]) as usize;
            mpi!(Unpack, &packed[..], size, &mut 0, to, count, datatype, WORLD);
            let mut sent = vec![0_u8; 8192];
            let to = (&raw mut sent[ORIGIN as usize]) as usize;
            let other = get_handle!(Irecv, to, count, datatype, 0, 0, WORLD);
            mpi!(Send, from, count, datatype, 0, 0, WORLD);
            mpi!(Wait, &mut { other }, NULL);
            *note.borrow_mut() = Some((facts, memory, packed, back, sent));
        });
        let (facts, memory, packed, back, sent) = seen.take().unwrap();
        let expected: Vec<u8> = all.iter().map(|&byte| memory[byte as usize]).collect();
        prop_assert_eq!(packed, expected);
        let mut unpacked = vec![0_u8; 8192];
        all.iter().for_each(|&byte| unpacked[byte as usize] = memory[byte as usize]);
        prop_assert_eq!(&back, &unpacked);
        prop_assert_eq!(&sent, &unpacked);
        let (first, last) = (model.data.iter().min(), model.data.iter().max());
        prop_assert_eq!(facts[0], model.data.len() as i64);
        if let (Some(first), Some(last)) = (first, last) {
            prop_assert_eq!(facts, [facts[0], model.lower, model.extent, *first, last - first + 1]);
        }
    }
}
