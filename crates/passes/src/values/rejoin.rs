//! A quotient and its remainder become what was divided, where an index adds both up: `(i / c) * c + mod(i, c)` is `i`.
//!
//! Not in a pipeline: a back end runs it where the bounds of groups are known, since the quotient is rounded toward zero and the remainder
//! is never negative, so that `i` must not be negative, either. Loops over pixels whose channels are lanes are of this kind, once what keeps
//! the pixel's number inside the picture is decided: the neighbour's channel is a constant number of elements away.
//!
//! ```text
//! %q = div %i, 3 %r = mod %i, 3 %p = add %q, -1 %s = mul %p, 3 %t = add %s, %r %a = load.inside %x[%t]   ; before
//! %t = add %i, -3 %a = load.inside %x[%t]                                                                ; after
//! ```

use crate::analysis::linear::{Form, Forms};
use crate::analysis::range::{Bounds, Range};
use quadra_base::quick::Map;
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Op, Value, Values};

/// Rewrites the indices of loads and stores of a SIMD kernel for groups between these bounds; whether there was one.
pub fn run(kernel: &mut Kernel, most_workers: i64, groups: &[Bounds]) -> bool {
    let parts = Parts::of(kernel);
    if kernel.level != Level::Simd || parts.remainders.is_empty() {
        return false;
    }
    let range = Range::with_groups(kernel, most_workers, groups);
    let mut found = false;
    kernel.rewrite(|kernel, body| found = block(kernel, (range.forms(), &range), &parts, body));
    found
}

/// Quotients and remainders by positive constants: what is divided, and by what.
struct Parts {
    quotients: Map<(Value, i32), Value>,
    remainders: Map<Value, (Value, i32)>,
}

impl Parts {
    fn of(kernel: &Kernel) -> Parts {
        let mut parts = Parts { quotients: Map::default(), remainders: Map::default() };
        kernel.body.walk(&mut |i| {
            let by = i.args.get(1).and_then(|&v| kernel.as_i32(v)).filter(|c| *c > 0);
            match (i.op, by) {
                (Op::Div, Some(by)) if kernel.ty(i.args[0]).elem == Elem::I32 => {
                    parts.quotients.insert((i.args[0], by), i.result());
                }
                (Op::Mod | Op::Rem, Some(by)) if kernel.ty(i.args[0]).elem == Elem::I32 => {
                    parts.remainders.insert(i.result(), (i.args[0], by));
                }
                _ => {}
            }
        });
        parts
    }

    /// The sum with what was divided in place of both.
    fn joined(&self, kernel: &Kernel, (forms, range): (&Forms, &Range), form: &Form) -> Option<Form> {
        form.terms.iter().find_map(|&(remainder, factor)| {
            let &(whole, by) = self.remainders.get(&remainder)?;
            let quotient = *self.quotients.get(&(whole, by))?;
            let fits = form.factor(quotient) == factor.checked_mul(by)? && range.bounds(kernel, whole).low >= 0;
            let rest = form
                .plus(&Form::value(remainder), factor.wrapping_neg())
                .plus(&Form::value(quotient), factor.wrapping_mul(by).wrapping_neg());
            fits.then(|| rest.plus(&forms.at(kernel, whole), factor))
        })
    }
}

fn block(kernel: &mut Kernel, known: (&Forms, &Range), parts: &Parts, b: &mut Block) -> bool {
    let mut out = Vec::with_capacity(b.insts.len());
    let mut found = false;
    for mut inst in std::mem::take(&mut b.insts) {
        for region in &mut inst.regions {
            found |= block(kernel, known, parts, region);
        }
        let access = matches!(inst.op, Op::Load | Op::Store) && kernel.ty(inst.args[0]).lanes;
        if access && let Some(form) = parts.joined(kernel, known, &known.0.at(kernel, inst.args[0])) {
            inst.args[0] = written(kernel, &form, &inst, &mut out);
            found = true;
        }
        out.push(inst);
    }
    b.insts = out;
    found
}

/// Instructions that compute a sum, in front of an access.
fn written(kernel: &mut Kernel, form: &Form, access: &Inst, out: &mut Vec<Inst>) -> Value {
    let ty = kernel.ty(access.args[0]);
    let mut sum = kernel.const_i32(form.constant);
    for &(v, factor) in &form.terms {
        let factor = kernel.const_i32(factor);
        for (op, args) in [(Op::Mul, [v, factor]), (Op::Add, [sum, v])] {
            let args = if op == Op::Add { [sum, out.last().map_or(v, Inst::result)] } else { args };
            let lanes = args.iter().any(|&a| kernel.ty(a).lanes);
            let mut inst = Inst::new(op, args).at(access.span);
            inst.results = Values::from_slice(&[kernel.new_value(ty.with_lanes(lanes))]);
            sum = if op == Op::Add { inst.result() } else { sum };
            out.push(inst);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{check, parse};

    /// Whether an index of groups from this one on is put together, in a kernel that stays right.
    fn joins(low: i64, body: &str) -> bool {
        let text = format!(
            "kernel @k(%x: buf<f32, r>, %y: buf<f32, rw>) simd group=16 over=1 {{
               %g = group 0 %b = shl %g, 4 %l = lane %i = add %b, %l {body} store.row.inside %y[%b], %a }}"
        );
        let mut kernel = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        let found = run(&mut kernel, 1, &[Bounds { low, high: 40 }]);
        assert!(check::kernel(&kernel).is_empty(), "{:?}", check::kernel(&kernel));
        found
    }

    #[test]
    fn quotients_and_remainders_of_one_number_are_that_number() {
        let colours =
            "%q = div %i, 3 %r = mod %i, 3 %p = add %q, -1 %s = mul %p, 3 %t = add %s, %r %a = load.inside %x[%t]";
        assert!(joins(1, colours));
        assert!(!joins(-1, colours), "a quotient is rounded toward zero");
        let twice =
            "%q = div %i, 5 %r = rem %i, 5 %s = mul %q, 10 %u = shl %r, 1 %t = add %s, %u %a = load.inside %x[%t]";
        assert!(joins(0, twice));
        let other = "%q = div %i, 3 %r = mod %i, 3 %s = mul %q, 4 %t = add %s, %r %a = load.inside %x[%t]";
        assert!(!joins(1, other), "rows of four");
        let of_two =
            "%j = add %i, 1 %q = div %j, 3 %r = mod %i, 3 %s = mul %q, 3 %t = add %s, %r %a = load.inside %x[%t]";
        assert!(!joins(1, of_two), "of two numbers");
    }
}
