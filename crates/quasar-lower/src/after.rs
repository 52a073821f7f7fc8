//! What the kernel of a loop leaves: values of the last iteration, parts of sums, copies of small arrays. The host makes values
//! of variables of them.

use super::strip::{Copies, Geometry, LANES, padded, rows};
use super::value::elem_of;
use quadra_kir::MemoryBuffer;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::{Kind, Mode, to_f64};
use quadra_quasar_vm::lend::store_back;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::scalar_ops::{self};
use quadra_quasar_vm::tensor::{Data, Tensor};
use quadra_quasar_vm::value::Value;

/// Values of variables after a loop.
pub(super) type Left = Vec<(Text, Value)>;

/// Where the value of a variable after the loop comes from.
#[derive(Clone, Debug)]
pub(super) struct After {
    pub name: Text,
    /// Number of the result buffer.
    pub buffer: usize,
    pub kind: Kind,
    pub what: What,
}

/// What is in a result buffer.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The value of the last iteration, in this shape.
    Last(Vec<usize>),
    /// The same of an integer or a float, in the parts that [`PARTS`] counts.
    Either,
    /// What items or lanes contribute to a reduction.
    Parts(Op2),
    /// What items or lanes kept, each in this shape, and whose value counts.
    Kept(Vec<usize>, Choice),
    /// The iterations from which items or lanes kept something, -1 for none.
    Numbers,
    /// Copies of an array with so many elements, one for each lane of each group or one for each group, to be added to it.
    Bins(usize),
}

/// Which of the values that items or lanes kept is that of the variable. Results are given by their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// That of the last iteration.
    Last,
    /// That of the last iteration that set it.
    Latest(usize),
    /// That from which the greatest or smallest of `values` is, the first or last of them.
    Extreme { values: usize, at: usize, greatest: bool, last: bool },
}

/// What a lowered nest leaves behind.
#[derive(Clone, Debug, Default)]
pub(super) struct Afters(pub Vec<After>);

impl Afters {
    /// Buffers for what a launch leaves.
    pub fn buffers(&self, dims: &[i64], geometry: Geometry) -> Vec<MemoryBuffer> {
        self.0.iter().map(|a| a.buffer_for(dims, geometry)).collect()
    }

    /// The values of variables; nothing if they are not for a kernel to say. Bins are added to their arrays.
    pub fn values(
        &self,
        results: &[MemoryBuffer],
        nest: &Nest,
        (args, dims, geometry): (&[Value], &[i64], Geometry),
        mode: Mode,
    ) -> Option<Left> {
        let mut left = Vec::new();
        for a in &self.0 {
            match &a.what {
                What::Bins(_) | What::Numbers => {}
                What::Kept(shape, choice) => {
                    let chosen = match choice {
                        Choice::Last => Some(last_lane(dims, geometry)),
                        choice => self.chosen(results, *choice)?,
                    };
                    if let Some(at) = chosen {
                        left.push((a.name.clone(), a.kept(results, shape, at)?));
                    }
                }
                _ => left.push(a.value(results, nest, args, mode)?),
            }
        }
        // All of them before the first array changes: the host runs the loop if something does not fit.
        let mut sums = Vec::new();
        for a in &self.0 {
            if let What::Bins(len) = a.what {
                let copies = Layout::of(len, geometry);
                sums.push((a.argument(nest, args)?, a.with_bins(results.get(a.buffer)?, copies, nest, args)?));
            }
        }
        for (array, sum) in sums {
            let Value::Array(t) = array else { return None };
            *t.data.borrow_mut() = sum;
        }
        Some(left)
    }
}

impl Afters {
    /// The place whose value counts, if an iteration set the variable.
    fn chosen(&self, results: &[MemoryBuffer], choice: Choice) -> Option<Option<usize>> {
        let data = |number: usize| Some(self.0.get(number)?.data(results.get(number)?));
        let numbers = |at: usize| if let Some(Data::Int(v)) = data(at) { Some(v) } else { None };
        let set = |at: &[i32]| (0..at.len()).filter(|i| at[*i] >= 0).collect::<Vec<_>>();
        Some(match choice {
            Choice::Last => None,
            Choice::Latest(at) => {
                let at = numbers(at)?;
                set(&at).into_iter().max_by_key(|i| at[*i])
            }
            Choice::Extreme { values, at, greatest, last } => {
                let (at, values) = (numbers(at)?, to_f64(&data(values)?).into_owned());
                set(&at).into_iter().reduce(|p, q| {
                    let (x, y) = if greatest { (values[p], values[q]) } else { (-values[p], -values[q]) };
                    let later = (at[q] > at[p]) == last;
                    if y > x || y == x && later { q } else { p }
                })
            }
        })
    }
}

