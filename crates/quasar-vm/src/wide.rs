//! Functions of numbers by name, over elements in the widest vectors that the processor has.

use super::logarithm;
use super::storage::{BLOCK, Operand};
use super::{scalar_ops, unary_ops};
use quadra_kir::eval::elementary::{self, Near};
use quadra_kir::eval::exponential;
use quadra_numeric::wide::{Job, run};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use std::marker::PhantomData;

/// `out[i] = f(x[i])`, or of itself where `x` is absent: a copy of a block stands for it. `F` has no fields, so that its code is in the loop.
struct Map<'a, T, F>(&'a mut [T], Option<&'a [T]>, PhantomData<F>);

trait Unary<T> {
    fn of(x: T) -> T;
}

impl<T: Copy + Default, F: Unary<T>> Job for Map<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut own = [T::default(); BLOCK];
        for (k, out) in self.0.chunks_mut(BLOCK).enumerate() {
            let x = match self.1 {
                Some(x) => &x[k * BLOCK..k * BLOCK + out.len()],
                None => {
                    own[..out.len()].copy_from_slice(out);
                    &own[..out.len()]
                }
            };
            for (o, x) in out.iter_mut().zip(x) {
                *o = F::of(*x);
            }
        }
    }
}

/// The largest size of an element; of NaN nothing.
struct Most<'a, T>(&'a [T]);

/// `out[i] = f(x[i], y[i])`, or `f(y[i], x[i])` if `swapped`; `x` is `out` itself where it is absent.
struct Zip<'a, T, F> {
    out: &'a mut [T],
    x: Option<Operand<'a, T>>,
    y: Operand<'a, T>,
    swapped: bool,
    function: PhantomData<F>,
}

trait Binary<T> {
    fn of(x: T, y: T) -> T;

    /// Whether `of` is wrong there, which is rare.
    #[inline(always)]
    fn far(_: T, _: T) -> bool {
        false
    }

    /// What is right there.
    fn exactly(x: T, y: T) -> T {
        Self::of(x, y)
    }
}

impl<T: Copy + Default, F: Binary<T>> Job for Zip<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut own = self.x.map_or([T::default(); BLOCK], |x| x.block());
        let other = self.y.block();
        for (k, out) in self.out.chunks_mut(BLOCK).enumerate() {
            let n = out.len();
            let x = match self.x {
                Some(x) => x.piece(k, &own, n),
                None => {
                    own[..n].copy_from_slice(out);
                    &own[..n]
                }
            };
            let y = self.y.piece(k, &other, n);
            let (x, y) = if self.swapped { (y, x) } else { (x, y) };
            let mut far = 0u8;
            for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
                *o = F::of(*x, *y);
                far |= u8::from(F::far(*x, *y));
            }
            if far != 0 {
                let some = out.iter_mut().zip(x).zip(y).filter(|((_, x), y)| F::far(**x, **y));
                some.for_each(|((o, x), y)| *o = F::exactly(*x, *y));
            }
        }
    }
}

/// Functions by name.
macro_rules! functions {
    ($kind:ident $t:ident: $($name:ident($($x:ident),+) = $body:expr;)*) => {
        $(#[allow(non_camel_case_types)]
        struct $name;
        impl $kind<$t> for $name {
            #[inline(always)]
            fn of($($x: $t),+) -> $t {
                $body
            }
        })*
    };
}

