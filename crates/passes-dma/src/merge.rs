//! Conditional stores of rows: what an item does not store is stored again as it was.
//!
//! * Needs: a SIMD kernel without variables, whose accesses have been recognised (`access`).
//! * Gives: of masked stores to a buffer of which each item has an element of its own, one, which has no mask but that of the
//!   extent's end.
//! * Keeps: memory. Nobody else stores the elements that are stored again.
//!
//! A row goes to memory in one transfer, one of which lanes are missing in sixteen; those of a branch's two sides would be
//! thirty-two. It stands before `grid`, whose loops gather the rows of several groups.
//!
//! ```kir
//! kernel @f(%x: buf<f32, r>, %h: buf<f32, rw, own>) simd group=16 over=1 {
//!   %g = group 0
//!   %i = shl %g, 4
//!   %l = lane
//!   %j = add %i, %l
//!   %e = extent 0
//!   %entry = cmp.lt %j, %e
//!   %a = load.row.inside %x[%i] if %entry
//!   %c = cmp.gt %a, 0.5
//!   %m = and %entry, %c
//!   store.row.inside %h[%i], 1.0 if %m
//!   %n = andnot %entry, %c
//!   store.row.inside %h[%i], %a if %n
//! }
//! ; check: kernel @f(%x: buf<f32, r>, %h: buf<f32, rw, own>) simd group=16 over=1 {
//! ; check:   %g = group 0
//! ; check:   %i = shl %g, 4
//! ; check:   %l = lane
//! ; check:   %j = add %i, %l
//! ; check:   %e = extent 0
//! ; check:   %entry = cmp.lt %j, %e
//! ; check:   %a = load.row.inside %x[%i] if %entry
//! ; check:   %c = cmp.gt %a, 0.5
//! ; check:   %m = and %entry, %c
//! ; check:   %n = andnot %entry, %c
//! ; check:   %0 = select %n, %a, 1.0
//! ; check:   store.row.inside %h[%i], %0 if %entry
//! ; check: }
//! ```

use quadra_base::quick::Map;
use quadra_kir::{Access, Buf, Const, Inst, Kernel, Level, Op, Space, Type, Value, Values};
use quadra_passes::analysis::linear::Forms;
use quadra_passes::analysis::range::Range;
use quadra_passes::pass::{Facts, Pass};
use quadra_passes::unroll::emit;

/// The pass.
pub const PASS: Pass = Pass {
    name: "merge",
    about: "stores rows as a whole where only some items store",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// More stores than this to one buffer stay as they are.
const MOST_STORES: usize = 8;
/// Comparisons whose outcomes are tried to find out whether some store always happens.
const MOST_LEAVES: usize = 8;

/// Joins the masked stores of buffers whose elements are the items' own.
pub fn run(kernel: &mut Kernel) {
    if kernel.level != Level::Simd || kernel.concurrent {
        return;
    }
    let own = |k: &Kernel, b: Buf| k.bufs[b].own && k.bufs[b].space == Space::Global;
    let bufs: Vec<Buf> = kernel.bufs.ids().filter(|b| own(kernel, *b)).collect();
    for buf in bufs {
        if let Some(found) = Stores::of(kernel, buf) {
            found.join(kernel);
        }
    }
}

/// The stores to a buffer, all in the kernel's body itself.
struct Stores {
    places: Vec<usize>,
    /// Loads of what may have been stored.
    loads: Vec<usize>,
    /// The mask of the extent's end.
    entry: Option<Value>,
}

impl Stores {
    /// The stores to a buffer, if they go to the same row, some of them are masked, and nothing else is read in between.
    fn of(kernel: &Kernel, buf: Buf) -> Option<Stores> {
        let insts = &kernel.body.insts;
        let touches = |i: &Inst| i.buf == Some(buf);
        let here: Vec<usize> = (0..insts.len()).filter(|&i| touches(&insts[i])).collect();
        let mut all = 0;
        kernel.body.walk(&mut |i| all += usize::from(touches(i)));
        let places: Vec<usize> = here.iter().copied().filter(|&i| insts[i].op == Op::StoreRow).collect();
        let first = *places.first()?;
        let loads: Vec<usize> = here.iter().copied().filter(|&i| insts[i].op == Op::LoadRow && i > first).collect();
        let early = |i: usize| matches!(insts[i].op, Op::Load | Op::LoadRow) && i < first;
        let plain = all == here.len()
            && here.iter().all(|i| places.contains(i) || loads.contains(i) || early(*i))
            && places.len() <= MOST_STORES
            && kernel.bufs[buf].access == Access::ReadWrite;
        let range = Range::of(kernel);
        let forms: &Forms = range.forms();
        let index = forms.at(kernel, insts[first].args[0]);
        let same = places
            .iter()
            .chain(&loads)
            .all(|&p| forms.at(kernel, insts[p].args[0]).minus(&index).as_constant() == Some(0));
        let logic = Logic::new(kernel);
        let entry = places.iter().filter_map(|&p| insts[p].mask).find_map(|m| logic.entry(m));
        let partial = places.iter().any(|&p| insts[p].mask.is_some_and(|m| Some(m) != entry));
        (plain && same && partial).then_some(Stores { places, loads, entry })
    }

    fn join(self, kernel: &mut Kernel) {
        let insts = &kernel.body.insts;
        let last = *self.places.last().expect("there is a store");
        let stores: Vec<Inst> = self.places.iter().map(|&p| insts[p].clone()).collect();
        let index = stores[0].args[0];
        let masks: Option<Vec<Value>> = stores.iter().map(|s| s.mask).collect();
        // A store without a mask covers everything before it.
        let always = self.loads.is_empty() && masks.is_none_or(|masks| Logic::new(kernel).covers(&masks, self.entry));
        let insts = std::mem::take(&mut kernel.body.insts);
        let mut out = Vec::with_capacity(insts.len() + stores.len() + 1);
        let mut value = None;
        let mut map: Map<Value, Value> = Map::default();
        for (at, inst) in insts.into_iter().enumerate() {
            if at == self.places[0] && !always {
                let elem = kernel.bufs[stores[0].buf.expect("a store names a buffer")].elem;
                let old = kernel.new_value(Type::scalar(elem).with_lanes(true));
                let mut load = Inst::new(Op::LoadRow, [index]).at(inst.span);
                (load.results, load.buf) = (Values::from_slice(&[old]), inst.buf);
                (load.mode, load.mask) = (inst.mode, self.entry);
                out.push(load);
                value = Some(old);
            }
            if let (true, Some(now)) = (self.loads.contains(&at), value) {
                // Other lanes of a masked load are zero.
                let ty = kernel.ty(inst.result());
                let zero = kernel.constant(Const::zero(ty.elem));
                let seen = match inst.mask {
                    Some(mask) => emit(kernel, Op::Select, &[mask, now, zero], ty, &inst, &mut out),
                    None => now,
                };
                map.insert(inst.result(), seen);
                continue;
            }
            if !self.places.contains(&at) {
                out.push(inst);
                continue;
            }
            let new = match (value, inst.mask) {
                (Some(before), Some(mask)) if Some(mask) != self.entry => {
                    let ty = kernel.ty(inst.args[1]).with_lanes(true);
                    emit(kernel, Op::Select, &[mask, inst.args[1], before], ty, &inst, &mut out)
                }
                _ => inst.args[1],
            };
            value = Some(new);
            if at == last {
                let mut store = inst;
                (store.args[0], store.args[1], store.mask) = (index, new, self.entry);
                out.push(store);
            }
        }
        kernel.body.insts = out;
        kernel.replace_uses(&map);
    }
}

/// Masks as formulas of comparisons, by the instructions of the body that compute them.
struct Logic<'k> {
    of: Map<Value, &'k Inst>,
}

