//! Elements of arrays as the buffers of devices, and back.

use super::tensor::{Data, remap};
use quadra_kir::{Elem, Lent, MemoryBuffer};

/// The elements of an array as memory that a launch works on; nothing if kernels see such elements in another form. Numbers
/// lie in memory as buffers have them on all processors that this runs on, the little end first.
pub fn lend(data: &mut Data) -> Option<Lent<'_>> {
    use bytemuck::cast_slice_mut as bytes;
    let (elem, bytes): (Elem, &mut [u8]) = match data {
        Data::F32(v) => (Elem::F32, bytes(v)),
        Data::F64(v) => (Elem::F64, bytes(v)),
        Data::C32(v) => (Elem::F32, bytes(v)),
        Data::C64(v) => (Elem::F64, bytes(v)),
        Data::Int(v) | Data::I32(v) => (Elem::I32, bytes(v)),
        Data::U32(v) => (Elem::I32, bytes(v)),
        Data::I8(v) => (Elem::I8, bytes(v)),
        Data::U8(v) => (Elem::I8, v),
        Data::I16(v) => (Elem::I16, bytes(v)),
        Data::U16(v) => (Elem::I16, bytes(v)),
        Data::I64(v) => (Elem::I64, bytes(v)),
        Data::Mask(_) | Data::F16(_) | Data::U64(_) | Data::Cell(_) => return None,
    };
    Some(Lent { elem, bytes, blank: false })
}

macro_rules! bytes {
    ($v:expr) => {
        bytemuck::cast_slice::<_, u8>($v).to_vec()
    };
}

/// Bytes of the memory that [`lend`] lends.
pub fn lent_bytes(data: &Data) -> Option<usize> {
    let width = match data {
        Data::F32(_) | Data::Int(_) | Data::I32(_) | Data::U32(_) => 4,
        Data::F64(_) | Data::C32(_) | Data::I64(_) => 8,
        Data::C64(_) => 16,
        Data::I8(_) | Data::U8(_) => 1,
        Data::I16(_) | Data::U16(_) => 2,
        Data::Mask(_) | Data::F16(_) | Data::U64(_) | Data::Cell(_) => return None,
    };
    Some(data.len() * width)
}

/// A buffer of zeros for elements that [`lend`] lends.
pub fn zeros_like(data: &Data) -> Option<MemoryBuffer> {
    let bytes = lent_bytes(data)?;
    let elem = match data {
        Data::F32(_) | Data::C32(_) => Elem::F32,
        Data::F64(_) | Data::C64(_) => Elem::F64,
        Data::I8(_) | Data::U8(_) => Elem::I8,
        Data::I16(_) | Data::U16(_) => Elem::I16,
        Data::I64(_) => Elem::I64,
        _ => Elem::I32,
    };
    let len = u32::try_from(bytes / elem.bytes() as usize).ok()?;
    Some(MemoryBuffer { elem, dims: vec![len], bytes: vec![0; bytes] })
}

/// As [`buffer_of`], but of a long array only so many elements, with zeros behind them that take no memory until they are used.
pub fn beginning_of(data: &Data, elements: usize) -> Option<MemoryBuffer> {
    let (true, Some(mut buffer)) = (data.len() > elements, zeros_like(data)) else { return buffer_of(data) };
    let first = buffer_of(&remap!(data, v => v[..elements].to_vec()))?;
    buffer.bytes[..first.bytes.len()].copy_from_slice(&first.bytes);
    Some(buffer)
}

/// The elements of an array as a buffer; complex numbers are two elements.
pub fn buffer_of(data: &Data) -> Option<MemoryBuffer> {
    let (elem, bytes): (Elem, Vec<u8>) = match data {
        Data::F32(v) => (Elem::F32, bytes!(v)),
        Data::F64(v) => (Elem::F64, bytes!(v)),
        Data::C32(v) => (Elem::F32, bytes!(v)),
        Data::C64(v) => (Elem::F64, bytes!(v)),
        Data::Mask(v) => (Elem::I32, v.iter().flat_map(|x| i32::from(*x).to_le_bytes()).collect()),
        Data::Int(v) | Data::I32(v) => (Elem::I32, bytes!(v)),
        Data::U32(v) => (Elem::I32, bytes!(v)),
        Data::I8(v) => (Elem::I8, bytes!(v)),
        Data::U8(v) => (Elem::I8, v.clone()),
        Data::I16(v) => (Elem::I16, bytes!(v)),
        Data::U16(v) => (Elem::I16, bytes!(v)),
        Data::I64(v) => (Elem::I64, bytes!(v)),
        Data::F16(_) | Data::U64(_) | Data::Cell(_) => return None,
    };
    let len = bytes.len() / elem.bytes() as usize;
    Some(MemoryBuffer { elem, dims: vec![u32::try_from(len).ok()?], bytes })
}

macro_rules! take {
    ($v:expr, $bytes:expr, $t:ty) => {
        for (x, b) in $v.iter_mut().zip($bytes.chunks_exact(size_of::<$t>())) {
            let mut part = [0; size_of::<$t>()];
            part.copy_from_slice(b);
            *x = <$t>::from_le_bytes(part);
        }
    };
}

/// Puts a buffer's elements back into the array they came from.
pub fn store_back(data: &mut Data, buffer: &MemoryBuffer) {
    let bytes = &buffer.bytes;
    match data {
        Data::F32(v) => take!(v, bytes, f32),
        Data::F64(v) => take!(v, bytes, f64),
        Data::C32(v) => take!(v.as_flattened_mut(), bytes, f32),
        Data::C64(v) => take!(v.as_flattened_mut(), bytes, f64),
        Data::Mask(v) => {
            let mut ints = vec![0i32; v.len()];
            take!(ints, bytes, i32);
            // Truth values stay what they are as long as nothing else has been stored.
            if ints.iter().all(|x| matches!(x, 0 | 1)) {
                *v = ints.iter().map(|x| *x as u8).collect();
            } else {
                *data = Data::Int(ints);
            }
        }
        Data::Int(v) | Data::I32(v) => take!(v, bytes, i32),
        Data::U32(v) => take!(v, bytes, u32),
        Data::I8(v) => take!(v, bytes, i8),
        Data::U8(v) => v.copy_from_slice(bytes),
        Data::I16(v) => take!(v, bytes, i16),
        Data::U16(v) => take!(v, bytes, u16),
        Data::I64(v) => take!(v, bytes, i64),
        Data::F16(_) | Data::U64(_) | Data::Cell(_) => {}
    }
}
