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
//! Rows are cut into pieces of 64 items or a power of two times that, so that each worker has several of them; they are dealt in
//! turn, so that workers are in neighbouring rows at a time, which share the lines of caches.
//!
//! ```kir
//! kernel @f(…) simd group=16 over=2 { %g = group 1 … %in = cmp.lt %item, %e … store.row %x[%i], %v if %in }   ; before
//! ```
//! ```kir
//! for %piece in 0..%pieces step 1 (%first = %worker) {                                                        ; after
//!   for %row in %first..%rows step %workers {
//!     for %c in %begin..%full step 16 { …  store.row %x[%i], %v }
//!     if %rest { …  store.row %x[%i], %v if %in }
//! } }
//! ```

use crate::pass::{Facts, Pass};
use crate::unroll;
use crate::{cse, dce, fold, licm};
use quadra_base::quick::Map;
use quadra_kir::{Block, Const, Inst, Kernel, Level, Op, Type, Value, Values};

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

/// The least piece of a row: what a transfer of four rows of 16 words stores.
const PIECE_BITS: i32 = 6;
/// Longer bodies gain little, and there are several copies in the end.
const MOST_INSTS: usize = 160;
/// Pieces that each worker should have at least, as powers of two that add up to it.
const PIECES_PER_WORKER: [i32; 2] = [4, 2];
/// More rows or pieces than this need not be told apart.
const MANY: i32 = 4095;

/// Rewrites a kernel that is launched over an extent.
pub fn run(kernel: &mut Kernel) {
    if !fits(kernel) {
        return;
    }
    let body = std::mem::take(&mut kernel.body);
    let written = Written { over: kernel.over as u32, insts: Vec::new(), kernel };
    let insts = written.kernel(&body);
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
        Op::Load | Op::LoadRow | Op::Store | Op::StoreRow | Op::If | Op::Yield | Op::Group | Op::Extent => true,
        Op::NumGroups | Op::GroupSize | Op::LaneActive | Op::Worker | Op::NumWorkers => false,
        op => op.is_pure() && (!op.is_cross_lane() || op.is_vote()),
    };
    let end = kernel.body.terminator();
    let (mut count, mut straight) = (0, true);
    kernel.body.walk(&mut |i| {
        count += 1;
        straight &= stays(i) || end.is_some_and(|e| std::ptr::eq(e, i) && i.op == Op::Return);
    });
    kernel.level == Level::Simd
        && (1..=3).contains(&kernel.over)
        && kernel.group == [16]
        && !kernel.concurrent
        && kernel.shared().next().is_none()
        && straight
        && count <= MOST_INSTS
        && kernel.body.any(&mut |i| i.op == Op::StoreRow)
}

