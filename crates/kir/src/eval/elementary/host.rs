//! Numbers of the host as [`Real`].

use super::format::{DOUBLE, Format, SINGLE};
use super::{Real, Truth, Word};
use std::num::Wrapping;

impl Truth for bool {
    #[inline(always)]
    fn not(self) -> bool {
        !self
    }
}

macro_rules! host {
    ($real:ident, $signed:ident, $unsigned:ident, $format:ident) => {
        impl Real for $real {
            type Word = Wrapping<$signed>;
            type Truth = bool;
            type Wide = f64;

            #[inline(always)]
            fn format(self) -> &'static Format {
                &$format
            }
            #[inline(always)]
            fn lit(self, value: f64) -> $real {
                value as $real
            }
            #[inline(always)]
            fn root(self) -> $real {
                self.sqrt()
            }
            #[inline(always)]
            fn fused(self, factor: $real, term: $real) -> $real {
                if $format.double { self * factor + term } else { self.mul_add(factor, term) }
            }
            #[inline(always)]
            fn trunc(self) -> $real {
                $real::trunc(self)
            }
            #[inline(always)]
            fn floor(self) -> $real {
                $real::floor(self)
            }
            #[inline(always)]
            fn less(self, other: $real) -> bool {
                self < other
            }
            #[inline(always)]
            fn same(self, other: $real) -> bool {
                self == other
            }
            #[inline(always)]
            fn pick(truth: bool, yes: $real, no: $real) -> $real {
                if truth { yes } else { no }
            }
            #[inline(always)]
            fn word(self) -> Wrapping<$signed> {
                Wrapping(self.to_bits() as $signed)
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn narrow(self, wide: f64) -> $real {
                wide as $real
            }
            #[inline(always)]
            fn far(self, other: $real, far: bool, function: fn(f64, f64) -> f64, near: $real) -> $real {
                if far { function(self.into(), other.into()) as $real } else { near }
            }
        }

        impl Word for Wrapping<$signed> {
            type Real = $real;
            type Truth = bool;

            #[inline(always)]
            fn lit(self, value: i64) -> Self {
                Wrapping(value as $signed)
            }
            #[inline(always)]
            fn left(self, places: u32) -> Self {
                Wrapping(self.0 << places)
            }
            #[inline(always)]
            fn right(self, places: u32) -> Self {
                Wrapping((self.0 as $unsigned >> places) as $signed)
            }
            #[inline(always)]
            fn is_negative(self) -> bool {
                self.0 < 0
            }
            #[inline(always)]
            fn is_zero(self) -> bool {
                self.0 == 0
            }
            #[inline(always)]
            fn real(self) -> $real {
                $real::from_bits(self.0 as $unsigned)
            }
        }
    };
}
host!(f32, i32, u32, SINGLE);
host!(f64, i64, u64, DOUBLE);
