//! Copies of a body for one group: at the ends of a row, and inside, where its tests are decided.

use super::inside::Known;
use super::{Row, Written};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Const, Inst, Op, Value};
use quadra_passes::unroll;

impl Written<'_> {
    /// A copy of the body for the group that begins with `item`; if the extent is given, all of its items lie within, and
    /// are inside if there is such a thing.
    pub(super) fn group(&mut self, row: &Row<'_>, groups: &[Value], item: Value, all_within: Option<Value>) {
        let body = row.bodies[usize::from(all_within.is_some())];
        let mut insts = body.insts.clone();
        insts.pop();
        let inner = self.over - 1;
        let four = self.kernel.const_i32(4);
        let mut map: Map<Value, Value> = Map::default();
        let mut all: Vec<&Inst> = Vec::new();
        body.walk(&mut |i| all.push(i));
        let special = all.iter().filter(|i| matches!(i.op, Op::Group | Op::Lane | Op::Extent));
        let special: Map<Value, (Op, u32)> = special.map(|i| (i.result(), (i.op, i.imm))).collect();
        let is = |v: &Value, op: Op, imm: u32| special.get(v) == Some(&(op, imm));
        let firsts: Vec<Value> = all
            .iter()
            .filter(|i| i.op == Op::Shl && i.args[1] == four && is(&i.args[0], Op::Group, inner))
            .map(|i| i.result())
            .collect();
        let items: Vec<Value> = all
            .iter()
            .filter(|i| i.op == Op::Add && i.args.iter().any(|v| firsts.contains(v)))
            .filter(|i| i.args.iter().any(|v| is(v, Op::Lane, 0)))
            .map(|i| i.result())
            .collect();
        let yes = self.kernel.constant(Const::bool(true));
        if all_within.is_some() {
            let within = all.iter().filter(|i| i.op == Op::CmpLt && items.contains(&i.args[0]));
            let within = within.filter(|i| is(&i.args[1], Op::Extent, inner)).map(|i| i.result());
            map.extend(within.map(|v| (v, yes)));
        }
        map.extend(firsts.into_iter().map(|v| (v, item)));
        let group = self.with(Op::Shr, item, 4);
        let of_group = all.iter().filter(|i| i.op == Op::Group);
        map.extend(of_group.map(|i| (i.result(), groups.get(i.imm as usize).copied().unwrap_or(group))));
        let mut gone: Set<Value> = map.keys().copied().collect();
        let decided = all_within.and(row.found).map(|_| &row.inside.decided);
        if let Some(decided) = decided {
            gone.extend(decided.keys());
            let (zero, no) = (self.kernel.const_i32(0), self.kernel.constant(Const::bool(false)));
            for (&v, known) in decided {
                match known {
                    Known::True => drop(map.insert(v, yes)),
                    Known::False => drop(map.insert(v, no)),
                    Known::Zero => drop(map.insert(v, zero)),
                    Known::Is(_) => {}
                }
            }
        }
        remove(&mut insts, &gone);
        // A minimum is one of its operands, which the copy has by now.
        if let Some(decided) = decided {
            rename(&mut insts, decided);
        }
        let mut copied = unroll::copy(self.kernel, &insts, &mut map);
        unmask(&mut copied, yes);
        self.insts.extend(copied);
    }
}

/// Takes out what gives these values.
fn remove(insts: &mut Vec<Inst>, gone: &Set<Value>) {
    insts.retain(|i| i.results.len() != 1 || !gone.contains(&i.results[0]));
    insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| remove(&mut r.insts, gone));
}

/// Puts what values are in their place.
fn rename(insts: &mut [Inst], is: &Map<Value, Known>) {
    let at = |v: &mut Value| {
        while let Some(Known::Is(to)) = is.get(v) {
            *v = *to;
        }
    };
    for inst in insts {
        inst.args.iter_mut().for_each(at);
        inst.mask.iter_mut().for_each(at);
        inst.regions.iter_mut().for_each(|r| rename(&mut r.insts, is));
    }
}

/// Masks that are true are none.
fn unmask(insts: &mut [Inst], yes: Value) {
    for inst in insts {
        inst.mask = inst.mask.filter(|m| *m != yes);
        inst.regions.iter_mut().for_each(|r| unmask(&mut r.insts, yes));
    }
}
