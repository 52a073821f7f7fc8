//! Stores several rows at once: one transfer instead of one per row.
//!
//! * Needs: a SIMD kernel without variables, whose accesses have been recognised (`access`).
//! * Gives: rows that one block stores to one buffer at equal distances become one `store.rows`, of at most as many rows as
//!   a worker may gather; counted loops that store rows are unrolled for that, with loops of fewer copies for the rest.
//! * Keeps: what every load and request sees, and memory. A store moves down only past what cannot meet it.
//!
//! The store engine takes 39 clocks per transfer and 14 per row (VideoCore IV: fitted to public measurements of one and of
//! many rows), and all workers share it, so that four rows at once cost less than half of four single ones.
//! It stands behind everything that makes addresses scalar, and needs to know the launch.
//!
//! ```text
//! for %i in 0..%n step 16 { %a = …  store.row %p[%i], %a }                     ; before
//! ```
//! ```text
//! %m, %next = for %i in 0..%last step 64 (…) { …  store.rows %p[%i], 16, %a, %b, %c, %d … }   ; after
//! for %i in %next..%n step 16 { … }
//! ```

use crate::near;
use quadra_base::Diagnostic;
use quadra_base::quick::Set;
use quadra_kir::{Block, Buf, Effect, Inst, Kernel, LANES, Level, Op, Type, Value};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::{Bounds, Range};
use quadra_passes::cse::changes_memory;
use quadra_passes::pass::{Facts, Launches, Pass, PassCx};
use quadra_passes::unroll::{self, Counted};

/// The pass.
pub const PASS: Pass = Pass {
    name: "rows",
    about: "stores several rows at once",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

/// Lanes of a row.
const ROW: i64 = LANES as i64;
/// Rows further apart than this cannot go in one transfer: the gap between them has 13 bits of bytes.
const MOST_STRIDE: i64 = ROW + (1 << 13) / 4 - 1;
/// More copies of a body than this gain little: the cost per row is within a fifth of the least.
const MOST_COPIES: u32 = 8;
/// Where the rows of all stores of an iteration together are more than a worker may gather, its stores take turns in them, and
/// the worker waits in between. Only beside so many others does nothing stand still then: the engine is busy anyway.
const TURNS_FROM: u32 = 4;
/// With so many rows a transfer takes a third more per row than it must.
const ENOUGH_ROWS: usize = 4;
/// Vectors that may wait for their stores in registers.
const MOST_WAITING: u32 = 16;
/// Larger bodies are not copied: loops should stay well below the 512 instructions of the cache.
const MOST_INSTS: usize = 512;

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    run(kernel, &cx.launches);
    Ok(())
}

/// Unrolls loops that store rows, and joins the stores of each block.
pub fn run(kernel: &mut Kernel, launches: &Launches) {
    let stores = kernel.body.any(&mut |i| i.op == Op::StoreRow);
    if kernel.level != Level::Simd || !stores || launches.staging_rows < 2 {
        return;
    }
    let (mut facts, before) = (facts(kernel, launches), kernel.values.len());
    kernel.rewrite(|kernel, body| unroll_in(kernel, &facts, body));
    // Copies of a body come with values of their own.
    if kernel.values.len() > before {
        facts = self::facts(kernel, launches);
    }
    kernel.rewrite(|kernel, body| join_in(kernel, &facts, body));
}

/// What is known of the kernel as it is.
struct Known {
    range: Range,
    launches: Launches,
    /// Arrays in registers, to which nothing is transferred.
    near: Vec<Buf>,
}

fn facts(kernel: &Kernel, launches: &Launches) -> Known {
    let range = Range::with_workers(kernel, launches.most_workers as i64);
    let near = near::arrays(kernel, launches.near_rows).into_iter().map(|n| n.0).collect();
    Known { range, launches: *launches, near }
}

impl Known {
    /// Whether an instruction stores a whole row of 32-bit elements to memory.
    fn row_of_words(&self, kernel: &Kernel, inst: &Inst) -> bool {
        let words = inst.buf.is_some_and(|b| kernel.bufs[b].elem.bytes() == 4 && !self.near.contains(&b));
        inst.op == Op::StoreRow && inst.mask.is_none() && words
    }

