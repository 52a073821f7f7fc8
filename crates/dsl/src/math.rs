//! Arithmetic beyond the operators, conversions and selection.

use crate::record;
use crate::value::{Float, Int, Mask, Number, Value, apply, float};
use quadra_kir::Op;
use std::panic::Location;

/// The smaller of two numbers.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn at_most_one(x: Ptr<Float>) {
///     *x = min(*x, 1.0);
/// }
/// # at_most_one().record().unwrap();
/// ```
#[track_caller]
pub fn min<T: Number>(a: T, b: impl Into<T>) -> T {
    apply(T::MIN, &[a.raw(), b.into().raw()])
}

/// The larger of two numbers.
#[track_caller]
pub fn max<T: Number>(a: T, b: impl Into<T>) -> T {
    apply(T::MAX, &[a.raw(), b.into().raw()])
}

/// The absolute value.
#[track_caller]
pub fn abs<T: Number + std::ops::Neg>(a: T) -> T {
    apply(Op::Abs, &[a.raw()])
}

/// `a` where the mask holds, else `b`. Both are evaluated.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn sign(x: Ptr<Int>) {
///     *x = select(*x < 0, int(-1), int(1));
/// }
/// # sign().record().unwrap();
/// ```
#[track_caller]
pub fn select<T: Value>(mask: Mask, a: T, b: impl Into<T>) -> T {
    apply(Op::Select, &[mask.raw, a.raw(), b.into().raw()])
}

/// Lets devices bracket the sums of this kernel's floats in another way than it is written, and round a product and a sum at
/// once: results differ in their last places. The device `cpu` then adds up what neighbouring windows share only once.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn three(a: Ptr<Float>, out: Ptr<Float>) {
///     relaxed();
///     let at = |d: i32| a.at(item() + d).load_lanes();
///     out.at(item()).scatter(at(0) + at(1) + at(2));
/// }
/// assert!(three().record().unwrap().relaxed);
/// ```
#[track_caller]
pub fn relaxed() {
    record::with(Location::caller(), |r| r.b.kernel().relaxed = true);
}

/// The product of the low 24 bits of both, taken as unsigned; the low 32 bits of it. One instruction of the QPU, where a
/// full 32-bit `*` takes several.
#[track_caller]
pub fn mul24(a: Int, b: impl Into<Int>) -> Int {
    apply(Op::Mul24, &[a.raw, b.into().raw])
}

macro_rules! float_functions {
    ($($(#[$doc:meta])* $name:ident $op:expr;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(x: Float) -> Float {
            apply($op, &[x.raw])
        }
    )*
    impl Float {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Float {
            apply($op, &[self.raw])
        }
    )*}};
}

float_functions! {
    /// `1 / x`, refined.
    recip Op::Recip;
    /// `1 / sqrt(x)`, refined.
    rsqrt Op::Rsqrt;
    /// The square root, 0 for negatives.
    sqrt Op::Sqrt;
    /// 2 to the `x`.
    exp2 Op::Exp2;
    /// The logarithm to base 2.
    log2 Op::Log2;
    /// e to the `x`.
    exp Op::Exp;
    /// The natural logarithm.
    ln Op::Log;
    /// The sine of an angle in radians.
    sin Op::Sin;
    /// The cosine of an angle in radians.
    cos Op::Cos;
    /// The hyperbolic tangent.
    tanh Op::Tanh;
    /// The largest whole number not above `x`.
    floor Op::Floor;
    /// The smallest whole number not below `x`.
    ceil Op::Ceil;
    /// `x` without its fraction.
    trunc Op::Trunc;
    /// The nearest whole number, halves away from zero.
    round Op::Round;
    /// About `1 / x`: the raw result of the special function unit.
    recip_approx Op::RecipApprox;
    /// About `1 / sqrt(|x|)`: the raw result of the special function unit.
    rsqrt_approx Op::RsqrtApprox;
    /// About 2 to the `x`: the raw result of the special function unit.
    exp2_approx Op::Exp2Approx;
    /// About the logarithm to base 2 of `|x|`: the raw result of the special function unit.
    log2_approx Op::Log2Approx;
}

/// The sine of an angle in turns: `sin_turns(1.0)` is a full circle.
#[track_caller]
pub fn sin_turns(x: Float) -> Float {
    sin(x * std::f32::consts::TAU)
}

/// The cosine of an angle in turns: `cos_turns(1.0)` is a full circle.
#[track_caller]
pub fn cos_turns(x: Float) -> Float {
    cos(x * std::f32::consts::TAU)
}

/// `x` to the `y`.
#[track_caller]
pub fn pow(x: Float, y: impl Into<Float>) -> Float {
    apply(Op::Pow, &[x.raw, y.into().raw])
}

macro_rules! number_methods {
    ($ty:ident) => {
        impl $ty {
            /// The smaller of the two.
            #[track_caller]
            pub fn min(self, other: impl Into<$ty>) -> $ty {
                min(self, other)
            }
            /// The larger of the two.
            #[track_caller]
            pub fn max(self, other: impl Into<$ty>) -> $ty {
                max(self, other)
            }
            /// The absolute value.
            #[track_caller]
            pub fn abs(self) -> $ty {
                abs(self)
            }
        }
    };
}
number_methods!(Int);
number_methods!(Float);

