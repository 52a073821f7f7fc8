//! Loops over the groups of an extent, written out.
//!
//! * Needs: a SIMD kernel without variables, whose accesses have been recognised (`access`).
//! * Gives: a kernel that goes through the groups of its extent itself, in rows (`over` = 0), if it is straight and stores rows.
//! * Keeps: which items there are, and what each of them does. Groups come in another order, and to other workers.
//!
//! A back end's own loop takes one group after the other from anywhere in the extent: nothing is left from one to the next. In a
//! loop along a row everything that belongs to the row is invariant, neighbours share what they load, and stores of
//! neighbours go to memory together: the passes behind this one see to that. Groups that lie within the extent as a
//! whole need no mask; the last one of a row is done behind the loop.
//!
//! Loops within, such as those over a window, become their iterations if these are few. Tests of borders are made at borders only
//! then (`inside`): a row is the groups in front of those that are inside, those inside, whose code has no tests, and the groups
//! behind them.
//!
//! Rows are cut into pieces of 64 items or a power of two times that, so that each worker has several of them; they are dealt in
//! turn, so that workers are in neighbouring rows at a time, which share the lines of caches.
//!
//! ```text
//! kernel @f(…) simd group=16 over=2 { %g = group 1 … %in = cmp.lt %item, %e … store.row %x[%i], %v if %in }   ; before
//! ```
//! ```text
//! for %piece in 0..%pieces step 1 (%first = %worker) {                                                        ; after
//!   for %row in %first..%rows step %workers {
//!     for %c in %begin..%full step 16 { …  store.row %x[%i], %v }
//!     if %rest { …  store.row %x[%i], %v if %in }
//! } }
//! ```

mod bands;
mod copy;
mod inside;

pub use bands::{MOST_SQUARES, MOST_TURNED};
use inside::{Inside, LARGE};
use quadra_base::quick::Set;
use quadra_kir::{Block, Const, Inst, Kernel, LANES, Level, Op, Type, Value, Values};
use quadra_passes::analysis::linear::Form;
use quadra_passes::pass::{Facts, Pass};
use quadra_passes::{cse, dce, fold, licm, unfold, unroll};

