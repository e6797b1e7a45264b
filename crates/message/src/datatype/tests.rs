//! Type maps against hand-computed ones, and against their definitions written out naively.

use super::*;
use proptest::prelude::*;

mod external;
mod limits;

const INT: Basic = Basic::Number(4);
const DOUBLE: Basic = Basic::Number(8);

fn basic(basic: Basic) -> Rc<Type> {
    Type::named(1, &[(0, basic)])
}

/// The type map as the standard defines it, from the arguments of the constructors alone.
fn expand(of: &Type) -> Vec<(isize, Basic)> {
    let Recipe { combiner, integers, addresses, types, .. } = of.recipe();
    let extent = types.first().map_or(0, |old| old.extent());
    let many = |numbers: &[i32]| numbers.iter().map(|&number| number as isize).collect::<Vec<_>>();
    // Blocks of one older type: (displacement, length).
    let blocks = |blocks: &mut dyn Iterator<Item = (isize, i32)>| -> Vec<(isize, Basic)> {
        let old = expand(&types[0]);
        let starts = blocks.flat_map(|(at, length)| (0..length as isize).map(move |i| at + i * extent));
        starts.flat_map(|start| old.iter().map(move |&(at, basic)| (start + at, basic))).collect()
    };
    match combiner {
        Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => {
            let Tree::Basics(all) = &of.tree else { panic!("a named type is a list of numbers") };
            all.to_vec()
        }
        Combiner::Dup | Combiner::Resized => expand(&types[0]),
        Combiner::Contiguous => blocks(&mut std::iter::once((0, integers[0]))),
        Combiner::Vector => {
            blocks(&mut (0..integers[0] as isize).map(|i| (i * integers[2] as isize * extent, integers[1])))
        }
        Combiner::Hvector => blocks(&mut (0..integers[0] as isize).map(|i| (i * addresses[0], integers[1]))),
        Combiner::Indexed => {
            let n = integers[0] as usize;
            let (lengths, displacements) = (&integers[1..=n], many(&integers[n + 1..]));
            blocks(&mut (0..n).map(|i| (displacements[i] * extent, lengths[i])))
        }
        Combiner::Hindexed => blocks(&mut (0..addresses.len()).map(|i| (addresses[i], integers[i + 1]))),
        Combiner::IndexedBlock => {
            blocks(&mut many(&integers[2..]).into_iter().map(|at| (at * extent, integers[1])))
        }
        Combiner::HindexedBlock => blocks(&mut addresses.iter().map(|&at| (at, integers[1]))),
        Combiner::Struct => {
            let mut all = Vec::new();
            for (i, old) in types.iter().enumerate() {
                for j in 0..integers[i + 1] as isize {
                    let start = addresses[i] + j * old.extent();
                    all.extend(expand(old).into_iter().map(|(at, basic)| (start + at, basic)));
                }
            }
            all
        }
        Combiner::Subarray => {
            let n = integers[0] as usize;
            let (sizes, rest) = integers[1..].split_at(n);
            let inside = |dimension: usize, index: i32| {
                let start = rest[n + dimension];
                (start..start + rest[dimension]).contains(&index)
            };
            blocks(&mut owned(sizes, rest[2 * n] == 0, inside, extent).into_iter())
        }
        Combiner::Darray => {
            let n = integers[2] as usize;
            let part = |i: usize| &integers[3 + i * n..3 + (i + 1) * n];
            let (sizes, kinds, arguments, shape) = (part(0), part(1), part(2), part(3));
            let mut place = vec![0; n];
            let mut rank = integers[1];
            for dimension in (0..n).rev() {
                place[dimension] = rank % shape[dimension];
                rank /= shape[dimension];
            }
            let owner = |dimension: usize, index: i32| match kinds[dimension] {
                0 => 0,
                1 => index / arguments[dimension],
                _ => index / arguments[dimension] % shape[dimension],
            };
            let mine = |dimension: usize, index: i32| owner(dimension, index) == place[dimension];
            blocks(&mut owned(sizes, integers[3 + 4 * n] == 0, mine, extent).into_iter())
        }
    }
}

