//! The logarithm to base 10 on the host, with the results of kernels.

use quadra_kir::eval::elementary;
use quadra_quasar_hir::op1;
use std::marker::PhantomData;

/// Numbers of the host, as `op1::log10` computes with them.
struct Host<T>(PhantomData<T>);

macro_rules! host_arithmetic {
    ($name:ident, $t:ty) => {
        impl op1::Arithmetic for Host<$t> {
            type Value = $t;

            #[inline(always)]
            fn constant(&mut self, value: f64) -> $t {
                value as $t
            }

            #[inline(always)]
            fn mul(&mut self, a: $t, b: $t) -> $t {
                a * b
            }

            #[inline(always)]
            fn sub(&mut self, a: $t, b: $t) -> $t {
                a - b
            }

            #[inline(always)]
            fn abs(&mut self, a: $t) -> $t {
                a.abs()
            }

            #[inline(always)]
            fn round(&mut self, a: $t) -> $t {
                elementary::round(elementary::Near(a)).0
            }

            #[inline(always)]
            fn if_le(&mut self, a: $t, b: $t, yes: $t, no: $t) -> $t {
                if a <= b { yes } else { no }
            }
        }

        /// The logarithm to base 10, with the results of kernels.
        #[inline(always)]
        pub fn $name(x: $t) -> $t {
            let log2 = elementary::log2(elementary::Near(x)).0;
            op1::log10(&mut Host::<$t>(PhantomData), log2, <$t>::EPSILON.into())
        }
    };
}
host_arithmetic!(log10, f32);
host_arithmetic!(log10_of_double, f64);
