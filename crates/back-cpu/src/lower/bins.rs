//! Additions to elements that the data choose, lane by lane.
//!
//! A processor loads several numbers a clock, but takes one out of a register. So the lanes of an index, and of what is added, are read
//! where they came from, if that is memory that the kernel does not write; other vectors are put into memory first. Atomic operations that
//! stand one behind the other are done lane by lane together, so that those of one item meet in the same lines.
//!
//! ```text
//! %k = load.row %label[%i]  atomic.add %sums[%k], %x  atomic.add %many[%k], 1
//! label[i] → k, sums[k] += x[0], many[k] += 1; label[i+1] → k, sums[k] += x[1], many[k] += 1; …
//! ```
//!
//! Where the processor neither gathers nor scatters, elements that are loaded, added to and stored again are done so, too, if no two lanes
//! meet in one element.

use super::state::Lower;
use super::wide::Bins;
use super::words::{memory_type, writes};
use crate::common::function::Private;
use crate::common::text::{self, LANES, MASK};
use quadra_kir::{Block, Buf, Elem, Inst, Mode, Op, Space, Type, Value};
use quadra_passes::analysis::linear::Form;
use std::collections::HashMap;

/// Lanes of a vector.
const LANES_OF_ALL: i32 = 16;

/// Where the index of a lane is found.
enum Index {
    /// An element of a row, times a factor, and a sum that all lanes share; for each lane a step more.
    Row { place: String, factor: i32, sum: String, constant: i32, step: i32 },
    /// In memory.
    Spilled(String),
}

/// A sum: a row that can be read again, times a factor; steps of the lane's number; everything else, which all lanes share.
struct Split {
    row: Option<(Inst, i32)>,
    step: i32,
    rest: Form,
}

/// Where a lane's value is found.
enum Lane {
    Number(String),
    /// Elements of this type, so far from each other.
    Memory {
        place: String,
        step: i32,
        one: &'static str,
    },
}

/// An operation on an element for each lane.
pub(super) struct Scatter {
    elem: Elem,
    op: Op,
    base: String,
    private: Private,
    index: Index,
    by: Lane,
}

impl<'k> Lower<'k> {
    /// Finds what lanes may be read from again.
    pub(super) fn find_bins(&mut self) {
        let scatters = |i: &Inst| i.op.is_atomic() || i.op == Op::Store && self.kernel.ty(i.args[0]).lanes;
        if !self.kernel.body.any(&mut |i| scatters(i)) {
            return;
        }
        let mut written: Vec<Buf> = Vec::new();
        self.kernel.body.walk(&mut |i| written.extend(i.buf.filter(|_| writes(i))));
        // Memory of a group is no other buffer's.
        let apart = !self.plan.alias || written.iter().all(|&b| self.kernel.bufs[b].space == Space::Shared);
        let mut found = Bins::default();
        self.kernel.body.walk(&mut |i| {
            let Some(buf) = i.buf.filter(|b| apart && !written.contains(b)) else { return };
            let plain = matches!(i.op, Op::Load | Op::LoadRow) && i.mask.is_none() && i.mode != Mode::Guarded;
            let word = matches!(self.kernel.bufs[buf].elem, Elem::I32 | Elem::F32);
            if plain && word && i.results.len() == 1 && self.kernel.ty(i.results[0]).lanes && self.proven(i) {
                found.readable.insert(i.results[0], i.clone());
            }
        });
        self.bins = found;
        if self.plan.avx2 && self.shape.parts() == 1 {
            let uses = self.kernel.use_counts();
            let mut added = HashMap::new();
            self.find_added(&self.kernel.body, &uses, &mut added);
            self.bins.added = added;
        }
    }

    /// Elements that are loaded, added to and stored again.
    fn find_added(&self, block: &Block, uses: &[u32], added: &mut HashMap<Value, Value>) {
        block.insts.iter().flat_map(|i| &i.regions).for_each(|r| self.find_added(r, uses, added));
        for three in block.insts.windows(3) {
            let [load, add, store] = three else { continue };
            let whole = |i: &Inst| i.mask.is_none() && i.mode != Mode::Guarded && self.proven(i);
            let fits = load.op == Op::Load
                && add.op == Op::Add
                && store.op == Op::Store
                && load.buf == store.buf
                && load.args[0] == store.args[0]
                && load.buf.is_some_and(|b| self.kernel.bufs[b].elem == Elem::F32)
                && whole(load)
                && whole(store)
                && add.args[0] == load.results[0]
                && add.args[1] != load.results[0]
                && store.args[1] == add.results[0]
                && [load.results[0], add.results[0]].iter().all(|r| uses[r.index()] == 1);
            if fits && self.apart(load.args[0]) {
                added.insert(add.results[0], add.args[1]);
            }
        }
    }

