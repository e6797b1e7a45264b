//! The ideal engine, as a user of the crate runs it: one program, so that it is linked once.

mod division;
mod going_on;
mod ideal;
mod processes;
mod recorded;
