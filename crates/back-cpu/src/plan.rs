//! From a kernel and what is known of a launch to code: which groups are the interior, in which turns they are computed.

use crate::asserts;
use crate::certain;
use crate::common::function::Shape;
use crate::cost::cost;
use crate::gathered;
use crate::implied;
use crate::inside::{self, Inside, all_groups, lengths};
use crate::kept;
use crate::later::General;
use crate::lower::{self, Plan};
use crate::parts::{How, compiled, native};
use crate::processor::Processor;
use crate::shapes::divides_wide;
use crate::steps::Steps;
use crate::turns::{self, Along, LAST, SECOND, run};
pub use crate::variant::{Inner, Object, Refilled, Variant};
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use quadra_base::checked;
use quadra_kir::{Buf, Inst, Kernel, Op, Value};
use quadra_llvm::{Level, Llvm, Options, Pipeline};
use quadra_passes::analysis::covers::{Frame, frame};
use quadra_passes::analysis::range::{Bounds, MAX_WORKERS};
use quadra_passes::limits::Limit;
use quadra_passes::pass::Facts;
use quadra_passes::specialise::{self, Known};
use quadra_passes::{ends, freeze, halves, interior, mask, pipeline, rejoin, replay, settled, unfold};
use std::collections::HashSet;
use std::sync::Arc;

/// Environment variable that names a directory for what LLVM gets and makes.
pub(crate) const DUMP: &str = "QUADRA_DUMP_LLVM";

/// Most instructions of a loop's iterations that are written one after the other.
pub(crate) const UNFOLD: usize = 4000;
/// The same for code that computes few groups, or only what lies around the interior: compiling it costs more than its loops'
/// turns.
pub(crate) const UNFOLD_SMALL: usize = 200;
/// So many groups are few in any launch.
pub(crate) const FEW_GROUPS: f64 = 512.0;

/// What of a launch is known besides the [`Known`] sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub known: Known,
    /// Parameters whose buffers are so large that they go through the caches without staying there, and aligned to lines.
    pub streams: Vec<bool>,
    /// Whether two of them may be the same memory.
    pub alias: bool,
    /// Whether proofs are tested.
    pub checked: bool,
    /// Whether all memory lies between guard pages.
    pub guarded: bool,
}

impl Setting {
    /// Whether two settings differ in the values of numbers alone.
    pub fn but_for_scalars(&self, other: &Setting) -> bool {
        let scalars = other.known.scalars.clone();
        let known = Known { scalars, ..self.known.clone() };
        *self != *other && Setting { known, ..self.clone() } == *other
    }
}

/// Whether items know nothing of lanes, groups and workers, so that groups may be computed together.
pub(crate) fn is_plain(kernel: &Kernel) -> bool {
    let other = |op: Op| {
        use Op::*;
        matches!(
            op,
            Lane | LaneActive
                | Local
                | Group
                | NumGroups
                | GroupSize
                | Worker
                | NumWorkers
                | VoteAny
                | VoteAll
                | Rotate
                | Broadcast
                | TmuRequest
                | TmuReceive
                | Fence
                | Flush
                | Barrier
                | SemaInc
                | SemaDec
                | MutexLock
                | MutexUnlock
                | HostIrq
                | Print
                | Return
        )
    };
    // The body's own end is a `return`.
    let end = kernel.body.terminator();
    let shares = kernel.shared().next().is_some();
    kernel.over > 0 && !shares && !kernel.body.any(&mut |i| other(i.op) && !end.is_some_and(|e| std::ptr::eq(e, i)))
}

/// How often comparisons are decided: a reflected index has two, one within the other.
const MOST_NARROWINGS: usize = 3;

/// How loops over scalars may have turns along the lanes, and the elements of buffers.
pub(crate) type Lanes<'a> = (&'a Along, &'a [Option<u32>]);

