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
        // Room for one only.
        let (mut sides, mut periods, mut at) = ([0; 2], [9; 2], [-1; 2]);
        mpi!(Cart_get, made, 1, &mut sides, &mut periods, &mut at);
        assert_eq!((sides, periods, at), ([2, 0], [0, 9], [rank as i32 / 3, -1]));
        mpi!(Cart_get, made, -1, NULL, NULL, NULL);
        mpi!(Cart_coords, made, 0, -1, NULL);
        assert_eq!(get!(Cart_rank, made, &[1, -1]), 5);
        assert_eq!(get!(Cart_rank, made, &[0, 4]), 1);
        assert_eq!(code!(Cart_rank, made, &[2, 0], &mut 0), MPI_ERR_ARG);
        assert_eq!(code!(Cart_shift, made, 2, 1, &mut 0, &mut 0), MPI_ERR_DIMS);
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

#[test]
fn mistakes_in_graphs() {
    run(2, |rank| {
        let made = get_handle!(Graph_create, WORLD, 1, &[0], NULL, 0);
        assert_eq!(made == MPI_COMM_NULL, rank == 1);
        assert_eq!(get!(Graph_map, WORLD, 1, &[0], NULL), if rank == 1 { MPI_UNDEFINED } else { 0 });
        if rank == 0 {
            errors_return(made);
            assert_eq!(code!(Cart_get, made, 0, NULL, NULL, NULL), MPI_ERR_TOPOLOGY);
        }
        assert_eq!(code!(Graph_create, WORLD, 5, &[0; 5], NULL, 0, &mut 0_usize), MPI_ERR_ARG);
        assert_ne!(code!(Graph_create, WORLD, 2, &[1, 0], &[0], 0, &mut 0_usize), MPI_SUCCESS);
        assert_ne!(code!(Graph_create, WORLD, 2, &[1, 2], &[0, 7], 0, &mut 0_usize), MPI_SUCCESS);
        let (made, info) = (&mut 0_usize, MPI_INFO_NULL);
        let code = code!(Dist_graph_create_adjacent, WORLD, 1, &[0], &[-1], 0, NULL, NULL, info, 0, made);
        assert_eq!(code, MPI_ERR_ARG);
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
