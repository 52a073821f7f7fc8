//! Which elements of its buffers the groups of a launch touch, as a function of their place along the first axis.
//!
//! For code that looks at no border this is a sum: so many elements further from one row of groups to the next. Rows at the
//! border, where indices are clamped, reflected or come in again at the other end, are looked at one by one. What is found holds
//! more than what is touched, never less: [`crate::skew`] orders the steps of a time loop by it.

use crate::inside;
use crate::plan::{self, Setting};
use crate::processor::Processor;
use crate::steps::Touch;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Effect, Inst, Kernel, Mode, Op, Space, Value, Values};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::{Bounds, Range};

/// Rows at one end of the first axis that are looked at one by one.
const BORDER: i64 = 8;

/// What the groups of a kernel touch in launches of a setting, or why that is not known.
///
/// # Errors
/// The reason, in words that end "because …".
pub fn of(processor: Processor, kernel: &Kernel, setting: &Setting) -> Result<Vec<Touch>, &'static str> {
    let prepared = plan::prepared(processor, kernel, setting).map_err(|_| "the passes do not take its kernel")?;
    let Some(all) = prepared.all.clone().filter(|_| plan::is_plain(kernel)) else {
        return Err("its items know of groups or workers, or its size differs from launch to launch");
    };
    let workers = prepared.plan.most_workers;
    let inside = inside::interior(&prepared.simd, workers, &all, prepared.facts).ok().flatten();
    let inside = inside.map_or(all[0], |i| i[0]);
    let mut touches = Vec::new();
    for rows in bands(all[0], inside) {
        let mut groups = all.clone();
        groups[0] = rows;
        let narrowed = plan::narrowed(&prepared.simd, workers, &groups, prepared.facts, (0, None), &[]);
        let Ok(kernel) = narrowed else { return Err("the passes do not take its kernel") };
        Band {
            range: Range::with_groups(&kernel, workers, &groups),
            rows,
            lengths: &prepared.plan.lengths,
            kernel: &kernel,
        }
        .collect(&mut touches)?;
    }
    Ok(touches)
}

/// The rows of the interior, and those around it: each alone if they are few.
fn bands(all: Bounds, inside: Bounds) -> Vec<Bounds> {
    let around = [Bounds::new(all.low, inside.low - 1), Bounds::new(inside.high + 1, all.high)];
    let mut bands = vec![inside];
    for part in around.into_iter().filter(|b| b.low <= b.high) {
        match part.high - part.low < BORDER {
            true => bands.extend((part.low..=part.high).map(Bounds::exactly)),
            false => bands.push(part),
        }
    }
    bands
}

/// Rows of groups, and the kernel as it is for them.
struct Band<'a> {
    kernel: &'a Kernel,
    range: Range,
    rows: Bounds,
    lengths: &'a [Option<u32>],
}