/// Displacements of the elements of an array that fulfil a condition in every dimension, in the order of memory.
fn owned(
    sizes: &[i32],
    order_is_c: bool,
    condition: impl Fn(usize, i32) -> bool,
    extent: isize,
) -> Vec<(isize, i32)> {
    let all: i32 = sizes.iter().product();
    let fastest: Vec<usize> =
        if order_is_c { (0..sizes.len()).rev().collect() } else { (0..sizes.len()).collect() };
    let mine = |mut index: i32| {
        fastest.iter().all(|&dimension| {
            let holds = condition(dimension, index % sizes[dimension]);
            index /= sizes[dimension];
            holds
        })
    };
    (0..all).filter(|&index| mine(index)).map(|index| (index as isize * extent, 1)).collect()
}

/// Where the buffer's address is in the memory of these tests.
const ORIGIN: isize = 40_000;

fn each_byte(of: &Type, count: usize, limit: usize, mut take: impl FnMut(usize)) {
    of.pieces(count, limit, &mut |piece: Piece| {
        assert!(piece.length > 0 && piece.count > 0, "{piece:?}");
        for block in 0..piece.count as isize {
            let start = ORIGIN + piece.offset + block * piece.stride;
            (0..piece.length).for_each(|byte| take(start as usize + byte));
        }
    });
}

/// Places in memory of the bytes of `count` elements, by the definition.
fn naive_bytes(of: &Type, count: usize) -> Vec<usize> {
    let map = expand(of);
    let all =
        (0..count as isize).flat_map(|i| map.iter().map(move |&(at, basic)| (at + i * of.extent(), basic)));
    all.flat_map(|(at, basic)| (0..basic.size()).map(move |byte| (ORIGIN + at) as usize + byte)).collect()
}

#[track_caller]
fn check_map(of: &Type, map: &[(isize, Basic)], bounds: (isize, isize), true_bounds: (isize, isize)) {
    assert_eq!(expand(of), map, "type map");
    let mut found = Vec::new();
    each_byte(of, 2, usize::MAX, |byte| found.push(byte));
    assert_eq!(found, naive_bytes(of, 2), "bytes");
    assert_eq!((of.lower_bound(), of.extent()), bounds, "lower bound and extent");
    assert_eq!((of.true_lower_bound(), of.true_extent()), true_bounds, "true lower bound and extent");
    assert_eq!(of.size(), map.iter().map(|(_, basic)| basic.size()).sum::<usize>());
    assert_eq!(of.elements(), map.len() as u64);
}

/// MPI 5.0, example 5.1: {(double, 0), (char, 8)} has extent 16.
#[test]
fn a_structure_is_padded() {
    let one = Type::structure(&[1, 1], &[0, 8], &[basic(DOUBLE), basic(Basic::Byte)]).unwrap();
    check_map(&one, &[(0, DOUBLE), (8, Basic::Byte)], (0, 16), (0, 9));
    // Examples 5.2 and following: three of them one behind the other, and a vector of them.
    let row = Type::contiguous_of(3, &one).unwrap();
    let map = [0, 16, 32].map(|at| [(at, DOUBLE), (at + 8, Basic::Byte)]).concat();
    check_map(&row, &map, (0, 48), (0, 41));
    let vector = Type::vector(2, 3, 4, &one).unwrap();
    let map = [0, 16, 32, 64, 80, 96].map(|at| [(at, DOUBLE), (at + 8, Basic::Byte)]).concat();
    check_map(&vector, &map, (0, 112), (0, 105));
    // A stride of -2 elements: the second and third blocks lie before the first.
    let back = Type::vector(3, 1, -2, &one).unwrap();
    let map = [0, -32, -64].map(|at| [(at, DOUBLE), (at + 8, Basic::Byte)]).concat();
    check_map(&back, &map, (-64, 80), (-64, 73));
    // Example of MPI_Type_indexed: blocks of 3 and 1 at 4 and 0.
    let indexed = Type::indexed(&[3, 1], &[4, 0], &one).unwrap();
    let map = [64, 80, 96, 0].map(|at| [(at, DOUBLE), (at + 8, Basic::Byte)]).concat();
    check_map(&indexed, &map, (0, 112), (0, 105));
    // Example of MPI_Type_create_struct: 2 floats at 0, one of the type at 16, 3 chars at 26.
    let float = basic(INT);
    let mixed = Type::structure(&[2, 1, 3], &[0, 16, 26], &[float, one, basic(Basic::Byte)]).unwrap();
    let map = [
        (0, INT),
        (4, INT),
        (16, DOUBLE),
        (24, Basic::Byte),
        (26, Basic::Byte),
        (27, Basic::Byte),
        (28, Basic::Byte),
    ];
    check_map(&mixed, &map, (0, 32), (0, 29));
}

