//! The parts of a launch's code: that of the interior, and that of every group, which is not made where the interior is all there is.

use crate::blocking;
use crate::common::function::{Shape, Site};
use crate::common::refill::{self, Refill};
use crate::cost::cost;
use crate::host;
use crate::inside::{self, Inside};
use crate::later::General;
use crate::lower::{self, Plan};
use crate::native::Native;
use crate::plan::{
    self, DUMP, FEW_GROUPS, Inner, Object, Prepared, Refilled, Setting, UNFOLD, UNFOLD_SMALL, Variant, is_plain,
    options,
};
use crate::processor::Processor;
use crate::recent;
use crate::shapes::shapes;
use crate::steps::Steps;
use crate::streams::{halves, streams};
use crate::turns::Along;
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use quadra_base::checked;
use quadra_kir::Kernel;
use quadra_llvm::{Llvm, Options};
use quadra_passes::analysis::range::Bounds;
use quadra_passes::forward;
use quadra_passes::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::ScopedJoinHandle;

/// Code, and what a group costs.
type Made<T> = Result<(T, u64), Vec<Diagnostic>>;

/// Who compiles, and how.
pub(crate) struct How<'a> {
    pub llvm: &'a Arc<Llvm>,
    pub options: Options,
}

/// What both parts are made of.
struct Parts<'a> {
    how: How<'a>,
    setting: &'a Setting,
    ready: Prepared,
    /// Whether every lane has an item, so that lanes may be anything else.
    lanes: Option<Along>,
    /// Whether the general code computes the little that the interior leaves.
    border: bool,
    /// Whether it is a few groups that are left.
    few: bool,
    /// Whether it is worth its loops along rows: there is too little to do around an interior.
    ahead: bool,
}

/// Code for a setting: of the interior if there is one, and of every group unless the interior is all.
pub(crate) fn compiled(
    llvm: &Arc<Llvm>,
    kernel: &Kernel,
    setting: &Setting,
    likely: &[Option<i64>],
) -> Result<Variant<Object>, Vec<Diagnostic>> {
    let (parts, inside) = Parts::of(llvm, kernel, setting, likely)?;
    let all = inside.as_ref().is_some_and(|i| i.limits.is_empty() && parts.ready.all.as_ref() == Some(&i.groups));
    let (tell, told) = mpsc::channel();
    // The two take about as long as each other, and LLVM works in several threads.
    let (general, inner) = std::thread::scope(|scope| {
        let parts = &parts;
        let inner = inside.map(|inside| scope.spawn(move || parts.inner(inside, &tell)));
        // Whole turns of the interior's code leave nothing where they fit.
        let fits = |shape: Shape| parts.ready.all.as_ref().is_some_and(|all| turns_fit(shape, all));
        let needless = all && told.recv().is_ok_and(fits);
        let general = if needless { None } else { Some(parts.general()) };
        (general.transpose(), inner.map(joined).transpose())
    });
    let general = general?;
    let (inner, cost) = inner?.unwrap_or((None, general.as_ref().map_or(0, |(_, cost)| *cost)));
    let general = general.map_or_else(General::unlinked, |(code, _)| General::Made(code));
    let Prepared { plan, covers, frames, .. } = parts.ready;
    Ok(Variant { general, inner, private: plan.private, covers, frames, cost, steps: Steps::default() })
}

/// The code of every group, for who has to do without the interior after all.
///
/// # Errors
/// As [`compiled`].
pub fn general(llvm: &Arc<Llvm>, kernel: &Kernel, setting: &Setting) -> Result<Native, Vec<Diagnostic>> {
    let Object { bytes, sites } = Parts::of(llvm, kernel, setting, &[])?.0.general()?.0;
    llvm.link(&bytes).and_then(|code| Native::new(code, sites)).map_err(|d| vec![*d])
}

/// Whether turns of a shape come out even along the last two axes.
fn turns_fit(shape: Shape, all: &[Bounds]) -> bool {
    let sizes = [shape.columns, shape.rows];
    all.iter().rev().zip(sizes).all(|(b, size)| (b.high - b.low + 1) % size as i64 == 0)
}

