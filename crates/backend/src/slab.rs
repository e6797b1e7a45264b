//! Things with numbers that are used again.

/// Things that wait for a while, each under a number; O(1), in the memory of those that wait at a time.
#[derive(Debug)]
pub struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Slab<T> {
    /// Keeps a thing and returns its number.
    pub fn add(&mut self, thing: T) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        });
        self.places[place] = Some(thing);
        place as u64
    }

    /// Takes a thing out; `None` if there is none under this number.
    pub fn take(&mut self, number: u64) -> Option<T> {
        let place = usize::try_from(number).ok()?;
        let thing = self.places.get_mut(place)?.take()?;
        self.free.push(place);
        Some(thing)
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}