/// MPI 5.0, section 5.1.6: bounds set by hand stay, in types made of the type as well.
#[test]
fn bounds_set_by_hand_stay() {
    let int = basic(INT);
    let wide = Type::resized_by::<i32>(&int, -3, 9).unwrap();
    check_map(&wide, &[(0, INT)], (-3, 9), (0, 4));
    let pair = Type::contiguous_of(2, &wide).unwrap();
    check_map(&pair, &[(0, INT), (9, INT)], (-3, 18), (0, 13));
    // Data beyond the set bound do not move it.
    let beyond = Type::structure(&[1, 1], &[0, 24], &[wide, basic(DOUBLE)]).unwrap();
    check_map(&beyond, &[(0, INT), (24, DOUBLE)], (-3, 9), (0, 32));
    // A copy keeps them; so do elements that share memory.
    let dense = Type::resized_by::<i32>(&Type::vector(3, 1, 2, &int).unwrap(), 0, 4).unwrap();
    check_map(&Type::dup(&dense), &[(0, INT), (8, INT), (16, INT)], (0, 4), (0, 20));
}

#[test]
fn empty_types_have_neither_bounds_nor_data() {
    let int = basic(INT);
    let nothing = Type::contiguous_of(0, &int).unwrap();
    check_map(&nothing, &[], (0, 0), (0, 0));
    check_map(&Type::hindexed(&[0, 1, 0], &[-80, 4, 80], &int).unwrap(), &[(4, INT)], (4, 4), (4, 4));
    check_map(&Type::structure(&[2, 1], &[100, 8], &[nothing, int]).unwrap(), &[(8, INT)], (8, 4), (8, 4));
    check_map(&Type::structure::<i32>(&[], &[], &[]).unwrap(), &[], (0, 0), (0, 0));
}

/// How many runs a type of many blocks is: copying must not see more of them.
#[test]
fn regular_types_are_few_runs() {
    let int = basic(INT);
    #[track_caller]
    fn check(of: &Type, count: usize, runs: &[(isize, usize, usize, isize)]) {
        let mut found = Vec::new();
        of.pieces(count, usize::MAX, &mut |p| found.push((p.offset, p.length, p.count, p.stride)));
        assert_eq!(found, runs);
    }
    let column = Type::vector(100, 1, 50, &int).unwrap();
    check(&column, 1, &[(0, 4, 100, 200)]);
    // Sent 3 times as elements one int apart: three runs; the rows of a matrix: one.
    let narrow = Type::resized_by::<i32>(&column, 0, 4).unwrap();
    check(&narrow, 3, &[(0, 4, 100, 200), (4, 4, 100, 200), (8, 4, 100, 200)]);
    check(&Type::resized_by::<i32>(&int, 0, 12).unwrap(), 1000, &[(0, 4, 1000, 12)]);
    check(&Type::contiguous_of(7, &Type::contiguous_of(3, &int).unwrap()).unwrap(), 5, &[(0, 420, 1, 0)]);
    check(&Type::vector(10, 5, 5, &int).unwrap(), 2, &[(0, 400, 1, 0)]);
    // Regular blocks written out one by one.
    let starts: Vec<i32> = (0..64).map(|i| 3 * i).collect();
    check(&Type::indexed_block(2, &starts, &int).unwrap(), 1, &[(0, 8, 64, 12)]);
    // A structure without gaps is one block; a row of them too.
    let record = Type::structure(&[2, 1], &[0, 8], &[int, basic(DOUBLE)]).unwrap();
    check(&record, 9, &[(0, 144, 1, 0)]);
    assert_eq!(record.contiguous(), Some(0));
    // A box of a 10 x 10 x 10 array, with halos of one: 8 x 8 rows of 64 bytes.
    let boxed = Type::subarray(&[10; 3], &[8; 3], &[1; 3], (Order::C, 0), &basic(DOUBLE)).unwrap();
    let mut found = Vec::new();
    boxed.pieces(1, usize::MAX, &mut |p| found.push((p.offset, p.length, p.count, p.stride)));
    assert_eq!(found.len(), 8);
    assert_eq!(found[0], (888, 64, 8, 80));
    assert_eq!((boxed.lower_bound(), boxed.extent()), (0, 8000));
}

