//! The datatypes that a rank has made.

use crate::calls::abi::MPI_DATATYPE_NULL;
use crate::calls::abi::{self, Handle};
use crate::calls::{Done, Result};
use crate::mpi::datatypes::predefined_types::{self as named, Element};
use crate::rank::objects::Numbered;
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_message::MpiError;
use weir_message::datatype::Type;

/// Says whether a handle for a type may be used in messages right away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    New,
    Committed,
}

#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) kind: Rc<Type>,
    pub(crate) state: State,
    pub(crate) name: String,
    pub(super) element: Element,
}

#[derive(Debug, Default)]
pub(crate) struct Types {
    made: Numbered<Made>,
    /// Names that the program has given to predefined ones.
    renamed: BTreeMap<usize, String>,
    /// Those chosen by precision and range, which live for ever.
    pub(super) chosen: Vec<Handle>,
}

fn unknown() -> MpiError {
    MpiError::Type("not a datatype".into())
}

pub(super) fn not_predefined(value: usize) -> MpiError {
    let what = if value == MPI_DATATYPE_NULL { "MPI_DATATYPE_NULL" } else { "not a datatype of C" };
    MpiError::Type(format!("{what} ({value:#x})"))
}

impl Types {
    pub(super) fn add(&mut self, made: Made) -> Handle {
        self.made.add(made)
    }

    pub(super) fn made(&mut self, handle: Handle) -> Result<&mut Made> {
        self.made.get_mut(handle).ok_or_else(unknown)
    }

    /// Number of those that the program has to free.
    pub(crate) fn left(&self) -> usize {
        self.made.len() - self.chosen.len()
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Done {
        self.made.remove(handle).map(|_| ()).ok_or_else(unknown)
    }

    /// Its name, given by the program or by `mpi.h`.
    pub(crate) fn name(&mut self, handle: Handle) -> Result<&str> {
        if abi::own_index(handle).is_some() {
            return Ok(&self.made(handle)?.name);
        }
        let value = handle as usize;
        match self.renamed.get(&value) {
            Some(name) => Ok(name),
            None if value == MPI_DATATYPE_NULL => Ok("MPI_DATATYPE_NULL"),
            None => named::predefined(value)
                .and_then(|_| named::name_of(value))
                .ok_or_else(|| not_predefined(value)),
        }
    }

    pub(crate) fn set_name(&mut self, handle: Handle, name: String) -> Done {
        match abi::own_index(handle) {
            Some(_) => self.made(handle)?.name = name,
            None => {
                let value = handle as usize;
                named::predefined(value).ok_or_else(|| not_predefined(value))?;
                self.renamed.insert(value, name);
            }
        }
        Ok(())
    }
}
