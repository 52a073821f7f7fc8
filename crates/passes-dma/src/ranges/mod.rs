//! Sums at places that the data say, in registers: each worker keeps a range of an array's elements, goes through all items, and adds
//! what belongs to its range.
//!
//! * Needs: a SIMD kernel without variables, whose accesses have been recognised (`access`).
//! * Gives: of a kernel that only adds to one array, a loop over ranges of so many rows of 16 elements as the launches say, in which
//!   the atomic operations go to an array in registers; its rows are added to memory at the end of a range.
//! * Keeps: what the array holds at the end, if the operation gives the same in any order; sums of floats are rounded in another order.
//!
//! An atomic operation in memory holds the one mutex while a word goes there and back, so that workers wait for each other. A worker
//! that keeps a range to itself waits for nobody, but sees every item: whoever launches the kernel compares (`pays`). It stands
//! before `grid`, because the groups of the extent are gone through here.
//!
//! ```kir
//! ; launches: ranges=2
//! kernel @f(%x: buf<i32, r>, %h: buf<i32, rw>, %n: i32) simd group=16 over=1 {
//!   %g = group 0
//!   %i = shl %g, 4
//!   %l = lane
//!   %j = add %i, %l
//!   %e = extent 0
//!   %entry = cmp.lt %j, %e
//!   %a = load.row.inside %x[%i] if %entry
//!   %s = cmp.lt.u %a, %n
//!   %m = and %entry, %s
//!   %old = atomic.add.inside %h[%a], 1 if %m
//! }
//! ; check: kernel @f(%x: buf<i32, r>, %h: buf<i32, rw>, %n: i32, %h_range: shared<i32, 32>) simd group=16 {
//! ; check:   %0 = worker
//! ; check:   %1 = num_workers
//! ; check:   %2 = dim %h, 0
//! ; check:   %3 = max %2, 0
//! ; check:   %4 = mul24 %0, 32
//! ; check:   %5 = mul24 %1, 32
//! ; check:   %6 = extent 0
//! ; check:   %7 = and %6, -16
//! ; check:   %8 = lane
//! ; check:   %9 = cmp.lt %7, %6
//! ; check:   for %10 in %4..%3 step %5 {
//! ; check:     store.row.inside %h_range[0], 0
//! ; check:     store.row.inside %h_range[16], 0
//! ; check:     for %11 in 0..%7 step 16 {
//! ; check:       %12 = load.row.inside %x[%11]
//! ; check:       %13 = cmp.lt.u %12, %n
//! ; check:       %14 = sub %12, %10
//! ; check:       %15 = cmp.lt.u %14, 32
//! ; check:       %16 = and %13, %15
//! ; check:       %17 = vote.any %16
//! ; check:       if %17 { %18 = atomic.add.inside %h_range[%14], 1 if %16 }
//! ; check:     }
//! ; check:     if %9 {
//! ; check:       %19 = add %7, %8
//! ; check:       %20 = cmp.lt %19, %6
//! ; check:       %21 = load.row.inside %x[%7] if %20
//! ; check:       %22 = cmp.lt.u %21, %n
//! ; check:       %23 = and %20, %22
//! ; check:       %24 = sub %21, %10
//! ; check:       %25 = cmp.lt.u %24, 32
//! ; check:       %26 = and %23, %25
//! ; check:       %27 = vote.any %26
//! ; check:       if %27 { %28 = atomic.add.inside %h_range[%24], 1 if %26 }
//! ; check:     }
//! ; check:     %29 = sub %2, %10
//! ; check:     %30 = min %29, 32
//! ; check:     %31 = max %30, 0
//! ; check:     %32 = and %31, -16
//! ; check:     for %33 in 0..%32 step 16 {
//! ; check:       %34 = add %10, %33
//! ; check:       %35 = load.row.inside %h_range[%33]
//! ; check:       %36 = load.row.inside %h[%34]
//! ; check:       %37 = add %36, %35
//! ; check:       store.row.inside %h[%34], %37
//! ; check:     }
//! ; check:     %38 = cmp.lt %32, %31
//! ; check:     if %38 {
//! ; check:       %39 = add %32, %8
//! ; check:       %40 = cmp.lt %39, %31
//! ; check:       %41 = add %10, %32
//! ; check:       %42 = load.row.inside %h_range[%32]
//! ; check:       %43 = load.row.inside %h[%41] if %40
//! ; check:       %44 = add %43, %42
//! ; check:       store.row.inside %h[%41], %44 if %40
//! ; check:     }
//! ; check:   }
//! ; check: }
//! ```

