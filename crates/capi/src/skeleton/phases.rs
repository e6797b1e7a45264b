//! Phases of a program, as it names them: for the account of where time goes ([`weir_network::causes`]).

use crate::rank::mpi_call::enter;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::{Mutex, PoisonError};
use weir_message::MpiError;
use weir_network::causes::Name;

/// Highest number of names: they stay as long as the process.
const MOST: usize = 1000;

/// Phases of this program.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The phase that the calling rank is in from now on; an empty name or none: in no phase.
pub(crate) unsafe extern "C" fn phase(name: *const c_char) -> c_int {
    enter("weir_phase", ptr::null_mut(), |context| {
        let name = if name.is_null() {
            ""
        } else {
            // SAFETY: a string of the program's.
            kept(&unsafe { CStr::from_ptr(name) }.to_string_lossy())?
        };
        context.rank().process.enter_phase(name);
        Ok(())
    })
}

/// The same name, to be kept.
fn kept(name: &str) -> Result<&'static str, MpiError> {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = names.get(name) {
        return Ok(name);
    }
    if names.len() == MOST {
        return Err(MpiError::Argument(format!(
            "{name:?} would be phase number {}: at most {MOST} names; those of steps go without the number of the step",
            MOST + 1
        )));
    }
    let name = Name::kept(name).text();
    names.insert(name);
    Ok(name)
}
