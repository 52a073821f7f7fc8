//! A kernel as a function of LLVM IR: a loop over groups around the kernel's body.
//!
//! Control flow is scalar at this level, so that regions become basic blocks. Results of regions and carried values go
//! through slots of the frame, which LLVM turns into values. Every turn of a loop takes from the budget.

use super::memory::{all, iota};
use super::native::layout;
use super::text::{self, LANES, MASK, Text, constant};
use quadra_base::Span;
use quadra_kir::{Block, Buf, Def, Elem, Inst, Kernel, Op, Param, Space, Type, Value, eval};
use std::collections::HashMap;
use std::sync::Arc;

/// Why translated code stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Sort {
    Bounds = 1,
    Assert,
    Budget,
    QueueFull,
    QueueEmpty,
    QueueLeft,
    /// The caller has noted why.
    Noted,
}

/// An instruction that may fault or speaks: what the caller must know of it.
#[derive(Clone, Debug)]
pub struct Site {
    pub span: Option<Span>,
    pub op: Op,
    pub buf: Option<Buf>,
    pub text: Option<Arc<str>>,
    /// Element types of what `print` prints.
    pub elems: Vec<Elem>,
}

/// Where `break`, `continue` and the end of a `for` body go.
#[derive(Clone)]
struct Loop {
    carried: Vec<(String, Type)>,
    results: Vec<(String, Type)>,
    again: String,
    end: String,
}

/// A kernel being written.
pub struct Lower<'k> {
    pub kernel: &'k Kernel,
    pub t: Text,
    pub sites: Vec<Site>,
    pub active: String,
    values: HashMap<Value, String>,
    /// Groups along each axis, and the coordinates' names.
    group: Vec<String>,
    queue: Option<String>,
    /// Whether the kernel reads the bits of floats anywhere.
    pub looks_at_bits: bool,
}

/// The module for a kernel that [`unsupported`] lets through, and its sites.
pub fn module(kernel: &Kernel) -> (String, Vec<Site>) {
    let mut l = Lower {
        kernel,
        t: Text::default(),
        sites: Vec::new(),
        active: all(),
        values: HashMap::new(),
        group: Vec::new(),
        queue: None,
        looks_at_bits: kernel.body.any(&mut |i| i.op == Op::BitsI32),
    };
    l.function();
    let mut module = String::new();
    for declaration in &l.t.declarations {
        module += declaration;
        module += "\n";
    }
    let attributes = "nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\"";
    module += &format!("define i32 @kernel(ptr %c) {attributes} {{\nentry:\n{}{}}}\n", l.t.slots, l.t.lines);
    (module, l.sites)
}

/// What of a kernel this back end does not do, in words.
pub fn unsupported(kernel: &Kernel) -> Option<&'static str> {
    let narrow = |e: Elem| e == Elem::F16;
    if kernel.bufs.iter().any(|(_, b)| b.space == Space::Shared) {
        return Some("arrays shared by a group");
    }
    if kernel.bufs.iter().any(|(_, b)| b.rank != 1 || b.n != 1 || narrow(b.elem)) {
        return Some("buffers of several axes, of small vectors or of half floats");
    }
    if kernel.over > 3 || kernel.over > 0 && kernel.group != [16] {
        return Some("groups of another shape than 16 items");
    }
    let strange =
        |i: &Inst| matches!(i.op, Op::Each | Op::Barrier | Op::AtomicPow) || i.op.info().at == quadra_kir::At::Simt;
    kernel.body.any(&mut |i| strange(i)).then_some("barriers and powers of elements")
}

