//! Grids and graphs, and collectives among neighbours.

use super::forms::{Form, Width, array, carry_out, every_form};
use crate::harness::*;

const WORLD: usize = MPI_COMM_WORLD;

fn grid(sides: &[i32], periods: &[i32]) -> usize {
    let made = get_handle!(Cart_create, WORLD, sides.len(), sides, periods, 0);
    if made != MPI_COMM_NULL {
        errors_return(made);
    }
    made
}

#[test]
fn grids() {
    run(7, |rank| {
        let made = grid(&[2, 3], &[0, 1]);
        assert_eq!(made == MPI_COMM_NULL, rank == 6);
        if rank == 6 {
            return;
        }
        assert_eq!((size_of(made), rank_in(made)), (6, rank as i32));
        assert_eq!((get!(Topo_test, made), get!(Topo_test, WORLD)), (MPI_CART, MPI_UNDEFINED));
        assert_eq!(get!(Cartdim_get, made), 2);
        let own = [rank as i32 / 3, rank as i32 % 3];
        let (mut sides, mut periods, mut at) = ([0; 2], [9; 2], [0; 2]);
        mpi!(Cart_get, made, 2, &mut sides, &mut periods, &mut at);
        assert_eq!((sides, periods, at), ([2, 3], [0, 1], own));
        // Room for one only.
        let (mut sides, mut periods, mut at) = ([0; 2], [9; 2], [-1; 2]);
        mpi!(Cart_get, made, 1, &mut sides, &mut periods, &mut at);
        assert_eq!((sides, periods, at), ([2, 0], [0, 9], [own[0], -1]));
        mpi!(Cart_get, made, -1, NULL, NULL, NULL);
        mpi!(Cart_coords, made, 0, -1, NULL);
        for other in 0..6 {
            let mut at = [-1; 2];
            mpi!(Cart_coords, made, other, 2, &mut at);
            assert_eq!(at, [other / 3, other % 3]);
            assert_eq!(get!(Cart_rank, made, &at), other);
        }
        assert_eq!(get!(Cart_rank, made, &[1, -1]), 5);
        assert_eq!(get!(Cart_rank, made, &[0, 4]), 1);
        assert_eq!(code!(Cart_rank, made, &[2, 0], &mut 0), MPI_ERR_ARG);
        let shift = |direction: i32, by: i32| {
            let (mut source, mut dest) = (-99, -99);
            mpi!(Cart_shift, made, direction, by, &mut source, &mut dest);
            [source, dest]
        };
        let (row, column) = (own[0], own[1]);
        let along = |row: i32| if (0..2).contains(&row) { 3 * row + column } else { MPI_PROC_NULL };
        assert_eq!(shift(0, 1), [along(row - 1), along(row + 1)]);
        assert_eq!(shift(0, -1), [along(row + 1), along(row - 1)]);
        let around = |column: i32| 3 * row + column.rem_euclid(3);
        assert_eq!(shift(1, 1), [around(column - 1), around(column + 1)]);
        assert_eq!(shift(1, 4), [around(column - 4), around(column + 4)]);
        assert_eq!(code!(Cart_shift, made, 2, 1, &mut 0, &mut 0), MPI_ERR_DIMS);
        let part = get_handle!(Cart_sub, made, &[0, 1]);
        assert_eq!((size_of(part), rank_in(part), get!(Cartdim_get, part)), (3, column, 1));
        let part = get_handle!(Cart_sub, made, &[1, 0]);
        assert_eq!((size_of(part), rank_in(part)), (2, row));
        assert_eq!(code!(Graphdims_get, made, &mut 0, &mut 0), MPI_ERR_TOPOLOGY);
        assert_eq!(code!(Cart_get, WORLD, 0, NULL, NULL, NULL), MPI_ERR_TOPOLOGY);
    });
    run(4, |rank| {
        assert_eq!(code!(Cart_create, WORLD, 1, &[5], &[0], 0, &mut 0_usize), MPI_ERR_ARG);
        assert_ne!(code!(Cart_create, WORLD, 1, &[-1], &[0], 0, &mut 0_usize), MPI_SUCCESS);
        assert_eq!(get!(Cart_map, WORLD, 1, &[3], &[0]), if rank == 3 { MPI_UNDEFINED } else { rank as i32 });
        let point = get_handle!(Cart_create, WORLD, 0, NULL, NULL, 0);
        assert_eq!(point == MPI_COMM_NULL, rank > 0);
    });
}

