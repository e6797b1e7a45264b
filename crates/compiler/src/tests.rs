//! Tests in processes of their own: what compilers are asked for, and programs that are compiled, loaded and run.
#![allow(unsafe_code)] // environment variables of these processes, and a call of C

mod compilers;
mod programs;
