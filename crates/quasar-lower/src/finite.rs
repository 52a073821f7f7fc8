//! NaN and infinity on the QPU, which has neither: its arithmetic takes their bits for those of numbers beyond 2^127 or makes up
//! others. Kernels that run there get a warning for each place that asks for them, that reads them, or that makes them of other
//! numbers. What is read stands in the arrays; what is made is found by the reference interpreter, which has both, on the kernel
//! with a test behind each operation that can make one.

use super::bound::{Bound, Memory};
use super::lowered::Lowered;
use super::state::Lower;
use quadra_base::{Diagnostic, Span};
use quadra_device::LaunchOptions;
use quadra_kir::{self as kir, Block, Caps, Const, Elem, FaultKind, Inst, Kernel, Op, Type, Values};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::lend::{buffer_of, zeros_like};
use quadra_quasar_vm::tensor::Data;

/// Instructions of the interpreter that one launch may take.
const MOST_OF_A_LAUNCH: u64 = 1 << 22;
/// Launches of so many instructions are looked at for sums and products that become too large, too.
const SMALL: u64 = 1 << 18;
/// Places that are told of one kernel.
const MOST_PLACES: usize = 8;
/// What the tests say.
const MADE: &str = "not finite";

/// Warns of what the QPU will not compute as the processor would.
pub(super) fn warn(lowered: &Lowered, bound: &Bound, caps: &Caps, options: &LaunchOptions, cx: &mut Cx) {
    for (span, what) in &lowered.asks {
        tell(*span, format!("the QPU has neither NaN nor infinity: {what}"), cx);
    }
    let floats = lowered.kernel.bufs.ids().any(|b| lowered.kernel.bufs[b].elem == Elem::F32);
    if floats {
        reads(lowered, bound, cx);
        makes(lowered, bound, caps, options, cx);
    }
}

/// Copies of what the kernel reads; nothing if one is an array that would have to be fetched.
fn memory(bound: &Bound, caps: &Caps) -> Option<kir::Memory> {
    let mut own = bound.own.iter();
    let mut buffers = Vec::with_capacity(bound.slots.len());
    for slot in &bound.slots {
        buffers.push(match slot.memory {
            Memory::Own => own.next()?.clone(),
            Memory::Array(i) => {
                let data = &bound.arrays[i].data;
                if slot.written && !slot.reread {
                    zeros_like(&data.peek())?
                } else if data.is_elsewhere() {
                    data.there().filter(|_| caps.costs.transfer.nanoseconds == 0.0)?
                } else {
                    buffer_of(&data.borrow())?
                }
            }
        });
    }
    Some(kir::Memory { buffers })
}

impl Lower<'_> {
    /// Notes that the program asks for NaN or infinity here.
    pub fn asks(&mut self, what: &str) {
        self.asks.extend(self.span.map(|span| (span, what.to_string())));
    }
}

fn tell(span: Span, message: String, cx: &mut Cx) {
    let help = "test and replace such values before, or run this on another device: --device cpu";
    cx.warn(Diagnostic::warning("Q0527", message).at(span).help(help));
}

/// Elements of arrays that the kernel reads.
fn reads(lowered: &Lowered, bound: &Bound, cx: &mut Cx) {
    let Some(span) = lowered.kernel.span else { return };
    let params = lowered.kernel.params.iter().zip(&bound.args);
    for (param, arg) in params {
        let (kir::Param::Buffer(b), kir::Arg::Buffer(at)) = (param, arg) else { continue };
        let info = &lowered.kernel.bufs[*b];
        let slot = &bound.slots[*at];
        let (Memory::Array(i), false) = (&slot.memory, info.access == kir::Access::Write) else { continue };
        // What a kernel before has left on the device was looked at when it was made.
        if bound.arrays[*i].data.is_elsewhere() {
            continue;
        }
        let data = bound.arrays[*i].data.borrow();
        let Data::F32(v) = &*data else { continue };
        let Some(k) = v.iter().position(|x| !x.is_finite()) else { continue };
        let what = if v[k].is_nan() { "NaN" } else { "infinite" };
        let message = format!(
            "the QPU has neither NaN nor infinity: element {k} of '{}' is {what}, and sums and comparisons of it are not what they are elsewhere",
            info.name
        );
        drop(data);
        tell(span, message, cx);
    }
}

