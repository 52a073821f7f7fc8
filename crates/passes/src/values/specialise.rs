//! Puts what is known of a launch into a kernel: sizes, extents, whole numbers among the arguments.
//!
//! Not in a pipeline: devices that compile when they launch run it on the kernel as recorded, before everything else.

use quadra_base::quick::Map;
use quadra_kir::{Const, Kernel, LANES, Op, Param, Value};

/// What is known of the launches that a kernel is compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Known {
    /// Items along each axis.
    pub extent: Vec<Option<u32>>,
    /// How many workers there are.
    pub workers: Option<u32>,
    /// For each parameter that is a scalar, its value.
    pub scalars: Vec<Option<Const>>,
    /// For each parameter that is a buffer, its sizes.
    pub dims: Vec<Option<Vec<u32>>>,
}

/// Replaces what is known by constants.
pub fn run(kernel: &mut Kernel, known: &Known) {
    let mut found: Vec<(Value, Const)> = Vec::new();
    let mut sizes: Map<_, &[u32]> = Map::default();
    for (n, &param) in kernel.params.iter().enumerate() {
        match param {
            Param::Scalar(v) => found.extend(known.scalars.get(n).copied().flatten().map(|c| (v, c))),
            Param::Buffer(b) => {
                if let Some(Some(dims)) = known.dims.get(n) {
                    sizes.insert(b, dims);
                }
            }
        }
    }
    let innermost = kernel.over.saturating_sub(1) as usize;
    kernel.body.walk(&mut |inst| {
        let axis = inst.imm as usize;
        let extent = known.extent.get(axis).copied().flatten();
        let size = match inst.op {
            Op::Extent => extent,
            Op::NumGroups if axis == innermost && kernel.group == [LANES] => extent.map(|n| n.div_ceil(LANES)),
            Op::NumGroups if kernel.group == [LANES] => extent,
            Op::NumWorkers => known.workers,
            Op::Dim => inst.buf.and_then(|b| {
                let dims = sizes.get(&b)?;
                // A buffer of any shape is one row to a parameter of one axis.
                if kernel.bufs[b].rank == 1 { Some(dims.iter().product()) } else { dims.get(axis).copied() }
            }),
            _ => None,
        };
        if let (Some(size), Some(&result)) = (size.filter(|n| *n <= i32::MAX as u32), inst.results.first()) {
            found.push((result, Const::i32(size as i32)));
        }
    });
    let map: Map<Value, Value> = found.into_iter().map(|(v, c)| (v, kernel.constant(c))).collect();
    kernel.replace_uses(&map);
}
