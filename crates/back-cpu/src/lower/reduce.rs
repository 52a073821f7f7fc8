//! Atomic operations on buffers of which each thread has a copy: sums in registers, other elements in the cache. What only counts is
//! noted first (`count`).

use super::state::Lower;
use super::words::{all, suffix};
use crate::common::function::{Private, neutral};
use crate::common::text::{self, LANES, MASK, lanes_of};
use crate::native::context::layout;
use quadra_base::team;
use quadra_kir::{Access, Buf, Elem, Inst, Kernel, Op, Space, Type};

/// Largest buffer that is copied whatever the launch, and the largest of all.
const SMALL: u32 = 1 << 12;
const MOST: u32 = 1 << 22;
/// So many threads clear and add up a larger copy each in the time that it saves for as many items of a launch as it has elements: what is
/// atomic waits for memory with every element.
const THREADS: u64 = 4;

/// Whether each thread may have copies of a buffer: all its uses are one atomic operation whose old value nobody reads, and
/// which may be bracketed in any way. `items`: of the launch, where that is known.
pub fn private(kernel: &Kernel, buf: Buf, length: Option<u32>, items: Option<u64>) -> Option<Private> {
    let large = |n: u32| items.is_some_and(|items| items * THREADS / team::threads() as u64 >= n.into());
    let pays = |n: u32| n <= SMALL || n <= MOST && large(n);
    let length = length.filter(|n| *n > 0 && pays(*n))?;
    let uses = kernel.use_counts();
    let mut ops: Vec<Op> = Vec::new();
    let mut other = kernel.bufs[buf].access == Access::Read;
    kernel.body.walk(&mut |i| {
        if i.buf == Some(buf) && i.op != Op::Dim {
            ops.push(i.op);
            other |= i.results.iter().any(|r| uses[r.index()] > 0);
        }
    });
    ops.dedup();
    let elem = kernel.bufs[buf].elem;
    let fits = match ops[..] {
        [Op::AtomicAdd] => matches!(elem, Elem::I32 | Elem::F32 | Elem::I64 | Elem::F64),
        [Op::AtomicMin | Op::AtomicMax | Op::AtomicAnd | Op::AtomicOr | Op::AtomicXor] => elem == Elem::I32,
        _ => false,
    };
    // More than one where neighbours are likely to meet, and the copies stay in a cache.
    let copies = if (8..=SMALL).contains(&length) { 8 } else { 1 };
    (fits && !other).then(|| Private { op: ops[0], length, copies })
}

