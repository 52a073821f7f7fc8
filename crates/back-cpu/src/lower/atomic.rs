//! Atomic operations: on copies, in the order of lanes, by the processor's own instructions, or by the caller under a lock.

use super::state::Lower;
use crate::common::text::{LANES, MASK};
use crate::native::context::layout;
use quadra_kir::{Elem, Inst, Op, Type};

impl Lower<'_> {
    /// An atomic operation.
    pub(super) fn atomic(&mut self, inst: &Inst) {
        self.forget_loads();
        let Some(buf) = inst.buf else { return };
        if let Some(private) = self.plan.private[buf.index()] {
            return self.gather_privately(inst, buf, private);
        }
        if self.gather_in_order(inst, buf) {
            return;
        }
        let elem = self.kernel.bufs[buf].elem;
        let asked = self.asked(inst);
        let index = self.indices(inst);
        self.check(inst, &index, &asked, &format!("%n{}", buf.index()));
        let t = Type::vector(elem.in_register());
        let (asked, done) = self.where_it_changes(inst, buf, &index, asked);
        let slots = [self.t.slot("[64 x i64]"), self.t.slot("[64 x i64]"), self.t.slot("[64 x i64]")];
        for (n, slot) in slots.iter().enumerate().take(inst.args.len() - 1) {
            let value = self.value_as(inst.args[1 + n], t);
            self.spill(t, &value, slot);
        }
        let places = self.t.slot(LANES);
        self.t.line(&format!("store {LANES} {index}, ptr {places}"));
        let word = self.t.def(&format!("bitcast {MASK} {asked} to i16"));
        let [a, b, r] = &slots;
        if self.has_instructions()
            && let Some((one, op)) = instruction(inst.op, elem)
        {
            self.one_by_one(&word, (&format!("%p{}", buf.index()), &places), (op, one), (a, r));
        } else {
            let helper = self.helper(layout::ATOMIC);
            let (op, elem, buf) = (inst.op as u32, elem as u32, buf.index());
            self.t.line(&format!(
                "call void {helper}(ptr %c, i32 {op}, i32 {elem}, i16 {word}, ptr %p{buf}, ptr {places}, ptr {a}, ptr {b}, ptr {r})"
            ));
        }
        if let Some(&result) = inst.results.first() {
            let value = self.unspill(t, r);
            self.define(result, &value);
        }
        if let Some(done) = done {
            self.t.branch(&done);
            self.t.label(&done);
        }
    }

    /// Whether all atomic operations on what threads share are instructions: the lock that the others take is nothing to an instruction.
    fn has_instructions(&self) -> bool {
        let apart = !self.plan.alias || self.plan.private.iter().all(Option::is_none);
        let has = |i: &Inst| {
            let elem = i.buf.map(|b| self.kernel.bufs[b].elem);
            let copied = i.buf.is_some_and(|b| self.plan.private[b.index()].is_some());
            !i.op.is_atomic() || copied || elem.is_some_and(|e| instruction(i.op, e).is_some())
        };
        self.plan.atomics && apart && !self.kernel.body.any(&mut |i| !has(i))
    }

    /// An operation for each lane of `word`, in their order: on elements of `base`, with operands of 64 bits each at `by`; the old values go
    /// to `old`. A thread that is alone at a launch is in nobody's way, and waits for no element.
    fn one_by_one(
        &mut self,
        word: &str,
        (base, places): (&str, &str),
        (op, one): (&str, &str),
        (by, old): (&str, &str),
    ) {
        let rest = self.t.slot("i16");
        self.t.line(&format!("store i16 {word}, ptr {rest}"));
        self.t.line(&format!("store <16 x i64> zeroinitializer, ptr {old}, align 8"));
        let alone = self.load("i32", layout::ALONE);
        let alone = self.t.def(&format!("icmp ne i32 {alone}, 0"));
        let [mine, shared, done] = [(); 3].map(|()| self.t.fresh_label());
        self.t.branch_if(&alone, &mine, &shared);
        for (label, is_shared) in [(&mine, false), (&shared, true)] {
            self.t.label(label);
            let [next, go] = [(); 2].map(|()| self.t.fresh_label());
            self.t.branch(&next);
            self.t.label(&next);
            let left = self.t.def(&format!("load i16, ptr {rest}"));
            let some = self.t.def(&format!("icmp ne i16 {left}, 0"));
            self.t.branch_if(&some, &go, &done);
            self.t.label(&go);
            let lane = self.t.call("i16", "llvm.cttz.i16", &[("i16", &left), ("i1", "true")]);
            let lane = self.t.def(&format!("zext i16 {lane} to i64"));
            let place = self.t.def(&format!("getelementptr i32, ptr {places}, i64 {lane}"));
            let index = self.t.def(&format!("load i32, ptr {place}"));
            let index = self.t.def(&format!("zext i32 {index} to i64"));
            let at = self.t.def(&format!("getelementptr {one}, ptr {base}, i64 {index}"));
            let [by, old] = [by, old].map(|slot| self.t.def(&format!("getelementptr i64, ptr {slot}, i64 {lane}")));
            let x = self.t.def(&format!("load {one}, ptr {by}"));
            let before = match is_shared {
                true => self.t.def(&format!("atomicrmw {op} ptr {at}, {one} {x} monotonic")),
                false => self.plainly((op, one), &at, &x),
            };
            self.t.line(&format!("store {one} {before}, ptr {old}"));
            let without = self.t.def(&format!("sub i16 {left}, 1"));
            let without = self.t.def(&format!("and i16 {left}, {without}"));
            self.t.line(&format!("store i16 {without}, ptr {rest}"));
            self.t.branch(&next);
        }
        self.t.label(&done);
    }

    /// What an atomic instruction does, as a load and a store; gives the old value.
    fn plainly(&mut self, (op, one): (&str, &str), at: &str, x: &str) -> String {
        let before = self.t.def(&format!("load {one}, ptr {at}"));
        let after = match op {
            "xchg" => x.to_string(),
            "min" | "max" => {
                let than = if op == "min" { "slt" } else { "sgt" };
                let keeps = self.t.def(&format!("icmp {than} {one} {before}, {x}"));
                self.t.def(&format!("select i1 {keeps}, {one} {before}, {one} {x}"))
            }
            _ => self.t.def(&format!("{op} {one} {before}, {x}")),
        };
        self.t.line(&format!("store {one} {after}, ptr {at}"));
        before
    }
}

/// The type in memory and the instruction that does an operation on one element as the interpreters do it.
fn instruction(op: Op, elem: Elem) -> Option<(&'static str, &'static str)> {
    let one = match elem {
        Elem::I32 => "i32",
        Elem::I64 => "i64",
        Elem::F32 => "float",
        Elem::F64 => "double",
        _ => return None,
    };
    let op = match (op, elem.is_float()) {
        (Op::AtomicAdd, false) => "add",
        (Op::AtomicSub, false) => "sub",
        (Op::AtomicMin, false) => "min",
        (Op::AtomicMax, false) => "max",
        (Op::AtomicAnd, false) => "and",
        (Op::AtomicOr, false) => "or",
        (Op::AtomicXor, false) => "xor",
        (Op::AtomicExchange, _) => "xchg",
        (Op::AtomicAdd, true) => "fadd",
        (Op::AtomicSub, true) => "fsub",
        _ => return None,
    };
    Some((one, op))
}
