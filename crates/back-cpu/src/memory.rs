//! Memory and other lanes: loads, stores, atomics, votes, rotation.
//!
//! Every access is checked against its buffer, by one comparison for all lanes; a lane outside ends the launch with the same
//! fault as in the interpreters. Consecutive elements are loaded and stored as a vector, others by gather and scatter.

use super::lower::{Lower, Sort};
use super::native::layout;
use super::ops::suffix;
use super::text::{self, LANES, MASK};
use quadra_kir::launch::GUARD_BYTES;
use quadra_kir::{Buf, Elem, Inst, Mode, Op, Type};

impl Lower<'_> {
    /// The mask of an instruction: all lanes if it has none.
    fn asked(&mut self, inst: &Inst) -> String {
        match inst.mask {
            Some(mask) => self.value_as(mask, Type::vector(Elem::Bool)),
            None => all(),
        }
    }

    /// Ends the launch unless all lanes of `asked` have an index below `bound` (in elements).
    fn check(&mut self, inst: &Inst, index: &str, asked: &str, bound: &str) {
        let bounds = self.t.splat("i32", bound);
        let inside = self.t.def(&format!("icmp ult {LANES} {index}, {bounds}"));
        let outside = self.t.def(&format!("xor {MASK} {inside}, {}", all()));
        let wrong = self.t.def(&format!("and {MASK} {outside}, {asked}"));
        let any = self.t.any(&wrong);
        let (bad, good) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(&any, &bad, &good);
        self.t.label(&bad);
        let at = self.context(layout::FAULT_INDEX);
        self.t.line(&format!("store {LANES} {index}, ptr {at}, align 64"));
        self.fault(inst, Sort::Bounds, &wrong);
        self.t.label(&good);
    }

    /// Indices of 16 lanes: consecutive ones from a scalar, or each lane's own.
    fn indices(&mut self, inst: &Inst) -> String {
        let index = self.value_as(inst.args[0], Type::vector(Elem::I32));
        if !matches!(inst.op, Op::LoadRow | Op::StoreRow) {
            return index;
        }
        self.t.def(&format!("add {LANES} {index}, {}", iota()))
    }

    /// A place in a buffer.
    fn element(&mut self, buf: Buf, index: &str, vector: bool) -> String {
        let memory = memory_type(self.kernel.bufs[buf].elem);
        let base = format!("%p{}", buf.index());
        let ty = if vector { LANES } else { "i32" };
        self.t.def(&format!("getelementptr {memory}, ptr {base}, {ty} {index}"))
    }

    /// A load of any kind.
    pub(super) fn load_elements(&mut self, inst: &Inst) {
        let Some(buf) = inst.buf else { return };
        let elem = self.kernel.bufs[buf].elem;
        let to = match inst.results.first() {
            Some(&result) => self.kernel.ty(result),
            None => Type::vector(elem.in_register()),
        };
        let asked = self.asked(inst);
        let index = self.indices(inst);
        let guarded = inst.mode == Mode::Guarded || inst.op == Op::TmuRequest;
        let mut bound = format!("%n{}", buf.index());
        if guarded {
            bound = self.t.def(&format!("add i32 {bound}, {}", GUARD_BYTES / elem.bytes()));
        }
        self.check(inst, &index, &asked, &bound);
        let mut reads = asked.clone();
        if guarded {
            let bounds = self.t.splat("i32", &format!("%n{}", buf.index()));
            let inside = self.t.def(&format!("icmp ult {LANES} {index}, {bounds}"));
            reads = self.t.def(&format!("and {MASK} {inside}, {asked}"));
        }
        let value = if !to.lanes || inst.op == Op::Load && !self.kernel.ty(inst.args[0]).lanes {
            self.load_one(inst, buf, (&index, &asked, &reads), to)
        } else {
            self.load_lanes(inst, buf, &index, &reads)
        };
        match inst.op {
            Op::TmuRequest => self.request(inst, &value),
            _ => self.define(inst.results[0], &value),
        }
    }

    /// One element for all lanes: that of the first lane asked, or 0.
    fn load_one(&mut self, _: &Inst, buf: Buf, (index, asked, reads): (&str, &str, &str), to: Type) -> String {
        let memory = memory_type(self.kernel.bufs[buf].elem);
        let word = self.t.def(&format!("bitcast {MASK} {asked} to i16"));
        let first = self.t.call("i16", "llvm.cttz.i16", &[("i16", word.as_str()), ("i1", "false")]);
        let first = self.t.def(&format!("and i16 {first}, 15"));
        let at = self.t.def(&format!("extractelement {LANES} {index}, i16 {first}"));
        let slot = self.t.slot(memory);
        self.t.line(&format!("store {memory} 0, ptr {slot}"));
        let (read, done) = (self.t.fresh_label(), self.t.fresh_label());
        let any = self.t.any(reads);
        self.t.branch_if(&any, &read, &done);
        self.t.label(&read);
        let place = self.element(buf, &at, false);
        let value = self.t.def(&format!("load {memory}, ptr {place}, align 1"));
        self.t.line(&format!("store {memory} {value}, ptr {slot}"));
        self.t.branch(&done);
        self.t.label(&done);
        let value = self.t.def(&format!("load {memory}, ptr {slot}"));
        let elem = self.kernel.bufs[buf].elem;
        let value = self.widen(elem, Type::scalar(elem.in_register()), &value);
        if !to.lanes {
            return value;
        }
        let all = self.t.splat(text::elem(to.elem), &value);
        let ty = text::ty(to);
        self.t.def(&format!("select {MASK} {asked}, {ty} {all}, {ty} zeroinitializer"))
    }

    fn load_lanes(&mut self, inst: &Inst, buf: Buf, index: &str, reads: &str) -> String {
        let elem = self.kernel.bufs[buf].elem;
        let memory = memory_type(elem);
        let vector = format!("<16 x {memory}>");
        let kind = suffix(Type::vector(memory_elem(elem)));
        let value = if inst.op == Op::LoadRow {
            let first = self.value_as(inst.args[0], Type::I32);
            let place = self.element(buf, &first, false);
            if inst.mask.is_none() && inst.mode != Mode::Guarded {
                self.t.def(&format!("load {vector}, ptr {place}, align 1"))
            } else {
                let args = [("ptr", place.as_str()), ("i32", "1"), (MASK, reads), (vector.as_str(), "zeroinitializer")];
                self.t.call(&vector, &format!("llvm.masked.load.{kind}.p0"), &args)
            }
        } else {
            let places = self.element(buf, index, true);
            let args =
                [("<16 x ptr>", places.as_str()), ("i32", "1"), (MASK, reads), (vector.as_str(), "zeroinitializer")];
            self.t.call(&vector, &format!("llvm.masked.gather.{kind}.v16p0"), &args)
        };
        self.widen(elem, Type::vector(elem.in_register()), &value)
    }

    /// From memory's integers to a register's value.
    fn widen(&mut self, elem: Elem, to: Type, value: &str) -> String {
        let from = text::ty(Type { elem: memory_elem(elem), ..to });
        let ty = text::ty(to);
        match elem {
            Elem::Bool => self.t.def(&format!("icmp ne {from} {value}, {}", text::number(to.with_elem(Elem::I32), 0))),
            Elem::F32 | Elem::F64 => self.t.def(&format!("bitcast {from} {value} to {ty}")),
            Elem::I8 | Elem::I16 => self.t.def(&format!("sext {from} {value} to {ty}")),
            _ => value.to_string(),
        }
    }

    /// From a register's value to memory's integers.
    fn narrow(&mut self, elem: Elem, from: Type, value: &str) -> String {
        let to = text::ty(Type { elem: memory_elem(elem), ..from });
        let ty = text::ty(from);
        match elem {
            Elem::Bool => self.t.def(&format!("zext {ty} {value} to {to}")),
            Elem::F32 | Elem::F64 => self.t.def(&format!("bitcast {ty} {value} to {to}")),
            Elem::I8 | Elem::I16 => self.t.def(&format!("trunc {ty} {value} to {to}")),
            _ => value.to_string(),
        }
    }

    /// `store` and `store.row`.
    pub(super) fn store(&mut self, inst: &Inst) {
        let Some(buf) = inst.buf else { return };
        let elem = self.kernel.bufs[buf].elem;
        let asked = self.asked(inst);
        let index = self.indices(inst);
        self.check(inst, &index, &asked, &format!("%n{}", buf.index()));
        let t = Type::vector(elem.in_register());
        let value = self.value_as(inst.args[1], t);
        let value = self.narrow(elem, t, &value);
        let masked = inst.mask.is_some();
        if inst.op == Op::StoreRow {
            let first = self.value_as(inst.args[0], Type::I32);
            self.store_row(buf, &first, &value, masked.then_some(asked.as_str()));
            return;
        }
        let vector = format!("<16 x {}>", memory_type(elem));
        let kind = suffix(Type::vector(memory_elem(elem)));
        let places = self.element(buf, &index, true);
        // Lanes that meet at one element write in their order, so that the last one stays.
        let args = [(vector.as_str(), value.as_str()), ("<16 x ptr>", &places), ("i32", "1"), (MASK, &asked)];
        self.t.call("void", &format!("llvm.masked.scatter.{kind}.v16p0"), &args);
    }

    fn store_row(&mut self, buf: Buf, first: &str, value: &str, mask: Option<&str>) {
        let elem = self.kernel.bufs[buf].elem;
        let vector = format!("<16 x {}>", memory_type(elem));
        let place = self.element(buf, first, false);
        match mask {
            None => self.t.line(&format!("store {vector} {value}, ptr {place}, align 1")),
            Some(mask) => {
                let kind = suffix(Type::vector(memory_elem(elem)));
                let args = [(vector.as_str(), value), ("ptr", place.as_str()), ("i32", "1"), (MASK, mask)];
                self.t.call("void", &format!("llvm.masked.store.{kind}.p0"), &args);
            }
        }
    }

    /// `store.rows`.
    pub(super) fn store_rows(&mut self, inst: &Inst) {
        let Some(buf) = inst.buf else { return };
        let elem = self.kernel.bufs[buf].elem;
        let mut first = self.value_as(inst.args[0], Type::I32);
        let stride = self.value_as(inst.args[1], Type::I32);
        for &value in &inst.args[2..] {
            let t = Type::vector(elem.in_register());
            let base = self.t.splat("i32", &first);
            let index = self.t.def(&format!("add {LANES} {base}, {}", iota()));
            self.check(inst, &index, &all(), &format!("%n{}", buf.index()));
            let value = self.value_as(value, t);
            let value = self.narrow(elem, t, &value);
            self.store_row(buf, &first, &value, None);
            first = self.t.def(&format!("add i32 {first}, {stride}"));
        }
    }

    /// An atomic operation: by the caller, under a lock, lane by lane.
    pub(super) fn atomic(&mut self, inst: &Inst) {
        let Some(buf) = inst.buf else { return };
        let elem = self.kernel.bufs[buf].elem;
        let asked = self.asked(inst);
        let index = self.indices(inst);
        self.check(inst, &index, &asked, &format!("%n{}", buf.index()));
        let t = Type::vector(elem.in_register());
        let slots = [self.t.slot("[64 x i64]"), self.t.slot("[64 x i64]"), self.t.slot("[64 x i64]")];
        for (n, slot) in slots.iter().enumerate().take(inst.args.len() - 1) {
            let value = self.value_as(inst.args[1 + n], t);
            self.spill(t, &value, slot);
        }
        let places = self.t.slot(LANES);
        self.t.line(&format!("store {LANES} {index}, ptr {places}"));
        let word = self.t.def(&format!("bitcast {MASK} {asked} to i16"));
        let helper = self.helper(layout::ATOMIC);
        let (op, buf) = (inst.op as u32, buf.index());
        let [a, b, r] = &slots;
        self.t.line(&format!(
            "call void {helper}(ptr %c, i32 {op}, i32 {buf}, i16 {word}, ptr {places}, ptr {a}, ptr {b}, ptr {r})"
        ));
        if let Some(&result) = inst.results.first() {
            let value = self.unspill(t, r);
            self.define(result, &value);
        }
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

    fn unspill(&mut self, t: Type, slot: &str) -> String {
        let value = self.t.def(&format!("load <16 x i64>, ptr {slot}, align 8"));
        let bits = Type { elem: if t.elem == Elem::Bool { Elem::Bool } else { memory_elem(t.elem) }, ..t };
        let to = text::ty(bits);
        let value =
            if bits.elem == Elem::I64 { value } else { self.t.def(&format!("trunc <16 x i64> {value} to {to}")) };
        if bits == t { value } else { self.t.def(&format!("bitcast {to} {value} to {}", text::ty(t))) }
    }

    pub(super) fn vote(&mut self, inst: &Inst) {
        let asked = self.asked(inst);
        let truth = self.value_as(inst.args[0], Type::vector(Elem::Bool));
        let value = if inst.op == Op::VoteAny {
            let both = self.t.def(&format!("and {MASK} {asked}, {truth}"));
            self.t.any(&both)
        } else {
            let not = self.t.def(&format!("xor {MASK} {truth}, {}", all()));
            let both = self.t.def(&format!("and {MASK} {asked}, {not}"));
            let any = self.t.any(&both);
            self.t.def(&format!("xor i1 {any}, true"))
        };
        self.define(inst.results[0], &value);
    }

    /// `rotate` and `broadcast`; lanes past the extent read as 0.
    pub(super) fn across(&mut self, inst: &Inst) {
        let t = self.kernel.ty(inst.args[0]).with_lanes(true);
        let ty = text::ty(t);
        let value = self.value_as(inst.args[0], t);
        let active = self.active.clone();
        let value = self.t.def(&format!("select {MASK} {active}, {ty} {value}, {ty} zeroinitializer"));
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
}

/// The element as memory holds it, an integer.
pub fn memory_elem(elem: Elem) -> Elem {
    match elem {
        Elem::Bool | Elem::I32 | Elem::F32 => Elem::I32,
        Elem::I64 | Elem::F64 => Elem::I64,
        other => other,
    }
}

fn memory_type(elem: Elem) -> &'static str {
    text::elem(memory_elem(elem))
}

/// All lanes.
pub fn all() -> String {
    text::lanes_of(Type::vector(Elem::Bool), "true")
}

/// The lanes' numbers.
pub fn iota() -> String {
    let lanes: Vec<String> = (0..16).map(|l| format!("i32 {l}")).collect();
    format!("<{}>", lanes.join(", "))
}
