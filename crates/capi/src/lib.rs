//! The C interface: MPI for programs, and the compiler wrapper.