/// The floats that stand for an integer or a float: the float, the integer's upper and lower half, and 1 if it is the integer.
pub(super) const PARTS: usize = 4;

fn either(data: &Data) -> Option<Value> {
    let [_, high, low, whole] = to_f64(data)[..] else { return None };
    if whole == 0.0 { data.get(0) } else { Some(Value::integer(high as i64 * 65536 + low as i64)) }
}

/// The lane that took the last iteration.
fn last_lane(dims: &[i64], geometry: Geometry) -> usize {
    let Geometry::Rows(deal) = geometry else { return dims.iter().product::<i64>().max(1) as usize - 1 };
    let rows = rows(dims, deal);
    let long = dims.iter().filter(|d| **d != 1).count();
    let last = dims.iter().copied().rfind(|d| *d != 1).unwrap_or(1);
    let length = if long == 1 { last - (rows.all - 1) * rows.row } else { last };
    (rows.groups() * LANES - LANES + (length - 1) % LANES) as usize
}

impl After {
    fn buffer_for(&self, dims: &[i64], geometry: Geometry) -> MemoryBuffer {
        let elem = elem_of(self.kind);
        let lanes = match geometry {
            Geometry::Rows(deal) => (rows(dims, deal).groups() * LANES) as usize,
            _ => dims.iter().product::<i64>() as usize,
        };
        let len = match &self.what {
            What::Last(shape) => shape.iter().product::<usize>().max(1),
            What::Either => PARTS,
            What::Parts(_) | What::Numbers => lanes,
            What::Kept(shape, _) => lanes * shape.iter().product::<usize>().max(1),
            What::Bins(len) => lanes / LANES as usize * Layout::of(*len, geometry).elements(),
        };
        let parts = if self.kind >= Kind::C32 { 2 } else { 1 };
        let len = len * parts;
        MemoryBuffer { elem, dims: vec![len as u32], bytes: vec![0; len * elem.bytes() as usize] }
    }

    pub(super) fn data(&self, buffer: &MemoryBuffer) -> Data {
        let parts = if self.kind >= Kind::C32 { 2 } else { 1 };
        let n = buffer.bytes.len() / buffer.elem.bytes() as usize / parts;
        let mut data = match self.kind {
            Kind::Int => Data::Int(vec![0; n]),
            Kind::Wide => Data::I64(vec![0; n]),
            Kind::F64 => Data::F64(vec![0.0; n]),
            Kind::C32 => Data::C32(vec![[0.0; 2]; n]),
            Kind::C64 => Data::C64(vec![[0.0; 2]; n]),
            _ => Data::F32(vec![0.0; n]),
        };
        store_back(&mut data, buffer);
        data
    }