impl<'k> Logic<'k> {
    fn new(kernel: &'k Kernel) -> Logic<'k> {
        Logic { of: kernel.body.insts.iter().filter_map(|i| Some((*i.results.first()?, i))).collect() }
    }

    fn parts(&self, mask: Value) -> Option<(Op, &'k [Value])> {
        self.of.get(&mask).map(|i| (i.op, &i.args[..]))
    }

    /// The comparison with the end of the extent that a mask contains: what holds for every item there is.
    fn entry(&self, mask: Value) -> Option<Value> {
        match self.parts(mask)? {
            (Op::And, args) => args.iter().find_map(|&a| self.entry(a)),
            (Op::AndNot, args) => self.entry(args[0]),
            (Op::CmpLt, args) => matches!(self.parts(args[1]), Some((Op::Extent, _))).then_some(mask),
            _ => None,
        }
    }

    fn leaves(&self, mask: Value, found: &mut Vec<Value>) {
        match self.parts(mask) {
            Some((Op::And | Op::Or | Op::AndNot | Op::Xor | Op::Not, args)) => {
                args.iter().for_each(|&a| self.leaves(a, found));
            }
            _ if !found.contains(&mask) => found.push(mask),
            _ => {}
        }
    }

    fn holds(&self, mask: Value, leaves: &[Value], outcomes: u32) -> bool {
        if let Some(i) = leaves.iter().position(|&l| l == mask) {
            return outcomes >> i & 1 != 0;
        }
        let (op, args) = self.parts(mask).expect("a mask that is no leaf is computed here");
        let of = |i: usize| self.holds(args[i], leaves, outcomes);
        match op {
            Op::And => of(0) && of(1),
            Op::Or => of(0) || of(1),
            Op::AndNot => of(0) && !of(1),
            Op::Xor => of(0) != of(1),
            _ => !of(0),
        }
    }

    /// Whether one of the masks holds wherever `entry` does, however the comparisons come out.
    fn covers(&self, masks: &[Value], entry: Option<Value>) -> bool {
        let mut leaves = Vec::new();
        masks.iter().chain(&entry).for_each(|&m| self.leaves(m, &mut leaves));
        leaves.len() <= MOST_LEAVES
            && (0..1u32 << leaves.len()).all(|o| {
                let wanted = entry.is_none_or(|e| self.holds(e, &leaves, o));
                !wanted || masks.iter().any(|&m| self.holds(m, &leaves, o))
            })
    }
}
