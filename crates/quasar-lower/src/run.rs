//! One run of a compiled kernel: arguments to buffers, the launch, and buffers back to the arrays.

use super::again::Again;
use super::bind::{Roots, constant};
use super::bound::{Back, Bound, Memory};
use super::lowered::Lowered;
use super::state::Source;
use super::strip::{Geometry, LANES, rows};
use super::{Cause, Refusal};
use quadra_device::{Device, LaunchOptions, Module};
use quadra_kir::{self as kir, Arg, Const, FaultKind, MemoryBuffer, Param};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::fault::{Fault, Res};
use quadra_quasar_vm::lend::{buffer_of, store_back};
use quadra_quasar_vm::profile::{Record, Work};
use quadra_quasar_vm::series;
use quadra_quasar_vm::tensor::{Data, Tensor};
use quadra_quasar_vm::value::Value;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Steps of the host that one instruction of the interpreter counts for the limit on steps.
const INSTRUCTIONS_PER_STEP: u64 = 16;
/// Bytes that the memory of all blocks may take where one worker runs a block.
const MOST_HIDDEN: usize = 256 << 20;
/// Items of a launch whose operations a profile counts, and the instructions that may take.
const SAMPLE: u32 = 1024;
const SAMPLE_BUDGET: u64 = 1 << 15;
/// Elements of each array that the counted items see.
const SEEN: usize = 1 << 16;

/// What became of a run on a device.
pub(super) enum Ran {
    Done,
    /// The host executor is to run it, perhaps for a reason that the user is told.
    Instead(Option<Refusal>),
}

/// Looks at what a loop left behind.
pub(super) type Combine<'a> = dyn Fn(&[MemoryBuffer]) -> bool + 'a;

/// One run of a compiled kernel.
pub(super) struct Run<'a> {
    pub arguments: &'a [Value],
    pub captures: &'a [Value],
    pub dims: &'a [i64],
    pub outputs: Vec<Value>,
    /// First value and step of the ranges of a loop nest.
    pub ranges: Vec<(Value, Value)>,
    /// Buffers that the kernel fills, by number.
    pub results: Vec<MemoryBuffer>,
    /// Several runs in one launch, of a kernel that does not stop.
    pub again: Option<Again>,
    /// Whether arrays that are one array may be written.
    pub aliases: bool,
    /// Its stores are those of the host, one after the other up to where it stops: the host stores the same again.
    pub in_order: bool,
    /// Looks at the results; if it says no, nothing is put back and the host executor runs the loop.
    pub combine: Option<&'a Combine<'a>>,
}

