//! Multiplies with 24 bits where that is enough.
//!
//! * Needs: a SIMD kernel without variables.
//! * Gives: a product of two integers that both lie in 0 to 2^24 - 1, or of one such and the negative of such a constant,
//!   uses `mul24`.
//! * Keeps: every result.
//!
//! It stands just before `legalize`, which makes eight operations of every other product, and behind everything that makes
//! bounds visible. Targets with a full multiplier are left alone.
//!
//! ```kir
//! kernel @f(%p: buf<i32, w>, %x: i32) simd group=16 over=0 {
//!   %a = and %x, 1023
//!   %b = mul %a, 100
//!   store %p[0], %b
//! }
//! ; check: kernel @f(%p: buf<i32, w>, %x: i32) simd group=16 {
//! ; check:   %a = and %x, 1023
//! ; check:   %b = mul24 %a, 100
//! ; check:   store %p[0], %b
//! ; check: }
//! ```

use crate::analysis::range::Range;
use crate::pass::{Facts, Pass, PassCx};
use quadra_base::Diagnostic;
use quadra_kir::{Block, Elem, Inst, Kernel, Op, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "mul24",
    about: "multiplies with 24 bits where that is enough",
    needs: Facts::VALUES,
    gives: Facts::NONE,
    run: pass,
};

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    if !cx.caps.runs(Op::Mul, Elem::I32) {
        run(kernel);
    }
    Ok(())
}

const LIMIT: i64 = (1 << 24) - 1;

/// Selects `mul24` in `kernel`.
pub fn run(kernel: &mut Kernel) {
    if !kernel.body.any(&mut |i| i.op == Op::Mul && kernel.ty(i.args[0]).elem == Elem::I32) {
        return;
    }
    let range = Range::of(kernel);
    kernel.rewrite(|kernel, body| block(kernel, &range, body));
}

fn block(kernel: &mut Kernel, range: &Range, b: &mut Block) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, range, r));
        if inst.op == Op::Mul && kernel.ty(inst.args[0]).elem == Elem::I32 {
            select(kernel, range, &mut inst, &mut out);
        }
        out.push(inst);
    }
    b.insts = out;
}

fn select(kernel: &mut Kernel, range: &Range, inst: &mut Inst, out: &mut Vec<Inst>) {
    let natural = |kernel: &Kernel, v: Value| range.bounds(kernel, v).within(0, LIMIT);
    let [a, b] = inst.args[..] else { return };
    if natural(kernel, a) && natural(kernel, b) {
        inst.op = Op::Mul24;
        return;
    }
    // x * -c = 0 - x * c. Constants stand on the right.
    let Some(c) = kernel.as_i32(b).filter(|c| (-LIMIT..0).contains(&(*c as i64))) else { return };
    if natural(kernel, a) {
        let (zero, c) = (kernel.const_i32(0), kernel.const_i32(-c));
        let mut product = Inst::new(Op::Mul24, [a, c]).at(inst.span);
        let v = kernel.new_value(kernel.ty(inst.result()));
        product.results = Values::from_slice(&[v]);
        out.push(product);
        (inst.op, inst.args) = (Op::Sub, Values::from_slice(&[zero, v]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{check, parse, print};

    fn selected(body: &str) -> String {
        let text = format!("kernel @k(%p: buf<i32, rw>, %x: i32) simd group=16 over=0 {{\n{body}\nstore %p[0], %r\n}}");
        let mut k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        run(&mut k);
        assert_eq!(check::kernel(&k), []);
        print::kernel(&k)
    }

    #[test]
    fn only_proved_products_change() {
        assert!(selected("%a = and %x, 1023 %r = mul %a, 100").contains("mul24 %a, 100"));
        assert!(selected("%a = and %x, 1023 %r = mul %a, -7").contains("sub 0, %0"));
        assert!(!selected("%r = mul %x, 100").contains("mul24"));
        assert!(!selected("%a = and %x, 16777216 %r = mul %a, 3").contains("mul24"));
    }
}
