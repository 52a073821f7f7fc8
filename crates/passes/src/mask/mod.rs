//! Turns control flow that differs between lanes into masks: SIMT level to SIMD level.
//!
//! * Needs: a SIMT kernel without variables, whose groups are one subgroup.
//! * Gives: a SIMD kernel. Conditions of `if` and loops are scalar; memory operations, votes, `print` and `assert` carry the
//!   mask of live lanes; `item` is spelt out as group and lane.
//! * Keeps: the order of all effects, uniform control flow as it was.
//!
//! It stands behind everything that is easier per item (folding, bounds) and before everything that wants to see vectors.
//! Pure operations are total, so both arms of a divergent `if` are computed and the results selected. Rules that are
//! not obvious:
//!
//! 1. Carried values of a divergent loop are merged lane by lane only if the loop has two or more `continue`s (or is a
//!    `for`): otherwise dead lanes may run along, and uniform values stay uniform.
//! 2. The induction variable of a divergent `for` stays uniform if its start and step are.
//! 3. Uniform branches also run when no lane is live, so what dead lanes hold must be defined.
//! 4. Loops are entered only while a lane is live, because a loop is the one thing that might not end.
//! 5. A vote asks live lanes only, or the last group of an extent would never stop.
//!
//! Live masks, exit values and carried values of divergent loops are written as variables, which `promote` then threads
//! through the control flow that is left.
//!
//! ```kir
//! kernel @f(%p: buf<i32, rw>) simt group=16 over=1 {
//!   %i = item 0
//!   %x = load %p[%i]
//!   %c = cmp.lt %x, 0
//!   %a = if %c { %n = neg %x  yield %n } else { yield %x }
//!   store %p[%i], %a
//! }
//! ; check: kernel @f(%p: buf<i32, rw>) simd group=16 over=1 {
//! ; check:   %0 = group 0
//! ; check:   %1 = shl %0, 4
//! ; check:   %2 = lane
//! ; check:   %3 = add %1, %2
//! ; check:   %4 = extent 0
//! ; check:   %entry = cmp.lt %3, %4
//! ; check:   %5 = group 0
//! ; check:   %6 = shl %5, 4
//! ; check:   %7 = lane
//! ; check:   %8 = add %6, %7
//! ; check:   %x = load %p[%8] if %entry
//! ; check:   %c = cmp.lt %x, 0
//! ; check:   %9 = and %entry, %c
//! ; check:   %n = neg %x
//! ; check:   %10 = andnot %entry, %c
//! ; check:   %11 = select %c, %n, %x
//! ; check:   store %p[%8], %11 if %entry
//! ; check: }
//! ```

mod flow;
pub mod lockstep;
mod repeat;

use crate::pass::{Facts, Pass};
use crate::promote;
use quadra_base::quick::Map;
use quadra_base::{Diagnostic, Span, bug};
use quadra_kir::variance::Variance;
use quadra_kir::{Block, Const, Elem, Inst, Kernel, LANES, Level, Op, Type, Value, Values, Var, VarInfo};

/// The pass.
pub const PASS: Pass = Pass {
    name: "mask",
    about: "turns divergent control flow into masks",
    needs: Facts::VALUES,
    gives: Facts::SIMD,
    run: |kernel, _| if kernel.level == Level::Simt { run(kernel) } else { Ok(()) },
};

/// Brings `kernel` to SIMD level.
///
/// # Errors
/// `E0410` for a group of more than 16 items.
pub fn run(kernel: &mut Kernel) -> Result<(), Vec<Diagnostic>> {
    if kernel.group.iter().product::<u32>() != LANES || kernel.group.last() != Some(&LANES) {
        let text = format!("kernel `{}` has groups of {:?} items", kernel.name, kernel.group);
        let help = "devices with 16 lanes run kernels whose group is 16 items of the innermost axis";
        return Err(vec![Diagnostic::error("E0410", text).at(kernel.span).help(help)]);
    }
    let variance = Variance::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.level = Level::Simd;
    let mut m =
        Mask { kernel, variance, map: Map::default(), frames: Vec::new(), alive: None, entry: None, late: None };
    let mut out = Vec::new();
    let mut state = m.enter(&body, &mut out);
    m.block(body, &mut out, &mut state);
    if !ends(&out) {
        out.push(Inst::new(Op::Return, []));
    }
    kernel.body = Block { params: Values::new(), insts: out };
    promote::run(kernel);
    Ok(())
}

/// Which lanes are live at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Live {
    All,
    Some(Value),
    None,
}

/// What surrounds the place where code is being emitted.
#[derive(Clone, Copy)]
struct State {
    live: Live,
    /// Whether it may be that no lane is live here.
    maybe_empty: bool,
    /// Whether an enclosing `if` or loop differs between lanes, so that a `return` concerns only some of them.
    divergent: bool,
    /// The innermost loop, if it is a divergent one: an index into `frames`.
    frame: Option<usize>,
}

