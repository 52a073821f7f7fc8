//! Operators on kernel values, with Rust numbers on either side.

use crate::value::{Float, Int, Mask, UInt, apply};
use quadra_kir::Op;
use std::ops;

macro_rules! binary {
    ($ty:ident, $host:ty, $($trait:ident $method:ident $assign:ident $assign_method:ident $op:expr;)*) => {$(
        impl ops::$trait for $ty {
            type Output = $ty;
            #[track_caller]
            fn $method(self, other: $ty) -> $ty {
                apply($op, &[self.raw, other.raw])
            }
        }
        impl ops::$trait<$host> for $ty {
            type Output = $ty;
            #[track_caller]
            fn $method(self, other: $host) -> $ty {
                apply($op, &[self.raw, $ty::from(other).raw])
            }
        }
        impl ops::$trait<$ty> for $host {
            type Output = $ty;
            #[track_caller]
            fn $method(self, other: $ty) -> $ty {
                apply($op, &[$ty::from(self).raw, other.raw])
            }
        }
        impl ops::$assign for $ty {
            #[track_caller]
            fn $assign_method(&mut self, other: $ty) {
                *self = apply($op, &[self.raw, other.raw]);
            }
        }
        impl ops::$assign<$host> for $ty {
            #[track_caller]
            fn $assign_method(&mut self, other: $host) {
                *self = apply($op, &[self.raw, $ty::from(other).raw]);
            }
        }
    )*};
}

binary! { Int, i32,
    Add add AddAssign add_assign Op::Add;
    Sub sub SubAssign sub_assign Op::Sub;
    Mul mul MulAssign mul_assign Op::Mul;
    Div div DivAssign div_assign Op::Div;
    Rem rem RemAssign rem_assign Op::Rem;
    BitAnd bitand BitAndAssign bitand_assign Op::And;
    BitOr bitor BitOrAssign bitor_assign Op::Or;
    BitXor bitxor BitXorAssign bitxor_assign Op::Xor;
    Shl shl ShlAssign shl_assign Op::Shl;
    Shr shr ShrAssign shr_assign Op::Asr;
}

binary! { UInt, u32,
    Add add AddAssign add_assign Op::Add;
    Sub sub SubAssign sub_assign Op::Sub;
    Mul mul MulAssign mul_assign Op::Mul;
    BitAnd bitand BitAndAssign bitand_assign Op::And;
    BitOr bitor BitOrAssign bitor_assign Op::Or;
    BitXor bitxor BitXorAssign bitxor_assign Op::Xor;
    Shl shl ShlAssign shl_assign Op::Shl;
    Shr shr ShrAssign shr_assign Op::Shr;
}

binary! { Float, f32,
    Add add AddAssign add_assign Op::Add;
    Sub sub SubAssign sub_assign Op::Sub;
    Mul mul MulAssign mul_assign Op::Mul;
    Div div DivAssign div_assign Op::Div;
    Rem rem RemAssign rem_assign Op::Rem;
}

binary! { Mask, bool,
    BitAnd bitand BitAndAssign bitand_assign Op::And;
    BitOr bitor BitOrAssign bitor_assign Op::Or;
    BitXor bitxor BitXorAssign bitxor_assign Op::Xor;
}

macro_rules! unary {
    ($($ty:ident $trait:ident $method:ident $op:expr;)*) => {$(
        impl ops::$trait for $ty {
            type Output = $ty;
            #[track_caller]
            fn $method(self) -> $ty {
                apply($op, &[self.raw])
            }
        }
    )*};
}
unary! {
    Int Neg neg Op::Neg;
    Int Not not Op::Not;
    UInt Not not Op::Not;
    Float Neg neg Op::Neg;
    Mask Not not Op::Not;
}

macro_rules! sums {
    ($($ty:ident $zero:literal $one:literal),*) => {$(
        impl std::iter::Sum for $ty {
            #[track_caller]
            fn sum<I: Iterator<Item = $ty>>(iter: I) -> $ty {
                iter.reduce(|a, b| a + b).unwrap_or_else(|| $ty::from($zero))
            }
        }
        impl std::iter::Product for $ty {
            #[track_caller]
            fn product<I: Iterator<Item = $ty>>(iter: I) -> $ty {
                iter.reduce(|a, b| a * b).unwrap_or_else(|| $ty::from($one))
            }
        }
    )*};
}
sums!(Int 0 1, UInt 0 1, Float 0.0 1.0);

/// What `== !=` are in a kernel: Rust's own for Rust values, a [`Mask`] for kernel values.
#[diagnostic::on_unimplemented(
    message = "cannot compare `{Self}` with `{R}` in a kernel",
    label = "no `{Self} == {R}`",
    note = "convert one side, for example with `to_float()` or `to_int()`"
)]
pub trait Equal<R: ?Sized> {
    /// `bool` or `Mask`.
    type Output;
    /// `self == other`.
    fn equal(&self, other: &R) -> Self::Output;
    /// `self != other`.
    fn unequal(&self, other: &R) -> Self::Output;
}

