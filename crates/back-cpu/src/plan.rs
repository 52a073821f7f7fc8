//! From a kernel and what is known of a launch to code: which groups are the interior, in which turns they are computed.

use crate::asserts;
use crate::blocking;
use crate::certain;
use crate::common::function::Shape;
use crate::common::refill::{self, Refill};
use crate::cost::cost;
use crate::gathered;
use crate::host;
use crate::implied;
use crate::inside::{self, Inside, all_groups, lengths};
use crate::kept;
use crate::lower::{self, Plan};
use crate::processor::Processor;
use crate::recent;
use crate::shapes::{divides_wide, shapes};
use crate::steps::Steps;
use crate::streams::{halves, streams};
use crate::turns::{self, Along, LAST, SECOND, run};
pub use crate::variant::{Inner, Object, Refilled, Variant};
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use quadra_base::checked;
use quadra_kir::{Buf, Inst, Kernel, Op, Value};
use quadra_llvm::{Level, Llvm, Options, Pipeline};
use quadra_passes::analysis::covers::covers;
use quadra_passes::analysis::range::{Bounds, MAX_WORKERS};
use quadra_passes::limits::Limit;
use quadra_passes::pass::Facts;
use quadra_passes::specialise::{self, Known};
use quadra_passes::{ends, forward, freeze, halves, interior, mask, pipeline, rejoin, replay, settled, unfold};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

/// Environment variable that names a directory for what LLVM gets and makes.
const DUMP: &str = "QUADRA_DUMP_LLVM";

/// Most instructions of a loop's iterations that are written one after the other.
const UNFOLD: usize = 4000;
/// The same for code that computes few groups, or only what lies around the interior: compiling it costs more than its loops'
/// turns.
const UNFOLD_SMALL: usize = 200;
/// So many groups are few in any launch.
const FEW_GROUPS: f64 = 512.0;

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
    let Some((cache, key)) = kept else { return made(llvm, kernel, setting, likely)?.link(llvm) };
    if let Some(found) = cache.get(&key).and_then(|bytes| kept::read(kernel, &bytes))
        && let Ok(variant) = found.link(llvm)
    {
        return Ok(variant);
    }
    let made = made(llvm, kernel, setting, likely)?;
    if let Some(bytes) = kept::write(kernel, &made) {
        cache.put(&key, &bytes);
    }
    made.link(llvm)
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
    let Prepared { simd, facts, plan, all, covers } = prepared(Processor::here(llvm), kernel, setting)?;
    let kernel = narrowed(&simd, plan.most_workers, all.as_deref().unwrap_or(&[]), facts, (UNFOLD_SMALL, None), &[])?;
    let how = How { llvm, options: Options { pipeline: Pipeline::Light, ..Options::default() } };
    let general = native(&how, &kernel, &plan)?.expect("one group at a time is always possible");
    let cost = cost(&kernel);
    Variant { general, inner: None, private: plan.private, covers, cost, steps: Steps::default() }.link(llvm)
}

/// Code, and what a group costs.
type Made<T> = Result<(T, u64), Vec<Diagnostic>>;

/// Who compiles, and how.
struct How<'a> {
    llvm: &'a Arc<Llvm>,
    options: Options,
}

/// A kernel for vectors, and what is known of all its groups.
pub(crate) struct Prepared {
    pub simd: Kernel,
    pub facts: Facts,
    /// For one group at a time.
    pub plan: Plan,
    /// The bounds of all groups.
    pub all: Option<Vec<Bounds>>,
    covers: Vec<bool>,
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
    let covered = |b: Buf| match (&extent, lengths[b.index()]) {
        (Some(extent), Some(length)) => covers(&simd, b, extent, length.into()),
        _ => false,
    };
    let covers = kernel.bufs.ids().map(covered).collect();
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
        lengths,
        streams: vec![false; kernel.bufs.len()],
        halves: false,
        border: false,
        ahead: processor.turns(),
        alias: setting.alias,
        private,
        checked: setting.checked,
        guarded: setting.guarded,
    };
    Ok(Prepared { simd, facts, plan, all, covers })
}

