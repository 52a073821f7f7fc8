//! Memory: loads, stores, atomics.
//!
//! An access that is not proven to stay inside its buffer is checked, by one comparison for all lanes; a lane outside ends the
//! launch with the same fault as in the interpreters. Consecutive elements are loaded and stored as a vector, others by gather and scatter.

use super::state::Lower;
use super::words::suffix;
use super::words::{all, iota, is_plain_float, is_row, memory_elem, memory_type};
use crate::common::function::Sort;
use crate::common::text::{self, LANES, MASK};
use crate::native::context::layout;
use quadra_kir::launch::GUARD_BYTES;
use quadra_kir::{Buf, Elem, Inst, Mode, Op, Type, Value};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Bounds;

impl Lower<'_> {
    /// The mask of an instruction: all lanes if it has none.
    pub(super) fn asked(&mut self, inst: &Inst) -> String {
        match inst.mask {
            Some(mask) => self.value_as(mask, Type::vector(Elem::Bool)),
            None => all(),
        }
    }

    /// Ends the launch unless all lanes of `asked` have an index below `bound` (in elements).
    pub(super) fn check(&mut self, inst: &Inst, index: &str, asked: &str, bound: &str) {
        self.check_as(inst, index, asked, bound, Sort::Bounds);
    }

    pub(super) fn check_as(&mut self, inst: &Inst, index: &str, asked: &str, bound: &str, sort: Sort) {
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
        self.fault(inst, sort, &wrong);
        self.t.label(&good);
    }

    /// As [`check`](Lower::check) for one index, or a row from it on, of which all lanes are asked: one comparison of numbers.
    pub(super) fn check_scalar(&mut self, inst: &Inst, first: &str, bound: &str) {
        let lanes = if is_row(inst) { 15 } else { 0 };
        // In 64 bits neither the sum nor the comparison wraps; a negative index is a large one.
        let first64 = self.t.def(&format!("zext i32 {first} to i64"));
        let last = self.t.def(&format!("add i64 {first64}, {lanes}"));
        let bound = self.t.def(&format!("zext i32 {bound} to i64"));
        let inside = self.t.def(&format!("icmp ult i64 {last}, {bound}"));
        let (good, bad) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(&inside, &good, &bad);
        self.t.label(&bad);
        let index = self.t.splat("i32", first);
        let index = if lanes > 0 { self.t.def(&format!("add {LANES} {index}, {}", iota())) } else { index };
        let bounds = self.t.def(&format!("trunc i64 {bound} to i32"));
        let bounds = self.t.splat("i32", &bounds);
        let wrong = self.t.def(&format!("icmp uge {LANES} {index}, {bounds}"));
        let at = self.context(layout::FAULT_INDEX);
        self.t.line(&format!("store {LANES} {index}, ptr {at}, align 64"));
        self.fault(inst, Sort::Bounds, &wrong);
        self.t.label(&good);
    }

    /// Indices of 16 lanes: consecutive ones from a scalar, or each lane's own.
    pub(super) fn indices(&mut self, inst: &Inst) -> String {
        let index = self.value_as(inst.args[0], Type::vector(Elem::I32));
        if !is_row(inst) {
            return index;
        }
        self.t.def(&format!("add {LANES} {index}, {}", iota()))
    }

    /// A place in a buffer.
    pub(super) fn element(&mut self, buf: Buf, index: &str, vector: bool) -> String {
        let memory = memory_type(self.kernel.bufs[buf].elem);
        let base = format!("%p{}", buf.index());
        let ty = if vector { LANES } else { "i32" };
        self.t.def(&format!("getelementptr {memory}, ptr {base}, {ty} {index}"))
    }

    /// The sum that an index is in the present part: what all parts have in common, and a constant.
    pub(super) fn address(&mut self, index: Value) -> (String, i32) {
        self.sum(&self.forms.at(self.kernel, index))
    }

    /// As [`address`](Lower::address) for a sum of scalars.
    pub(super) fn sum(&mut self, form: &Form) -> (String, i32) {
        let mut constant = form.constant;
        let mut sum: Option<String> = None;
        let (mut key, mut steps) = (String::new(), Vec::new());
        for &(v, factor) in &form.terms {
            let name = match self.axis_of.get(&v) {
                Some(&axis) => {
                    constant = constant.wrapping_add(factor.wrapping_mul(self.offset(axis) as i32));
                    self.group.get(axis).cloned().unwrap_or_else(|| "0".into())
                }
                None => self.value_as(v, Type::I32),
            };
            key += &format!("{name}*{factor},");
            steps.push((name, factor));
        }
        if let Some(known) = self.memo.get(&key) {
            return (known.clone(), constant);
        }
        for (name, factor) in steps {
            let term = if factor == 1 { name } else { self.t.def(&format!("mul i32 {name}, {factor}")) };
            sum = Some(match sum {
                Some(sum) => self.t.def(&format!("add i32 {sum}, {term}")),
                None => term,
            });
        }
        let sum = sum.unwrap_or_else(|| "0".into());
        self.memo.insert(key, sum.clone());
        (sum, constant)
    }

    /// The address of the element at a scalar index, in words: what names the same element has the same.
    pub(super) fn place(&mut self, buf: Buf, index: Value) -> String {
        self.place_of(buf, self.forms.at(self.kernel, index))
    }

    pub(super) fn place_of(&mut self, buf: Buf, form: Form) -> String {
        let memory = memory_type(self.kernel.bufs[buf].elem);
        let (sum, constant) = self.sum(&form);
        let common = Form { constant: 0, ..form };
        let tame = common.bounds(self.kernel, &self.range) != Bounds::ANY;
        let key = format!("p{} {sum}", buf.index());
        if !tame {
            let at = if constant == 0 { sum } else { self.t.def(&format!("add i32 {sum}, {constant}")) };
            return self.element(buf, &at, false);
        }
        let base = match self.memo.get(&key) {
            Some(base) => base.clone(),
            None => {
                let base = self.element(buf, &sum, false);
                self.memo.insert(key, base.clone());
                base
            }
        };
        if constant == 0 {
            return base;
        }
        let key = format!("{base} + {constant}");
        if let Some(at) = self.memo.get(&key) {
            return at.clone();
        }
        let at = self.t.def(&format!("getelementptr {memory}, ptr {base}, i64 {constant}"));
        self.memo.insert(key, at.clone());
        at
    }

    /// Forgets what was loaded.
    pub(super) fn forget_loads(&mut self) {
        self.memo.retain(|key, _| !key.starts_with("load"));
    }

    /// A load of any kind.
    pub(super) fn load_elements(&mut self, inst: &Inst) {
        let Some(buf) = inst.buf else { return };
        self.check_proof(inst);
        let elem = self.kernel.bufs[buf].elem;
        let to = match inst.results.first() {
            Some(&result) => self.kernel.ty(result),
            None => Type::vector(elem.in_register()),
        };
        let guarded = inst.mode == Mode::Guarded || inst.op == Op::TmuRequest;
        let scalar = !self.kernel.ty(inst.args[0]).lanes;
        if scalar && inst.mask.is_none() && !guarded {
            return self.load_known(inst, buf, to);
        }
        if let Some(value) = self.load_together(inst, buf) {
            return self.define(inst.results[0], &value);
        }
        let asked = self.asked(inst);
        let index = self.indices(inst);
        let mut bound = format!("%n{}", buf.index());
        if guarded {
            bound = self.t.def(&format!("add i32 {bound}, {}", GUARD_BYTES / elem.bytes()));
        }
        if guarded || !self.proven(inst) {
            self.check(inst, &index, &asked, &bound);
        }
        let mut reads = asked.clone();
        if guarded {
            let bounds = self.t.splat("i32", &format!("%n{}", buf.index()));
            let inside = self.t.def(&format!("icmp ult {LANES} {index}, {bounds}"));
            reads = self.t.def(&format!("and {MASK} {inside}, {asked}"));
        }
        // Where lanes under a mask are no single instruction, all elements of a row that lies inside are read.
        let whole = inst.op == Op::LoadRow && inst.mask.is_some() && !guarded && !self.plan.scales;
        let value = if whole && self.bounded(inst) {
            let row = self.row(buf, self.forms.at(self.kernel, inst.args[0]));
            let ty = text::ty(to);
            self.t.def(&format!("select {MASK} {asked}, {ty} {row}, {ty} zeroinitializer"))
        } else if !to.lanes || inst.op == Op::Load && scalar {
            self.load_one(inst, buf, (&index, &asked, &reads), to)
        } else if let Some(clamped) = self.clamped(inst) {
            self.load_clamped(&clamped, buf, &reads)
        } else {
            self.load_lanes(inst, buf, &index, &reads)
        };
        match inst.op {
            Op::TmuRequest => self.request(inst, &value),
            _ => self.define(inst.results[0], &value),
        }
    }

    /// A load of one element or a row, of which all lanes are asked.
    fn load_known(&mut self, inst: &Inst, buf: Buf, to: Type) {
        let elem = self.kernel.bufs[buf].elem;
        if !self.proven(inst) {
            let first = self.value_as(inst.args[0], Type::I32);
            self.check_scalar(inst, &first, &format!("%n{}", buf.index()));
        }
        if is_row(inst) {
            let value = match self.load_spliced(inst, buf) {
                Some(value) => value,
                None => self.row(buf, self.forms.at(self.kernel, inst.args[0])),
            };
            return self.define(inst.results[0], &value);
        }
        let place = self.place(buf, inst.args[0]);
        let key = format!("load one {place}");
        if let Some(value) = self.memo.get(&key).cloned() {
            return self.define(inst.results[0], &value);
        }
        let memory = memory_type(elem);
        let value = self.t.def(&format!("load {memory}, ptr {place}, align {}", elem.bytes()));
        let value = self.widen(elem, Type::scalar(elem.in_register()), &value);
        let value = if to.lanes { self.t.splat(text::elem(to.elem), &value) } else { value };
        self.memo.insert(key, value.clone());
        self.define(inst.results[0], &value);
    }

    /// A row of the present part, of which all lanes are asked.
    pub(super) fn row(&mut self, buf: Buf, form: Form) -> String {
        let elem = self.kernel.bufs[buf].elem;
        let place = self.place_of(buf, form);
        let key = format!("load row {place}");
        if let Some(value) = self.memo.get(&key) {
            return value.clone();
        }
        // LLVM would read the rows of a turn from the last to the first, which is a fourth slower where memory is the limit.
        let how = if self.plan.halves { "load volatile" } else { "load" };
        let value = if is_plain_float(elem) && self.spliced.is_empty() {
            // As what it will be: LLVM keeps the type of a volatile load, and conversions behind them are a twentieth of what
            // compiling a long sum takes. Rows that others are put together from are integers: see `spliced_at`.
            self.t.def(&format!("{how} <16 x {}>, ptr {place}, align {}", text::elem(elem), elem.bytes()))
        } else {
            let value = self.t.def(&format!("{how} <16 x {}>, ptr {place}, align {}", memory_type(elem), elem.bytes()));
            self.widen(elem, Type::vector(elem.in_register()), &value)
        };
        self.memo.insert(key, value.clone());
        value
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
            } else if let Some(many) = self.first_lanes(inst).filter(|_| inst.mode != Mode::Guarded) {
                self.load_first(elem, &place, many)
            } else {
                let place = self.if_any(reads, &place, buf);
                self.load_masked(Type::vector(memory_elem(elem)), &place, 1, reads)
            }
        } else if let Some(value) = self.gathered_apart(elem, &format!("%p{}", buf.index()), index, reads) {
            value
        } else {
            let places = self.element(buf, index, true);
            let aside = if inst.mask.is_some() { self.aside(&places, memory, reads) } else { None };
            let (places, mask) = aside.map_or((places, reads.to_owned()), |places| (places, all()));
            let args =
                [("<16 x ptr>", places.as_str()), ("i32", "1"), (MASK, &mask), (vector.as_str(), "zeroinitializer")];
            let value = self.t.call(&vector, &format!("llvm.masked.gather.{kind}.v16p0"), &args);
            match mask == reads {
                true => value,
                false => self.t.def(&format!("select {MASK} {reads}, {vector} {value}, {vector} zeroinitializer")),
            }
        };
        self.widen(elem, Type::vector(elem.in_register()), &value)
    }

    /// From memory's integers to a register's value.
    pub(super) fn widen(&mut self, elem: Elem, to: Type, value: &str) -> String {
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
    pub(super) fn narrow(&mut self, elem: Elem, from: Type, value: &str) -> String {
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
        self.forget_loads();
        let Some(buf) = inst.buf else { return };
        self.check_proof(inst);
        let elem = self.kernel.bufs[buf].elem;
        let t = Type::vector(elem.in_register());
        let whole = inst.op == Op::StoreRow && inst.mask.is_none();
        if whole && !self.proven(inst) {
            let first = self.value_as(inst.args[0], Type::I32);
            self.check_scalar(inst, &first, &format!("%n{}", buf.index()));
        }
        if whole {
            let value = self.value_as(inst.args[1], t);
            return self.store_whole(buf, self.forms.at(self.kernel, inst.args[0]), &value);
        }
        if inst.op == Op::Store && inst.mask.is_none() && !self.kernel.ty(inst.args[0]).lanes {
            return self.store_one(inst, buf);
        }
        if self.store_together(inst, buf) || self.store_packed(inst, buf) || self.store_added(inst, buf) {
            return;
        }
        let asked = self.asked(inst);
        let index = self.indices(inst);
        if !self.proven(inst) {
            self.check(inst, &index, &asked, &format!("%n{}", buf.index()));
        }
        let value = self.value_as(inst.args[1], t);
        let value = self.narrow(elem, t, &value);
        if inst.op == Op::StoreRow {
            let first = self.value_as(inst.args[0], Type::I32);
            let Some(many) = self.first_lanes(inst) else {
                return self.store_row(buf, &first, &value, Some(asked.as_str()));
            };
            let place = self.element(buf, &first, false);
            return self.store_first(elem, (&value, &place), many);
        }
        let base = format!("%p{}", buf.index());
        if self.scattered_apart(elem, &value, (&base, &index), &asked) {
            return;
        }
        let vector = format!("<16 x {}>", memory_type(elem));
        let kind = suffix(Type::vector(memory_elem(elem)));
        let places = self.element(buf, &index, true);
        let aside = if inst.mask.is_some() { self.aside(&places, memory_type(elem), &asked) } else { None };
        let (places, asked) = aside.map_or((places, asked), |places| (places, all()));
        // Lanes that meet at one element write in their order, so that the last one stays.
        let args = [(vector.as_str(), value.as_str()), ("<16 x ptr>", &places), ("i32", "1"), (MASK, &asked)];
        self.t.call("void", &format!("llvm.masked.scatter.{kind}.v16p0"), &args);
    }

    /// Places of lanes; of those that are not asked, memory that nobody else looks at. Without instructions for lanes under a mask, LLVM
    /// makes a branch of each lane, which takes long to compile and is often foretold wrong.
    pub(super) fn aside(&mut self, places: &str, memory: &str, asked: &str) -> Option<String> {
        if self.plan.scales {
            return None;
        }
        let slot = self.t.slot(memory);
        let slots = self.t.def(&format!("insertelement <16 x ptr> zeroinitializer, ptr {slot}, i32 0"));
        let slots = self
            .t
            .def(&format!("shufflevector <16 x ptr> {slots}, <16 x ptr> zeroinitializer, {LANES} zeroinitializer"));
        Some(self.t.def(&format!("select {MASK} {asked}, <16 x ptr> {places}, <16 x ptr> {slots}")))
    }

    /// Stores a row, of which all lanes are asked.
    pub(super) fn store_whole(&mut self, buf: Buf, first: Form, value: &str) {
        let elem = self.kernel.bufs[buf].elem;
        let (mut value, mut ty) = (value.to_string(), text::elem(elem));
        if !is_plain_float(elem) {
            (value, ty) = (self.narrow(elem, Type::vector(elem.in_register()), &value), memory_type(elem));
        }
        let place = self.place_of(buf, first);
        let stream = self.plan.streams[buf.index()];
        let how = if stream { "align 64, !nontemporal !0".into() } else { format!("align {}", elem.bytes()) };
        self.t.line(&format!("store <16 x {ty}> {value}, ptr {place}, {how}"));
    }

    /// The place, or the buffer's start if no lane is asked: processors take long to see that an access without lanes, to
    /// memory that is not there, is none.
    fn if_any(&mut self, mask: &str, place: &str, buf: Buf) -> String {
        let any = self.t.any(mask);
        self.t.def(&format!("select i1 {any}, ptr {place}, ptr %p{}", buf.index()))
    }

    fn store_row(&mut self, buf: Buf, first: &str, value: &str, mask: Option<&str>) {
        let elem = self.kernel.bufs[buf].elem;
        let vector = format!("<16 x {}>", memory_type(elem));
        let place = self.element(buf, first, false);
        match mask {
            None => self.t.line(&format!("store {vector} {value}, ptr {place}, align 1")),
            Some(mask) => {
                let place = self.if_any(mask, &place, buf);
                self.store_masked(Type::vector(memory_elem(elem)), (value, &place), 1, mask);
            }
        }
    }

    /// `store.rows`.
    pub(super) fn store_rows(&mut self, inst: &Inst) {
        self.forget_loads();
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
}
