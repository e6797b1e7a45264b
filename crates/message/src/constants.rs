//! Numbers that arguments of MPI's functions may have instead of a rank, a tag or a color.

/// A receive takes messages from every source.
pub const ANY_SOURCE: i32 = -1;
/// A receive takes messages with every tag.
pub const ANY_TAG: i32 = -2;
/// Nobody: sends to it and receives from it are complete at once.
pub const PROC_NULL: i32 = -3;
/// The root of a collective between two groups says so with this root.
pub const ROOT: i32 = -4;
/// The color of a rank that takes no part in any of the communicators a split makes.
pub const UNDEFINED: i32 = -32766;
/// The largest tag a program may use.
pub const TAG_UPPER_BOUND: i32 = i32::MAX;