mod cost;

pub use cost::pays;

use quadra_base::quick::{Map, Set};
use quadra_kir::{Access, Block, Buf, Const, Elem, Inst, Kernel, LANES, Level, Mode, Op, Space, Type, Value, Values};
use quadra_passes::pass::{Facts, Pass};
use quadra_passes::unroll::{copy, emit};
use quadra_passes::{cse, dce, fold, licm};

/// The pass.
pub const PASS: Pass = Pass {
    name: "ranges",
    about: "keeps ranges of an array that items add to in registers",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, cx| {
        run(kernel, cx.launches.range_rows);
        Ok(())
    },
};

/// Elements of a row.
const ROW: i32 = LANES as i32;
/// The most arrays.
const MOST_ARRAYS: usize = 4;

/// The arrays that a kernel adds to, each with what puts two parts of it together, if it changes nothing else and the order does not
/// matter; none otherwise.
pub fn arrays(kernel: &Kernel) -> Vec<(Buf, Op)> {
    let end = kernel.body.terminator();
    let mut found: Vec<(Buf, Op)> = Vec::new();
    let (mut plain, mut reads, mut used) = (true, Set::default(), Set::default());
    kernel.body.walk(&mut |i| {
        used.extend(i.uses());
        plain &= match i.op {
            Op::AtomicAdd | Op::AtomicSub | Op::AtomicOr | Op::AtomicXor => {
                let join = match i.op {
                    Op::AtomicOr => Op::Or,
                    Op::AtomicXor => Op::Xor,
                    _ => Op::Add,
                };
                let buf = i.buf.expect("an atomic operation names a buffer");
                match found.iter().find(|f| f.0 == buf) {
                    Some(before) => before.1 == join,
                    None => {
                        found.push((buf, join));
                        i.args.len() == 2 && kernel.ty(i.args[0]).lanes
                    }
                }
            }
            Op::Load | Op::LoadRow => {
                reads.extend(i.buf);
                true
            }
            Op::If | Op::For | Op::Loop | Op::Yield | Op::Break | Op::Continue | Op::Assert => true,
            Op::Worker | Op::NumWorkers => kernel.over == 0,
            Op::Return => end.is_some_and(|e| std::ptr::eq(e, i)),
            Op::NumGroups | Op::GroupSize | Op::LaneActive => false,
            op => op.is_pure() && (!op.is_cross_lane() || op.is_vote()),
        };
    });
    kernel.body.walk(&mut |i| plain &= !i.op.is_atomic() || i.results.iter().all(|r| !used.contains(r)));
    let fits = |b: &Buf| {
        let info = &kernel.bufs[*b];
        let words = matches!(info.elem, Elem::I32 | Elem::F32);
        info.space == Space::Global && info.access == Access::ReadWrite && info.rank == 1 && words && !reads.contains(b)
    };
    plain &= kernel.level == Level::Simd
        && kernel.over <= 3
        && (kernel.over == 0 || kernel.group == [LANES])
        && !kernel.concurrent
        && kernel.shared().next().is_none()
        && found.len() <= MOST_ARRAYS
        && found.iter().all(|f| fits(&f.0));
    if plain { found } else { Vec::new() }
}

/// Rewrites a kernel that only adds to arrays, with ranges of so many rows.
pub fn run(kernel: &mut Kernel, rows: u32) {
    let found = arrays(kernel);
    if found.is_empty() || rows == 0 {
        return;
    }
    let mut body = std::mem::take(&mut kernel.body).insts;
    body.pop();
    let mut ranged = Vec::new();
    for (buf, join) in found {
        let info = kernel.bufs[buf].clone();
        let near = kernel.add_shared(&format!("{}_range", info.name), info.elem, vec![rows * LANES]);
        ranged.push(Ranged { buf, near, elem: info.elem, join });
    }
    let written = Written { over: kernel.over as u32, insts: Vec::new(), kernel, ranged };
    let insts = written.kernel_of(&body, rows);
    kernel.body = Block { params: Values::new(), insts };
    kernel.over = 0;
    fold::run(kernel);
    cse::run(kernel);
    licm::run(kernel);
    cse::run(kernel);
    dce::run(kernel);
}

/// An array, and its range in registers.
#[derive(Clone, Copy)]
struct Ranged {
    buf: Buf,
    near: Buf,
    elem: Elem,
    /// What puts the range and memory together.
    join: Op,
}

