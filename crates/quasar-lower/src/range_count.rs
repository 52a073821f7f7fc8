//! How many items a range has.

use super::Low;
use super::state::Lower;
use super::value::Num;
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_vm::arith::Kind;

impl Lower<'_> {
    /// Items of `a..s..b` where the bounds are floats or the step varies, as `host::literal::range` counts them.
    pub(super) fn range_count(&mut self, a: &Num, s: &Num, b: &Num) -> Low<kir::Value> {
        let kind = if self.double { Kind::F64 } else { Kind::F32 };
        if a.kind == Kind::Int && s.kind == Kind::Int && b.kind == Kind::Int {
            let zero = self.int(0);
            let ok = self.op(Op::CmpNe, &[s.re, zero.re]);
            self.require(ok, "the step of a range is 0");
            let (x, y) = (self.bounds(a), self.bounds(b));
            let distance = self.op(Op::Sub, &[b.re, a.re]);
            // One more than the distance is counted.
            let most = i64::from(i32::MAX) - 1;
            if x.zip(y).is_none_or(|(x, y)| !y.minus(x).within(-most, most)) {
                self.no_overflow(Op2::Sub, Kind::Int, b.re, a.re, distance)?;
                let (low, high) = (self.b.i32(i32::MIN), self.b.i32(i32::MAX));
                let (more, less) = (self.op(Op::CmpNe, &[distance, low]), self.op(Op::CmpNe, &[distance, high]));
                let fits = self.op(Op::And, &[more, less]);
                self.require(fits, "the bounds of a range are too far apart");
            }
            let steps = self.op(Op::Div, &[distance, s.re]);
            let one = self.int(1);
            let count = self.op(Op::Add, &[steps, one.re]);
            // The quotient truncates, so a distance against the step must be told apart from none.
            let opposite = self.op(Op::Xor, &[distance, s.re]);
            let against = self.op(Op::CmpLt, &[opposite, zero.re]);
            let some = self.op(Op::CmpNe, &[distance, zero.re]);
            let none = self.op(Op::And, &[against, some]);
            return Ok(self.op(Op::Select, &[none, zero.re, count]));
        }
        let (x, y, z) = (self.convert(a, kind), self.convert(s, kind), self.convert(b, kind));
        let distance = self.op(Op::Sub, &[z.re, x.re]);
        let quotient = self.op(Op::Div, &[distance, y.re]);
        let slack = self.float(kind, 1.0 + 2f64.powi(-20));
        let steps = self.op(Op::Mul, &[quotient, slack]);
        let little = self.float(kind, 1e-9);
        let steps = self.op(Op::Add, &[steps, little]);
        // What is hit exactly is not a little off, however far it is.
        let whole = self.op(Op::Floor, &[quotient]);
        let exact = self.op(Op::CmpEq, &[whole, quotient]);
        let steps = self.op(Op::Select, &[exact, quotient, steps]);
        let floor = self.op(Op::Floor, &[steps]);
        let one = self.float(kind, 1.0);
        let zero = self.float(kind, 0.0);
        let count = self.op(Op::Add, &[floor, one]);
        // More iterations, a step of 0 and what is no number are the host's matter.
        let beyond = self.float(kind, (1i64 << 31) as f64);
        let fits = self.op(Op::CmpLt, &[count, beyond]);
        self.require(fits, "a range with too many items");
        let count = self.op(Op::Max, &[count, zero]);
        Ok(self.op(Op::ToI32, &[count]))
    }
}
