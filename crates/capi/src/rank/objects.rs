//! Objects that few programs make: attributes, info objects, errors and algorithms of their own, requests that are kept, attached
//! buffers. It all lies behind one pointer, so a rank that makes none of it pays for that pointer alone.
//!
//! Only the functions that make a kind of object know its type, under which it lies here.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;

/// Objects of one rank, or what all ranks share. They stay where they are: programs hold pointers to the values of predefined attributes.
#[derive(Default)]
pub(crate) struct Objects(BTreeMap<TypeId, Box<dyn Any>>);

impl Objects {
    /// Those of this kind; none of them at the first time.
    pub(crate) fn of<T: Default + 'static>(&mut self) -> &mut T {
        self.begun_with(T::default)
    }

    /// Those of this kind; at the first time what `new` gives.
    pub(crate) fn begun_with<T: 'static>(&mut self, new: impl FnOnce() -> T) -> &mut T {
        let kind = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(new()));
        kind.downcast_mut().expect("it lies under its type")
    }

    /// Those of this kind, if there were ever any.
    pub(crate) fn known<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kind lies under its own type, where it was first, and is not made by who only looks.
    #[test]
    fn kinds_do_not_meet() {
        let mut objects = Objects::default();
        assert_eq!(objects.known::<Vec<u8>>(), None);
        objects.of::<Vec<u8>>().push(1);
        let place = std::ptr::from_mut(objects.of::<Vec<u8>>());
        objects.of::<Vec<u16>>().push(2);
        assert_eq!((objects.known(), objects.known()), (Some(&vec![1_u8]), Some(&vec![2_u16])));
        assert_eq!(std::ptr::from_mut(objects.of::<Vec<u8>>()), place);
        assert_eq!(objects.known::<String>(), None);
    }
}
