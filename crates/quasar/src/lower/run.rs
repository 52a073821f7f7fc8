//! One run of a compiled kernel: arguments to buffers, the launch, and buffers back to the arrays.

use super::bind::{Roots, buffer_of, constant, store_back};
use super::launch::Lowered;
use super::state::Source;
use crate::host::cx::Cx;
use crate::host::fault::Res;
use crate::host::tensor::{Data, Tensor};
use crate::host::value::Value;
use quadra_device::buffer::Storage;
use quadra_device::{Argument, Device, LaunchOptions, Module};
use quadra_kir::{self as kir, FaultKind, MemoryBuffer, Param};
use std::rc::Rc;
use std::sync::{Arc, RwLock};

/// Steps of the host that one instruction of the interpreter counts for the limit on steps.
const INSTRUCTIONS_PER_STEP: u64 = 16;
/// Bytes that the memory of all blocks may take where one worker runs a block.
const MOST_HIDDEN: usize = 64 << 20;

/// What became of a run on a device.
pub(super) enum Ran {
    Done,
    /// The host executor is to run it, perhaps for a reason that the user is told.
    Instead(Option<String>),
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
    /// Whether arrays that are one array may be written.
    pub aliases: bool,
    /// Looks at the results; if it says no, nothing is put back and the host executor runs the loop.
    pub combine: Option<&'a Combine<'a>>,
}

