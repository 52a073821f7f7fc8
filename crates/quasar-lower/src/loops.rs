//! Lowering a nest of loops of the host. The same body is lowered in several forms, and the best that is not refused is taken:
//! iterations dealt to groups in rows if they combine values (`strip`), channels as lanes if the body computes pixels
//! (`pixel`), and bounds of integers supposed where sums in inner loops would otherwise be tested (`facts`).

use super::after::{After, Afters, What};
use super::form::{Form, small_int};
use super::item::MOST_AXES;
use super::loop_parts::{
    Before, accumulator, enter, item_number, last_values, reduction_of, result_buffer, store_partial,
};
use super::lowered::{LOOP, Lowered};
use super::parts::{Bins, Pixels, Retyped, Wanted};
use super::shape::Shape;
use super::state::{Lower, Slot, Source};
use super::strip::{Copies, Deal, Geometry, LANES, may_have_bins, padded};
use super::value::{Item, Num, Path, Root, Val, elem_of};
use super::{Cause, Low, refuse};
use quadra_base::quick::Set;
use quadra_kir::{self as kir, Bounds, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Expr, ExprKind, For, Text};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;
use std::cell::RefCell;

/// Attempts at supposing bounds of variables.
const MOST_ATTEMPTS: usize = 6;

/// The numbers of the iterations of a nest: it runs as a kernel only if there are no more.
pub(super) const FEW: Bounds = Bounds::new(0, 1 << 30);

/// One way to lower a nest.
#[derive(Clone, Debug, Default)]
struct Attempt {
    /// Combined integers that the first iteration makes floats, and variables that each iteration makes floats or both.
    retyped: Retyped,
    geometry: Geometry,
    supposes: bool,
    not: Set<Text>,
}

/// What an attempt brought.
struct Outcome {
    lowered: Lowered,
    afters: Afters,
    tests_in_loops: usize,
    broken: Set<Text>,
}

struct Job<'a> {
    nest: &'a Nest,
    args: &'a [Value],
    dims: &'a [i64],
    form: &'a Form,
    /// Arguments that are constants besides those of the form.
    numbers: Vec<usize>,
    cx: &'a Cx,
    /// What the last attempt found.
    wanted: RefCell<Wanted>,
}

/// Lowers a nest. Where lengths of arrays depend on numbers, it is lowered for those of this launch.
pub(super) fn lower(nest: &Nest, args: &[Value], dims: &[i64], form: &Form, cx: &Cx) -> Low<(Lowered, Afters)> {
    let mut job = Job { nest, args, dims, form, numbers: Vec::new(), cx, wanted: RefCell::default() };
    let body = Names::of_block(&nest.loops()[nest.loops().len() - 1].body);
    let small = |i: &usize| small_int(&args[*i]).is_some() && !body.assigns(&nest.vars[*i].0);
    let numbers: Vec<usize> = (0..args.len().min(nest.vars.len())).filter(small).collect();
    // Those that are different each time come last.
    let fixed = numbers.iter().copied().filter(|i| nest.is_fixed(&nest.vars[*i].0)).collect();
    let mut result = job.lower();
    for numbers in [fixed, numbers] {
        match result {
            Err(refusal) if refusal.cause == Cause::Length => job.numbers = numbers,
            done => return done,
        }
        result = job.lower();
    }
    result
}

