//! The kernel that a loop was launched with last: a loop that is launched thousands of times finds it by comparing a few
//! numbers, without looking at its text.

use super::form::small_int;
use super::kernels::Compiled;
use quadra_quasar_hir::types::Fit;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::mem::{Discriminant, discriminant};
use std::rc::Rc;

/// All that the kernel of a loop and its form depend on, but for functions. Lengths are exact, so that what was assumed about
/// them holds again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Signature {
    numbers: Vec<u64>,
    values: Vec<Discriminant<Value>>,
    arrays: Vec<(Discriminant<Data>, Fit)>,
}

/// The last launch of a loop.
pub(super) struct Recent {
    pub signature: Signature,
    pub compiled: Rc<Compiled>,
}

impl Signature {
    /// The signature of a launch; nothing if values are involved whose parts matter.
    pub fn of(nest: &Nest, args: &[Value], dims: &[i64], ranges: &[RangeValue]) -> Option<Signature> {
        let mut s = Signature::default();
        s.numbers.extend(dims.iter().map(|d| *d as u64));
        s.numbers.extend(ranges.iter().flat_map(|r| [r.start.to_bits(), r.step.to_bits()]));
        for v in nest.others(args) {
            s.values.push(discriminant(v));
            match v {
                // Small integers may be constants of the kernel.
                Value::Int(_) => s.numbers.push(small_int(v).map_or(u64::MAX >> 1, |n| n as u64)),
                Value::IntN(kind, _) => s.numbers.push(*kind as u64),
                Value::F32(_) | Value::F64(_) | Value::C32(_) | Value::C64(_) | Value::Unset => {}
                Value::Array(t) if !t.is_cell() => {
                    s.arrays.push((discriminant(&*t.data.peek()), t.fit));
                    s.numbers.push(t.shape.len() as u64);
                    s.numbers.extend(t.shape.iter().map(|n| *n as u64));
                }
                _ => return None,
            }
        }
        Some(s)
    }
}
