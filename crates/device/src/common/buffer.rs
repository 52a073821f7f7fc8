//! Buffers shared between host and devices.

pub use super::storage::Storage;
use quadra_kir::{Elem, MemoryBuffer};
use std::marker::PhantomData;

/// A Rust type that can be an element of a buffer.
pub trait Element: Copy + Default + Send + Sync + 'static {
    /// The element type kernels see.
    const ELEM: Elem;
    /// Appends the little-endian bytes.
    fn push_bytes(self, out: &mut Vec<u8>);
    /// Reads the little-endian bytes of one element.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($t:ty => $elem:ident),*) => {$(
        impl Element for $t {
            const ELEM: Elem = Elem::$elem;
            fn push_bytes(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$t>()];
                array.copy_from_slice(bytes);
                <$t>::from_le_bytes(array)
            }
        }
    )*};
}
element!(half::f16 => F16, i8 => I8, i16 => I16, i32 => I32, i64 => I64, f32 => F32, f64 => F64, u8 => I8, u16 => I16,
    u32 => I32);

/// Memory shared between host and devices: `len` elements, row-major over its sizes.
///
/// A buffer is not cloned but shared by reference; [`to_vec`](Buffer::to_vec) copies the contents.
///
/// ```
/// use quadra_device::Buffer;
/// let mut x = Buffer::from(vec![1.0f32, 2.0]);
/// x.set(1, 5.0);
/// assert_eq!(x.to_vec(), [1.0, 5.0]);
/// assert_eq!(x.len(), 2);
/// ```
#[derive(Debug)]
pub struct Buffer<T> {
    storage: Storage,
    element: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// A one-dimensional buffer of `len` zeros.
    pub fn new(len: usize) -> Buffer<T> {
        Buffer::with_dims(&[len])
    }

    /// A buffer of zeros with these sizes, the innermost last.
    ///
    /// # Panics
    /// If a size or the product of the sizes does not fit 32 bits: kernels index with `i32`.
    pub fn with_dims(dims: &[usize]) -> Buffer<T> {
        let len: usize = dims.iter().product();
        Buffer::from_parts(dims, vec![0; len * T::ELEM.bytes() as usize])
    }

    /// A buffer of these elements with these sizes.
    ///
    /// # Panics
    /// If the sizes do not multiply to the number of elements.
    pub fn from_slice(dims: &[usize], values: &[T]) -> Buffer<T> {
        assert_eq!(dims.iter().product::<usize>(), values.len(), "the sizes multiply to the number of elements");
        let mut bytes = Vec::with_capacity(values.len() * T::ELEM.bytes() as usize);
        values.iter().for_each(|v| v.push_bytes(&mut bytes));
        Buffer::from_parts(dims, bytes)
    }

    fn from_parts(dims: &[usize], bytes: Vec<u8>) -> Buffer<T> {
        let len: usize = dims.iter().product();
        assert!(len <= i32::MAX as usize, "a buffer holds fewer than 2^31 elements");
        let dims = dims.iter().map(|&d| d as u32).collect();
        let storage = Storage::new(MemoryBuffer { elem: T::ELEM, dims, bytes });
        Buffer { storage, element: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.storage.peek().bytes.len() / T::ELEM.bytes() as usize
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sizes along each axis, the innermost last.
    pub fn dims(&self) -> Vec<usize> {
        self.storage.peek().dims.iter().map(|&d| d as usize).collect()
    }

    /// A copy of all elements.
    pub fn to_vec(&self) -> Vec<T> {
        self.storage.read().bytes.chunks_exact(T::ELEM.bytes() as usize).map(T::from_bytes).collect()
    }

    /// One element.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Buffer::len).
    pub fn get(&self, index: usize) -> T {
        let size = T::ELEM.bytes() as usize;
        T::from_bytes(&self.storage.read().bytes[index * size..(index + 1) * size])
    }

    /// Writes one element.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Buffer::len).
    pub fn set(&mut self, index: usize, value: T) {
        let mut bytes = Vec::new();
        value.push_bytes(&mut bytes);
        let size = bytes.len();
        self.storage.write().bytes[index * size..(index + 1) * size].copy_from_slice(&bytes);
    }

    /// Replaces all elements.
    ///
    /// # Panics
    /// If the number of elements differs.
    pub fn write(&mut self, values: &[T]) {
        let mut bytes = Vec::with_capacity(values.len() * T::ELEM.bytes() as usize);
        values.iter().for_each(|v| v.push_bytes(&mut bytes));
        let mut storage = self.storage.write();
        assert_eq!(bytes.len(), storage.bytes.len(), "a buffer keeps its size");
        storage.bytes = bytes;
    }

    /// Sets every element to `value`.
    pub fn fill(&mut self, value: T) {
        let values = vec![value; self.len()];
        self.write(&values);
    }

    /// The storage, for a launch.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }
}

impl<T: Element> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Buffer<T> {
        Buffer::from_slice(&[values.len()], &values)
    }
}

impl<T: Element> From<&[T]> for Buffer<T> {
    fn from(values: &[T]) -> Buffer<T> {
        Buffer::from_slice(&[values.len()], values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_survive_the_way_through_bytes() {
        let b = Buffer::from(vec![1i16, -2, 300]);
        assert_eq!((b.get(1), b.to_vec(), b.len()), (-2, vec![1, -2, 300], 3));
        let mut b = Buffer::<f64>::with_dims(&[2, 3]);
        b.fill(1.5);
        b.set(5, -0.0);
        assert_eq!(b.dims(), [2, 3]);
        assert_eq!(b.get(5).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    #[should_panic(expected = "keeps its size")]
    fn writing_another_number_of_elements_is_refused() {
        Buffer::<i32>::new(3).write(&[1]);
    }
}
