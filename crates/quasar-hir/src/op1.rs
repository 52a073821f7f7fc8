//! Element-wise functions of one operand: which there are, and what kinds of numbers they give.

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op1 {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Log2,
    Log10,
    Sqrt,
    Abs,
    Sign,
    Floor,
    Ceil,
    Round,
    Fix,
    Frac,
    Saturate,
    IsNan,
    IsInf,
    Real,
    Imag,
    Conj,
    Angle,
    Neg,
    Not,
    BitNot,
}

impl Op1 {
    /// The function in messages.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Integers stay integers.
    pub fn keeps_int(self) -> bool {
        matches!(
            self,
            Op1::Abs
                | Op1::Sign
                | Op1::Floor
                | Op1::Ceil
                | Op1::Round
                | Op1::Fix
                | Op1::Frac
                | Op1::Real
                | Op1::Conj
                | Op1::Neg
                | Op1::BitNot
        )
    }

    /// The result says whether something holds.
    pub fn is_test(self) -> bool {
        matches!(self, Op1::Not | Op1::IsNan | Op1::IsInf)
    }

    /// Integers give scalars, and nothing else changes its type.
    pub fn is_elementary(self) -> bool {
        matches!(
            self,
            Op1::Sin
                | Op1::Cos
                | Op1::Tan
                | Op1::Asin
                | Op1::Acos
                | Op1::Atan
                | Op1::Sinh
                | Op1::Cosh
                | Op1::Tanh
                | Op1::Exp
                | Op1::Log
                | Op1::Log2
                | Op1::Log10
                | Op1::Sqrt
        )
    }

    pub fn gives_real(self) -> bool {
        matches!(self, Op1::Abs | Op1::Real | Op1::Imag | Op1::Angle)
    }
}

/// The arithmetic in which [`log10`] is computed: that of the host's numbers, or of values in a kernel.
pub trait Arithmetic {
    type Value: Copy;
    fn constant(&mut self, value: f64) -> Self::Value;
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn abs(&mut self, a: Self::Value) -> Self::Value;
    fn round(&mut self, a: Self::Value) -> Self::Value;
    /// `yes` where `a <= b`, and `no` elsewhere.
    fn if_le(&mut self, a: Self::Value, b: Self::Value, yes: Self::Value, no: Self::Value) -> Self::Value;
}

/// The logarithm to base 10 from the one to base 2, in numbers of which the one after 1 is `epsilon` away. Roundings leave a power of ten within one step of its whole result, so
/// that within a step of a whole number the result is that number.
#[inline(always)]
pub fn log10<A: Arithmetic>(of: &mut A, log2: A::Value, epsilon: f64) -> A::Value {
    let factor = of.constant(std::f64::consts::LOG10_2);
    let product = of.mul(log2, factor);
    let whole = of.round(product);
    let off = of.sub(product, whole);
    let (off, size) = (of.abs(off), of.abs(whole));
    let step = of.constant(epsilon);
    let step = of.mul(size, step);
    of.if_le(off, step, whole, product)
}
