//! A kernel while it is being written: what it is written for, what is known of it, the names of its values.

use super::ahead::Ahead;
use super::count::Notes;
use super::short::Shorts;
use super::splice::Place;
use super::squares::{Lines, Turned};
use super::strided::Strided;
use super::terms::Terms;
use super::vary::Vary;
use super::wholes;
use super::wide::{Bins, Products};
use super::words::all;
use crate::common::function::{Blocks, Private, Shape, Site, Sort};
use crate::common::text::{self, MASK, Text, constant};
use crate::native::context::layout;
use quadra_kir::{Def, Elem, Inst, Kernel, Op, Type, Value, Values};
use quadra_passes::analysis::linear::Forms;
use quadra_passes::analysis::range::{Bounds, Range};
use std::collections::{HashMap, HashSet};

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
    /// Whether it has AVX2 and nothing wider: vectors are several registers of 256 bits, and few instructions are for integers of 64.
    pub avx2: bool,
    /// Elements of each buffer, where that is known, by [`quadra_kir::Buf::index`].
    pub lengths: Vec<Option<u32>>,
    /// Buffers that are written past the caches, because they are large, and not read: whole aligned rows of them.
    pub streams: Vec<bool>,
    /// Whether a vector is handled in halves of 256 bits, and rows are read in the order in which they are named.
    pub halves: bool,
    /// Whether it is for the few groups around an interior: code that is cheap to make.
    pub border: bool,
    /// Whether these are a few groups beside an interior, so that what matters of the code is its length.
    pub few: bool,
    /// Whether the processor's own atomic instructions may be used: several threads run the code, which is made for this processor.
    pub atomics: bool,
    /// Whether loops along rows of lanes read them ahead (AVX2 or AVX-512).
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

/// A value: one for all parts, or one per part.
#[derive(Clone, Debug)]
pub(super) enum Val {
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
    pub(super) plan: &'k Plan,
    /// Groups that are computed together at this place.
    pub(super) shape: Shape,
    pub(super) vary: Vary,
    pub(super) range: Range,
    pub(super) forms: Forms,
    pub(super) values: HashMap<Value, Val>,
    /// The part that is being written.
    pub(super) part: usize,
    /// Live lanes of each part.
    pub(super) active: Vec<String>,
    /// Groups along each axis: the coordinates' names, of part 0.
    pub(super) group: Vec<String>,
    /// Which value is the group's coordinate along which axis.
    pub(super) axis_of: HashMap<Value, usize>,
    /// The value that is the lane's number.
    pub(super) lane: Option<Value>,
    /// Comparisons and conjunctions of such, minima and maxima.
    pub(super) conditions: HashMap<Value, (Op, Values)>,
    /// Values that need not be written, because addresses are made of their terms.
    pub(super) silent: HashSet<Value>,
    /// Rows that are put together from others.
    pub(super) spliced: HashSet<Place>,
    /// Rows that could be.
    pub(super) could_splice: HashSet<Place>,
    /// Accesses to elements at equal distances.
    pub(super) strided: Strided,
    /// Accesses of squares.
    pub(super) turned: Turned,
    /// Accesses of squares within rows of lanes.
    pub(super) lines: Lines,
    /// Values in lanes of 8 and 16 bits.
    pub(super) shorts: Shorts,
    /// Lanes of short values while several iterations of a loop are one.
    pub(super) joined_lanes: Option<usize>,
    /// Accesses that go through tiles.
    pub(super) ahead: Ahead,
    /// Totals of lanes, by the value of lane 0: the operation, and the vector.
    pub(super) totals: HashMap<Value, (Op, Value)>,
    /// What elements that the data choose are, and get.
    pub(super) bins: Bins,
    /// Products of 64 bits.
    pub(super) products: Products,
    /// Tests of overflow.
    pub(super) overflows: HashMap<Value, (Op, Value, Value)>,
    /// Assertions about sums, by what they assert: the terms that say whether they can have wrapped.
    pub(super) terms: HashMap<Value, Terms>,
    /// Vectors that are `(a ^ c) & (b ^ c)`, and these.
    pub(super) signs: HashMap<Value, [Value; 3]>,
    /// What lanes know of those before them.
    pub(super) ranks: HashMap<Value, Value>,
    /// Indices of stores of lanes one behind the other: the scalars that make the first one.
    pub(super) packed: HashMap<Value, Vec<Value>>,
    /// Addresses and loads that hold at this place, by what they say.
    pub(super) memo: HashMap<String, String>,
    pub(super) queue: Option<String>,
    /// Floats that are whole numbers, and bounds of them as powers of two, in kernels that divide.
    pub(super) wholes: HashMap<Value, u32>,
    /// Room for numbers of 64 bits that a function divides.
    pub(super) quotients: Option<[String; 3]>,
    /// Buffers of which it is noted what is counted, by [`quadra_kir::Buf::index`].
    pub(super) notes: HashMap<usize, Notes>,
    /// Whether every turn of the loops over groups runs through the whole body.
    pub(super) whole_turns: bool,
    /// Further functions of the module.
    pub(super) functions: String,
    /// Whether the loop around this place is known to end soon, so that nothing is taken from the budget.
    pub(super) uncharged: bool,
    /// Whether the kernel reads the bits of floats anywhere.
    pub looks_at_bits: bool,
}

impl<'k> Lower<'k> {
    pub(super) fn new(kernel: &'k Kernel, plan: &'k Plan, vary: Vary) -> Lower<'k> {
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
            strided: Strided::default(),
            turned: Turned::default(),
            lines: Lines::default(),
            terms: HashMap::new(),
            shorts: Shorts::default(),
            joined_lanes: None,
            ahead: Ahead::default(),
            totals: HashMap::new(),
            bins: Bins::default(),
            products: Products::default(),
            overflows: HashMap::new(),
            signs: HashMap::new(),
            ranks: HashMap::new(),
            packed: HashMap::new(),
            memo: HashMap::new(),
            queue: None,
            wholes: wholes::of(kernel),
            quotients: None,
            notes: HashMap::new(),
            whole_turns: false,
            functions: String::new(),
            uncharged: false,
            looks_at_bits: kernel.body.any(&mut |i| i.op == Op::BitsI32),
        }
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
}
