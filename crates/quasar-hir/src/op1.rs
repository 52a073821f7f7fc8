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
