//! Element-wise operators on integers and complex numbers without a detour over wider ones, where that gives the same.

use super::arith::Mode;
use super::bulk;
use super::scalar_ops;
use super::storage::{self, BLOCK, Operand};
use super::tensor::Data;
use quadra_kir::eval::elementary::{Near, atan2};
use quadra_numeric::wide::{self, Job};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Operands of one shape, or one of them a number.
pub struct Pair<'a> {
    pub a: &'a Data,
    pub b: &'a Data,
    pub a_one: bool,
    pub b_one: bool,
}

impl Pair<'_> {
    fn count(&self) -> usize {
        if self.a_one { self.b.len() } else { self.a.len() }
    }
}

fn side<T: Copy>(v: &[T], one: bool) -> Operand<'_, T> {
    if one { Operand::Number(v[0]) } else { Operand::Array(v) }
}

/// Elements that are integers of 32 bits.
fn ints(data: &Data) -> Option<Cow<'_, [i32]>> {
    match data {
        Data::Int(v) | Data::I32(v) => Some(Cow::Borrowed(v)),
        Data::Mask(v) => Some(Cow::Owned(v.iter().map(|x| i32::from(*x)).collect())),
        _ => None,
    }
}

/// `out[i] = f(x[i], y[i])`; whether a result does not fit.
struct Wrapped<'a, F>(&'a mut [i32], Operand<'a, i32>, Operand<'a, i32>, F);

impl<F: Fn(i32, i32) -> (i32, bool) + Copy> Job for Wrapped<'_, F> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Wrapped(out, x, y, f) = self;
        let mut lost = 0u8;
        let f = |x: i32, y: i32| {
            let (v, over) = f(x, y);
            lost |= u8::from(over);
            v
        };
        Pairs(out, x, y, f).call();
        lost != 0
    }
}

/// `op` bit by bit of truths, which are integers.
fn truths(op: Op2, pair: &Pair<'_>) -> Option<Data> {
    let (Data::Mask(a), Data::Mask(b)) = (pair.a, pair.b) else { return None };
    let (x, y) = (side(a, pair.a_one), side(b, pair.b_one));
    macro_rules! all {
        ($f:expr) => {
            storage::build(pair.count(), |range, out: &mut [i32]| {
                wide::run(Pairs(out, x.part(&range), y.part(&range), |x: u8, y: u8| i32::from($f(x, y))));
            })
        };
    }
    Some(Data::Int(match op {
        Op2::And => all!(|x, y| x & y),
        Op2::Or => all!(|x, y| x | y),
        Op2::Xor => all!(|x, y| x ^ y),
        _ => return None,
    }))
}

/// `op` of integers of 32 bits; nothing for other elements, if a result does not fit or there is none.
pub fn integers(op: Op2, pair: &Pair<'_>) -> Option<Data> {
    if let Some(out) = truths(op, pair) {
        return Some(out);
    }
    let (a, b) = (ints(pair.a)?, ints(pair.b)?);
    if matches!(op, Op2::Mod | Op2::Rem) && b.contains(&0) {
        return None;
    }
    let (x, y) = (side(&a, pair.a_one), side(&b, pair.b_one));
    let lost = AtomicBool::new(false);
    macro_rules! all {
        ($f:expr) => {
            storage::build(pair.count(), |range, out: &mut [i32]| {
                if wide::run(Wrapped(out, x.part(&range), y.part(&range), $f)) {
                    lost.store(true, Ordering::Relaxed);
                }
            })
        };
    }
    let out = match op {
        Op2::Add => all!(|x: i32, y: i32| x.overflowing_add(y)),
        Op2::Sub => all!(|x: i32, y: i32| x.overflowing_sub(y)),
        Op2::Mul => all!(|x: i32, y: i32| {
            let exact = i64::from(x) * i64::from(y);
            (exact as i32, i64::from(exact as i32) != exact)
        }),
        Op2::Max => all!(|x: i32, y: i32| (x.max(y), false)),
        Op2::Min => all!(|x: i32, y: i32| (x.min(y), false)),
        Op2::And => all!(|x: i32, y: i32| (x & y, false)),
        Op2::Or => all!(|x: i32, y: i32| (x | y, false)),
        Op2::Xor => all!(|x: i32, y: i32| (x ^ y, false)),
        // Doubles hold the quotient so well that its whole part is right.
        Op2::Mod => all!(|x: i32, y: i32| {
            let (a, b) = (f64::from(x), f64::from(y));
            ((a - (a / b).floor() * b) as i32, false)
        }),
        Op2::Rem => all!(|x: i32, y: i32| {
            let (a, b) = (f64::from(x), f64::from(y));
            ((a - (a / b).trunc() * b) as i32, false)
        }),
        _ => return None,
    };
    (!lost.into_inner()).then_some(Data::Int(out))
}

