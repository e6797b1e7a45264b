//! Type maps against hand-computed ones, and against their definitions written out naively.

use super::*;
use proptest::prelude::*;

mod external;

const INT: Basic = Basic::Number(4);
const DOUBLE: Basic = Basic::Number(8);
/// Names of the markers of MPI-1.
const LOWER: usize = 7;
const UPPER: usize = 8;

fn basic(basic: Basic) -> Rc<Type> {
    Type::named(1, &[(0, basic)])
}

/// The older types that a type is made of, each at its displacement, as the standard defines it from the arguments of the
/// constructors alone.
fn parts(of: &Type) -> Vec<(isize, Rc<Type>)> {
    let Recipe { combiner, integers, addresses, types, .. } = of.recipe();
    let extent = types.first().map_or(0, |old| old.extent());
    let many = |numbers: &[i32]| numbers.iter().map(|&number| number as isize).collect::<Vec<_>>();
    // Blocks of one older type: (displacement, length).
    let blocks = |blocks: &mut dyn Iterator<Item = (isize, i32)>| -> Vec<(isize, Rc<Type>)> {
        let starts = blocks.flat_map(|(at, length)| (0..length as isize).map(move |i| at + i * extent));
        starts.map(|start| (start, Rc::clone(&types[0]))).collect()
    };
    match combiner {
        Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => Vec::new(),
        Combiner::Dup | Combiner::Resized => blocks(&mut std::iter::once((0, 1))),
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
            let of_type = |(i, old): (usize, &Rc<Type>)| {
                let starts = (0..integers[i + 1] as isize).map(|j| addresses[i] + j * old.extent());
                starts.map(|start| (start, Rc::clone(old))).collect::<Vec<_>>()
            };
            types.iter().enumerate().flat_map(of_type).collect()
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

/// The type map, written out.
fn expand(of: &Type) -> Vec<(isize, Basic)> {
    if let Tree::Basics(all) = &of.tree {
        return all.to_vec();
    }
    let moved =
        |(at, old): (isize, Rc<Type>)| expand(&old).into_iter().map(move |(to, basic)| (at + to, basic));
    parts(of).into_iter().flat_map(moved).collect()
}

/// The lower and the upper bound, if there are any, and whether they are set by hand: then they outdo those that follow from the
/// data, and are not padded (MPI 5.0, section 5.1.6).
fn bounds(of: &Type) -> [Option<(bool, isize)>; 2] {
    let Recipe { combiner, name, integers, addresses, types, .. } = of.recipe();
    let array = |sizes: &[i32]| [0, sizes.iter().product::<i32>() as isize * types[0].extent()];
    let set = |[lower, upper]: [isize; 2]| [Some((true, lower)), Some((true, upper))];
    let all: Vec<[Option<(bool, isize)>; 2]> = match (combiner, &of.tree) {
        (Combiner::Named, _) if *name == LOWER => return [Some((true, 0)), None],
        (Combiner::Named, _) if *name == UPPER => return [None, Some((true, 0))],
        (Combiner::Resized, _) => return set([addresses[0], addresses[0] + addresses[1]]),
        (Combiner::Subarray, _) => return set(array(&integers[1..][..integers[0] as usize])),
        (Combiner::Darray, _) => return set(array(&integers[3..][..integers[2] as usize])),
        (_, Tree::Basics(all)) => all
            .iter()
            .map(|(at, basic)| [*at, at + basic.size() as isize].map(|at| Some((false, at))))
            .collect(),
        _ => {
            let moved =
                |at: isize, bound: Option<(bool, isize)>| bound.map(|(is_set, place)| (is_set, at + place));
            parts(of).iter().map(|(at, old)| bounds(old).map(|bound| moved(*at, bound))).collect()
        }
    };
    let lower = all.iter().filter_map(|both| both[0]).min_by_key(|&(is_set, at)| (!is_set, at));
    let mut upper = all.iter().filter_map(|both| both[1]).max();
    if let Some((false, end)) = &mut upper {
        let alignment = expand(of).iter().map(|(_, basic)| basic.alignment()).max().unwrap_or(1);
        *end += (lower.map_or(0, |(_, at)| at) - *end).rem_euclid(alignment as isize);
    }
    [lower, upper]
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

/// A type is its type map, its bounds are those of its parts, and its first bytes are the first ones of these.
fn check(of: &Type, count: usize, limit: usize) {
    let (map, expected) = (expand(of), naive_bytes(of, count));
    for limit in [limit, usize::MAX] {
        let mut found = Vec::new();
        each_byte(of, count, limit, |byte| found.push(byte));
        assert_eq!(&found[..], &expected[..limit.min(expected.len())], "{of:?}");
    }
    if let Some(offset) = of.contiguous() {
        let start = ORIGIN + offset;
        assert!(expected.iter().enumerate().all(|(i, &at)| at as isize == start + i as isize), "{of:?}");
    }
    assert_eq!(of.elements(), map.len() as u64);
    assert_eq!(of.size(), map.iter().map(|(_, basic)| basic.size()).sum::<usize>());
    let [lower, upper] = bounds(of).map(|bound| bound.map_or(0, |(_, at)| at));
    assert_eq!((of.lower_bound(), of.extent()), (lower, upper - lower), "bounds of {of:?}");
    let first = map.iter().map(|(at, _)| *at).min().unwrap_or(0);
    let last = map.iter().map(|(at, basic)| at + basic.size() as isize).max().unwrap_or(0);
    assert_eq!((of.true_lower_bound(), of.true_extent()), (first, last - first), "true bounds of {of:?}");
}

/// By hand: lower bound and extent, the true ones, and where elements begin. MPI 5.0, example 5.1: {(double, 0), (char, 8)} has
/// extent 16; then examples of the constructors.
#[test]
fn examples_of_the_standard() {
    let (int, byte) = (basic(INT), basic(Basic::Byte));
    let one = Type::structure(&[1, 1], &[0, 8], &[basic(DOUBLE), Rc::clone(&byte)]).unwrap();
    let mixed =
        Type::structure(&[2, 1, 3], &[0, 16, 26], &[Rc::clone(&int), Rc::clone(&one), Rc::clone(&byte)]);
    let (low, high) = (Type::lower_marker(LOWER), Type::upper_marker(UPPER));
    let marked = Type::structure(&[1, 4, 1], &[-3, 0, 6], &[low, byte, high]);
    type Case<'a> = (Result<Rc<Type>>, [isize; 4], &'a [isize]);
    let cases: [Case<'_>; 7] = [
        (Type::contiguous_of(3, &one), [0, 48, 0, 41], &[0, 8, 16, 24, 32, 40]),
        (Type::vector(2, 2, 3, &one), [0, 80, 0, 73], &[0, 8, 16, 24, 48, 56, 64, 72]),
        (Type::vector(3, 1, -2, &one), [-64, 80, -64, 73], &[0, 8, -32, -24, -64, -56]),
        (Type::indexed(&[3, 1], &[4, 0], &one), [0, 112, 0, 105], &[64, 72, 80, 88, 96, 104, 0, 8]),
        (mixed, [0, 32, 0, 29], &[0, 4, 16, 24, 26, 27, 28]),
        (Type::resized_by::<i32>(&int, -3, 9), [-3, 9, 0, 4], &[0]),
        (marked, [-3, 9, 0, 4], &[0, 1, 2, 3]),
    ];
    for (made, expected, starts) in cases {
        let of = made.unwrap();
        check(&of, 2, 5);
        assert_eq!([of.lower_bound(), of.extent(), of.true_lower_bound(), of.true_extent()], expected);
        assert!(expand(&of).iter().map(|(at, _)| at).eq(starts), "{of:?}");
    }
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
    let marker = prop_oneof![Just(Type::lower_marker(LOWER)), Just(Type::upper_marker(UPPER))];
    prop_oneof![8 => leaf.prop_map(|elements| Type::named(1, &elements)), 1 => marker].boxed()
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
    // Where a block is as long as it is by default it is left out.
    let how: Vec<Distribution> = dimensions
        .iter()
        .zip(&blocks)
        .map(|(d, &block)| match d.1 {
            0 => Distribution::None,
            1 => Distribution::Block((block > (d.0 + d.3 - 1) / d.3).then_some(block)),
            _ => Distribution::Cyclic((block > 1).then_some(block)),
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
    fn types_are_what_they_are_made_of(of in any_type(), count in 0usize..4, limit in 0usize..300) {
        prop_assume!(fits(&of, count));
        check(&of, count, limit);
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

/// How far the data of a type may be: bounds up to 2^62 bytes away, and apart; not a byte farther.
#[test]
fn bounds_have_a_limit() {
    const FAR: isize = 1 << 62;
    let byte = basic(Basic::Byte);
    let bytes_at =
        |displacements: &[isize]| Type::hindexed(&vec![1; displacements.len()], displacements, &byte);
    let resized = |lower, extent| Type::resized_by::<i32>(&byte, lower, extent);
    let cases: [(Result<Rc<Type>, MpiError>, bool); 11] = [
        (bytes_at(&[FAR - 1]), true),
        (bytes_at(&[FAR]), false),
        (bytes_at(&[-FAR]), true),
        (bytes_at(&[-FAR - 1]), false),
        (bytes_at(&[0, FAR - 1]), true),
        (bytes_at(&[-1, FAR - 1]), false),
        (resized(-FAR, FAR), true),
        (resized(-FAR - 1, FAR), false),
        (resized(-1, FAR + 1), false),
        (resized(1, FAR - 1), true),
        (resized(1, FAR), false),
    ];
    for (case, (made, allowed)) in cases.into_iter().enumerate() {
        let found = made.map(|of| (of.lower_bound(), of.extent()));
        assert_eq!(found.is_ok(), allowed, "case {case}: {found:?}");
    }
}

/// 2^61 elements of 4 bytes each are 2^63 bytes, more than can be counted; so are their bytes in a file.
#[test]
fn sizes_have_a_limit() {
    let int = basic(INT);
    let mut of = Type::contiguous_of(1 << 30, &int).unwrap();
    assert_eq!((of.size(), of.elements(), of.external_size(1)), (1 << 32, 1 << 30, Some(1 << 32)));
    of = Type::contiguous_of(1 << 29, &of).unwrap();
    assert_eq!((of.size(), of.external_size(2), of.external_size(8)), (1 << 61, Some(1 << 62), None));
    assert!(Type::contiguous_of(4, &of).is_err(), "its upper bound would be 2^63");
}