impl<'a> Parts<'a> {
    fn of(
        llvm: &'a Arc<Llvm>,
        kernel: &Kernel,
        setting: &'a Setting,
        likely: &[Option<i64>],
    ) -> Result<(Parts<'a>, Option<Inside>), Vec<Diagnostic>> {
        let ready = plan::prepared(Processor::here(llvm), kernel, setting)?;
        let inside = match ready.all.as_ref().filter(|_| is_plain(kernel)) {
            Some(all) => inside::of(&ready.simd, ready.plan.most_workers, all, ready.facts, likely)?,
            None => None,
        };
        // How much is left, numbers may say.
        let limited = inside.as_ref().is_some_and(|i| !i.limits.is_empty());
        let groups = inside.as_ref().map(|i| &i.groups[..]);
        let border = !limited && ready.all.as_ref().is_some_and(|all| little(groups, all));
        let few = !limited
            && inside.as_ref().zip(ready.all.as_ref()).is_some_and(|(i, all)| many(all) - many(&i.groups) <= FEWEST);
        let ahead = ready.plan.ahead && (inside.is_none() || limited);
        let whole = setting.known.extent.last().copied().flatten().is_some_and(|n| n % 16 == 0);
        let lanes = Along { alias: setting.alias, tiles: ready.plan.ahead, packs: ready.plan.scales, last: None };
        let lanes = (whole && kernel.level == quadra_kir::Level::Simt).then_some(lanes);
        let how = How { llvm, options: options() };
        Ok((Parts { how, setting, ready, lanes, border, few, ahead }, inside))
    }

    /// The kernel for some groups, its loops of at most `most` instructions unrolled.
    fn narrowed(&self, groups: &[Bounds], most: usize, limits: &[Limit]) -> Result<Kernel, Vec<Diagnostic>> {
        let Prepared { simd, facts, plan, .. } = &self.ready;
        let lanes = self.lanes.as_ref().map(|along| (along, &plan.lengths[..]));
        let mut kernel = plan::narrowed(simd, plan.most_workers, groups, *facts, (most, lanes), limits)?;
        // What an iteration has stored the next one has in a register.
        let inside = inside::by_bounds(&kernel, plan.most_workers, groups, &plan.lengths);
        forward::run(&mut kernel, self.setting.alias, &inside);
        Ok(kernel)
    }

    /// Code as text, of which loops of few iterations are unrolled: as `write` makes it of a kernel. Where that is long, it is written
    /// once more with few loops unrolled, and taken if that saves half: what an iteration of so much code gains by being
    /// unrolled is little, and LLVM takes as long as the text is.
    fn unrolled<T>(
        &self,
        (groups, limits): (&[Bounds], &[Limit]),
        most: usize,
        write: impl Fn(Kernel) -> (T, usize),
    ) -> Result<T, Vec<Diagnostic>> {
        let (made, lines) = write(self.narrowed(groups, most, limits)?);
        if lines <= LONG || most <= UNFOLD_SMALL {
            return Ok(made);
        }
        let (other, fewer) = write(self.narrowed(groups, UNFOLD_SMALL, limits)?);
        Ok(if fewer > 0 && 2 * fewer <= lines { other } else { made })
    }

    fn general(&self) -> Made<Object> {
        let most = if self.border { UNFOLD_SMALL } else { most_unfolded() };
        let write = |kernel: Kernel| {
            let (streams, halves) = (streams(&kernel, self.setting), halves(&kernel, self.setting));
            let plan = Plan {
                streams,
                halves,
                border: self.border,
                few: self.few,
                ahead: self.ahead,
                ..self.ready.plan.clone()
            };
            let written = Written::one(&kernel, plan);
            let lines = written.lines();
            ((written, cost(&kernel)), lines)
        };
        let (written, cost) = self.unrolled((self.ready.all.as_deref().unwrap_or(&[]), &[]), most, write)?;
        Ok((written.compiled(&self.how)?, cost))
    }

    /// The code of the interior; its shape is told as soon as it is known.
    fn inner(&self, Inside { groups, limits }: Inside, tell: &Sender<Shape>) -> Made<Option<Inner<Object>>> {
        let most = if many(&groups) <= FEW_GROUPS { UNFOLD_SMALL } else { most_unfolded() };
        let write = |kernel: Kernel| {
            let (cost, room) = (cost(&kernel), host::second_cache() as u64 / 2);
            let (kernel, blocks) = blocking::run(kernel, &groups, &self.ready.covers, self.setting.alias, room);
            let (streams, halves) = (streams(&kernel, self.setting), halves(&kernel, self.setting));
            let plan = Plan { groups: groups.clone(), streams, halves, blocks, ..self.ready.plan.clone() };
            let written = interior(&kernel, &plan);
            let lines = written.as_ref().map_or(0, Written::lines);
            ((kernel, plan, written, cost), lines)
        };
        let (kernel, plan, written, cost) = self.unrolled((&groups, &limits), most, write)?;
        if let Some(written) = &written {
            // Nobody may wait for it any more.
            let _ = tell.send(written.plan.shape);
        }
        Ok((inside_code(&self.how, &kernel, plan, written)?.map(|inner| Inner { limits, ..inner }), cost))
    }
}

