//! A kernel as a function of LLVM IR: loops over groups around the kernel's body.
//!
//! The function computes the groups of a box. One turn of its loops takes [`Shape::parts`] groups at once: neighbours along
//! the last axis and along the one before it, so that loads serve several rows and several vectors are under way. What is the
//! same for all parts is computed once ([`vary`]).
//!
//! Control flow is scalar at this level, so that regions become basic blocks (`flow`). Results of regions and carried values
//! go through slots of the frame, which LLVM turns into values.

mod ahead;
mod blocks;
mod clamped;
mod count;
mod elementary;
mod flow;
mod lanes;
mod memory;
mod ops;
mod overflow;
mod pack;
mod periodic;
mod place;
mod proof;
mod queue;
mod quotient;
mod reduce;
mod refill;
mod rolled;
mod schedule;
mod short;
mod short_find;
#[cfg(test)]
mod short_tests;
mod short_ways;
mod short_write;
mod silent;
mod speak;
mod splice;
mod strided;
mod sums;
mod total;
#[cfg(test)]
mod tests;
pub mod vary;

use crate::brief::brief;
use crate::function::{Blocks, Private, Shape, Site, Sort};
use crate::native::layout;
use crate::text::{self, MASK, Text, constant};
use memory::all;
use quadra_kir::{Def, Elem, Inst, Kernel, LANES, Op, Type, Value, Values, eval};
use quadra_passes::analysis::linear::Forms;
use quadra_passes::analysis::range::{Bounds, Range};
use std::collections::{HashMap, HashSet};
use vary::Vary;

/// What a function is written for.
#[derive(Clone, Debug)]
pub struct Plan {
    pub shape: Shape,
    /// Loops that are cut into blocks, around those over groups.
    pub blocks: Option<Blocks>,
    /// Between which bounds the groups lie along each axis, where that is known. Turns of several groups begin at the lower
    /// bound, and whole turns behind it.
    pub groups: Vec<Bounds>,
    pub most_workers: i64,
    /// Whether the processor multiplies vectors of 8 and of 16 floats by powers of two (AVX-512).
    pub scales: bool,
    /// Whether it multiplies and adds with one rounding.
    pub fuses: bool,
    /// Whether it moves bytes of two vectors to any lanes (AVX-512 VBMI).
    pub permutes: bool,
    /// Elements of each buffer, where that is known, by [`Buf::index`].
    pub lengths: Vec<Option<u32>>,
    /// Buffers that are written past the caches, because they are large, and not read: whole aligned rows of them.
    pub streams: Vec<bool>,
    /// Whether a vector is handled in halves of 256 bits, and rows are read in the order in which they are named.
    pub halves: bool,
    /// Whether it is for the few groups around an interior: code that is cheap to make.
    pub border: bool,
    /// Whether loops along rows of lanes read them ahead (AVX-512).
    pub ahead: bool,
    /// Whether two buffers may be the same memory.
    pub alias: bool,
    /// Buffers that each thread has a copy of, to be added up by the caller.
    pub private: Vec<Option<Private>>,
    /// Whether accesses that were proved to stay inside are tested all the same.
    pub checked: bool,
    /// Whether the caller has memory between guard pages for the arrays of a group, which otherwise lie in the frame.
    pub guarded: bool,
}

pub use ahead::has_rows;
pub use count::without_votes;
pub use periodic::period;
pub use reduce::private;
pub use refill::{most_groups, parts, refilled};

/// A value: one for all parts, or one per part.
#[derive(Clone, Debug)]
enum Val {
    One(String),
    Each(Vec<String>),
    /// One per row of parts, for all columns: see [`short`].
    Rows(Vec<String>),
}

