//! This says which names may stand for the same memory.
//!
//! # Model
//! Places of memory are classes, and all pointers in a class point into one other class (Steensgaard, Points-to analysis in almost linear
//! time, POPL 1996). An assignment of a pointer unites what both sides point to. So the answer holds for any order of
//! statements. Elements of an array are one place, and so are members of a struct.

use std::collections::BTreeSet;

/// The number of a place; which class it is in changes while classes are united.
pub(crate) type Place = usize;

/// The place of all memory about which nothing is known.
pub(crate) const UNKNOWN: Place = 0;

/// All places.
#[derive(Debug)]
pub(crate) struct Memory {
    parents: Vec<Place>,
    pointees: Vec<Option<Place>>,
}

impl Memory {
    /// Memory with [`UNKNOWN`], which may point to itself.
    pub(crate) fn new() -> Self {
        Self { parents: vec![UNKNOWN], pointees: vec![Some(UNKNOWN)] }
    }

    /// A place of its own.
    pub(crate) fn fresh(&mut self) -> Place {
        self.parents.push(self.parents.len());
        self.pointees.push(None);
        self.parents.len() - 1
    }

    /// The class of a place.
    pub(crate) fn class(&self, mut place: Place) -> Place {
        while self.parents[place] != place {
            place = self.parents[place];
        }
        place
    }

    /// This is what pointers in a place point to.
    pub(crate) fn pointee(&mut self, place: Place) -> Place {
        let class = self.class(place);
        if let Some(pointee) = self.pointees[class] {
            return self.class(pointee);
        }
        let pointee = self.fresh();
        self.pointees[class] = Some(pointee);
        pointee
    }

    /// This is what pointers in a place point to, if there are any.
    pub(crate) fn target(&self, place: Place) -> Option<Place> {
        self.pointees[self.class(place)].map(|pointee| self.class(pointee))
    }

    /// Makes one class of two, and of what they point to.
    pub(crate) fn unite(&mut self, one: Place, other: Place) {
        let mut pending = vec![(one, other)];
        while let Some((one, other)) = pending.pop() {
            let (one, other) = (self.class(one), self.class(other));
            if one == other {
                continue;
            }
            // The unknown keeps its number.
            let (kept, gone) = (one.min(other), one.max(other));
            self.parents[gone] = kept;
            match (self.pointees[kept], self.pointees[gone]) {
                (Some(a), Some(b)) => pending.push((a, b)),
                (None, pointee) => self.pointees[kept] = pointee,
                (Some(_), None) => {}
            }
        }
    }

    /// The class of a place, and all that can be reached from it by pointers.
    pub(crate) fn reachable(&self, place: Place) -> BTreeSet<Place> {
        let (mut found, mut next) = (BTreeSet::new(), Some(self.class(place)));
        while let Some(class) = next {
            next =
                if found.insert(class) { self.pointees[class].map(|place| self.class(place)) } else { None };
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p = &a; q = p; *q = &b: a and what p and q point to are one class, and *a is that of b.
    #[test]
    fn assignments_of_pointers_unite_what_they_point_to() {
        let mut memory = Memory::new();
        let [p, q, a, b] = [(); 4].map(|()| memory.fresh());
        let of_p = memory.pointee(p);
        memory.unite(of_p, a);
        let of_q = memory.pointee(q);
        memory.unite(of_q, of_p);
        let target = memory.pointee(q);
        let content = memory.pointee(target);
        memory.unite(content, b);
        let of_a = memory.pointee(a);
        assert_eq!(memory.class(of_a), memory.class(b));
        assert_ne!(memory.class(p), memory.class(q));
        assert_eq!(memory.reachable(p), [p, a, b].map(|place| memory.class(place)).into());
    }

    /// A list whose elements point to elements.
    #[test]
    fn circles_end() {
        let mut memory = Memory::new();
        let list = memory.fresh();
        let next = memory.pointee(list);
        memory.unite(next, list);
        assert_eq!(memory.reachable(list).len(), 1);
    }
}