/// How a block came to its end.
enum End {
    /// By `yield` with these values.
    Yields(Values),
    /// By leaving: no lane is live at its end, or a terminator has been emitted.
    Left,
}

/// A divergent loop under construction.
struct Frame {
    /// The lanes that are still in the loop.
    live: Var,
    /// What each result will be, for the lanes that have left; those of a `for` mostly are its carried values.
    results: Vec<Var>,
    /// The carried values of the next iteration.
    next: Vec<Var>,
    /// Whether carried values are merged lane by lane.
    merge: bool,
}

struct Mask<'a> {
    kernel: &'a mut Kernel,
    variance: Variance,
    /// What stands for a value of the SIMT kernel.
    map: Map<Value, Value>,
    frames: Vec<Frame>,
    /// The lanes that have not returned, where some return earlier than others.
    alive: Option<Var>,
    /// The lanes whose item lies within the extent.
    entry: Option<Value>,
    /// A variable that is to be read behind the instruction under construction, and the value that stands for it.
    late: Option<(Var, Value)>,
}

fn ends(insts: &[Inst]) -> bool {
    insts.last().is_some_and(|i| i.op.is_terminator())
}

impl Mask<'_> {
    /// The state at the kernel's start; for a launch over an extent only the lanes within it are live.
    fn enter(&mut self, body: &Block, out: &mut Vec<Inst>) -> State {
        let mut live = Live::All;
        if self.kernel.over > 0 && !self.kernel.whole {
            let axis = self.kernel.over as u32 - 1;
            let item = self.item(axis, out, None);
            let extent = self.axis(Op::Extent, axis, out, None);
            let entry = self.op(Op::CmpLt, &[item, extent], out, None);
            self.kernel.values[entry].name = "entry".into();
            self.entry = Some(entry);
            live = Live::Some(entry);
        }
        if body.any(&mut |i| i.op == Op::Return) {
            let alive = self.var("alive", Type::vector(Elem::Bool));
            self.set(alive, live, out);
            self.alive = Some(alive);
        }
        State { live, maybe_empty: false, divergent: false, frame: None }
    }

    /// The value that stands for `v`.
    fn at(&self, v: Value) -> Value {
        self.map.get(&v).copied().unwrap_or(v)
    }

    fn all_at(&self, values: &[Value]) -> Values {
        values.iter().map(|&v| self.at(v)).collect()
    }

    /// Sets whether `v` has one element per lane, as its variance says.
    fn retype(&mut self, v: Value) {
        let lanes = self.variance.is_lane(v);
        let ty = &mut self.kernel.values[v].ty;
        *ty = ty.with_lanes(lanes);
    }

    fn op(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>, span: Option<Span>) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(Level::Simd, &types).unwrap_or_else(|e| bug!("mask: {e}"));
        let mut inst = Inst::new(op, args.iter().copied()).at(span);
        inst.results = Values::from_slice(&[self.kernel.new_value(ty)]);
        let result = inst.result();
        out.push(inst);
        result
    }

    fn axis(&mut self, op: Op, axis: u32, out: &mut Vec<Inst>, span: Option<Span>) -> Value {
        let v = self.op(op, &[], out, span);
        out.last_mut().expect("an instruction was just added").imm = axis;
        v
    }

    /// The item's index along an axis: the innermost one runs along the lanes, a group has one item of the others.
    fn item(&mut self, axis: u32, out: &mut Vec<Inst>, span: Option<Span>) -> Value {
        let group = self.axis(Op::Group, axis, out, span);
        if axis + 1 != self.kernel.over as u32 {
            return group;
        }
        let four = self.kernel.const_i32(4);
        let first = self.op(Op::Shl, &[group, four], out, span);
        let lane = self.op(Op::Lane, &[], out, span);
        self.op(Op::Add, &[first, lane], out, span)
    }

    fn var(&mut self, name: &str, ty: Type) -> Var {
        self.kernel.vars.push(VarInfo { name: name.into(), ty, span: None })
    }

    fn get(&mut self, var: Var, out: &mut Vec<Inst>) -> Value {
        let ty = self.kernel.vars[var].ty;
        let mut inst = Inst::new(Op::VarGet, []);
        inst.var = Some(var);
        inst.results = Values::from_slice(&[self.kernel.new_value(ty)]);
        let v = inst.result();
        out.push(inst);
        v
    }

    /// A value for what `var` holds behind the instruction that is about to be emitted; [`read_late`](Mask::read_late)
    /// emits the reading.
    fn late(&mut self, var: Var) -> Value {
        let v = self.kernel.new_value(self.kernel.vars[var].ty);
        debug_assert!(self.late.is_none(), "one reading at a time is put off");
        self.late = Some((var, v));
        v
    }

    fn read_late(&mut self, out: &mut Vec<Inst>) {
        if let Some((var, v)) = self.late.take() {
            let mut inst = Inst::new(Op::VarGet, []);
            inst.var = Some(var);
            inst.results = Values::from_slice(&[v]);
            out.push(inst);
        }
    }

    fn set_value(&mut self, var: Var, value: Value, out: &mut Vec<Inst>) {
        let mut inst = Inst::new(Op::VarSet, [value]);
        inst.var = Some(var);
        out.push(inst);
    }

    fn set(&mut self, var: Var, live: Live, out: &mut Vec<Inst>) {
        let value = self.mask_value(live);
        self.set_value(var, value, out);
    }

    /// A live set as a value.
    fn mask_value(&mut self, live: Live) -> Value {
        match live {
            Live::All => self.kernel.constant(Const::bool(true)),
            Live::None => self.kernel.constant(Const::bool(false)),
            Live::Some(v) => v,
        }
    }

    fn and(&mut self, live: Live, c: Value, out: &mut Vec<Inst>) -> Live {
        match live {
            Live::All => Live::Some(c),
            Live::None => Live::None,
            Live::Some(m) => Live::Some(self.op(Op::And, &[m, c], out, None)),
        }
    }

    fn and_not(&mut self, live: Live, c: Value, out: &mut Vec<Inst>) -> Live {
        match live {
            Live::All => Live::Some(self.op(Op::Not, &[c], out, None)),
            Live::None => Live::None,
            Live::Some(m) => Live::Some(self.op(Op::AndNot, &[m, c], out, None)),
        }
    }

    fn or(&mut self, a: Live, b: Live, out: &mut Vec<Inst>) -> Live {
        match (a, b) {
            (Live::None, x) | (x, Live::None) => x,
            (Live::All, _) | (_, Live::All) => Live::All,
            (Live::Some(x), Live::Some(y)) => Live::Some(self.op(Op::Or, &[x, y], out, None)),
        }
    }

    /// `value` in the live lanes, `otherwise` in the others.
    fn merged(&mut self, live: Live, value: Value, otherwise: Value, out: &mut Vec<Inst>) -> Value {
        match live {
            Live::All => value,
            Live::None => otherwise,
            Live::Some(m) => self.op(Op::Select, &[m, value, otherwise], out, None),
        }
    }

    fn zero(&mut self, ty: Type) -> Value {
        self.kernel.constant(Const::zero(ty.elem))
    }

    /// Emits one instruction that is not control flow.
    fn plain(&mut self, mut inst: Inst, out: &mut Vec<Inst>, state: &State) {
        inst.args = self.all_at(&inst.args);
        if inst.op == Op::Barrier {
            // All items of the group are lanes of this vector, which wait for each other anyway.
            return;
        }
        match inst.op {
            Op::Item => {
                let v = self.item(inst.imm, out, inst.span);
                self.map.insert(inst.result(), v);
                return;
            }
            Op::Local => {
                let innermost = inst.imm as usize + 1 == self.kernel.group.len();
                let v = if innermost { self.op(Op::Lane, &[], out, inst.span) } else { self.kernel.const_i32(0) };
                self.map.insert(inst.result(), v);
                return;
            }
            Op::GroupSize => {
                let size = self.kernel.group.get(inst.imm as usize).copied().unwrap_or(1);
                let v = self.kernel.const_i32(size as i32);
                self.map.insert(inst.result(), v);
                return;
            }
            Op::Rotate | Op::Broadcast => {
                let x = inst.args[0];
                if let Some(entry) = self.entry {
                    let zero = self.zero(self.kernel.ty(x));
                    inst.args[0] = self.op(Op::Select, &[entry, x, zero], out, inst.span);
                }
            }
            Op::Load | Op::Store | Op::VoteAny | Op::VoteAll | Op::Print | Op::Assert => {
                inst.mask = self.mask_of(state);
            }
            op if op.is_atomic() => inst.mask = self.mask_of(state),
            _ => {}
        }
        if let Some(&result) = inst.results.first() {
            let types: Vec<Type> = inst.args.iter().map(|&v| self.kernel.ty(v)).collect();
            let old = self.kernel.ty(result);
            let ty = match inst.op {
                Op::Load => old.with_lanes(types.iter().any(|t| t.lanes)),
                Op::TmuReceive => old.with_lanes(true),
                op if op.is_atomic() => old.with_lanes(true),
                Op::Dim => old,
                // A per-lane choice of the lane makes the result differ between lanes.
                Op::Broadcast => old.with_lanes(types[1].lanes),
                op => op.result_type(Level::Simd, &types).unwrap_or_else(|e| bug!("mask: {e}")),
            };
            self.kernel.values[result].ty = ty;
        }
        out.push(inst);
    }

    fn mask_of(&self, state: &State) -> Option<Value> {
        match state.live {
            Live::Some(m) => Some(m),
            _ => None,
        }
    }
}
