//! Which forms of kernel the values at a launch allow for a loop, and what of them goes into the kernel as constants.

use super::kernels::Kernels;
use super::strip::MOST_BINS;
use quadra_kir::{self as kir, Arithmetic, Caps};
use quadra_quasar_hir::par::pattern::{any_index, any_range};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, Text};
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::fmt::Write;

/// Integers up to this one are constants of a kernel where they bound loops or stand in subscripts.
const FIXED_INT: i32 = 64;
/// Kernels of a nest that differ by such constants.
const MOST_FIXED: u32 = 16;
/// Iterations of the innermost loop below which groups do not take rows.
const SHORT_ROW: i64 = 64;
/// Workers from which on each keeps a range of an array: fewer have copies of it in memory.
const RANGE_WORKERS: u32 = 4;
/// Iterations of an innermost loop that are better the outermost ones, at most.
const MOST_TURNED: i64 = 8;

/// An integer that may be a constant of a kernel.
pub(super) fn small_int(v: &Value) -> Option<i32> {
    if let Value::Int(n) = v { Some(*n).filter(|n| n.unsigned_abs() <= FIXED_INT.unsigned_abs()) } else { None }
}

/// What the values at a launch decide about the form of its kernel. All of it is in the key of the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    /// The innermost loop is the first axis of the launch.
    pub turned: bool,
    /// Channels of pixels, where the nest may compute them one by one.
    pub pixels: Option<i64>,
    /// Groups may take rows of iterations.
    pub rows: bool,
    /// Arguments that are constants: integers, and lengths of arrays.
    pub fixed: Vec<usize>,
    /// First value and step of loops that are constants.
    pub ranges: Vec<(Option<i64>, Option<i64>)>,
    /// The device has numbers of double precision.
    pub doubles: bool,
    /// Workers that all shall have something to do, where the order of sums is the device's own.
    pub workers: Option<u32>,
    /// Bytes of arrays that the items of a group may share, where that is cheaper than memory of each lane's own.
    pub shared: u64,
    /// The device has workers enough that each keeps a range of an array in registers, to which all look at all items, rather than
    /// that copies lie in memory.
    pub ranged: bool,
    /// Bounds of integers may be supposed.
    pub supposes: bool,
}

impl Form {
    /// The form for a launch whose integers are not what was supposed.
    pub fn without_suppositions(mut self) -> Form {
        self.supposes = false;
        self
    }

    pub fn of(
        nest: &Nest,
        args: &[Value],
        dims: &[i64],
        ranges: &[RangeValue],
        kernels: &mut Kernels,
        key: &mut String,
    ) -> Form {
        let loops = nest.loops();
        let body = &loops[loops.len() - 1].body;
        let caps = kernels.caps();
        let mut form = Form {
            supposes: true,
            doubles: caps.is_none_or(|c| c.float64),
            // The order of sums is the same on all devices that round to nearest, but for what is added to arrays that groups share
            // on one of them alone.
            workers: caps.filter(|c| c.arithmetic != Arithmetic::Nearest).map(|c| c.max_workers),
            shared: caps.filter(|c| shares(nest, args, c)).map_or(0, |c| c.shared_memory),
            ranged: caps.is_some_and(|c| c.arithmetic != Arithmetic::Nearest)
                && kernels.workers().is_some_and(|n| n >= RANGE_WORKERS),
            ..Form::default()
        };
        form.turned = turns(nest, args, ranges, kernels);
        let last = dims.last().copied().unwrap_or(1);
        let keeps = !nest.plan.extremes.is_empty() || nest.maybe_set().next().is_some();
        let combines = !nest.plan.reductions.is_empty() || !nest.plan.accumulates.is_empty() || keeps;
        form.rows = combines && last >= SHORT_ROW && (keeps || !counts_atomically(nest, args, kernels));
        if !combines {
            form.pixels = match last {
                2..=4 if dims.len() > 1 => Some(last),
                _ => channels(body),
            };
        }
        // Writing to a string cannot fail.
        let _ = write!(key, "{}{}{:?} ", form.rows, form.turned, form.pixels);
        let before = key.len();
        for (l, r) in loops.iter().zip(ranges) {
            let near = |x: f64| (x.abs() <= f64::from(FIXED_INT)).then_some(x as i64);
            // A first value that follows a loop around would be that of one launch.
            let start = near(r.start).filter(|_| !nest.begins_anew(l));
            let _ = write!(key, "{:?}", (start, near(r.step)));
            form.ranges.push((start, near(r.step)));
        }
        if !kernels.few_variants(key, before, MOST_FIXED) {
            key.truncate(before);
            form.ranges.clear();
        }
        form.fix(nest, args, body, kernels, key);
        form
    }

