//! A loop that does nothing but run a parallel nest, over and over: its iterations are the runs of few launches.
//!
//! Such loops step through time: `for step … for m … for n … b[m,n] = … a[m,n] … end end; [a, b] = [b, a] end`. Threads stay
//! at work from one run to the next, and the host, which has nothing to do in between, finds its variables as if it had made
//! every launch itself. Only launches that are like the one before, whose kernel leaves nothing in variables, are joined.

use super::launch::Compiled;
use super::nest::Nest;
use super::recent::Signature;
use super::state::Source;
use super::value::{Path, Root};
use crate::host::code::Reg;
use crate::host::cx::Cx;
use crate::host::operate::loop_item;
use crate::host::value::{RangeValue, Value};
use quadra_kir::{Effect, Mode, Op};
use std::rc::Rc;

/// Most iterations of a launch: between launches the host looks whether it is to stop.
const MOST: i64 = 256;

/// The loop around a nest that does nothing else but exchange two variables behind it.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Four registers: iterations begun, all of them, first value and step.
    pub state: Reg,
    pub var: Reg,
    pub swap: Option<(Reg, Reg)>,
}

/// Several runs in one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again {
    pub times: u32,
    /// Two parameters of the kernel whose arrays change places in between.
    pub swap: Option<(usize, usize)>,
}

/// What nests are launched with, from which follows how they are launched again.
pub(super) struct Launch<'a> {
    pub nest: &'a Nest,
    pub args: &'a [Value],
    pub dims: &'a [i64],
    pub ranges: &'a [RangeValue],
}

impl Launch<'_> {
    pub fn signature(&self) -> Option<Signature> {
        Signature::of(self.nest, self.args, self.dims, self.ranges)
    }

    /// How often a kernel may run in one launch, instead of once; it is the kernel of the launch before, which was like
    /// `signature`. `left`: iterations that are left, with this one.
    pub fn again(&self, compiled: &Compiled, signature: &Signature, left: i64, cx: &Cx) -> Option<Again> {
        let around = self.nest.around.get()?;
        let lowered = &compiled.lowered;
        let repeats = compiled.module.as_ref().is_some_and(|(module, _)| module.in_place());
        let times = left.min(MOST);
        if !repeats || times < 2 || cx.catching > 0 || !compiled.afters.0.is_empty() || lowered.together.is_some() {
            return None;
        }
        // After a run that stops half-way nobody could tell what the arrays held before it.
        let stops = lowered.kernel.body.any(&mut |i| {
            let memory = i.op.info().effect != Effect::Pure && i.buf.is_some();
            matches!(i.op, Op::Assert | Op::For | Op::Loop) || memory && i.mode != Mode::Inside
        });
        if stops {
            return None;
        }
        let swap = match around.swap {
            None => None,
            Some((a, b)) => {
                let place = |reg: Reg| self.nest.vars.iter().position(|v| v.1 == reg);
                let (a, b) = (place(a)?, place(b)?);
                let (Value::Array(x), Value::Array(y)) = (&self.args[a], &self.args[b]) else { return None };
                let mut args = self.args.to_vec();
                args.swap(a, b);
                let other = Launch { args: &args, ..*self };
                if Rc::ptr_eq(x, y) || other.signature().as_ref() != Some(signature) {
                    return None;
                }
                Some((parameter(&lowered.sources, a)?, parameter(&lowered.sources, b)?))
            }
        };
        Some(Again { times: times as u32, swap })
    }
}

/// The only parameter that is the array of an argument.
fn parameter(sources: &[Source], argument: usize) -> Option<usize> {
    let path = Path::new(Root::Argument(argument));
    let mut places = sources.iter().enumerate().filter(|(_, s)| matches!(s, Source::Array(p) if *p == path));
    let (at, _) = places.next()?;
    places.next().is_none().then_some(at)
}

impl Around {
    /// How many iterations are left, with the one that has begun; none before the second, from which on both variables have
    /// held both arrays.
    pub(super) fn left(self, regs: &[Value]) -> i64 {
        let s = self.state as usize;
        match (&regs[s], &regs[s + 1]) {
            (Value::Raw(begun), Value::Raw(all)) if *begun >= 2 => all - begun + 1,
            _ => 0,
        }
    }

    /// Makes the variables what they are in the last of the iterations that were run.
    pub(super) fn skip(self, regs: &mut [Value], again: &Again, cx: &mut Cx) {
        let s = self.state as usize;
        let more = i64::from(again.times) - 1;
        let Value::Raw(begun) = regs[s] else { return };
        regs[s] = Value::Raw(begun + more);
        regs[self.var as usize] = loop_item(&regs[s + 2], &regs[s + 3], begun + more - 1);
        if let (Some((a, b)), 1) = (self.swap, more % 2) {
            regs.swap(a as usize, b as usize);
        }
        cx.spend(more as u64);
    }
}
