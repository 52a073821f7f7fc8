//! Between which bounds integers lie: the one interval arithmetic of the project.
//!
//! Bounds are whole numbers in 64 bits, and what does not fit there saturates; what does not fit the width of an operation
//! may have wrapped, so nothing is known of it. The tests compare every rule with exhaustive arithmetic on few bits.

use crate::ops::Op;

/// The bounds of a value, both included. Those of an empty set (`low > high`) come up only where code never runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    pub low: i64,
    pub high: i64,
}

impl Bounds {
    /// Any `i32`.
    pub const ANY: Bounds = Bounds { low: i32::MIN as i64, high: i32::MAX as i64 };
    /// Any `i32` that is not negative.
    pub const NATURAL: Bounds = Bounds { low: 0, high: i32::MAX as i64 };

    /// From `low` to `high`.
    pub const fn new(low: i64, high: i64) -> Bounds {
        Bounds { low, high }
    }

    /// One number.
    pub const fn exactly(v: i64) -> Bounds {
        Bounds { low: v, high: v }
    }

    /// All signed integers of so many bits, at most 64.
    pub fn signed(bits: u32) -> Bounds {
        Bounds { low: i64::MIN >> (64 - bits), high: i64::MAX >> (64 - bits) }
    }

    /// The number, if there is only one.
    pub fn single(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether all values lie from `low` to `high`.
    pub fn within(self, low: i64, high: i64) -> bool {
        self.low >= low && self.high <= high
    }

    /// These bounds, if all values fit so many bits.
    pub fn fitting(self, bits: u32) -> Option<Bounds> {
        let all = Bounds::signed(bits);
        self.within(all.low, all.high).then_some(self)
    }

    /// Whether no value is negative.
    pub fn is_natural(self) -> bool {
        self.low >= 0
    }

    /// What lies in either.
    pub fn join(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What lies in both.
    pub fn meet(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Sums of whole numbers.
    pub fn plus(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }

    /// Differences of whole numbers.
    pub fn minus(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.saturating_sub(other.high), high: self.high.saturating_sub(other.low) }
    }

    /// Products of whole numbers.
    pub fn times(self, other: Bounds) -> Bounds {
        let all = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)]
            .map(|(x, y)| x.saturating_mul(y));
        all.iter().fold(Bounds { low: i64::MAX, high: i64::MIN }, |b, &x| b.join(Bounds::exactly(x)))
    }

    /// The bounds of an operation on integers of so many bits (8, 16, 32 or 64): nothing if its result may have wrapped, or no
    /// rule says more than that it is such an integer. Operations of one operand do not look at `b`.
    pub fn of(op: Op, bits: u32, a: Bounds, b: Bounds) -> Option<Bounds> {
        // Nothing follows from an empty set, which comes up where code never runs.
        if a.low > a.high || b.low > b.high {
            return None;
        }
        let zero = Bounds::exactly(0);
        // Shifts count modulo the width.
        let count = b.single().map(|k| (k & i64::from(bits - 1)) as u32);
        let found = match op {
            Op::Add => a.plus(b),
            Op::Sub => a.minus(b),
            Op::Mul => a.times(b),
            Op::Mul24 if bits == 32 && a.within(0, 0xff_ffff) && b.within(0, 0xff_ffff) => a.times(b),
            Op::Neg => zero.minus(a),
            Op::Abs if a.is_natural() => a,
            Op::Abs => Bounds { low: 0, high: a.high.max(a.low.saturating_neg()) },
            Op::Not => Bounds { low: -1 - a.high, high: -1 - a.low },
            Op::Min => Bounds { low: a.low.min(b.low), high: a.high.min(b.high) },
            Op::Max => Bounds { low: a.low.max(b.low), high: a.high.max(b.high) },
            Op::MaxU if a.is_natural() && b.is_natural() => Bounds { low: a.low.max(b.low), high: a.high.max(b.high) },
            // A bit that is not set in one of them is not set in both.
            Op::MinU | Op::And if a.is_natural() && b.is_natural() => Bounds { low: 0, high: a.high.min(b.high) },
            Op::MinU | Op::And if a.is_natural() => Bounds { low: 0, high: a.high },
            Op::MinU | Op::And if b.is_natural() => Bounds { low: 0, high: b.high },
            Op::AndNot if a.is_natural() => Bounds { low: 0, high: a.high },
            Op::Or | Op::Xor if a.is_natural() && b.is_natural() => {
                let ones = 64 - a.high.max(b.high).leading_zeros();
                Bounds { low: 0, high: if ones == 0 { 0 } else { i64::MAX >> (63 - ones) } }
            }
            Op::Shl => a.times(Bounds::exactly(1i64.checked_shl(count?).filter(|p| *p > 0)?)),
            Op::Shr if a.is_natural() || count == Some(0) => shifted_down(a, count),
            Op::Shr if bits < 64 => Bounds { low: 0, high: (1 << (bits - count?)) - 1 },
            Op::Asr => shifted_down(a, count),
            Op::Div if b.low > 0 && a.is_natural() => Bounds { low: a.low / b.high, high: a.high / b.low },
            Op::Div if b.low > 0 => Bounds { low: a.low.min(0) / b.low, high: a.high.max(0) / b.low },
            Op::Mod if b.low > 0 && a.is_natural() => Bounds { low: 0, high: a.high.min(b.high - 1) },
            Op::Mod if b.low > 0 => Bounds { low: 0, high: b.high - 1 },
            Op::Rem if b.single().is_some_and(|k| k != 0 && k != i64::MIN) => {
                let most = b.low.abs() - 1;
                Bounds {
                    low: if a.is_natural() { 0 } else { (-most).max(a.low) },
                    high: if a.high <= 0 { 0 } else { most.min(a.high) },
                }
            }
            Op::Clz | Op::Popcount => Bounds { low: 0, high: i64::from(bits) },
            _ => return None,
        };
        found.fitting(bits)
    }
}