    /// Chooses the variables whose values are constants of the kernel, and adds them to its key.
    fn fix(&mut self, nest: &Nest, args: &[Value], body: &Block, kernels: &mut Kernels, key: &mut String) {
        let matters = |name: &Text| {
            let names = |items: &[Expr]| items.iter().any(|i| Names::of_expr(i).mentions(name));
            any_range(body, &|e| Names::of_expr(e).mentions(name)) || any_index(body, &names)
        };
        let before = key.len();
        for (i, ((name, _), v)) in nest.vars.iter().zip(args).enumerate() {
            match v {
                Value::Int(v) if small_int(&args[i]).is_some() && nest.is_fixed(name) && matters(name) => {
                    let _ = write!(key, " {i}={v}");
                    self.fixed.push(i);
                }
                Value::Array(t) if nest.plan.accumulates.contains(name) && t.len() <= MOST_BINS => {
                    let _ = write!(key, " {i}={:?}", t.shape);
                    self.fixed.push(i);
                }
                _ => {}
            }
        }
        if !self.fixed.is_empty() && !kernels.few_variants(key, before, MOST_FIXED) {
            key.truncate(before);
            self.fixed.clear();
        }
    }
}

/// Bytes of the lanes' copies of arrays that stay in the first cache beside what iterations read.
const MOST_COPIES: usize = 32 << 10;

/// Whether the items of a group share the arrays that a nest adds to: on the QPU, and where each thread runs whole groups if a copy for
/// each lane would not stay in the first cache. An item's lanes then add in their order.
fn shares(nest: &Nest, args: &[Value], caps: &Caps) -> bool {
    let bytes = |name: &Text| {
        let at = nest.vars.iter().position(|v| v.0 == *name);
        match at.and_then(|i| args.get(i)) {
            Some(Value::Array(t)) => t.len() * size_of::<f32>() * kir::LANES as usize,
            _ => 0,
        }
    };
    caps.arithmetic != Arithmetic::Nearest
        || caps.private_sums && nest.plan.accumulates.iter().map(bytes).sum::<usize>() > MOST_COPIES
}

/// Whether the innermost loop had better be the outermost: the nest only counts, which gives the same in any order, and lanes would
/// have little to do along that loop, as along the channels of pixels.
pub(super) fn turns(nest: &Nest, args: &[Value], ranges: &[RangeValue], kernels: &mut Kernels) -> bool {
    let few = |r: &RangeValue| (2..=MOST_TURNED).contains(&(r.count as i64));
    let counts =
        !nest.plan.accumulates.is_empty() && nest.plan.extremes.is_empty() && nest.maybe_set().next().is_none();
    ranges.len() > 1
        && counts
        && ranges.last().is_some_and(few)
        && ranges[ranges.len() - 2].count as i64 >= SHORT_ROW
        && counts_atomically(nest, args, kernels)
}

/// Whether the nest only adds to short arrays of integers, on a device whose threads keep copies of such arrays by themselves:
/// there atomic operations are quicker than bins, and integers add up to the same in any order.
fn counts_atomically(nest: &Nest, args: &[Value], kernels: &Kernels) -> bool {
    let short = |name: &Text| {
        let at = nest.vars.iter().position(|v| v.0 == *name);
        let array = at.and_then(|i| args.get(i));
        matches!(array, Some(Value::Array(t)) if t.len() <= MOST_BINS && matches!(&*t.data.peek(), Data::Int(_)))
    };
    kernels.may(|caps| caps.private_sums) && nest.plan.reductions.is_empty() && nest.plan.accumulates.iter().all(short)
}

/// How many elements the slices of a body take that could be all channels of a pixel.
fn channels(body: &Block) -> Option<i64> {
    let found = std::cell::Cell::new(None);
    any_index(body, &|items| {
        if let [_, .., Expr { kind: ExprKind::Range { from, step: None, to }, .. }] = items
            && let (ExprKind::Int(0), ExprKind::Int(n @ 1..=3)) = (&from.kind, &to.kind)
        {
            found.set(Some(n + 1));
        }
        false
    });
    found.get()
}
