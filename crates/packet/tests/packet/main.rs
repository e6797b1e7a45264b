//! Tests of the packet engine.

mod flit;
mod machines;