impl Lower<'_> {
    fn function(&mut self) {
        self.parameters();
        for (name, at) in [("%g", layout::NEXT), ("%budget", layout::BUDGET)] {
            self.t.slots += &format!("  {name} = alloca i64\n");
            let value = self.load("i64", at);
            self.t.line(&format!("store i64 {value}, ptr {name}"));
        }
        let (end, step) = (self.load("i64", layout::END), self.load("i64", layout::STEP));
        self.t.branch("next");
        self.t.label("next");
        let number = self.t.def("load i64, ptr %g");
        let over = self.t.def(&format!("icmp uge i64 {number}, {end}"));
        self.t.branch_if(&over, "done", "group");
        self.t.label("group");
        self.place(&number);
        if self.kernel.body.any(&mut |i| i.op == Op::TmuRequest) {
            self.t.slots +=
                "  %queue = alloca [4 x [16 x i64]], align 64\n  %qhead = alloca i32\n  %qlen = alloca i32\n";
            self.queue = Some("%queue".into());
            self.t.line("store i32 0, ptr %qhead");
            self.t.line("store i32 0, ptr %qlen");
        }
        let kernel = self.kernel;
        self.block(&kernel.body, None, None);
        self.t.label("after");
        if self.queue.is_some() {
            let left = self.t.def("load i32, ptr %qlen");
            let empty = self.t.def(&format!("icmp eq i32 {left}, 0"));
            let site = Inst::new(Op::Return, Vec::new()).at(kernel.span);
            self.demand(&empty, &site, Sort::QueueLeft);
        }
        let number = self.t.def("load i64, ptr %g");
        let number = self.t.def(&format!("add i64 {number}, {step}"));
        self.t.line(&format!("store i64 {number}, ptr %g"));
        self.t.branch("next");
        self.t.label("done");
        self.t.line("ret i32 0");
        self.t.label("fail");
        self.t.line("ret i32 1");
    }

    fn parameters(&mut self) {
        let kernel = self.kernel;
        let scalars = self.load("ptr", layout::SCALARS);
        let buffers = self.load("ptr", layout::BUFFERS);
        for (n, &param) in kernel.params.iter().enumerate() {
            match param {
                Param::Scalar(v) => {
                    let at = self.t.def(&format!("getelementptr i64, ptr {scalars}, i64 {n}"));
                    let word = self.t.def(&format!("load i64, ptr {at}"));
                    let value = self.of_word(kernel.ty(v), &word);
                    self.values.insert(v, value);
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

    /// Coordinates and live lanes of a group.
    fn place(&mut self, number: &str) {
        let axes = self.kernel.over as usize;
        if axes == 0 {
            self.group = vec![self.load("i32", layout::WORKER)];
            return;
        }
        self.group = vec![String::new(); axes];
        let mut rest = number.to_string();
        for axis in (0..axes).rev() {
            let count = self.load("i32", layout::GROUPS + 4 * axis);
            let count = self.t.def(&format!("zext i32 {count} to i64"));
            let at = if axis == 0 { rest.clone() } else { self.t.def(&format!("urem i64 {rest}, {count}")) };
            self.group[axis] = self.t.def(&format!("trunc i64 {at} to i32"));
            if axis > 0 {
                rest = self.t.def(&format!("udiv i64 {rest}, {count}"));
            }
        }
        let first = self.t.def(&format!("shl i32 {}, 4", self.group[axes - 1]));
        let first = self.t.splat("i32", &first);
        let items = self.t.def(&format!("add {LANES} {first}, {}", iota()));
        let extent = self.load("i32", layout::EXTENT + 4 * (axes - 1));
        let extent = self.t.splat("i32", &extent);
        self.active = self.t.def(&format!("icmp ult {LANES} {items}, {extent}"));
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

    /// Gives a result its name.
    pub fn define(&mut self, value: Value, name: &str) {
        self.values.insert(value, name.to_string());
    }

    /// A value as it is.
    pub fn value(&mut self, v: Value) -> String {
        match self.kernel.values[v].def {
            Def::Const(c) => constant(c),
            _ => self.values[&v].clone(),
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
        self.sites.push(Site { span: inst.span, op: inst.op, buf: inst.buf, text: inst.text.clone(), elems });
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

    fn pass_on(&mut self, values: &[Value], to: &[(String, Type)]) {
        let names: Vec<String> = values.iter().zip(to).map(|(&v, (_, t))| self.value_as(v, *t)).collect();
        for (name, (slot, t)) in names.iter().zip(to) {
            self.t.line(&format!("store {} {name}, ptr {slot}", text::ty(*t)));
        }
    }

    fn slots(&mut self, values: &[Value]) -> Vec<(String, Type)> {
        let types: Vec<Type> = values.iter().map(|&v| self.kernel.ty(v)).collect();
        types.into_iter().map(|t| (self.t.slot(&text::ty(t)), t)).collect()
    }

    fn take(&mut self, values: &[Value], from: &[(String, Type)]) {
        for (&v, (slot, t)) in values.iter().zip(from) {
            let name = self.t.def(&format!("load {}, ptr {slot}", text::ty(*t)));
            self.define(v, &name);
        }
    }

    /// Writes a region. `arm` is where `yield` goes if this is an arm of an `if`.
    fn block(&mut self, block: &Block, around: Option<&Loop>, arm: Option<(&[(String, Type)], &str)>) {
        for inst in &block.insts {
            match inst.op {
                Op::If => self.branch(inst, around),
                Op::For | Op::Loop => self.turns(inst),
                Op::Return => self.t.branch("after"),
                Op::Yield if arm.is_some() => {
                    let (slots, join) = arm.expect("just asked");
                    self.pass_on(&inst.args, slots);
                    self.t.branch(join);
                }
                Op::Yield | Op::Continue | Op::Break => {
                    let Some(around) = around.cloned() else { continue };
                    let (slots, to) = match inst.op {
                        Op::Break => (&around.results, &around.end),
                        _ => (&around.carried, &around.again),
                    };
                    self.pass_on(&inst.args, slots);
                    self.t.branch(to);
                }
                _ => self.plain(inst),
            }
        }
    }

    fn branch(&mut self, inst: &Inst, around: Option<&Loop>) {
        let results = self.slots(&inst.results);
        let cond = self.value_as(inst.args[0], Type::BOOL);
        let [yes, no, join] = [(); 3].map(|()| self.t.fresh_label());
        self.t.branch_if(&cond, &yes, &no);
        for (label, n) in [(&yes, 0), (&no, 1)] {
            self.t.label(label);
            match inst.regions.get(n).filter(|r| !r.insts.is_empty()) {
                Some(region) => self.block(region, around, Some((&results, &join))),
                None => self.t.branch(&join),
            }
        }
        self.t.label(&join);
        self.take(&inst.results, &results);
    }

    fn turns(&mut self, inst: &Inst) {
        let counted = inst.op == Op::For;
        let body = &inst.regions[0];
        let params = &body.params[usize::from(counted)..];
        let (carried, results) = (self.slots(params), self.slots(&inst.results));
        self.pass_on(inst.carried(), &carried);
        let counter = self.t.slot("i32");
        let bounds: Vec<String> =
            inst.args[..if counted { 3 } else { 0 }].iter().map(|&v| self.value_as(v, Type::I32)).collect();
        if counted {
            self.t.line(&format!("store i32 {}, ptr {counter}", bounds[0]));
        }
        let [head, go, again, end] = [(); 4].map(|()| self.t.fresh_label());
        let over = self.t.fresh_label();
        self.t.branch(&head);
        self.t.label(&head);
        if counted {
            let at = self.t.def(&format!("load i32, ptr {counter}"));
            let up = self.t.def(&format!("icmp sge i32 {at}, {}", bounds[1]));
            let down = self.t.def(&format!("icmp sle i32 {at}, {}", bounds[1]));
            let falls = self.t.def(&format!("icmp slt i32 {}, 0", bounds[2]));
            let ends = self.t.def(&format!("select i1 {falls}, i1 {down}, i1 {up}"));
            self.t.branch_if(&ends, &over, &go);
            self.t.label(&over);
            // A loop that runs out gives its carried values.
            let last: Vec<String> =
                carried.iter().map(|(slot, t)| self.t.def(&format!("load {}, ptr {slot}", text::ty(*t)))).collect();
            for (value, (slot, t)) in last.iter().zip(&results) {
                self.t.line(&format!("store {} {value}, ptr {slot}", text::ty(*t)));
            }
            self.t.branch(&end);
            self.define(body.params[0], &at);
        } else {
            self.t.branch(&go);
        }
        self.t.label(&go);
        self.take(params, &carried);
        let inner = Loop { carried, results: results.clone(), again: again.clone(), end: end.clone() };
        self.block(body, Some(&inner), None);
        self.t.label(&again);
        let left = self.t.def("load i64, ptr %budget");
        let left = self.t.def(&format!("sub i64 {left}, {}", body.insts.len().max(1)));
        self.t.line(&format!("store i64 {left}, ptr %budget"));
        let some = self.t.def(&format!("icmp sge i64 {left}, 0"));
        self.demand(&some, inst, Sort::Budget);
        if counted {
            let at = self.t.def(&format!("load i32, ptr {counter}"));
            let next = self.t.def(&format!("add i32 {at}, {}", bounds[2]));
            self.t.line(&format!("store i32 {next}, ptr {counter}"));
        }
        self.t.branch(&head);
        self.t.label(&end);
        self.take(&inst.results, &results);
    }

    fn plain(&mut self, inst: &Inst) {
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
                let value = self.lanewise(op, from.with_lanes(to.lanes), to, &args);
                self.define(inst.result(), &value);
            }
            Op::Load | Op::LoadRow | Op::TmuRequest => self.load_elements(inst),
            Op::Store | Op::StoreRow => self.store(inst),
            Op::StoreRows => self.store_rows(inst),
            Op::VoteAny | Op::VoteAll => self.vote(inst),
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

    fn whereabouts(&mut self, inst: &Inst) {
        let axis = inst.imm as usize;
        let inside = axis < self.kernel.over.max(1) as usize;
        let value = match inst.op {
            Op::Lane => iota(),
            Op::LaneActive => self.active.clone(),
            Op::Group => self.group.get(axis).cloned().unwrap_or_else(|| "0".into()),
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

    /// A value of a queue's place, as 64-bit words.
    fn queued(&mut self, at: &str) -> String {
        let at = self.t.def(&format!("and i32 {at}, 3"));
        self.t.def(&format!("getelementptr [16 x i64], ptr %queue, i32 {at}"))
    }

    pub(super) fn request(&mut self, inst: &Inst, value: &str) {
        let (head, length) = (self.t.def("load i32, ptr %qhead"), self.t.def("load i32, ptr %qlen"));
        let room = self.t.def(&format!("icmp ult i32 {length}, 4"));
        self.demand(&room, inst, Sort::QueueFull);
        let at = self.t.def(&format!("add i32 {head}, {length}"));
        let place = self.queued(&at);
        let elem = inst.buf.map_or(Elem::I32, |b| self.kernel.bufs[b].elem.in_register());
        self.t.line(&format!("store <16 x {}> {value}, ptr {place}, align 64", text::elem(elem)));
        let length = self.t.def(&format!("add i32 {length}, 1"));
        self.t.line(&format!("store i32 {length}, ptr %qlen"));
    }

    fn receive(&mut self, inst: &Inst) {
        if self.queue.is_none() {
            return self.demand("false", inst, Sort::QueueEmpty);
        }
        let (head, length) = (self.t.def("load i32, ptr %qhead"), self.t.def("load i32, ptr %qlen"));
        let some = self.t.def(&format!("icmp ne i32 {length}, 0"));
        self.demand(&some, inst, Sort::QueueEmpty);
        let place = self.queued(&head);
        let t = self.kernel.ty(inst.result());
        let value = self.t.def(&format!("load {}, ptr {place}, align 64", text::ty(t)));
        self.define(inst.result(), &value);
        let (head, length) = (self.t.def(&format!("add i32 {head}, 1")), self.t.def(&format!("sub i32 {length}, 1")));
        self.t.line(&format!("store i32 {head}, ptr %qhead"));
        self.t.line(&format!("store i32 {length}, ptr %qlen"));
    }
}
