//! All functions a program can call, by name, and how a loaded program is connected to them.
//!
//! `weir cc` (the crate `weir-compiler`) gives every program a jump table with a slot for each function, and the list of
//! their names ([`offered`]). When the program is loaded, [`connect`] fills the slots by name. So a program needs no
//! symbol of the simulator's, and one compiled by an older weir still runs.

mod functions;

use crate::c_library::{host_names, leaving, libc_calls};
use crate::calls::{Function, call_site};
use crate::mpi::{collectives, extensions};
use crate::rank::context::not_offered;
use crate::skeleton::{self, sampling};
use crate::world::WorldError;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::path::Path;
use std::sync::OnceLock;
use weir_coroutine::LoadedProgram;

/// Name and function, in the order of the jump table.
pub(crate) fn functions() -> Vec<Function> {
    [functions::list(), others()].concat()
}

/// Names of the collectives that wait, with their forms for large counts.
pub(crate) fn collectives() -> &'static [&'static str] {
    functions::COLLECTIVES
}

/// The names of all functions that are offered, in the order of a program's jump table. Those of the C library that the
/// linker is to put in place of the library's own begin with `__wrap_`.
pub fn offered() -> impl Iterator<Item = &'static str> {
    functions().into_iter().map(|(name, _)| name)
}

/// The name of the slot behind those of functions: it has the address of a word, into which the jump to a function of MPI or of
/// `weir.h` writes the address to which it returns.
pub const CALL_SITE: &str = "weir_call_site";

/// The address of the MPI function of this name, if it is offered.
pub fn function(name: &str) -> Option<*const c_void> {
    static ADDRESSES: OnceLock<BTreeMap<&'static str, usize>> = OnceLock::new();
    let addresses = ADDRESSES
        .get_or_init(|| functions().into_iter().map(|(name, function)| (name, function as usize)).collect());
    addresses.get(name).map(|&address| address as *const c_void)
}

/// The program's slots: address and bytes. All ranks share them.
pub(crate) fn slots(program: &LoadedProgram) -> Result<(*mut u8, usize), WorldError> {
    let start = program.symbol("weir_slots")?.cast();
    Ok((start, 8 * (names(program)?.len() + 1)))
}

fn names(program: &LoadedProgram) -> Result<Vec<String>, WorldError> {
    let mut next = program.symbol("weir_names")?.cast_const().cast();
    let mut names = Vec::new();
    loop {
        // SAFETY: the runtime's list: strings one behind the other, the last one empty.
        let name = unsafe { CStr::from_ptr(next) };
        if name.is_empty() {
            return Ok(names);
        }
        names.push(name.to_string_lossy().into_owned());
        // SAFETY: as above: the next string begins behind this one's end.
        next = unsafe { next.add(name.count_bytes() + 1) };
    }
}

/// The program's slot for where calls are noted, if it has one.
pub(crate) fn call_site_slot(program: &LoadedProgram) -> Result<Option<usize>, WorldError> {
    let place = names(program)?.iter().position(|name| name == CALL_SITE);
    place.map(|place| Ok(slots(program)?.0 as usize + 8 * place)).transpose()
}

/// Fills the program's slots. Fails when the program was not built by `weir cc`, or needs functions that are not known.
pub(crate) fn connect(program: &LoadedProgram, path: &Path) -> Result<(), WorldError> {
    let functions = functions();
    let names = names(program)?;
    let slots: *mut *const c_void = slots(program)?.0.cast();
    let mut unknown = Vec::new();
    for (slot, name) in names.iter().enumerate() {
        match functions.iter().find(|(known, _)| known == name) {
            // SAFETY: the runtime has a slot for each name.
            Some((_, function)) => unsafe { *slots.add(slot) = *function },
            // SAFETY: as above.
            None if name == CALL_SITE => unsafe { *slots.add(slot) = call_site::noted_by(0).cast() },
            None => unknown.push(name.as_str()),
        }
    }
    // SAFETY: the slot behind the last name's.
    unsafe { *slots.add(names.len()) = not_offered as *const c_void };
    if unknown.is_empty() {
        return Ok(());
    }
    let functions = unknown.join(", ");
    Err(WorldError::Refused(format!("{}: built by a newer weir: it needs {functions}", path.display())))
}

/// Defines `others`: functions with a prefix before their names, and functions under other names.
macro_rules! offers {
    ($(of $prefix:literal $module:ident: $($function:ident)*;)* $($name:literal $other:path,)*) => {
        fn others() -> Vec<Function> {
            vec![
                $($((concat!($prefix, stringify!($function)), $module::$function as *const c_void),)*)*
                $(($name, $other as *const c_void),)*
            ]
        }
    };
}

offers! {
    of "weir_" skeleton: compute compute_block phase;
    of "weir_" extensions: now nics has_send_gap send_protocol send_copy send_nic send_gap;
    of "weir_" leaving: quick_exit;
    of "__wrap_" leaving: exit pthread_exit thrd_exit daemon execv execve execvp execvpe fexecve fclose freopen;
    of "__wrap_" libc_calls: sleep usleep nanosleep time gettimeofday clock_gettime clock_nanosleep times
        getrusage rand srand getentropy;
    of "__wrap_" host_names: uname;
    "weir_compute_at_once" skeleton::compute,
    "weir_compute_instructions_at_once" skeleton::compute_instructions,
    "weir_sample_begin" sampling::begin,
    "weir_sample_end" sampling::end,
    "weir_collective_set" collectives::weir_collective_set,
    "__wrap__exit" leaving::exit_at_once,
    "__wrap__Exit" leaving::exit_at_once,
    "__wrap_freopen64" leaving::freopen,
    "__wrap_clock" libc_calls::clock_,
    "__wrap_timespec_get" libc_calls::timespec_get_,
    "__wrap_random" libc_calls::random_,
    "__wrap_srandom" libc_calls::srand,
    "__wrap_srand48" libc_calls::srand48_,
    "__wrap_drand48" libc_calls::drand48_,
    "__wrap_lrand48" libc_calls::lrand48_,
    "__wrap_mrand48" libc_calls::mrand48_,
    "__wrap_strtok" libc_calls::strtok_,
    "__wrap_getopt" libc_calls::getopt_,
    "__wrap_getopt_long" libc_calls::getopt_long_,
    "__wrap_getopt_long_only" libc_calls::getopt_long_only_,
    "__wrap_gethostname" host_names::get_host_name,
    "__wrap_gethostid" host_names::get_host_id,
    "__wrap_getaddrinfo" host_names::get_address_info,
    "__wrap_gethostbyname" host_names::get_host_by_name,
    "__wrap_getenv" host_names::get_env,
    "__wrap_secure_getenv" host_names::secure_get_env,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::declared;

    #[test]
    fn every_function_that_is_declared_is_offered() {
        let missing = declared().find(|name| function(name).is_none());
        assert_eq!(missing, None, "declared and not offered");
        assert_eq!(declared().count(), 672);
    }
}