impl Job<'_> {
    fn lower(&self) -> Low<(Lowered, Afters)> {
        let (form, nest) = (self.form, self.nest);
        let mut ways = Vec::new();
        if form.rows {
            let copies: &[Copies] = match nest.plan.accumulates.is_empty() {
                true => &[Copies::None],
                false if form.shared > 0 && self.only_adds() => &[Copies::Groups],
                false if form.shared > 0 => &[Copies::Groups, Copies::Lanes],
                false => &[Copies::Lanes],
            };
            let kept = self.kept();
            ways.extend(
                copies.iter().map(|copies| Geometry::Rows(Deal { copies: *copies, workers: form.workers, kept })),
            );
        }
        ways.extend(form.pixels.map(|n| Geometry::Channels(n as u32)));
        let mut best = None;
        for geometry in ways {
            let attempt = Attempt { geometry, ..Attempt::default() };
            if let Ok(outcome) = self.with_floats(&attempt) {
                best = Some(outcome);
                break;
            }
        }
        let (attempt, mut outcome) = match best {
            Some(best) => best,
            None => self.with_floats(&Attempt::default())?,
        };
        if form.supposes && outcome.tests_in_loops > 0 {
            let mut trial = Attempt { supposes: true, ..attempt };
            for _ in 0..MOST_ATTEMPTS {
                let Ok(new) = self.lower_as(&trial) else { break };
                if new.broken.is_empty() {
                    if new.tests_in_loops < outcome.tests_in_loops {
                        outcome = new;
                    }
                    break;
                }
                trial.not.extend(new.broken);
            }
        }
        Ok((outcome.lowered, outcome.afters))
    }

    /// Whether the nest does nothing but add to arrays, on a device whose workers had better keep ranges of them.
    fn only_adds(&self) -> bool {
        let plan = &self.nest.plan;
        let keeps = !plan.extremes.is_empty() || self.nest.maybe_set().next().is_some();
        self.form.ranged && !keeps && plan.reductions.is_empty()
    }

    /// Elements of the copies that a group's lanes keep of the arrays that iterations accumulate into.
    fn kept(&self) -> i64 {
        let vars = self.nest.vars.iter().zip(self.args);
        let arrays = vars.filter(|((name, _), _)| self.nest.plan.accumulates.contains(name));
        let lengths = arrays.map(|(_, v)| if let Value::Array(t) = v { t.len() as i64 } else { 0 });
        lengths.sum::<i64>().saturating_mul(LANES)
    }

    fn with_floats(&self, attempt: &Attempt) -> Low<(Attempt, Outcome)> {
        let plan = &self.nest.plan;
        let mut attempt = attempt.clone();
        loop {
            let refusal = match self.lower_as(&attempt) {
                Ok(outcome) => return Ok((attempt, outcome)),
                Err(refusal) => refusal,
            };
            // An integer that `v = v + e` makes a float is a float from the first iteration on, or within each iteration.
            let plain = |n: &Text| plan.reductions.iter().any(|r| r.0 == *n && !r.2);
            let extreme = |n: &Text| plan.extremes.iter().any(|e| e.name == *n);
            let may = |n: &Text| plain(n) || extreme(n) || self.nest.is_own(n);
            if !attempt.retyped.add(&self.wanted.take(), may, |n| self.nest.is_plain(n)) {
                return Err(refusal);
            }
        }
    }

    fn lower_as(&self, attempt: &Attempt) -> Low<Outcome> {
        let Job { nest, args, dims, form, cx, .. } = *self;
        let mut lower = Lower::new(LOOP, cx, Shape::new(dims, None), true);
        let l = &mut lower;
        l.accumulates = nest.plan.accumulates.clone();
        l.fixed = form.fixed.iter().map(|i| Path::new(Root::Argument(*i))).collect();
        l.chosen = self.numbers.iter().map(|i| Path::new(Root::Argument(*i))).collect();
        l.doubles = form.doubles;
        l.kinds.floats = attempt.retyped.floats.iter().filter(|n| nest.is_own(n)).cloned().collect();
        l.kinds.either = attempt.retyped.either.clone();
        l.kinds.exact = attempt.retyped.exact;
        l.kinds.wides = attempt.retyped.wides.clone();
        l.kinds.seen = nest.typed().collect();
        l.supposed.on = attempt.supposes;
        let combined = nest.plan.reductions.iter().map(|r| &r.0).chain(nest.plan.extremes.iter().map(|e| &e.name));
        l.supposed.not = attempt.not.iter().chain(combined).cloned().collect();
        let axes = l.launch.axes();
        match attempt.geometry {
            Geometry::Rows(_) => l.b.set_over(1),
            Geometry::Channels(_) if axes.len() > MOST_AXES => refuse!("pixels over so many axes"),
            Geometry::Channels(_) if self.channel_is_loop() => l.set_axes(&axes[..axes.len() - 1]),
            _ => l.set_axes(&axes),
        }
        l.b.kernel().span = Some(nest.ast.span);
        l.b.kernel().relaxed = nest.plan.relaxed;
        l.b.kernel().regroup = true;
        let loops = nest.loops();
        let body = &loops[loops.len() - 1].body;
        l.push_frame(body, (Access::Safe, Access::Checked))?;
        enter(l, nest, args);
        let mut afters = Afters::default();
        let done = match attempt.geometry {
            Geometry::Rows(deal) => self.by_rows(l, attempt, deal.copies, &axes, &mut afters),
            _ => self.by_items(l, attempt, &axes, &mut afters),
        };
        *self.wanted.borrow_mut() = std::mem::take(&mut l.kinds.wanted);
        done?;
        let (tests_in_loops, broken) = (l.tests_in_loops, std::mem::take(&mut l.supposed.broken));
        let mut lowered = Lowered::finish(lower)?;
        lowered.geometry = attempt.geometry;
        lowered.supposes = attempt.supposes;
        Ok(Outcome { lowered, afters, tests_in_loops, broken })
    }

    /// Whether the innermost loop goes over the channels.
    fn channel_is_loop(&self) -> bool {
        self.dims.len() > 1 && self.form.pixels.is_some() && self.dims.last().copied() == self.form.pixels
    }

    /// One item for an iteration, or for one of its channels.
    fn by_items(&self, l: &mut Lower<'_>, attempt: &Attempt, axes: &[usize], afters: &mut Afters) -> Low<()> {
        let loops = self.nest.loops();
        let mut ks: Vec<Num> = Vec::new();
        for level in 0..loops.len() {
            let own = if self.form.turned { (level + 1) % loops.len() } else { level };
            ks.push(match axes.iter().position(|a| *a == own) {
                Some(axis) if !(matches!(attempt.geometry, Geometry::Channels(_)) && axis + 1 == axes.len()) => {
                    l.item(axis)
                }
                _ => l.int(0),
            });
        }
        if let Geometry::Channels(count) = attempt.geometry {
            self.spread_pixels(l, i64::from(count), axes, &mut ks)?;
        }
        self.set_loops(l, &loops, &ks)?;
        let accumulators = self.open(l, attempt, false)?;
        if !l.kept.is_empty() {
            if attempt.geometry != Geometry::Items {
                refuse!("pixels that leave values");
            }
            l.iteration = Some(item_number(l));
        }
        l.block_with_continue(&loops[loops.len() - 1].body)?;
        l.check_kept()?;
        last_values(l, self.nest, afters)?;
        if let Some(at) = l.iteration {
            l.store_kept(self.nest, at, afters)?;
        }
        for (name, class, slot) in accumulators {
            let Some((op, _)) = reduction_of(class) else { refuse!("such a reduction") };
            let at = item_number(l);
            self.part(l, name, op, &slot, at, afters)?;
        }
        Ok(())
    }

    /// Accumulators of reductions, and what is kept besides.
    fn open(&self, l: &mut Lower<'_>, attempt: &Attempt, all: bool) -> Low<Vec<(Text, char, Slot)>> {
        let float = |name: &Text| attempt.retyped.floats.contains(name);
        let mut accumulators = Vec::new();
        for (name, class, _) in &self.nest.plan.reductions {
            let slot = accumulator(l, self.nest, self.args, name, *class, float(name))?;
            accumulators.push((name.clone(), *class, slot));
        }
        l.open_kept(self.nest, self.args, all, &float)?;
        Ok(accumulators)
    }

    fn part(
        &self,
        l: &mut Lower<'_>,
        name: Text,
        op: Op2,
        slot: &Slot,
        at: kir::Value,
        afters: &mut Afters,
    ) -> Low<()> {
        let Val::Num(n) = l.get_slot(slot)? else { refuse!("'{name}' is no number") };
        store_partial(l, &n, afters.0.len(), at)?;
        afters.0.push(After { name, buffer: afters.0.len(), kind: n.kind, what: What::Parts(op) });
        Ok(())
    }

    /// The indices of an item that computes one channel.
    fn spread_pixels(&self, l: &mut Lower<'_>, count: i64, axes: &[usize], ks: &mut [Num]) -> Low<()> {
        let own = self.channel_is_loop();
        let column = if own { axes.len().checked_sub(2) } else { axes.len().checked_sub(1) };
        let Some(axis) = column else { refuse!("pixels without columns") };
        let t = l.b.axis(Op::Item, axis as u32);
        let n = l.b.i32(count as i32);
        let (q, r) = (l.op(Op::Div, &[t, n]), l.op(Op::Mod, &[t, n]));
        let item = Some(Item::new(axis));
        let k = Num { range: Some(FEW), item, wide: Some(t), ..Num::new(Kind::Int, q) };
        let channel = Num { range: Some(Bounds::new(0, count - 1)), channel: true, ..Num::new(Kind::Int, r) };
        l.pixels = Some(Pixels { count, channel });
        ks[axes[axis]] = k;
        if own {
            ks[axes[axis + 1]] = channel;
        }
        Ok(())
    }

    /// Gives the variables of the loops their values.
    fn set_loops(&self, l: &mut Lower<'_>, loops: &[&For], ks: &[Num]) -> Low<()> {
        loops.iter().zip(ks).enumerate().try_for_each(|(level, (f, k))| set_loop(l, f, self.form, level, *k))
    }

    /// Groups that take rows of iterations.
    fn by_rows(
        &self,
        l: &mut Lower<'_>,
        attempt: &Attempt,
        copies: Copies,
        axes: &[usize],
        afters: &mut Afters,
    ) -> Low<()> {
        let loops = self.nest.loops();
        let accumulators = self.open(l, attempt, true)?;
        self.make_bins(l, copies, afters)?;
        let param = |l: &mut Lower<'_>, name: &str, source: Source| {
            let v = l.b.scalar(name, kir::Type::I32);
            l.sources.push(source);
            v
        };
        let (each, all) = (param(l, "rows", Source::Rows(0)), param(l, "allrows", Source::Rows(1)));
        let lengths: Vec<kir::Value> = axes.iter().map(|a| param(l, &format!("count{a}"), Source::Dim(*a))).collect();
        let one = l.b.i32(1);
        let (group, lane) = (l.group_number(), l.lane());
        // Indices of the outer loops, and the iterations of the row.
        let last = axes.len() - 1;
        let first = l.op(Op::Mul, &[group, each]);
        let end = l.op(Op::Add, &[first, each]);
        let end = l.op(Op::Min, &[end, all]);
        let row = l.b.begin_for(first, end, one);
        l.iteration = (last != 0 && !l.kept.is_empty()).then(|| l.op(Op::Mul, &[row, lengths[last]]));
        let mut ks = vec![l.int(0); loops.len()];
        let (start, length) = if last == 0 {
            let size = param(l, "row", Source::Rows(2));
            let start = l.op(Op::Mul, &[row, size]);
            let left = l.op(Op::Sub, &[lengths[0], start]);
            (Some(start), l.op(Op::Min, &[left, size]))
        } else {
            let mut rest = row;
            for axis in (0..last).rev() {
                let k = if axis == 0 { rest } else { l.op(Op::Mod, &[rest, lengths[axis]]) };
                rest = if axis == 0 { rest } else { l.op(Op::Div, &[rest, lengths[axis]]) };
                ks[axes[axis]] = index(k, axis);
            }
            (None, lengths[last])
        };
        self.row(l, lane, (start, length), axes, &mut ks)?;
        l.b.end();
        l.store_shared_bins();
        let lanes = l.b.i32(LANES as i32);
        let first = l.op(Op::Mul, &[group, lanes]);
        let at = l.op(Op::Add, &[first, lane]);
        l.store_kept(self.nest, at, afters)?;
        for (name, class, slot) in accumulators {
            let Some((op, _)) = reduction_of(class) else { refuse!("such a reduction") };
            self.part(l, name, op, &slot, at, afters)?;
        }
        Ok(())
    }

    /// The iterations of a row, 16 at a time; the last of them may be fewer.
    fn row(
        &self,
        l: &mut Lower<'_>,
        lane: kir::Value,
        (start, length): (Option<kir::Value>, kir::Value),
        axes: &[usize],
        ks: &mut [Num],
    ) -> Low<()> {
        let (loops, last) = (self.nest.loops(), axes.len() - 1);
        let (zero, lanes) = (l.b.i32(0), l.b.i32(LANES as i32));
        let whole = l.b.i32(!(LANES as i32 - 1));
        let whole = l.op(Op::And, &[length, whole]);
        let before = Before::of(l.frame());
        let row_begins = l.iteration;
        for part in 0..2 {
            let at = if part == 0 { l.b.begin_for(zero, whole, lanes) } else { whole };
            let k = l.op(Op::Add, &[at, lane]);
            if part == 1 {
                let inside = l.op(Op::CmpLt, &[k, length]);
                l.b.begin_if(inside);
            }
            let k = start.map_or(k, |s| l.op(Op::Add, &[s, k]));
            ks[axes[last]] = index(k, last);
            l.iteration = Some(row_begins.map_or(k, |r| l.op(Op::Add, &[r, k])));
            before.restore(l.frame());
            self.set_loops(l, &loops, ks)?;
            l.forget_assigned(&loops[loops.len() - 1].body);
            l.block_with_continue(&loops[loops.len() - 1].body)?;
            l.check_kept()?;
            l.b.end();
        }
        before.restore(l.frame());
        Ok(())
    }

    /// Copies of the arrays that iterations accumulate into.
    fn make_bins(&self, l: &mut Lower<'_>, copies: Copies, afters: &mut Afters) -> Low<()> {
        let mut left = self.form.shared;
        for name in self.nest.plan.accumulates.iter().filter(|_| copies != Copies::None) {
            let i = self.nest.vars.iter().position(|v| v.0 == *name);
            let Some(i) = i.filter(|i| self.form.fixed.contains(i)) else { refuse!("'{name}' is too large for bins") };
            l.hint = Some(name.clone());
            let Val::Array(a) = l.given(&self.args[i], &Path::new(Root::Argument(i)))? else { refuse!("no array") };
            let Some(len) = a.known_len().filter(|n| may_have_bins(a.element, *n)) else { refuse!("no bins") };
            let number = afters.0.len();
            let kind = a.element.kind();
            let buf = result_buffer(l, number, kind);
            let mut shared = None;
            if copies == Copies::Groups {
                let (elem, padded) = (elem_of(kind), padded(len));
                let bytes = padded as u64 * u64::from(elem.bytes());
                let Some(rest) = left.checked_sub(bytes).filter(|_| elem.bytes() == 4) else { refuse!("no room") };
                left = rest;
                shared = Some(l.b.kernel().add_shared(name, elem, vec![padded as u32]));
            }
            l.bins.push(Bins { name: name.clone(), buf, len, shared });
            afters.0.push(After { name: name.clone(), buffer: number, kind, what: What::Bins(len) });
        }
        Ok(())
    }
}

