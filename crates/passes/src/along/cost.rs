//! Which way is cheaper: items along the lanes, or the turns of their loops.
//!
//! Both are counted in instructions on vectors for sixteen items, as far as sizes are known. What tells them apart is how elements lie:
//! a row of memory is one instruction, elements at small distances are put together from rows, those a row apart come through
//! squares that are turned over, or one by one.

use super::{Carried, How, Strips};
use crate::analysis::linear::Forms;
use crate::unroll::Counted;
use quadra_base::quick::Set;
use quadra_kir::{Block, Elem, Inst, Kernel, Op, Value};

/// Iterations of a loop whose trip count is not known.
const TURNS: f64 = 64.0;
/// A load or store whose lanes' elements lie anywhere.
const SCATTERED: f64 = 20.0;
/// One of a square that is turned over.
const TILED: f64 = 12.0;
/// One whose elements lie at a small distance.
const NEAR: f64 = 3.0;
/// So far apart elements are near.
const NEAREST: u32 = 8;
/// What the lanes' total takes, and choosing a lane.
const TOTAL: f64 = 9.0;
/// The same of whole numbers, where the processor counts the bits of a mask.
const COUNT: f64 = 6.0;
const CHOICE: f64 = 24.0;
/// What lanes are told of a count, and a store of lanes one behind the other.
const RANK: f64 = 12.0;
const PACKED: f64 = 6.0;
/// An operation on scalars beside one on vectors, which are two registers or more where nothing stores lanes anywhere.
const SCALAR: f64 = 0.3;
/// Turns that a square takes at least.
const LEAST_TURNS: f64 = 8.0;

struct Count<'a> {
    kernel: &'a Kernel,
    strips: &'a Strips,
    how: &'a How,
    forms: Forms,
    /// The item's number along the last axis, and what follows from it.
    items: Vec<Value>,
    follows: Set<Value>,
}

/// Whether turns along the lanes are cheaper.
pub(super) fn pays(kernel: &Kernel, strips: &Strips, how: &How) -> bool {
    let (mut items, mut follows) = (Vec::new(), Set::default());
    kernel.body.walk(&mut |i| {
        if i.op == Op::Item && i.imm as usize + 1 == kernel.over as usize {
            items.push(i.result());
            follows.insert(i.result());
        }
    });
    follow(&kernel.body, &mut follows);
    let count = Count { kernel, strips, how, forms: Forms::of(kernel), items, follows };
    let used = how.last.map_or(1.0, |n| f64::from(n) / f64::from(n.div_ceil(16).max(1) * 16));
    let (items, turns) = (count.items(&kernel.body, None) / used, count.turns(&kernel.body) * 16.0);
    // Processors that store lanes anywhere do that with all items at once.
    let scalar = strips.is_empty() && !how.packs;
    if scalar { turns * SCALAR < items } else { turns < items && !strips.is_empty() }
}

/// Whether the data choose what a loop stores to.
pub(super) fn chooses(kernel: &Kernel) -> bool {
    let forms = Forms::of(kernel);
    let mut loaded: Set<Value> = Set::default();
    kernel.body.walk(&mut |i| loaded.extend(i.results.iter().filter(|_| i.op == Op::Load)));
    follow(&kernel.body, &mut loaded);
    let chosen =
        |i: &Inst| i.op == Op::Store && forms.at(kernel, i.args[0]).terms.iter().any(|t| loaded.contains(&t.0));
    kernel.body.any(&mut |i| i.op == Op::For && i.regions[0].any(&mut |i| chosen(i)))
}

/// Leaves the loops over scalars that are cheaper so.
pub(super) fn keep(kernel: &Kernel, strips: &mut Strips, how: &How) {
    let mut dear = Vec::new();
    let count = Count { kernel, strips, how, forms: Forms::of(kernel), items: Vec::new(), follows: Set::default() };
    kernel.body.walk(&mut |i| {
        if i.op == Op::For
            && let Some(strip) = strips.get(&i.regions[0].params[0])
        {
            let turn: f64 = strip.insts.iter().map(|i| weight(kernel, i)).sum();
            if count.strip(i) >= count.turns_of(i) * (2.0 + turn) {
                dear.push(i.regions[0].params[0]);
            }
        }
    });
    dear.iter().for_each(|counter| drop(strips.remove(counter)));
}

/// Adds what follows from values; what loops carry comes round.
fn follow(body: &Block, follows: &mut Set<Value>) {
    loop {
        let before = follows.len();
        spread(body, None, follows);
        if follows.len() == before {
            break;
        }
    }
}

fn spread(block: &Block, frame: Option<&Inst>, follows: &mut Set<Value>) {
    for inst in &block.insts {
        let pass = |to: &[Value], from: &[Value], follows: &mut Set<Value>| {
            for (t, f) in to.iter().zip(from) {
                if follows.contains(f) {
                    follows.insert(*t);
                }
            }
        };
        let any = inst.uses().any(|v| follows.contains(&v));
        match inst.op {
            Op::For | Op::Loop => {
                let skip = usize::from(inst.op == Op::For);
                let params = &inst.regions[0].params[skip..];
                pass(params, inst.carried(), follows);
                if skip == 1 {
                    pass(&inst.regions[0].params[..1], &inst.args[..1], follows);
                    pass(&inst.results, params, follows);
                }
                spread(&inst.regions[0], Some(inst), follows);
            }
            Op::If => {
                for region in &inst.regions {
                    spread(region, frame, follows);
                }
                if any
                    || inst
                        .regions
                        .iter()
                        .any(|r| r.terminator().is_some_and(|t| t.uses().any(|v| follows.contains(&v))))
                {
                    follows.extend(&inst.results);
                }
            }
            Op::Break => frame.iter().for_each(|f| pass(&f.results, &inst.args, follows)),
            Op::Yield | Op::Continue => {
                if let Some(f) = frame {
                    pass(&f.regions[0].params[usize::from(f.op == Op::For)..], &inst.args, follows);
                }
            }
            _ if any => follows.extend(&inst.results),
            _ => {}
        }
    }
}

