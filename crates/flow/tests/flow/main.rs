//! The flow engine, as a user of the crate runs it: one program, so that it is linked once.

mod behind;
mod by_hand;
mod causes;
mod changes;
mod checkpoints;
mod chosen;
mod common;
mod detours;
mod ends;
mod laws;
mod memory;
mod papers;
mod planes;
mod quotient;
mod rails;
mod series;
mod services;
mod shared;
mod stripes;
mod sweep;