impl Lower<'_> {
    /// The buffers of which threads have copies, and the slots in which their sums gather.
    pub(super) fn begin_private(&mut self) {
        let table = self.load("ptr", layout::PRIVATE);
        for (n, private) in self.plan.private.clone().into_iter().enumerate() {
            let Some(private) = private else { continue };
            let at = self.t.def(&format!("getelementptr ptr, ptr {table}, i64 {n}"));
            self.t.line(&format!("%v{n} = load ptr, ptr {at}"));
            if private.length > 1 {
                self.begin_notes(n, private);
            }
            if private.length == 1 {
                let elem = self.element_of(n);
                let ty = format!("<16 x {}>", text::elem(elem));
                let start = lanes_of(Type::vector(elem), &text::constant_of(elem, neutral(private.op)));
                for part in 0..self.shape.parts() {
                    self.t.slots += &format!("  %sum{n}.{part} = alloca {ty}\n");
                    self.t.line(&format!("store {ty} {start}, ptr %sum{n}.{part}"));
                }
            }
        }
    }

    pub(super) fn element_of(&self, n: usize) -> Elem {
        self.kernel.bufs.iter().nth(n).map_or(Elem::I32, |b| b.1.elem)
    }

    /// Adds the sums of all lanes to the thread's copy.
    pub(super) fn end_private(&mut self) {
        for (n, private) in self.plan.private.clone().into_iter().enumerate() {
            let Some(private) = private else { continue };
            if private.length > 1 {
                self.count_rest(n);
                continue;
            }
            let elem = self.element_of(n);
            let t = Type::vector(elem);
            let (ty, one) = (text::ty(t), text::elem(elem));
            let mut sum: Option<String> = None;
            for part in 0..self.shape.parts() {
                let value = self.t.def(&format!("load {ty}, ptr %sum{n}.{part}"));
                sum = Some(match sum {
                    Some(sum) => self.combined(private.op, t, &sum, &value),
                    None => value,
                });
            }
            let mut sum = sum.expect("a turn has a part");
            for half in [8, 4, 2, 1] {
                let order: Vec<String> = (0..16).map(|l| format!("i32 {}", (l + half) % 16)).collect();
                let other = format!("shufflevector {ty} {sum}, {ty} zeroinitializer, {LANES} <{}>", order.join(", "));
                let other = self.t.def(&other);
                sum = self.combined(private.op, t, &sum, &other);
            }
            let sum = self.t.def(&format!("extractelement {ty} {sum}, i32 0"));
            let old = self.t.def(&format!("load {one}, ptr %v{n}"));
            let new = self.combined(private.op, Type::scalar(elem), &old, &sum);
            self.t.line(&format!("store {one} {new}, ptr %v{n}"));
        }
    }

    pub(super) fn combined(&mut self, op: Op, t: Type, a: &str, b: &str) -> String {
        let op = match op {
            Op::AtomicMin => Op::Min,
            Op::AtomicMax => Op::Max,
            Op::AtomicAnd => Op::And,
            Op::AtomicOr => Op::Or,
            Op::AtomicXor => Op::Xor,
            _ => Op::Add,
        };
        self.lanewise(op, t, t, &[a.to_string(), b.to_string()])
    }

    /// An atomic operation on an array that the items of a group share, whose old values nobody reads: a group is run by one thread, so
    /// that lanes come one after the other. Whether it is one.
    pub(super) fn gather_in_order(&mut self, inst: &Inst, buf: Buf) -> bool {
        if !self.is_in_order(inst, buf) {
            return false;
        }
        let value = self.brought(inst, buf, inst.op);
        let private = Private { op: inst.op, length: 1, copies: 1 };
        self.scatter_privately(inst, (buf, format!("%p{}", buf.index())), private, &value);
        true
    }

    pub(super) fn is_in_order(&self, inst: &Inst, buf: Buf) -> bool {
        let info = &self.kernel.bufs[buf];
        let fits = match inst.op {
            Op::AtomicAdd => matches!(info.elem, Elem::I32 | Elem::F32),
            Op::AtomicMin | Op::AtomicMax | Op::AtomicAnd | Op::AtomicOr | Op::AtomicXor => info.elem == Elem::I32,
            _ => false,
        };
        let uses = self.kernel.use_counts();
        fits && info.space == Space::Shared && inst.results.iter().all(|r| uses[r.index()] == 0)
    }

    /// Goes on only if a lane changes an element, where that is known before; gives these lanes, and the label behind.
    pub(super) fn where_it_changes(
        &mut self,
        inst: &Inst,
        buf: Buf,
        index: &str,
        asked: String,
    ) -> (String, Option<String>) {
        let Some(changes) = self.changes(inst, buf, index, &asked) else { return (asked, None) };
        let [go, done] = [(); 2].map(|()| self.t.fresh_label());
        let any = self.t.any(&changes);
        self.t.branch_if(&any, &go, &done);
        self.t.label(&go);
        (changes, Some(done))
    }

    /// The lanes whose minimum or maximum is not what the element holds already: what is there only gets smaller or larger, so that the
    /// others need not wait for the lock. `None` for other operations, and where the old value is wanted.
    fn changes(&mut self, inst: &Inst, buf: Buf, index: &str, asked: &str) -> Option<String> {
        let elem = self.kernel.bufs[buf].elem;
        let compared = match (inst.op, elem) {
            (Op::AtomicMin, Elem::I32 | Elem::I64) => "icmp slt",
            (Op::AtomicMax, Elem::I32 | Elem::I64) => "icmp sgt",
            (Op::AtomicMin, Elem::F32 | Elem::F64) => "fcmp uge",
            (Op::AtomicMax, Elem::F32 | Elem::F64) => "fcmp ule",
            _ => return None,
        };
        let uses = self.kernel.use_counts();
        if inst.results.iter().any(|r| uses[r.index()] > 0) {
            return None;
        }
        let t = Type::vector(elem);
        let ty = text::ty(t);
        let places = self.element(buf, index, true);
        let (places, mask) = match self.aside(&places, text::elem(elem), asked) {
            Some(places) => (places, all()),
            None => (places, asked.to_owned()),
        };
        let args = [("<16 x ptr>", places.as_str()), ("i32", "1"), (MASK, &mask), (ty.as_str(), "zeroinitializer")];
        let held = self.t.call(&ty, &format!("llvm.masked.gather.{}.v16p0", suffix(t)), &args);
        let value = self.value_as(inst.args[1], t);
        let differs = match elem.is_float() {
            false => self.t.def(&format!("{compared} {ty} {value}, {held}")),
            // Where neither is larger, the element becomes the value: another zero, or no number.
            true => {
                let bits = format!("<16 x i{}>", 8 * elem.bytes());
                let [a, b] = [&value, &held].map(|x| self.t.def(&format!("bitcast {ty} {x} to {bits}")));
                let other = self.t.def(&format!("icmp ne {bits} {a}, {b}"));
                let taken = self.t.def(&format!("{compared} {ty} {held}, {value}"));
                self.t.def(&format!("and {MASK} {taken}, {other}"))
            }
        };
        Some(self.t.def(&format!("and {MASK} {asked}, {differs}")))
    }

    /// Each lane's value to its own element; lanes that are not asked bring what changes nothing.
    fn scatter_privately(&mut self, inst: &Inst, of: (Buf, String), private: Private, value: &str) {
        if let Some(row) = self.row_changed(inst) {
            return self.change_row(inst, &row, (&of.1, private), value);
        }
        let scatter = self.scatter_of(inst, of, private, value);
        (0..16).for_each(|lane| self.scatter_lane(&scatter, lane));
    }

    /// What the lanes of an atomic operation bring, once its elements are known to be inside; those that are not asked bring what changes
    /// nothing.
    pub(super) fn brought(&mut self, inst: &Inst, buf: Buf, op: Op) -> String {
        self.check_proof(inst);
        let asked = self.asked(inst);
        if !self.proven(inst) {
            let index = self.value_as(inst.args[0], Type::vector(Elem::I32));
            self.check(inst, &index, &asked, &format!("%n{}", buf.index()));
        }
        let t = Type::vector(self.kernel.bufs[buf].elem);
        let (value, ty) = (self.value_as(inst.args[1], t), text::ty(t));
        if inst.mask.is_none() {
            return value;
        }
        let none = lanes_of(t, &text::constant_of(t.elem, neutral(op)));
        self.t.def(&format!("select {MASK} {asked}, {ty} {value}, {ty} {none}"))
    }

    /// An atomic operation on a copy.
    pub(super) fn gather_privately(&mut self, inst: &Inst, buf: Buf, private: Private) {
        let n = buf.index();
        let t = Type::vector(self.kernel.bufs[buf].elem);
        let ty = text::ty(t);
        let value = self.brought(inst, buf, private.op);
        if self.notes.contains_key(&n) {
            return self.note(inst, n, private);
        }
        if private.length == 1 {
            let slot = format!("%sum{n}.{}", self.part);
            let old = self.t.def(&format!("load {ty}, ptr {slot}"));
            let new = self.combined(private.op, t, &old, &value);
            return self.t.line(&format!("store {ty} {new}, ptr {slot}"));
        }
        self.scatter_privately(inst, (buf, format!("%v{n}")), private, &value);
    }
}
