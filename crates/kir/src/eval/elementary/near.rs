//! Numbers of the host without the rare way of [`Real::far`]: what is left has no branches, so that loops over many of them become
//! vector code. Who uses it computes again what is far.

use super::{Format, Real, Word};
use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// A number, or its bits; [`Real::far`] gives the value for what is near.
#[derive(Clone, Copy)]
pub struct Near<T>(pub T);

macro_rules! operators {
    ($($name:ident $method:ident),*) => {
        $(impl<T: $name<Output = T>> $name for Near<T> {
            type Output = Near<T>;

            #[inline(always)]
            fn $method(self, other: Near<T>) -> Near<T> {
                Near(self.0.$method(other.0))
            }
        })*
    };
}
operators!(Add add, Sub sub, Mul mul, Div div, BitAnd bitand, BitOr bitor, BitXor bitxor);

macro_rules! near {
    ($real:ident, $signed:ident) => {
        impl Real for Near<$real> {
            type Word = Near<Wrapping<$signed>>;
            type Truth = bool;
            type Wide = Near<f64>;

            #[inline(always)]
            fn format(self) -> &'static Format {
                self.0.format()
            }
            #[inline(always)]
            fn lit(self, value: f64) -> Self {
                Near(self.0.lit(value))
            }
            #[inline(always)]
            fn root(self) -> Self {
                Near(self.0.root())
            }
            #[inline(always)]
            fn fused(self, factor: Self, term: Self) -> Self {
                Near(self.0.fused(factor.0, term.0))
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                Near($real::trunc(self.0))
            }
            #[inline(always)]
            fn floor(self) -> Self {
                Near($real::floor(self.0))
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self.0 < other.0
            }
            #[inline(always)]
            fn same(self, other: Self) -> bool {
                self.0 == other.0
            }
            #[inline(always)]
            fn pick(truth: bool, yes: Self, no: Self) -> Self {
                if truth { yes } else { no }
            }
            #[inline(always)]
            fn word(self) -> Self::Word {
                Near(self.0.word())
            }
            #[inline(always)]
            fn wide(self) -> Near<f64> {
                Near(self.0.wide())
            }
            #[inline(always)]
            fn narrow(self, wide: Near<f64>) -> Self {
                Near(self.0.narrow(wide.0))
            }
            #[inline(always)]
            fn far(self, _: Self, _: bool, _: fn(f64, f64) -> f64, near: Self) -> Self {
                near
            }
        }

        impl Word for Near<Wrapping<$signed>> {
            type Real = Near<$real>;
            type Truth = bool;

            #[inline(always)]
            fn lit(self, value: i64) -> Self {
                Near(self.0.lit(value))
            }
            #[inline(always)]
            fn left(self, places: u32) -> Self {
                Near(self.0.left(places))
            }
            #[inline(always)]
            fn right(self, places: u32) -> Self {
                Near(self.0.right(places))
            }
            #[inline(always)]
            fn is_negative(self) -> bool {
                Word::is_negative(self.0)
            }
            #[inline(always)]
            fn is_zero(self) -> bool {
                self.0.is_zero()
            }
            #[inline(always)]
            fn real(self) -> Near<$real> {
                Near(self.0.real())
            }
        }
    };
}
near!(f32, i32);
near!(f64, i64);

#[cfg(test)]
mod tests {
    use super::super as e;
    use super::*;

    #[test]
    fn what_is_near_has_the_bits_of_the_host() {
        let numbers = (0..200_000u32).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761)));
        for x in numbers.filter(|x| x.is_nan() || x.abs() <= e::SINGLE.far as f32) {
            let pairs = [
                (e::sin(x), e::sin(Near(x)).0),
                (e::tan(x), e::tan(Near(x)).0),
                (e::acos(x), e::acos(Near(x)).0),
                (e::log(x), e::log(Near(x)).0),
                (e::tanh(x), e::tanh(Near(x)).0),
                (e::pow(x, 2.5), e::pow(Near(x), Near(2.5)).0),
            ];
            assert!(pairs.iter().all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()), "{x}");
        }
    }
}
