//! The uniform stream: what a program reads, in order, and how the host computes it for each QPU.
//!
//! A program reads all of its uniforms once, at its start. The host writes one stream per QPU and keeps at least one
//! 64-byte line of mapped memory behind it, because the hardware prefetches.

/// One word of the uniform stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UniformSlot {
    /// The bits of the scalar parameter with this index in the kernel's parameters; a `bool` is 0 or 1.
    Scalar(usize),
    /// The bus address of the buffer bound to the parameter with this index.
    Address(usize),
    /// Elements of that buffer along an axis.
    Dim { param: usize, axis: u32 },
    /// The number of this worker, from 0.
    Worker,
    /// How many workers were launched.
    NumWorkers,
    /// Items of the launch along an axis.
    Extent(u32),
    /// Groups of the launch along an axis, for groups of this many items.
    NumGroups { axis: u32, group: u32 },
    /// A constant.
    Const(u32),
    /// The bus address of this QPU's scratch area, plus an offset in bytes.
    Scratch(u32),
    /// Whether the program runs again, on the next part of the stream: 1 or 0.
    Again,
    /// A VPM or DMA setup word whose row field starts at bit `shift`: `word + (first row of this QPU << shift)`.
    VpmSetup { word: u32, shift: u32 },
}

/// What one parameter of the kernel is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// The bits of a scalar.
    Scalar(u32),
    /// Bus address, a multiple of 4, and the sizes along each axis in elements.
    Buffer { address: u32, dims: Vec<u32> },
}

/// Everything the uniform stream of one QPU depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Bindings<'a> {
    /// One per parameter of the kernel, in order.
    pub params: &'a [Binding],
    pub worker: u32,
    pub num_workers: u32,
    /// Items along each axis; empty for a kernel without extent.
    pub extent: &'a [u32],
    /// Bus address of this worker's scratch area of `Compiled::scratch_bytes`, a multiple of 64; anything if that is 0.
    pub scratch: u32,
    /// Whether another run follows, for a program of several runs.
    pub again: bool,
}

impl UniformSlot {
    /// The word for these bindings; QPU `worker` owns the rows from `worker * vpm_rows` on.
    ///
    /// # Errors
    /// The parameter or axis that is missing, in words.
    pub fn value(self, b: &Bindings, vpm_rows: u32) -> Result<u32, String> {
        let param = |i: usize| b.params.get(i).ok_or_else(|| format!("parameter {i} is not bound"));
        let axis = |list: &[u32], axis: u32, what: &str| {
            list.get(axis as usize).copied().ok_or_else(|| format!("{what} has no axis {axis}"))
        };
        Ok(match self {
            UniformSlot::Scalar(i) => match param(i)? {
                Binding::Scalar(bits) => *bits,
                Binding::Buffer { .. } => return Err(format!("parameter {i} wants a scalar, not a buffer")),
            },
            UniformSlot::Address(i) => match param(i)? {
                Binding::Buffer { address, .. } => *address,
                Binding::Scalar(_) => return Err(format!("parameter {i} wants a buffer, not a scalar")),
            },
            UniformSlot::Dim { param: i, axis: n } => match param(i)? {
                Binding::Buffer { dims, .. } => axis(dims, n, "the buffer")?,
                Binding::Scalar(_) => return Err(format!("parameter {i} wants a buffer, not a scalar")),
            },
            UniformSlot::Worker => b.worker,
            UniformSlot::NumWorkers => b.num_workers,
            UniformSlot::Extent(n) => axis(b.extent, n, "the extent")?,
            UniformSlot::NumGroups { axis: n, group } => axis(b.extent, n, "the extent")?.div_ceil(group.max(1)),
            UniformSlot::Const(bits) => bits,
            UniformSlot::Again => u32::from(b.again),
            UniformSlot::Scratch(offset) => b.scratch.wrapping_add(offset),
            UniformSlot::VpmSetup { word, shift } => word.wrapping_add(b.worker.wrapping_mul(vpm_rows) << shift),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_filled_from_the_bindings() {
        let params = [Binding::Scalar(7), Binding::Buffer { address: 0x1000, dims: vec![3, 40] }];
        let b = Bindings { params: &params, worker: 2, num_workers: 4, extent: &[33], scratch: 0x2000, again: true };
        let value = |slot: UniformSlot| slot.value(&b, 5);
        assert_eq!(value(UniformSlot::Scalar(0)), Ok(7));
        assert_eq!(value(UniformSlot::Address(1)), Ok(0x1000));
        assert_eq!(value(UniformSlot::Dim { param: 1, axis: 1 }), Ok(40));
        assert_eq!(value(UniformSlot::NumGroups { axis: 0, group: 16 }), Ok(3));
        assert_eq!(value(UniformSlot::VpmSetup { word: 0x1a00, shift: 0 }), Ok(0x1a0a));
        assert_eq!(value(UniformSlot::Scratch(64)), Ok(0x2040));
        assert_eq!(value(UniformSlot::Again), Ok(1));
        assert!(value(UniformSlot::Scalar(1)).is_err());
        assert!(value(UniformSlot::Scalar(2)).is_err());
        assert!(value(UniformSlot::Extent(1)).is_err());
    }
}
