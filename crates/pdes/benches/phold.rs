//! PHOLD on windows.
fn main() {}
