//! Expressions over long arrays as kernels of the processor: one kernel for each form of an expression, whose numbers are
//! parameters. What kernels do not compute to the same bit as the host is left to the host.

use super::kernels::Kernels;
use quadra_base::Span;
use quadra_device::LaunchOptions;
use quadra_kir::{self as kir, Access, Arg, Builder, Const, Elem, Mode, Op, Type};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::expression::{Apply, Expression, Source};
use quadra_quasar_vm::lend::lend;
use quadra_quasar_vm::profile::Work;
use quadra_quasar_vm::series;
use quadra_quasar_vm::tensor::{Data, Tensor};
use quadra_quasar_vm::value::Value;
use quadra_quasar_vm::{auto, storage};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::time::Instant;

/// Name of such kernels.
const NAME: &str = "fused";
/// Operations from which a kernel can be quicker than the host's passes over pieces: below, memory is what takes time.
const FEW: usize = 4;
/// Elements that the host's passes compute in the time of a step of its machine.
const PER_STEP: u64 = 64;

/// The value of an expression over arrays like `lead`, if a kernel computes it.
pub(super) fn run(kernels: &mut Kernels, e: &Expression<'_>, lead: &Tensor, span: Span, cx: &mut Cx) -> Option<Value> {
    let translates = |a: &Apply| match a {
        Apply::Two(op, ..) => matches!(op, Op2::Add | Op2::Sub | Op2::Mul | Op2::Div | Op2::Max | Op2::Min),
        // Of the others, the IR's negation gives 0 for 0, and functions are approximated in another way.
        Apply::One(op, _) => matches!(op, Op1::Abs | Op1::Sqrt | Op1::Floor | Op1::Ceil | Op1::Fix),
    };
    // Host and kernels need not wait for each other if the elements are still to be computed.
    let few = e.nodes.len() < FEW && !e.arrays.iter().any(|t| t.data.waits());
    if few || e.tail.is_some() || e.len > i32::MAX as usize || !e.nodes.iter().all(translates) {
        return None;
    }
    let key = key(e);
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let work = auto::work(e.len as i64, e.nodes.len(), 1) / PER_STEP;
    let id = hasher.finish();
    let worth = e.len >= storage::LONG || kernels.met_often(id);
    if !worth || !kernels.may(|caps| caps.in_place) || !kernels.wanted(id as usize, work, (NAME, span), [].iter(), cx) {
        return None;
    }
    let (module, device) = kernels.expression(&key, || kernel(e, span), span, cx)?;
    let start = Instant::now();
    let data = match e.double {
        true => Data::F64(storage::storage(e.len)),
        false => Data::F32(storage::storage(e.len)),
    };
    let result = Rc::new(Tensor::new(lead.shape.clone(), data));
    let mut arrays: Vec<(Rc<Tensor>, bool)> = e.arrays.iter().map(|t| (Rc::clone(t), false)).collect();
    arrays.push((result.clone(), true));
    let number = |x: f64| Arg::Scalar(if e.double { Const::f64(x) } else { Const::f32(x as f32) });
    let args: Vec<Arg> = (0..arrays.len()).map(Arg::Buffer).chain(numbers(e).map(number)).collect();
    let workers = (e.len as u32).div_ceil(device.caps().width).min(device.max_workers());
    let options = LaunchOptions { workers, extent: vec![e.len as u32], ..LaunchOptions::default() };
    let bytes = (arrays.len() * e.len * if e.double { 8 } else { 4 }) as f64;
    let work = Work { runs: 1, items: e.len as u64, bytes, ..Work::default() };
    let record = cx.profile.as_mut().map(|profile| {
        let number = profile.record(NAME, Some(span), device.name());
        profile.records[number].flops.get_or_insert((e.len * e.nodes.len()) as f64);
        number
    });
    let queue = &cx.launches;
    let stage = if queue.is_long(bytes) { None } else { queue.stage(&*module, &args, &arrays, &options) };
    if let Some(stage) = stage {
        if let (Some(profile), Some(number)) = (&mut cx.profile, record) {
            profile.compiled(number, start, stage.compiled);
        }
        cx.launches.add(stage, &arrays, bytes, record.map(|number| (number, work)));
        series::note(cx);
        return Some(Value::Array(result));
    }
    let mut guards = arrays.iter().map(|(t, written)| t.data.lend(*written)).collect::<Option<Vec<_>>>()?;
    let mut buffers = guards.iter_mut().map(|(data, _)| lend(&mut *data)).collect::<Option<Vec<_>>>()?;
    let report = module.launch_on(&args, &mut buffers, &options).ok()?;
    drop(guards);
    series::note(cx);
    if let (Some(profile), Some(number)) = (&mut cx.profile, record) {
        profile.launch(number, start, report.compiled, work);
    }
    Some(Value::Array(result))
}

