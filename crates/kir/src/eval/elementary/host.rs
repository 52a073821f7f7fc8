//! Numbers of the host as [`Real`].

use super::format::{DOUBLE, Format, SINGLE};
use super::{Real, Truth, Word};
use std::num::Wrapping;

impl Truth for bool {
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

            fn format(self) -> &'static Format {
                &$format
            }
            fn lit(self, value: f64) -> $real {
                value as $real
            }
            fn root(self) -> $real {
                self.sqrt()
            }
            fn fused(self, factor: $real, term: $real) -> $real {
                if $format.double { self * factor + term } else { self.mul_add(factor, term) }
            }
            fn trunc(self) -> $real {
                $real::trunc(self)
            }
            fn less(self, other: $real) -> bool {
                self < other
            }
            fn same(self, other: $real) -> bool {
                self == other
            }
            fn pick(truth: bool, yes: $real, no: $real) -> $real {
                if truth { yes } else { no }
            }
            fn word(self) -> Wrapping<$signed> {
                Wrapping(self.to_bits() as $signed)
            }
            fn wide(self) -> f64 {
                self.into()
            }
            fn narrow(self, wide: f64) -> $real {
                wide as $real
            }
            fn far(self, other: $real, far: bool, function: fn(f64, f64) -> f64, near: $real) -> $real {
                if far { function(self.into(), other.into()) as $real } else { near }
            }
        }

        impl Word for Wrapping<$signed> {
            type Real = $real;
            type Truth = bool;

            fn lit(self, value: i64) -> Self {
                Wrapping(value as $signed)
            }
            fn left(self, places: u32) -> Self {
                Wrapping(self.0 << places)
            }
            fn right(self, places: u32) -> Self {
                Wrapping((self.0 as $unsigned >> places) as $signed)
            }
            fn is_zero(self) -> bool {
                self.0 == 0
            }
            fn real(self) -> $real {
                $real::from_bits(self.0 as $unsigned)
            }
        }
    };
}
host!(f32, i32, u32, SINGLE);
host!(f64, i64, u64, DOUBLE);