/// A kernel being written.
pub struct Lower<'k> {
    pub kernel: &'k Kernel,
    pub t: Text,
    pub sites: Vec<Site>,
    plan: &'k Plan,
    /// Groups that are computed together at this place.
    shape: Shape,
    vary: Vary,
    range: Range,
    forms: Forms,
    values: HashMap<Value, Val>,
    /// The part that is being written.
    part: usize,
    /// Live lanes of each part.
    active: Vec<String>,
    /// Groups along each axis: the coordinates' names, of part 0.
    group: Vec<String>,
    /// Which value is the group's coordinate along which axis.
    axis_of: HashMap<Value, usize>,
    /// The value that is the lane's number.
    lane: Option<Value>,
    /// Comparisons and conjunctions of such, minima and maxima.
    conditions: HashMap<Value, (Op, Values)>,
    /// Values that need not be written, because addresses are made of their terms.
    silent: HashSet<Value>,
    /// Rows that are put together from others.
    spliced: HashSet<splice::Place>,
    /// Rows that could be.
    could_splice: HashSet<splice::Place>,
    /// Accesses to elements at equal distances.
    strided: strided::Strided,
    /// Values in lanes of 8 and 16 bits.
    shorts: short::Shorts,
    /// Accesses that go through tiles.
    ahead: ahead::Ahead,
    /// Totals of lanes, by the value of lane 0: the operation, and the vector.
    totals: HashMap<Value, (Op, Value)>,
    /// Tests of overflow.
    overflows: HashMap<Value, (Op, Value, Value)>,
    /// What lanes know of those before them.
    ranks: HashMap<Value, Value>,
    /// Indices of stores of lanes one behind the other: the scalars that make the first one.
    packed: HashMap<Value, Vec<Value>>,
    /// Addresses and loads that hold at this place, by what they say.
    memo: HashMap<String, String>,
    queue: Option<String>,
    /// Room for numbers of 64 bits that a function divides.
    quotients: Option<[String; 3]>,
    /// Buffers of which it is noted what is counted, by [`Buf::index`].
    notes: HashMap<usize, count::Notes>,
    /// Whether every turn of the loops over groups runs through the whole body.
    whole_turns: bool,
    /// Further functions of the module.
    functions: String,
    /// Whether the loop around this place is known to end soon, so that nothing is taken from the budget.
    uncharged: bool,
    /// Whether the kernel reads the bits of floats anywhere.
    pub looks_at_bits: bool,
}

/// The module for a kernel that [`unsupported`] lets through, and its sites; `None` if the kernel cannot be computed in turns
/// of this shape.
pub fn module(kernel: &Kernel, plan: &Plan) -> Option<(String, Vec<Site>)> {
    let over = kernel.over as usize;
    let mut axes = Vec::new();
    if plan.shape.columns > 1 {
        axes.push(over.checked_sub(1)?);
    }
    if plan.shape.rows > 1 {
        axes.push(over.checked_sub(2)?);
    }
    let mut l = Lower::new(kernel, plan, Vary::of(kernel, &axes)?);
    l.find_strided();
    l.find_ahead();
    l.find_short();
    // What is tested has to be written.
    if !plan.checked {
        l.find_silent();
    }
    l.find_totals();
    l.find_ranks();
    l.find_overflows();
    l.find_spliced();
    l.function();
    Some(l.text())
}

/// Whether a declaration is of an operation that this processor has for 512 bits only: a function that must do with less
/// cannot contain it, and LLVM ends the process over one that does.
fn is_wide(declaration: &str) -> bool {
    declaration.contains("@llvm.x86.") && (declaration.contains(".512(") || declaration.contains(".v16i32("))
}

/// What of a kernel this back end does not do, in words.
pub fn unsupported(kernel: &Kernel) -> Option<&'static str> {
    // Passes make integers of half floats, if nothing but loads and stores goes to them.
    let half = |e: Elem| e == Elem::F16;
    if kernel.shared().map(|(_, info)| info.bytes()).fold(0, u64::saturating_add) > crate::caps::MOST_SHARED {
        return Some("more than 256 KiB of memory shared by a group");
    }
    if kernel.bufs.iter().any(|(_, b)| b.rank != 1 || half(b.elem)) {
        return Some("buffers of several axes, of small vectors or of half floats");
    }
    if kernel.over > 3 || kernel.over > 0 && kernel.group != [LANES] {
        return Some("groups of another shape than 16 items");
    }
    let strange = |i: &Inst| i.op == Op::Barrier || i.op.info().at == quadra_kir::At::Simt;
    kernel.body.any(&mut |i| strange(i)).then_some("barriers")
}