/// The pass.
pub const PASS: Pass = Pass {
    name: "grid",
    about: "writes out the loops over the groups of an extent",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// The least piece of a row: what a transfer of four rows of 16 words stores, or a group, if it has loops to run.
const PIECE_BITS: [i32; 2] = [6, 4];
/// Longer bodies gain little, and there are several copies in the end.
const MOST_INSTS: usize = 160;
/// The same where loops within became their iterations, which have much in common.
const MOST_UNFOLDED: usize = 200;
/// Pieces that each worker should have at least, as powers of two that add up to it.
const PIECES_PER_WORKER: [i32; 2] = [4, 2];
/// More rows or pieces than this need not be told apart.
const MANY: i32 = 4095;

/// Rewrites a kernel that is launched over an extent.
pub fn run(kernel: &mut Kernel) {
    if !fits(kernel) {
        return;
    }
    let everywhere = kernel.body.clone();
    let loops = kernel.body.any(&mut |i| i.op == Op::For);
    if loops {
        // Windows of a few elements: neighbours share what they load only if no loop stands between them.
        let mut unfolded = kernel.clone();
        unfold::run(&mut unfolded, MOST_UNFOLDED);
        fold::run(&mut unfolded);
        cse::run(&mut unfolded);
        dce::run(&mut unfolded);
        if unfolded.body.count() <= MOST_UNFOLDED {
            *kernel = unfolded;
        }
    }
    // Without loops a group is done so soon that what has to be computed anew for its ends costs more than its tests.
    let inside = if loops { inside::find(kernel) } else { Inside::default() };
    let bands = !inside.tests && bands::pays(kernel);
    let body = std::mem::take(&mut kernel.body);
    let piece = PIECE_BITS[usize::from(body.any(&mut |i| i.op == Op::For))];
    let written = Written { over: kernel.over as u32, insts: Vec::new(), piece, bands, kernel };
    let insts = written.kernel([&everywhere, &body], &inside);
    kernel.body = Block { params: Values::new(), insts };
    kernel.over = 0;
    fold::run(kernel);
    cse::run(kernel);
    licm::run(kernel);
    cse::run(kernel);
    dce::run(kernel);
}

/// Whether the loop is worth writing out, and its order does not matter.
fn fits(kernel: &Kernel) -> bool {
    let stays = |i: &Inst| match i.op {
        Op::Load | Op::LoadRow | Op::Store | Op::StoreRow | Op::If | Op::For | Op::Yield | Op::Group | Op::Extent => {
            true
        }
        Op::NumGroups | Op::GroupSize | Op::LaneActive | Op::Worker | Op::NumWorkers => false,
        op => op.is_pure() && (!op.is_cross_lane() || op.is_vote()),
    };
    let end = kernel.body.terminator();
    let (mut count, mut plain) = (0, true);
    kernel.body.walk(&mut |i| {
        count += 1;
        plain &= stays(i) || end.is_some_and(|e| std::ptr::eq(e, i) && i.op == Op::Return);
    });
    kernel.level == Level::Simd
        && (1..=3).contains(&kernel.over)
        && kernel.group == [LANES]
        && !kernel.concurrent
        && kernel.shared().next().is_none()
        && plain
        && count <= MOST_INSTS
        && kernel.body.any(&mut |i| matches!(i.op, Op::Store | Op::StoreRow))
}

/// The new body under construction.
struct Written<'k> {
    kernel: &'k mut Kernel,
    over: u32,
    /// The least piece of a row, as a power of two.
    piece: i32,
    /// Whether the rows of the last but one axis are taken in bands.
    bands: bool,
    insts: Vec<Inst>,
}

/// The groups that are inside, as the program finds them: for each axis the first and the end.
type Found = Vec<[Option<Value>; 2]>;