/// The SIMD kernel for groups between these bounds, and within limits; its loops of at most `most` instructions are unfolded, and those over scalars
/// have turns along the lanes if `lanes` says how.
pub(crate) fn narrowed(
    simd: &Kernel,
    workers: i64,
    groups: &[Bounds],
    facts: Facts,
    (most, lanes): (usize, Option<Lanes<'_>>),
    limits: &[Limit],
) -> Result<Kernel, Vec<Diagnostic>> {
    let (mut kernel, mut facts) = (simd.clone(), facts);
    for decide in [interior::alone, settled::run, ends::run] {
        if decide(&mut kernel, workers, groups) {
            run(SECOND, &mut kernel, &mut facts)?;
        }
    }
    for _ in 0..MOST_NARROWINGS {
        let more = interior::narrow_told(&mut kernel, workers, groups, limits);
        run(SECOND, &mut kernel, &mut facts)?;
        if !more {
            break;
        }
    }
    if rejoin::run(&mut kernel, workers, groups) {
        run(SECOND, &mut kernel, &mut facts)?;
    }
    certain::drop_tests(&mut kernel, workers, groups);
    freeze::run(&mut kernel);
    gathered::run(&mut kernel);
    if let Some((how, lengths)) = lanes {
        if let Some(next) = turns::waves(&kernel, how, lengths, facts)? {
            kernel = next;
            run(pipeline::SIMD_ROWS, &mut kernel, &mut facts)?;
        }
        if let Some(next) = turns::scalars(&kernel, how, facts)? {
            kernel = next;
            run(pipeline::SIMD_ROWS, &mut kernel, &mut facts)?;
        }
    }
    let mut long: HashSet<Value> = HashSet::new();
    kernel.body.walk(&mut |i| long.extend(i.results.iter().filter(|_| divides_wide(&kernel, i))));
    // Beside a division a loop's turn is nothing, and its code is long.
    let divides = |of: &Inst| of.regions[0].any(&mut |i| i.results.first().is_some_and(|r| long.contains(r)));
    let rows = lanes.filter(|l| l.0.tiles).map_or(HashSet::new(), |l| lower::long_rows(&kernel, l.0.alias));
    let wanted = |of: &Inst| !rows.contains(&of.regions[0].params[0]) && !divides(of);
    unfold::run_where(&mut kernel, most, &wanted);
    run(LAST, &mut kernel, &mut facts)?;
    interior::drop_masks(&mut kernel);
    certain::merge_stores(&mut kernel);
    implied::run(&mut kernel);
    asserts::merge(&mut kernel);
    Ok(kernel)
}

/// Compiles a kernel (SIMT level) for launches of a setting, unless the cache has its code. Numbers that the setting does not know are
/// likely like these.
///
/// # Errors
/// What the passes find wrong with the kernel; code that LLVM refuses, which is a bug.
pub fn variant<'a>(
    llvm: &Arc<Llvm>,
    kernel: &Kernel,
    text: impl FnOnce() -> &'a str,
    setting: &Setting,
    likely: &[Option<i64>],
) -> Result<Variant, Vec<Diagnostic>> {
    // Who wants to read code wants it written.
    let cache = Cache::user().filter(|_| std::env::var_os(DUMP).is_none());
    let kept = cache.and_then(|cache| Some((cache, kept::key(llvm, text(), setting)?)));
    let Some((cache, key)) = kept else { return made(llvm, kernel, setting, likely)?.link(llvm, kernel, setting) };
    if let Some(found) = cache.get(&key).and_then(|bytes| kept::read(kernel, &bytes))
        && let Ok(variant) = found.link(llvm, kernel, setting)
    {
        return Ok(variant);
    }
    let made = made(llvm, kernel, setting, likely)?;
    if let Some(bytes) = kept::write(kernel, &made) {
        cache.put(&key, &bytes);
    }
    made.link(llvm, kernel, setting)
}

/// Compiles, and loads LLVM meanwhile, if that has not been done: the passes and the text take some milliseconds, too.
fn made(
    llvm: &Arc<Llvm>,
    kernel: &Kernel,
    setting: &Setting,
    likely: &[Option<i64>],
) -> Result<Variant<Object>, Vec<Diagnostic>> {
    if llvm.is_loaded() {
        return compiled(llvm, kernel, setting, likely);
    }
    std::thread::scope(|scope| {
        scope.spawn(|| llvm.warm());
        compiled(llvm, kernel, setting, likely)
    })
}

/// Compiles in the plainest way: one group at a time, without instructions that only some processors have, with little
/// optimisation. For what LLVM has failed over otherwise.
///
/// # Errors
/// As [`variant`].
pub fn plain_variant(llvm: &Arc<Llvm>, kernel: &Kernel, setting: &Setting) -> Result<Variant, Vec<Diagnostic>> {
    let llvm = &llvm.limited(Level::Avx2);
    let Prepared { simd, facts, plan, all, covers, frames } = prepared(Processor::here(llvm), kernel, setting)?;
    let narrow = narrowed(&simd, plan.most_workers, all.as_deref().unwrap_or(&[]), facts, (UNFOLD_SMALL, None), &[])?;
    let how = How { llvm, options: Options { pipeline: Pipeline::Light, ..Options::default() } };
    let general = native(&how, &narrow, &plan)?;
    let cost = cost(&narrow);
    let general = General::Made(general);
    Variant { general, inner: None, private: plan.private, covers, frames, cost, steps: Steps::default() }
        .link(llvm, kernel, setting)
}

/// A kernel for vectors, and what is known of all its groups.
pub(crate) struct Prepared {
    pub simd: Kernel,
    pub facts: Facts,
    /// For one group at a time.
    pub plan: Plan,
    /// The bounds of all groups.
    pub all: Option<Vec<Bounds>>,
    pub covers: Vec<bool>,
    pub frames: Vec<Option<Frame>>,
}

