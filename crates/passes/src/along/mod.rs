//! One item at a time, and the turns of its loops along the lanes.
//!
//! `mask` gives each lane an item. Where an item's loops run along rows of memory (means, norms, extrema and products of
//! rows), lanes then read elements a whole row apart. This is the other way from SIMT to SIMD: a group's sixteen items come one after
//! the other, their values are scalars, and sixteen turns of an innermost loop are computed at once, rows of memory.
//!
//! * Needs: a SIMT kernel without variables and access modes, launched over an extent, whose items know nothing of lanes.
//! * Gives: a SIMD kernel.
//! * Keeps: every value and effect, but for the bracketing of sums of floats in a kernel that is relaxed, or lets them be regrouped.
//!
//! Where the data choose what an item's loop stores to, items may come one after the other although no loop has its turns along the lanes:
//! without an instruction for it, storing lane by lane is most of the work, and is the same work with scalars.
//!
//! `strips` says which loops can be computed so, and `cost` which of both ways is cheaper: what an access costs depends on how the
//! lanes' elements lie. A loop's preconditions are:
//!
//! 1. It counts by 1, has no loop within, and is left at its end alone.
//! 2. No turn sees what another has written: each store's index is a multiple of the counter plus what the loop does not
//!    change, and other accesses of the buffer, in other turns, lie elsewhere.
//! 3. What it carries is a sum, product, minimum, maximum, conjunction or the like of something that each turn makes anew
//!    (`Carried::Total`), or is taken from the turn that a comparison chooses (`Carried::Taken`), or counts turns (`Carried::Counted`): then
//!    stores may go to the element of that number, and turns in order, at SIMD level, are lanes, too (`scalars`).
//!
//! ```text
//! %i = item 0                                                  ; before
//! %r = mul %i, 100
//! %s = for %n in 0..100 (%t: f32 = 0.0) { %p = add %r, %n  %x = load %a[%p]  %u = add %t, %x  yield %u }
//! store %b[%i], %s
//! ```
//! ```text
//! %l = lane                                                    ; after
//! for %i in %base..%end step 1 {
//!   %r = mul %i, 100
//!   %t = for %n in 0..96 step 16 (%t: <f32> = -0.0) { … load.row … yield %u }
//!   …                                                          ; four lanes of a last turn, the lanes' sum
//!   store %b[%i], %s
//! }
//! ```

mod cost;
mod emit;
mod flat;
mod lanes;
mod strips;
mod total;
mod ways;

use quadra_base::quick::Map;
use quadra_kir::{Block, Inst, Kernel, LANES, Level, Op, Value, Values, eval};

/// What is known of the launch.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// Whether two buffers may be the same memory.
    pub alias: bool,
    /// Whether the processor turns squares of elements over, so that loops along rows of lanes read them ahead, which is cheaper than one by one.
    pub tiles: bool,
    /// Whether lanes can be stored one behind the other, as many as a mask names.
    pub packs: bool,
    /// Items along the last axis.
    pub last: Option<u32>,
}

/// How a loop carries a value from turn to turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carried {
    /// It stays what it was.
    Same,
    /// The total of what the turns make, by an operation that may be bracketed anew.
    Total(Op),
    /// What the turn made that [`Strip::takes`] chooses.
    Taken(usize),
    /// How many turns before met the condition, of which turns know: places of elements that move together.
    Counted,
}

/// How a turn is chosen from which values are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Take {
    /// Whether a turn takes its values.
    cond: Value,
    /// The carried value that the turn compares with its own, if it compares: the smallest so far or the largest.
    best: Option<(usize, bool)>,
    /// Whether of turns with equal values the last one is taken, or the first.
    latest: bool,
}

/// A loop whose turns can be lanes.
#[derive(Clone, Debug)]
struct Strip {
    /// The body without branches: memory operations and assertions have conditions.
    insts: Vec<Inst>,
    yields: Values,
    carried: Vec<Carried>,
    takes: Vec<Take>,
    /// For each carried value that is [`Carried::Counted`]: its number, and what a turn that counts meets, or does not meet.
    counts: Vec<(usize, Vec<(Value, bool)>)>,
    /// So many instructions at the beginning know nothing of what is counted.
    ready: usize,
}

/// By counter.
type Strips = Map<Value, Strip>;

