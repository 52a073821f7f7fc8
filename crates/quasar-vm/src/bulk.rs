//! Work on many elements: results in storage that was used before, long arrays by several threads, in vectors.

use super::storage::{CHUNK, Kept, Operand, build, each_part};
use super::tensor::Data;
use super::value::Value;
use super::wide;
use quadra_numeric::wide::{Job, run};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use std::rc::Rc;

/// A number type with arithmetic on kept storage.
pub trait Element: Kept {
    /// `out[i] = x[i] op y[i]`, `x` being `out` itself where it is absent. `swapped`: `y[i] op x[i]`.
    fn combine(op: Op2, out: &mut [Self], x: Option<Operand<'_, Self>>, y: Operand<'_, Self>, swapped: bool);
    /// `out[i] = op x[i]`, of itself where `x` is absent.
    fn unary(op: Op1, out: &mut [Self], x: Option<&[Self]>);
}

macro_rules! element {
    ($t:ty, $binary:path, $unary:path) => {
        impl Element for $t {
            fn combine(op: Op2, out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                $binary(op, out, x, y, swapped);
            }

            fn unary(op: Op1, out: &mut [$t], x: Option<&[$t]>) {
                $unary(op, out, x);
            }
        }
    };
}
element!(f32, wide::binary32, wide::unary32);
element!(f64, wide::binary64, wide::unary64);

/// `out[i] = f(x[i])`.
struct Each<'a, O, T, F>(&'a mut [O], &'a [T], F);

impl<O: Copy, T: Copy, F: Fn(T) -> O + Copy> Job for Each<'_, O, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Each(out, v, f) = self;
        for (o, x) in out.iter_mut().zip(v) {
            *o = f(*x);
        }
    }
}

/// Whether `f` holds for all elements.
struct All<'a, T, F>(&'a [T], F);

impl<T: Copy, F: Fn(T) -> bool + Copy> Job for All<'_, T, F> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let All(v, f) = self;
        let mut all = true;
        for x in v {
            all &= f(*x);
        }
        all
    }
}

/// `f` of all elements.
pub fn each<O: Kept, T: Copy + Sync>(v: &[T], f: impl Fn(T) -> O + Copy + Sync) -> Vec<O> {
    build(v.len(), |range, out| run(Each(out, &v[range], f)))
}

/// Whether `f` holds for all elements.
pub fn all<T: Copy>(v: &[T], f: impl Fn(T) -> bool + Copy) -> bool {
    v.chunks(CHUNK).all(|part| run(All(part, f)))
}

/// `op` of all pairs; both operands have `n` elements, or stand for one number.
pub fn zip<T: Element>(op: Op2, n: usize, x: Operand<'_, T>, y: Operand<'_, T>) -> Vec<T> {
    build(n, |range, out| T::combine(op, out, Some(x.part(&range)), y.part(&range), false))
}

/// `op` of all elements.
pub fn map<T: Element>(op: Op1, x: &[T]) -> Vec<T> {
    build(x.len(), |range, out| T::unary(op, out, Some(&x[range])))
}

/// Whether an operator goes element by element between these operands, `own` being an array of floats. `matrix`: `*`, `/` and
/// `^` have their matrix meaning.
fn elementwise(op: Op2, matrix: bool, own: &Value, other: &Value) -> bool {
    let Value::Array(x) = own else { return false };
    if !matches!(*x.data.peek(), Data::F32(_) | Data::F64(_)) || op.is_comparison() {
        return false;
    }
    match other {
        Value::Array(y) => {
            let product = matrix && matches!(op, Op2::Mul | Op2::Div | Op2::Pow);
            x.shape == y.shape
                && (!product || x.is_vector())
                && std::mem::discriminant(&*x.data.peek()) == std::mem::discriminant(&*y.data.peek())
        }
        Value::F32(_) | Value::Int(_) => !(matrix && op == Op2::Pow),
        _ => false,
    }
}

/// Computes `own op other` (`swapped`: `other op own`) into the elements of `own`, which nobody else refers to. Gives `own`
/// back as it was where that is not possible.
pub fn onto(op: Op2, matrix: bool, mut own: Value, other: &Value, swapped: bool) -> Result<Value, Value> {
    if !elementwise(op, matrix, &own, other) {
        return Err(own);
    }
    let Value::Array(rc) = &mut own else { return Err(own) };
    let Some(tensor) = Rc::get_mut(rc) else { return Err(own) };
    macro_rules! compute {
        ($v:expr, $t:ident, $kind:ident, $number:ident) => {{
            let onto = |v: &mut [$t], y: Operand<'_, $t>| {
                each_part(v, |range, own| <$t>::combine(op, own, None, y.part(&range), swapped));
            };
            match other {
                Value::Array(y) => {
                    if let Data::$kind(y) = &*y.data.borrow() {
                        onto($v, Operand::Array(y));
                    }
                }
                number => onto($v, Operand::Number(number.$number().unwrap_or_default() as $t)),
            }
        }};
    }
    match tensor.data.get_mut() {
        Data::F32(v) => compute!(v, f32, F32, as_f64),
        Data::F64(v) => compute!(v, f64, F64, as_f64),
        _ => return Err(own),
    }
    Ok(own)
}