/// The new body under construction.
struct Written<'k> {
    kernel: &'k mut Kernel,
    over: u32,
    insts: Vec<Inst>,
}

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

    /// `for` from `range.0` to `range.1` in steps, with one value carried if there is one; gives what it is at the end.
    fn count(
        &mut self,
        range: (Value, Value, Value),
        carried: Option<Value>,
        body: impl FnOnce(&mut Self, Value, Option<Value>) -> Option<Value>,
    ) -> Option<Value> {
        let span = self.kernel.span;
        let counter = self.kernel.new_value(Type::I32);
        let inside = carried.map(|_| self.kernel.new_value(Type::I32));
        let (mut insts, next) = self.region(|w| body(w, counter, inside));
        insts.push(Inst::new(Op::Yield, next).at(span));
        let mut inst = Inst::new(Op::For, [range.0, range.1, range.2].into_iter().chain(carried)).at(span);
        inst.results = carried.map(|_| self.kernel.new_value(Type::I32)).into_iter().collect();
        inst.regions = vec![Block { params: std::iter::once(counter).chain(inside).collect(), insts }];
        let result = inst.results.first().copied();
        self.insts.push(inst);
        result
    }

    fn kernel(mut self, body: &Block) -> Vec<Inst> {
        let (worker, workers) = (self.op(Op::Worker, &[]), self.op(Op::NumWorkers, &[]));
        let extents: Vec<Value> = (0..self.over).map(|axis| self.extent(axis)).collect();
        let (&length, outer) = extents.split_last().expect("there is at least one axis");
        let shift = self.piece(length, outer, workers);
        let pieces = self.pieces(length, shift);
        let (zero, one) = (self.kernel.const_i32(0), self.kernel.const_i32(1));
        let range = if outer.is_empty() { (worker, pieces, workers) } else { (zero, pieces, one) };
        self.count(range, (!outer.is_empty()).then_some(worker), |w, piece, first| {
            let begin = w.op(Op::Shl, &[piece, shift]);
            let size = w.op(Op::Shl, &[one, shift]);
            let end = w.op(Op::Add, &[begin, size]);
            let end = w.op(Op::Min, &[end, length]);
            match first {
                Some(first) => Some(w.rows(outer, &mut Vec::new(), (first, workers), &mut |w, groups| {
                    w.row(body, groups, (begin, end, length));
                })),
                None => {
                    w.row(body, &[], (begin, end, length));
                    None
                }
            }
        });
        self.insts.push(Inst::new(Op::Return, []).at(self.kernel.span));
        self.insts
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
            let at = Inst::new(Op::CmpLt, []).at(span);
            let zero = w.kernel.const_i32(0);
            let a = unroll::emit(w.kernel, Op::CmpGe, &[all, enough], Type::BOOL, &at, &mut w.insts);
            let b = unroll::emit(w.kernel, Op::CmpGt, &[whole, zero], Type::BOOL, &at, &mut w.insts);
            let more = unroll::emit(w.kernel, Op::And, &[a, b], Type::BOOL, &at, &mut w.insts);
            (more, larger)
        });
        let mut test = Inst::new(Op::If, [more]).at(span);
        let leave = Inst::new(Op::Break, [shift]).at(span);
        let stay = Inst::new(Op::Yield, []).at(span);
        test.regions = [stay, leave].map(|i| Block { params: Values::new(), insts: vec![i] }).into();
        insts.push(test);
        insts.push(Inst::new(Op::Continue, vec![larger]).at(span));
        let mut inst = Inst::new(Op::Loop, [self.kernel.const_i32(PIECE_BITS)]).at(span);
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
            let next = self.count((zero, *axis, one), Some(first), |w, group, first| {
                groups.push(group);
                let next = w.rows(rest, groups, (first.expect("it is carried"), workers), body);
                groups.pop();
                Some(next)
            });
            return next.expect("it is carried");
        }
        let next = self.count((first, *axis, workers), Some(first), |w, group, _| {
            groups.push(group);
            body(w, groups);
            groups.pop();
            Some(w.op(Op::Add, &[group, workers]))
        });
        self.op(Op::Sub, &[next.expect("it is carried"), *axis])
    }

    /// The groups of a piece of a row.
    fn row(&mut self, body: &Block, groups: &[Value], (begin, end, length): (Value, Value, Value)) {
        let sixteen = self.kernel.const_i32(16);
        let full = self.with(Op::And, end, !15);
        self.count((begin, full, sixteen), None, |w, item, _| {
            w.group(body, groups, item, Some(length));
            None
        });
        let span = self.kernel.span;
        let at = Inst::new(Op::CmpLt, []).at(span);
        let rest = unroll::emit(self.kernel, Op::CmpLt, &[full, end], Type::BOOL, &at, &mut self.insts);
        let (mut insts, ()) = self.region(|w| w.group(body, groups, full, None));
        let stop = || Inst::new(Op::Yield, []).at(span);
        insts.push(stop());
        let mut branch = Inst::new(Op::If, [rest]).at(span);
        branch.regions =
            vec![Block { params: Values::new(), insts }, Block { params: Values::new(), insts: vec![stop()] }];
        self.insts.push(branch);
    }

    /// A copy of the body for the group that begins with `item`; all of its items lie within the extent if its length is given.
    fn group(&mut self, body: &Block, groups: &[Value], item: Value, all_within: Option<Value>) {
        let mut insts = body.insts.clone();
        insts.pop();
        let inner = self.over - 1;
        let four = self.kernel.const_i32(4);
        let mut map: Map<Value, Value> = Map::default();
        let is = |v: &Value, op: Op, imm: u32| {
            insts.iter().any(|i| i.results.first() == Some(v) && i.op == op && i.imm == imm)
        };
        let firsts: Vec<Value> = insts
            .iter()
            .filter(|i| i.op == Op::Shl && i.args[1] == four && is(&i.args[0], Op::Group, inner))
            .map(Inst::result)
            .collect();
        let items: Vec<Value> = insts
            .iter()
            .filter(|i| i.op == Op::Add && i.args.iter().any(|v| firsts.contains(v)))
            .filter(|i| i.args.iter().any(|v| is(v, Op::Lane, 0)))
            .map(Inst::result)
            .collect();
        if all_within.is_some() {
            let within = insts.iter().filter(|i| i.op == Op::CmpLt && items.contains(&i.args[0]));
            let within = within.filter(|i| is(&i.args[1], Op::Extent, inner)).map(Inst::result);
            let yes = self.kernel.constant(Const::bool(true));
            map.extend(within.map(|v| (v, yes)));
        }
        map.extend(firsts.into_iter().map(|v| (v, item)));
        let group = self.with(Op::Shr, item, 4);
        insts.retain(|i| {
            let Some(&v) = i.results.first() else { return true };
            if i.op == Op::Group {
                map.insert(v, groups.get(i.imm as usize).copied().unwrap_or(group));
            }
            !map.contains_key(&v)
        });
        let mut copied = unroll::copy(self.kernel, &insts, &mut map);
        let yes = self.kernel.constant(Const::bool(true));
        unmask(&mut copied, yes);
        self.insts.extend(copied);
    }
}

/// Masks that are true are none.
fn unmask(insts: &mut [Inst], yes: Value) {
    for inst in insts {
        inst.mask = inst.mask.filter(|m| *m != yes);
        inst.regions.iter_mut().for_each(|r| unmask(&mut r.insts, yes));
    }
}