    /// Whether no two lanes have the same index: it is the lane's number and multiples of the number of lanes.
    fn apart(&self, index: Value) -> bool {
        let form = self.forms.at(self.kernel, index);
        let (lane, others): (Vec<(Value, i32)>, Vec<_>) =
            form.terms.iter().copied().partition(|t| Some(t.0) == self.lane);
        let multiples = others.iter().all(|t: &(Value, i32)| !self.kernel.ty(t.0).lanes || t.1 % LANES_OF_ALL == 0);
        multiples && matches!(lane[..], [(_, factor)] if factor % 2 != 0)
    }

    /// Takes an index apart, if it has one such row at most.
    fn row_in(&self, form: &Form) -> Option<Split> {
        let (mut row, mut step) = (None, 0);
        let mut rest = Form::constant(form.constant);
        for &(v, factor) in &form.terms {
            if Some(v) == self.lane {
                step = factor;
            } else if !self.kernel.ty(v).lanes {
                rest.terms.push((v, factor));
            } else {
                let load = self.bins.readable.get(&v).filter(|i| i.op == Op::LoadRow && row.is_none())?;
                let word = load.buf.is_some_and(|b| self.kernel.bufs[b].elem == Elem::I32);
                row = Some((load.clone(), factor)).filter(|_| word);
                row.as_ref()?;
            }
        }
        Some(Split { row, step, rest })
    }

    fn lane_index(&mut self, index: Value) -> Index {
        let form = self.forms.at(self.kernel, index);
        if let Some(Split { row: Some((load, factor)), step, rest }) = self.row_in(&form)
            && let Some(buf) = load.buf
        {
            let place = self.place_of(buf, self.forms.at(self.kernel, load.args[0]));
            let (sum, constant) = self.sum(&rest);
            return Index::Row { place, factor, sum, constant, step };
        }
        let index = self.value_as(index, Type::vector(Elem::I32));
        Index::Spilled(self.spilled(LANES, &index))
    }

    fn lane_value(&mut self, v: Value, elem: Elem) -> Lane {
        if self.kernel.as_const(v).is_some() {
            return Lane::Number(self.value(v));
        }
        let one = text::elem(elem);
        if let Some(load) = self.bins.readable.get(&v).cloned()
            && let Some(buf) = load.buf.filter(|b| self.kernel.bufs[*b].elem == elem)
            && let Some(Split { row: None, step, rest }) = self.row_in(&self.forms.at(self.kernel, load.args[0]))
        {
            let step = if load.op == Op::LoadRow { 1 } else { step };
            return Lane::Memory { place: self.place_of(buf, rest), step, one };
        }
        let t = Type::vector(elem);
        let value = self.value_as(v, t);
        Lane::Memory { place: self.spilled(&text::ty(t), &value), step: 1, one }
    }

    /// A vector in memory.
    fn spilled(&mut self, ty: &str, value: &str) -> String {
        let slot = self.t.slot(&format!("{ty}, align 64"));
        self.t.line(&format!("store {ty} {value}, ptr {slot}, align 64"));
        slot
    }

    /// An element. The load is volatile, or it would become what it replaces.
    fn element_at(&mut self, place: &str, one: &str, at: i32) -> String {
        let at = self.t.def(&format!("getelementptr {one}, ptr {place}, i64 {at}"));
        self.t.def(&format!("load volatile {one}, ptr {at}, align 4"))
    }

    fn index_of_lane(&mut self, index: &Index, lane: i32) -> String {
        let (place, factor, sum, constant, step) = match index {
            Index::Spilled(slot) => return self.element_at(slot, "i32", lane),
            Index::Row { place, factor, sum, constant, step } => (place, *factor, sum, *constant, *step),
        };
        let mut at = self.element_at(place, "i32", lane);
        if factor != 1 {
            at = self.t.def(&format!("mul i32 {at}, {factor}"));
        }
        if sum != "0" {
            at = self.t.def(&format!("add i32 {at}, {sum}"));
        }
        match constant.wrapping_add(step.wrapping_mul(lane)) {
            0 => at,
            more => self.t.def(&format!("add i32 {at}, {more}")),
        }
    }

