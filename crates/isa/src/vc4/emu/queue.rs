//! The queue of a TMU's results, of fixed size, so that native code can take them out.

use super::Lanes;

/// Results that it can hold.
pub const PLACES: usize = 8;

/// Results in the order of their requests.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Queue {
    pub(super) entries: [Lanes; PLACES],
    pub(super) head: u32,
    pub(super) length: u32,
}

impl Queue {
    pub const fn new() -> Queue {
        Queue { entries: [Lanes::ZERO; PLACES], head: 0, length: 0 }
    }

    pub const fn len(&self) -> usize {
        self.length as usize
    }

    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a result.
    ///
    /// # Panics
    /// If the queue is full: those who append have looked.
    pub fn push_back(&mut self, result: Lanes) {
        assert!(self.len() < PLACES, "no TMU holds more results");
        self.entries[(self.head + self.length) as usize % PLACES] = result;
        self.length += 1;
    }

    /// Takes the oldest result out.
    pub fn pop_front(&mut self) -> Option<Lanes> {
        self.length = self.length.checked_sub(1)?;
        let result = self.entries[self.head as usize % PLACES];
        self.head = (self.head + 1) % PLACES as u32;
        Some(result)
    }

    /// The results, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Lanes> {
        (0..self.len()).map(|n| &self.entries[(self.head as usize + n) % PLACES])
    }
}
