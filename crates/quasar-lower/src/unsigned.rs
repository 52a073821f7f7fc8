//! Elements of the type `uint32`. To the host one that an `int` holds is an `int` when it is read, a greater one an integer of 64
//! bits. Kernels compute with the former; where they meet the latter, the host takes over. They store both.

use super::number::LITTLE;
use super::state::Lower;
use super::value::{ArrayRef, Element, Num};
use super::{Low, refuse};
use quadra_kir::{self as kir, Const, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Fit, IntKind};
use quadra_quasar_vm::arith::Kind;

impl ArrayRef {
    pub fn is_unsigned(&self) -> bool {
        self.element == Element::Int(IntKind::U32)
    }

    /// Refuses several elements at once: whole arrays of such elements are computed in 64 bits.
    pub fn no_slice(&self) -> Low<()> {
        if self.is_unsigned() {
            refuse!("elements of 'uint32' are used as an array");
        }
        Ok(())
    }
}

impl Lower<'_> {
    /// Has the host take over unless a number is positive or 0. Gives its bounds then.
    pub fn not_negative(&mut self, v: kir::Value) -> Option<kir::Bounds> {
        let zero = self.b.i32(0);
        let ok = self.op(Op::CmpGe, &[v, zero]);
        self.require(ok, "an integer is greater than an int, or negative");
        Some(kir::Bounds::NATURAL)
    }

    /// The 32 bits of a float that is less than 2^32; negative ones wrap.
    pub fn unsigned_bits(&mut self, n: &Num) -> kir::Value {
        let half = self.float(n.kind, 2_147_483_648.0);
        let low = self.op(Op::ToI32, &[n.re]);
        let rest = self.op(Op::Sub, &[n.re, half]);
        let rest = self.op(Op::ToI32, &[rest]);
        let top = self.b.i32(i32::MIN);
        let high = self.op(Op::Xor, &[rest, top]);
        let large = self.op(Op::CmpGe, &[n.re, half]);
        self.op(Op::Select, &[large, high, low])
    }

    /// An `int` as such an element.
    pub fn unsigned_of(&mut self, v: &Num, fit: Fit) -> kir::Value {
        let zero = self.b.i32(0);
        match fit {
            Fit::Unchecked => v.re,
            Fit::Sat => self.op(Op::Max, &[v.re, zero]),
            Fit::Checked => {
                self.not_negative(v.re);
                v.re
            }
        }
    }

    /// A number that has an integer type, as a variable or the result of a conversion.
    pub fn integer_of(&mut self, n: &Num, kind: IntKind, fit: Fit) -> Low<Num> {
        let re = self.fitted(n, kind, fit)?;
        Ok(match kind {
            IntKind::I64 => Num::new(Kind::Wide, re),
            IntKind::U32 => {
                let wide = self.op(Op::ToI64, &[re]);
                let all = self.b.constant(Const::i64(u32::MAX.into()));
                Num::new(Kind::Wide, self.op(Op::And, &[wide, all]))
            }
            _ if kind.bits() == 32 => Num::new(Kind::Int, re),
            _ => {
                let (low, high) = kind.range();
                // Memory leaves away what is too much.
                let re = match fit {
                    Fit::Unchecked if low == 0 => {
                        let mask = self.b.i32(high as i32);
                        self.op(Op::And, &[re, mask])
                    }
                    Fit::Unchecked => {
                        let rest = self.b.i32(32 - kind.bits() as i32);
                        let top = self.op(Op::Shl, &[re, rest]);
                        self.op(Op::Asr, &[top, rest])
                    }
                    _ => re,
                };
                Num { range: Some(kir::Bounds::new(low as i64, high as i64)), ..Num::new(Kind::Int, re) }
            }
        })
    }

    /// Tests before `a[…] op= v` in one step; whether the old and the new value are to be tested as well.
    pub fn unsigned_update(&mut self, op: Op2, a: &ArrayRef, v: &Num) -> Low<bool> {
        if v.kind != Kind::Int || a.fit == Fit::Sat {
            refuse!("an element of 'uint32' is combined with such a number");
        }
        if !self.host {
            return Ok(true);
        }
        // In any order of the iterations, sums of positive numbers fit if the last one does.
        if op == Op2::Sub {
            refuse!("elements of 'uint32' are made less by iterations");
        }
        let bounds = self.bounds(v);
        if bounds.is_none_or(|b| b.low < 0) {
            self.not_negative(v.re);
        }
        Ok(op != Op2::Add || bounds.is_none_or(|b| b.high > LITTLE))
    }
}