/// A kernel for vectors, one group at a time, in which nothing is taken for known, and its plan: for [`crate::portable`].
pub(crate) fn portable(
    kernel: &Kernel,
    processor: Processor,
    setting: &Setting,
) -> Result<(Kernel, Plan), Vec<Diagnostic>> {
    let Prepared { simd, facts, plan, all, .. } = prepared(processor, kernel, setting)?;
    let kernel = narrowed(&simd, plan.most_workers, all.as_deref().unwrap_or(&[]), facts, (UNFOLD, None), &[])?;
    Ok((kernel, plan))
}

pub(crate) fn prepared(processor: Processor, kernel: &Kernel, setting: &Setting) -> Result<Prepared, Vec<Diagnostic>> {
    let known = &setting.known;
    let mut simd = kernel.clone();
    let plain = is_plain(&simd);
    specialise::run(&mut simd, known);
    let (mut facts, mut rows) = (Facts::NONE, None);
    if simd.level == quadra_kir::Level::Simt {
        run(pipeline::COMMON, &mut simd, &mut facts)?;
        replay::run(&mut simd, known);
        let last = known.extent.last().copied().flatten();
        let how = Along { alias: setting.alias, tiles: processor.turns(), packs: processor.scales, last };
        rows = turns::along(&simd, &how, facts)?;
        run(&[mask::PASS], &mut simd, &mut facts)?;
        // The mask of the last group asks for the extent.
        specialise::run(&mut simd, known);
        run(SECOND, &mut simd, &mut facts)?;
    } else {
        facts = Facts::VALUES.and(Facts::IN_BOUNDS).and(Facts::SIMD);
    }
    run(&[halves::PASS], &mut simd, &mut facts)?;
    let workers = known.workers.map_or(MAX_WORKERS, i64::from);
    let lengths = lengths(kernel, known);
    let extent: Option<Vec<u32>> = known.extent.iter().copied().collect();
    let written = |b: Buf| frame(&simd, b, extent.as_ref()?, lengths[b.index()]?.into());
    let frames: Vec<Option<Frame>> = kernel.bufs.ids().map(written).collect();
    let whole = |(f, n): (&Option<Frame>, &Option<u32>)| f.zip(*n).is_some_and(|(f, n)| f.rest(n.into()).is_empty());
    let covers = frames.iter().zip(&lengths).map(whole).collect();
    let all = all_groups(known, kernel.over as usize);
    let items = extent.as_ref().map(|e| e.iter().map(|n| u64::from(*n)).product());
    let copied = |b: Buf| lower::private(&simd, b, lengths[b.index()], items).filter(|_| plain);
    let private: Vec<_> = kernel.bufs.ids().map(copied).collect();
    if let Some(rows) = rows {
        // Which elements a launch writes, its items along the lanes say more simply.
        simd = rows;
        specialise::run(&mut simd, known);
        run(pipeline::SIMD_ROWS, &mut simd, &mut facts)?;
    }
    let plan = Plan {
        shape: Shape::ONE,
        blocks: None,
        groups: all.clone().unwrap_or_default(),
        most_workers: workers,
        scales: processor.scales,
        fuses: processor.fuses,
        permutes: processor.permutes,
        avx2: processor.avx2,
        atomics: true,
        lengths,
        streams: vec![false; kernel.bufs.len()],
        halves: false,
        border: false,
        few: false,
        ahead: processor.turns(),
        alias: setting.alias,
        private,
        checked: setting.checked,
        guarded: setting.guarded,
    };
    Ok(Prepared { simd, facts, plan, all, covers, frames })
}

/// The error that a panic of a thread that compiles becomes.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Box<Diagnostic> {
    Diagnostic::error("E0853", format!("the compiler panicked: {}", crate::native::panic_text(panic)))
        .help("this is a bug of Quadra")
        .into()
}

/// What a group would cost in code for a setting: see [`Variant::cost`].
pub fn cost_of(llvm: &Arc<Llvm>, kernel: &Kernel, setting: &Setting, likely: &[Option<i64>]) -> Option<u64> {
    let Prepared { simd, facts, plan, all, .. } = prepared(Processor::here(llvm), kernel, setting).ok()?;
    let all = all.unwrap_or_default();
    let inside = inside::of(&simd, plan.most_workers, &all, facts, likely).ok()?.filter(|_| is_plain(kernel));
    let Inside { groups, limits } = inside.unwrap_or(Inside { groups: all, limits: Vec::new() });
    Some(cost(&narrowed(&simd, plan.most_workers, &groups, facts, (UNFOLD, None), &limits).ok()?))
}

/// How code is compiled.
pub fn options() -> Options {
    let pipeline = if checked::is_hurried() { Pipeline::Light } else { Pipeline::Vectors };
    Options { pipeline, hurried: checked::is_hurried(), ..Options::default() }
}

#[cfg(test)]
mod tests;
