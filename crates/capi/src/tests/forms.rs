//! The forms of a collective: waiting, going on and persistent, with counts of both widths. And functions of attributes.

use crate::harness::*;
use std::cell::Cell;

thread_local! {
    /// How often [`deletes`] was called.
    pub(super) static DELETED: Cell<u32> = const { Cell::new(0) };
}

/// Deletes the attribute.
pub(super) extern "C" fn deletes(_: usize, _: i32, _: usize, _: usize) -> i32 {
    DELETED.set(DELETED.get() + 1);
    MPI_SUCCESS
}

/// Does not copy the attribute.
pub(super) extern "C" fn objects(_: usize, _: i32, _: usize, _: usize, _: *mut usize, _: *mut i32) -> i32 {
    MPI_ERR_OTHER
}

/// Communicators that the running rank has.
pub(super) fn communicators_held() -> usize {
    let mut context = crate::rank::context::Context::get().expect("a rank is running");
    context.rank().process.communicators_held()
}

/// How a collective is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `MPI_Bcast`
    Waiting,
    /// `MPI_Ibcast`
    Started,
    /// `MPI_Bcast_init`
    Kept,
}

/// The type of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// `int`
    Int,
    /// `MPI_Count`, in the `_c` forms.
    Count,
}

/// Every form with every width.
pub(super) fn every_form() -> impl Iterator<Item = (Form, Width)> {
    let forms = [Form::Waiting, Form::Started, Form::Kept];
    forms.into_iter().flat_map(|form| [(form, Width::Int), (form, Width::Count)])
}

/// An array of the program.
pub(super) struct Numbers(Vec<i64>);

impl Numbers {
    pub(super) fn word(&self) -> usize {
        self.0.as_ptr() as usize
    }
}

/// An array of counts or displacements in this width.
pub(super) fn array(numbers: &[i64], width: Width) -> Numbers {
    let halves = |pair: &[i64]| {
        let (low, high) = (pair[0] as u32, pair.get(1).map_or(0, |&high| high as u32));
        (u64::from(low) | u64::from(high) << 32) as i64
    };
    Numbers(match width {
        Width::Count => numbers.to_vec(),
        Width::Int => numbers.chunks(2).map(halves).collect(),
    })
}

/// The name of a collective in a form.
fn name(collective: &str, form: Form, width: Width) -> String {
    let wide = if width == Width::Count { "_c" } else { "" };
    match form {
        Form::Waiting => format!("MPI_{collective}{wide}"),
        Form::Started => format!("MPI_I{}{wide}", collective.to_lowercase()),
        Form::Kept => format!("MPI_{collective}_init{wide}"),
    }
}

/// Carries out a collective in a form, persistent ones twice. The words are the arguments of the waiting form.
pub(super) fn carry_out(collective: &str, form: Form, width: Width, words: &[usize]) {
    let name = name(collective, form, width);
    let (mut words, mut request) = (words.to_vec(), MPI_REQUEST_NULL);
    if form == Form::Kept {
        words.push(MPI_INFO_NULL);
    }
    if form != Form::Waiting {
        words.push((&raw mut request) as usize);
    }
    let code = call(&name, &words);
    assert_eq!(code, MPI_SUCCESS, "{name} returned {}", why(code));
    match form {
        Form::Waiting => {}
        Form::Started => mpi!(Wait, &mut request, NULL),
        Form::Kept => {
            for _ in 0..2 {
                mpi!(Start, &mut request);
                mpi!(Wait, &mut request, NULL);
            }
            mpi!(Request_free, &mut request);
        }
    }
}