/// Comparisons of elements of one kind.
pub fn compared(op: Op2, pair: &Pair<'_>) -> Option<Data> {
    macro_rules! all {
        ($a:expr, $b:expr) => {{
            let (x, y) = (side($a, pair.a_one), side($b, pair.b_one));
            scalar_ops::with_comparison!(op, f => storage::build(pair.count(), |range, out: &mut [u8]| {
                wide::run(Pairs(out, x.part(&range), y.part(&range), f));
            }))
        }};
    }
    let out = match (pair.a, pair.b) {
        (Data::F32(a), Data::F32(b)) => all!(a, b),
        (Data::F64(a), Data::F64(b)) => all!(a, b),
        (Data::Int(a) | Data::I32(a), Data::Int(b) | Data::I32(b)) => all!(a, b),
        _ => return None,
    };
    Some(Data::Mask(out))
}

/// `out[i] = f(x[i], y[i])`.
struct Pairs<'a, O, T, F>(&'a mut [O], Operand<'a, T>, Operand<'a, T>, F);

impl<O, T: Copy + Default, F: FnMut(T, T) -> O> Job for Pairs<'_, O, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Pairs(out, x, y, mut f) = self;
        let (own, other) = (x.block(), y.block());
        for (k, out) in out.chunks_mut(BLOCK).enumerate() {
            let (x, y) = (x.piece(k, &own, out.len()), y.piece(k, &other, out.len()));
            for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
                *o = f(*x, *y);
            }
        }
    }
}

/// Complex singles, of which real ones have no imaginary part.
fn complexes(data: &Data) -> Option<Cow<'_, [[f32; 2]]>> {
    match data {
        Data::C32(v) => Some(Cow::Borrowed(v)),
        Data::F32(v) => Some(Cow::Owned(v.iter().map(|x| [*x, 0.0]).collect())),
        _ => None,
    }
}

/// Sums, differences, products and quotients of complex singles, computed in double precision.
pub fn complex(op: Op2, pair: &Pair<'_>) -> Option<Data> {
    let (a, b) = (complexes(pair.a)?, complexes(pair.b)?);
    let (x, y) = (side(&a, pair.a_one), side(&b, pair.b_one));
    let wide = |z: [f32; 2]| [f64::from(z[0]), f64::from(z[1])];
    macro_rules! all {
        ($f:expr) => {
            storage::build(pair.count(), |range, out: &mut [[f32; 2]]| {
                let f = |x: [f32; 2], y: [f32; 2]| {
                    let z: [f64; 2] = $f(wide(x), wide(y));
                    [z[0] as f32, z[1] as f32]
                };
                wide::run(Pairs(out, x.part(&range), y.part(&range), f));
            })
        };
    }
    let out = match op {
        Op2::Add => all!(|x: [f64; 2], y: [f64; 2]| [x[0] + y[0], x[1] + y[1]]),
        Op2::Sub => all!(|x: [f64; 2], y: [f64; 2]| [x[0] - y[0], x[1] - y[1]]),
        Op2::Mul => all!(|x: [f64; 2], y: [f64; 2]| [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]),
        Op2::Div => all!(|x: [f64; 2], y: [f64; 2]| {
            let d = y[0] * y[0] + y[1] * y[1];
            [(x[0] * y[0] + x[1] * y[1]) / d, (x[1] * y[0] - x[0] * y[1]) / d]
        }),
        _ => return None,
    };
    Some(Data::C32(out))
}

