//! Pointers to pointers: rows of different lengths, of which a kernel loads the pointers.
//!
//! The host binds a [`Table`]: all rows in one buffer, and where each begins in a second one. So a loaded pointer is what every
//! pointer is, a buffer and an index, and what goes through it is tested as any access is: it may reach another row, but nothing
//! outside the table.

use crate::elements::Stored;
use crate::ptr::{Ptr, row};
use crate::record::{self, Raw, Recorder};
use quadra_device::{Argument, Buffer, Element};
use quadra_kir::{LANES, Mode};
use std::panic::Location;

/// Rows of elements, each of its own length: what a parameter `Ptr<Ptr<T>>` is called with.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// /// The sum of each row, one lane for each of up to 16 rows.
/// #[kernel]
/// fn sums(rows: Ptr<Ptr<Int>>, lengths: Ptr<Int>, out: Ptr<Int>) {
///     let (row, n) = (*rows, *lengths);
///     let mut sum = int(0);
///     let mut i = int(0);
///     while i < n {
///         sum += row.at(i).load_lanes();
///         i += 1;
///     }
///     *out = sum;
/// }
/// # fn main() -> Result<(), Error> {
/// let rows = Table::from((0..16).map(|k| vec![k; k as usize]).collect::<Vec<_>>());
/// let lengths = Buffer::from((0..16).collect::<Vec<i32>>());
/// let out = Buffer::<i32>::new(16);
/// sums().compile(&*quadra_device::open("emu")?)?.call((&rows, &lengths, &out))?;
/// assert_eq!(out.to_vec(), (0..16).map(|k| k * k).collect::<Vec<i32>>());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Table<T> {
    elements: Buffer<T>,
    /// Where each row begins, and then the end of the elements as often as there are lanes, so that 16 pointers can be loaded from
    /// every row on.
    starts: Buffer<i32>,
    lengths: Vec<usize>,
}

impl<T: Element> Table<T> {
    /// A table of rows of zeros.
    ///
    /// # Panics
    /// If there are 2^31 elements or more.
    pub fn new(lengths: &[usize]) -> Table<T> {
        let elements = Buffer::new(lengths.iter().sum());
        let mut starts: Vec<i32> = Vec::with_capacity(lengths.len() + LANES as usize);
        let mut start = 0;
        for length in lengths {
            starts.push(start as i32);
            start += length;
        }
        starts.resize(lengths.len() + LANES as usize, start as i32);
        Table { elements, starts: Buffer::from(starts), lengths: lengths.to_vec() }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.lengths.len()
    }

    fn place(&self, row: usize) -> std::ops::Range<usize> {
        let start: usize = self.lengths[..row].iter().sum();
        let size = T::ELEM.bytes() as usize;
        start * size..(start + self.lengths[row]) * size
    }

    /// A copy of one row.
    ///
    /// # Panics
    /// If `row` is not below [`rows`](Table::rows).
    pub fn row(&self, row: usize) -> Vec<T> {
        let memory = self.elements.storage().read();
        memory.bytes[self.place(row)].chunks_exact(T::ELEM.bytes() as usize).map(T::from_bytes).collect()
    }

    /// Replaces all elements of one row.
    ///
    /// # Panics
    /// If `row` is not below [`rows`](Table::rows), or the number of elements differs.
    pub fn write(&mut self, row: usize, values: &[T]) {
        assert_eq!(values.len(), self.lengths[row], "a row keeps its length");
        let mut bytes = Vec::new();
        values.iter().for_each(|v| v.push_bytes(&mut bytes));
        let place = self.place(row);
        self.elements.storage().write().bytes[place].copy_from_slice(&bytes);
    }

    /// The elements of all rows, and where rows begin, as a launch takes them.
    pub(crate) fn arguments(&self) -> (Argument, Argument) {
        ((&self.elements).into(), (&self.starts).into())
    }
}

impl<T: Element> From<Vec<Vec<T>>> for Table<T> {
    fn from(rows: Vec<Vec<T>>) -> Table<T> {
        let mut table = Table::new(&rows.iter().map(Vec::len).collect::<Vec<_>>());
        rows.iter().enumerate().for_each(|(k, row)| table.write(k, row));
        table
    }
}

/// The name of the parameter that says where the rows of another one begin.
pub(crate) fn starts_of(name: &str) -> String {
    format!("{name}.rows")
}

impl<T: Stored> Ptr<Ptr<T>> {
    fn pointers(self, r: &mut Recorder, index: Raw) -> Ptr<T> {
        let starts = r.tables[&self.buffer()];
        r.count();
        r.uses[starts.index()].read = true;
        // One pointer for all lanes, or each lane's own.
        let uniform = r.known_uniform(index);
        let index = r.value(index);
        let start = r.b.load(starts, Mode::Unchecked, &[index]);
        Ptr::to(self.buffer(), r.handle(start, uniform))
    }

    /// `*pp`: 16 consecutive pointers from lane 0's on, one for each lane. What is loaded past the last row points to the end of the
    /// table, where nothing can be accessed.
    #[track_caller]
    pub fn load(self) -> Ptr<T> {
        record::with(Location::caller(), |r| {
            let index = row(r, self.index, None);
            self.pointers(r, index)
        })
    }

    /// Each lane's own pointer; the same one for all lanes if `self` is.
    #[track_caller]
    pub fn load_lanes(self) -> Ptr<T> {
        record::with(Location::caller(), |r| self.pointers(r, self.index))
    }
}