impl<'a> Run<'a> {
    pub fn new(arguments: &'a [Value], captures: &'a [Value], dims: &'a [i64]) -> Run<'a> {
        let (outputs, ranges, results) = (Vec::new(), Vec::new(), Vec::new());
        Run { arguments, captures, dims, outputs, ranges, results, aliases: true, combine: None }
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
        let Some(bound) = self.bind(lowered, cx) else {
            return Ok(Ran::Instead(Some("an argument is of another type than the kernel expects".into())));
        };
        if bound.alias && !self.aliases && !bound.back.is_empty() {
            return Ok(Ran::Instead(Some("two names stand for one array that it writes".into())));
        }
        let extent = match lowered.together {
            Some(_) => vec![16 * blocks(self.dims, lowered) as u32],
            None => extent_of(self.dims, lowered.kernel.over as usize),
        };
        let groups = extent.iter().map(|n| u64::from(*n)).product::<u64>().div_ceil(16).max(1);
        // One worker of the interpreter runs the items in their order.
        let single = device.name().starts_with("interp");
        let workers = if single { 1 } else { groups.min(u64::from(device.max_workers())) as u32 };
        let budget = cx.budget().saturating_mul(INSTRUCTIONS_PER_STEP).min(1 << 40);
        if races {
            let roots = Roots { arguments: self.arguments, captures: self.captures, cx };
            let shape = |source: &Source| match source {
                Source::Array(path) => roots.tensor(path).map(|t| t.shape.to_vec()),
                _ => None,
            };
            if let Some(fault) = super::races::check(lowered, &bound.args, &extent, budget, &shape) {
                return Err(fault);
            }
        }
        let options = LaunchOptions { workers, extent, budget, alias: bound.alias, ..LaunchOptions::default() };
        match module.launch(&bound.args, &options) {
            Ok(report) => cx.spend(report.instructions / INSTRUCTIONS_PER_STEP),
            Err(fault) => return self.stopped(fault, cx),
        }
        Ok(self.put_back(bound.back))
    }

    /// Arguments for the kernel's parameters; nothing if one does not fit.
    fn bind(&self, lowered: &Lowered, cx: &Cx) -> Option<Bound> {
        let roots = Roots { arguments: self.arguments, captures: self.captures, cx };
        let mut arrays: Vec<(Rc<Tensor>, Storage)> = Vec::new();
        let mut bound = Bound { args: Vec::new(), back: Vec::new(), alias: false };
        for (source, param) in lowered.sources.iter().zip(&lowered.kernel.params) {
            let (elem, written) = match param {
                Param::Scalar(v) => (lowered.kernel.ty(*v).elem, false),
                Param::Buffer(b) => {
                    let info = &lowered.kernel.bufs[*b];
                    (info.elem, info.access != kir::Access::Read)
                }
            };
            let storage = |m: MemoryBuffer| Arc::new(RwLock::new(m));
            let number = |v: &Value, part: u8| constant(v, part, elem).map(Argument::Scalar);
            let argument = match source {
                Source::Dim(d) => Argument::from(i32::try_from(*self.dims.get(*d)?).ok()?),
                Source::Hidden { elem, per_block } => {
                    let elements = blocks(self.dims, lowered).checked_mul(*per_block)?;
                    let bytes = elements.checked_mul(elem.bytes() as usize).filter(|n| *n <= MOST_HIDDEN)?;
                    let dims = vec![elements as u32];
                    Argument::Buffer(storage(MemoryBuffer { elem: *elem, dims, bytes: vec![0; bytes] }))
                }
                Source::Number(path, part) => number(&roots.value(path)?, *part)?,
                Source::Length(path, axis) => {
                    let n = *roots.tensor(path)?.shape.get(*axis)?;
                    Argument::from(i32::try_from(n).ok()?)
                }
                Source::Range(n, part) => {
                    let (start, step) = self.ranges.get(*n)?;
                    number(if *part == 0 { start } else { step }, 0)?
                }
                Source::Array(path) => {
                    let t = roots.tensor(path)?;
                    let known = arrays.iter().find(|a| Rc::ptr_eq(&a.0, &t)).map(|a| a.1.clone());
                    bound.alias |= known.is_some();
                    let s = match known {
                        Some(s) => s,
                        None => storage(buffer_of(&t.data.borrow())?),
                    };
                    arrays.push((t.clone(), s.clone()));
                    if written {
                        bound.back.push((Back::Array(t), s.clone()));
                    }
                    Argument::Buffer(s)
                }
                Source::Output(i) => {
                    let s = storage(output_buffer(self.outputs.get(*i)?)?);
                    bound.back.push((Back::Output(*i), s.clone()));
                    Argument::Buffer(s)
                }
                Source::Result(i) => {
                    let s = storage(self.results.get(*i)?.clone());
                    bound.back.push((Back::Result(*i), s.clone()));
                    Argument::Buffer(s)
                }
            };
            bound.args.push(argument);
        }
        Some(bound)
    }

    /// Puts what the kernel wrote into arrays and outputs, unless the results of a loop say that the host must run it.
    fn put_back(&mut self, back: Vec<(Back, Storage)>) -> Ran {
        for (to, storage) in &back {
            if let Back::Result(i) = to {
                self.results[*i] = storage.read().unwrap_or_else(|e| e.into_inner()).clone();
            }
        }
        if self.combine.is_some_and(|combine| !combine(&self.results)) {
            return Ran::Instead(None);
        }
        for (to, storage) in back {
            let buffer = storage.read().unwrap_or_else(|e| e.into_inner());
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
            // The host executor repeats the launch and says in the language's words what is wrong.
            FaultKind::OutOfBounds { .. } | FaultKind::Assert(_) => Ok(Ran::Instead(None)),
            _ => Ok(Ran::Instead(Some(fault.to_diagnostic().message))),
        }
    }
}

/// The number of blocks of a launch.
fn blocks(dims: &[i64], lowered: &Lowered) -> usize {
    let Some(block) = &lowered.together else { return 1 };
    dims.iter().zip(block).map(|(d, b)| (*d as usize).div_ceil((*b).max(1) as usize)).product()
}

/// What a launch is called with, and where what it writes goes.
struct Bound {
    args: Vec<Argument>,
    back: Vec<(Back, Storage)>,
    /// Whether two parameters are one array.
    alias: bool,
}

enum Back {
    Array(Rc<Tensor>),
    Output(usize),
    Result(usize),
}

/// The lengths of the launch along the kernel's axes.
fn extent_of(dims: &[i64], axes: usize) -> Vec<u32> {
    if dims.len() == axes {
        return dims.iter().map(|d| *d as u32).collect();
    }
    let long: Vec<u32> = dims.iter().filter(|d| **d != 1).map(|d| *d as u32).collect();
    if long.is_empty() { vec![1; axes] } else { long }
}

fn output_buffer(v: &Value) -> Option<MemoryBuffer> {
    match v {
        Value::Array(t) => buffer_of(&t.data.borrow()),
        Value::Int(x) => Some(MemoryBuffer::of_i32(&[*x])),
        Value::F32(x) => Some(MemoryBuffer::of_f32(&[*x])),
        Value::F64(x) => buffer_of(&crate::host::tensor::Data::F64(vec![*x])),
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
