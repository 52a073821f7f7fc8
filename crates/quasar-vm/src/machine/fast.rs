//! The machine's fast cases: plain numbers, and single elements of vectors and matrices. Results are written in place, tag and
//! payload apart, because a value that is put together elsewhere and then moved costs a stalled load.

use crate::code::Reg;
use crate::tensor::Data;
use crate::value::Value;
use quadra_quasar_hir::op2::Op2;

/// Writes a single into a register.
#[inline(always)]
pub fn put_f32(regs: &mut [Value], d: Reg, x: f32) {
    match &mut regs[d as usize] {
        Value::F32(old) => *old = x,
        slot => *slot = Value::F32(x),
    }
}

/// Writes a double into a register.
#[inline(always)]
pub fn put_f64(regs: &mut [Value], d: Reg, x: f64) {
    match &mut regs[d as usize] {
        Value::F64(old) => *old = x,
        slot => *slot = Value::F64(x),
    }
}

/// Writes an `int` into a register.
#[inline(always)]
pub fn put_int(regs: &mut [Value], d: Reg, x: i32) {
    match &mut regs[d as usize] {
        Value::Int(old) => *old = x,
        slot => *slot = Value::Int(x),
    }
}

/// Writes a copy of a value into a register.
#[inline(always)]
pub fn put(regs: &mut [Value], d: Reg, v: &Value) {
    match v {
        Value::Int(x) => put_int(regs, d, *x),
        Value::F32(x) => put_f32(regs, d, *x),
        Value::F64(x) => put_f64(regs, d, *x),
        other => regs[d as usize] = other.clone(),
    }
}

/// Copies a register that holds a plain number.
#[inline(always)]
pub fn copy_number(regs: &mut [Value], d: Reg, a: Reg) -> bool {
    match &regs[a as usize] {
        Value::Int(x) => {
            let x = *x;
            put_int(regs, d, x);
        }
        Value::F32(x) => {
            let x = *x;
            put_f32(regs, d, x);
        }
        Value::F64(x) => {
            let x = *x;
            put_f64(regs, d, x);
        }
        _ => return false,
    }
    true
}

/// Copies a register.
#[inline(always)]
pub fn copy(regs: &mut [Value], d: Reg, a: Reg) {
    if !copy_number(regs, d, a) {
        let v = regs[a as usize].clone();
        regs[d as usize] = v;
    }
}

macro_rules! on_floats {
    ($op:expr, $x:expr, $y:expr, $regs:expr, $d:expr, $put:path) => {{
        let (x, y) = ($x, $y);
        match $op {
            Op2::Add => $put($regs, $d, x + y),
            Op2::Sub => $put($regs, $d, x - y),
            Op2::Mul => $put($regs, $d, x * y),
            Op2::Div => $put($regs, $d, x / y),
            Op2::Lt => put_int($regs, $d, i32::from(x < y)),
            Op2::Le => put_int($regs, $d, i32::from(x <= y)),
            Op2::Gt => put_int($regs, $d, i32::from(x > y)),
            Op2::Ge => put_int($regs, $d, i32::from(x >= y)),
            Op2::Eq => put_int($regs, $d, i32::from(x == y)),
            Op2::Ne => put_int($regs, $d, i32::from(x != y)),
            _ => return false,
        }
    }};
}

/// An operator on two plain numbers; false if it is another case.
#[inline(always)]
pub fn binary(op: Op2, regs: &mut [Value], d: Reg, a: Reg, b: Reg) -> bool {
    match (&regs[a as usize], &regs[b as usize]) {
        (Value::Int(x), Value::Int(y)) => {
            let (x, y) = (*x, *y);
            let holds = match op {
                Op2::Lt => x < y,
                Op2::Le => x <= y,
                Op2::Gt => x > y,
                Op2::Ge => x >= y,
                Op2::Eq => x == y,
                Op2::Ne => x != y,
                _ => return false,
            };
            put_int(regs, d, i32::from(holds));
        }
        (Value::F32(x), Value::F32(y)) => on_floats!(op, *x, *y, regs, d, put_f32),
        (Value::F64(x), Value::F64(y)) => on_floats!(op, *x, *y, regs, d, put_f64),
        (Value::F32(x), Value::Int(y)) => on_floats!(op, *x, *y as f32, regs, d, put_f32),
        (Value::Int(x), Value::F32(y)) => on_floats!(op, *x as f32, *y, regs, d, put_f32),
        _ => return false,
    }
    true
}