impl Int {
    /// Shifted right by `n` modulo 32 bits, zeros from the left.
    #[track_caller]
    pub fn shr_logical(self, n: impl Into<Int>) -> Int {
        apply(Op::Shr, &[self.raw, n.into().raw])
    }
    /// Rotated right by `n` modulo 32 bits.
    #[track_caller]
    pub fn ror(self, n: impl Into<Int>) -> Int {
        apply(Op::Ror, &[self.raw, n.into().raw])
    }
    /// Leading zero bits; 32 for zero.
    #[track_caller]
    pub fn clz(self) -> Int {
        apply(Op::Clz, &[self.raw])
    }
    /// How many bits are 1.
    #[track_caller]
    pub fn count_ones(self) -> Int {
        apply(Op::Popcount, &[self.raw])
    }
    /// The position of the highest bit that is set; -1 for zero.
    #[track_caller]
    pub fn topmost_bit(self) -> Int {
        31 - self.clz()
    }
    /// As [`mul24`].
    #[track_caller]
    pub fn mul24(self, other: impl Into<Int>) -> Int {
        mul24(self, other)
    }
    /// The nearest float.
    #[track_caller]
    pub fn to_float(self) -> Float {
        apply(Op::ToF32, &[self.raw])
    }
    /// The float with the same bits.
    #[track_caller]
    pub fn as_float(self) -> Float {
        apply(Op::BitsF32, &[self.raw])
    }
}

impl Float {
    /// Without its fraction; 0 for what does not fit.
    #[track_caller]
    pub fn to_int(self) -> Int {
        apply(Op::ToI32, &[self.raw])
    }
    /// The integer with the same bits.
    #[track_caller]
    pub fn as_int(self) -> Int {
        apply(Op::BitsI32, &[self.raw])
    }
    /// `self` to the `y`.
    #[track_caller]
    pub fn pow(self, y: impl Into<Float>) -> Float {
        pow(self, y)
    }
}

impl Mask {
    /// 1 where it holds, else 0.
    #[track_caller]
    pub fn to_int(self) -> Int {
        apply(Op::ToI32, &[self.raw])
    }
    /// 1.0 where it holds, else 0.0.
    #[track_caller]
    pub fn to_float(self) -> Float {
        apply(Op::ToF32, &[self.raw])
    }
    /// As [`select`].
    #[track_caller]
    pub fn select<T: Value>(self, a: T, b: impl Into<T>) -> T {
        select(self, a, b)
    }
}

/// See [`Int::shr_logical`].
#[track_caller]
pub fn shr(x: Int, n: impl Into<Int>) -> Int {
    x.shr_logical(n)
}

/// See [`Int::ror`].
#[track_caller]
pub fn ror(x: Int, n: impl Into<Int>) -> Int {
    x.ror(n)
}

/// See [`Int::clz`].
#[track_caller]
pub fn clz(x: Int) -> Int {
    x.clz()
}

/// See [`Int::topmost_bit`].
#[track_caller]
pub fn topmost_bit(x: Int) -> Int {
    x.topmost_bit()
}

/// See [`Int::to_float`].
#[track_caller]
pub fn to_float(x: Int) -> Float {
    x.to_float()
}

/// See [`Float::to_int`].
#[track_caller]
pub fn to_int(x: Float) -> Int {
    x.to_int()
}

/// A complex number: a pair of floats.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn square(re: Ptr<Float>, im: Ptr<Float>) {
///     let z = Complex::new(*re, *im);
///     let w = z * z;
///     *re = w.re;
///     *im = w.im;
/// }
/// # square().record().unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Complex {
    pub re: Float,
    pub im: Float,
}

impl crate::state::KernelState for Complex {
    fn visit(&mut self, visitor: &mut crate::state::Visitor<'_>) {
        self.re.visit(visitor);
        self.im.visit(visitor);
    }
    fn view(&self, visitor: &mut crate::state::Visitor<'_>) {
        self.re.view(visitor);
        self.im.view(visitor);
    }
}

impl Complex {
    /// `re + im·i`.
    pub fn new(re: Float, im: Float) -> Complex {
        Complex { re, im }
    }
    /// The square of the magnitude.
    #[track_caller]
    pub fn mag_square(self) -> Float {
        self.re * self.re + self.im * self.im
    }
    /// The number with the imaginary part negated.
    #[track_caller]
    pub fn conj(self) -> Complex {
        Complex { re: self.re, im: float(0.0) - self.im }
    }
}

impl std::ops::Add for Complex {
    type Output = Complex;
    #[track_caller]
    fn add(self, z: Complex) -> Complex {
        Complex { re: self.re + z.re, im: self.im + z.im }
    }
}

impl std::ops::Sub for Complex {
    type Output = Complex;
    #[track_caller]
    fn sub(self, z: Complex) -> Complex {
        Complex { re: self.re - z.re, im: self.im - z.im }
    }
}

impl std::ops::Mul for Complex {
    type Output = Complex;
    #[track_caller]
    fn mul(self, z: Complex) -> Complex {
        Complex { re: self.re * z.re - self.im * z.im, im: self.re * z.im + self.im * z.re }
    }
}

impl std::ops::Mul<Float> for Complex {
    type Output = Complex;
    #[track_caller]
    fn mul(self, x: Float) -> Complex {
        Complex { re: self.re * x, im: self.im * x }
    }
}

impl std::ops::MulAssign for Complex {
    #[track_caller]
    fn mul_assign(&mut self, z: Complex) {
        *self = *self * z;
    }
}
