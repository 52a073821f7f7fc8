//! Elementary functions, each defined once, by operations that every target rounds alike.
//!
//! A definition is a function of [`Real`]: a number of the host, for the interpreters, or a value of code that a back end writes.
//! It adds, multiplies, divides, takes roots, compares, selects and looks at bits; nothing is fused but what says so, nothing
//! branches but for [`Real::far`]. So the results are the same to the bit wherever these operations are IEEE 754's, rounded to
//! nearest, whatever the width of vectors. What the definitions are made of stands in [`Format`].
//!
//! Errors in units in the last place stay below these: of `f32` over numbers of all exponents (`cargo test --release -p quadra-kir
//! --test elementary` measures them, and with `STRIDE=1` over all numbers), of `f64` over samples. `exp` and `exp2` of `f32` are those
//! of [`exponential`](super::exponential).
//!
//! | function | `f32` | `f64` |
//! |---|---|---|
//! | `exp` | 2.1 | 0.8 |
//! | `exp2` | 1 | 1.1 |
//! | `log` | 1.0 | 0.8 |
//! | `log2` | 1.2 | 1.0 |
//! | `pow` | 1.9 | the crate `libm`; 1.9 |
//! | `sin` | 1.5 | 1.3 |
//! | `cos` | 1.5 | 1.2 |
//! | `tan` | 1.4 | 1.2 |
//! | `asin` | 1.3 | 1.1 |
//! | `acos` | 1.3 | 1.1 |
//! | `atan` | 1.4 | 1.7 |
//! | `atan2` | 1.7 | 1.2 |
//! | `sinh` | 1.7 | 1.5 |
//! | `cosh` | 1.5 | 1.2 |
//! | `tanh` | 1.8 | 1.4 |
//! | `round`, `rem` | exact | the crate `libm` |
//! | `mod` | 0.5 | the crate `libm` |

mod format;
mod host;
mod hyperbolic;
mod logarithm;
mod near;
mod trigonometric;
mod whole;

pub use super::real::floor_rem;
pub use format::{DOUBLE, Format, SINGLE};
pub use hyperbolic::{cosh, exp, exp2, sinh, tanh};
pub use logarithm::{log, log2, pow, pow_of_double};
pub use near::Near;
pub use trigonometric::{acos, asin, atan, atan2, cos, sin, tan};
pub use whole::{floor_remainder, remainder, round};

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// A floating-point number, of `f32` or `f64`.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// The number's bits as an integer that wraps.
    type Word: Word<Real = Self, Truth = Self::Truth>;
    type Truth: Truth;
    /// `f64`.
    type Wide: Real<Truth = Self::Truth>;

    /// What definitions need to know of the number's type.
    fn format(self) -> &'static Format;
    /// A constant of the same type.
    fn lit(self, value: f64) -> Self;
    /// The square root of what is not below zero; anything of a negative number.
    fn root(self) -> Self;
    /// `self` · `factor` + `term`; of `f32` rounded once, which processors without such an operation compute from `f64`, of `f64`
    /// rounded twice.
    fn fused(self, factor: Self, term: Self) -> Self;
    /// Without its fraction.
    fn trunc(self) -> Self;
    /// The largest whole number that is not above it.
    #[inline(always)]
    fn floor(self) -> Self {
        let whole = self.trunc();
        Self::pick(self.less(whole), whole - self.lit(1.0), whole)
    }
    /// Whether it is below `other`; no if either is no number.
    fn less(self, other: Self) -> Self::Truth;
    /// Whether it equals `other`; no if either is no number.
    fn same(self, other: Self) -> Self::Truth;
    /// `yes` where `truth` holds, else `no`.
    fn pick(truth: Self::Truth, yes: Self, no: Self) -> Self;
    fn word(self) -> Self::Word;
    /// The same number as `f64`.
    fn wide(self) -> Self::Wide;
    /// The `f64`, rounded to this one's type.
    fn narrow(self, wide: Self::Wide) -> Self;
    /// `near`, but where `far` holds, which is rare, the host's own function of `self` and `other`.
    fn far(self, other: Self, far: Self::Truth, function: fn(f64, f64) -> f64, near: Self) -> Self;

    #[inline(always)]
    fn abs(self) -> Self {
        let word = self.word();
        (word & word.lit(self.format().most_bits)).real()
    }

    /// `self`, which is not negative, with the sign of `other`.
    #[inline(always)]
    fn signed(self, other: Self) -> Self {
        let word = other.word();
        (self.word() | (word & word.lit(!self.format().most_bits))).real()
    }

    /// `self` without the second half of its bits: products of such numbers are exact.
    #[inline(always)]
    fn half(self) -> Self {
        let word = self.word();
        (word & word.lit(-1).left(self.format().fraction / 2 + 1)).real()
    }

    /// c0 + x·(c1 + x·(c2 + …)).
    #[inline(always)]
    fn polynomial(self, factors: &[f64]) -> Self {
        let (last, rest) = factors.split_last().expect("a polynomial has factors");
        rest.iter().rev().fold(self.lit(*last), |sum, &c| sum.fused(self, self.lit(c)))
    }
}

/// The bits of a [`Real`]. Sums wrap.
pub trait Word:
    Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    type Real;
    type Truth;

    /// A constant of the same type.
    fn lit(self, value: i64) -> Self;
    fn left(self, places: u32) -> Self;
    /// Zeros come from the left.
    fn right(self, places: u32) -> Self;
    fn is_zero(self) -> Self::Truth;
    /// Whether the sign is set.
    fn is_negative(self) -> Self::Truth;
    fn real(self) -> Self::Real;
}

/// The answer of a comparison.
pub trait Truth: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    fn not(self) -> Self;
}

/// A whole number, small and as bits, as a float: 1.5 times a power of two has room for it in its last bits.
#[inline(always)]
fn number<R: Real>(x: R, word: R::Word) -> R {
    let magic = x.lit(x.format().magic);
    (word + magic.word()).real() - magic
}

/// The whole number next to `x`, which is small, as a float, and with its lowest bits in a word of many others.
#[inline(always)]
fn nearest<R: Real>(x: R) -> (R, R::Word) {
    let magic = x.lit(x.format().magic);
    let sum = x + magic;
    (sum - magic, sum.word())
}

/// 2 to the `n`, which is within the exponents of normal numbers.
#[inline(always)]
fn power_of_two<R: Real>(x: R, n: R::Word) -> R {
    let f = x.format();
    (n + n.lit(f.bias)).left(f.fraction).real()
}