/// `v op= e` on plain numbers of one kind, which keep it.
#[inline(always)]
pub fn compound(op: Op2, regs: &mut [Value], d: Reg, a: Reg, b: Reg) -> bool {
    match (&regs[a as usize], &regs[b as usize]) {
        (Value::F32(x), Value::F32(y)) => on_floats!(op, *x, *y, regs, d, put_f32),
        (Value::F64(x), Value::F64(y)) => on_floats!(op, *x, *y, regs, d, put_f64),
        (Value::F32(x), Value::Int(y)) => on_floats!(op, *x, *y as f32, regs, d, put_f32),
        (Value::Int(x), Value::Int(y)) => {
            let result = match op {
                Op2::Add => x.checked_add(*y),
                Op2::Sub => x.checked_sub(*y),
                Op2::Mul => x.checked_mul(*y),
                _ => None,
            };
            let Some(v) = result else { return false };
            put_int(regs, d, v);
        }
        _ => return false,
    }
    true
}

/// A number out of an array, outside of any borrow.
enum Number {
    F32(f32),
    F64(f64),
    Int(i32),
}

#[inline(always)]
fn number(data: &Data, k: usize) -> Option<Number> {
    match data {
        Data::F32(v) => v.get(k).map(|x| Number::F32(*x)),
        Data::F64(v) => v.get(k).map(|x| Number::F64(*x)),
        Data::Int(v) => v.get(k).map(|x| Number::Int(*x)),
        _ => None,
    }
}

#[inline(always)]
fn put_number(regs: &mut [Value], d: Reg, n: Option<Number>) -> bool {
    match n {
        Some(Number::F32(x)) => put_f32(regs, d, x),
        Some(Number::F64(x)) => put_f64(regs, d, x),
        Some(Number::Int(x)) => put_int(regs, d, x),
        None => return false,
    }
    true
}

/// `v[i]` within a vector of numbers.
#[inline(always)]
pub fn element(regs: &mut [Value], d: Reg, a: Reg, i: Reg) -> bool {
    let n = match (&regs[a as usize], &regs[i as usize]) {
        (Value::Array(t), Value::Int(k)) if t.is_vector() => number(&t.data.borrow(), *k as usize),
        _ => None,
    };
    put_number(regs, d, n)
}

/// `m[i,j]` within a matrix of numbers.
#[inline(always)]
pub fn element2(regs: &mut [Value], d: Reg, a: Reg, i: Reg, j: Reg) -> bool {
    let n = match (&regs[a as usize], &regs[i as usize], &regs[j as usize]) {
        (Value::Array(t), Value::Int(i), Value::Int(j)) if t.shape.len() == 2 => {
            let (i, j) = (*i as usize, *j as usize);
            if i < t.shape[0] && j < t.shape[1] { number(&t.data.borrow(), i * t.shape[1] + j) } else { None }
        }
        _ => None,
    };
    put_number(regs, d, n)
}

/// `v[i] = x` within a vector of the same kind.
#[inline(always)]
pub fn store(regs: &[Value], a: Reg, i: Reg, value: Reg) -> bool {
    let (Value::Array(t), Value::Int(k)) = (&regs[a as usize], &regs[i as usize]) else { return false };
    if !t.is_vector() {
        return false;
    }
    match (&mut *t.data.borrow_mut(), &regs[value as usize]) {
        (Data::F32(v), Value::F32(x)) => match v.get_mut(*k as usize) {
            Some(slot) => *slot = *x,
            None => return false,
        },
        (Data::F64(v), Value::F64(x)) => match v.get_mut(*k as usize) {
            Some(slot) => *slot = *x,
            None => return false,
        },
        _ => return false,
    }
    true
}