    /// How many rows may wait for others of their kind.
    fn waiting_rows(&self) -> u32 {
        let rows = self.launches.staging_rows;
        if self.launches.most_workers >= TURNS_FROM { rows.max(MOST_WAITING) } else { rows }
    }

    fn index(&self, kernel: &Kernel, inst: &Inst) -> Form {
        self.range.forms().at(kernel, inst.args[0])
    }

    fn bounds(&self, kernel: &Kernel, form: &Form) -> Bounds {
        form.bounds(kernel, &self.range)
    }

    /// Whether 16 words from one index on and 16 words from another share none; `apart` is the difference of the indices.
    fn disjoint(&self, kernel: &Kernel, apart: &Form) -> bool {
        let b = self.bounds(kernel, apart);
        b.low >= ROW || b.high <= -ROW
    }

    fn same_memory(&self, a: Option<Buf>, b: Option<Buf>) -> bool {
        a == b || self.launches.alias
    }

    /// Whether a store of a row to `at` in `buf` may be seen or overwritten by an instruction, as far as that is decided by
    /// its own operands.
    fn meets(&self, kernel: &Kernel, inst: &Inst, buf: Option<Buf>, at: &Form) -> bool {
        let touches = matches!(inst.op.info().effect, Effect::Read | Effect::Write | Effect::ReadWrite)
            || inst.op == Op::TmuRequest;
        if !touches {
            return changes_memory(inst.op);
        }
        if !self.same_memory(inst.buf, buf) {
            return false;
        }
        // Only rows and single elements are known by one index.
        let one = matches!(inst.op, Op::LoadRow | Op::StoreRow) || !kernel.ty(inst.args[0]).lanes;
        let simple = one && !inst.op.is_atomic() && inst.op != Op::StoreRows && inst.buf == buf;
        let lanes = matches!(inst.op, Op::Load | Op::TmuRequest) && inst.buf == buf;
        let near = match () {
            () if simple => self.index(kernel, inst),
            // One index per lane: the lane number itself is a term of the sum.
            () if lanes => self.index(kernel, inst),
            () => return true,
        };
        !self.disjoint_lanes(kernel, &near.minus(at), simple)
    }

    fn disjoint_lanes(&self, kernel: &Kernel, apart: &Form, simple: bool) -> bool {
        if simple {
            return self.disjoint(kernel, apart);
        }
        // The bounds of a value per lane hold for each lane, so the whole vector lies between them.
        let b = self.bounds(kernel, apart);
        b.low >= ROW || b.high < 0
    }
}

fn unroll_in(kernel: &mut Kernel, known: &Known, block: &mut Block) {
    let mut out = Vec::with_capacity(block.insts.len());
    for mut inst in std::mem::take(&mut block.insts) {
        inst.regions.iter_mut().for_each(|r| unroll_in(kernel, known, r));
        match plan(kernel, known, &inst) {
            Some((factor, limits)) => unroll::by(kernel, inst, factor, limits, &mut out),
            None => out.push(inst),
        }
    }
    block.insts = out;
}