impl Written<'_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let (ty, span) = (Type::I32, self.kernel.span);
        unroll::emit(self.kernel, op, args, ty, &Inst::new(op, []).at(span), &mut self.insts)
    }

    /// `op` of a value and a constant.
    fn with(&mut self, op: Op, a: Value, n: i32) -> Value {
        let n = self.kernel.const_i32(n);
        self.op(op, &[a, n])
    }

    fn extent(&mut self, axis: u32) -> Value {
        let v = self.op(Op::Extent, &[]);
        self.insts.last_mut().expect("an instruction was just added").imm = axis;
        v
    }

    /// What `inner` writes, as a block of its own, and its result.
    fn region<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> (Vec<Inst>, T) {
        let before = std::mem::take(&mut self.insts);
        let result = inner(self);
        (std::mem::replace(&mut self.insts, before), result)
    }

    fn compare(&mut self, op: Op, a: Value, b: Value) -> Value {
        let at = Inst::new(op, []).at(self.kernel.span);
        unroll::emit(self.kernel, op, &[a, b], Type::BOOL, &at, &mut self.insts)
    }

    /// `for` from `range.0` to `range.1` in steps, with values carried; gives what they are at the end.
    fn count(
        &mut self,
        range: (Value, Value, Value),
        carried: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Values,
    ) -> Values {
        let span = self.kernel.span;
        let params: Values = (0..=carried.len()).map(|_| self.kernel.new_value(Type::I32)).collect();
        let (mut insts, next) = self.region(|w| body(w, params[0], &params[1..]));
        insts.push(Inst::new(Op::Yield, next).at(span));
        let mut inst = Inst::new(Op::For, [range.0, range.1, range.2]).at(span);
        inst.args.extend_from_slice(carried);
        inst.results = carried.iter().map(|_| self.kernel.new_value(Type::I32)).collect();
        inst.regions = vec![Block { params, insts }];
        let results = inst.results.clone();
        self.insts.push(inst);
        results
    }

    fn kernel(mut self, bodies: [&Block; 2], inside: &Inside) -> Vec<Inst> {
        let (worker, workers) = (self.op(Op::Worker, &[]), self.op(Op::NumWorkers, &[]));
        let extents: Vec<Value> = (0..self.over).map(|axis| self.extent(axis)).collect();
        let found = inside.tests.then(|| self.found(inside, &extents));
        let (&length, outer) = extents.split_last().expect("there is at least one axis");
        let mut dealt = outer.to_vec();
        let banded = dealt.last_mut().filter(|_| self.bands);
        let banded = banded.map(|axis| std::mem::replace(axis, self.bands(*axis)));
        let outer = &dealt[..];
        let shift = self.piece(length, outer, workers);
        let pieces = self.pieces(length, shift);
        let (zero, one) = (self.kernel.const_i32(0), self.kernel.const_i32(1));
        let (range, carried) = match outer {
            [] => ((worker, pieces, workers), None),
            _ => ((zero, pieces, one), Some(worker)),
        };
        self.count(range, carried.as_slice(), |w, piece, first| {
            let begin = w.op(Op::Shl, &[piece, shift]);
            let size = w.op(Op::Shl, &[one, shift]);
            let end = w.op(Op::Add, &[begin, size]);
            let end = w.op(Op::Min, &[end, length]);
            let row = Row { bodies, inside, found: found.as_ref(), ends: (begin, end, length) };
            match first {
                [first] => {
                    let next = w.rows(outer, &mut Vec::new(), (*first, workers), &mut |w, groups| match banded {
                        Some(axis) => w.band(&row, groups, axis),
                        None => w.row(&row, groups),
                    });
                    Values::from_slice(&[next])
                }
                _ => {
                    w.row(&row, &[]);
                    Values::new()
                }
            }
        });
        self.insts.push(Inst::new(Op::Return, []).at(self.kernel.span));
        self.insts
    }

    /// Computes where the groups are that are inside.
    fn found(&mut self, inside: &Inside, extents: &[Value]) -> Found {
        let outside = |v: Value| inside.extents.get(&v).map_or(v, |&axis| extents[axis]);
        let mut small: Vec<Value> = extents.to_vec();
        let mut ranges = vec![[None; 2]; extents.len()];
        for limit in &inside.limits {
            let Form { terms, constant } = &limit.at;
            let mut sum = self.kernel.const_i32(*constant);
            for &(v, f) in terms {
                let v = outside(v);
                small.push(v);
                for _ in 0..f.abs() {
                    sum = self.op(if f > 0 { Op::Add } else { Op::Sub }, &[sum, v]);
                }
            }
            let now = &mut ranges[limit.axis][usize::from(limit.ends)];
            let both = if limit.ends { Op::Min } else { Op::Max };
            *now = Some(match *now {
                Some(now) => self.op(both, &[now, sum]),
                None => sum,
            });
        }
        // Of whole groups along the innermost axis.
        if let Some([first, end]) = ranges.last_mut() {
            let up = first.map(|v| self.with(Op::Add, v, 15));
            *first = up.map(|v| self.with(Op::And, v, !15));
            *end = end.map(|v| self.with(Op::And, v, !15));
        }
        // All of them at once are as large as the largest.
        let mut seen = Set::default();
        small.retain(|v| seen.insert(*v));
        let mut all = self.kernel.const_i32(0);
        for v in small {
            all = self.op(Op::Or, &[all, v]);
        }
        let large = self.kernel.const_i32(LARGE);
        let holds = self.compare(Op::CmpLtU, all, large);
        if let Some([_, end]) = ranges.last_mut() {
            let (most, none) = (end.unwrap_or(large), self.kernel.const_i32(0));
            *end = Some(self.choose(holds, most, none));
        }
        ranges
    }

    fn choose(&mut self, which: Value, a: Value, b: Value) -> Value {
        let at = Inst::new(Op::Select, []).at(self.kernel.span);
        unroll::emit(self.kernel, Op::Select, &[which, a, b], Type::I32, &at, &mut self.insts)
    }

    fn both(&mut self, a: Value, b: Value) -> Value {
        let at = Inst::new(Op::And, []).at(self.kernel.span);
        unroll::emit(self.kernel, Op::And, &[a, b], Type::BOOL, &at, &mut self.insts)
    }

    /// Items of a piece, as a power of two: the largest that leaves enough pieces for all workers.
    fn piece(&mut self, length: Value, outer: &[Value], workers: Value) -> Value {
        let mut rows = None;
        for &n in outer {
            let n = self.with(Op::Min, n, MANY);
            rows = Some(match rows {
                None => n,
                Some(rows) => {
                    let product = self.op(Op::Mul24, &[rows, n]);
                    self.with(Op::Min, product, MANY)
                }
            });
        }
        let rows = rows.unwrap_or_else(|| self.kernel.const_i32(1));
        let parts = PIECES_PER_WORKER.map(|n| self.with(Op::Shl, workers, n.trailing_zeros() as i32));
        let enough = self.op(Op::Add, &parts);
        let span = self.kernel.span;
        let (shift, result) = (self.kernel.new_value(Type::I32), self.kernel.new_value(Type::I32));
        let (mut insts, (more, larger)) = self.region(|w| {
            // Twice as long is still enough, and this one is shorter than the row.
            let larger = w.with(Op::Add, shift, 1);
            let pieces = w.pieces(length, larger);
            let pieces = w.with(Op::Min, pieces, MANY);
            let all = w.op(Op::Mul24, &[rows, pieces]);
            let one = w.kernel.const_i32(1);
            let size = w.op(Op::Shl, &[one, shift]);
            // The longest piece has 2^30 items.
            let size = w.op(Op::Min, &[size, length]);
            let whole = w.op(Op::Sub, &[length, size]);
            let zero = w.kernel.const_i32(0);
            let (a, b) = (w.compare(Op::CmpGe, all, enough), w.compare(Op::CmpGt, whole, zero));
            (w.both(a, b), larger)
        });
        let mut test = Inst::new(Op::If, [more]).at(span);
        let leave = Inst::new(Op::Break, [shift]).at(span);
        let stay = Inst::new(Op::Yield, []).at(span);
        test.regions = [stay, leave].map(|i| Block { params: Values::new(), insts: vec![i] }).into();
        insts.push(test);
        insts.push(Inst::new(Op::Continue, vec![larger]).at(span));
        let mut inst = Inst::new(Op::Loop, [self.kernel.const_i32(self.piece)]).at(span);
        inst.results = Values::from_slice(&[result]);
        inst.regions = vec![Block { params: Values::from_slice(&[shift]), insts }];
        self.insts.push(inst);
        result
    }

    /// How many pieces a row has.
    fn pieces(&mut self, length: Value, shift: Value) -> Value {
        let last = self.with(Op::Add, length, -1);
        // Rows without items have no piece: -1 stays -1.
        let before = self.op(Op::Asr, &[last, shift]);
        self.with(Op::Add, before, 1)
    }

    /// Loops over the outer axes, of which the worker takes each `workers`-th position from `first` on. Gives the first one of
    /// the next round.
    fn rows(
        &mut self,
        axes: &[Value],
        groups: &mut Vec<Value>,
        (first, workers): (Value, Value),
        body: &mut dyn FnMut(&mut Self, &[Value]),
    ) -> Value {
        let (axis, rest) = axes.split_first().expect("there is an axis");
        if !rest.is_empty() {
            let (zero, one) = (self.kernel.const_i32(0), self.kernel.const_i32(1));
            let next = self.count((zero, *axis, one), &[first], |w, group, first| {
                groups.push(group);
                let next = w.rows(rest, groups, (first[0], workers), body);
                groups.pop();
                Values::from_slice(&[next])
            });
            return next[0];
        }
        let next = self.count((first, *axis, workers), &[first], |w, group, _| {
            groups.push(group);
            body(w, groups);
            groups.pop();
            Values::from_slice(&[w.op(Op::Add, &[group, workers])])
        });
        self.op(Op::Sub, &[next[0], *axis])
    }

    /// The groups of a piece of a row.
    fn row(&mut self, row: &Row<'_>, groups: &[Value]) {
        let (begin, end, length) = row.ends;
        let sixteen = self.kernel.const_i32(LANES as i32);
        let full = self.with(Op::And, end, !15);
        if let Some(found) = row.found {
            return self.borders(row, found, groups, (begin, full, end));
        }
        self.count((begin, full, sixteen), &[], |w, item, _| {
            w.group(row, groups, item, Some(length));
            Values::new()
        });
        let rest = self.compare(Op::CmpLt, full, end);
        self.only_if(rest, |w| w.group(row, groups, full, None));
    }

    /// The groups of a piece of a row, if only those inside need no tests: a loop of two turns, whose first one is about what
    /// lies before them and about them, the second one about what lies behind.
    fn borders(&mut self, row: &Row<'_>, found: &Found, groups: &[Value], (begin, full, end): (Value, Value, Value)) {
        let mut holds = self.kernel.constant(Const::bool(true));
        let (inner, outer) = found.split_last().expect("there is at least one axis");
        for (&group, [first, last]) in groups.iter().zip(outer) {
            if let Some(first) = *first {
                let at = self.compare(Op::CmpGe, group, first);
                holds = self.both(holds, at);
            }
            if let Some(last) = *last {
                let at = self.compare(Op::CmpLt, group, last);
                holds = self.both(holds, at);
            }
        }
        let [mut first, mut last] = [begin, full];
        if let Some(v) = inner[0] {
            let v = self.op(Op::Max, &[v, begin]);
            first = self.op(Op::Min, &[v, full]);
        }
        if let Some(v) = inner[1] {
            let v = self.op(Op::Min, &[v, full]);
            last = self.op(Op::Max, &[v, first]);
        }
        last = self.choose(holds, last, first);
        let [zero, one, two] = [0, 1, 2].map(|n| self.kernel.const_i32(n));
        self.count((zero, two, one), &[begin, first, last], |w, _, now| {
            w.groups(row, groups, (now[0], now[1]), None);
            w.groups(row, groups, (now[1], now[2]), Some(row.ends.2));
            Values::from_slice(&[last, end, end])
        });
    }

    /// A loop over groups, if there are any: what it needs is computed where it begins, and needs no registers elsewhere.
    fn groups(&mut self, row: &Row<'_>, groups: &[Value], (from, to): (Value, Value), all_within: Option<Value>) {
        let any = self.compare(Op::CmpLt, from, to);
        let sixteen = self.kernel.const_i32(LANES as i32);
        self.only_if(any, |w| {
            w.count((from, to, sixteen), &[], |w, item, _| {
                w.group(row, groups, item, all_within);
                Values::new()
            });
        });
    }

    fn only_if(&mut self, holds: Value, body: impl FnOnce(&mut Self)) {
        let span = self.kernel.span;
        let (mut insts, ()) = self.region(body);
        let stop = || Inst::new(Op::Yield, []).at(span);
        insts.push(stop());
        let mut branch = Inst::new(Op::If, [holds]).at(span);
        branch.regions =
            vec![Block { params: Values::new(), insts }, Block { params: Values::new(), insts: vec![stop()] }];
        self.insts.push(branch);
    }
}

/// What the groups of a row do.
struct Row<'a> {
    /// What holds everywhere, which is short, and what groups do that lie within the extent as a whole.
    bodies: [&'a Block; 2],
    inside: &'a Inside,
    found: Option<&'a Found>,
    /// The first item, the end, and the end of the extent.
    ends: (Value, Value, Value),
}