impl<'k> Lower<'k> {
    fn new(kernel: &'k Kernel, plan: &'k Plan, vary: Vary) -> Lower<'k> {
        let (mut axis_of, mut conditions, mut lane) = (HashMap::new(), HashMap::new(), None);
        kernel.body.walk(&mut |i| match i.op {
            Op::Group => {
                axis_of.insert(i.result(), i.imm as usize);
            }
            Op::Lane => lane = Some(i.result()),
            Op::And | Op::CmpLt | Op::CmpLe | Op::CmpGt | Op::CmpGe | Op::CmpLtU | Op::Min | Op::Max => {
                conditions.insert(i.result(), (i.op, i.args.clone()));
            }
            _ => {}
        });
        Lower {
            kernel,
            t: Text::default(),
            sites: Vec::new(),
            plan,
            shape: plan.shape,
            vary,
            range: Range::with_groups(kernel, plan.most_workers, &plan.groups),
            forms: Forms::of(kernel),
            values: HashMap::new(),
            part: 0,
            active: Vec::new(),
            group: Vec::new(),
            axis_of,
            lane,
            conditions,
            silent: HashSet::new(),
            spliced: HashSet::new(),
            could_splice: HashSet::new(),
            strided: strided::Strided::default(),
            shorts: short::Shorts::default(),
            ahead: ahead::Ahead::default(),
            totals: HashMap::new(),
            overflows: HashMap::new(),
            ranks: HashMap::new(),
            packed: HashMap::new(),
            memo: HashMap::new(),
            queue: None,
            quotients: None,
            notes: HashMap::new(),
            whole_turns: false,
            functions: String::new(),
            uncharged: false,
            looks_at_bits: kernel.body.any(&mut |i| i.op == Op::BitsI32),
        }
    }

    /// The module, once the function is written.
    fn text(self) -> (String, Vec<Site>) {
        let mut module = String::new();
        for declaration in &self.t.declarations {
            module += declaration;
            module += "\n";
        }
        module += &self.functions;
        let bits = if self.plan.halves && !self.t.declarations.iter().any(|d| is_wide(d)) { 256 } else { 512 };
        let attributes = format!("nounwind \"prefer-vector-width\"=\"{bits}\" \"min-legal-vector-width\"=\"{bits}\"");
        module += &format!(
            "define i32 @kernel(ptr noalias %c) {attributes} {{\nentry:\n{}{}}}\n!0 = !{{i32 1}}\n",
            self.t.slots,
            brief(&self.t.lines)
        );
        (module, self.sites)
    }

    /// Loads from the context.
    pub fn load(&mut self, ty: &str, at: usize) -> String {
        let at = self.context(at);
        self.t.def(&format!("load {ty}, ptr {at}"))
    }

    /// A place in the context.
    pub fn context(&mut self, at: usize) -> String {
        self.t.def(&format!("getelementptr i8, ptr %c, i64 {at}"))
    }

    /// One of the caller's functions.
    pub fn helper(&mut self, at: usize) -> String {
        self.load("ptr", at)
    }

    /// Three vectors in the frame for calls.
    pub fn scratch(&mut self, elem: Elem) -> [String; 3] {
        let ty = format!("<16 x {}>", text::elem(elem));
        [(); 3].map(|()| self.t.slot(&format!("{ty}, align 64")))
    }

    /// Gives a result its name, in the present part if it differs between parts.
    pub fn define(&mut self, value: Value, name: &str) {
        if !self.vary.at(value) {
            self.values.insert(value, Val::One(name.to_string()));
            return;
        }
        let parts = self.shape.parts();
        let entry = self.values.entry(value).or_insert_with(|| Val::Each(vec![String::new(); parts]));
        if let Val::Each(names) = entry {
            names[self.part] = name.to_string();
        }
    }

    /// A value as it is.
    pub fn value(&mut self, v: Value) -> String {
        if let Some(Val::Rows(_)) = self.values.get(&v) {
            return self.widened(v);
        }
        match self.kernel.values[v].def {
            Def::Const(c) => constant(c),
            _ => match &self.values[&v] {
                Val::One(name) => name.clone(),
                Val::Each(names) => names[self.part].clone(),
                Val::Rows(_) => quadra_base::bug!("a short value is widened"),
            },
        }
    }

    /// A value as one of type `t`, which differs in its lanes at most.
    pub fn value_as(&mut self, v: Value, t: Type) -> String {
        let from = self.kernel.ty(v);
        match (from.lanes, t.lanes, self.kernel.as_const(v)) {
            (false, true, Some(c)) => text::lanes_of(t, &constant(c)),
            (false, true, None) => {
                let one = self.value(v);
                self.t.splat(text::elem(from.elem), &one)
            }
            (true, false, _) => {
                let lanes = self.value(v);
                self.t.def(&format!("extractelement {} {lanes}, i32 0", text::ty(from)))
            }
            _ => self.value(v),
        }
    }

    /// Notes an instruction for the caller.
    pub fn site(&mut self, inst: &Inst) -> usize {
        let elems = inst.args.iter().map(|&a| self.kernel.ty(a).elem).collect();
        self.sites.push(Site {
            span: inst.span,
            op: inst.op,
            buf: inst.buf,
            text: inst.text.clone(),
            elems,
            proof: None,
        });
        self.sites.len() - 1
    }

    /// Ends the launch.
    pub fn fault(&mut self, inst: &Inst, sort: Sort, mask: &str) {
        let site = self.site(inst);
        let word = self.t.def(&format!("bitcast {MASK} {mask} to i16"));
        for (ty, value, at) in [
            ("i16", word, layout::FAULT_MASK),
            ("i32", site.to_string(), layout::FAULT_SITE),
            ("i32", (sort as u32).to_string(), layout::FAULT_SORT),
        ] {
            let at = self.context(at);
            self.t.line(&format!("store {ty} {value}, ptr {at}"));
        }
        self.t.branch("fail");
    }

    /// Ends the launch unless a condition holds.
    pub fn demand(&mut self, condition: &str, inst: &Inst, sort: Sort) {
        let (good, bad) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(condition, &good, &bad);
        self.t.label(&bad);
        self.fault(inst, sort, &all());
        self.t.label(&good);
    }

    /// An instruction that is not control flow, in all parts if they differ in it.
    fn plain(&mut self, inst: &Inst) {
        if self.is_silent(inst) || self.write_short(inst) {
            return;
        }
        if matches!(inst.op, Op::VoteAny | Op::VoteAll) {
            return self.vote(inst);
        }
        let parts = if self.vary.inst(inst) { self.shape.parts() } else { 1 };
        for part in 0..parts {
            self.part = part;
            self.one(inst);
        }
        self.part = 0;
    }

    /// An instruction in the present part.
    fn one(&mut self, inst: &Inst) {
        if let Some(constant) = self.periodic(inst) {
            return self.define(inst.result(), &constant);
        }
        if let Some(rank) = self.load_rank(inst) {
            return self.define(inst.result(), &rank);
        }
        match inst.op {
            op if eval::is_lanewise(op) => {
                let to = self.kernel.ty(inst.result());
                let from = self.kernel.ty(inst.args[usize::from(op == Op::Select)]);
                let args: Vec<String> = inst
                    .args
                    .iter()
                    .map(|&v| {
                        let t = self.kernel.ty(v).with_lanes(to.lanes);
                        self.value_as(v, t)
                    })
                    .collect();
                let from = from.with_lanes(to.lanes);
                let value = match self.side_of_zero(inst, from) {
                    Some(side) => self.by_side(op, from, side, &args),
                    None => self.lanewise(op, from, to, &args),
                };
                self.define(inst.result(), &value);
            }
            Op::Load | Op::LoadRow | Op::TmuRequest => self.load_elements(inst),
            Op::Store | Op::StoreRow => self.store(inst),
            Op::StoreRows => self.store_rows(inst),
            Op::Rotate | Op::Broadcast => self.across(inst),
            Op::TmuReceive => self.receive(inst),
            Op::Print => self.print(inst),
            Op::Assert => self.assert(inst),
            Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock => self.synchronise(inst),
            Op::Fence | Op::Flush => self.t.line("fence seq_cst"),
            Op::HostIrq | Op::Comment => {}
            op if op.is_atomic() => self.atomic(inst),
            _ => self.whereabouts(inst),
        }
    }
}
