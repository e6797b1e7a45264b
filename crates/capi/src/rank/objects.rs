//! Objects that few programs make: attributes, info objects, errors and algorithms of their own, requests that are kept, attached
//! buffers. It all lies behind one pointer, so a rank that makes none of it pays for that pointer alone.
//!
//! Only the functions that make a kind of object know its type, under which it lies here.

use crate::calls::abi::{self, Handle};
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

/// Handles are below 2^31, whatever their age: Fortran has them as integers, and so have `MPI_Type_toint` and its kin.
const END: u32 = 0x7fff_ffff - abi::OWN as u32;

/// Objects of one kind. A number is given again only when all others were given, so that the handle of a freed object
/// is recognized. A look-up takes the logarithm of how many there are.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    objects: BTreeMap<u32, T>,
    next: u32,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { objects: BTreeMap::new(), next: 0 }
    }
}

impl<T> Numbered<T> {
    /// A handle for a new object.
    ///
    /// # Panics
    /// When there are 2^31 of them.
    pub(crate) fn add(&mut self, object: T) -> Handle {
        assert!(self.objects.len() < END as usize, "memory ends long before");
        while self.objects.contains_key(&self.next) {
            self.next = (self.next + 1) % END;
        }
        let number = self.next;
        self.objects.insert(number, object);
        self.next = (number + 1) % END;
        abi::own_handle(number as usize)
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        self.objects.get(&number(handle)?)
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.objects.get_mut(&number(handle)?)
    }

    pub(crate) fn remove(&mut self, handle: Handle) -> Option<T> {
        self.objects.remove(&number(handle)?)
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }
}

fn number(handle: Handle) -> Option<u32> {
    abi::own_index(handle).and_then(|index| u32::try_from(index).ok())
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

    #[test]
    fn freed_handles_stay_invalid() {
        let mut objects = Numbered::default();
        let handles = ['a', 'b', 'c'].map(|object| objects.add(object));
        assert_eq!(objects.remove(handles[1]), Some('b'));
        assert_eq!((objects.remove(handles[1]), objects.get(handles[1])), (None, None));
        let again: Vec<Handle> = (0..1000)
            .map(|_| {
                let new = objects.add('d');
                objects.remove(new);
                new
            })
            .collect();
        assert_eq!(again.iter().collect::<std::collections::BTreeSet<_>>().len(), 1000);
        assert!(again.iter().all(|handle| !handles.contains(handle) && objects.get(*handle).is_none()));
        assert_eq!(
            (objects.get(handles[0]), objects.get(handles[2]), objects.len()),
            (Some(&'a'), Some(&'c'), 2)
        );
        // Neither a number of 64 bits nor a predefined handle is one of them.
        for foreign in [usize::MAX, 1 << 32 | handles[0] as usize, 0, 0x200] {
            assert_eq!(objects.get(foreign as Handle), None);
        }
    }

    /// Behind the last number come the first that are free.
    #[test]
    fn numbers_begin_again_at_the_end() {
        let mut objects = Numbered { next: END - 1, ..Numbered::default() };
        let first = objects.add('a');
        assert_eq!(first as usize, 0x7fff_fffe);
        assert_eq!(objects.add('b') as usize, abi::OWN);
        objects.next = END - 1;
        assert_eq!(objects.add('c') as usize, abi::OWN + 1);
    }
}