/// 10 elements on 3 processes in blocks of 2 in turns: process 0 has 0 1 6 7, process 1 has 2 3 8 9, process 2 has 4 5.
#[test]
fn arrays_are_dealt_out() {
    #[track_caller]
    fn check(
        rank: i32,
        shape: &[i32],
        sizes: &[i32],
        how: &[Distribution],
        order: Order,
        elements: &[isize],
    ) {
        let grid = Grid { size: shape.iter().product(), rank, shape };
        let found = Type::darray(grid, sizes, how, order, (&[], &[]), &basic(Basic::Byte)).unwrap();
        let mut places = Vec::new();
        each_byte(&found, 1, usize::MAX, |place| places.push(place as isize - ORIGIN));
        assert_eq!(places, elements, "rank {rank}");
        assert_eq!((found.lower_bound(), found.extent()), (0, sizes.iter().product::<i32>() as isize));
    }
    use Distribution::{Block, Cyclic, None as Whole};
    use Order::{C, Fortran};
    for (rank, elements) in [(0, &[0, 1, 6, 7][..]), (1, &[2, 3, 8, 9]), (2, &[4, 5])] {
        check(rank, &[3], &[10], &[Cyclic(Some(2))], C, elements);
    }
    for (rank, elements) in [(0, &[0, 1, 2, 3][..]), (1, &[4, 5, 6, 7]), (2, &[8, 9])] {
        check(rank, &[3], &[10], &[Block(None)], C, elements);
    }
    check(3, &[4], &[6], &[Block(Some(2))], C, &[]);
    check(2, &[3], &[7], &[Cyclic(None)], C, &[2, 5]);
    // A matrix of 4 x 6 on 2 x 2 processes, rows in blocks, columns in turns of 2; process 1 has the place (0, 1). It
    // has rows 0 and 1, columns 2 and 3.
    let how = [Block(None), Cyclic(Some(2))];
    check(1, &[2, 2], &[4, 6], &how, C, &[2, 3, 8, 9]);
    check(2, &[2, 2], &[4, 6], &how, C, &[12, 13, 16, 17, 18, 19, 22, 23]);
    // In Fortran's order element (i, j) is at i + 4 j.
    check(1, &[2, 2], &[4, 6], &how, Fortran, &[8, 9, 12, 13]);
    check(0, &[1, 2], &[2, 3], &[Whole, Cyclic(None)], C, &[0, 2, 3, 5]);
}

#[test]
fn wrong_arguments_are_refused() {
    let int = basic(INT);
    #[track_caller]
    fn check(made: Result<Rc<Type>, MpiError>, class: &str) {
        let error = made.expect_err("wrong").to_string();
        assert!(error.starts_with(class), "{error}");
    }
    check(Type::contiguous_of(-1, &int), "MPI_ERR_COUNT");
    check(Type::vector(-1, 1, 1, &int), "MPI_ERR_COUNT");
    check(Type::vector(1, -1, 1, &int), "MPI_ERR_ARG");
    check(Type::indexed(&[1, -2], &[0, 4], &int), "MPI_ERR_ARG");
    for (size, subsize, start) in [(4, 3, 2), (4, 0, 0), (4, 5, 0), (4, 1, -1), (0, 1, 0), (0, 0, 0)] {
        check(Type::subarray(&[size], &[subsize], &[start], (Order::C, 0), &int), "MPI_ERR_ARG");
    }
    assert!(Type::subarray(&[4], &[3], &[1], (Order::C, 0), &int).is_ok());
    check(Type::subarray::<i32>(&[], &[], &[], (Order::C, 0), &int), "MPI_ERR_ARG");
    check(Type::hindexed(&[1, 1], &[isize::MIN, isize::MAX], &int), "MPI_ERR_ARG");
    let huge = Type::contiguous_of(i32::MAX, &Type::contiguous_of(i32::MAX, &int).unwrap());
    check(huge.and_then(|huge| Type::contiguous_of(i32::MAX, &huge)), "MPI_ERR_ARG");
    let grid = |size, rank, shape| Grid { size, rank, shape };
    let darray = |grid, how| Type::darray(grid, &[10], &[how], Order::C, (&[], &[]), &int);
    check(darray(grid(3, 0, &[2]), Distribution::Block(None)), "MPI_ERR_ARG");
    check(darray(grid(2, 2, &[2]), Distribution::Block(None)), "MPI_ERR_ARG");
    check(darray(grid(2, 0, &[2]), Distribution::None), "MPI_ERR_ARG");
    check(darray(grid(2, 0, &[2]), Distribution::Block(Some(4))), "MPI_ERR_ARG");
    check(darray(grid(2, 0, &[2]), Distribution::Cyclic(Some(0))), "MPI_ERR_ARG");
}