    pub(super) fn argument<'a>(&self, nest: &Nest, args: &'a [Value]) -> Option<&'a Value> {
        args.get(nest.vars.iter().position(|v| v.0 == self.name)?)
    }

    /// The value of the variable; nothing if it is not for a kernel to say.
    fn value(&self, results: &[MemoryBuffer], nest: &Nest, args: &[Value], mode: Mode) -> Option<(Text, Value)> {
        let data = self.data(results.get(self.buffer)?);
        let op = match &self.what {
            What::Parts(op) => *op,
            What::Bins(_) | What::Numbers | What::Kept(..) => return None,
            What::Either => return Some((self.name.clone(), either(&data)?)),
            What::Last(shape) if shape.is_empty() => return Some((self.name.clone(), data.get(0)?)),
            What::Last(shape) => {
                let v = Value::array(Tensor::new(smallvec::SmallVec::from_slice(shape), data));
                return Some((self.name.clone(), v));
            }
        };
        let first = self.argument(nest, args)?.clone();
        // Nothing is greater or smaller than NaN, but `max` and `min` pass over it.
        if matches!(op, Op2::Max | Op2::Min) && first.as_f64().is_some_and(f64::is_nan) {
            return None;
        }
        if self.kind == Kind::Wide && op == Op2::Add && !super::wide::may_begin(&first) {
            return None;
        }
        let (start, whole) = (first.as_f64(), matches!(first, Value::Int(_)) && self.kind != Kind::Int);
        let v = match at_once(&data, &first, op) {
            Some(v) => v,
            None => (0..data.len()).try_fold(first, |v, i| scalar_ops::scalar(op, &v, &data.get(i)?, mode)?.ok())?,
        };
        // If what it held is what it holds, it may still be the integer: the host knows.
        if whole && v.as_f64() == start {
            return None;
        }
        Some((self.name.clone(), v))
    }

    /// What was kept at a place.
    fn kept(&self, results: &[MemoryBuffer], shape: &[usize], at: usize) -> Option<Value> {
        let all = results.get(self.buffer)?;
        let count = shape.iter().product::<usize>();
        let bytes = count * all.elem.bytes() as usize;
        let own = all.bytes.get(at * bytes..(at + 1) * bytes)?.to_vec();
        let data = self.data(&MemoryBuffer { elem: all.elem, dims: vec![count as u32], bytes: own });
        if shape.is_empty() {
            return data.get(0);
        }
        Some(Value::array(Tensor::new(smallvec::SmallVec::from_slice(shape), data)))
    }

    /// The array with all copies added; nothing if an integer does not fit.
    fn with_bins(&self, buffer: &MemoryBuffer, copies: Layout, nest: &Nest, args: &[Value]) -> Option<Data> {
        let Value::Array(t) = self.argument(nest, args)? else { return None };
        let mut sum = t.data.borrow().clone();
        match (&mut sum, self.data(buffer)) {
            (Data::Int(out), Data::Int(parts)) => {
                for (bin, copies) in copies.bins(&parts) {
                    let sum = copies.iter().try_fold(0i32, |a, b| a.checked_add(*b))?;
                    out[bin] = out[bin].checked_add(sum)?;
                }
            }
            (Data::U32(out), Data::Int(parts)) => {
                for (bin, copies) in copies.bins(&parts) {
                    let sum = copies.iter().try_fold(0i32, |a, b| a.checked_add(*b))?;
                    let all = i32::try_from(out[bin]).ok()?.checked_add(sum)?;
                    out[bin] = u32::try_from(all).ok()?;
                }
            }
            (Data::F32(out), Data::F32(parts)) => {
                for (bin, copies) in copies.bins(&parts) {
                    out[bin] += copies.iter().sum::<f32>();
                }
            }
            (Data::F64(out), Data::F64(parts)) => {
                for (bin, copies) in copies.bins(&parts) {
                    out[bin] += copies.iter().sum::<f64>();
                }
            }
            _ => return None,
        }
        Some(sum)
    }
}

/// What the usual parts make of the value before them, without a detour over values for each; nothing if a sum does not fit.
fn at_once(data: &Data, first: &Value, op: Op2) -> Option<Value> {
    let extreme = |a: f32, b: &f32| scalar_ops::single(op, a, *b);
    Some(match (data, first, op) {
        (Data::F32(list), Value::F32(x), Op2::Add) => Value::F32(list.iter().fold(*x, |a, b| a + b)),
        (Data::F64(list), Value::F64(x), Op2::Add) => Value::F64(list.iter().fold(*x, |a, b| a + b)),
        (Data::F32(list), Value::F32(x), Op2::Min | Op2::Max) => Value::F32(list.iter().fold(*x, extreme)),
        (Data::Int(list), Value::Int(x), Op2::Add) => Value::Int(list.iter().try_fold(*x, |a, b| a.checked_add(*b))?),
        (Data::Int(list), Value::Int(x), Op2::Min) => Value::Int(list.iter().fold(*x, |a, b| a.min(*b))),
        (Data::Int(list), Value::Int(x), Op2::Max) => Value::Int(list.iter().fold(*x, |a, b| a.max(*b))),
        _ => return None,
    })
}

/// How a group leaves its bins: a bin after the other, with the copies of so many lanes side by side.
#[derive(Clone, Copy)]
struct Layout {
    len: usize,
    /// With those that nobody adds to.
    padded: usize,
    lanes: usize,
}

impl Layout {
    fn of(len: usize, geometry: Geometry) -> Layout {
        match geometry {
            Geometry::Rows(deal) if deal.copies == Copies::Groups => Layout { len, padded: padded(len), lanes: 1 },
            _ => Layout { len, padded: len, lanes: LANES as usize },
        }
    }

    /// Elements of a group.
    const fn elements(self) -> usize {
        self.padded * self.lanes
    }

    /// The bins of all groups, each with its number in the array and its copies.
    fn bins<T>(self, parts: &[T]) -> impl Iterator<Item = (usize, &[T])> {
        let all = parts.chunks_exact(self.lanes).enumerate();
        all.map(move |(i, copies)| (i % self.padded, copies)).filter(move |(bin, _)| *bin < self.len)
    }
}
