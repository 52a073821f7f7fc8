//! Synchronisation: what needs lanes that are together, and operands that every lane has.

use super::error;
use crate::ir::names::Names;
use crate::kernel::{Inst, Kernel, Level, Value};
use crate::ops::Op;
use crate::types::LANES;
use crate::variance::{Control, Variance, Vary};
use quadra_base::{Diagnostic, Span};
use std::cell::OnceCell;

pub(super) fn check(kernel: &Kernel, found: &mut Vec<Diagnostic>) {
    // At SIMD level control flow is scalar, so all lanes are together everywhere.
    if kernel.level == Level::Simd {
        return;
    }
    let mut cx = Sync { kernel, variance: Variance::of(kernel), names: OnceCell::new(), spans: spans(kernel) };
    let mut number = 0;
    kernel.body.walk(&mut |inst| {
        cx.inst(inst, number, found);
        number += 1;
    });
}

/// Where each value is defined.
fn spans(kernel: &Kernel) -> Vec<Option<Span>> {
    let mut spans = vec![None; kernel.values.len()];
    kernel.body.walk(&mut |inst| {
        for v in inst.results.iter().chain(inst.regions.iter().flat_map(|r| &r.params)) {
            spans[v.index()] = inst.span;
        }
    });
    spans
}

struct Sync<'k> {
    kernel: &'k Kernel,
    variance: Variance,
    /// Names cost more than all checks; they are made when something is wrong.
    names: OnceCell<Names>,
    spans: Vec<Option<Span>>,
}

impl Sync<'_> {
    fn inst(&mut self, inst: &Inst, number: usize, found: &mut Vec<Diagnostic>) {
        let control = self.variance.control(number);
        match inst.op {
            Op::Barrier => {
                let items: u64 = self.kernel.group.iter().map(|&n| n as u64).product();
                // A group of one subgroup is together as soon as the subgroup is.
                let most = if items <= u64::from(LANES) { Vary::Subgroup } else { Vary::Group };
                if control.varies > most {
                    let d = error("E0311", inst, format!("{} in divergent control flow", inst.op.mnemonic()));
                    found.push(self.because(d, control, most).help("move it to where all items of the group come by"));
                }
            }
            Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock | Op::TmuRequest | Op::TmuReceive
                if control.diverges() =>
            {
                let d = error("E0312", inst, format!("`{}` in divergent control flow", inst.op.mnemonic()));
                let d = self.because(d, control, Vary::Subgroup);
                found.push(d.help("it happens once for all lanes: branch on a vote, or move it out of the branch"));
            }
            Op::Rotate | Op::Broadcast => self.across(inst, control, found),
            _ => {}
        }
    }

    fn across(&self, inst: &Inst, control: Control, found: &mut Vec<Diagnostic>) {
        let (name, operand) = (inst.op.mnemonic(), inst.args[0]);
        if !self.variance.is_full(operand) {
            let what = self.value(operand);
            let d = error("E0313", inst, format!("`{name}` of {what}, which only some lanes have"));
            let d = d.also(self.spans[operand.index()], format!("{what} is defined in divergent control flow"));
            let d = self.because(d, control, Vary::Subgroup);
            found.push(d.help(format!("compute {what} before the branch, where all lanes are together")));
        }
        if inst.op == Op::Broadcast && self.variance.is_lane(inst.args[1]) {
            let what = self.value(inst.args[1]);
            let d = error("E0313", inst, format!("`broadcast` from lane {what}, which differs between lanes"));
            found.push(self.origin(d, inst.args[1]));
        }
    }

    fn value(&self, v: Value) -> String {
        format!("`{}`", self.names.get_or_init(|| Names::of(self.kernel)).value(self.kernel, v))
    }

    /// Names the condition that set lanes apart, and where its own variance comes from.
    fn because(&self, d: Diagnostic, control: Control, most: Vary) -> Diagnostic {
        let Some(cause) = control.cause.filter(|_| control.varies > most) else { return d };
        let among = match control.varies {
            Vary::Lane => "lanes",
            Vary::Subgroup => "the subgroups of a group",
            _ => "groups",
        };
        let text = format!("{} differs between {among}", self.value(cause));
        self.origin(d.also(self.spans[cause.index()], text), cause)
    }

    fn origin(&self, d: Diagnostic, v: Value) -> Diagnostic {
        let origin = self.variance.origin(v);
        if origin == v {
            return d;
        }
        d.also(self.spans[origin.index()], format!("it depends on {}", self.value(origin)))
    }
}
