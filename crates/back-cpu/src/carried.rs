//! Whether the sums of a kernel may be bracketed in any way because loops carry them.
//!
//! A kernel that lets devices `regroup` allows that for what its loops carry, and for nothing else. Once the loops are unrolled, the
//! additions of a window are a chain like any other; so this is found out before. Neighbouring windows then share sums (`lower::sums`).
//!
//! * Needs: every addition of floats in lanes is on the way from a carried value to what the next iteration gets, through loops within as
//!   well, and nothing else uses what is on that way.

use quadra_kir::{Inst, Kernel, Op, Type, Value};
use std::collections::{HashMap, HashSet};

/// Whether loops carry all sums of floats that lanes have, and at least one.
pub(crate) fn all_sums(kernel: &Kernel) -> bool {
    let mut made = HashMap::new();
    kernel.body.walk(&mut |i| made.extend(i.results.iter().map(|&r| (r, i))));
    let ways = Ways { uses: kernel.use_counts(), made };
    let (mut found, mut sums) = (HashSet::new(), Vec::new());
    kernel.body.walk(&mut |i| match i.op {
        Op::For => (0..i.results.len()).for_each(|n| {
            ways.is_carried(i, n, &mut found);
        }),
        Op::Add if of_floats(kernel, i) => sums.push(i.result()),
        _ => {}
    });
    kernel.regroup && !sums.is_empty() && sums.iter().all(|s| found.contains(s))
}

fn of_floats(kernel: &Kernel, inst: &Inst) -> bool {
    let ty: Type = kernel.ty(inst.result());
    ty.lanes && ty.elem.is_float()
}

struct Ways<'k> {
    uses: Vec<u32>,
    made: HashMap<Value, &'k Inst>,
}

impl Ways<'_> {
    /// Whether additions are all that becomes of a loop's carried value until the next iteration gets it; `found` gets them.
    fn is_carried(&self, of: &Inst, n: usize, found: &mut HashSet<Value>) -> bool {
        let (Some(body), true) = (of.regions.first(), of.op == Op::For) else { return false };
        let Some(end) = body.terminator() else { return false };
        let param = body.params[1 + n];
        self.uses[param.index()] == 1 && self.leads(param, end.args[n], found)
    }

    /// Whether `to` is `from` with terms added.
    fn leads(&self, from: Value, to: Value, found: &mut HashSet<Value>) -> bool {
        if from == to {
            return true;
        }
        let Some(inst) = self.made.get(&to).filter(|_| self.uses[to.index()] == 1) else { return false };
        match inst.op {
            Op::Add => {
                let leads = inst.args.iter().any(|&a| self.leads(from, a, found));
                if leads {
                    found.insert(to);
                }
                leads
            }
            Op::For => {
                let Some(n) = inst.results.iter().position(|r| *r == to) else { return false };
                self.is_carried(inst, n, found) && self.leads(from, inst.carried()[n], found)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::all_sums;

    fn regroups(head: &str, body: &str) -> bool {
        let text = format!(
            "kernel @k(%x: buf<f32, r>, %y: buf<f32, rw>) simd group=16 over=1 {head} {{ %g = group 0 %i = shl %g, 4 {body} }}"
        );
        all_sums(&quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel"))
    }

    #[test]
    fn sums_of_windows_are_what_loops_carry() {
        let rows = "%s = for %k in 0..3 step 1 (%t: <f32> = 0.0) {
            %u = for %l in 0..3 step 1 (%v: <f32> = %t) { %j = add %i, %l %a = load.row %x[%j] %w = add %v, %a yield %w }
            yield %u }";
        assert!(regroups("regroup", &format!("{rows} %m = div %s, 9.0 store.row %y[%i], %m")));
        assert!(!regroups("", &format!("{rows} store.row %y[%i], %s")), "the kernel does not allow it");
        assert!(!regroups("regroup", &format!("{rows} %m = add %s, 1.0 store.row %y[%i], %m")), "nothing carries %m");
    }

    #[test]
    fn what_is_seen_on_the_way_is_computed_as_written() {
        let seen = "%s = for %k in 0..3 step 1 (%t: <f32> = 0.0) {
            %a = load.row %x[%i] %w = add %t, %a store.row %y[%i], %w yield %w }";
        assert!(!regroups("regroup", seen));
        let twice = "%s = for %k in 0..3 step 1 (%t: <f32> = 0.0) {
            %a = load.row %x[%i] %b = mul %t, %a %w = add %t, %b yield %w } store.row %y[%i], %s";
        assert!(!regroups("regroup", twice));
    }
}
