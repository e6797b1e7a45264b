//! A list of links or flows to look at.

/// Numbers in the order in which they were added. Whether something is added often cannot be foreseen, so adding takes
/// a condition instead of a branch around it.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Worklist {
    /// Beyond `len` there is at least one place, for what is not added.
    places: Vec<u32>,
    len: usize,
}

impl Worklist {
    /// Adds a number at the end unless its flag is set, and sets the flag.
    #[inline]
    pub(crate) fn add(&mut self, number: u32, listed: &mut bool) {
        self.add_if(true, number, listed);
    }

    #[inline]
    pub(crate) fn add_if(&mut self, so: bool, number: u32, listed: &mut bool) {
        if self.len == self.places.len() {
            self.places.resize((2 * self.len).max(16), 0);
        }
        self.places[self.len] = number;
        self.len += usize::from(so & !*listed);
        *listed |= so;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes the last number off.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        Some(self.places[self.len])
    }

    /// All numbers, first one first.
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.places[..self.len]
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_listed_once() {
        let mut list = Worklist::default();
        let mut listed = [false; 100];
        for number in (0..100).chain(50..100) {
            list.add(number, &mut listed[number as usize]);
        }
        assert_eq!(list.as_slice(), (0..100).collect::<Vec<_>>());
        assert_eq!((list.pop(), list.pop(), list.len()), (Some(99), Some(98), 98));
        list.clear();
        assert_eq!((list.pop(), list.len()), (None, 0));
    }
}