#[test]
fn sides_of_grids() {
    run(1, |_| {
        let sides = |ranks: i32, given: &[i32]| {
            let mut sides = given.to_vec();
            let code = code!(Dims_create, ranks, sides.len(), &mut sides[..]);
            if code == MPI_SUCCESS { Ok(sides) } else { Err(code) }
        };
        assert_eq!(sides(12, &[0, 0]), Ok(vec![4, 3]));
        assert_eq!(sides(12, &[0, 2]), Ok(vec![6, 2]));
        assert_eq!(sides(12, &[0, 0, 0]), Ok(vec![3, 2, 2]));
        assert_eq!(sides(7, &[0, 0]), Ok(vec![7, 1]));
        assert_eq!(sides(12, &[3, 4]), Ok(vec![3, 4]));
        assert_eq!(sides(12, &[5, 0]), Err(MPI_ERR_DIMS));
        assert_eq!(sides(12, &[-1, 0]), Err(MPI_ERR_DIMS));
    });
}

/// A path 0 - 1 - 2 with 0 and 2 joined one way.
#[test]
fn graphs() {
    run(4, |rank| {
        let (ends, edges) = ([2, 4, 5], [1, 2, 0, 2, 1]);
        let made = get_handle!(Graph_create, WORLD, 3, &ends, &edges, 0);
        assert_eq!(made == MPI_COMM_NULL, rank == 3);
        let mapped = if rank == 3 { MPI_UNDEFINED } else { rank as i32 };
        assert_eq!(get!(Graph_map, WORLD, 3, &ends, &edges), mapped);
        if rank == 3 {
            return;
        }
        errors_return(made);
        let (mut nodes, mut count) = (0, 0);
        mpi!(Graphdims_get, made, &mut nodes, &mut count);
        assert_eq!((nodes, count, get!(Topo_test, made)), (3, 5, MPI_GRAPH));
        let (mut index, mut list) = ([0; 3], [0; 5]);
        mpi!(Graph_get, made, 3, 5, &mut index, &mut list);
        assert_eq!((index, list), (ends, edges));
        let neighbours = |of: i32| {
            let count = get!(Graph_neighbors_count, made, of);
            let mut found = vec![-1; count as usize];
            mpi!(Graph_neighbors, made, of, count, &mut found[..]);
            found
        };
        assert_eq!([0, 1, 2].map(neighbours), [vec![1, 2], vec![0, 2], vec![1]]);
        assert_eq!(code!(Cart_get, made, 0, NULL, NULL, NULL), MPI_ERR_TOPOLOGY);
    });
    run(2, |_| {
        assert_eq!(code!(Graph_create, WORLD, 5, &[0; 5], NULL, 0, &mut 0_usize), MPI_ERR_ARG);
        assert_ne!(code!(Graph_create, WORLD, 2, &[1, 0], &[0], 0, &mut 0_usize), MPI_SUCCESS);
        assert_ne!(code!(Graph_create, WORLD, 2, &[1, 2], &[0, 7], 0, &mut 0_usize), MPI_SUCCESS);
    });
}

/// Of two graphs that are there at a time each has its own edges.
#[test]
fn graphs_beside_each_other() {
    run(2, |rank| {
        let own = rank as i32;
        let graphs = [([1, 2], [1, 0], 1 - own), ([1, 2], [0, 1], own), ([1, 2], [1, 0], 1 - own)];
        let made = graphs.map(|(index, edges, _)| get_handle!(Graph_create, WORLD, 2, &index, &edges, 0));
        for (made, (.., expected)) in made.into_iter().zip(graphs) {
            let mut neighbours = [-1];
            mpi!(Graph_neighbors, made, own, 1, &mut neighbours);
            assert_eq!(neighbours, [expected]);
        }
    });
}