/// The new body under construction.
struct Written<'k> {
    kernel: &'k mut Kernel,
    over: u32,
    insts: Vec<Inst>,
    ranged: Vec<Ranged>,
}

/// The present range: its first element, and how many it has.
#[derive(Clone, Copy)]
struct Present {
    first: Value,
    size: Value,
}

impl Written<'_> {
    fn at(&self) -> Inst {
        Inst::new(Op::Yield, []).at(self.kernel.span)
    }

    fn typed(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let at = self.at();
        emit(self.kernel, op, args, ty, &at, &mut self.insts)
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.typed(op, args, Type::I32)
    }

    fn with(&mut self, op: Op, a: Value, n: i32) -> Value {
        let n = self.int(n);
        self.op(op, &[a, n])
    }

    fn int(&mut self, n: i32) -> Value {
        self.kernel.const_i32(n)
    }

    fn of_buffer(&mut self, op: Op, imm: u32, buf: Option<Buf>) -> Value {
        let v = self.op(op, &[]);
        let last = self.insts.last_mut().expect("an instruction was just added");
        (last.imm, last.buf) = (imm, buf);
        v
    }

    /// `for` from `range.0` to `range.1` in steps.
    fn count(&mut self, range: [Value; 3], body: impl FnOnce(&mut Self, Value)) {
        let before = std::mem::take(&mut self.insts);
        let counter = self.kernel.new_value(Type::I32);
        body(self, counter);
        let mut insts = std::mem::replace(&mut self.insts, before);
        insts.push(self.at());
        let mut inst = Inst::new(Op::For, range).at(self.kernel.span);
        inst.regions = vec![Block { params: Values::from_slice(&[counter]), insts }];
        self.insts.push(inst);
    }

    fn only_if(&mut self, test: Value, body: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.insts);
        body(self);
        let insts = std::mem::replace(&mut self.insts, before);
        let mut inst = Inst::new(Op::If, [test]).at(self.kernel.span);
        let regions = [insts, Vec::new()].map(|mut insts| {
            insts.push(Inst::new(Op::Yield, []).at(self.kernel.span));
            Block { params: Values::new(), insts }
        });
        inst.regions = regions.into();
        self.insts.push(inst);
    }

    fn kernel_of(mut self, body: &[Inst], rows: u32) -> Vec<Inst> {
        let (worker, workers) = (self.op(Op::Worker, &[]), self.op(Op::NumWorkers, &[]));
        let ranged = self.ranged.clone();
        let lengths: Vec<Value> = ranged.iter().map(|r| self.of_buffer(Op::Dim, 0, Some(r.buf))).collect();
        let zero = self.int(0);
        let length = lengths.iter().fold(zero, |most, &n| self.op(Op::Max, &[most, n]));
        let size = self.int((rows * LANES) as i32);
        let (first, step) = (self.op(Op::Mul24, &[worker, size]), self.op(Op::Mul24, &[workers, size]));
        self.count([first, length, step], |w, first| {
            let present = Present { first, size };
            w.clear(rows);
            w.items(body, present);
            for (r, &length) in ranged.iter().zip(&lengths) {
                w.add_to_memory(*r, length, present);
            }
        });
        self.insts.push(Inst::new(Op::Return, []).at(self.kernel.span));
        self.insts
    }

    fn clear(&mut self, rows: u32) {
        for r in self.ranged.clone() {
            let zero = self.kernel.constant(Const::zero(r.elem));
            for row in 0..rows {
                let at = self.int(row as i32 * ROW);
                self.row(Op::StoreRow, r.near, &[at, zero], None);
            }
        }
    }

    /// A row of one of the two arrays.
    fn row(&mut self, op: Op, buf: Buf, args: &[Value], mask: Option<Value>) -> Option<Value> {
        let mut inst = Inst::new(op, args.iter().copied()).at(self.kernel.span);
        (inst.buf, inst.mode, inst.mask) = (Some(buf), Mode::Inside, mask);
        let elem = self.kernel.bufs[buf].elem;
        let result = (op == Op::LoadRow).then(|| self.kernel.new_value(Type::scalar(elem).with_lanes(true)));
        inst.results = result.iter().copied().collect();
        self.insts.push(inst);
        result
    }

    /// All items of the launch.
    fn items(&mut self, body: &[Inst], present: Present) {
        let (zero, one) = (self.int(0), self.int(1));
        if self.over == 0 {
            // Each worker does what all of them would do.
            return self.group(body, &[zero], (one, false), present);
        }
        let outer: Vec<Value> = (0..self.over - 1).map(|axis| self.of_buffer(Op::Extent, axis, None)).collect();
        self.outer(body, &outer, &mut Vec::new(), present);
    }

    fn outer(&mut self, body: &[Inst], left: &[Value], groups: &mut Vec<Value>, present: Present) {
        let (zero, one, sixteen) = (self.int(0), self.int(1), self.int(ROW));
        if let [end, rest @ ..] = left {
            return self.count([zero, *end, one], |w, at| {
                groups.push(at);
                w.outer(body, rest, groups, present);
                groups.pop();
            });
        }
        let length = self.of_buffer(Op::Extent, self.over - 1, None);
        let full = self.with(Op::And, length, -ROW);
        self.count([zero, full, sixteen], |w, item| w.group(body, groups, (item, true), present));
        let rest = self.typed(Op::CmpLt, &[full, length], Type::BOOL);
        self.only_if(rest, |w| w.group(body, groups, (full, false), present));
    }

    /// A copy of the body for the group that begins with an item, or for a worker.
    fn group(&mut self, body: &[Inst], groups: &[Value], (item, whole): (Value, bool), present: Present) {
        let (mut map, four) = (Map::default(), self.int(4));
        if self.over == 0 {
            let zero = self.int(0);
            walk(body, &mut |i| match i.op {
                Op::Worker => drop(map.insert(i.result(), zero)),
                Op::NumWorkers => drop(map.insert(i.result(), item)),
                _ => {}
            });
        } else {
            let inner = self.over - 1;
            let group = self.with(Op::Shr, item, 4);
            let (mut first, mut lanes, mut ends, mut items) =
                (Set::default(), Set::default(), Set::default(), Set::default());
            let yes = self.kernel.constant(Const::bool(true));
            walk(body, &mut |i| {
                let [a, b] = [i.args.first(), i.args.get(1)];
                let is = |v: Option<&Value>, set: &Set<Value>| v.is_some_and(|v| set.contains(v));
                match i.op {
                    Op::Group => drop(map.insert(i.result(), groups.get(i.imm as usize).copied().unwrap_or(group))),
                    Op::Lane => drop(lanes.insert(i.result())),
                    Op::Extent if i.imm == inner => drop(ends.insert(i.result())),
                    Op::Shl if b == Some(&four) && a.is_some_and(|a| map.get(a) == Some(&group)) => {
                        map.insert(i.result(), item);
                        first.insert(i.result());
                    }
                    Op::Add if is(a, &first) && is(b, &lanes) || i.op == Op::Add && is(a, &lanes) && is(b, &first) => {
                        items.insert(i.result());
                    }
                    Op::CmpLt if whole && is(a, &items) && is(b, &ends) => drop(map.insert(i.result(), yes)),
                    _ => {}
                }
            });
        }
        let gone: Set<Value> = map.keys().copied().collect();
        let mut insts = body.to_vec();
        remove(&mut insts, &gone);
        let mut insts = copy(self.kernel, &insts, &mut map);
        self.redirect(&mut insts, present);
        self.insts.extend(insts);
    }

    /// Sends atomic operations to the range, where they are for it.
    fn redirect(&mut self, insts: &mut Vec<Inst>, present: Present) {
        let before = std::mem::take(&mut self.insts);
        let yes = self.kernel.constant(Const::bool(true));
        for mut inst in std::mem::take(insts) {
            inst.mask = inst.mask.filter(|m| *m != yes);
            for region in &mut inst.regions {
                self.redirect(&mut region.insts, present);
            }
            if inst.op.is_atomic() {
                self.atomic(inst, present);
            } else if let Some(rest) = alone(&inst, &self.insts) {
                self.insts.extend(rest);
            } else {
                self.insts.push(inst);
            }
        }
        *insts = std::mem::replace(&mut self.insts, before);
    }

    fn atomic(&mut self, inst: Inst, present: Present) {
        let [lanes, bools] = [Type::I32.with_lanes(true), Type::BOOL.with_lanes(true)];
        let Present { first, size } = present;
        let near = self.ranged.iter().find(|r| Some(r.buf) == inst.buf).expect("all arrays are known").near;
        let checked = inst.mode != Mode::Inside;
        let at = self.typed(Op::Sub, &[inst.args[0], first], lanes);
        let mut here = self.typed(Op::CmpLtU, &[at, size], bools);
        if let Some(mask) = inst.mask {
            here = self.typed(Op::And, &[mask, here], bools);
        }
        let any = self.typed(Op::VoteAny, &[here], Type::BOOL);
        if checked {
            // What is outside of the array is nobody's; the one who has the first range reports it.
            let zero = self.int(0);
            let mine = self.typed(Op::CmpEq, &[first, zero], Type::BOOL);
            self.only_if(mine, |w| {
                let length = w.of_buffer(Op::Dim, 0, inst.buf);
                let mut out = w.typed(Op::CmpGeU, &[inst.args[0], length], bools);
                if let Some(mask) = inst.mask {
                    out = w.typed(Op::And, &[mask, out], bools);
                }
                let any = w.typed(Op::VoteAny, &[out], Type::BOOL);
                w.only_if(any, |w| {
                    let result = inst.results.iter().map(|&r| w.kernel.new_value(w.kernel.ty(r))).collect();
                    w.insts.push(Inst { mask: Some(out), results: result, ..inst.clone() });
                });
            });
        }
        self.only_if(any, |w| {
            let mut inst = Inst { buf: Some(near), mode: Mode::Inside, mask: Some(here), ..inst };
            inst.args[0] = at;
            w.insts.push(inst);
        });
    }

    /// Adds the range to memory, row by row.
    fn add_to_memory(&mut self, ranged: Ranged, length: Value, Present { first, size }: Present) {
        let (zero, sixteen) = (self.int(0), self.int(ROW));
        let left = self.op(Op::Sub, &[length, first]);
        let all = self.op(Op::Min, &[left, size]);
        let all = self.op(Op::Max, &[all, zero]);
        let full = self.with(Op::And, all, -ROW);
        self.count([zero, full, sixteen], |w, row| w.add_row(ranged, first, row, None));
        let rest = self.typed(Op::CmpLt, &[full, all], Type::BOOL);
        self.only_if(rest, |w| {
            let lane = w.typed(Op::Lane, &[], Type::I32.with_lanes(true));
            let at = w.typed(Op::Add, &[full, lane], Type::I32.with_lanes(true));
            let mask = w.typed(Op::CmpLt, &[at, all], Type::BOOL.with_lanes(true));
            w.add_row(ranged, first, full, Some(mask));
        });
    }

    fn add_row(&mut self, Ranged { buf, near, elem, join }: Ranged, first: Value, row: Value, mask: Option<Value>) {
        let at = self.op(Op::Add, &[first, row]);
        let ty = Type::scalar(elem).with_lanes(true);
        let more = self.row(Op::LoadRow, near, &[row], None).expect("a load has a result");
        let old = self.row(Op::LoadRow, buf, &[at], mask).expect("a load has a result");
        let mut new = self.typed(join, &[old, more], ty);
        if elem == Elem::F32 {
            // Elements that nobody adds to keep every bit.
            let zero = self.kernel.constant(Const::zero(elem));
            let some = self.typed(Op::CmpNe, &[more, zero], Type::BOOL.with_lanes(true));
            new = self.typed(Op::Select, &[some, new, old], ty);
        }
        self.row(Op::StoreRow, buf, &[at, new], mask);
    }
}

