//! Lanes together: votes, rotation, broadcast, and lanes as words in memory.

use super::state::Lower;
use super::words::{all, iota, memory_elem, memory_type};
use crate::common::text::{self, LANES, MASK};
use quadra_kir::{Buf, Elem, Inst, Op, Type};

impl Lower<'_> {
    /// A store of all lanes to one element, where that of the last lane stays.
    pub(super) fn store_one(&mut self, inst: &Inst, buf: Buf) {
        let elem = self.kernel.bufs[buf].elem;
        if !self.proven(inst) {
            let first = self.value_as(inst.args[0], Type::I32);
            self.check_scalar(inst, &first, &format!("%n{}", buf.index()));
        }
        let t = self.kernel.ty(inst.args[1]);
        let mut value = self.value(inst.args[1]);
        if t.lanes {
            value = self.t.def(&format!("extractelement {} {value}, i32 15", text::ty(t)));
        }
        let value = self.narrow(elem, t.with_lanes(false), &value);
        let place = self.place(buf, inst.args[0]);
        self.t.line(&format!("store {} {value}, ptr {place}, align {}", memory_type(elem), elem.bytes()));
    }

    /// A vote, of the lanes of all parts.
    pub(super) fn vote(&mut self, inst: &Inst) {
        let varies = inst.uses().any(|v| self.vary.at(v));
        let mut all_parts: Option<String> = None;
        for part in 0..if varies { self.shape.parts() } else { 1 } {
            self.part = part;
            let asked = self.asked(inst);
            let mut truth = self.value_as(inst.args[0], Type::vector(Elem::Bool));
            if inst.op == Op::VoteAll {
                truth = self.t.def(&format!("xor {MASK} {truth}, {}", all()));
            }
            let both = if inst.mask.is_none() { truth } else { self.t.def(&format!("and {MASK} {asked}, {truth}")) };
            all_parts = Some(match all_parts {
                Some(sum) => self.t.def(&format!("or {MASK} {sum}, {both}")),
                None => both,
            });
        }
        self.part = 0;
        let mut value = self.t.any(&all_parts.unwrap_or_else(all));
        if inst.op == Op::VoteAll {
            value = self.t.def(&format!("xor i1 {value}, true"));
        }
        self.define(inst.results[0], &value);
    }

    /// `rotate` and `broadcast`; lanes past the extent read as 0.
    pub(super) fn across(&mut self, inst: &Inst) {
        if let Some(total) = self.load_total(inst) {
            return self.define(inst.results[0], &total);
        }
        let t = self.kernel.ty(inst.args[0]).with_lanes(true);
        let ty = text::ty(t);
        let value = self.value_as(inst.args[0], t);
        let active = self.active[self.part].clone();
        let value = self.t.def(&format!("select {MASK} {active}, {ty} {value}, {ty} zeroinitializer"));
        if inst.op == Op::Broadcast && !self.kernel.ty(inst.args[1]).lanes {
            let lane = self.value_as(inst.args[1], Type::I32);
            let lane = self.t.def(&format!("and i32 {lane}, 15"));
            let one = self.t.def(&format!("extractelement {ty} {value}, i32 {lane}"));
            return self.define(inst.results[0], &one);
        }
        let by = self.value_as(inst.args[1], Type::vector(Elem::I32));
        let from = match inst.op {
            Op::Rotate => self.t.def(&format!("sub {LANES} {}, {by}", iota())),
            _ => by,
        };
        let fifteen = text::number(Type::vector(Elem::I32), 15);
        let from = self.t.def(&format!("and {LANES} {from}, {fifteen}"));
        // Through memory, lane by lane: amounts that are known become shuffles in LLVM's hands.
        if let (Some(amount), Op::Rotate) = (self.kernel.as_i32(inst.args[1]), inst.op) {
            let order: Vec<String> = (0..16i32).map(|l| format!("i32 {}", l.wrapping_sub(amount) & 15)).collect();
            let order = format!("<{}>", order.join(", "));
            let rotated = self.t.def(&format!("shufflevector {ty} {value}, {ty} zeroinitializer, {LANES} {order}"));
            return self.define(inst.results[0], &rotated);
        }
        let mut result = "zeroinitializer".to_string();
        let one = text::elem(t.elem);
        for lane in 0..16 {
            let at = self.t.def(&format!("extractelement {LANES} {from}, i32 {lane}"));
            let x = self.t.def(&format!("extractelement {ty} {value}, i32 {at}"));
            result = self.t.def(&format!("insertelement {ty} {result}, {one} {x}, i32 {lane}"));
        }
        if !self.kernel.ty(inst.results[0]).lanes {
            result = self.t.def(&format!("extractelement {ty} {result}, i32 0"));
        }
        self.define(inst.results[0], &result);
    }

    /// Stores lanes as 64-bit words, as the interpreter has them.
    pub(super) fn spill(&mut self, t: Type, value: &str, slot: &str) {
        let bits = Type { elem: if t.elem == Elem::Bool { Elem::Bool } else { memory_elem(t.elem) }, ..t };
        let (from, to) = (text::ty(t), text::ty(bits));
        let value = if from == to { value.to_string() } else { self.t.def(&format!("bitcast {from} {value} to {to}")) };
        let value =
            if bits.elem == Elem::I64 { value } else { self.t.def(&format!("zext {to} {value} to <16 x i64>")) };
        self.t.line(&format!("store <16 x i64> {value}, ptr {slot}, align 8"));
    }

    pub(super) fn unspill(&mut self, t: Type, slot: &str) -> String {
        let value = self.t.def(&format!("load <16 x i64>, ptr {slot}, align 8"));
        let bits = Type { elem: if t.elem == Elem::Bool { Elem::Bool } else { memory_elem(t.elem) }, ..t };
        let to = text::ty(bits);
        let value =
            if bits.elem == Elem::I64 { value } else { self.t.def(&format!("trunc <16 x i64> {value} to {to}")) };
        if bits == t { value } else { self.t.def(&format!("bitcast {to} {value} to {}", text::ty(t))) }
    }
}