/// Each rank to the next one twice, described by itself or by rank 0.
#[test]
fn distributed_graphs() {
    run(3, |rank| {
        let (left, right) = ((rank as i32 + 2) % 3, (rank as i32 + 1) % 3);
        let check = |made: usize, weighted: bool| {
            let mut facts = [0; 3];
            let [into, out, weights] = &mut facts;
            mpi!(Dist_graph_neighbors_count, made, into, out, weights);
            assert_eq!((facts, get!(Topo_test, made)), ([2, 2, i32::from(weighted)], MPI_DIST_GRAPH));
            let (mut sources, mut from, mut targets, mut to) = ([0; 2], [-1; 2], [0; 2], [-1; 2]);
            mpi!(Dist_graph_neighbors, made, 2, &mut sources, &mut from, 2, &mut targets, &mut to);
            assert_eq!((sources, targets), ([left; 2], [right; 2]));
            if weighted {
                from.sort();
                to.sort();
                assert_eq!((from, to), ([4, 5], [4, 5]));
            }
        };
        let (sources, targets, weights) = ([left; 2], [right; 2], [4, 5]);
        let (mut made, info) = (MPI_COMM_NULL, MPI_INFO_NULL);
        mpi!(
            Dist_graph_create_adjacent,
            WORLD,
            2,
            &sources,
            &weights,
            2,
            &targets,
            &weights,
            info,
            0,
            &mut made
        );
        check(made, true);
        mpi!(Dist_graph_create_adjacent, WORLD, 2, &sources, 10, 2, &targets, 10, info, 0, &mut made);
        check(made, false);
        let count = if rank == 0 { 3 } else { 0 };
        let (all, degrees) = ([0, 1, 2], [2, 2, 2]);
        let (to, weights) = ([1, 1, 2, 2, 0, 0], [4, 5, 4, 5, 4, 5]);
        mpi!(Dist_graph_create, WORLD, count, &all, &degrees, &to, &weights, info, 0, &mut made);
        check(made, true);
        mpi!(Dist_graph_create, WORLD, count, &all, &degrees, &to, 10, info, 0, &mut made);
        check(made, false);
        let code =
            code!(Dist_graph_create_adjacent, WORLD, 1, &[0], &[-1], 0, NULL, NULL, info, 0, &mut made);
        assert_eq!(code, MPI_ERR_ARG);
    });
}

/// On a ring of ranks: what goes left comes from the right. At open ends nothing comes, and nothing is written.
#[test]
fn collectives_among_neighbours() {
    for (size, closed) in [(4, true), (4, false), (1, false)] {
        run(size, move |rank| {
            let made = grid(&[size as i32], &[i32::from(closed)]);
            for (form, width) in every_form() {
                ring(made, (size, rank, closed), form, width);
            }
        });
    }
    run(1, |_| {
        assert_eq!(code!(Neighbor_allgather, &1, 1, MPI_INT, &mut 0, 1, MPI_INT, WORLD), MPI_ERR_TOPOLOGY)
    });
}

fn ring(made: usize, (size, rank, closed): (usize, usize, bool), form: Form, width: Width) {
    let near = |by: i32| {
        let other = rank as i32 + by;
        let there = (0..size as i32).contains(&other);
        (closed || there).then(|| other.rem_euclid(size as i32))
    };
    // Rank r gives 10 r + 1 to the left and 10 r + 2 to the right.
    let (left, right) = (near(-1), near(1));
    let given = [10 * rank as i32 + 1, 10 * rank as i32 + 2];
    let came =
        |of: i32| [left.map_or(-1, |left| 10 * left + of), right.map_or(-1, |right| 10 * right + 3 - of)];
    let mut got = [-1; 2];
    let (from, into) = ((&given).word(), (&mut got).word());
    let take = |got: *mut [i32; 2]| {
        // SAFETY: the variable above.
        unsafe { std::mem::replace(&mut *got, [-1; 2]) }
    };
    let all = |of: i32| [left.map_or(-1, |left| 10 * left + of), right.map_or(-1, |right| 10 * right + of)];
    carry_out("Neighbor_allgather", form, width, &[from, 1, MPI_INT, into, 1, MPI_INT, made]);
    assert_eq!(take(into as *mut _), all(1));
    carry_out("Neighbor_alltoall", form, width, &[from, 1, MPI_INT, into, 1, MPI_INT, made]);
    assert_eq!(take(into as *mut _), came(2));
    let (ones, places, bytes) = (array(&[1, 1], width), array(&[0, 1], width), [0_i64, 4]);
    let (ones, places, types) = (ones.word(), places.word(), [MPI_INT; 2]);
    let words = [from, 1, MPI_INT, into, ones, places, MPI_INT, made];
    carry_out("Neighbor_allgatherv", form, width, &words);
    assert_eq!(take(into as *mut _), all(1));
    let words = [from, ones, places, MPI_INT, into, ones, places, MPI_INT, made];
    carry_out("Neighbor_alltoallv", form, width, &words);
    assert_eq!(take(into as *mut _), came(2));
    let (bytes, types) = ((&bytes).word(), (&types).word());
    let words = [from, ones, bytes, types, into, ones, bytes, types, made];
    carry_out("Neighbor_alltoallw", form, width, &words);
    assert_eq!(take(into as *mut _), came(2));
}
