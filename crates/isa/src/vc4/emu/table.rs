//! A list that need not begin at number 0: of a region with data and code, only the code is decoded.

use std::ops::{Index, IndexMut, Range, RangeFrom};

/// Items with consecutive numbers.
#[derive(Clone, Debug)]
pub struct Table<T> {
    first: usize,
    items: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { first: 0, items: Vec::new() }
    }
}

impl<T: Copy> Table<T> {
    /// Makes items of these numbers, and of all between them and those that exist.
    pub fn reach(&mut self, numbers: Range<usize>, new: T) {
        if self.items.is_empty() {
            self.first = numbers.start;
        }
        if numbers.start < self.first {
            let missing = self.first - numbers.start;
            self.items.splice(0..0, std::iter::repeat_n(new, missing));
            self.first = numbers.start;
        }
        if numbers.end > self.end() {
            self.items.resize(numbers.end - self.first, new);
        }
    }

    /// The number of the first.
    pub fn start(&self) -> usize {
        self.first
    }

    /// The number behind the last.
    pub fn end(&self) -> usize {
        self.first + self.items.len()
    }

    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&T> {
        self.items.get(number.wrapping_sub(self.first))
    }

    #[inline(always)]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.items.get_mut(number.wrapping_sub(self.first))
    }

    /// The number of the first item, and all items.
    pub fn all_mut(&mut self) -> (usize, &mut [T]) {
        (self.first, &mut self.items[..])
    }
}

impl<T> Index<usize> for Table<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, number: usize) -> &T {
        &self.items[number.wrapping_sub(self.first)]
    }
}

impl<T> IndexMut<usize> for Table<T> {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.items[number.wrapping_sub(self.first)]
    }
}

impl<T> Index<Range<usize>> for Table<T> {
    type Output = [T];

    #[inline(always)]
    fn index(&self, numbers: Range<usize>) -> &[T] {
        &self.items[numbers.start.wrapping_sub(self.first)..numbers.end.wrapping_sub(self.first)]
    }
}

impl<T> Index<RangeFrom<usize>> for Table<T> {
    type Output = [T];

    fn index(&self, numbers: RangeFrom<usize>) -> &[T] {
        &self.items[numbers.start.wrapping_sub(self.first)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_both_ways() {
        let mut table = Table::default();
        table.reach(1000..1002, 1);
        table[1001] = 2;
        table.reach(1004..1005, 3);
        table.reach(998..999, 4);
        assert_eq!((&table[998..1005], table.end()), (&[4, 4, 1, 2, 3, 3, 3][..], 1005));
        assert_eq!((table.get(997), table.get(1005), table[1003..].len()), (None, None, 2));
    }
}