/// How many copies of a loop's body are worth it, and the bounds of its numbers.
fn plan(kernel: &Kernel, known: &Known, inst: &Inst) -> Option<(u32, unroll::Limits)> {
    if inst.op != Op::For || inst.regions[0].terminator()?.op != Op::Yield {
        return None;
    }
    let body = &inst.regions[0];
    let nested = |i: &Inst| matches!(i.op, Op::For | Op::Loop | Op::Break | Op::Continue | Op::Return);
    if body.any(&mut |i| nested(i)) {
        return None;
    }
    let loops = Counted::of(inst);
    let step = known.range.forms().at(kernel, loops.step);
    let bounds = known.bounds(kernel, &step);
    if bounds.low < ROW || bounds.high > MOST_STRIDE {
        return None;
    }
    let inside: Set<Value> = body.params.iter().chain(body.insts.iter().flat_map(|i| &i.results)).copied().collect();
    let candidates = body.insts.iter().enumerate().filter(|(at, i)| {
        let form = (known.row_of_words(kernel, i)).then(|| known.index(kernel, i));
        form.is_some_and(|f| {
            let steady = f.terms.iter().all(|&(v, _)| v == body.params[0] || !inside.contains(&v));
            steady && f.factor(body.params[0]) == 1 && delayable(kernel, known, body, *at, &step)
        })
    });
    let candidates: Vec<&Inst> = candidates.map(|(_, i)| i).collect();
    let stores = candidates.len() as u32;
    if stores == 0 || chained(kernel, known, &candidates) {
        return None;
    }
    let mut factor = MOST_COPIES;
    let most = loops.trips(kernel).unwrap_or(i64::MAX);
    let large = |factor: u32| body.count() * (2 * factor as usize - 1) > MOST_INSTS;
    let together = known.waiting_rows();
    let many = |factor: u32| factor > known.launches.staging_rows || factor * stores > together;
    while factor > 1 && (many(factor) || factor as i64 > most || large(factor)) {
        factor /= 2;
    }
    let limits = unroll::Limits { step: bounds.high, hi: known.range.bounds(kernel, loops.hi) };
    (factor > 1).then_some((factor, limits))
}

/// Whether the stores of one iteration are rows enough for their transfers: more iterations would only keep more registers.
fn chained(kernel: &Kernel, known: &Known, stores: &[&Inst]) -> bool {
    let mut chains: Vec<Waiting> = Vec::new();
    for inst in stores {
        let form = known.index(kernel, inst);
        match chains.iter_mut().find(|w| w.buf() == inst.buf && goes_on(kernel, known, w, &form)) {
            Some(w) => {
                w.stride = Some(form.minus(&w.stores[w.stores.len() - 1].1));
                w.stores.push(((*inst).clone(), form));
            }
            None => chains.push(Waiting { stores: vec![((*inst).clone(), form)], stride: None }),
        }
    }
    let enough = ENOUGH_ROWS.min(known.launches.staging_rows as usize);
    chains.iter().all(|w| w.stores.len() >= enough)
}

/// Whether the store at this place of a loop's body may wait until a few iterations more have passed.
fn delayable(kernel: &Kernel, known: &Known, body: &Block, at: usize, step: &Form) -> bool {
    let store = &body.insts[at];
    let form = known.index(kernel, store);
    let iv = body.params[0];
    body.insts.iter().enumerate().all(|(j, i)| {
        if !i.regions.is_empty() {
            return !i.regions.iter().any(|r| r.any(&mut |i| touches(known, i, store.buf)));
        }
        if j == at || i.op.is_terminator() || matches!(i.op, Op::TmuReceive | Op::Comment) {
            return true;
        }
        if i.args.is_empty() {
            return !known.meets(kernel, i, store.buf, &form);
        }
        // In this iteration for what stands behind it, and in the next ones for everything.
        let factor = known.index(kernel, i).factor(iv);
        (i64::from(j < at)..MOST_COPIES as i64).all(|m| {
            let moved = form.plus(step, (m as i32).wrapping_mul(factor).wrapping_neg());
            !known.meets(kernel, i, store.buf, &moved)
        })
    })
}

/// Whether an instruction within a region touches a buffer's memory or orders accesses.
fn touches(known: &Known, inst: &Inst, buf: Option<Buf>) -> bool {
    match inst.op.info().effect {
        Effect::Read | Effect::Write | Effect::ReadWrite => known.same_memory(inst.buf, buf),
        Effect::Ordered if inst.op == Op::TmuRequest => known.same_memory(inst.buf, buf),
        Effect::Ordered => changes_memory(inst.op),
        _ => inst.op.is_terminator() && inst.op != Op::Yield,
    }
}

fn join_in(kernel: &mut Kernel, known: &Known, block: &mut Block) {
    for inst in &mut block.insts {
        inst.regions.iter_mut().for_each(|r| join_in(kernel, known, r));
    }
    let rows = block.insts.iter().filter(|i| known.row_of_words(kernel, i)).count();
    if rows > 1 {
        let insts = std::mem::take(&mut block.insts);
        block.insts = join(kernel, known, insts);
    }
}