fn compiled(
    llvm: &Arc<Llvm>,
    kernel: &Kernel,
    setting: &Setting,
    likely: &[Option<i64>],
) -> Result<Variant<Object>, Vec<Diagnostic>> {
    let Prepared { simd, facts, plan, all, covers } = prepared(Processor::here(llvm), kernel, setting)?;
    let (workers, how) = (plan.most_workers, How { llvm, options: options() });
    let inside = match all.as_ref().filter(|_| is_plain(kernel)) {
        Some(all) => inside::of(&simd, workers, all, facts, likely)?,
        None => None,
    };
    // How much is left, numbers may say.
    let limited = inside.as_ref().is_some_and(|i| !i.limits.is_empty());
    let groups = inside.as_ref().map(|i| &i.groups[..]);
    let border = !limited && all.as_ref().is_some_and(|all| little(groups, all));
    // Around an interior there is too little to do.
    let ahead = plan.ahead && (inside.is_none() || limited);
    // Where every lane has an item, lanes may be anything else.
    let whole = setting.known.extent.last().copied().flatten().is_some_and(|n| n % 16 == 0);
    let lanes = Along { alias: setting.alias, tiles: plan.ahead, packs: plan.scales, last: None };
    let lanes = (whole && kernel.level == quadra_kir::Level::Simt).then_some((&lanes, &plan.lengths[..]));
    let general = || -> Made<Object> {
        let groups = all.as_deref().unwrap_or(&[]);
        let mut kernel =
            narrowed(&simd, workers, groups, facts, (if border { UNFOLD_SMALL } else { most_unfolded() }, lanes), &[])?;
        forwarded(&mut kernel, setting, &plan, groups);
        let (streams, halves) = (streams(&kernel, setting), halves(&kernel, setting));
        let plan = Plan { streams, halves, border, ahead, ..plan.clone() };
        let code = native(&how, &kernel, &plan)?.expect("one group at a time is always possible");
        Ok((code, cost(&kernel)))
    };
    let inner = |Inside { groups, limits }: Inside| -> Made<Option<Inner<Object>>> {
        let most = if many(&groups) <= FEW_GROUPS { UNFOLD_SMALL } else { most_unfolded() };
        let mut kernel = narrowed(&simd, workers, &groups, facts, (most, lanes), &limits)?;
        forwarded(&mut kernel, setting, &plan, &groups);
        let (cost, room) = (cost(&kernel), host::second_cache() as u64 / 2);
        let (kernel, blocks) = blocking::run(kernel, &groups, &covers, setting.alias, room);
        let (streams, halves) = (streams(&kernel, setting), halves(&kernel, setting));
        let plan = Plan { groups, streams, halves, blocks, ..plan.clone() };
        Ok((inside_code(&how, &kernel, plan)?.map(|inner| Inner { limits, ..inner }), cost))
    };
    // The two take about as long as each other, and LLVM works in several threads.
    let (general, inner) = std::thread::scope(|scope| {
        let inner = inside.map(|groups| scope.spawn(|| inner(groups)));
        let general = general();
        (general, inner.map(joined).transpose())
    });
    let (general, cost) = general?;
    let (inner, cost) = inner?.unwrap_or((None, cost));
    Ok(Variant { general, inner, private: plan.private, covers, cost, steps: Steps::default() })
}

/// What an iteration has stored the next one has in a register.
fn forwarded(kernel: &mut Kernel, setting: &Setting, plan: &Plan, groups: &[Bounds]) {
    let inside = inside::by_bounds(kernel, plan.most_workers, groups, &plan.lengths);
    forward::run(kernel, setting.alias, &inside);
}