#[test]
fn started_elements_are_counted_by_their_basic_ones() {
    // {int, double, char}: 13 bytes of data, 3 elements.
    let one =
        Type::structure(&[1, 1, 1], &[0, 8, 16], &[basic(INT), basic(DOUBLE), basic(Basic::Byte)]).unwrap();
    let cases =
        [(0, Some(0)), (4, Some(1)), (12, Some(2)), (13, Some(3)), (17, Some(4)), (5, None), (14, None)];
    for (bytes, elements) in cases {
        assert_eq!(one.elements_in(bytes), elements, "{bytes}");
        if let Some(elements) = elements {
            assert_eq!(one.bytes_of(elements), bytes);
        }
    }
}

fn older() -> BoxedStrategy<Rc<Type>> {
    let leaf = prop_oneof![
        Just(vec![(0, INT)]),
        Just(vec![(0, DOUBLE)]),
        Just(vec![(0, Basic::Byte)]),
        Just(vec![(0, DOUBLE), (8, INT)]),
    ];
    leaf.prop_map(|elements| Type::named(1, &elements)).boxed()
}

/// Types made of types made of ..., small enough to be written out.
fn any_type() -> impl Strategy<Value = Rc<Type>> {
    older().prop_recursive(4, 24, 3, |old| {
        let block = (0..3i32, -3..6i32, -20..40isize);
        prop_oneof![
            (0..4i32, old.clone()).prop_map(|(n, old)| Type::contiguous_of(n, &old).unwrap()),
            old.clone().prop_map(|old| Type::dup(&old)),
            (0..4i32, 0..3i32, -3..5i32, old.clone())
                .prop_map(|(n, length, stride, old)| Type::vector(n, length, stride, &old).unwrap()),
            (0..4i32, 0..3i32, -30..50isize, old.clone())
                .prop_map(|(n, length, stride, old)| Type::hvector(n, length, stride, &old).unwrap()),
            (prop::collection::vec(block, 0..4), 0..4, old.clone()).prop_map(|(blocks, which, old)| {
                let lengths: Vec<i32> = blocks.iter().map(|block| block.0).collect();
                let near: Vec<i32> = blocks.iter().map(|block| block.1).collect();
                let bytes: Vec<isize> = blocks.iter().map(|block| block.2).collect();
                match which {
                    0 => Type::indexed(&lengths, &near, &old),
                    1 => Type::hindexed(&lengths, &bytes, &old),
                    2 => Type::indexed_block(2, &near, &old),
                    _ => Type::hindexed_block(2, &bytes, &old),
                }
                .unwrap()
            }),
            prop::collection::vec((0..3i32, -20..40isize, old.clone()), 0..4).prop_map(|parts| {
                let lengths: Vec<i32> = parts.iter().map(|part| part.0).collect();
                let at: Vec<isize> = parts.iter().map(|part| part.1).collect();
                let types: Vec<Rc<Type>> = parts.into_iter().map(|part| part.2).collect();
                Type::structure(&lengths, &at, &types).unwrap()
            }),
            (-8..8isize, 0..60isize, old.clone())
                .prop_map(|(lower, extent, old)| Type::resized_by::<i32>(&old, lower, extent).unwrap()),
            (prop::collection::vec((1..3i32, 0..2i32, 0..2i32), 1..3), 0..2, old.clone()).prop_map(
                |(dimensions, order, old)| {
                    let subsizes: Vec<i32> = dimensions.iter().map(|d| d.0).collect();
                    let starts: Vec<i32> = dimensions.iter().map(|d| d.1).collect();
                    let sizes: Vec<i32> = dimensions.iter().map(|d| d.0 + d.1 + d.2).collect();
                    let kind = if order == 0 { Order::C } else { Order::Fortran };
                    Type::subarray(&sizes, &subsizes, &starts, (kind, order), &old).unwrap()
                }
            ),
            (prop::collection::vec((1..7i32, 0..3i32, 1..4i32, 1..4i32), 1..3), 0..2, 0..9i32, old)
                .prop_map(|(dimensions, order, rank, old)| dealt_out(&dimensions, order, rank, &old)),
        ]
    })
}