/// Stores that wait for more of their kind.
struct Waiting {
    stores: Vec<(Inst, Form)>,
    stride: Option<Form>,
}

impl Waiting {
    fn buf(&self) -> Option<Buf> {
        self.stores[0].0.buf
    }
}

/// Lets stores wait for more of their kind. No two groups that wait share memory, so that their order does not matter.
fn join(kernel: &mut Kernel, known: &Known, insts: Vec<Inst>) -> Vec<Inst> {
    let mut out = Vec::with_capacity(insts.len());
    let mut waiting: Vec<Waiting> = Vec::new();
    for inst in insts {
        let row = known.row_of_words(kernel, &inst);
        let form = row.then(|| known.index(kernel, &inst));
        let group = form
            .as_ref()
            .and_then(|form| waiting.iter().position(|w| w.buf() == inst.buf && goes_on(kernel, known, w, form)));
        let group = group.map(|i| waiting.remove(i));
        let mut kept = Vec::new();
        for w in waiting {
            if blocks(kernel, known, &inst, &w) {
                release(kernel, w, &mut out);
            } else {
                kept.push(w);
            }
        }
        waiting = kept;
        let Some(form) = form else {
            out.push(inst);
            continue;
        };
        let mut group = group.unwrap_or(Waiting { stores: Vec::new(), stride: None });
        if let Some((_, last)) = group.stores.last() {
            group.stride = Some(form.minus(last));
        }
        group.stores.push((inst, form));
        let rows = |waiting: &[Waiting]| waiting.iter().map(|w| w.stores.len()).sum::<usize>();
        while rows(&waiting) + group.stores.len() > known.waiting_rows() as usize && !waiting.is_empty() {
            release(kernel, waiting.remove(0), &mut out);
        }
        waiting.push(group);
    }
    out
}

/// Whether a store to `form` continues what waits: the next row at the same distance.
fn goes_on(kernel: &Kernel, known: &Known, w: &Waiting, form: &Form) -> bool {
    let (_, last) = &w.stores[w.stores.len() - 1];
    let distance = form.minus(last);
    if w.stores.len() >= known.launches.staging_rows as usize {
        return false;
    }
    match &w.stride {
        Some(stride) => distance == *stride,
        None => known.bounds(kernel, &distance).within(ROW, MOST_STRIDE) && can_compute(&distance),
    }
}

/// Whether an instruction must not be passed by what waits.
fn blocks(kernel: &Kernel, known: &Known, inst: &Inst, w: &Waiting) -> bool {
    if inst.op.is_terminator() {
        return true;
    }
    if !inst.regions.is_empty() {
        return inst.regions.iter().any(|r| r.any(&mut |i| touches(known, i, w.buf())));
    }
    if matches!(inst.op, Op::TmuReceive | Op::Comment) {
        return false;
    }
    w.stores.iter().any(|(_, form)| known.meets(kernel, inst, w.buf(), form))
}

fn can_compute(form: &Form) -> bool {
    let power = |f: i32| f > 0 && (f as u32).is_power_of_two();
    form.terms.is_empty() || form.constant == 0 && form.terms.len() == 1 && power(form.terms[0].1)
}

fn release(kernel: &mut Kernel, w: Waiting, out: &mut Vec<Inst>) {
    let Some(stride) = w.stride else {
        out.extend(w.stores.into_iter().map(|(inst, _)| inst));
        return;
    };
    let first = w.stores[0].0.clone();
    let stride = match stride.terms[..] {
        [(v, 1)] => v,
        [(v, f)] => {
            let count = kernel.const_i32(f.trailing_zeros() as i32);
            unroll::emit(kernel, Op::Shl, &[v, count], Type::I32, &first, out)
        }
        _ => kernel.const_i32(stride.constant),
    };
    let mut rows = Inst::new(Op::StoreRows, vec![first.args[0], stride]).at(first.span);
    rows.buf = first.buf;
    rows.mode = first.mode;
    rows.args.extend(w.stores.iter().map(|(inst, _)| inst.args[1]));
    out.push(rows);
}
