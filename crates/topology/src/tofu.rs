//! Tofu, the interconnect of the K computer and of FX10: a torus and mesh of six dimensions.
//!
//! # Model
//! Groups of 2 x 3 x 2 nodes, with coordinates a, b, c, stand on a grid with coordinates x, y, z (Ajima, Sumimoto,
//! Shimizu: "Tofu: A 6D Mesh/Torus Interconnect for Exascale Computers", IEEE Computer 42 (11), 2009). Each node has a
//! router; links join routers that differ by one in one of the six coordinates. x, y, z and b are rings, a and c lines
//! of two: [`WRAPS`]. So a router has ten links out, two along x, y, z and b and one along a and c, where x, y and z have
//! two routers or more. Which dimensions are closed depends on the site, as Fujitsu says in the standard of PMIx (pull
//! request 165, 2019, which also writes coordinates as `(x,y,z,a,b,c)`); so any of them may be a line or a ring.
//!
//! The machine is a [`Torus`] with the dimensions x, y, z, a, b, c in this order. So
//! `node = x + X (y + Y (z + Z (a + 2 (b + 3 c))))`, and routes pass x first and c last, once each. Left out is what the
//! routers of Tofu do beyond that: they pass a, b and c both before and behind x, y and z, which lets them go around
//! nodes that have failed.

use crate::error::Mistake;
use crate::{Dimension, NodeLink, Tie, Torus, Wrap};

/// Number of nodes of a group along a, b and c.
pub const GROUP: [u32; 3] = [2, 3, 2];

/// The names of the dimensions, in their order.
pub const AXES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

/// Which dimensions are closed unless said otherwise: all but a and c.
pub const WRAPS: [Wrap; 6] = [Wrap::Torus, Wrap::Torus, Wrap::Torus, Wrap::Mesh, Wrap::Torus, Wrap::Mesh];

/// The sizes of all six dimensions, from those of x, y and z or from all six.
///
/// # Errors
/// Names the key `shape` when there are neither three nor six sizes, or the last three of six are not [`GROUP`].
pub fn shape(sizes: &[u32]) -> Result<[u32; 6], Vec<Mistake>> {
    let group = match *sizes {
        [_, _, _] => GROUP,
        [_, _, _, a, b, c] => [a, b, c],
        _ => {
            return refused(
                format!("has {} sizes; a Tofu has three or six", sizes.len()),
                "write how many groups of 12 nodes are along x, y and z, for example [4, 4, 2]".into(),
            );
        }
    };
    let [x, y, z] = [sizes[0], sizes[1], sizes[2]];
    if group != GROUP {
        return refused(
            format!(
                "has groups of {} x {} x {} nodes; those of a Tofu are 2 x 3 x 2",
                group[0], group[1], group[2]
            ),
            format!("write [{x}, {y}, {z}, 2, 3, 2], or only [{x}, {y}, {z}]; for other sizes take a torus"),
        );
    }
    let [a, b, c] = group;
    Ok([x, y, z, a, b, c])
}

/// Number of groups along x, y and z if this machine is a Tofu.
pub fn groups(machine: &Torus) -> Option<[u32; 3]> {
    let sizes: Vec<u32> = machine.dimensions().map(|dimension| dimension.size).collect();
    match *sizes {
        [x, y, z, a, b, c] if [a, b, c] == GROUP && machine.axis_name(3) == AXES[3] => Some([x, y, z]),
        _ => None,
    }
}

fn refused<T>(what: String, hint: String) -> Result<T, Vec<Mistake>> {
    Err(vec![Mistake { key: "shape", what, hint }])
}

/// A machine with these dimensions x, y, z, a, b, c.
///
/// # Errors
/// Those of [`shape`] and [`Torus::new`].
pub fn machine(dimensions: [Dimension; 6], tie: Tie, node_link: NodeLink) -> Result<Torus, Vec<Mistake>> {
    shape(&dimensions.map(|dimension| dimension.size))?;
    Ok(Torus::new(dimensions.to_vec(), tie, node_link)?.with_axis_names(&AXES))
}

#[cfg(test)]
mod tests;
