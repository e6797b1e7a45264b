//! Datatypes behind handles: predefined ones, and those the program has made.

pub(crate) mod buffer;
pub(crate) mod packing;
pub(crate) mod pieces;
pub(crate) mod predefined_types;
pub(crate) mod type_functions;
pub(crate) mod types;

use crate::mpi::datatypes::predefined_types::{self as named, Element, Predefined};
pub(crate) use crate::mpi::datatypes::types::State;
use crate::mpi::datatypes::types::{Made, not_predefined};
use crate::mpi::prelude::*;
use std::rc::Rc;
use weir_message::datatype::{Combiner, Type};

#[derive(Clone, Debug)]
pub(crate) struct Datatype {
    /// Bytes from one element to the next.
    pub(crate) extent: isize,
    /// Bytes of data in one element.
    pub(crate) size: usize,
    pub(crate) element: Element,
    /// Where the data are; `None`: everywhere, from the buffer's address on.
    pub(crate) map: Option<Rc<Type>>,
}

/// A copy of a predefined datatype is as good as the datatype; what else is made of them is more than one element.
fn element_of(kind: &Type) -> Element {
    let recipe = kind.recipe();
    match recipe.combiner {
        Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => {
            named::predefined(recipe.name).map_or(Element::Compound, |known| known.element)
        }
        Combiner::Dup => recipe.types.first().map_or(Element::Compound, |old| element_of(old)),
        _ => Element::Compound,
    }
}

/// The predefined datatype that all basic elements of a type are of; `None`: there are several, or none.
pub(crate) fn named_element(context: &mut Context, handle: Handle) -> Result<Option<usize>> {
    fn of(kind: &Type) -> Option<usize> {
        let recipe = kind.recipe();
        if recipe.combiner == Combiner::Named {
            return Some(recipe.name);
        }
        let mut all = recipe.types.iter().map(|old| of(old));
        let first = all.next().flatten()?;
        all.all(|other| other == Some(first)).then_some(first)
    }
    match abi::own_index(handle) {
        Some(_) => Ok(of(&*type_of(context, handle)?)),
        None => Datatype::predefined(handle as usize).map(|_| Some(handle as usize)),
    }
}

impl Datatype {
    pub(crate) fn of(context: &mut Context, handle: Handle) -> Result<Self> {
        match abi::own_index(handle) {
            Some(_) => context.rank().types.made(handle).map(|made| Self::made(made)),
            None => Self::predefined(handle as usize),
        }
    }

    /// The datatype behind a handle, for data that travel.
    #[inline(always)] // most datatypes are predefined, and this is all there is to those
    pub(crate) fn committed(context: &mut Context, handle: Handle) -> Result<Self> {
        match named::predefined(handle as usize) {
            Some(&Predefined { size, extent, element }) if size == extent => {
                Ok(Self { extent: extent as isize, size, element, map: None })
            }
            _ => Self::committed_with_map(context, handle),
        }
    }

    /// The same for one that may have gaps, or that the program has made.
    fn committed_with_map(context: &mut Context, handle: Handle) -> Result<Self> {
        if abi::own_index(handle).is_none() {
            return Self::predefined(handle as usize);
        }
        let made = context.rank().types.made(handle)?;
        match made.state {
            State::Committed => Ok(Self::made(made)),
            State::New => Err(MpiError::Type("the datatype is not committed".into())),
        }
    }

    pub(crate) fn predefined(value: usize) -> Result<Self> {
        let known = named::predefined(value).ok_or_else(|| not_predefined(value))?;
        let map = if known.size == known.extent { None } else { named::type_of(value) };
        Ok(Self { extent: known.extent as isize, size: known.size, element: known.element, map })
    }

    fn made(made: &Made) -> Self {
        let kind = &made.kind;
        let map = if kind.contiguous() == Some(0) { None } else { Some(Rc::clone(kind)) };
        Self { extent: kind.extent(), size: kind.size(), element: made.element, map }
    }
}

/// The type behind a handle of the running rank, committed or not.
pub(crate) fn type_of(context: &mut Context, handle: Handle) -> Result<Rc<Type>> {
    match abi::own_index(handle) {
        Some(_) => context.rank().types.made(handle).map(|made| Rc::clone(&made.kind)),
        None => named::type_of(handle as usize).ok_or_else(|| not_predefined(handle as usize)),
    }
}

/// A handle for a type; that of a predefined one is its own.
pub(crate) fn add(context: &mut Context, kind: Rc<Type>, state: State) -> Handle {
    if kind.recipe().combiner == Combiner::Named {
        return abi::predefined(kind.recipe().name);
    }
    let element = element_of(&kind);
    context.rank().types.add(Made { kind, state, name: String::new(), element })
}

pub(crate) fn state(context: &mut Context, handle: Handle) -> Result<State> {
    match abi::own_index(handle) {
        Some(_) => Ok(context.rank().types.made(handle)?.state),
        None => Ok(State::Committed),
    }
}

/// The handle of a type chosen by precision and range: the predefined type `base`, under a handle of its own.
pub(crate) fn chosen(
    context: &mut Context,
    of: Combiner,
    integers: Vec<c_int>,
    base: usize,
) -> Result<Handle> {
    let known = context.rank().types.chosen.clone();
    for handle in known {
        let kind = type_of(context, handle)?;
        if kind.recipe().combiner == of && kind.recipe().integers == integers {
            return Ok(handle);
        }
    }
    let base = named::type_of(base).ok_or_else(|| not_predefined(base))?;
    let handle = add(context, Type::chosen(of, integers, &base), State::Committed);
    context.rank().types.chosen.push(handle);
    Ok(handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_predefined_types_can_be_reduced() {
        let int = named::type_of(0x209).unwrap();
        let copy = Type::dup(&Type::dup(&int));
        assert_eq!(element_of(&copy), named::predefined(0x209).unwrap().element);
        assert_eq!(element_of(&Type::contiguous_of(1, &int).unwrap()), Element::Compound);
    }
}
