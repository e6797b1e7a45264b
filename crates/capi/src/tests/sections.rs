//! Sections of arrays with gaps, as the bindings of Fortran describe them: each is what it would be as an array of its own.

use crate::harness::*;
use proptest::prelude::*;
use std::array::from_fn;

/// A section of an array of ints (`struct weir_section` of the bindings).
#[repr(C)]
struct Section {
    first: *mut i32,
    element_bytes: usize,
    dimensions: usize,
    extents: [usize; 15],
    strides: [isize; 15],
}

impl Section {
    /// The address that stands for it.
    fn word(&self) -> usize {
        (&raw const *self) as usize | 1 << 62
    }
}

const MIDDLE: usize = 400;

/// An array in which every element is its own index, or all are -1.
fn array(is_empty: bool) -> [i32; 2 * MIDDLE] {
    from_fn(|index| if is_empty { -1 } else { index as i32 })
}

/// A section from the middle of an array on, and the indices of its elements in their order. A dimension has a length, a gap, and
/// whether it goes backwards.
fn section(array: &mut [i32; 2 * MIDDLE], dimensions: &[(usize, isize, bool)]) -> (Section, Vec<usize>) {
    let (mut places, mut reach, mut extents, mut strides) = (vec![MIDDLE as isize], 1, [0; 15], [0; 15]);
    for (dimension, &(extent, gap, is_backwards)) in dimensions.iter().enumerate() {
        let stride = if is_backwards { -(reach + gap) } else { reach + gap };
        (extents[dimension], strides[dimension]) = (extent, 4 * stride);
        let line = (0..extent as isize).map(|index| index * stride);
        places = line.flat_map(|at| places.iter().map(move |place| place + at)).collect();
        reach = (reach + gap) * extent as isize;
    }
    let (first, dimensions) = (&raw mut array[MIDDLE], dimensions.len());
    let section = Section { first, element_bytes: 4, dimensions, extents, strides };
    (section, places.into_iter().map(|place| place as usize).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn sections_are_arrays(dimensions in prop::collection::vec((1..5_usize, 0..3_isize, any::<bool>()), 1..4)) {
        run(1, move |_| {
            let (mut full, int, alone) = (array(false), MPI_INT, MPI_COMM_SELF);
            let (from, places) = section(&mut full, &dimensions);
            let (values, n) = (places.iter().map(|&place| place as i32).collect::<Vec<_>>(), places.len());
            // The first and the third of every three elements.
            let sparse = committed(get_handle!(Type_vector, 2, 1, 2, int));
            let thirds = n / 3;
            let of_thirds = |elements: &[i32]| -> Vec<i32> {
                elements[..3 * thirds].chunks(3).flat_map(|three| [three[0], three[2]]).collect()
            };
            let plain = |got: &dyn Fn(usize)| {
                let mut into = vec![-1; n];
                got((&mut into[..]).word());
                into
            };
            let send = |count: usize, datatype: usize, into: usize| {
                mpi!(Sendrecv, from.word(), count, datatype, 0, 0, into, n, int, 0, 0, alone, NULL);
            };
            assert_eq!(plain(&|into| send(n, int, into)), values);
            assert_eq!(plain(&|into| send(thirds, sparse, into))[..2 * thirds], of_thirds(&values)[..]);
            assert_eq!(plain(&|into| mpi!(Allreduce, from.word(), into, n, int, MPI_SUM, alone)), values);
            // All bytes from the sixth on.
            let (less, rest, byte) = (n - 1, (4 * n).saturating_sub(5), MPI_BYTE);
            let bytes = plain(&|into| mpi!(Alltoallw, from.word(), &rest, &5, &byte, into, &rest, &0, &byte, alone));
            let [bytes, values_bytes] = [&bytes, &values].map(|all| all.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>());
            assert_eq!(bytes[..rest], values_bytes[4 * n - rest..]);
            let written = |call: &dyn Fn(usize), expected: &dyn Fn(usize) -> i32| {
                let mut empty = array(true);
                let (into, _) = section(&mut empty, &dimensions);
                call(into.word());
                let mut filled = array(true);
                places.iter().enumerate().for_each(|(element, &place)| filled[place] = expected(element));
                assert_eq!(empty, filled);
            };
            let value = |element: usize| values[element];
            let receive = |count: usize, datatype: usize, into: usize| {
                let sent = count * get!(Type_size, datatype) as usize / 4;
                mpi!(Sendrecv, &values[..], sent, int, 0, 0, into, count, datatype, 0, 0, alone, NULL);
            };
            written(&|into| receive(n, int, into), &value);
            written(&|into| receive(thirds, sparse, into), &|element| {
                let (three, at) = (element / 3, element % 3);
                if three < thirds && at != 1 { value(2 * three + at / 2) } else { -1 }
            });
            written(
                &|into| mpi!(Allgatherv, &values[..], less, int, into, &less, &1, int, alone),
                &|element| element.checked_sub(1).map_or(-1, value),
            );

            // No more elements than there are, none before the first.
            let code = |words: &[usize]| call("MPI_Send", &[&[from.word()], words, &[MPI_PROC_NULL as usize, 0, alone]].concat());
            assert_eq!([code(&[n + 1, int]), code(&[thirds + 1, sparse])], [MPI_ERR_BUFFER; 2]);
            for displacement in [-1, 2] {
                let code = code!(Allgatherv, &values[..], less, int, from.word(), &less, &displacement, int, alone);
                assert_eq!(code, if less == 0 { MPI_SUCCESS } else { MPI_ERR_BUFFER });
            }
            // A window has no gaps; and where the length of elements is not known, they have none.
            assert_eq!(code!(Win_create, from.word(), 4 * n, 4, MPI_INFO_NULL, alone, &mut 0_usize), MPI_ERR_BUFFER);
            let unknown = Section { element_bytes: 0, ..from };
            let code = code!(Send, unknown.word(), n, int, MPI_PROC_NULL, 0, alone);
            let is_whole = (0..n).all(|element| places[element] == MIDDLE + element);
            assert_eq!(code, if is_whole { MPI_SUCCESS } else { MPI_ERR_BUFFER }, "{dimensions:?}");
        });
    }
}
