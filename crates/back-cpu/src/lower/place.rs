//! The function around a kernel's body: parameters, the loops over groups, and where a group is.

use super::state::{Lower, Val};
use super::words::{all, iota, memory_type};
use crate::common::text::LANES;
use crate::native::context::layout;
use quadra_kir::{Elem, Inst, Op, Param, Type};

/// A loop over an axis: where its counter lies, the labels of its test and of its end.
pub(super) struct Axis {
    pub slot: String,
    pub next: String,
    pub end: String,
}

impl Lower<'_> {
    pub(super) fn function(&mut self) {
        let returns =
            self.kernel.body.insts.iter().flat_map(|i| &i.regions).any(|r| r.any(&mut |i| i.op == Op::Return));
        self.whole_turns = self.kernel.over > 0 && !returns;
        self.begin();
        let blocks = self.begin_blocks();
        let ends = self.begin_axes("");
        if ends.is_empty() {
            self.group = vec![self.load("i32", layout::WORKER)];
        }
        self.lanes();
        self.clear_shared();
        if self.kernel.body.any(&mut |i| i.op == Op::TmuRequest) {
            self.begin_queue();
        }
        let kernel = self.kernel;
        self.block(&kernel.body, None, None);
        self.t.label("after");
        self.end_queue();
        self.end_turn_of_notes();
        self.end_axes(&ends);
        self.end_blocks(blocks);
        self.end();
    }

    /// What stands before all groups.
    pub(super) fn begin(&mut self) {
        self.active = vec![all(); self.shape.parts()];
        self.parameters();
        self.shared();
        self.t.slots += "  %budget = alloca i64\n";
        let budget = self.load("i64", layout::BUDGET);
        self.t.line(&format!("store i64 {budget}, ptr %budget"));
        self.begin_private();
    }

    /// What stands behind them; the caller learns how much of the budget is left.
    pub(super) fn end(&mut self) {
        self.end_private();
        let left = self.t.def("load i64, ptr %budget");
        let at = self.context(layout::BUDGET);
        self.t.line(&format!("store i64 {left}, ptr {at}"));
        self.t.line("ret i32 0");
        self.t.label("fail");
        self.t.line("ret i32 1");
    }

    /// Begins the loops over the groups of the box; `tag` tells the loops of a function apart.
    pub(super) fn begin_axes(&mut self, tag: &str) -> Vec<Axis> {
        self.group.clear();
        (0..self.kernel.over as usize).map(|axis| self.begin_axis(axis, tag)).collect()
    }

    pub(super) fn end_axes(&mut self, axes: &[Axis]) {
        for (n, axis) in axes.iter().enumerate().rev() {
            self.end_loop(axis, self.step(n));
        }
    }

    /// Begins a loop whose number counts from `low` up to `high`, in a slot of the frame; gives the number.
    pub(super) fn begin_loop(&mut self, slot: String, low: &str, high: &str) -> (String, Axis) {
        self.t.slots += &format!("  {slot} = alloca i32\n");
        self.t.line(&format!("store i32 {low}, ptr {slot}"));
        let [next, body, end] = [(); 3].map(|()| self.t.fresh_label());
        self.t.branch(&next);
        self.t.label(&next);
        let at = self.t.def(&format!("load i32, ptr {slot}"));
        let over = self.t.def(&format!("icmp sge i32 {at}, {high}"));
        self.t.branch_if(&over, &end, &body);
        self.t.label(&body);
        (at, Axis { slot, next, end })
    }

    pub(super) fn end_loop(&mut self, Axis { slot, next, end }: &Axis, step: usize) {
        let at = self.t.def(&format!("load i32, ptr {slot}"));
        let at = self.t.def(&format!("add nsw i32 {at}, {step}"));
        self.t.line(&format!("store i32 {at}, ptr {slot}"));
        self.t.branch(next);
        self.t.label(end);
    }

    /// How many groups a turn takes along an axis.
    fn step(&self, axis: usize) -> usize {
        let axes = self.kernel.over as usize;
        match axes - axis {
            1 => self.shape.columns,
            2 => self.shape.rows,
            _ => 1,
        }
    }

    fn begin_axis(&mut self, axis: usize, tag: &str) -> Axis {
        let (low, high) = (self.load("i32", layout::LOW + 4 * axis), self.load("i32", layout::HIGH + 4 * axis));
        let (at, looped) = self.begin_loop(format!("%g{axis}{tag}"), &low, &high);
        // Around an interior a coordinate is a number that LLVM knows nothing of: otherwise it looks for the best way to count
        // the addresses of all clamped indices up from turn to turn, which takes half of the time to compile such code.
        let at = if self.plan.border { self.t.def(&format!("call i32 asm \"\", \"=r,0\"(i32 {at})")) } else { at };
        self.group.push(at);
        looped
    }

    /// A group's coordinate, of the present part.
    pub(super) fn coordinate(&mut self, axis: usize) -> String {
        let Some(first) = self.group.get(axis).cloned() else { return "0".into() };
        match self.offset(axis) {
            0 => first,
            n => self.t.def(&format!("add nsw i32 {first}, {n}")),
        }
    }

    /// How far the present part lies from part 0 along an axis.
    pub(super) fn offset(&self, axis: usize) -> usize {
        self.offset_of(self.part, axis)
    }

    /// How far a part lies from part 0 along an axis.
    pub(super) fn offset_of(&self, part: usize, axis: usize) -> usize {
        match (self.kernel.over as usize).checked_sub(axis) {
            Some(1) => part % self.shape.columns,
            Some(2) => part / self.shape.columns,
            _ => 0,
        }
    }

    /// The live lanes of each part.
    fn lanes(&mut self) {
        let axes = self.kernel.over as usize;
        if axes == 0
            || self.kernel.whole
            || !self.kernel.body.any(&mut |i| matches!(i.op, Op::LaneActive | Op::Rotate | Op::Broadcast))
        {
            return;
        }
        for part in 0..self.shape.parts() {
            self.part = part;
            let first = self.coordinate(axes - 1);
            let first = self.t.def(&format!("shl i32 {first}, 4"));
            let first = self.t.splat("i32", &first);
            let items = self.t.def(&format!("add {LANES} {first}, {}", iota()));
            let extent = self.load("i32", layout::EXTENT + 4 * (axes - 1));
            let extent = self.t.splat("i32", &extent);
            self.active[part] = self.t.def(&format!("icmp ult {LANES} {items}, {extent}"));
        }
        self.part = 0;
    }

    fn parameters(&mut self) {
        let kernel = self.kernel;
        let scalars = self.load("ptr", layout::SCALARS);
        let buffers = self.load("ptr", layout::BUFFERS);
        for (n, &param) in kernel.params.iter().enumerate() {
            match param {
                // The loop over blocks gives it.
                Param::Scalar(v) if self.plan.blocks.is_some_and(|b| b.number == v) => {}
                Param::Scalar(v) => {
                    let at = self.t.def(&format!("getelementptr i64, ptr {scalars}, i64 {n}"));
                    let word = self.t.def(&format!("load i64, ptr {at}"));
                    let value = self.of_word(kernel.ty(v), &word);
                    self.values.insert(v, Val::One(value));
                }
                Param::Buffer(b) => {
                    let at = self.t.def(&format!("getelementptr [2 x i64], ptr {buffers}, i64 {n}"));
                    self.t.line(&format!("%p{} = load ptr, ptr {at}", b.index()));
                    let at = self.t.def(&format!("getelementptr i64, ptr {at}, i64 1"));
                    let length = self.t.def(&format!("load i64, ptr {at}"));
                    self.t.line(&format!("%n{} = trunc i64 {length} to i32", b.index()));
                }
            }
        }
    }

    /// Arrays of a group, in the frame or where the caller says: one group runs at a time.
    fn shared(&mut self) {
        for (b, info) in self.kernel.shared() {
            let (elements, memory) = (info.elements(), memory_type(info.elem));
            if self.plan.guarded {
                let table = self.load("ptr", layout::PRIVATE);
                let at = self.t.def(&format!("getelementptr ptr, ptr {table}, i64 {}", b.index()));
                self.t.line(&format!("%p{} = load ptr, ptr {at}", b.index()));
            } else {
                self.t.slots += &format!("  %p{} = alloca [{elements} x {memory}], align 64\n", b.index());
            }
            self.t.line(&format!("%n{} = add i32 {elements}, 0", b.index()));
        }
    }

    /// They are zero when a group begins.
    fn clear_shared(&mut self) {
        for (b, info) in self.kernel.shared() {
            let (at, bytes) = (format!("%p{}", b.index()), info.bytes().to_string());
            let args = [("ptr", at.as_str()), ("i8", "0"), ("i64", bytes.as_str()), ("i1", "false")];
            self.t.call("void", "llvm.memset.p0.i64", &args);
        }
    }

    fn of_word(&mut self, t: Type, word: &str) -> String {
        match t.elem {
            Elem::I64 => word.to_string(),
            Elem::F64 => self.t.def(&format!("bitcast i64 {word} to double")),
            Elem::Bool => self.t.def(&format!("icmp ne i64 {word}, 0")),
            _ => {
                let low = self.t.def(&format!("trunc i64 {word} to i32"));
                if t.elem == Elem::F32 { self.t.def(&format!("bitcast i32 {low} to float")) } else { low }
            }
        }
    }

    pub(super) fn whereabouts(&mut self, inst: &Inst) {
        let axis = inst.imm as usize;
        let inside = axis < self.kernel.over.max(1) as usize;
        let value = match inst.op {
            Op::Lane => iota(),
            Op::LaneActive => self.active[self.part].clone(),
            Op::Group => self.coordinate(axis),
            Op::NumGroups if inside => self.load("i32", layout::GROUPS + 4 * axis),
            Op::GroupSize if inside => self.load("i32", layout::GROUP_SIZE + 4 * axis),
            Op::Extent if inside => self.load("i32", layout::EXTENT + 4 * axis),
            Op::Worker => self.load("i32", layout::WORKER),
            Op::NumWorkers => self.load("i32", layout::WORKERS),
            Op::Dim if axis == 0 => inst.buf.map_or("0".into(), |b| format!("%n{}", b.index())),
            Op::NumGroups | Op::GroupSize => "1".into(),
            _ => "0".into(),
        };
        self.define(inst.result(), &value);
    }
}
