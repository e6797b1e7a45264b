//! Where a rank is: the names of its node, and what launchers put into the environment. A program that finds out so which
//! ranks are together finds the nodes of the simulated machine.

use crate::rank::context::Context;
use crate::world::nodes::Nodes;
use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::ptr;

unsafe extern "C" {
    fn gethostid() -> c_long;
    fn gethostbyname(name: *const c_char) -> *mut libc::hostent;
    fn secure_getenv(name: *const c_char) -> *mut c_char;
}

/// The name and the number of the running rank's node.
fn node() -> Option<(String, usize)> {
    let mut context = Context::get()?;
    let rank = context.rank();
    let number = rank.process.rank();
    Some((rank.world.options.processor_names.name(number), rank.world.nodes().number(number)))
}

pub(crate) unsafe extern "C" fn get_host_name(to: *mut c_char, length: usize) -> c_int {
    let Some((name, _)) = node() else {
        // SAFETY: the real one.
        return unsafe { libc::gethostname(to, length) };
    };
    let fits = name.len() < length;
    // SAFETY: the program's memory, as long as it says.
    unsafe {
        ptr::copy_nonoverlapping(name.as_ptr().cast(), to, name.len().min(length));
        if fits {
            *to.add(name.len()) = 0;
        } else {
            *libc::__errno_location() = libc::ENAMETOOLONG;
        }
    }
    if fits { 0 } else { -1 }
}

pub(crate) unsafe extern "C" fn uname(to: *mut libc::utsname) -> c_int {
    // SAFETY: the real one, with the program's variable.
    let code = unsafe { libc::uname(to) };
    if code == 0
        && let Some((name, _)) = node()
    {
        // SAFETY: the program's variable.
        let field = unsafe { &mut (*to).nodename };
        let (last, places) = field.split_last_mut().expect("it has 65 places");
        let letters = name.bytes().chain(std::iter::repeat(0));
        places.iter_mut().zip(letters).for_each(|(place, letter)| *place = letter as c_char);
        *last = 0;
    }
    code
}

pub(crate) unsafe extern "C" fn get_host_id() -> c_long {
    match node() {
        Some((_, number)) => u32::from_be_bytes(Nodes::address(number)).into(),
        // SAFETY: the real one.
        None => unsafe { gethostid() },
    }
}

/// The address of the node that a program names, as numbers with points.
///
/// # Safety
/// The program's text, or none.
unsafe fn address(name: *const c_char) -> Option<CString> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let number = Context::get()?.rank().world.nodes().named(name)?;
    CString::new(Nodes::address(number).map(|part| part.to_string()).join(".")).ok()
}

pub(crate) unsafe extern "C" fn get_address_info(
    name: *const c_char,
    service: *const c_char,
    hints: *const libc::addrinfo,
    found: *mut *mut libc::addrinfo,
) -> c_int {
    // SAFETY: the program's arguments, and the real function.
    unsafe {
        let address = address(name);
        libc::getaddrinfo(address.as_ref().map_or(name, |text| text.as_ptr()), service, hints, found)
    }
}

pub(crate) unsafe extern "C" fn get_host_by_name(name: *const c_char) -> *mut libc::hostent {
    // SAFETY: the program's argument, and the real function.
    unsafe {
        let address = address(name);
        gethostbyname(address.as_ref().map_or(name, |text| text.as_ptr()))
    }
}

/// The value that a launcher has put into the rank's environment under this name. The text stays as long as the rank.
///
/// # Safety
/// The program's text.
unsafe fn of_launcher(name: *const c_char) -> Option<*mut c_char> {
    // Most names are seen by their first letter to be none of these.
    // SAFETY: the caller's promise.
    if name.is_null() || !b"OMSH".contains(unsafe { &*name.cast::<u8>() }) {
        return None;
    }
    // SAFETY: as above.
    let name = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let known = Nodes::variables().find(|known| *known == name)?;
    let mut context = Context::get()?;
    let rank = context.rank();
    if !rank.libc.environment.contains_key(known) {
        let (world, number) = (&rank.world, rank.process.rank());
        let value = world.nodes().variable(known, number, || world.options.processor_names.name(number))?;
        rank.libc.environment.insert(known, CString::new(value).ok()?);
    }
    rank.libc.environment.get(known).map(|value| value.as_ptr().cast_mut())
}

pub(crate) unsafe extern "C" fn get_env(name: *const c_char) -> *mut c_char {
    // SAFETY: the program's argument, and the real function.
    unsafe { of_launcher(name).unwrap_or_else(|| libc::getenv(name)) }
}

pub(crate) unsafe extern "C" fn secure_get_env(name: *const c_char) -> *mut c_char {
    // SAFETY: the program's argument, and the real function.
    unsafe { of_launcher(name).unwrap_or_else(|| secure_getenv(name)) }
}