/// What `< <= > >=` are in a kernel: Rust's own for Rust values, a [`Mask`] for kernel values.
#[diagnostic::on_unimplemented(
    message = "cannot compare `{Self}` with `{R}` in a kernel",
    label = "no `{Self} < {R}`",
    note = "convert one side, for example with `to_float()` or `to_int()`"
)]
pub trait Order<R: ?Sized> {
    /// `bool` or `Mask`.
    type Output;
    /// `self < other`.
    fn less(&self, other: &R) -> Self::Output;
    /// `self <= other`.
    fn less_equal(&self, other: &R) -> Self::Output;
    /// `self > other`.
    fn greater(&self, other: &R) -> Self::Output;
    /// `self >= other`.
    fn greater_equal(&self, other: &R) -> Self::Output;
}

impl<L: PartialEq<R> + ?Sized, R: ?Sized> Equal<R> for L {
    type Output = bool;
    fn equal(&self, other: &R) -> bool {
        self == other
    }
    fn unequal(&self, other: &R) -> bool {
        self != other
    }
}

impl<L: PartialOrd<R> + ?Sized, R: ?Sized> Order<R> for L {
    type Output = bool;
    fn less(&self, other: &R) -> bool {
        self < other
    }
    fn less_equal(&self, other: &R) -> bool {
        self <= other
    }
    fn greater(&self, other: &R) -> bool {
        self > other
    }
    fn greater_equal(&self, other: &R) -> bool {
        self >= other
    }
}

/// Nothing has this: Rust's own comparisons of kernel values exist only to say what to write instead.
#[diagnostic::on_unimplemented(
    message = "kernel values are compared in functions marked `#[kernel]` or `#[kernel_fn]`",
    label = "add `#[kernel_fn]` to this function (or its `impl`)",
    note = "a comparison of kernel values is no `bool`: lanes differ"
)]
pub trait ComparedInKernelFn {}

macro_rules! not_in_rust {
    ($($ty:ident)*) => {$(
        impl<T: ComparedInKernelFn> PartialEq<T> for $ty {
            fn eq(&self, _: &T) -> bool {
                quadra_base::bug!("no type allows this comparison")
            }
        }
        impl<T: ComparedInKernelFn> PartialOrd<T> for $ty {
            fn partial_cmp(&self, _: &T) -> Option<std::cmp::Ordering> {
                quadra_base::bug!("no type allows this comparison")
            }
        }
    )*};
}
not_in_rust!(Int UInt Float Mask);

macro_rules! compare {
    ($($left:ty, $right:ty, $ty:ident, $less:ident $less_equal:ident $greater:ident $greater_equal:ident;)*) => {$(
        impl Equal<$right> for $left {
            type Output = Mask;
            #[track_caller]
            fn equal(&self, other: &$right) -> Mask {
                apply(Op::CmpEq, &[$ty::from(*self).raw, $ty::from(*other).raw])
            }
            #[track_caller]
            fn unequal(&self, other: &$right) -> Mask {
                apply(Op::CmpNe, &[$ty::from(*self).raw, $ty::from(*other).raw])
            }
        }
        impl Order<$right> for $left {
            type Output = Mask;
            #[track_caller]
            fn less(&self, other: &$right) -> Mask {
                apply(Op::$less, &[$ty::from(*self).raw, $ty::from(*other).raw])
            }
            #[track_caller]
            fn less_equal(&self, other: &$right) -> Mask {
                apply(Op::$less_equal, &[$ty::from(*self).raw, $ty::from(*other).raw])
            }
            #[track_caller]
            fn greater(&self, other: &$right) -> Mask {
                apply(Op::$greater, &[$ty::from(*self).raw, $ty::from(*other).raw])
            }
            #[track_caller]
            fn greater_equal(&self, other: &$right) -> Mask {
                apply(Op::$greater_equal, &[$ty::from(*self).raw, $ty::from(*other).raw])
            }
        }
    )*};
}
compare! {
    Int, Int, Int, CmpLt CmpLe CmpGt CmpGe;
    Int, i32, Int, CmpLt CmpLe CmpGt CmpGe;
    i32, Int, Int, CmpLt CmpLe CmpGt CmpGe;
    UInt, UInt, UInt, CmpLtU CmpLeU CmpGtU CmpGeU;
    UInt, u32, UInt, CmpLtU CmpLeU CmpGtU CmpGeU;
    u32, UInt, UInt, CmpLtU CmpLeU CmpGtU CmpGeU;
    Float, Float, Float, CmpLt CmpLe CmpGt CmpGe;
    Float, f32, Float, CmpLt CmpLe CmpGt CmpGe;
    f32, Float, Float, CmpLt CmpLe CmpGt CmpGe;
}

impl Equal<Mask> for Mask {
    type Output = Mask;
    #[track_caller]
    fn equal(&self, other: &Mask) -> Mask {
        apply(Op::CmpEq, &[self.raw, other.raw])
    }
    #[track_caller]
    fn unequal(&self, other: &Mask) -> Mask {
        apply(Op::CmpNe, &[self.raw, other.raw])
    }
}
