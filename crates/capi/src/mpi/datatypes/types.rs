//! The datatypes that a rank has made.

use crate::calls::abi::{self, DATATYPE_NULL, Handle};
use crate::mpi::datatypes::predefined_types::{self as named, Element};
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_message::MpiError;
use weir_message::datatype::Type;

/// A datatype that the program has made.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) kind: Rc<Type>,
    pub(crate) committed: bool,
    pub(crate) name: String,
    pub(super) element: Element,
}

/// The datatypes of a rank. Places of freed ones are used again, under new handles.
#[derive(Debug, Default)]
pub(crate) struct Types {
    /// How often the place was used before, and what is there.
    slots: Vec<(usize, Option<Made>)>,
    free: Vec<usize>,
    /// Names that the program has given to predefined ones.
    renamed: BTreeMap<usize, String>,
    /// Those chosen by precision and range, which live for ever.
    pub(super) chosen: Vec<Handle>,
}

/// Bits of a handle's number that say the place; those above count how often it was used before.
const PLACE: u32 = 32;

pub(super) fn unknown() -> MpiError {
    MpiError::Type("not a datatype".into())
}

pub(super) fn not_predefined(value: usize) -> MpiError {
    let what = if value == DATATYPE_NULL { "MPI_DATATYPE_NULL" } else { "not a datatype of C" };
    MpiError::Type(format!("{what} ({value:#x})"))
}

impl Types {
    pub(super) fn add(&mut self, made: Made) -> Handle {
        let place = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            self.slots.len() - 1
        });
        let (uses, slot) = &mut self.slots[place];
        *slot = Some(made);
        abi::own_handle(place | *uses << PLACE)
    }

    pub(super) fn slot(&mut self, number: usize) -> Result<(usize, &mut (usize, Option<Made>)), MpiError> {
        let place = number & ((1 << PLACE) - 1);
        let slot = self.slots.get_mut(place).filter(|(uses, _)| *uses == number >> PLACE);
        Ok((place, slot.ok_or_else(unknown)?))
    }

    /// The datatype behind a number of our own.
    pub(super) fn made(&mut self, number: usize) -> Result<&mut Made, MpiError> {
        self.slot(number)?.1.1.as_mut().ok_or_else(unknown)
    }

    /// How many there are that the program has to free.
    pub(crate) fn left(&self) -> usize {
        self.slots.iter().filter(|(_, slot)| slot.is_some()).count() - self.chosen.len()
    }

    pub(super) fn remove(&mut self, number: usize) -> Result<(), MpiError> {
        let (place, (uses, slot)) = self.slot(number)?;
        slot.take().ok_or_else(unknown)?;
        *uses += 1;
        self.free.push(place);
        Ok(())
    }

    /// Its name, given by the program or by `mpi.h`.
    pub(crate) fn name(&mut self, handle: Handle) -> Result<&str, MpiError> {
        if let Some(number) = abi::own_index(handle) {
            return Ok(&self.made(number)?.name);
        }
        let value = handle as usize;
        match self.renamed.get(&value) {
            Some(name) => Ok(name),
            None if value == DATATYPE_NULL => Ok("MPI_DATATYPE_NULL"),
            None => named::predefined(value)
                .and_then(|_| named::name_of(value))
                .ok_or_else(|| not_predefined(value)),
        }
    }

    pub(crate) fn set_name(&mut self, handle: Handle, name: String) -> Result<(), MpiError> {
        match abi::own_index(handle) {
            Some(number) => self.made(number)?.name = name,
            None => {
                let value = handle as usize;
                named::predefined(value).ok_or_else(|| not_predefined(value))?;
                self.renamed.insert(value, name);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_handles_stay_invalid() {
        let made = || Made {
            kind: named::type_of(0x209).unwrap(),
            committed: false,
            name: String::new(),
            element: Element::Compound,
        };
        let mut types = Types::default();
        let handles: Vec<Handle> = (0..3).map(|_| types.add(made())).collect();
        let number = |handle| abi::own_index(handle).unwrap();
        types.remove(number(handles[1])).unwrap();
        assert!(types.made(number(handles[1])).is_err());
        assert!(types.remove(number(handles[1])).is_err());
        let again = types.add(made());
        assert_eq!(types.slots.len(), 3);
        assert!(again != handles[1] && types.made(number(handles[1])).is_err());
        assert!([handles[0], again, handles[2]].iter().all(|&handle| types.made(number(handle)).is_ok()));
        assert!(types.made(usize::MAX).is_err());
    }
}