/// Whether a kernel may have loops for this: most have none.
pub fn has_loops(kernel: &Kernel) -> bool {
    fits(kernel) && kernel.body.any(&mut |i| i.op == Op::For && is_innermost(i))
}

/// The SIMD kernel, if there is a loop for it and it is cheaper so.
pub fn run(kernel: &Kernel, how: &How) -> Option<Kernel> {
    with(kernel, how, cost::pays)
}

/// The SIMD kernel, if there is a loop for it.
pub fn always(kernel: &Kernel, how: &How) -> Option<Kernel> {
    with(kernel, how, |_, strips, _| !strips.is_empty())
}

fn with(kernel: &Kernel, how: &How, pays: impl Fn(&Kernel, &Strips, &How) -> bool) -> Option<Kernel> {
    if !fits(kernel) {
        return None;
    }
    let mut kernel = kernel.clone();
    let strips = strips::of(&mut kernel, how);
    let some = !strips.is_empty() || cost::chooses(&kernel);
    (some && pays(&kernel, &strips, how)).then(|| emit::run(kernel, strips, how.packs))
}

/// The kernel with the turns of loops over scalars along the lanes, where that is cheaper. At SIMD level; all lanes of its groups
/// have an item.
pub fn scalars(kernel: &Kernel, how: &How) -> Option<Kernel> {
    let shares = kernel.shared().next().is_some() || kernel.bufs.iter().any(|(_, b)| b.rank != 1);
    if kernel.level != Level::Simd || shares || !kernel.body.any(&mut |i| i.op == Op::For && is_innermost(i)) {
        return None;
    }
    let mut kernel = kernel.clone();
    let mut strips = strips::of(&mut kernel, how);
    cost::keep(&kernel, &mut strips, how);
    (!strips.is_empty()).then(|| emit::in_place(kernel, strips, how.packs))
}

/// The instructions of a body without branches, and what it yields: both arms of each branch, memory operations and assertions under
/// conditions; `None` if something else would have to be conditional.
pub(crate) fn straight(kernel: &mut Kernel, body: &Block) -> Option<(Vec<Inst>, Values)> {
    flat::flat(kernel, body).map(|strip| (strip.insts, strip.yields))
}

/// Whether a loop computes with scalars alone.
fn is_scalar(kernel: &Kernel, inst: &Inst) -> bool {
    let vector = |v: &Value| kernel.ty(*v).lanes;
    let other = |i: &Inst| {
        let fits = match i.op {
            Op::Load | Op::Store => i.mode.is_plain() && i.mode != quadra_kir::Mode::Guarded,
            Op::Assert | Op::Comment | Op::If | Op::Yield => true,
            op => eval::is_lanewise(op),
        };
        !fits || i.mask.is_some() || i.results.iter().chain(&i.args).any(vector)
    };
    let ends = inst.results.iter().chain(&inst.args).any(vector);
    !ends && inst.mask.is_none() && !inst.regions[0].any(&mut |i| other(i))
}

/// Whether items of a kernel can be computed one by one.
fn fits(kernel: &Kernel) -> bool {
    use Op::*;
    let alone = |i: &Inst| match i.op {
        Item | Extent | Dim | Assert | Comment | If | For | Loop | Yield | Break | Continue => true,
        Load | Store => i.mode.is_plain() && i.mode != quadra_kir::Mode::Guarded,
        op => eval::is_lanewise(op),
    };
    let end = kernel.body.terminator();
    let other = |i: &Inst| !alone(i) && !end.is_some_and(|e| std::ptr::eq(e, i));
    let launched = kernel.level == Level::Simt && kernel.over > 0 && kernel.group == [LANES];
    let plain = kernel.shared().next().is_none() && kernel.bufs.iter().all(|(_, b)| b.rank == 1);
    launched && plain && end.is_some_and(|e| e.op == Return) && !kernel.body.any(&mut |i| other(i))
}

/// Whether a loop is an innermost one that is left at its end alone.
fn is_innermost(inst: &Inst) -> bool {
    let body = &inst.regions[0];
    let leaves = |b: &Block| [Op::Break, Op::Continue, Op::Return].into_iter().any(|op| b.exits(op) > 0);
    inst.op == Op::For
        && !leaves(body)
        && body.terminator().is_some_and(|t| t.op == Op::Yield)
        && !body.any(&mut |i| matches!(i.op, Op::For | Op::Loop))
}