/// So few groups beside an interior take no time, whatever their code is.
const FEWEST: f64 = 64.0;

/// Lines of text from which code is long: LLVM takes some twenty milliseconds for so many.
const LONG: usize = 800;

/// Code as text.
struct Written {
    kernel: Kernel,
    plan: Plan,
    module: (String, Vec<Site>),
}

impl Written {
    /// For one group at a time.
    fn one(kernel: &Kernel, plan: Plan) -> Written {
        let kernel = lower::without_votes(kernel, &plan.private);
        let module = lower::module(&kernel, &plan).expect("one group at a time is always possible");
        Written { kernel, plan, module }
    }

    fn lines(&self) -> usize {
        self.module.0.lines().count()
    }

    fn compiled(self, how: &How<'_>) -> Result<Object, Vec<Diagnostic>> {
        let Written { kernel, plan, module } = self;
        let name = format!("{}-{}x{}", kernel.name, plan.shape.rows, plan.shape.columns);
        code(how, &name, &kernel, module)
    }
}

/// What a thread has made; a panic in it is an error of what it was to make.
fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Vec<Diagnostic>>>) -> Result<T, Vec<Diagnostic>> {
    thread.join().unwrap_or_else(|panic| Err(vec![*plan::panicked(&*panic)]))
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
pub(crate) fn little(inside: Option<&[Bounds]>, all: &[Bounds]) -> bool {
    let left = many(all) - inside.map_or(0.0, many);
    left <= FEW_GROUPS.max(0.25 * many(all))
}

/// The code of the interior, both ways if there are two.
fn inside_code(
    how: &How<'_>,
    kernel: &Kernel,
    plan: Plan,
    written: Option<Written>,
) -> Result<Option<Inner<Object>>, Vec<Diagnostic>> {
    // Only there one instruction spreads elements over the lanes of a mask.
    let split = if how.llvm.has_feature("avx512f") && plan.blocks.is_none() { refill::split(kernel) } else { None };
    std::thread::scope(|scope| {
        let other = split.map(|r| scope.spawn(move || refilled(how, &r, plan)));
        let inner = written.map(|written| inner_code(how, written)).transpose()?;
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

/// The interior's code as text: the largest turns first, of which the text is not long.
fn interior(kernel: &Kernel, plan: &Plan) -> Option<Written> {
    let ahead = (plan.ahead && !plan.halves).then_some(plan.alias);
    let mut shapes = shapes(kernel, &plan.groups, ahead, plan.scales);
    if checked::is_hurried() {
        // Each further group is as much code again.
        shapes.drain(..shapes.len() - 1);
    }
    let kernel = lower::without_votes(kernel, &plan.private);
    let mut long = None;
    for shape in shapes {
        let plan = Plan { shape, ..plan.clone() };
        let Some(module) = lower::module(&kernel, &plan) else { continue };
        let written = Written { kernel: kernel.clone(), plan, module };
        if written.lines() <= LONG {
            return Some(written);
        }
        long = Some(written);
    }
    long
}

fn inner_code(how: &How<'_>, written: Written) -> Result<Inner<Object>, Vec<Diagnostic>> {
    let (mut low, mut high) = ([0; 4], [1; 4]);
    for (axis, b) in written.plan.groups.iter().enumerate() {
        (low[axis], high[axis]) = (b.low as u32, b.high as u32 + 1);
    }
    let (blocked, shape, limits) = (written.plan.blocks.is_some(), written.plan.shape, Vec::new());
    Ok(Inner { native: written.compiled(how)?, low, high, limits, shape, blocked, refilled: None })
}

/// Code for one group at a time.
pub(crate) fn native(how: &How<'_>, kernel: &Kernel, plan: &Plan) -> Result<Object, Vec<Diagnostic>> {
    Written::one(kernel, plan.clone()).compiled(how)
}

fn code(
    how: &How<'_>,
    name: &str,
    kernel: &Kernel,
    (text, sites): (String, Vec<Site>),
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