macro_rules! number {
    ($t:ident, $module:ident, $format:ident, $exact:path, $exp:expr, $log10:expr, $hypot:expr, $pow:expr, $left:expr) => {
        mod $module {
            use super::*;

            functions! { Unary $t:
                sin(x) = elementary::sin(Near(x)).0;
                cos(x) = elementary::cos(Near(x)).0;
                tan(x) = elementary::tan(Near(x)).0;
                asin(x) = elementary::asin(Near(x)).0;
                acos(x) = elementary::acos(Near(x)).0;
                atan(x) = elementary::atan(Near(x)).0;
                sinh(x) = elementary::sinh(Near(x)).0;
                cosh(x) = elementary::cosh(Near(x)).0;
                tanh(x) = elementary::tanh(Near(x)).0;
                exp(x) = $exp(x);
                log(x) = elementary::log(Near(x)).0;
                log2(x) = elementary::log2(Near(x)).0;
                log10(x) = $log10(x);
                sqrt(x) = x.sqrt();
                abs(x) = x.abs();
                neg(x) = -x;
                sign(x) = if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x * 0.0 };
                floor(x) = x.floor();
                ceil(x) = x.ceil();
                round(x) = elementary::round(Near(x)).0;
                fix(x) = x.trunc();
                frac(x) = x - x.floor();
                saturate(x) = x.clamp(0.0, 1.0);
                square(x) = x * x;
                cube(x) = (x * x) * x;
                fourth(x) = (x * x) * (x * x);
            }
            functions! { Binary $t:
                add(x, y) = x + y;
                sub(x, y) = x - y;
                mul(x, y) = x * y;
                div(x, y) = x / y;
                max(x, y) = if x > y || y.is_nan() { x } else { y };
                min(x, y) = if x < y || y.is_nan() { x } else { y };
                atan2(x, y) = elementary::atan2(Near(x), Near(y)).0;
                hypot(x, y) = $hypot(x, y);
                pow(x, y) = $pow(x, y);
            }

            struct Modulo;
            impl Binary<$t> for Modulo {
                #[inline(always)]
                fn of(x: $t, y: $t) -> $t {
                    let (size, rest) = (y.abs(), rest(x.abs(), y.abs()));
                    let same = x.is_sign_negative() == y.is_sign_negative() || rest == 0.0;
                    let value = if same { rest } else { size - rest }.copysign(y);
                    if y == 0.0 { x } else { value }
                }
                #[inline(always)]
                fn far(x: $t, y: $t) -> bool {
                    beyond(x, y)
                }
                fn exactly(x: $t, y: $t) -> $t {
                    scalar_ops::Power::modulo(x, y)
                }
            }

            struct Remainder;
            impl Binary<$t> for Remainder {
                #[inline(always)]
                fn of(x: $t, y: $t) -> $t {
                    rest(x.abs(), y.abs()).copysign(x)
                }
                #[inline(always)]
                fn far(x: $t, y: $t) -> bool {
                    beyond(x, y)
                }
                fn exactly(x: $t, y: $t) -> $t {
                    scalar_ops::Power::remainder(x, y)
                }
            }

            /// What is left of x behind the multiples of y, neither negative: of a quotient that is right up to its fraction or one too
            /// large, exactly.
            #[inline(always)]
            fn rest(x: $t, y: $t) -> $t {
                let left = $left((x / y).trunc(), x, y);
                let left = if left < 0.0 { left + y } else { left };
                if x < y { x } else { left }
            }

            /// Whether a quotient is too large for `rest`.
            #[inline(always)]
            fn beyond(x: $t, y: $t) -> bool {
                let most = (1u64 << (elementary::$format.fraction + 1)) as $t;
                (((x / y).abs() >= most) | (x / y).is_nan()) & (y != 0.0) & (x.abs() < $t::INFINITY)
            }

            impl Job for Most<'_, $t> {
                type Output = $t;

                #[inline(always)]
                fn call(self) -> $t {
                    let mut most = [0.0; 16];
                    let (rows, rest) = self.0.as_chunks::<16>();
                    for row in rows {
                        for (m, x) in most.iter_mut().zip(row) {
                            *m = if x.abs() > *m { x.abs() } else { *m };
                        }
                    }
                    rest.iter().chain(&most).fold(0.0, |m: $t, x| if x.abs() > m { x.abs() } else { m })
                }
            }

            fn map<F: Unary<$t>>(out: &mut [$t], x: Option<&[$t]>) {
                run(Map(out, x, PhantomData::<F>));
            }

            /// Of a function that has another way for what is far.
            fn map_near<F: Unary<$t>>(op: Op1, out: &mut [$t], x: Option<&[$t]>) {
                let most = run(Most(x.unwrap_or(out)));
                match most > elementary::$format.far as $t {
                    false => map::<F>(out, x),
                    true => one_by_one(op, out, x),
                }
            }

            fn one_by_one(op: Op1, out: &mut [$t], x: Option<&[$t]>) {
                match x {
                    Some(x) => {
                        for (o, x) in out.iter_mut().zip(x) {
                            *o = $exact(op, *x);
                        }
                    }
                    None => {
                        for o in out.iter_mut() {
                            *o = $exact(op, *o);
                        }
                    }
                }
            }

            pub fn unary(op: Op1, out: &mut [$t], x: Option<&[$t]>) {
                match op {
                    Op1::Sin => map_near::<sin>(op, out, x),
                    Op1::Cos => map_near::<cos>(op, out, x),
                    Op1::Tan => map_near::<tan>(op, out, x),
                    Op1::Asin => map::<asin>(out, x),
                    Op1::Acos => map::<acos>(out, x),
                    Op1::Atan => map::<atan>(out, x),
                    Op1::Sinh => map::<sinh>(out, x),
                    Op1::Cosh => map::<cosh>(out, x),
                    Op1::Tanh => map::<tanh>(out, x),
                    Op1::Exp => map::<exp>(out, x),
                    Op1::Log => map::<log>(out, x),
                    Op1::Log2 => map::<log2>(out, x),
                    Op1::Log10 => map::<log10>(out, x),
                    Op1::Sqrt => map::<sqrt>(out, x),
                    Op1::Abs => map::<abs>(out, x),
                    Op1::Neg => map::<neg>(out, x),
                    Op1::Sign => map::<sign>(out, x),
                    Op1::Floor => map::<floor>(out, x),
                    Op1::Ceil => map::<ceil>(out, x),
                    Op1::Round => map::<round>(out, x),
                    Op1::Fix => map::<fix>(out, x),
                    Op1::Frac => map::<frac>(out, x),
                    Op1::Saturate => map::<saturate>(out, x),
                    op => one_by_one(op, out, x),
                }
            }

            fn zip<F: Binary<$t>>(out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                run(Zip { out, x, y, swapped, function: PhantomData::<F> });
            }

            /// Powers; with small whole exponents as `elementary::pow` has them.
            fn powers(out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                let base = match x {
                    _ if swapped => None,
                    Some(Operand::Number(_)) => None,
                    Some(Operand::Array(x)) => Some(Some(x)),
                    None => Some(None),
                };
                match (base, y) {
                    (Some(x), Operand::Number(2.0)) => map::<square>(out, x),
                    (Some(x), Operand::Number(3.0)) => map::<cube>(out, x),
                    (Some(x), Operand::Number(4.0)) => map::<fourth>(out, x),
                    _ => zip::<pow>(out, x, y, swapped),
                }
            }

            /// Of a function that stays scalar.
            fn pairs(op: Op2, out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                let of = |v: &Operand<'_, $t>, i: usize| match v {
                    Operand::Array(v) => v[i],
                    Operand::Number(v) => *v,
                };
                for i in 0..out.len() {
                    let (a, b) = (x.as_ref().map_or(out[i], |x| of(x, i)), of(&y, i));
                    let (a, b) = if swapped { (b, a) } else { (a, b) };
                    out[i] = scalar_ops::float(op, f64::from(a), f64::from(b)) as $t;
                }
            }

            pub fn binary(op: Op2, out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                match op {
                    Op2::Add => zip::<add>(out, x, y, swapped),
                    Op2::Sub => zip::<sub>(out, x, y, swapped),
                    Op2::Mul => zip::<mul>(out, x, y, swapped),
                    Op2::Div => zip::<div>(out, x, y, swapped),
                    Op2::Max => zip::<max>(out, x, y, swapped),
                    Op2::Min => zip::<min>(out, x, y, swapped),
                    Op2::Mod => zip::<Modulo>(out, x, y, swapped),
                    Op2::Rem => zip::<Remainder>(out, x, y, swapped),
                    Op2::Atan2 => zip::<atan2>(out, x, y, swapped),
                    Op2::Hypot => zip::<hypot>(out, x, y, swapped),
                    Op2::Pow => powers(out, x, y, swapped),
                    op => pairs(op, out, x, y, swapped),
                }
            }
        }
    };
}

/// The length of a side of doubles that come from singles: their squares neither overflow nor vanish.
#[inline(always)]
fn hypot32(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let length = (a * a + b * b).sqrt() as f32;
    if x.is_infinite() || y.is_infinite() { f32::INFINITY } else { length }
}

number!(
    f32,
    single,
    SINGLE,
    unary_ops::float32,
    exponential::exp,
    logarithm::log10,
    hypot32,
    |x, y| elementary::pow(Near(x), Near(y)).0,
    |q, x, y| { (f64::from(x) - f64::from(q) * f64::from(y)) as f32 }
);
number!(
    f64,
    double,
    DOUBLE,
    unary_ops::float64,
    |x| elementary::exp(Near(x)).0,
    logarithm::log10_of_double,
    f64::hypot,
    |x, y| { scalar_ops::Power::to_the(x, y) },
    |q: f64, x, y| (-q).mul_add(y, x)
);

pub use double::{binary as binary64, unary as unary64};
pub use single::{binary as binary32, unary as unary32};
