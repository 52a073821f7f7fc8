//! Floats that are whole numbers of moderate size: neither so small nor so large that arithmetic has to look at them.

use quadra_kir::{Elem, Kernel, Op, Type, Value};
use std::collections::HashMap;

/// The exponent of the largest ones.
const MOST: u32 = 82;

/// The floats of a kernel that are whole numbers of at most 2 to the [`MOST`] in size, by the exponent of a bound: what integers have become, and their
/// sums and products.
pub(super) fn of(kernel: &Kernel) -> HashMap<Value, u32> {
    let mut found = HashMap::new();
    if !kernel.body.any(&mut |i| i.op == Op::Div && kernel.ty(i.result()) == Type::vector(Elem::F32)) {
        return found;
    }
    kernel.body.walk(&mut |i| {
        let of = |n: usize| match kernel.as_const(i.args[n]) {
            Some(c) if c.elem == Elem::F32 => {
                let x = f32::from_bits(c.bits as u32).abs();
                (x.fract() == 0.0 && x < 2f32.powi(24)).then_some(24)
            }
            _ => found.get(&i.args[n]).copied(),
        };
        let bound = match i.op {
            Op::ToF32 if matches!(kernel.ty(i.args[0]).elem, Elem::Bool | Elem::I32) => Some(31),
            Op::ToF32 if kernel.ty(i.args[0]).elem == Elem::I64 => Some(63),
            Op::Add | Op::Sub => of(0).zip(of(1)).map(|(a, b)| a.max(b) + 1),
            Op::Mul => of(0).zip(of(1)).map(|(a, b)| a + b),
            Op::Min | Op::Max => of(0).zip(of(1)).map(|(a, b)| a.max(b)),
            Op::Select => of(1).zip(of(2)).map(|(a, b)| a.max(b)),
            Op::Neg | Op::Abs => of(0),
            _ => None,
        };
        if let (Some(bound), [r]) = (bound.filter(|b| *b <= MOST), &i.results[..])
            && kernel.ty(*r).elem == Elem::F32
        {
            found.insert(*r, bound);
        }
    });
    found
}