/// Gives the variable of a loop its value in iteration `k`.
pub(super) fn set_loop(l: &mut Lower<'_>, f: &For, form: &Form, level: usize, k: Num) -> Low<()> {
    let item = loop_item(l, f, form, level, k)?;
    let frame = l.frame();
    frame.vars.insert(f.name.clone(), Slot::Fixed(Val::Num(item)));
    frame.defined.insert(f.name.clone());
    Ok(())
}

/// The value of a loop's variable in its iteration `k`.
fn loop_item(l: &mut Lower<'_>, f: &For, form: &Form, level: usize, k: Num) -> Low<Num> {
    let ExprKind::Range { from, step, .. } = &f.over.kind else { refuse!("a loop over a vector") };
    let literal = |e: &Expr| if let ExprKind::Int(v) = e.kind { Some(v) } else { None };
    let fixed = form.ranges.get(level).copied().unwrap_or_default();
    let bound = |l: &mut Lower<'_>, known: Option<i64>, part: u8| match known {
        Some(v) => l.int(v),
        None => {
            let re = l.b.scalar(&format!("range{level}_{part}"), kir::Type::I32);
            l.sources.push(Source::Range(level, part));
            Num::new(Kind::Int, re)
        }
    };
    let start = bound(l, literal(from).or(fixed.0), 0);
    let step = bound(l, step.as_ref().map_or(Some(1), |s| literal(s)).or(fixed.1), 1);
    let unit = l.known_int(&step) == Some(1);
    if l.known_int(&start) == Some(0) && unit {
        // The run of a nest makes sure of this bound, too.
        return Ok(Num { range: Some(k.range.map_or(FEW, |r| r.meet(FEW))), ..k });
    }
    let item = l.range_item(&start, &step, &k)?;
    // The run of a nest makes sure of this.
    let item_of = if unit { item.item } else { None };
    Ok(Num { range: Some(Bounds::new(-FEW.high, FEW.high)), item: item_of, wide: item.wide.filter(|_| unit), ..item })
}

fn index(k: kir::Value, axis: usize) -> Num {
    let item = Some(Item::new(axis));
    Num { range: Some(FEW), item, ..Num::new(Kind::Int, k) }
}
