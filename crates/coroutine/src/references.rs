//! Uses of a loaded program: names of libraries' symbols, libraries that came with it, and functions of its own to which its
//! code or its data refer.

use crate::object::Object;
use crate::program::LoadedProgram;
use crate::relocation::{Holds, Tables};
use std::ffi::CString;

impl LoadedProgram {
    /// The first of these symbols that the program takes from a library, or refers to in itself. Linear in its code.
    pub fn first_used<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        let objects = Object::from_on(self.path());
        let object = objects.first()?;
        let own: Vec<(usize, &str)> = names
            .iter()
            .filter_map(|&name| Some((self.symbol(name).ok()? as usize, name)))
            .filter(|(address, _)| object.span().contains(address))
            .collect();
        let tables = Tables::of(object);
        let taken = |name: &&str| {
            let name = CString::new(*name).unwrap_or_default();
            tables.iter().flat_map(Tables::uses).any(|used| used.name == name.as_c_str())
        };
        let referred_to = |name: &&str| own.iter().any(|(_, own)| own == name);
        let mut found = names.iter().copied().filter(|name| !referred_to(name)).find(|name| taken(name));
        if found.is_none() {
            found = named_in_code(object, &own).or_else(|| named_in_data(tables.as_ref()?, &own));
        }
        found
    }

    /// The file names of the libraries that were loaded with it.
    pub fn libraries(&self) -> Vec<String> {
        Object::from_on(self.path()).iter().skip(1).map(Object::file_name).collect()
    }
}

/// The first function of these addresses and names to which the code refers by its distance from the next instruction, as calls, jumps and
/// the taking of addresses do. Any four bytes of the code may be such a distance: what is no reference may look like one, by a chance of one in
/// four thousand million.
fn named_in_code<'n>(object: &Object, functions: &[(usize, &'n str)]) -> Option<&'n str> {
    let first = functions.iter().map(|(address, _)| *address).min()?;
    let last = functions.iter().map(|(address, _)| *address).max()?;
    for header in object.segments(libc::PT_LOAD).filter(|header| header.p_flags & libc::PF_X != 0) {
        let range = object.range(header);
        // SAFETY: a segment of the loaded program, which is not written to.
        let code = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) };
        for (place, bytes) in code.windows(4).enumerate() {
            let distance = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as isize;
            let meant = (range.start + place + 4).wrapping_add_signed(distance);
            if (first..=last).contains(&meant)
                && let Some((_, name)) = functions.iter().find(|(address, _)| *address == meant)
            {
                return Some(name);
            }
        }
    }
    None
}

/// The first of these functions whose address the loader has filled in somewhere.
fn named_in_data<'n>(tables: &Tables<'_>, functions: &[(usize, &'n str)]) -> Option<&'n str> {
    let words = tables.words().into_iter();
    let addresses = words.filter(|word| matches!(word.holds, Holds::Own | Holds::Symbol { .. }));
    // SAFETY: words of the loaded program that the loader has filled in.
    let mut values = addresses.map(|word| unsafe { (word.address as *const usize).read_unaligned() });
    values.find_map(|value| functions.iter().find(|(address, _)| *address == value).map(|(_, name)| *name))
}
