//! Arithmetic on constants, and the built-in operators and functions.

use super::super::imm::SmallImm;
use super::super::line::Place;
use super::super::reg::File;
use super::expr::in_file;
use super::value::Value;

/// Unary operators with names: `floor x`, also written `floor(x)`.
const OPERATORS: &[&str] = &[
    "abs", "ceil", "floor", "exp", "exp2", "exp10", "log", "log2", "log10", "cos", "sin", "tan", "acos", "asin",
    "atan", "cosh", "sinh", "tanh", "acosh", "asinh", "atanh", "erf", "erfc", "sqrt",
];

/// Built-in functions: name and number of arguments.
const FUNCTIONS: &[(&str, usize)] = &[
    ("isConstant", 1),
    ("isRegister", 1),
    ("isRegfileA", 1),
    ("isRegfileB", 1),
    ("isAccu", 1),
    ("isReadable", 1),
    ("isWritable", 1),
    ("isRotate", 1),
    ("isSemaphore", 1),
    ("isSmallImmd", 1),
    ("isLdPE", 1),
    ("isLdPES", 1),
    ("isLdPEU", 1),
    ("countBits", 1),
    ("reverseBits", 2),
    ("ilog2", 1),
    ("float", 1),
    ("sacq", 1),
    ("srel", 1),
];

pub(super) fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name)
}

pub(super) fn operator(name: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|o| **o == name).copied()
}

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(f, _)| *f == name)
}

/// The value of a unary operator.
pub(super) fn unary(op: &str, value: &Value) -> Result<Value, String> {
    match (op, value) {
        ("+", value) => Ok(value.clone()),
        ("-", Value::Int(v)) => Ok(Value::Int(v.wrapping_neg())),
        ("-", Value::Float(v)) => Ok(Value::Float(-v)),
        ("~", Value::Int(v)) => Ok(Value::Int(!v)),
        ("!", value) => value.truth().map(|t| Value::Int((!t).into())).ok_or_else(|| wrong(op, value)),
        ("abs", Value::Int(v)) => Ok(Value::Int(v.wrapping_abs())),
        ("ceil" | "floor", Value::Int(v)) => Ok(Value::Int(*v)),
        ("ceil", Value::Float(v)) => Ok(Value::Int(v.ceil() as i64)),
        ("floor", Value::Float(v)) => Ok(Value::Int(v.floor() as i64)),
        (_, Value::Int(v)) => named(op, *v as f64).ok_or_else(|| wrong(op, value)),
        (_, Value::Float(v)) => named(op, *v).ok_or_else(|| wrong(op, value)),
        _ => Err(wrong(op, value)),
    }
}

fn wrong(op: &str, value: &Value) -> String {
    format!("`{op}` does not apply to {}", value.kind())
}

fn named(op: &str, v: f64) -> Option<Value> {
    Some(Value::Float(match op {
        "abs" => v.abs(),
        "exp" => v.exp(),
        "exp2" => v.exp2(),
        "exp10" => 10f64.powf(v),
        "log" => v.ln(),
        "log2" => v.log2(),
        "log10" => v.log10(),
        "cos" => v.cos(),
        "sin" => v.sin(),
        "tan" => v.tan(),
        "acos" => v.acos(),
        "asin" => v.asin(),
        "atan" => v.atan(),
        "cosh" => v.cosh(),
        "sinh" => v.sinh(),
        "tanh" => v.tanh(),
        "acosh" => v.acosh(),
        "asinh" => v.asinh(),
        "atanh" => v.atanh(),
        "erf" => libm::erf(v),
        "erfc" => libm::erfc(v),
        "sqrt" => v.sqrt(),
        _ => return None,
    }))
}

