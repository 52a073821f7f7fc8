//! Writing values into elements: conversion to the element type.

use super::fault::Res;
use super::tensor::Data;
use super::typing::{fit_float, fit_int};
use super::value::Value;
use quadra_quasar_hir::types::{Fit, IntKind};

/// What became of a value that was to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    Stored,
    /// A float was truncated, which the user is told once per line.
    Truncated,
    /// The element type does not take such values.
    Refused,
}

/// Stores `value` at position `i`, which must exist.
pub fn put(data: &mut Data, i: usize, value: &Value, fit: Fit) -> Res<Put> {
    macro_rules! int {
        ($v:expr, $kind:expr, $t:ty) => {{
            let kind = $kind;
            match value {
                Value::Int(x) => $v[i] = fit_int(i128::from(*x), kind, fit)? as $t,
                Value::IntN(IntKind::U64, x) => $v[i] = fit_int(i128::from(*x as u64), kind, fit)? as $t,
                Value::IntN(_, x) => $v[i] = fit_int(i128::from(*x), kind, fit)? as $t,
                other => match other.as_f64() {
                    Some(x) => {
                        $v[i] = fit_float(x, kind, fit)? as $t;
                        return Ok(Put::Truncated);
                    }
                    None => return Ok(Put::Refused),
                },
            }
        }};
    }
    match data {
        Data::F32(v) => match value.as_f64() {
            Some(x) => v[i] = x as f32,
            None => return Ok(Put::Refused),
        },
        Data::F64(v) => match value.as_f64() {
            Some(x) => v[i] = x,
            None => return Ok(Put::Refused),
        },
        Data::F16(v) => match value.as_f64() {
            Some(x) => v[i] = super::scalar_ops::round_half(x as f32),
            None => return Ok(Put::Refused),
        },
        Data::C32(v) => match value.as_complex() {
            Some(z) => v[i] = [z[0] as f32, z[1] as f32],
            None => return Ok(Put::Refused),
        },
        Data::C64(v) => match value.as_complex() {
            Some(z) => v[i] = z,
            None => return Ok(Put::Refused),
        },
        Data::Cell(v) => v[i] = value.clone(),
        Data::Mask(v) => match value {
            Value::Int(x @ (0 | 1)) => v[i] = *x as u8,
            _ => {
                // Anything but a truth value makes a plain integer array of the mask.
                let mut ints = Data::Int(v.iter().map(|x| i32::from(*x)).collect());
                let result = put(&mut ints, i, value, fit)?;
                *data = ints;
                return Ok(result);
            }
        },
        Data::Int(v) => int!(v, IntKind::Int, i32),
        Data::I8(v) => int!(v, IntKind::I8, i8),
        Data::I16(v) => int!(v, IntKind::I16, i16),
        Data::I32(v) => int!(v, IntKind::I32, i32),
        Data::I64(v) => int!(v, IntKind::I64, i64),
        Data::U8(v) => int!(v, IntKind::U8, u8),
        Data::U16(v) => int!(v, IntKind::U16, u16),
        Data::U32(v) => int!(v, IntKind::U32, u32),
        Data::U64(v) => int!(v, IntKind::U64, u64),
    }
    Ok(Put::Stored)
}
