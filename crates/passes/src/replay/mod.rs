//! Replays the claims that accesses lie inside their buffers, knowing nothing of who made them.
//!
//! A front end marks an access [`Mode::Inside`] when it has proved its index, and devices then leave the test out: a wrong proof
//! would read or write other memory. So nobody takes the mark on trust. Each claim is derived again, from the kernel alone and
//! the sizes of the launch, by one walk: every value has bounds ([`Bounds`]), conditions narrow them where they hold, and what
//! loops carry is guessed and confirmed. Where that does not lead to the claim, the mark goes and the device tests the access.
//!
//! * Needs: a SIMT kernel without variables, whose sizes are constants ([`specialise`](super::specialise)). A kernel that was
//!   written for vectors is its author's own affair.
//! * Gives: no access is `inside` unless its bounds say so.
//! * Keeps: what is loaded and stored; an index outside is a fault.
//!
//! It shares no code with the front ends' reasoning, nor with [`range`](super::analysis::range): only the arithmetic of bounds,
//! which is tested exhaustively.

mod learn;
mod sums;
mod walk;

use crate::specialise::Known;
use quadra_base::quick::Map;
use quadra_kir::bounds::Bounds;
use quadra_kir::{Block, Buf, Elem, Inst, Kernel, Mode, Op, Param, Space, Value};

/// Most evaluations of values; where a kernel takes more, its remaining claims are not confirmed.
const MOST_WORK: usize = 4_000_000;
/// So deep goes the search through what values are made of.
const DEPTH: u32 = 200;

/// What became of a kernel's claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Accesses that were marked.
    pub claims: usize,
    /// Those of which the bounds say the same.
    pub confirmed: usize,
}

/// Takes the mark `inside` off all accesses of which it cannot be derived.
pub fn run(kernel: &mut Kernel, known: &Known) -> Replayed {
    let (claims, confirmed) = {
        let mut replay = Replay::new(kernel, known);
        replay.body();
        (replay.claims.len(), replay.confirmed)
    };
    let mut count = Replayed { claims, confirmed: 0 };
    let mut at = 0;
    kernel.body.walk_mut(&mut |inst| {
        if inst.mode == Mode::Inside {
            let fine = confirmed.get(at).copied().unwrap_or(false);
            count.confirmed += usize::from(fine);
            inst.mode = if fine { Mode::Inside } else { Mode::Unchecked };
            at += 1;
        }
    });
    count
}

struct Replay<'k> {
    kernel: &'k Kernel,
    known: &'k Known,
    /// The instructions whose results values are, but for control: the walk finds the bounds of what that gives and carries.
    made: Map<Value, &'k Inst>,
    /// The sizes of buffers along their axes, where they are known.
    sizes: Map<Buf, Vec<i64>>,
    /// What the walk has found of the other values.
    walked: Map<Value, Bounds>,
    /// What conditions say of values here, and how it was before.
    learnt: Map<Value, Bounds>,
    undo: Vec<(Value, Option<Bounds>)>,
    /// Triples of which the first is less than the second, by at least the third.
    less: Vec<(Value, Value, i64)>,
    /// The induction variables of the loops around, unless they may wrap.
    counters: Map<Value, sums::Counter>,
    /// What has been computed since something was learnt last, for each scope.
    memo: Vec<Map<Value, Bounds>>,
    work: usize,
    /// The number of each marked access, by the address of its instruction.
    claims: Map<*const Inst, usize>,
    /// For each marked access in order, whether it is confirmed.
    confirmed: Vec<bool>,
    /// Whether this is the walk that counts, not one that tries a guess.
    final_walk: bool,
}