/// Dimensions are `(size, kind, block, processes)`.
fn dealt_out(dimensions: &[(i32, i32, i32, i32)], order: i32, rank: i32, old: &Rc<Type>) -> Rc<Type> {
    let sizes: Vec<i32> = dimensions.iter().map(|d| d.0).collect();
    let kinds: Vec<i32> = dimensions.iter().map(|d| d.1).collect();
    let shape: Vec<i32> = dimensions.iter().map(|d| if d.1 == 0 { 1 } else { d.3 }).collect();
    let blocks: Vec<i32> =
        dimensions.iter().map(|d| if d.1 == 1 { d.2.max((d.0 + d.3 - 1) / d.3) } else { d.2 }).collect();
    let how: Vec<Distribution> = kinds
        .iter()
        .zip(&blocks)
        .map(|(kind, &block)| match kind {
            0 => Distribution::None,
            1 => Distribution::Block(Some(block)),
            _ => Distribution::Cyclic(Some(block)),
        })
        .collect();
    let size = shape.iter().product();
    let (rank, dimensions) = (rank % size, sizes.len() as i32);
    let behind = [&kinds[..], &blocks, &shape, &[order]].concat();
    let grid = Grid { size, rank, shape: &shape };
    let kind = if order == 0 { Order::C } else { Order::Fortran };
    Type::darray(grid, &sizes, &how, kind, (&[size, rank, dimensions], &behind), old).unwrap()
}

/// Whether the naive list of the type fits the memory of these tests.
fn fits(of: &Type, count: usize) -> bool {
    let reach = of.extent().abs() * count as isize;
    of.size() * count < 4000 && of.true_lower_bound().abs() + of.true_extent() + reach < ORIGIN
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_pieces_are_the_type_map(of in any_type(), count in 0usize..4, limit in 0usize..300) {
        prop_assume!(fits(&of, count));
        let expected = naive_bytes(&of, count);
        prop_assert_eq!(of.size() * count, expected.len());
        for limit in [limit, usize::MAX] {
            let mut found = Vec::new();
            each_byte(&of, count, limit, |byte| found.push(byte));
            prop_assert_eq!(&found[..], &expected[..limit.min(expected.len())]);
        }
        if let Some(offset) = of.contiguous() {
            let start = ORIGIN + offset;
            prop_assert!(expected.iter().enumerate().all(|(i, &at)| at as isize == start + i as isize));
        }
    }

    #[test]
    fn counts_of_elements_and_bytes_fit(of in any_type(), elements in 0u64..40) {
        let elements = if of.elements() > 0 { elements } else { 0 };
        prop_assert_eq!(of.elements_in(of.bytes_of(elements)), Some(elements));
        prop_assert_eq!(of.bytes_of(of.elements() * 3), 3 * of.size() as u64);
    }

    #[test]
    fn the_external_representation_can_be_read_back(of in any_type(), count in 0usize..3, seed in any::<u8>()) {
        prop_assume!(fits(&of, count));
        let data: Vec<u8> = (0..of.size() * count).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect();
        let mut external = vec![0; of.external_size(count).unwrap()];
        of.write_external(count, &data, &mut external);
        let mut back = vec![0; data.len()];
        of.read_external(count, &external, &mut back);
        prop_assert_eq!(back, data);
    }

    #[test]
    fn bounds_hold_the_data_unless_set(of in any_type()) {
        let span = of.span;
        if let (Some(span), Some(data)) = (span, of.true_span) {
            prop_assert!(span.lower_is_set || span.lower <= data.lower);
            prop_assert!(span.upper_is_set || span.upper >= data.upper);
        }
    }
}

