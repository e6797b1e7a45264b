//! Tests of the packet engine.

mod agreement;
mod booksim;
mod caminos;
mod causes;
mod checkpoints;
mod deadlock;
mod ends;
mod faults;
mod flat;
mod flit;
mod fluid;
mod injecting;
mod interfaces;
mod invariance;
mod laws;
mod machines;
mod nodes;
mod overtaking;
mod planes;
mod processes;
mod rails;
mod recorder;
mod series;
mod services;
mod synthetic;
mod zoo;