/// Shifted down by so much, or by what is not known: towards 0, or -1.
fn shifted_down(a: Bounds, count: Option<u32>) -> Bounds {
    match count {
        Some(k) => Bounds { low: a.low >> k, high: a.high >> k },
        None => Bounds { low: a.low.min(0), high: a.high.max(if a.low < 0 { -1 } else { 0 }) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval;
    use crate::launch::Arithmetic;
    use crate::types::Elem;

    const OPS: [Op; 24] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Neg,
        Op::Abs,
        Op::Not,
        Op::Min,
        Op::Max,
        Op::MinU,
        Op::MaxU,
        Op::And,
        Op::AndNot,
        Op::Or,
        Op::Xor,
        Op::Shl,
        Op::Shr,
        Op::Asr,
        Op::Div,
        Op::Mod,
        Op::Rem,
        Op::Clz,
        Op::Popcount,
        Op::Mul24,
        Op::Ror,
    ];

    /// An operation on integers of few bits, written down once more.
    fn narrow(op: Op, bits: u32, x: i64, y: i64) -> i64 {
        let mask = (1i64 << bits) - 1;
        let (a, b) = (x & mask, y & mask);
        let count = b % i64::from(bits);
        let r = match op {
            Op::Add => x + y,
            Op::Sub => x - y,
            Op::Mul => x * y,
            Op::Neg => -x,
            Op::Abs => x.abs(),
            Op::Not => !x,
            Op::Min => x.min(y),
            Op::Max => x.max(y),
            Op::MinU => a.min(b),
            Op::MaxU => a.max(b),
            Op::And => x & y,
            Op::AndNot => x & !y,
            Op::Or => x | y,
            Op::Xor => x ^ y,
            Op::Shl => a << count,
            Op::Shr => a >> count,
            Op::Asr => x >> count,
            Op::Div if y == 0 => 0,
            Op::Div => x / y,
            Op::Mod | Op::Rem if y == 0 => 0,
            Op::Mod => x.rem_euclid(y.abs()) + if y < 0 && x.rem_euclid(y.abs()) != 0 { y } else { 0 },
            Op::Rem => x % y,
            Op::Clz => i64::from(a.leading_zeros()) - (64 - i64::from(bits)),
            Op::Popcount => i64::from(a.count_ones()),
            Op::Ror => (a >> count) | (a << (i64::from(bits) - count)),
            _ => 0,
        };
        // Back to so many bits, with the sign.
        (r << (64 - bits)) >> (64 - bits)
    }

    fn check(op: Op, bits: u32, a: Bounds, b: Bounds) {
        let Some(found) = Bounds::of(op, bits, a, b) else { return };
        for x in a.low..=a.high {
            for y in b.low..=b.high {
                let r = narrow(op, bits, x, y);
                assert!(
                    found.low <= r && r <= found.high,
                    "{op:?} on {bits} bits: {x} in {a:?}, {y} in {b:?}: {r} in {found:?}"
                );
            }
        }
    }

    /// All pairs of intervals of 4-bit integers.
    #[test]
    fn rules_hold_for_all_intervals_of_four_bits() {
        let all: Vec<Bounds> = (-8..8).flat_map(|l| (l..8).map(move |h| Bounds::new(l, h))).collect();
        for op in OPS.into_iter().filter(|o| !matches!(o, Op::Mul24)) {
            all.iter().for_each(|&a| all.iter().for_each(|&b| check(op, 4, a, b)));
        }
    }

    /// All pairs of 8-bit integers, in intervals that end at the places where rules change.
    #[test]
    fn rules_hold_for_eight_bits() {
        let ends = [-128, -127, -65, -2, -1, 0, 1, 3, 8, 64, 126, 127];
        let from = |l: i64| ends.into_iter().filter(move |h| *h >= l).map(move |h| Bounds::new(l, h));
        let all: Vec<Bounds> = ends.into_iter().flat_map(from).collect();
        for op in OPS.into_iter().filter(|o| !matches!(o, Op::Mul24)) {
            // For each interval on the left and each number on the right first, so that nothing is computed twice.
            for &a in &all {
                let reach: Vec<(i64, i64)> = (-128..128)
                    .map(|y| {
                        let results = (a.low..=a.high).map(|x| narrow(op, 8, x, y));
                        results.fold((i64::MAX, i64::MIN), |(l, h), r| (l.min(r), h.max(r)))
                    })
                    .collect();
                for &b in &all {
                    let Some(found) = Bounds::of(op, 8, a, b) else { continue };
                    for y in b.low..=b.high {
                        let (low, high) = reach[(y + 128) as usize];
                        assert!(found.low <= low && high <= found.high, "{op:?}: {a:?}, {y} in {b:?}: {found:?}");
                    }
                }
            }
        }
    }

    /// At 32 bits, the ends of intervals against what the kernel IR computes.
    #[test]
    fn rules_hold_for_extreme_words() {
        let ends: Vec<i64> =
            [i32::MIN, i32::MIN + 1, -65536, -1, 0, 1, 31, 32, 0xff_ffff, 1 << 30, i32::MAX - 1, i32::MAX]
                .map(i64::from)
                .to_vec();
        let all: Vec<Bounds> =
            ends.iter().flat_map(|&l| ends.iter().filter(move |h| **h >= l).map(move |&h| Bounds::new(l, h))).collect();
        for op in OPS {
            for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let Some(found) = Bounds::of(op, 32, a, b) else { continue };
                for (x, y) in [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)] {
                    let bits = [x as u32 as u64, y as u32 as u64];
                    let r = i64::from(eval::lane(op, Elem::I32, &bits, Arithmetic::Nearest) as u32 as i32);
                    assert!(found.low <= r && r <= found.high, "{op:?}: {x} in {a:?}, {y} in {b:?}: {r} in {found:?}");
                }
            }
        }
    }

    #[test]
    fn bounds_of_sixty_four_bits_saturate() {
        let all = Bounds::signed(64);
        assert_eq!(all, Bounds::new(i64::MIN, i64::MAX));
        assert_eq!(all.plus(all), all);
        assert_eq!(all.minus(all), all);
        assert_eq!(all.times(all), all);
        assert_eq!(Bounds::of(Op::Neg, 32, Bounds::ANY, Bounds::ANY), None, "the smallest integer has no opposite");
        assert_eq!(Bounds::of(Op::Add, 32, Bounds::NATURAL, Bounds::exactly(1)), None);
        assert_eq!(Bounds::of(Op::Div, 32, Bounds::NATURAL, Bounds::new(1, 0)), None, "an empty set");
    }
}
