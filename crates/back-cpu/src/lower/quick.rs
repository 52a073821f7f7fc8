//! Assertions of vectors of which a register holds a part only (AVX2): all parts are one before they are tested.
//!
//! A condition of 16 lanes of 64 bits is four registers, which become bits by way of three instructions each. Whether any lane is
//! negative, or any lies outside of a range of a power of two, all registers together say by their disjunction. Which lanes these
//! are is found out where the launch ends.

use super::state::Lower;
use super::wide::WIDE;
use super::words::all;
use crate::common::function::Sort;
use crate::common::text::{self, MASK, number};
use quadra_kir::{Elem, Inst, Op, Type, Value};

impl Lower<'_> {
    /// A register's worth of lanes, four times.
    pub(super) fn quarters(&mut self, t: Type, value: &str) -> [String; 4] {
        [0, 4, 8, 12].map(|first| self.part_of(text::elem(t.elem), value, (16, first, 4)))
    }

    /// Whether, once `plus` is added to them, any lane of these vectors has any but its `bits` lowest bits set.
    pub(super) fn exceeds(&mut self, values: &[String], plus: i64, bits: u32) -> String {
        let each = values.iter().map(|v| {
            let sum = if plus == 0 { v.clone() } else { self.op2("add", WIDE, v, &number(WIDE, plus)) };
            let [a, b, c, d] = self.quarters(WIDE, &sum);
            let [a, c] = [[a, b], [c, d]].map(|[x, y]| self.t.def(&format!("or <4 x i64> {x}, {y}")));
            self.t.def(&format!("or <4 x i64> {a}, {c}"))
        });
        let each: Vec<String> = each.collect();
        let joined = each.into_iter().reduce(|a, b| self.t.def(&format!("or <4 x i64> {a}, {b}"))).unwrap_or_default();
        let high = format!("i64 {}", -1_i64 << bits);
        let rest = self.t.def(&format!("and <4 x i64> {joined}, <{high}, {high}, {high}, {high}>"));
        let word = self.t.def(&format!("bitcast <4 x i64> {rest} to i256"));
        self.t.def(&format!("icmp ne i256 {word}, 0"))
    }

    /// Whether what is asserted does not hold in any lane, of those that count or not, if that is said by the lanes' disjunction.
    pub(super) fn quickly_wrong(&mut self, inst: &Inst) -> Option<String> {
        if !self.plan.avx2 {
            return None;
        }
        let (v, plus, bits) = self.range_asserted(inst.args[0])?;
        let value = self.value_as(v, WIDE);
        Some(self.exceeds(&[value], plus, bits))
    }

    /// If a condition says that, with a number added, a vector has nothing but its lowest bits: the vector, the number, the bits.
    fn range_asserted(&self, truth: Value) -> Option<(Value, i64, u32)> {
        let (op, args) = self.conditions.get(&truth)?;
        let constant = |v: Value| self.kernel.as_const(v).filter(|c| c.elem == Elem::I64).map(|c| c.bits as i64);
        let (v, low, high) = match op {
            Op::CmpGe => (args[0], constant(args[1]).filter(|c| *c == 0)?, i64::MAX),
            Op::CmpLtU => {
                let count = constant(args[1]).filter(|c| *c > 0)?;
                (args[0], 0, count - 1)
            }
            Op::And => {
                let side = |n: usize, op: Op| {
                    let (_, of) = self.conditions.get(&args[n]).filter(|c| c.0 == op)?;
                    Some((of[0], constant(of[1])?))
                };
                let (low, high) = side(0, Op::CmpGe)
                    .zip(side(1, Op::CmpLe))
                    .or_else(|| side(1, Op::CmpGe).zip(side(0, Op::CmpLe)))
                    .filter(|(low, high)| low.0 == high.0)?;
                (low.0, low.1, high.1)
            }
            _ => return None,
        };
        let count = high.checked_sub(low)?.checked_add(1).map_or(1_u64 << 63, |c| c as u64);
        let fits = self.kernel.ty(v) == WIDE && count.is_power_of_two();
        fits.then(|| (v, low.wrapping_neg(), count.trailing_zeros()))
    }

    /// Ends the launch if `any` says so, in the lanes where `truth` does not hold.
    pub(super) fn fault_if(&mut self, inst: &Inst, any: &str, truth: &str) {
        let (bad, good) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(any, &bad, &good);
        self.t.label(&bad);
        let wrong = self.t.def(&format!("xor {MASK} {truth}, {}", all()));
        self.fault(inst, Sort::Assert, &wrong);
        self.t.label(&good);
    }
}