/// The value of a binary operator on constants and labels.
pub(super) fn binary(op: &str, left: &Value, right: &Value) -> Result<Value, String> {
    use Value::{Float, Int, Label};
    match (left, right) {
        (Int(a), Int(b)) => integers(op, *a, *b),
        (Float(a), Int(b)) if matches!(op, "<<" | ">>") => {
            let by = if op == "<<" { *b } else { b.wrapping_neg() };
            Ok(Float(a * 2f64.powi(by.clamp(-4000, 4000) as i32)))
        }
        (Float(a), Float(b)) => floats(op, *a, *b),
        (Float(a), Int(b)) if op != "===" && op != "!==" => floats(op, *a, *b as f64),
        (Int(a), Float(b)) if op != "===" && op != "!==" => floats(op, *a as f64, *b),
        (Label { address, relative }, Int(by)) if matches!(op, "+" | "-") => {
            let by = if op == "-" { by.wrapping_neg() } else { *by };
            Ok(Label { address: address.wrapping_add(by), relative: *relative })
        }
        (Int(by), Label { address, relative }) if op == "+" => {
            Ok(Label { address: address.wrapping_add(*by), relative: *relative })
        }
        (Label { address: a, .. }, Label { address: b, .. }) if op != "+" => integers(op, *a, *b),
        (a, b) => match op {
            "==" | "===" => Ok(Int((a == b).into())),
            "!=" | "!==" => Ok(Int((a != b).into())),
            _ => Err(format!("`{op}` does not apply to {} and {}", a.kind(), b.kind())),
        },
    }
}

fn compare(op: &str, ordering: Option<std::cmp::Ordering>) -> Option<Value> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let is = |wanted: &[std::cmp::Ordering]| ordering.is_some_and(|o| wanted.contains(&o));
    Some(Value::Int(match op {
        ">" => is(&[Greater]).into(),
        ">=" => is(&[Greater, Equal]).into(),
        "<" => is(&[Less]).into(),
        "<=" => is(&[Less, Equal]).into(),
        "==" => is(&[Equal]).into(),
        "!=" => (!is(&[Equal])).into(),
        "<=>" => ordering.map_or(-0x8000_0000, |o| o as i64),
        _ => return None,
    }))
}

fn integers(op: &str, a: i64, b: i64) -> Result<Value, String> {
    if let Some(value) = compare(op, Some(a.cmp(&b))) {
        return Ok(value);
    }
    let shift = |a: i64, by: i64| match by {
        0..=63 => a.wrapping_shl(by as u32),
        64.. => 0,
        -63..=-1 => a >> -by,
        _ => a >> 63,
    };
    let logical = |a: i64, by: i64| match by {
        0..=63 => (a as u64).wrapping_shl(by as u32) as i64,
        -63..=-1 => ((a as u64) >> -by) as i64,
        _ => 0,
    };
    Ok(Value::Int(match op {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err("division by zero".to_string()),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "**" => match u32::try_from(b) {
            Ok(n) => a
                .checked_pow(n)
                .ok_or_else(|| format!("{a} ** {n} has more than 64 bits; write `{a}.0 ** {n}` for a float"))?,
            Err(_) => return Ok(Value::Float((a as f64).powf(b as f64))),
        },
        "<<" | "<<<" if b > 63 && a != 0 => return Err(format!("{a} {op} {b} has more than 64 bits")),
        "<<" => shift(a, b),
        ">>" => shift(a, b.saturating_neg()),
        "<<<" => logical(a, b),
        ">>>" => logical(a & if (-0x8000_0000..0).contains(&a) { 0xffff_ffff } else { -1 }, b.saturating_neg()),
        "><<" => (a as u32).rotate_left(b.rem_euclid(32) as u32).into(),
        ">><" => (a as u32).rotate_right(b.rem_euclid(32) as u32).into(),
        "><<<" => (a as u64).rotate_left(b.rem_euclid(64) as u32) as i64,
        ">>><" => (a as u64).rotate_right(b.rem_euclid(64) as u32) as i64,
        "===" => (a == b).into(),
        "!==" => (a != b).into(),
        "&" => a & b,
        "^" => a ^ b,
        "!^" => !(a ^ b),
        "|" => a | b,
        "&&" => (a != 0 && b != 0).into(),
        "^^" => ((a != 0) != (b != 0)).into(),
        "!^^" => ((a != 0) == (b != 0)).into(),
        "||" => (a != 0 || b != 0).into(),
        _ => return Err(format!("`{op}` does not apply to integers")),
    }))
}