#[test]
fn large_counts_are_returned_as_such() {
    let int = basic(Basic::Number(4));
    let contents = |made: &Type| {
        let recipe = made.recipe();
        (recipe.integers.clone(), recipe.addresses.clone(), recipe.large_counts.clone())
    };
    let short = Type::hvector(2, 3, 40, &int).unwrap();
    assert_eq!(contents(&short), (vec![2, 3], vec![40], vec![]));
    let large = Type::hvector(2i64, 3, 40, &int).unwrap();
    assert_eq!(contents(&large), (vec![], vec![], vec![2, 3, 40]));
    assert_eq!((large.size(), large.extent()), (short.size(), short.extent()));
    let part = Type::subarray(&[4i64, 5], &[2, 3], &[1, 2], (Order::C, 12), &int).unwrap();
    assert_eq!(contents(&part), (vec![2, 12], vec![], vec![4, 5, 2, 3, 1, 2]));
    let part = Type::subarray(&[4, 5], &[2, 3], &[1, 2], (Order::C, 12), &int).unwrap();
    assert_eq!(contents(&part), (vec![2, 4, 5, 2, 3, 1, 2, 12], vec![], vec![]));
    let resized = Type::resized_by::<i64>(&int, -8, 16).unwrap();
    assert_eq!(contents(&resized), (vec![], vec![], vec![-8, 16]));
    // More elements than an int counts, and more than there are addresses.
    assert_eq!(Type::contiguous_of(1i64 << 33, &int).unwrap().extent(), 4 << 33);
    assert!(Type::contiguous_of(i64::MAX, &int).is_err());
    assert_eq!(Type::contiguous_of(-1i64, &int).unwrap_err(), crate::MpiError::Count(-1));
}

/// The bounds of MPI-1, and what follows from them for types made of such types (MPI-1.1, section 3.12.3).
#[test]
fn markers_set_bounds() {
    let (low, high) = (Type::lower_marker(1), Type::upper_marker(2));
    let byte = Type::named(3, &[(0, Basic::Byte)]);
    let of = |lengths: &[i32], at: &[isize], types: &[&Rc<Type>]| {
        let types: Vec<_> = types.iter().map(|&kind| Rc::clone(kind)).collect();
        Type::structure(lengths, at, &types).unwrap()
    };
    let bounds = |kind: &Type| (kind.size(), kind.lower_bound(), kind.extent());
    let both = of(&[1, 4, 1], &[-3, 0, 6], &[&low, &byte, &high]);
    assert_eq!(bounds(&both), (4, -3, 9));
    assert_eq!(bounds(&Type::contiguous_of(3, &both).unwrap()), (12, -3, 27));
    // One alone leaves the other bound to the data, or at 0 where there are none.
    assert_eq!(bounds(&of(&[1, 4], &[-3, 0], &[&low, &byte])), (4, -3, 7));
    assert_eq!(bounds(&of(&[1, 4], &[10, 0], &[&high, &byte])), (4, 0, 10));
    assert_eq!(bounds(&of(&[1], &[10], &[&low])), (0, 10, -10));
    assert_eq!(bounds(&of(&[1], &[10], &[&high])), (0, 0, 10));
    assert_eq!((bounds(&low), bounds(&high)), ((0, 0, 0), (0, 0, 0)));
}

/// Bounds that are set count, others beside them do not, whichever comes first.
#[test]
fn bounds_that_are_set_win() {
    let int = basic(INT);
    for (lower, far) in [(20, 0), (0, 100)] {
        let set = Type::resized_by::<i32>(&int, lower, 4).unwrap();
        let both = [(0, &set), (far, &int)];
        for order in [[both[0], both[1]], [both[1], both[0]]] {
            let types = order.map(|(_, kind)| Rc::clone(kind));
            let made = Type::structure(&[1, 1], &order.map(|(at, _)| at), &types).unwrap();
            assert_eq!((made.lower_bound(), made.extent()), (lower, 4), "{order:?}");
        }
    }
}
