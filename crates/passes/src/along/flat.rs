//! A loop's body without branches.

use super::Strip;
use quadra_base::quick::Map;
use quadra_kir::{Block, Inst, Kernel, Op, Value, Values};

/// The instructions of a body, both arms of each branch, with what is chosen; `None` if something else than memory
/// operations and assertions would have to be conditional.
pub(super) fn flat(kernel: &mut Kernel, body: &Block) -> Option<Strip> {
    let mut insts = Vec::new();
    let yields = block(kernel, body, None, &mut insts)?;
    let mut strip = Strip { insts, yields, carried: Vec::new(), takes: Vec::new(), counts: Vec::new(), ready: 0 };
    load_once(&mut strip);
    Some(strip)
}

fn block(kernel: &mut Kernel, b: &Block, mask: Option<Value>, out: &mut Vec<Inst>) -> Option<Values> {
    for inst in &b.insts {
        match inst.op {
            Op::If => {
                let c = inst.args[0];
                let conditional = |n: usize| {
                    let memory = |i: &Inst| i.buf.is_some() && i.op != Op::Dim || i.op == Op::Assert;
                    inst.regions.get(n).is_some_and(|r| r.any(&mut |i| memory(i)))
                };
                let mut arms = Vec::new();
                for n in 0..2 {
                    let under = match (conditional(n), n, mask) {
                        (false, ..) => None,
                        (true, 0, None) => Some(c),
                        (true, 0, Some(m)) => Some(emit(kernel, Op::And, &[m, c], out)),
                        (true, _, None) => Some(emit(kernel, Op::Not, &[c], out)),
                        (true, _, Some(m)) => Some(emit(kernel, Op::AndNot, &[m, c], out)),
                    };
                    arms.push(match inst.regions.get(n).filter(|r| !r.insts.is_empty()) {
                        Some(region) => block(kernel, region, under, out)?,
                        None => Values::new(),
                    });
                }
                for (n, &r) in inst.results.iter().enumerate() {
                    let mut select = Inst::new(Op::Select, [c, *arms[0].get(n)?, *arms[1].get(n)?]).at(inst.span);
                    select.results = Values::from_slice(&[r]);
                    out.push(select);
                }
            }
            Op::Yield => return Some(inst.args.clone()),
            Op::Comment => {}
            Op::Load | Op::Store | Op::Assert => out.push(Inst { mask, ..inst.clone() }),
            op if op.is_pure() => out.push(inst.clone()),
            _ => return None,
        }
    }
    None
}

fn emit(kernel: &mut Kernel, op: Op, args: &[Value], out: &mut Vec<Inst>) -> Value {
    let v = kernel.new_value(quadra_kir::Type::BOOL);
    let mut inst = Inst::new(op, args.iter().copied());
    inst.results = Values::from_slice(&[v]);
    out.push(inst);
    v
}

/// What a turn loads under a condition though it has loaded it anyway, it loads once.
fn load_once(strip: &mut Strip) {
    let mut known: Map<(quadra_kir::Buf, Value), Value> = Map::default();
    let mut same: Map<Value, Value> = Map::default();
    strip.insts.retain_mut(|inst| {
        let at = |v: &mut Value| *v = same.get(v).copied().unwrap_or(*v);
        inst.args.iter_mut().for_each(at);
        inst.mask.iter_mut().for_each(at);
        match (inst.op, inst.buf) {
            (Op::Store, _) => known.clear(),
            (Op::Load, Some(buf)) => {
                let (key, result) = ((buf, inst.args[0]), inst.result());
                if let Some(&first) = known.get(&key) {
                    same.insert(result, first);
                    return false;
                }
                if inst.mask.is_none() {
                    known.insert(key, result);
                }
            }
            _ => {}
        }
        true
    });
    strip.yields.iter_mut().for_each(|v| *v = same.get(v).copied().unwrap_or(*v));
}