/// What a thread has made; a panic in it is an error of what it was to make.
fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Vec<Diagnostic>>>) -> Result<T, Vec<Diagnostic>> {
    thread.join().unwrap_or_else(|panic| Err(vec![*panicked(&*panic)]))
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

/// How much code loops that are unrolled may become.
fn most_unfolded() -> usize {
    if checked::is_hurried() { UNFOLD_SMALL } else { UNFOLD }
}

/// How many groups a box holds.
fn many(bounds: &[Bounds]) -> f64 {
    bounds.iter().map(|b| (b.high - b.low + 1) as f64).product()
}

/// Whether what the interior leaves is a quarter of all groups at most, or few.
fn little(inside: Option<&[Bounds]>, all: &[Bounds]) -> bool {
    let left = many(all) - inside.map_or(0.0, many);
    left <= FEW_GROUPS.max(0.25 * many(all))
}

/// The code of the interior, both ways if there are two.
fn inside_code(how: &How<'_>, kernel: &Kernel, plan: Plan) -> Result<Option<Inner<Object>>, Vec<Diagnostic>> {
    // Only there one instruction spreads elements over the lanes of a mask.
    let split = if how.llvm.has_feature("avx512f") && plan.blocks.is_none() { refill::split(kernel) } else { None };
    std::thread::scope(|scope| {
        let other = split.map(|r| {
            let plan = plan.clone();
            scope.spawn(move || refilled(how, &r, plan))
        });
        let inner = inner_code(how, kernel, plan)?;
        let other = other.map(joined).transpose()?.flatten();
        Ok(inner.map(|inner| Inner { refilled: other, ..inner }))
    })
}

fn refilled(how: &How<'_>, r: &Refill, mut plan: Plan) -> Result<Option<Refilled<Object>>, Vec<Diagnostic>> {
    let (most, parts) = (lower::most_groups(r) / 8 * 8, lower::parts(r));
    let groups: i64 = plan.groups.iter().map(|b| b.high - b.low + 1).product();
    if groups < 4 * parts as i64 {
        return Ok(None);
    }
    plan.shape = Shape { rows: 1, columns: parts };
    let Some((text, sites)) = lower::refilled(r, &plan) else { return Ok(None) };
    let native = code(how, &format!("{}-refilled", r.kernel.name), &r.kernel, (text, sites))?;
    Ok(Some(Refilled { native, most, parts, vectors: r.vectors, choice: refill::Choice::default() }))
}

/// Tries the largest turns first.
fn inner_code(how: &How<'_>, kernel: &Kernel, mut plan: Plan) -> Result<Option<Inner<Object>>, Vec<Diagnostic>> {
    let groups = plan.groups.clone();
    let ahead = (plan.ahead && !plan.halves).then_some(plan.alias);
    let mut shapes = shapes(kernel, &groups, ahead, plan.scales);
    if checked::is_hurried() {
        // Each further group is as much code again.
        shapes.drain(..shapes.len() - 1);
    }
    for shape in shapes {
        plan.shape = shape;
        if let Some(native) = native(how, kernel, &plan)? {
            let (mut low, mut high) = ([0; 4], [1; 4]);
            for (axis, b) in groups.iter().enumerate() {
                (low[axis], high[axis]) = (b.low as u32, b.high as u32 + 1);
            }
            let (blocked, limits) = (plan.blocks.is_some(), Vec::new());
            return Ok(Some(Inner { native, low, high, limits, shape, blocked, refilled: None }));
        }
    }
    Ok(None)
}

fn native(how: &How<'_>, kernel: &Kernel, plan: &Plan) -> Result<Option<Object>, Vec<Diagnostic>> {
    let kernel = &lower::without_votes(kernel, &plan.private);
    let Some(module) = lower::module(kernel, plan) else { return Ok(None) };
    let name = format!("{}-{}x{}", kernel.name, plan.shape.rows, plan.shape.columns);
    code(how, &name, kernel, module).map(Some)
}

/// How code is compiled.
pub fn options() -> Options {
    let pipeline = if checked::is_hurried() { Pipeline::Light } else { Pipeline::Vectors };
    Options { pipeline, hurried: checked::is_hurried(), ..Options::default() }
}

fn code(
    how: &How<'_>,
    name: &str,
    kernel: &Kernel,
    (text, sites): (String, Vec<crate::common::function::Site>),
) -> Result<Object, Vec<Diagnostic>> {
    let How { llvm, options } = how;
    if let Ok(directory) = std::env::var(DUMP) {
        // For people who read code; what cannot be written is not missed.
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let name = format!("{directory}/{:03}-{name}", NEXT.fetch_add(1, Ordering::Relaxed));
        let _ = std::fs::write(format!("{name}.ll"), &text);
        let _ = llvm.assembly(&text, options).map(|s| std::fs::write(format!("{name}.s"), s));
        let _ = std::fs::write(format!("{name}.kir"), quadra_kir::print::kernel(kernel));
    }
    // Where the compiler is known, the cache has all of a launch's code in one entry.
    let cache = Cache::user().filter(|_| quadra_base::cache::compiler().is_none());
    let object = recent::object(&llvm.identity(options), &text, || llvm.object_in(&text, options, cache));
    object.map(|bytes| Object { bytes, sites }).map_err(|d| vec![*d])
}

#[cfg(test)]
mod tests;
