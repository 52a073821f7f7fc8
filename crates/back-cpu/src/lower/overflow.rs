//! Tests that sums and differences of integers have not wrapped.
//!
//! The kernel IR computes with numbers that wrap, and says by signs whether they did: `(a ^ s) & (b ^ s) >= 0`. Processors know it from
//! the sum itself. Of vectors, AVX-512 has `(a ^ s) & (b ^ s)` as one instruction, which LLVM does not see.

use super::state::Lower;
use crate::common::text;
use quadra_kir::{Elem, Inst, Op, Type, Value};
use std::collections::HashMap;

/// `(a ^ c) & (b ^ c)` as a table of three bits.
const DIFFERS_FROM_BOTH: &str = "66";

impl Lower<'_> {
    /// Finds the tests of scalars, and the signs of vectors.
    pub(super) fn find_overflows(&mut self) {
        if self.plan.scales && !self.plan.halves {
            self.find_signs();
        }
        if !self.kernel.body.any(&mut |i| i.op == Op::Assert && i.mask.is_none()) {
            return;
        }
        let (mut made, mut asserted): (HashMap<Value, &Inst>, Vec<Value>) = Default::default();
        self.kernel.body.walk(&mut |i| {
            made.extend(i.results.iter().map(|&r| (r, i)));
            if i.op == Op::Assert && i.mask.is_none() && !self.kernel.ty(i.args[0]).lanes {
                asserted.push(i.args[0]);
            }
        });
        let found: Vec<_> = asserted.into_iter().filter_map(|v| Some((v, self.overflow(&made, v)?))).collect();
        self.overflows.extend(found);
    }

    /// Finds `(a ^ c) & (b ^ c)` of vectors.
    fn find_signs(&mut self) {
        let vector = Type::vector(Elem::I32);
        let (mut made, mut found): (HashMap<Value, [Value; 2]>, Vec<_>) = Default::default();
        self.kernel.body.walk(&mut |i| match i.op {
            Op::Xor if self.kernel.ty(i.result()) == vector => {
                made.insert(i.result(), [i.args[0], i.args[1]]);
            }
            Op::And if self.kernel.ty(i.result()) == vector => {
                let (Some(&[a, b]), Some(&[c, d])) = (made.get(&i.args[0]), made.get(&i.args[1])) else { return };
                let ways = [(a, b, c, d), (b, a, c, d), (a, b, d, c), (b, a, d, c)];
                let shared = ways.into_iter().find(|way| way.1 == way.3);
                found.extend(shared.map(|(x, both, y, _)| (i.result(), [x, y, both])));
            }
            _ => {}
        });
        self.signs.extend(found);
    }

    /// A vector that says whether signs differ, if an instruction makes one.
    pub(super) fn differing_signs(&mut self, inst: &Inst) -> Option<String> {
        let of = *self.signs.get(inst.results.first()?)?;
        let vector = Type::vector(Elem::I32);
        let ty = text::ty(vector);
        let [a, b, c] = of.map(|v| self.value_as(v, vector));
        let args = [(ty.as_str(), a.as_str()), (&ty, &b), (&ty, &c), ("i32", DIFFERS_FROM_BOTH)];
        Some(self.t.call(&ty, "llvm.x86.avx512.pternlog.d.512", &args))
    }

    fn overflow(&self, made: &HashMap<Value, &Inst>, truth: Value) -> Option<(Op, Value, Value)> {
        let test = made.get(&truth).filter(|i| i.op == Op::CmpGe)?;
        if self.kernel.as_const(test.args[1]).is_none_or(|c| c.bits != 0) {
            return None;
        }
        let (op, result, a, b) = self.sum_tested(made, test.args[0])?;
        (!self.kernel.ty(result).lanes).then_some((op, a, b))
    }

    /// The sum or difference whose wrapping the sign of a word says, and of what it is.
    pub(super) fn sum_tested(&self, made: &HashMap<Value, &Inst>, word: Value) -> Option<(Op, Value, Value, Value)> {
        let pair = |v: Value, op: Op| {
            let inst = made.get(&v).filter(|i| i.op == op)?;
            Some((inst.args[0], *inst.args.get(1)?))
        };
        let (x, y) = pair(word, Op::And)?;
        let (x, y) = (pair(x, Op::Xor)?, pair(y, Op::Xor)?);
        let same = |(a, b): (Value, Value), (c, d): (Value, Value)| (a, b) == (c, d) || (a, b) == (d, c);
        [x.0, x.1, y.0, y.1].into_iter().find_map(|result| {
            let inst = made.get(&result).filter(|i| matches!(i.op, Op::Add | Op::Sub))?;
            let (a, b) = (inst.args[0], inst.args[1]);
            let tests = match inst.op {
                Op::Add => same(x, (a, result)) && same(y, (b, result)) || same(x, (b, result)) && same(y, (a, result)),
                _ => same(x, (a, b)) && same(y, (a, result)) || same(x, (a, result)) && same(y, (a, b)),
            };
            let whole = matches!(self.kernel.ty(result).elem, Elem::I32 | Elem::I64);
            (tests && whole).then_some((inst.op, result, a, b))
        })
    }

    /// Whether an asserted sum or difference has not wrapped, if a value says that.
    pub(super) fn not_wrapped(&mut self, truth: Value) -> Option<String> {
        let (op, a, b) = *self.overflows.get(&truth)?;
        let ty = if self.kernel.ty(a).elem == Elem::I64 { "i64" } else { "i32" };
        let (a, b) = (self.value(a), self.value(b));
        let name = format!("llvm.{}.with.overflow.{ty}", if op == Op::Add { "sadd" } else { "ssub" });
        let pair = format!("{{ {ty}, i1 }}");
        let both = self.t.call(&pair, &name, &[(ty, a.as_str()), (ty, &b)]);
        let wrapped = self.t.def(&format!("extractvalue {pair} {both}, 1"));
        Some(self.t.def(&format!("xor i1 {wrapped}, true")))
    }
}