fn sources(a: &Apply) -> [Option<Source>; 2] {
    match *a {
        Apply::Two(_, x, y) => [Some(x), Some(y)],
        Apply::One(_, x) => [Some(x), None],
    }
}

/// The numbers of an expression, in the order of its operations.
fn numbers(e: &Expression<'_>) -> impl Iterator<Item = f64> {
    let all = e.nodes.iter().flat_map(sources).flatten();
    all.filter_map(|s| if let Source::Number(x) = s { Some(x) } else { None })
}

/// What a kernel for the expression depends on.
fn key(e: &Expression<'_>) -> String {
    use std::fmt::Write;
    let mut key = format!("expression {} {}", e.double, e.arrays.len());
    for a in e.nodes {
        // Writing to a string cannot fail.
        let _ = match a {
            Apply::Two(op, ..) => write!(key, " {op:?}"),
            Apply::One(op, _) => write!(key, " {op:?}"),
        };
        for s in sources(a).into_iter().flatten() {
            let _ = match s {
                Source::Number(_) => write!(key, " x"),
                Source::Array(i) => write!(key, " a{i}"),
                Source::Node(i) => write!(key, " n{i}"),
            };
        }
    }
    key
}

fn kernel(e: &Expression<'_>, span: Span) -> kir::Kernel {
    let mut b = Builder::new(NAME);
    let (elem, ty) = if e.double { (Elem::F64, Type::scalar(Elem::F64)) } else { (Elem::F32, Type::F32) };
    let arrays: Vec<kir::Buf> =
        (0..e.arrays.len()).map(|i| b.buffer(&format!("a{i}"), elem, 1, Access::Read)).collect();
    let out = b.buffer("out", elem, 1, Access::ReadWrite);
    let numbers: Vec<kir::Value> = (0..numbers(e).count()).map(|i| b.scalar(&format!("x{i}"), ty)).collect();
    let mut numbers = numbers.into_iter();
    b.set_over(1);
    b.kernel().span = Some(span);
    let item = b.axis(Op::Item, 0);
    let elements: Vec<kir::Value> = arrays.iter().map(|a| b.load(*a, Mode::Unchecked, &[item])).collect();
    let mut results: Vec<kir::Value> = Vec::new();
    for a in e.nodes {
        let operand = |s: Source| match s {
            Source::Node(i) => Some(results[i]),
            Source::Array(i) => Some(elements[i]),
            Source::Number(_) => None,
        };
        let operands: Vec<kir::Value> = sources(a)
            .into_iter()
            .flatten()
            .map(|s| operand(s).or_else(|| numbers.next()).expect("a parameter was made for each number"))
            .collect();
        let v = match *a {
            Apply::Two(op @ (Op2::Max | Op2::Min), ..) => {
                let [x, y] = operands[..] else { continue };
                let wins = b.op(if op == Op2::Max { Op::CmpGt } else { Op::CmpLt }, &[x, y]);
                let nan = b.op(Op::CmpNe, &[y, y]);
                let first = b.op(Op::Or, &[wins, nan]);
                b.op(Op::Select, &[first, x, y])
            }
            Apply::Two(op, ..) => {
                let op = match op {
                    Op2::Add => Op::Add,
                    Op2::Sub => Op::Sub,
                    Op2::Mul => Op::Mul,
                    _ => Op::Div,
                };
                b.op(op, &operands)
            }
            Apply::One(op, _) => {
                let op = match op {
                    Op1::Abs => Op::Abs,
                    Op1::Sqrt => Op::Sqrt,
                    Op1::Floor => Op::Floor,
                    Op1::Ceil => Op::Ceil,
                    _ => Op::Trunc,
                };
                b.op(op, &operands)
            }
        };
        results.push(v);
    }
    if let Some(last) = results.last() {
        b.store(out, Mode::Unchecked, &[item], *last);
    }
    b.finish()
}