/// What an operation takes that is not an access.
fn weight(kernel: &Kernel, inst: &Inst) -> f64 {
    use Op::*;
    let integer = inst.args.first().is_some_and(|&v| kernel.ty(v).elem.is_int());
    let wide = inst.results.first().is_some_and(|&v| matches!(kernel.ty(v).elem, Elem::F64 | Elem::I64));
    let one = match inst.op {
        Exp | Exp2 => 15.0,
        Log | Log2 | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh => 30.0,
        Pow | Atan2 => 60.0,
        Div | Rem | Mod if integer => 30.0,
        Div | Sqrt | Rsqrt | Recip => 8.0,
        Rem | Mod => 20.0,
        Comment | Yield | Item | Extent | Dim => 0.0,
        _ => 1.0,
    };
    if wide { 2.0 * one } else { one }
}

impl Count<'_> {
    fn turns_of(&self, inst: &Inst) -> f64 {
        Counted::of(inst).trips(self.kernel).map_or(TURNS, |n| n as f64)
    }

    /// With items along the lanes. `around` is the counter of the loop around, if it has so many turns that squares pay.
    fn items(&self, block: &Block, around: Option<Value>) -> f64 {
        let one = |i: &Inst| match i.op {
            Op::For => {
                let (turns, counter) = (self.turns_of(i), i.regions[0].params[0]);
                let tiled = self.how.tiles && turns >= LEAST_TURNS;
                turns * (1.0 + self.items(&i.regions[0], tiled.then_some(counter)))
            }
            Op::Loop => 16.0 * self.items(&i.regions[0], None),
            Op::If => i.regions.iter().map(|r| self.items(r, around)).sum(),
            Op::Load | Op::Store => self.item_access(i, around),
            _ => weight(self.kernel, i),
        };
        block.insts.iter().map(one).sum()
    }

    fn item_access(&self, inst: &Inst, around: Option<Value>) -> f64 {
        let index = inst.args[0];
        if !self.follows.contains(&index) {
            return 1.0;
        }
        let form = self.forms.at(self.kernel, index);
        let other = |v: &Value| self.follows.contains(v) && !self.items.contains(v);
        if form.terms.iter().any(|t| other(&t.0)) {
            return SCATTERED;
        }
        let step = self.items.iter().map(|&v| form.factor(v)).fold(0, i32::wrapping_add).unsigned_abs();
        let small = inst.buf.is_some_and(|b| self.kernel.bufs[b].elem.bytes() < 4);
        match step {
            0 | 1 => 1.0,
            _ if step <= NEAREST => NEAR,
            _ if step >= 16 && !small && around.is_some_and(|counter| form.factor(counter) == 1) => TILED,
            _ => SCATTERED,
        }
    }

    /// One item, with the turns of its loops along the lanes.
    fn turns(&self, block: &Block) -> f64 {
        let one = |i: &Inst| match i.op {
            Op::For => match self.strips.get(&i.regions[0].params[0]) {
                Some(_) => self.strip(i),
                None => self.turns_of(i) * (2.0 + self.turns(&i.regions[0])),
            },
            Op::Loop => 16.0 * self.turns(&i.regions[0]),
            Op::If => 1.0 + i.regions.iter().map(|r| self.turns(r)).fold(0.0, f64::max),
            _ => weight(self.kernel, i),
        };
        block.insts.iter().map(one).sum()
    }

    /// Whether an index is carried value `n` of a loop, which it counts, plus something.
    fn counts(&self, inst: &Inst, n: usize, index: Value) -> bool {
        self.forms.at(self.kernel, index).factor(inst.regions[0].params[1 + n]) == 1
    }

    fn strip(&self, inst: &Inst) -> f64 {
        let counter = inst.regions[0].params[0];
        let strip = &self.strips[&counter];
        let mut inside: Set<Value> = Set::default();
        inside.insert(counter);
        inside.extend(inst.regions[0].params.iter().chain(strip.insts.iter().flat_map(|i| &i.results)));
        let access = |i: &Inst| {
            let form = self.forms.at(self.kernel, i.args[0]);
            let other = form.terms.iter().any(|t| t.0 != counter && inside.contains(&t.0));
            match form.factor(counter).unsigned_abs() {
                _ if other => SCATTERED,
                0 | 1 => 1.0,
                n if n <= NEAREST => NEAR,
                _ => SCATTERED,
            }
        };
        let one = |i: &Inst| if matches!(i.op, Op::Load | Op::Store) { access(i) } else { weight(self.kernel, i) };
        let packed = |i: &&Inst| i.op == Op::Store && strip.counts.iter().any(|c| self.counts(inst, c.0, i.args[0]));
        let body = strip.insts.iter().map(|i| if packed(&i) { PACKED } else { one(i) }).sum::<f64>()
            + RANK * strip.counts.len() as f64;
        let total = |(c, &v): (&Carried, &Value)| match c {
            Carried::Same => 0.0,
            Carried::Total(_) if self.kernel.ty(v).elem.is_float() => TOTAL,
            Carried::Total(_) => COUNT,
            Carried::Taken(_) => CHOICE / strip.carried.len() as f64,
            Carried::Counted => 0.0,
        };
        let totals: f64 = strip.carried.iter().zip(&strip.yields).map(total).sum();
        (self.turns_of(inst) / 16.0).ceil() * (1.0 + body) + totals
    }
}
