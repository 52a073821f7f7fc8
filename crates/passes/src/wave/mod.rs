//! Nests whose iterations need those to the left and above: sixteen rows at a time, each a step behind the one above it.
//!
//! In an edit distance, a path through a grid, a relaxation or a sum over rectangles, neither loop of a nest is parallel, but what lies
//! on a diagonal, a wavefront, is: lane `r` computes column `t - skew*r` of row `r` in step `t`, when everything that it needs is there.
//!
//! * Needs: a SIMD kernel of scalars whose groups have all lanes; buffers that are different memory.
//! * Gives: the nest in blocks of sixteen rows. All steps of a block could be made as the first and last ones are, under a mask of the
//!   lanes that have a column, through memory. In those between, every lane has one, and what a lane has stored reaches the next
//!   one in registers.
//! * Keeps: every value and effect of launches that do not fault; of others, that they do.
//!
//! The preconditions (`find`): two counted loops by 1, the inner one of known bounds, of at least `LEAST_COLUMNS` iterations, the outer
//! one of at least `LEAST_ROWS`; the inner loop is left at its end alone and carries nothing but totals of integers; a buffer that it writes
//! it writes in one store, at an index that grows by 1 with the column and by more than a row with the row, so that no two iterations
//! write the same element; other accesses of that buffer lie a constant away, a few rows and columns. A skew of up to three columns
//! puts every iteration behind those that it needs and before those that overwrite what it reads.
//!
//! ```text
//! for %i in 0..100 { for %j in 1..900 { … %a = load %d[1000*%i + %j - 1] … store %d[1000*%i + %j], %x } }    ; before
//! ```
//! ```text
//! for %b in 0..100 step 16 {                                                                           ; after
//!   for %t in 0..16     { %j = sub %t, %lane  %in = cmp.lt.u %j, 899  … load if %in … store if %in }
//!   for %t in 16..899   (%p: <f32> = …) { … store %d[…], %x  yield %x }
//!   for %t in 899..914  { … }
//! }
//! ```

mod emit;
mod find;
mod straight;

use crate::analysis::linear::Form;
use crate::analysis::range::Range;
use quadra_base::quick::Map;
use quadra_kir::{Block, Buf, Inst, Kernel, Level, Op, Value};

/// Rows and columns of the smallest nest that is worth it.
const LEAST_ROWS: i64 = 32;
const LEAST_COLUMNS: i64 = 64;
/// Rows and columns that an access may lie away from what its iteration writes.
const FAR: i32 = 4;
/// How many columns a row may be behind the one above it.
const MOST_SKEW: i32 = 3;
/// Instructions of an iteration that is written three times.
const MOST_INSTS: usize = 100;

/// What is known of the launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct How<'a> {
    /// Whether two buffers may be the same memory.
    pub alias: bool,
    /// Elements of buffers, where that is known.
    pub lengths: &'a [Option<u32>],
}

/// From where a load takes its value in steps that all lanes make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The same lane has stored it so many steps before.
    Left(Buf, i32),
    /// The lane so many rows above has stored it so many columns to the left.
    Above(Buf, i32, i32),
    /// What lanes read of a buffer that the nest does not write moves from each lane to the next one.
    Slides,
}

/// A total that iterations make.
#[derive(Clone, Copy, Debug)]
struct Total {
    op: Op,
    /// What an iteration adds to it.
    by: Value,
}

/// A nest that can be computed so.
struct Nest {
    /// The outer loop and what it does before the inner one.
    outer: Inst,
    before: Vec<Inst>,
    inner: Inst,
    /// An iteration without branches.
    insts: Vec<Inst>,
    skew: i32,
    /// First column, and how many there are.
    first: i32,
    columns: i32,
    /// Loads that need not go to memory, by their results, and the index of each.
    sources: Map<Value, (Source, Form)>,
    /// Which buffers are written, where, and what to.
    stores: Vec<(Buf, Form, Value)>,
    totals: Vec<Total>,
    /// Whether indices follow from rows and columns alone.
    regular: bool,
}

/// Whether a kernel may have such nests: most have none.
pub fn has_nests(kernel: &Kernel) -> bool {
    let counted = |i: &Inst| i.op == Op::For && !kernel.ty(i.args[0]).lanes;
    let nested = |i: &Inst| counted(i) && i.regions[0].insts.iter().any(counted);
    kernel.level == Level::Simd && kernel.body.any(&mut |i| nested(i))
}

/// Rewrites the nests of a kernel; whether there were any.
pub fn run(kernel: &mut Kernel, how: &How<'_>) -> bool {
    if how.alias || !has_nests(kernel) {
        return false;
    }
    let range = Range::of(kernel);
    let changed = kernel.rewrite(|kernel, body| block(kernel, &range, how, body));
    // Lanes are no items, so that all of them exist.
    kernel.whole |= changed;
    changed
}

fn block(kernel: &mut Kernel, range: &Range, how: &How<'_>, b: &mut Block) -> bool {
    let mut changed = false;
    for mut inst in std::mem::take(&mut b.insts) {
        if inst.op == Op::For
            && let Some(nest) = find::nest(kernel, range, how, &inst)
        {
            emit::emit(kernel, nest, &mut b.insts);
            changed = true;
            continue;
        }
        for region in &mut inst.regions {
            changed |= block(kernel, range, how, region);
        }
        b.insts.push(inst);
    }
    changed
}