    fn value_of_lane(&mut self, by: &Lane, lane: i32) -> String {
        match by {
            Lane::Number(number) => number.clone(),
            Lane::Memory { place, step, one } => self.element_at(place, one, step.wrapping_mul(lane)),
        }
    }

    /// What an atomic operation does to copies that begin at `base`; lanes that are not asked bring what changes nothing.
    pub(super) fn scatter_of(
        &mut self,
        inst: &Inst,
        (buf, base): (Buf, String),
        private: Private,
        value: &str,
    ) -> Scatter {
        let elem = self.kernel.bufs[buf].elem;
        let (index, by) = if inst.mask.is_some() {
            // The index of a dead lane is anything.
            let (asked, index) = (self.asked(inst), self.value_as(inst.args[0], Type::vector(Elem::I32)));
            let index = self.t.def(&format!("select {MASK} {asked}, {LANES} {index}, {LANES} zeroinitializer"));
            let place = self.spilled(&text::ty(Type::vector(elem)), value);
            (Index::Spilled(self.spilled(LANES, &index)), Lane::Memory { place, step: 1, one: text::elem(elem) })
        } else {
            (self.lane_index(inst.args[0]), self.lane_value(inst.args[1], elem))
        };
        Scatter { elem, op: private.op, base, private, index, by }
    }

    pub(super) fn scatter_lane(&mut self, scatter: &Scatter, lane: u32) {
        let Scatter { elem, op, base, private, index, by } = scatter;
        let (one, memory) = (text::elem(*elem), memory_type(*elem));
        let at = self.index_of_lane(index, lane as i32);
        let at = self.t.def(&format!("zext i32 {at} to i64"));
        let copy = lane % private.copies * private.stride();
        let base = self.t.def(&format!("getelementptr {memory}, ptr {base}, i64 {copy}"));
        let place = self.t.def(&format!("getelementptr {memory}, ptr {base}, i64 {at}"));
        let old = self.t.def(&format!("load {one}, ptr {place}"));
        let x = self.value_of_lane(by, lane as i32);
        let new = self.combined(*op, Type::scalar(*elem), &old, &x);
        self.t.line(&format!("store {one} {new}, ptr {place}"));
    }

    /// How many of the next instructions are atomic operations that are done lane by lane together.
    pub(super) fn atomics_together(&self, insts: &[Inst]) -> usize {
        let fits = |i: &Inst| i.op.is_atomic() && i.mask.is_none() && i.buf.is_some_and(|b| self.is_in_order(i, b));
        if self.shape.parts() == 1 { insts.iter().take_while(|i| fits(i)).count() } else { 0 }
    }

    /// Does the operations of several atomic instructions on memory of the group.
    pub(super) fn do_together(&mut self, insts: &[Inst]) {
        self.forget_loads();
        let mut all = Vec::new();
        for inst in insts {
            let Some(buf) = inst.buf else { continue };
            let value = self.brought(inst, buf, inst.op);
            let private = Private { op: inst.op, length: 1, copies: 1 };
            all.push(self.scatter_of(inst, (buf, format!("%p{}", buf.index())), private, &value));
        }
        for lane in 0..LANES_OF_ALL as u32 {
            all.iter().for_each(|s| self.scatter_lane(s, lane));
        }
    }

    /// Writes a store of what has been added to the element that it stores to, lane by lane. The sums that are written already nobody needs.
    pub(super) fn store_added(&mut self, inst: &Inst, buf: Buf) -> bool {
        let Some(&by) = self.bins.added.get(&inst.args[1]) else { return false };
        let (index, by) = (self.lane_index(inst.args[0]), self.lane_value(by, Elem::F32));
        let memory = memory_type(Elem::F32);
        for lane in 0..LANES_OF_ALL {
            let at = self.index_of_lane(&index, lane);
            let at = self.t.def(&format!("zext i32 {at} to i64"));
            let place = self.t.def(&format!("getelementptr {memory}, ptr %p{}, i64 {at}", buf.index()));
            let old = self.t.def(&format!("load float, ptr {place}, align 4"));
            let x = self.value_of_lane(&by, lane);
            let new = self.t.def(&format!("fadd float {old}, {x}"));
            self.t.line(&format!("store float {new}, ptr {place}, align 4"));
        }
        true
    }
}