fn floats(op: &str, a: f64, b: f64) -> Result<Value, String> {
    if let Some(value) = compare(op, a.partial_cmp(&b)) {
        return Ok(value);
    }
    Ok(Value::Float(match op {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "%" => a % b,
        "**" => a.powf(b),
        "===" => return Ok(Value::Int((a.to_bits() == b.to_bits()).into())),
        "!==" => return Ok(Value::Int((a.to_bits() != b.to_bits()).into())),
        _ => return Err(format!("`{op}` does not apply to floats")),
    }))
}

/// The value of a built-in function.
pub(super) fn function(name: &str, args: &[Value]) -> Result<Value, String> {
    let wanted = FUNCTIONS.iter().find(|(f, _)| *f == name).map_or(0, |(_, n)| *n);
    if args.len() != wanted {
        return Err(format!("`{name}` takes {wanted} argument(s), not {}", args.len()));
    }
    let x = &args[0];
    let reg = if let Value::Reg(reg) = x { Some(reg) } else { None };
    let flag = |b: bool| Ok(Value::Int(b.into()));
    let lanes = |least: i8, most: i8| matches!(x, Value::PerLane(v) if v.iter().all(|v| (least..=most).contains(v)));
    match name {
        "isConstant" => flag(matches!(x, Value::Int(_) | Value::Float(_) | Value::PerLane(_))),
        "isRegister" => flag(reg.is_some() || matches!(x, Value::Sema(..))),
        "isRegfileA" => flag(reg.is_some_and(|r| in_file(r, File::A))),
        "isRegfileB" => flag(reg.is_some_and(|r| in_file(r, File::B))),
        "isAccu" => flag(reg.is_some_and(|r| matches!(r.named.read.or(r.named.write), Some(Place::Acc(_))))),
        "isReadable" => flag(reg.is_some_and(|r| r.named.read.is_some())),
        "isWritable" => flag(reg.is_some_and(|r| r.named.write.is_some())),
        "isRotate" => flag(reg.is_some_and(|r| r.rotate.is_some())),
        "isSemaphore" => flag(matches!(x, Value::Sema(..))),
        "isSmallImmd" => flag(x.bits().and_then(SmallImm::from_bits).is_some()),
        "isLdPE" => flag(matches!(x, Value::PerLane(_))),
        "isLdPES" => flag(lanes(-2, 1)),
        "isLdPEU" => flag(lanes(0, 3)),
        "float" => unary("+", x).and_then(|v| match v {
            Value::Int(v) => Ok(Value::Float(v as f64)),
            Value::Float(v) => Ok(Value::Float(v)),
            other => Err(wrong(name, &other)),
        }),
        _ => integer_function(name, args),
    }
}

fn integer_function(name: &str, args: &[Value]) -> Result<Value, String> {
    let mut ints = [0i64; 2];
    for (slot, arg) in ints.iter_mut().zip(args) {
        match arg {
            Value::Int(v) => *slot = *v,
            other => return Err(wrong(name, other)),
        }
    }
    let [x, n] = ints;
    match name {
        "countBits" => Ok(Value::Int(x.count_ones().into())),
        "reverseBits" if (1..=64).contains(&n) => Ok(Value::Int(((x as u64).reverse_bits() >> (64 - n)) as i64)),
        "reverseBits" => Err("`reverseBits` takes 1 to 64 bits".to_string()),
        "ilog2" => Ok(Value::Int(63 - i64::from(x.leading_zeros()))),
        "sacq" | "srel" => Ok(Value::Sema(name == "sacq", x)),
        _ => Err(format!("`{name}` is no function")),
    }
}