/// What a branch on whether any lane is live does, if it is only what a narrower branch within asks again.
fn alone(inst: &Inst, before: &[Inst]) -> Option<Vec<Inst>> {
    let (Op::If, true) = (inst.op, inst.results.is_empty()) else { return None };
    let vote = before.iter().any(|i| i.op == Op::VoteAny && i.results.first() == Some(&inst.args[0]));
    let [then, other] = &inst.regions[..] else { return None };
    let (last, insts) = then.insts.split_last()?;
    let (inner, pure) = insts.split_last()?;
    let fits = vote
        && last.op == Op::Yield
        && other.insts.len() == 1
        && inner.op == Op::If
        && pure.iter().all(|i| i.op.is_pure())
        && pure.last().is_some_and(|i| i.op == Op::VoteAny);
    fits.then(|| insts.to_vec())
}

fn walk(insts: &[Inst], f: &mut dyn FnMut(&Inst)) {
    for inst in insts {
        f(inst);
        inst.regions.iter().for_each(|r| walk(&r.insts, f));
    }
}

/// Takes out what gives these values.
fn remove(insts: &mut Vec<Inst>, gone: &Set<Value>) {
    insts.retain(|i| i.results.len() != 1 || !gone.contains(&i.results[0]));
    insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| remove(&mut r.insts, gone));
}
