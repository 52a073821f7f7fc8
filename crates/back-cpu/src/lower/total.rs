//! Totals of a vector's lanes.
//!
//! The kernel IR says them as four rotations: each lane with the one 8 lanes away, then 4, 2 and 1; and reads lane 0. Halves of vectors that
//! get shorter say the same of lane 0, bit for bit, in less; and of integers LLVM knows more (what is counted is the number of a mask's
//! bits).

use super::state::Lower;
use super::words::suffix;
use crate::common::text;
use quadra_kir::{Elem, Inst, Op, Type, Value};
use std::collections::HashMap;

impl Lower<'_> {
    /// Finds the totals; the steps on the way to one need not be written.
    pub(super) fn find_totals(&mut self) {
        let mut made: HashMap<Value, &Inst> = HashMap::new();
        let mut ends = Vec::new();
        self.kernel.body.walk(&mut |i| {
            made.extend(i.results.iter().map(|&r| (r, i)));
            if i.op == Op::Broadcast && self.kernel.as_i32(i.args[1]) == Some(0) {
                ends.push(i);
            }
        });
        if ends.is_empty() {
            return;
        }
        let uses = self.kernel.use_counts();
        for end in ends {
            let (mut at, mut op, mut way) = (end.args[0], None, Vec::new());
            for away in [1, 2, 4, 8] {
                let Some((next, step)) = self.halved(&made, &uses, at, away) else { break };
                if op.is_some_and(|o| o != step) || uses[at.index()] != if away == 1 { 1 } else { 2 } {
                    break;
                }
                let rotated = made[&at].args.iter().copied().find(|v| *v != next);
                way.extend([at].into_iter().chain(rotated));
                (at, op) = (next, Some(step));
            }
            if let (Some(op), 8) = (op, way.len()) {
                self.silent.extend(way);
                self.totals.insert(end.result(), (op, at));
            }
        }
    }

    /// What a value is the sum of with itself so many lanes away, and by which operation.
    fn halved(&self, made: &HashMap<Value, &Inst>, uses: &[u32], v: Value, away: i32) -> Option<(Value, Op)> {
        let inst = made.get(&v)?;
        let binary =
            matches!(inst.op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Min | Op::Max | Op::MinU | Op::MaxU);
        let [a, b] = inst.args[..] else { return None };
        let is_rotated = |r: Value, x: Value| {
            let rotate = made.get(&r).filter(|i| i.op == Op::Rotate && i.args[0] == x);
            rotate.is_some_and(|i| self.kernel.as_i32(i.args[1]) == Some(away)) && uses[r.index()] == 1
        };
        let elem = self.kernel.ty(v).elem;
        // Which of two equal floats stays is what the order of the operands says.
        let (first, second) = (is_rotated(b, a), is_rotated(a, b));
        let fits = match inst.op {
            Op::Max if elem.is_float() => second,
            _ if elem.is_float() => first,
            _ => first || second,
        };
        let known = binary && fits && matches!(elem, Elem::I32 | Elem::I64 | Elem::F32 | Elem::F64);
        known.then_some((if first { a } else { b }, inst.op))
    }

    /// The value of a total, if it is one.
    pub(super) fn load_total(&mut self, inst: &Inst) -> Option<String> {
        let &(op, lanes) = self.totals.get(inst.results.first()?)?;
        let t = self.kernel.ty(lanes).with_lanes(true);
        let value = self.value_as(lanes, t);
        Some(if t.elem.is_float() { self.float_total(op, t, &value) } else { self.integer_total(op, t, &value) })
    }

    fn integer_total(&mut self, op: Op, t: Type, value: &str) -> String {
        let name = match op {
            Op::Add => "add",
            Op::Mul => "mul",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Min => "smin",
            Op::Max => "smax",
            Op::MinU => "umin",
            _ => "umax",
        };
        let (ty, one) = (text::ty(t), text::elem(t.elem));
        self.t.call(one, &format!("llvm.vector.reduce.{name}.{}", suffix(t)), &[(ty.as_str(), value)])
    }

    fn float_total(&mut self, op: Op, t: Type, value: &str) -> String {
        let one = text::elem(t.elem);
        let (mut lanes, mut value) = (16, value.to_string());
        while lanes > 1 {
            let (whole, half) = (format!("<{lanes} x {one}>"), lanes / 2);
            let part = |l: &mut Self, from: usize| {
                let order: Vec<String> = (from..from + half).map(|n| format!("i32 {n}")).collect();
                let order = format!("<{half} x i32> <{}>", order.join(", "));
                l.t.def(&format!("shufflevector {whole} {value}, {whole} poison, {order}"))
            };
            let (low, high) = (part(self, 0), part(self, half));
            let ty = format!("<{half} x {one}>");
            value = match op {
                Op::Add => self.t.def(&format!("fadd {ty} {low}, {high}")),
                Op::Mul => self.t.def(&format!("fmul {ty} {low}, {high}")),
                _ => {
                    // The smaller: the first if it is not greater; the larger: the second of them if it is greater.
                    let (a, b) = if op == Op::Max { (&high, &low) } else { (&low, &high) };
                    let greater = self.t.def(&format!("fcmp ogt {ty} {a}, {b}"));
                    let (yes, no) = if op == Op::Max { (a, b) } else { (b, a) };
                    self.t.def(&format!("select <{half} x i1> {greater}, {ty} {yes}, {ty} {no}"))
                }
            };
            lanes = half;
        }
        self.t.def(&format!("extractelement <1 x {one}> {value}, i32 0"))
    }
}
