//! By which operations short values come of others, and what they ask of their operands.

use super::short::{Short, Way, bits_of};
use super::short_find::{Search, WHOLE};
use super::state::Lower;
use quadra_kir::{Elem, Inst, Op, Value};

/// Operands and how many of their bits are asked for.
type Demands = Vec<(Value, u32)>;

/// Whether there is a short form of an operation.
pub(super) fn is_known(op: Op) -> bool {
    use Op::*;
    is_comparison(op)
        || matches!(
            op,
            Add | Sub
                | Mul
                | Neg
                | And
                | Or
                | Xor
                | Not
                | AndNot
                | Shl
                | Shr
                | Asr
                | Min
                | Max
                | Abs
                | Select
                | ToI32
                | Div
                | Mod
                | Rem
        )
}

/// The least and the greatest number in lanes of so many bits.
pub(super) fn ends(bits: u32, signed: bool) -> (i64, i64) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// Of signed numbers.
pub(super) fn is_comparison(op: Op) -> bool {
    use Op::*;
    matches!(op, CmpEq | CmpNe | CmpLt | CmpLe | CmpGt | CmpGe)
}

impl Lower<'_> {
    /// How an instruction makes a short value of which so many bits are asked for.
    pub(super) fn way(&self, inst: &Inst, asked: u32, search: &Search<'_>) -> Option<(Short, Demands)> {
        let plain = |bits| Short { bits, way: Way::Plain };
        if matches!(inst.op, Op::Load | Op::LoadRow) {
            return Some((plain(inst.buf.and_then(|b| bits_of(self.kernel.bufs[b].elem))?), Vec::new()));
        }
        if let Some((short, args)) = self.saturated(inst, search).or_else(|| self.mean(inst, search)) {
            return Some((short, args.map(|a| (a, WHOLE)).to_vec()));
        }
        if !inst.args.iter().all(|&a| self.is_shared(a) || search.may.contains_key(&a)) {
            return None;
        }
        let (bits, demands) = self.plain_way(inst, asked)?;
        Some((plain(bits), demands.into_iter().filter(|d| search.may.contains_key(&d.0)).collect()))
    }

    /// The lanes' bits and what is asked of the operands.
    fn plain_way(&self, inst: &Inst, asked: u32) -> Option<(u32, Demands)> {
        use Op::*;
        let (v, args) = (inst.result(), &inst.args);
        let all = |bits: u32| args.iter().map(|&a| (a, bits)).collect::<Demands>();
        if self.kernel.ty(v).elem == Elem::Bool {
            return self.is_condition(inst).then(|| (1, all(WHOLE)));
        }
        // Lanes that hold what is asked for, and how much of it they hold.
        let own = |least: u32| {
            let found = [8, 16].into_iter().find(|&n| n >= least && (asked <= n || self.fits_either(v, n)));
            found.map(|n| (n, asked.min(n)))
        };
        let count = || {
            let count = args.get(1).and_then(|&c| self.kernel.as_i32(c)).and_then(|c| u32::try_from(c).ok());
            count.filter(|c| *c < WHOLE)
        };
        Some(match inst.op {
            Add | Sub | Neg | Or | Xor | Not | AndNot => own(8).map(|(n, bits)| (n, all(bits)))?,
            And => {
                let (n, bits) = own(8)?;
                let kept = |other: Value| match self.kernel.as_i32(other) {
                    Some(c) if c >= 0 => bits.min(32 - c.leading_zeros()),
                    _ => bits,
                };
                (n, vec![(args[0], kept(args[1])), (args[1], kept(args[0]))])
            }
            Mul => own(16).map(|(n, bits)| (n, all(bits)))?,
            Shl => {
                let (n, bits) = own(8)?;
                let by = count().filter(|by| *by < n)?;
                (n, vec![(args[0], bits.saturating_sub(by))])
            }
            Shr | Asr => self.shifted(inst, asked, count()?)?,
            Min | Max => (self.common(args)?.0, all(WHOLE)),
            Abs => {
                let n = [8, 16].into_iter().find(|&n| self.fits(args[0], n, true))?;
                (n, all(WHOLE))
            }
            Select if self.kernel.ty(args[0]).elem == Elem::Bool => {
                let (n, bits) = own(8)?;
                (n, vec![(args[0], WHOLE), (args[1], bits), (args[2], bits)])
            }
            ToI32 if self.kernel.ty(args[0]).elem == Elem::Bool => (8, all(WHOLE)),
            // By a number that is known and not 0, of numbers that are not negative: multiplications and shifts.
            Div | Mod | Rem => {
                let divides = self.kernel.as_i32(args[1]).is_some_and(|c| (1..1 << 16).contains(&c));
                (16, Some(all(WHOLE)).filter(|_| divides && self.fits(args[0], 16, false))?)
            }
            _ => return None,
        })
    }

    /// Whether an instruction makes a condition of conditions, or compares short numbers.
    fn is_condition(&self, inst: &Inst) -> bool {
        use Op::*;
        let conditions = inst.args.iter().all(|&a| self.kernel.ty(a).elem == Elem::Bool);
        let known = conditions && matches!(inst.op, And | Or | Xor | Not | AndNot);
        known || is_comparison(inst.op) && self.comparison(inst).is_some()
    }

    /// A shift to the right: what comes from beyond the lanes is either not asked for, or follows from the number that fits them.
    fn shifted(&self, inst: &Inst, asked: u32, by: u32) -> Option<(u32, Demands)> {
        let (from, bits) = (inst.args[0], asked.max(1) + by);
        if bits <= 16 {
            return Some((if bits <= 8 { 8 } else { 16 }, vec![(from, bits)]));
        }
        let n = [8, 16].into_iter().find(|&n| match inst.op {
            Op::Asr => self.fits_either(from, n),
            _ => self.fits(from, n, false),
        })?;
        (by < n).then(|| (n, vec![(from, WHOLE)]))
    }

    fn fits_either(&self, v: Value, bits: u32) -> bool {
        self.fits(v, bits, false) || self.fits(v, bits, true)
    }

    /// The fewest bits that hold all of these values, and whether with a sign.
    pub(super) fn common(&self, values: &[Value]) -> Option<(u32, bool)> {
        let all = |bits: u32, signed: bool| values.iter().all(|&v| self.fits(v, bits, signed));
        [(8, false), (8, true), (16, false), (16, true)].into_iter().find(|&(bits, signed)| all(bits, signed))
    }

    /// The lanes in which a comparison is made, and whether with a sign; a number that all lanes share counts no further than just
    /// beyond the bounds of what it is compared with.
    pub(super) fn comparison(&self, inst: &Inst) -> Option<(u32, bool)> {
        let all = |bits: u32, signed: bool| {
            inst.args.iter().enumerate().all(|(n, &v)| {
                let (low, high) = self.limits_beside(inst.args[1 - n]);
                let (least, most) = ends(bits, signed);
                let near = !self.kernel.ty(v).lanes && low >= least && high <= most;
                self.fits(v, bits, signed) || near && self.kernel.ty(v).elem == Elem::I32
            })
        };
        [(8, false), (8, true), (16, false), (16, true)].into_iter().find(|&(bits, signed)| all(bits, signed))
    }

    /// The numbers just beyond what a value can be.
    pub(super) fn limits_beside(&self, v: Value) -> (i64, i64) {
        let bounds = self.range.bounds(self.kernel, v);
        (bounds.low - 1, bounds.high + 1)
    }

    /// A limit that a minimum or maximum sets to another value.
    fn limit(&self, inst: &Inst, op: Op) -> Option<(Value, i64)> {
        let (a, b) = (*inst.args.first()?, *inst.args.get(1)?);
        let whole = |v: Value| self.kernel.as_i32(v).map(i64::from);
        whole(b).map(|c| (a, c)).or_else(|| whole(a).map(|c| (b, c))).filter(|_| inst.op == op)
    }

    /// A sum or difference that is limited to what its operands' lanes hold.
    fn saturated(&self, inst: &Inst, search: &Search<'_>) -> Option<(Short, [Value; 2])> {
        let made = |v: Value| search.made_by.get(&v).copied();
        for bits in [8, 16] {
            let (most, (low, high)) = (ends(bits, false).1, ends(bits, true));
            // Below 0 there is nothing of a sum of numbers without sign, nor above the limit of a difference.
            let unsigned = [(Op::Min, most, Op::Add), (Op::Max, 0, Op::Sub)].into_iter().find_map(|(op, limit, of)| {
                let (v, _) = self.limit(inst, op).filter(|l| l.1 == limit)?;
                Some((made(v)?, of, false))
            });
            let signed = [((Op::Min, high), (Op::Max, low)), ((Op::Max, low), (Op::Min, high))].into_iter().find_map(
                |((outer, first), (inner, second))| {
                    let (v, _) = self.limit(inst, outer).filter(|l| l.1 == first)?;
                    let (v, _) = self.limit(made(v)?, inner).filter(|l| l.1 == second)?;
                    let sum = made(v)?;
                    Some((sum, sum.op, true))
                },
            );
            for (sum, of, signed) in [unsigned, signed].into_iter().flatten() {
                let known = sum.op == of && matches!(of, Op::Add | Op::Sub);
                if known && sum.args.iter().all(|&a| self.is_exact(a, bits, signed, search)) {
                    let args = [sum.args[0], sum.args[1]];
                    return Some((Short { bits, way: Way::Saturated { op: of, args, signed } }, args));
                }
            }
        }
        None
    }

    /// Half of a sum that needs one bit more than its operands.
    fn mean(&self, inst: &Inst, search: &Search<'_>) -> Option<(Short, [Value; 2])> {
        let halves = inst.op == Op::Asr && self.kernel.as_i32(inst.args[1]) == Some(1);
        let sum = search.made_by.get(&inst.args[0]).copied().filter(|s| halves && s.op == Op::Add)?;
        let args = [sum.args[0], sum.args[1]];
        [(8, false), (8, true), (16, false), (16, true)].into_iter().find_map(|(bits, signed)| {
            let exact = args.iter().all(|&a| self.is_exact(a, bits, signed, search));
            exact.then_some((Short { bits, way: Way::Mean { args, signed } }, args))
        })
    }

    fn is_exact(&self, v: Value, bits: u32, signed: bool, search: &Search<'_>) -> bool {
        (self.is_shared(v) || search.may.contains_key(&v)) && self.fits(v, bits, signed)
    }
}