impl Band<'_> {
    /// Adds what the rows touch.
    fn collect(&self, touches: &mut Vec<Touch>) -> Result<(), &'static str> {
        let (mut first, mut defs) = (Set::default(), Map::default());
        self.kernel.body.walk(&mut |i| {
            if let [result] = i.results[..] {
                if i.op == Op::Group && i.imm == 0 {
                    first.insert(result);
                }
                defs.insert(result, (i.op, i.args.clone()));
            }
        });
        let mut why = None;
        let begin = touches.len();
        self.kernel.body.walk(&mut |i| match self.touch(i, &first, &defs) {
            Ok(Some(touch)) => add(touches, begin, touch),
            Ok(None) => {}
            Err(text) => why = Some(text),
        });
        why.map_or(Ok(()), Err)
    }

    /// What an instruction touches.
    fn touch(
        &self,
        inst: &Inst,
        first: &Set<Value>,
        defs: &Map<Value, (Op, Values)>,
    ) -> Result<Option<Touch>, &'static str> {
        let row = match inst.op {
            Op::Load | Op::Store => false,
            Op::LoadRow | Op::StoreRow => true,
            Op::Dim => return Ok(None),
            op => match op.info().effect {
                Effect::Pure | Effect::Control | Effect::Variable => return Ok(None),
                Effect::ReadWrite => return Err("it adds up in elements that several items share"),
                _ => return Err("it prints, asserts or synchronises"),
            },
        };
        let Some(buf) = inst.buf.filter(|b| self.kernel.bufs[*b].space == Space::Global) else { return Ok(None) };
        let write = matches!(inst.op, Op::Store | Op::StoreRow);
        let mut form = self.range.forms().at(self.kernel, inst.args[0]);
        let lane = defs.iter().find(|d| d.1.0 == Op::Lane).map(|d| *d.0).filter(|_| row);
        if let Some(lane) = lane {
            // The elements of a row follow each other, as its mask may know.
            form = form.plus(&Form::value(lane), 1);
        }
        let stride: i64 = form.terms.iter().filter(|t| first.contains(&t.0)).map(|t| i64::from(t.1)).sum();
        let mut rest = self.rest(&form, first);
        if let Some(mask) = inst.mask {
            self.masked(mask, &form, first, defs, &mut rest);
        }
        if row && lane.is_none() {
            rest.high += 15;
        }
        let (from, to) = (stride * self.rows.low, stride * self.rows.high);
        let length = self.lengths[buf.index()].map_or(i64::from(i32::MAX), i64::from).max(1);
        let (low, high) = (rest.low + from.min(to), rest.high + from.max(to));
        let groups = (self.rows.low as u32, self.rows.high as u32 + 1);
        let touch = |elements, stride| Ok(Some(Touch { buf: buf.index(), write, groups, elements, stride }));
        let wraps = low < Bounds::ANY.low || high > Bounds::ANY.high;
        let outside = low < 0 || high >= length;
        if wraps || outside && matches!(inst.mode, Mode::Mirror | Mode::Circular) {
            return touch((0, length - 1), 0);
        }
        if stride < 0 || self.rows.low == self.rows.high {
            // No access goes outside; clamped indices stay at the end.
            return touch((low.clamp(0, length - 1), high.clamp(0, length - 1)), 0);
        }
        touch((rest.low + from, rest.high + from), stride)
    }

    /// The bounds of a sum but for the place along the first axis.
    fn rest(&self, form: &Form, first: &Set<Value>) -> Bounds {
        let others = form.terms.iter().filter(|t| !first.contains(&t.0));
        others.fold(Bounds::exactly(form.constant.into()), |sum, &(v, f)| {
            let b = self.range.bounds(self.kernel, v);
            let (x, y) = (b.low * i64::from(f), b.high * i64::from(f));
            Bounds::new(sum.low + x.min(y), sum.high + x.max(y))
        })
    }

    /// Narrows an index to the lanes in which a mask holds: those below a constant.
    fn masked(
        &self,
        mask: Value,
        index: &Form,
        first: &Set<Value>,
        defs: &Map<Value, (Op, Values)>,
        rest: &mut Bounds,
    ) {
        let Some((op, args)) = defs.get(&mask) else { return };
        match op {
            Op::And => args.iter().for_each(|&m| self.masked(m, index, first, defs, rest)),
            Op::CmpLt => {
                let of = self.range.forms().at(self.kernel, args[0]);
                let Some(end) = self.kernel.as_i32(args[1]).filter(|_| !of.terms.iter().any(|t| first.contains(&t.0)))
                else {
                    return;
                };
                let below = self.range.bounds(self.kernel, args[0]);
                let below = Bounds::new(below.low, below.high.min(i64::from(end) - 1));
                let other = self.rest(&index.minus(&of), first);
                rest.low = rest.low.max(below.low + other.low);
                rest.high = rest.high.min(below.high + other.high);
            }
            _ => {}
        }
    }
}

/// Adds a touch, or widens one of the same groups.
fn add(touches: &mut Vec<Touch>, begin: usize, touch: Touch) {
    let alike = |t: &&mut Touch| t.buf == touch.buf && t.write == touch.write && t.stride == touch.stride;
    match touches[begin..].iter_mut().find(alike) {
        Some(t) => t.elements = (t.elements.0.min(touch.elements.0), t.elements.1.max(touch.elements.1)),
        None => touches.push(touch),
    }
}

#[cfg(test)]
mod tests;
