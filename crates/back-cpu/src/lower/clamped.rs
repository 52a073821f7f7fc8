//! Rows at whose ends an element is repeated: what a stencil reads whose image continues past its border.
//!
//! Lane `l` reads element `clamp(i + l, low, high)`. All of these lie in the row of 16 from `clamp(i, low, high - 15)` on, so that
//! one load of that row and a permutation of its lanes give what a gather would, in a tenth of the time. Bytes are permuted as bytes,
//! elements of 16 bits as words.

use super::state::Lower;
use super::words::memory_type;
use crate::common::text::{LANES, MASK};
use quadra_kir::{Buf, Elem, Inst, Mode, Op, Type, Value};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Bounds;

/// A register's worth of words (AVX2).
const HALF: &str = "<8 x i32>";

/// A clamped row's index.
pub(super) struct Clamped {
    /// What is the same in all lanes and not clamped.
    base: Form,
    /// What is clamped, in lane 0.
    first: Form,
    /// The clamped index of each lane.
    lanes: Value,
    low: i32,
    high: i32,
}

impl Lower<'_> {
    /// The index of a load as that of a clamped row, if it is one, and all of the row between the limits lies in the buffer.
    pub(super) fn clamped(&self, inst: &Inst) -> Option<Clamped> {
        let permutes = (self.plan.scales || self.plan.avx2) && !self.plan.halves;
        let buf = inst.buf.filter(|_| permutes && inst.op == Op::Load && inst.mode != Mode::Guarded)?;
        if !matches!(self.kernel.bufs[buf].elem, Elem::Bool | Elem::I8 | Elem::I16 | Elem::I32 | Elem::F32) {
            return None;
        }
        let form = self.forms.at(self.kernel, inst.args[0]);
        let mut vectors = form.terms.iter().filter(|t| self.kernel.ty(t.0).lanes);
        let (Some(&(lanes, 1)), None) = (vectors.next(), vectors.next()) else { return None };
        let (x, low, high) = self.limits_of(lanes)?;
        let first = self.forms.at(self.kernel, x);
        let lane = self.lane.filter(|&lane| first.factor(lane) == 1)?;
        if i64::from(high) - i64::from(low) < 15 || first.bounds(self.kernel, &self.range) == Bounds::ANY {
            return None;
        }
        let (base, first) = (form.minus(&Form::value(lanes)), first.minus(&Form::value(lane)));
        if first.terms.iter().chain(&base.terms).any(|t| self.kernel.ty(t.0).lanes) {
            return None;
        }
        let length = i64::from(self.plan.lengths[buf.index()]?);
        let bounds = base.bounds(self.kernel, &self.range);
        let inside =
            bounds != Bounds::ANY && bounds.low + i64::from(low) >= 0 && bounds.high + i64::from(high) < length;
        inside.then_some(Clamped { base, first, lanes, low, high })
    }

    /// What is clamped, and the numbers between which it is.
    fn limits_of(&self, clamped: Value) -> Option<(Value, i32, i32)> {
        let step = |v: Value| {
            let (op, args) = self.conditions.get(&v)?;
            match (self.kernel.as_i32(args[0]), self.kernel.as_i32(args[1])) {
                (None, Some(limit)) => Some((*op, args[0], limit)),
                (Some(limit), None) => Some((*op, args[1], limit)),
                _ => None,
            }
        };
        let (outer, inner, one) = step(clamped)?;
        match (outer, step(inner)) {
            (Op::Min, Some((Op::Max, x, other))) if other <= one => Some((x, other, one)),
            (Op::Max, Some((Op::Min, x, other))) if one <= other => Some((x, one, other)),
            _ => {
                // Where an index is known not to pass one end, only the other is asked for.
                let bounds = self.range.bounds(self.kernel, inner);
                let end = |end: i64| i32::try_from(end).ok().filter(|_| bounds != Bounds::ANY);
                match outer {
                    Op::Min => end(bounds.low).filter(|low| *low <= one).map(|low| (inner, low, one)),
                    Op::Max => end(bounds.high).filter(|high| one <= *high).map(|high| (inner, one, high)),
                    _ => None,
                }
            }
        }
    }

    /// Loads a clamped row; lanes that are not in `reads` get 0.
    pub(super) fn load_clamped(&mut self, c: &Clamped, buf: Buf, reads: &str) -> String {
        let whole = |l: &mut Self, form: &Form| {
            let (sum, constant) = l.sum(form);
            if constant == 0 { sum } else { l.t.def(&format!("add i32 {sum}, {constant}")) }
        };
        let (base, first) = (whole(self, &c.base), whole(self, &c.first));
        let lanes = self.value_as(c.lanes, Type::vector(Elem::I32));
        let elem = self.kernel.bufs[buf].elem;
        let value = if elem == Elem::I8 {
            self.permuted_bytes((c, buf), (&base, &first, &lanes))
        } else if self.plan.avx2 {
            // A register holds 8 lanes, which lie in a row of 8.
            let halves = [0, 8].map(|at| {
                let first = if at == 0 { first.clone() } else { self.t.def(&format!("add i32 {first}, {at}")) };
                let half: Vec<String> = (at..at + 8).map(|l| format!("i32 {l}")).collect();
                let half =
                    format!("shufflevector {LANES} {lanes}, {LANES} zeroinitializer, {HALF} <{}>", half.join(", "));
                let half = self.t.def(&half);
                self.permuted((c, buf), (&base, &first, &half), 8)
            });
            let all: Vec<String> = (0..16).map(|l| format!("i32 {l}")).collect();
            self.t.def(&format!(
                "shufflevector {HALF} {}, {HALF} {}, {LANES} <{}>",
                halves[0],
                halves[1],
                all.join(", ")
            ))
        } else {
            self.permuted((c, buf), (&base, &first, &lanes), 16)
        };
        let value = match elem {
            Elem::I16 => self.t.def(&format!("trunc {LANES} {value} to <16 x i16>")),
            _ => value,
        };
        let value = match reads == super::words::all() {
            true => value,
            false => {
                let ty = format!("<16 x {}>", memory_type(elem));
                self.t.def(&format!("select {MASK} {reads}, {ty} {value}, {ty} zeroinitializer"))
            }
        };
        self.widen(elem, Type::vector(elem.in_register()), &value)
    }

    /// The row of so many elements in which a clamped row from `first` on lies, and which of them each lane reads.
    fn row_of(
        &mut self,
        (c, buf): (&Clamped, Buf),
        (base, first, lanes): (&str, &str, &str),
        many: i32,
    ) -> [String; 2] {
        let elem = memory_type(self.kernel.bufs[buf].elem);
        let ty = format!("<{many} x i32>");
        let (low, high) = (c.low.to_string(), (c.high - (many - 1)).to_string());
        let first = self.t.call("i32", "llvm.smax.i32", &[("i32", first), ("i32", &low)]);
        let first = self.t.call("i32", "llvm.smin.i32", &[("i32", first.as_str()), ("i32", &high)]);
        let at = self.t.def(&format!("add i32 {base}, {first}"));
        let place = self.element(buf, &at, false);
        let align = match elem {
            "i8" => 1,
            "i16" => 2,
            _ => 4,
        };
        let row = self.t.def(&format!("load <{many} x {elem}>, ptr {place}, align {align}"));
        let one = self.t.def(&format!("insertelement {ty} zeroinitializer, i32 {first}, i32 0"));
        let from = self.t.def(&format!("shufflevector {ty} {one}, {ty} zeroinitializer, {ty} zeroinitializer"));
        [row, self.t.def(&format!("sub {ty} {lanes}, {from}"))]
    }

    /// So many lanes of a clamped row, of which `first` is the first index and `lanes` has all, clamped.
    fn permuted(&mut self, of: (&Clamped, Buf), places: (&str, &str, &str), many: i32) -> String {
        let ty = format!("<{many} x i32>");
        let [row, pick] = self.row_of(of, places, many);
        let row = match self.kernel.bufs[of.1].elem {
            Elem::I16 => self.t.def(&format!("zext <{many} x i16> {row} to {ty}")),
            _ => row,
        };
        let name = if many == 16 { "llvm.x86.avx512.permvar.si.512" } else { "llvm.x86.avx2.permd" };
        self.t.call(&ty, name, &[(&ty, row.as_str()), (&ty, &pick)])
    }

    /// A clamped row of bytes.
    fn permuted_bytes(&mut self, of: (&Clamped, Buf), places: (&str, &str, &str)) -> String {
        const BYTES: &str = "<16 x i8>";
        let [row, pick] = self.row_of(of, places, 16);
        let pick = self.t.def(&format!("trunc {LANES} {pick} to {BYTES}"));
        self.t.call(BYTES, "llvm.x86.ssse3.pshuf.b.128", &[(BYTES, row.as_str()), (BYTES, &pick)])
    }
}