/// What of `real`, `imag`, `conj`, `abs` and `angle` of complex singles is quick.
pub fn of_complex(op: Op1, v: &[[f32; 2]]) -> Option<Data> {
    Some(match op {
        Op1::Real => Data::F32(bulk::each(v, |z| z[0])),
        Op1::Imag => Data::F32(bulk::each(v, |z| z[1])),
        Op1::Abs => Data::F32(bulk::each(v, |z| {
            let (re, im) = (f64::from(z[0]), f64::from(z[1]));
            let length = (re * re + im * im).sqrt() as f32;
            if z[0].is_infinite() || z[1].is_infinite() { f32::INFINITY } else { length }
        })),
        Op1::Angle => Data::F32(bulk::each(v, |z| atan2(Near(f64::from(z[1])), Near(f64::from(z[0]))).0 as f32)),
        Op1::Conj => Data::C32(bulk::each(v, |z| [z[0], -z[1]])),
        _ => return None,
    })
}

/// Whether elements are no number, or infinite, or 0, as a mask.
pub fn tested(op: Op1, data: &Data) -> Option<Data> {
    Some(Data::Mask(match (op, data) {
        (Op1::IsNan, Data::F32(v)) => bulk::each(v, |x: f32| u8::from(x.is_nan())),
        (Op1::IsInf, Data::F32(v)) => bulk::each(v, |x: f32| u8::from(x.is_infinite())),
        (Op1::Not, Data::F32(v)) => bulk::each(v, |x: f32| u8::from(x == 0.0)),
        (Op1::IsNan, Data::F64(v)) => bulk::each(v, |x: f64| u8::from(x.is_nan())),
        (Op1::IsInf, Data::F64(v)) => bulk::each(v, |x: f64| u8::from(x.is_infinite())),
        (Op1::Not, Data::F64(v)) => bulk::each(v, |x: f64| u8::from(x == 0.0)),
        (Op1::Not, Data::Mask(v)) => bulk::each(v, |x: u8| u8::from(x == 0)),
        (Op1::Not, Data::Int(v)) => bulk::each(v, |x: i32| u8::from(x == 0)),
        _ => return None,
    }))
}

/// Elements in another type, if all have a place there: floats and integers of 32 bits. `kind` holds nothing but the type.
pub fn converted(data: &Data, kind: &Data) -> Option<Data> {
    // Beyond these bounds, and for what is no number, there is an error or another rule.
    let single_fits = |x: f32| (-2_147_483_648.0..2_147_483_648.0).contains(&x);
    let double_fits = |x: f64| x > -2_147_483_649.0 && x < 2_147_483_648.0;
    Some(match (data, kind) {
        (Data::Int(v) | Data::I32(v), Data::F32(_)) => Data::F32(bulk::each(v, |x: i32| x as f32)),
        (Data::Int(v) | Data::I32(v), Data::F64(_)) => Data::F64(bulk::each(v, f64::from)),
        (Data::Mask(v) | Data::U8(v), Data::F32(_)) => Data::F32(bulk::each(v, f32::from)),
        (Data::Mask(v) | Data::U8(v), Data::F64(_)) => Data::F64(bulk::each(v, f64::from)),
        (Data::F64(v), Data::F32(_)) => Data::F32(bulk::each(v, |x: f64| x as f32)),
        (Data::F32(v), Data::F64(_)) => Data::F64(bulk::each(v, f64::from)),
        (Data::Mask(v), Data::Int(_)) => Data::Int(bulk::each(v, i32::from)),
        (Data::F32(v), Data::Int(_)) if bulk::all(v, single_fits) => Data::Int(bulk::each(v, |x: f32| x as i32)),
        (Data::F64(v), Data::Int(_)) if bulk::all(v, double_fits) => Data::Int(bulk::each(v, |x: f64| x as i32)),
        _ => return None,
    })
}

/// What `arith` computes in wider numbers may be had directly.
pub fn quick(op: Op2, pair: &Pair<'_>, mode: Mode) -> Option<Data> {
    let complex_side = |d: &Data| matches!(d, Data::C32(_));
    if op.is_comparison() {
        return compared(op, pair);
    }
    if complex_side(pair.a) || complex_side(pair.b) {
        return complex(op, pair);
    }
    if op.gives_float() && !mode.double && ints(pair.a).is_some() && ints(pair.b).is_some() {
        let single = |d: &Data| converted(d, &Data::F32(Vec::new()));
        let (Data::F32(a), Data::F32(b)) = (single(pair.a)?, single(pair.b)?) else { return None };
        return Some(Data::F32(bulk::zip(op, pair.count(), side(&a, pair.a_one), side(&b, pair.b_one))));
    }
    integers(op, pair)
}