/// Operations that make NaN or infinity of other numbers.
fn makes(lowered: &Lowered, bound: &Bound, caps: &Caps, options: &LaunchOptions, cx: &mut Cx) {
    let risky = lowered.kernel.body.any(&mut |i| makes_some(&lowered.kernel, i, false));
    let items = options.extent.iter().map(|n| u64::from(*n)).product::<u64>().div_ceil(u64::from(caps.width));
    let work = items.saturating_mul(lowered.kernel.body.count() as u64);
    let small = work <= SMALL;
    if !(risky || small) || cx.watches_finite == 0 {
        return;
    }
    let mut kernel = lowered.kernel.clone();
    let mut extent = options.extent.clone();
    if work > MOST_OF_A_LAUNCH {
        // Some of the items; the last axis runs along the lanes.
        let side = (f64::from(caps.width) * MOST_OF_A_LAUNCH as f64 / lowered.kernel.body.count().max(1) as f64)
            .powf(1.0 / extent.len().max(1) as f64) as u32;
        extent.iter_mut().for_each(|n| *n = (*n).min(side.max(caps.width)));
    }
    let Some(memory) = memory(bound, caps) else { return };
    let mut told = Vec::new();
    test(&mut kernel, small, &told);
    for _ in 0..MOST_PLACES {
        let budget = MOST_OF_A_LAUNCH.min(cx.watches_finite);
        let launch =
            kir::Launch { extent: extent.clone(), budget, alias: true, ..kir::Launch::new(bound.args.clone()) };
        let ran = kir::interp::simt::run_with(&kernel, &mut memory.clone(), &launch, &mut |_| {}, &Default::default());
        let spent = match &ran {
            Ok(stats) => stats.instructions,
            Err(fault) if matches!(fault.kind, FaultKind::Budget(_)) => budget,
            Err(_) => work.min(budget),
        };
        cx.watches_finite = cx.watches_finite.saturating_sub(spent.max(1));
        let place = match ran {
            Err(fault) if matches!(&fault.kind, FaultKind::Assert(text) if text == MADE) => fault.span,
            _ => return,
        };
        let Some(span) = place.or(lowered.kernel.span) else { return };
        tell(span, "the QPU has neither NaN nor infinity, and one of them comes up here".into(), cx);
        told.push(span);
        kernel = lowered.kernel.clone();
        test(&mut kernel, small, &told);
    }
}

/// Whether an operation makes NaN or infinity of numbers; `all`: also where they are just too large.
fn makes_some(kernel: &Kernel, i: &Inst, all: bool) -> bool {
    let float = i.results.first().is_some_and(|v| kernel.ty(*v).elem == Elem::F32);
    let nan = |v: &kir::Value| {
        kernel.as_const(*v).is_some_and(|c| c.elem == Elem::F32 && f32::from_bits(c.bits as u32).is_nan())
    };
    float
        && match i.op {
            Op::Div | Op::Recip | Op::Rsqrt | Op::Log | Op::Log2 | Op::Exp | Op::Exp2 | Op::Pow => true,
            Op::Asin | Op::Acos | Op::Sinh | Op::Cosh => true,
            Op::Select => i.args[1..].iter().any(nan),
            Op::Add | Op::Sub | Op::Mul => all,
            _ => false,
        }
}

/// Puts a test behind each operation that makes NaN or infinity, but at the places that are known; the kernel's own tests are the
/// launch's business.
fn test(kernel: &mut Kernel, all: bool, known: &[Span]) {
    kernel.rewrite(|kernel, body| block(kernel, body, all, known));
}

fn block(kernel: &mut Kernel, body: &mut Block, all: bool, known: &[Span]) {
    let mut out = Vec::with_capacity(body.insts.len());
    for mut inst in std::mem::take(&mut body.insts) {
        if inst.op == Op::Assert {
            continue;
        }
        inst.regions.iter_mut().for_each(|r| block(kernel, r, all, known));
        let wanted = makes_some(kernel, &inst, all) && inst.span.is_none_or(|s| !known.contains(&s));
        let (args, result, span) = (inst.args.clone(), inst.results.first().copied(), inst.span);
        out.push(inst);
        let Some(result) = result.filter(|_| wanted) else { continue };
        out.extend(tests(kernel, &args, result, span));
    }
    body.insts = out;
}

/// A test that a result is finite if its operands are.
fn tests(kernel: &mut Kernel, operands: &[kir::Value], result: kir::Value, span: Option<Span>) -> Vec<Inst> {
    let infinity = kernel.constant(Const::f32(f32::INFINITY));
    let mut out = Vec::new();
    let mut add = |kernel: &mut Kernel, op: Op, args: &[kir::Value], ty: Type| {
        let v = kernel.new_value(ty);
        let mut inst = Inst::new(op, args.iter().copied()).at(span);
        inst.results = Values::from_slice(&[v]);
        out.push(inst);
        v
    };
    let mut finite = |kernel: &mut Kernel, v: kir::Value| {
        let size = add(kernel, Op::Abs, &[v], Type::F32);
        add(kernel, Op::CmpLt, &[size, infinity], Type::BOOL)
    };
    let fine = finite(kernel, result);
    let mut before = Vec::new();
    for v in operands {
        let constant = kernel.as_const(*v).is_some();
        if kernel.ty(*v) == Type::F32 && !constant {
            before.push(finite(kernel, *v));
        }
    }
    let mut holds = fine;
    for v in before {
        let not = add(kernel, Op::Not, &[v], Type::BOOL);
        holds = add(kernel, Op::Or, &[holds, not], Type::BOOL);
    }
    let mut assert = Inst::new(Op::Assert, [holds]).at(span);
    assert.text = Some(MADE.into());
    out.push(assert);
    out
}