impl<'k> Replay<'k> {
    fn new(kernel: &'k Kernel, known: &'k Known) -> Replay<'k> {
        let mut made = Map::default();
        let mut claims = Map::default();
        kernel.body.walk(&mut |inst| {
            if !matches!(inst.op, Op::If | Op::For | Op::Loop) {
                made.extend(inst.results.iter().map(|&r| (r, inst)));
            }
            if inst.mode == Mode::Inside {
                let n = claims.len();
                claims.insert(std::ptr::from_ref(inst), n);
            }
        });
        let sizes = sizes(kernel, known);
        // What the walk does not reach never runs.
        let confirmed = vec![true; claims.len()];
        Replay {
            kernel,
            known,
            made,
            sizes,
            walked: Map::default(),
            learnt: Map::default(),
            undo: Vec::new(),
            less: Vec::new(),
            counters: Map::default(),
            memo: vec![Map::default()],
            work: 0,
            claims,
            confirmed,
            final_walk: true,
        }
    }

    /// Runs something in a scope: what it learns is forgotten behind it.
    fn scope<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let (undo, less) = (self.undo.len(), self.less.len());
        self.memo.push(Map::default());
        let result = f(self);
        self.memo.pop();
        for (v, before) in self.undo.drain(undo..).rev() {
            match before {
                Some(b) => self.learnt.insert(v, b),
                None => self.learnt.remove(&v),
            };
        }
        self.less.truncate(less);
        result
    }

    /// How many bits an integer has; `None` of other types.
    fn bits(&self, v: Value) -> Option<u32> {
        match self.kernel.ty(v).elem {
            Elem::I32 => Some(32),
            Elem::I64 => Some(64),
            _ => None,
        }
    }

    /// Between which bounds an integer lies here.
    fn bounds(&mut self, v: Value) -> Bounds {
        self.find(v, DEPTH)
    }

    fn find(&mut self, v: Value, depth: u32) -> Bounds {
        let Some(bits) = self.bits(v) else { return Bounds::signed(64) };
        if let Some(c) = self.kernel.as_const(v) {
            return Bounds::exactly(if bits == 32 { i64::from(c.bits as u32 as i32) } else { c.bits as i64 });
        }
        if let Some(&b) = self.memo.last().and_then(|m| m.get(&v)) {
            return b;
        }
        let any = Bounds::signed(bits);
        self.work += 1;
        let of = match self.made.get(&v) {
            _ if depth == 0 || self.work > MOST_WORK => any,
            Some(&inst) => self.value(inst, bits, depth - 1).unwrap_or(any).meet(any),
            None => self.walked.get(&v).copied().unwrap_or(any),
        };
        let of = self.learnt.get(&v).map_or(of, |&l| of.meet(l));
        if let Some(memo) = self.memo.last_mut() {
            memo.insert(v, of);
        }
        of
    }

    fn value(&mut self, inst: &'k Inst, bits: u32, depth: u32) -> Option<Bounds> {
        let args = &inst.args;
        match inst.op {
            Op::Item => {
                let n = self.known.extent.get(inst.imm as usize).copied().flatten();
                Some(Bounds::new(0, n.map_or(Bounds::ANY.high, |n| i64::from(n) - 1)))
            }
            Op::Lane => Some(Bounds::new(0, 15)),
            Op::Local => Some(Bounds::new(0, i64::from(*self.kernel.group.get(inst.imm as usize)?) - 1)),
            Op::Group => Some(Bounds::new(0, self.groups(inst.imm as usize).map_or(Bounds::ANY.high, |n| n - 1))),
            Op::Dim | Op::Extent | Op::NumGroups | Op::GroupSize | Op::Worker => Some(Bounds::NATURAL),
            Op::NumWorkers => Some(Bounds::new(1, Bounds::ANY.high)),
            Op::Load => match inst.buf.map(|b| self.kernel.bufs[b].elem) {
                Some(Elem::I8) => Some(Bounds::signed(8)),
                Some(Elem::I16) => Some(Bounds::signed(16)),
                _ => None,
            },
            Op::Select => {
                let one = |r: &mut Self, holds, v| {
                    r.scope(|r| {
                        r.learn(args[0], holds);
                        r.find(v, depth)
                    })
                };
                Some(one(self, true, args[1]).join(one(self, false, args[2])))
            }
            Op::ToI32 | Op::ToI64 if self.kernel.ty(args[0]).elem == Elem::Bool => Some(Bounds::new(0, 1)),
            Op::ToI32 | Op::ToI64 if self.bits(args[0]).is_some() => self.find(args[0], depth).fitting(bits),
            Op::Broadcast | Op::Rotate => Some(self.find(args[0], depth).join(Bounds::exactly(0))),
            op if op.is_pure() && (1..=2).contains(&args.len()) && self.bits(args[0]) == Some(bits) => {
                let a = self.find(args[0], depth);
                let b = args.get(1).map_or(Bounds::signed(bits), |&b| self.find(b, depth));
                let found = Bounds::of(op, bits, a, b);
                // In 64 bits, bounds that have saturated may hide that the operation wraps.
                let all = Bounds::signed(64);
                let found = found.filter(|f| bits < 64 || f.low > all.low && f.high < all.high);
                self.mirrored(inst).map_or(found, |m| Some(found.unwrap_or(Bounds::signed(bits)).meet(m)))
            }
            _ => None,
        }
    }

    /// How many groups there are along an axis.
    fn groups(&self, axis: usize) -> Option<i64> {
        let extent = i64::from(self.known.extent.get(axis).copied().flatten()?);
        // The axes of a group are the last ones of the extent.
        let outer = usize::from(self.kernel.over).checked_sub(self.kernel.group.len())?;
        let size = axis.checked_sub(outer).map_or(1, |a| self.kernel.group[a]);
        Some(extent.div_euclid(size.into()) + i64::from(extent.rem_euclid(size.into()) != 0))
    }

    /// `min(x, c - x)` is at most half of `c`, `max(x, c - x)` at least: how an index is reflected.
    fn mirrored(&mut self, inst: &'k Inst) -> Option<Bounds> {
        let (op @ (Op::Min | Op::Max), &[a, b]) = (inst.op, &inst.args[..]) else { return None };
        let complement = |r: &mut Self, x: Value, y: Value| -> Option<i64> {
            let sub = *r.made.get(&y)?;
            let c = (sub.op == Op::Sub && sub.args[1] == x).then(|| r.kernel.as_i32(sub.args[0])).flatten()?;
            // The difference must not wrap.
            Bounds::exactly(i64::from(c)).minus(r.bounds(x)).fitting(32).map(|_| i64::from(c))
        };
        let c = match complement(self, a, b) {
            Some(c) => c,
            None => complement(self, b, a)?,
        };
        Some(match op {
            Op::Min => Bounds { high: c.div_euclid(2), ..Bounds::ANY },
            _ => Bounds { low: c - c.div_euclid(2), ..Bounds::ANY },
        })
    }

    /// Whether the indices of an access lie inside its buffer.
    fn confirms(&mut self, inst: &Inst) -> bool {
        let Some(buf) = inst.buf else { return false };
        // Where a value has no bounds left, the code never runs.
        if self.learnt.values().any(|b| b.low > b.high) {
            return true;
        }
        let rank = usize::from(self.kernel.bufs[buf].rank);
        (0..rank).all(|axis| {
            let Some(&index) = inst.args.get(axis) else { return false };
            let size = self.sizes.get(&buf).and_then(|s| s.get(axis).copied());
            let within = size.is_some_and(|n| self.bounds(index).within(0, n - 1) || self.sum_within(index, n - 1));
            within || self.is_below_size(index, buf, axis)
        })
    }

    /// Whether an index that is not negative has been found to be less than the size itself.
    fn is_below_size(&mut self, index: Value, buf: Buf, axis: usize) -> bool {
        let is_size = |n: &Value| {
            self.made.get(n).is_some_and(|i| i.op == Op::Dim && i.buf == Some(buf) && i.imm as usize == axis)
        };
        let less = self.less.iter().any(|(i, n, by)| *i == index && *by > 0 && is_size(n));
        less && self.bounds(index).is_natural()
    }
}

/// The sizes of buffers along their axes.
fn sizes(kernel: &Kernel, known: &Known) -> Map<Buf, Vec<i64>> {
    let mut sizes = Map::default();
    for (n, param) in kernel.params.iter().enumerate() {
        if let (Param::Buffer(b), Some(Some(dims))) = (param, known.dims.get(n)) {
            let dims = dims.iter().map(|&d| i64::from(d));
            let one = kernel.bufs[*b].rank == 1;
            sizes.insert(*b, if one { vec![dims.fold(1, i64::saturating_mul)] } else { dims.collect() });
        }
    }
    for (b, info) in kernel.bufs.iter().filter(|(_, info)| info.space == Space::Shared) {
        let one = info.rank == 1;
        let elements = i64::try_from(info.elements()).unwrap_or(i64::MAX);
        sizes.insert(b, if one { vec![elements] } else { info.dims.iter().map(|&d| i64::from(d)).collect() });
    }
    sizes
}