impl<'a> Run<'a> {
    pub fn new(arguments: &'a [Value], captures: &'a [Value], dims: &'a [i64]) -> Run<'a> {
        let (outputs, ranges, results) = (Vec::new(), Vec::new(), Vec::new());
        Run {
            arguments,
            captures,
            dims,
            outputs,
            ranges,
            results,
            again: None,
            aliases: true,
            in_order: false,
            combine: None,
        }
    }

    /// The items of the launch along the kernel's axes; `None` if these are too long.
    fn extent(&self, lowered: &Lowered) -> Option<Vec<u32>> {
        match lowered.together {
            Some(_) => Some(vec![LANES as u32 * blocks(self.dims, lowered) as u32]),
            None => extent_of(self.dims, lowered.kernel.over as usize, lowered.geometry),
        }
    }

    /// Runs the kernel and puts what it wrote back.
    pub fn go(
        &mut self,
        lowered: &Lowered,
        module: &Arc<dyn Module>,
        device: &Arc<dyn Device>,
        races: bool,
        cx: &mut Cx,
    ) -> Res<Ran> {
        let Some(mut bound) = self.bind(lowered, cx) else {
            return Ok(Ran::Instead(Some(Refusal::new("an argument is of another type than the kernel expects"))));
        };
        if !self.aliases && bound.slots.iter().any(|s| s.alias && s.written) {
            let why = Refusal::new("two names stand for one array that it writes");
            return Ok(Ran::Instead(Some(Refusal { cause: Cause::Aliases, ..why })));
        }
        let Some(extent) = self.extent(lowered) else {
            let why = "it has more than 2^31 positions along its first axes";
            return Ok(Ran::Instead(Some(Refusal::new(why))));
        };
        let caps = device.caps();
        let groups = extent.iter().map(|n| u64::from(*n)).product::<u64>().div_ceil(u64::from(caps.width)).max(1);
        let workers = if caps.parallel { groups.min(u64::from(device.max_workers())) as u32 } else { 1 };
        let budget = cx.budget().saturating_mul(INSTRUCTIONS_PER_STEP).min(1 << 40);
        if races {
            let roots = Roots { arguments: self.arguments, captures: self.captures, cx };
            let shape = |source: &Source| match source {
                Source::Array(path) => roots.tensor(path).map(|t| t.shape.to_vec()),
                _ => None,
            };
            let memory = bound.copy();
            if let Some(fault) = super::races::check(lowered, &bound.args, memory, &extent, budget, &shape) {
                return Err(fault);
            }
        }
        let mut options = LaunchOptions {
            workers,
            extent,
            budget,
            time_limit: cx.time_limit,
            partial: true,
            // Several names of what is only read do no harm.
            alias: bound.slots.iter().any(|s| s.alias && s.written),
            ..LaunchOptions::default()
        };
        self.repeat(&mut options, &mut bound);
        if cx.profile.is_some() {
            count(lowered, &bound, self.dims, device, &options, cx);
        }
        if !caps.has_nonfinite() {
            super::finite::warn(lowered, &bound, caps, &options, cx);
        }
        if self.waits(lowered, &bound, (&**module, &**device), &options, cx) {
            return Ok(Ran::Done);
        }
        let kept = self.keep(lowered, &mut bound, (&**module, &options), cx);
        let start = Instant::now();
        let result = match module.in_place() {
            true => bound.launch(&**module, &options),
            // What the host does not accept must leave its elements as they are.
            false => bound.launch_there(&**module, &options, !self.results.is_empty()),
        };
        series::note(cx);
        if let (Some(profile), Some(Ok(report))) = (&mut cx.profile, &result) {
            let number = profile.record(&lowered.kernel.name, lowered.kernel.span, device.name());
            let modelled_seconds = report.model.map(|m| m.seconds());
            let (runs, measured) = (u64::from(options.repeat), report.measured);
            let touched = &profile.records[number].touched;
            let (items, joined) = (runs * items(self.dims), runs - 1);
            let bytes = runs as f64 * bound.bytes_of(items / runs.max(1), touched);
            let bound = report.model.map(|m| m.least());
            let work = Work { runs, joined, items, bytes, modelled_seconds, measured, bound };
            profile.launch(number, start, report.compiled, work);
        }
        match result {
            None => return Ok(Ran::Instead(Some(Refusal::new("an array is in use")))),
            Some(Ok(report)) => cx.spend(report.instructions / INSTRUCTIONS_PER_STEP),
            Some(Err(fault)) => {
                restore(kept);
                return self.stopped(fault, cx);
            }
        }
        let ran = self.put_back(bound);
        if matches!(ran, Ran::Instead(_)) {
            restore(kept);
        }
        Ok(ran)
    }

    /// Launches of a loop that only launches are runs of one.
    fn repeat(&self, options: &mut LaunchOptions, bound: &mut Bound) {
        let Some(again) = self.again else { return };
        (options.repeat, options.swap) = (again.times, again.swap);
        if let Some((a, b)) = again.swap {
            bound.exchanged(&[a, b]);
        }
    }

    /// Has the launch wait for others to run with, if nobody needs to know yet what comes of it.
    fn waits(
        &self,
        lowered: &Lowered,
        bound: &Bound,
        (module, device): (&dyn Module, &dyn Device),
        options: &LaunchOptions,
        cx: &mut Cx,
    ) -> bool {
        let quiet = self.results.is_empty() && self.outputs.is_empty() && self.again.is_none();
        let bytes = bound.bytes();
        if !quiet || !module.in_place() || lowered.asserts || bound.alias {
            return false;
        }
        let start = Instant::now();
        let Some(arrays) = bound.only_arrays() else { return false };
        if cx.launches.is_long(bytes) && !cx.launches.comes_again(&arrays) {
            return false;
        }
        let Some(stage) = cx.launches.stage(module, &bound.args, &arrays, options) else { return false };
        let work = cx.profile.as_mut().map(|profile| {
            let number = profile.record(&lowered.kernel.name, lowered.kernel.span, device.name());
            profile.compiled(number, start, stage.compiled);
            let bytes = bound.bytes_of(items(self.dims), &profile.records[number].touched);
            (number, Work { runs: 1, items: items(self.dims), bytes, ..Work::default() })
        });
        cx.launches.add(stage, &arrays, bytes, work);
        series::note(cx);
        self.combine.is_none_or(|combine| combine(&[]))
    }

    /// Copies of the arrays that a launch in place changes and that must not stay changed if it does not succeed. What a
    /// kernel writes without reading it, the host executor writes again, up to where it meets the error; if that ends the
    /// program, nobody looks at the rest, unless the session goes on. Nothing is kept where the code is known not to stop.
    fn keep(
        &self,
        lowered: &Lowered,
        bound: &mut Bound,
        (module, options): (&dyn Module, &LaunchOptions),
        cx: &Cx,
    ) -> Vec<(Rc<Tensor>, Tensor)> {
        let may_stop = lowered.asserts || !self.results.is_empty();
        let arrays = bound.slots.iter().filter_map(|s| match s.memory {
            // Zeros that are not there yet are zeros again.
            Memory::Array(i) if bound.arrays[i].data.is_blank() && self.results.is_empty() => None,
            Memory::Array(i)
                if s.written && (cx.catching > 0 || (s.reread || cx.survives && !self.in_order) && may_stop) =>
            {
                Some(&bound.arrays[i])
            }
            _ => None,
        });
        let arrays: Vec<Rc<Tensor>> = arrays.cloned().collect();
        let caught = cx.catching > 0 || !self.results.is_empty();
        if !module.in_place() || arrays.is_empty() || !caught && bound.is_sure(module, options) {
            return Vec::new();
        }
        // Tensors take storage that was used before, and give it back.
        arrays.into_iter().map(|t| (t.clone(), t.duplicate())).collect()
    }

    /// Arguments for the kernel's parameters; nothing if one does not fit.
    fn bind(&self, lowered: &Lowered, cx: &Cx) -> Option<Bound> {
        let roots = Roots { arguments: self.arguments, captures: self.captures, cx };
        let mut bound = Bound::default();
        for (source, param) in lowered.sources.iter().zip(&lowered.kernel.params) {
            let (elem, written, reread) = match param {
                Param::Scalar(v) => (lowered.kernel.ty(*v).elem, false, false),
                Param::Buffer(b) => {
                    let info = &lowered.kernel.bufs[*b];
                    (info.elem, info.access != kir::Access::Read, lowered.rereads[b.index()])
                }
            };
            let number = |v: &Value, part: u8| constant(v, part, elem).map(Arg::Scalar);
            let argument = match source {
                Source::Rows(part) => {
                    let Geometry::Rows(deal) = lowered.geometry else { return None };
                    let rows = rows(self.dims, deal);
                    let amounts = [rows.each, rows.all, rows.row];
                    Arg::Scalar(Const::i32(i32::try_from(amounts[usize::from(*part)]).ok()?))
                }
                Source::Dim(d) => Arg::Scalar(Const::i32(i32::try_from(*self.dims.get(*d)?).ok()?)),
                Source::Hidden { elem, per_block } => {
                    let elements = blocks(self.dims, lowered).checked_mul(*per_block)?;
                    let bytes = elements.checked_mul(elem.bytes() as usize).filter(|n| *n <= MOST_HIDDEN)?;
                    let dims = vec![elements as u32];
                    bound.own(MemoryBuffer { elem: *elem, dims, bytes: vec![0; bytes] }, None)
                }
                Source::Number(path, part) => number(&roots.value(path)?, *part)?,
                Source::Length(path, axis) => {
                    let n = *roots.tensor(path)?.shape.get(*axis)?;
                    Arg::Scalar(Const::i32(i32::try_from(n).ok()?))
                }
                Source::Range(n, part) => {
                    let (start, step) = self.ranges.get(*n)?;
                    number(if *part == 0 { start } else { step }, 0)?
                }
                Source::Array(path) => bound.array(roots.tensor(path)?, written, reread)?,
                Source::Output(i) => bound.own(output_buffer(self.outputs.get(*i)?)?, Some(Back::Output(*i))),
                Source::Result(i) => bound.own(self.results.get(*i)?.clone(), Some(Back::Result(*i))),
            };
            bound.args.push(argument);
        }
        Some(bound)
    }

    /// Puts what the kernel wrote into outputs and arrays that kernels see in another form, unless the results of a loop say that the host must run it.
    fn put_back(&mut self, bound: Bound) -> Ran {
        let mut back = Vec::new();
        let there: Vec<Rc<Tensor>> = bound.slots.iter().filter_map(|s| bound.changed_there(s)).collect();
        let own = bound.slots.into_iter().filter(|s| matches!(s.memory, Memory::Own));
        for (slot, buffer) in own.zip(bound.own) {
            match slot.to {
                Some(Back::Result(i)) => self.results[i] = buffer,
                Some(to) if slot.written => back.push((to, buffer)),
                _ => {}
            }
        }
        if self.combine.is_some_and(|combine| !combine(&self.results)) {
            there.iter().for_each(|t| t.data.forget_copy());
            return Ran::Instead(None);
        }
        there.iter().for_each(|t| t.data.changed_there());
        for (to, buffer) in back {
            match to {
                Back::Array(t) => store_back(&mut t.data.borrow_mut(), &buffer),
                Back::Output(i) => output_value(&mut self.outputs[i], &buffer),
                Back::Result(_) => {}
            }
        }
        Ran::Done
    }

    fn stopped(&self, fault: kir::Fault, cx: &mut Cx) -> Res<Ran> {
        match fault.kind {
            FaultKind::Budget(_) => {
                cx.spend(u64::MAX);
                cx.step()?;
                Ok(Ran::Instead(None))
            }
            FaultKind::Stopped(reason) => Err(cx.stopped(reason)),
            FaultKind::Time(limit) => {
                Err(Fault::new("Q0524", format!("a launch took more than {} s", limit.as_secs_f64()))
                    .help("look for an endless loop in the kernel, or raise the limit")
                    .fatal())
            }
            // Lowered code tests or proves all that it accesses.
            FaultKind::Stray { .. } | FaultKind::Proof { .. } => {
                Err(Fault::new("Q0526", fault.to_diagnostic().message)
                    .help("this is a mistake of the compiler: please report it")
                    .fatal())
            }
            FaultKind::OutOfBounds { .. } if quadra_base::checked::is_on() => {
                Err(Fault::new("Q0526", fault.to_diagnostic().message)
                    .help("this is a mistake of the compiler: please report it")
                    .fatal())
            }
            // The host executor repeats the launch and says in the language's words what is wrong.
            FaultKind::OutOfBounds { .. } | FaultKind::Assert(_) => Ok(Ran::Instead(None)),
            _ => Ok(Ran::Instead(Some(Refusal::new(fault.to_diagnostic().message)))),
        }
    }
}

/// The number of blocks of a launch.
fn blocks(dims: &[i64], lowered: &Lowered) -> usize {
    let Some(block) = &lowered.together else { return 1 };
    dims.iter().zip(block).map(|(d, b)| (*d as usize).div_ceil((*b).max(1) as usize)).product()
}

fn items(dims: &[i64]) -> u64 {
    dims.iter().product::<i64>().max(0) as u64
}

/// Counts the operations of a kernel's first launch, on copies of its buffers and on some of its items.
fn count(
    lowered: &Lowered,
    bound: &Bound,
    dims: &[i64],
    device: &Arc<dyn Device>,
    options: &LaunchOptions,
    cx: &mut Cx,
) {
    let kernel = &lowered.kernel;
    let Some(profile) = &mut cx.profile else { return };
    let number = profile.record(&kernel.name, kernel.span, device.name());
    if std::mem::replace(&mut profile.records[number].counted, true) {
        return;
    }
    // Where one worker runs a block, its 16 lanes do the work of all the block's items.
    let work = lowered.together.as_ref().map_or(1.0, |block| (items(block) as f64 / LANES as f64).max(1.0));
    // The last axis runs along the lanes.
    let part = |sample: f64| {
        let side = (sample / work).powf(1.0 / options.extent.len().max(1) as f64).round() as u32;
        let mut extent = options.extent.clone();
        let last = extent.len().saturating_sub(1);
        extent
            .iter_mut()
            .enumerate()
            .for_each(|(k, n)| *n = (*n).min(side.max(if k == last { kir::LANES } else { 1 })));
        extent
    };
    let counting = kir::interp::Options { count: true, ..kir::interp::Options::default() };
    let run = |extent: &[u32]| {
        let launch = kir::Launch {
            extent: extent.to_vec(),
            budget: SAMPLE_BUDGET,
            alias: true,
            ..kir::Launch::new(bound.args.clone())
        };
        kir::interp::simt::run_with(kernel, &mut bound.sample(SEEN), &launch, &mut |_| {}, &counting)
    };
    // Some items of long ones, a single row of items if they take long.
    let mut extent = part(f64::from(SAMPLE));
    let mut counted = run(&extent);
    if counted.is_err() {
        extent = part(0.0);
        counted = run(&extent);
    }
    let ratio = |of: &[u32]| of.iter().map(|n| f64::from(*n)).product::<f64>();
    let scale = ratio(&options.extent) / ratio(&extent).max(1.0);
    if let Ok(stats) = counted {
        note(&mut profile.records[number], (kernel, bound), &stats, (dims, &extent, scale));
    }
}

/// What a launch computes and touches, of what some of its items do, which is to be taken `scale` times.
fn note(
    record: &mut Record,
    (kernel, bound): (&kir::Kernel, &Bound),
    stats: &kir::interp::Stats,
    (dims, extent, scale): (&[i64], &[u32], f64),
) {
    let float = |e: kir::Elem| matches!(e, kir::Elem::F32 | kir::Elem::F64);
    let arithmetic = |op: kir::Op| op.is_pure() && !matches!(op, kir::Op::Select | kir::Op::ToF32 | kir::Op::ToF64);
    let ops = stats.counts.iter().filter(|c| float(c.elem) && c.args > 0 && arithmetic(c.op));
    // An operation is counted once for a row of items, the last of which may be missing.
    let last = extent.last().copied().unwrap_or(kir::LANES);
    let rows = last.next_multiple_of(kir::LANES).max(kir::LANES);
    let lanes = f64::from(kir::LANES) * f64::from(last) / f64::from(rows);
    record.flops = Some(ops.fold(0.0, |sum, c| sum + c.executions as f64 * lanes) * scale);
    let all = items(dims).max(1) as f64;
    let executed = |b: kir::Buf| {
        let of = stats.counts.iter().filter(|c| c.buf == Some(b));
        of.map(|c| c.executions as f64).sum::<f64>() * lanes * scale / all
    };
    // Parameters that share an array add up.
    let mut touched: Vec<f64> = Vec::new();
    for (param, arg) in kernel.params.iter().zip(&bound.args) {
        if let (kir::Param::Buffer(b), kir::Arg::Buffer(slot)) = (param, arg) {
            touched.resize(touched.len().max(slot + 1), 0.0);
            touched[*slot] += executed(*b) * f64::from(kernel.bufs[*b].elem.bytes());
        }
    }
    record.touched = touched;
}

fn restore(kept: Vec<(Rc<Tensor>, Tensor)>) {
    for (t, mut copy) in kept {
        std::mem::swap(&mut *t.data.borrow_mut(), copy.data.get_mut());
    }
}

/// The lengths of the launch along the kernel's axes, of which the first may stand for several components; `None` if that one is
/// too long.
fn extent_of(dims: &[i64], axes: usize, geometry: Geometry) -> Option<Vec<u32>> {
    let mut long: Vec<i64> = dims.iter().copied().filter(|d| *d != 1).collect();
    match geometry {
        Geometry::Rows(deal) => long = vec![rows(dims, deal).groups() * LANES],
        // The channels may be a loop of their own.
        Geometry::Channels(count) => match long.pop() {
            Some(last) if axes <= long.len() && !long.is_empty() => {
                let column = long.pop().unwrap_or(1);
                long.push(column * last);
            }
            Some(last) => long.push(last * i64::from(count)),
            None => long.push(i64::from(count)),
        },
        Geometry::Items if dims.len() == axes => long = dims.to_vec(),
        Geometry::Items if long.is_empty() => long = vec![1; axes],
        Geometry::Items => {}
    }
    let rest = long.split_off((long.len() + 1).saturating_sub(axes));
    let first = long.iter().try_fold(1, |n: i64, d| n.checked_mul(*d))?;
    std::iter::once(first).chain(rest).map(|n| u32::try_from(n).ok().filter(|n| *n <= i32::MAX as u32)).collect()
}

fn output_buffer(v: &Value) -> Option<MemoryBuffer> {
    match v {
        Value::Array(t) => buffer_of(&t.data.borrow()),
        Value::Int(x) => Some(MemoryBuffer::of_i32(&[*x])),
        Value::F32(x) => Some(MemoryBuffer::of_f32(&[*x])),
        Value::F64(x) => buffer_of(&quadra_quasar_vm::tensor::Data::F64(vec![*x])),
        _ => None,
    }
}

fn output_value(v: &mut Value, buffer: &MemoryBuffer) {
    match v {
        Value::Array(t) => store_back(&mut t.data.borrow_mut(), buffer),
        number => {
            let mut data = match number {
                Value::Int(_) => Data::Int(vec![0]),
                Value::F64(_) => Data::F64(vec![0.0]),
                _ => Data::F32(vec![0.0]),
            };
            store_back(&mut data, buffer);
            *number = data.get(0).unwrap_or_default();
        }
    }
}
