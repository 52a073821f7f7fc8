//! A loop that does nothing but run a parallel nest, over and over: its iterations are the runs of few launches.
//!
//! Such loops step through time: `for step … for m … for n … b[m,n] = … a[m,n] … end end; [a, b] = [b, a] end`. Threads stay
//! at work from one run to the next, and the host, which has nothing to do in between, finds its variables as if it had made
//! every launch itself. Only launches that are like the one before, whose kernel leaves nothing in variables, are joined.

use super::kernels::Compiled;
use super::recent::Signature;
use super::state::Source;
use super::value::{Path, Root};
use quadra_kir::{Effect, Mode, Op};
use quadra_quasar_vm::code::Reg;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::rc::Rc;

/// Most iterations of a launch: between launches the host looks whether it is to stop.
const MOST: i64 = 256;

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
