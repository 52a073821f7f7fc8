//! The operations of both ALUs as LLVM IR on `<16 x i32>`.
//!
//! Float operations are those of the processor, which is in a mode that rounds toward zero and flushes denormals while
//! translated code runs. LLVM is told that it does not know the mode, or it would compute with values that it knows (a register
//! less itself, shifted, is one) to nearest. Constants come out of memory besides.

use super::text::{Text, V, splat};
use quadra_isa::vc4::{AddOp, MulOp, Unpack};

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7fff_ffff;
const EXPONENT: u32 = 0x7f80_0000;

/// The value, with +0 for -0.
pub fn canonical(t: &mut Text, v: &str) -> String {
    let is = t.def(&format!("icmp eq {V} {v}, {}", splat(SIGN)));
    t.def(&format!("select <16 x i1> {is}, {V} zeroinitializer, {V} {v}"))
}

/// The lanes that are no numbers.
pub fn not_numbers(t: &mut Text, v: &str) -> String {
    let f = as_float(t, v);
    t.def(&format!("fcmp uno <16 x float> {f}, {f}"))
}

fn as_float(t: &mut Text, v: &str) -> String {
    t.def(&format!("bitcast {V} {v} to <16 x float>"))
}

const FLOATS: &str = "<16 x float>";

/// An operation that is rounded, on operands each with its type; a value of 16 floats.
fn rounded(t: &mut Text, op: &str, operands: &[(&str, &str)]) -> String {
    let types: Vec<&str> = operands.iter().map(|o| o.0).collect();
    let suffix = if op == "sitofp" { "v16f32.v16i32" } else { "v16f32" };
    let name = format!("llvm.experimental.constrained.{op}.{suffix}");
    t.declare(&format!("declare {FLOATS} @{name}({}, metadata, metadata)", types.join(", ")));
    let operands: Vec<String> = operands.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
    let how = "metadata !\"round.dynamic\", metadata !\"fpexcept.ignore\"";
    t.def(&format!("call {FLOATS} @{name}({}, {how})", operands.join(", ")))
}

fn float_op(t: &mut Text, op: &str, a: &str, b: &str) -> String {
    let (a, b) = (as_float(t, a), as_float(t, b));
    let r = rounded(t, op, &[(FLOATS, &a), (FLOATS, &b)]);
    t.def(&format!("bitcast {FLOATS} {r} to {V}"))
}

fn int_op(t: &mut Text, op: &str, a: &str, b: &str) -> String {
    t.def(&format!("{op} {V} {a}, {b}"))
}

fn choose(t: &mut Text, mask: &str, a: &str, b: &str) -> String {
    t.def(&format!("select <16 x i1> {mask}, {V} {a}, {V} {b}"))
}

fn compare(t: &mut Text, cond: &str, a: &str, b: &str) -> String {
    t.def(&format!("icmp {cond} {V} {a}, {b}"))
}

fn magnitude(t: &mut Text, v: &str) -> String {
    int_op(t, "and", v, &splat(MAGNITUDE))
}

fn shift_count(t: &mut Text, b: &str) -> String {
    int_op(t, "and", b, &splat(31))
}

/// Integers that order floats as the hardware does.
fn key(t: &mut Text, v: &str) -> String {
    let sign = int_op(t, "ashr", v, &splat(31));
    let flipped = magnitude(t, v);
    let flipped = int_op(t, "xor", &flipped, &sign);
    int_op(t, "sub", &flipped, &sign)
}

fn call2(t: &mut Text, name: &str, a: &str, b: &str) -> String {
    t.declare(&format!("declare {V} @llvm.{name}.v16i32({V}, {V})"));
    t.def(&format!("call {V} @llvm.{name}.v16i32({V} {a}, {V} {b})"))
}

/// An operation on 64 bytes.
fn bytes(t: &mut Text, name: &str, a: &str, b: &str) -> String {
    t.declare(&format!("declare <64 x i8> @llvm.{name}.v64i8(<64 x i8>, <64 x i8>)"));
    let a = t.def(&format!("bitcast {V} {a} to <64 x i8>"));
    let b = t.def(&format!("bitcast {V} {b} to <64 x i8>"));
    let r = t.def(&format!("call <64 x i8> @llvm.{name}.v64i8(<64 x i8> {a}, <64 x i8> {b})"));
    t.def(&format!("bitcast <64 x i8> {r} to {V}"))
}

/// Byte products divided by 255 and rounded: (n + 1 + n / 256) / 256 for n = x y + 127, which is exact for bytes.
fn byte_product(t: &mut Text, a: &str, b: &str) -> String {
    let wide = |t: &mut Text, v: &str| {
        let v = t.def(&format!("bitcast {V} {v} to <64 x i8>"));
        t.def(&format!("zext <64 x i8> {v} to <64 x i16>"))
    };
    let constant = |n: u32| format!("<{}>", vec![format!("i16 {n}"); 64].join(", "));
    let (a, b) = (wide(t, a), wide(t, b));
    let n = t.def(&format!("mul <64 x i16> {a}, {b}"));
    let n = t.def(&format!("add <64 x i16> {n}, {}", constant(127)));
    let high = t.def(&format!("lshr <64 x i16> {n}, {}", constant(8)));
    let n = t.def(&format!("add <64 x i16> {n}, {}", constant(1)));
    let n = t.def(&format!("add <64 x i16> {n}, {high}"));
    let n = t.def(&format!("lshr <64 x i16> {n}, {}", constant(8)));
    let r = t.def(&format!("trunc <64 x i16> {n} to <64 x i8>"));
    t.def(&format!("bitcast <64 x i8> {r} to {V}"))
}

/// The result of the add ALU. The operands of operations on integers hold no -0 that stands for +0.
pub fn add_op(t: &mut Text, op: AddOp, a: &str, b: &str) -> String {
    match op {
        AddOp::Nop => "zeroinitializer".into(),
        AddOp::Fadd => float_op(t, "fadd", a, b),
        AddOp::Fsub => float_op(t, "fsub", a, b),
        AddOp::Fmin | AddOp::Fmax => {
            let (x, y) = (key(t, a), key(t, b));
            let greater = compare(t, "sgt", &x, &y);
            if op == AddOp::Fmin { choose(t, &greater, b, a) } else { choose(t, &greater, a, b) }
        }
        AddOp::Fminabs | AddOp::Fmaxabs => {
            let (x, y) = (magnitude(t, a), magnitude(t, b));
            call2(t, if op == AddOp::Fminabs { "smin" } else { "smax" }, &x, &y)
        }
        AddOp::Ftoi => {
            // Magnitudes below 2^31 convert; all others, NaN among them, give 0.
            let size = magnitude(t, a);
            let fits = compare(t, "ult", &size, &splat(0x4f00_0000));
            let v = choose(t, &fits, a, "zeroinitializer");
            let f = as_float(t, &v);
            t.def(&format!("fptosi <16 x float> {f} to {V}"))
        }
        AddOp::Itof => {
            let f = rounded(t, "sitofp", &[(V, a)]);
            t.def(&format!("bitcast <16 x float> {f} to {V}"))
        }
        AddOp::Add => int_op(t, "add", a, b),
        AddOp::Sub => int_op(t, "sub", a, b),
        AddOp::Shr | AddOp::Asr | AddOp::Shl => {
            let count = shift_count(t, b);
            let name = match op {
                AddOp::Shr => "lshr",
                AddOp::Asr => "ashr",
                _ => "shl",
            };
            int_op(t, name, a, &count)
        }
        AddOp::Ror => rotate_right(t, a, b),
        AddOp::Min => call2(t, "smin", a, b),
        AddOp::Max => call2(t, "smax", a, b),
        AddOp::And => int_op(t, "and", a, b),
        AddOp::Or => int_op(t, "or", a, b),
        AddOp::Xor => int_op(t, "xor", a, b),
        AddOp::Not => int_op(t, "xor", a, &splat(!0)),
        AddOp::Clz => {
            t.declare(&format!("declare {V} @llvm.ctlz.v16i32({V}, i1 immarg)"));
            t.def(&format!("call {V} @llvm.ctlz.v16i32({V} {a}, i1 false)"))
        }
        AddOp::V8adds => bytes(t, "uadd.sat", a, b),
        AddOp::V8subs => bytes(t, "usub.sat", a, b),
    }
}

fn rotate_right(t: &mut Text, a: &str, b: &str) -> String {
    t.declare(&format!("declare {V} @llvm.fshr.v16i32({V}, {V}, {V})"));
    t.def(&format!("call {V} @llvm.fshr.v16i32({V} {a}, {V} {a}, {V} {b})"))
}

/// The result of the mul ALU.
pub fn mul_op(t: &mut Text, op: MulOp, a: &str, b: &str) -> String {
    match op {
        MulOp::Nop => "zeroinitializer".into(),
        MulOp::Fmul => float_op(t, "fmul", a, b),
        MulOp::Mul24 => {
            let a = int_op(t, "and", a, &splat(0xff_ffff));
            let b = int_op(t, "and", b, &splat(0xff_ffff));
            int_op(t, "mul", &a, &b)
        }
        MulOp::V8muld => byte_product(t, a, b),
        MulOp::V8min => bytes(t, "umin", a, b),
        MulOp::V8max => bytes(t, "umax", a, b),
        MulOp::V8adds => bytes(t, "uadd.sat", a, b),
        MulOp::V8subs => bytes(t, "usub.sat", a, b),
    }
}

/// Flag C of the add ALU's result `r`.
pub fn add_carry(t: &mut Text, op: AddOp, a: &str, b: &str, r: &str) -> String {
    match op {
        AddOp::Fadd | AddOp::Fsub => compare(t, "sgt", r, "zeroinitializer"),
        AddOp::Itof => compare(t, "sgt", a, "zeroinitializer"),
        AddOp::Fmin | AddOp::Fmax => {
            let (x, y) = (key(t, a), key(t, b));
            compare(t, "sgt", &x, &y)
        }
        AddOp::Fminabs | AddOp::Fmaxabs => {
            let (x, y) = (magnitude(t, a), magnitude(t, b));
            compare(t, "sgt", &x, &y)
        }
        AddOp::Add => compare(t, "ult", r, a),
        AddOp::Sub => compare(t, "ult", a, b),
        AddOp::Min | AddOp::Max => compare(t, "sgt", a, b),
        // The last bit pushed out is bit count-1 (right) or bit 32-count (left); a count of 0 pushes none out.
        AddOp::Shr | AddOp::Asr | AddOp::Shl => {
            let by = match op {
                AddOp::Shl => int_op(t, "sub", "zeroinitializer", b),
                _ => int_op(t, "sub", b, &splat(1)),
            };
            let last = rotate_right(t, a, &by);
            let last = int_op(t, "and", &last, &splat(1));
            let set = compare(t, "ne", &last, "zeroinitializer");
            let count = shift_count(t, b);
            let some = compare(t, "ne", &count, "zeroinitializer");
            t.def(&format!("and <16 x i1> {set}, {some}"))
        }
        _ => "zeroinitializer".into(),
    }
}

/// Flag C of the mul ALU's result: products of more than 24 bits.
pub fn mul_carry(t: &mut Text, op: MulOp, a: &str, b: &str) -> String {
    if op != MulOp::Mul24 {
        return "zeroinitializer".into();
    }
    let wide = |t: &mut Text, v: &str| {
        let v = int_op(t, "and", v, &splat(0xff_ffff));
        t.def(&format!("zext {V} {v} to <16 x i64>"))
    };
    let (a, b) = (wide(t, a), wide(t, b));
    let product = t.def(&format!("mul <16 x i64> {a}, {b}"));
    let limit = format!("<{}>", vec!["i64 16777215"; 16].join(", "));
    t.def(&format!("icmp ugt <16 x i64> {product}, {limit}"))
}

/// The operand that an unpack code makes of a value; see `quadra_isa::vc4::emu::pack::unpack`.
pub fn unpack(t: &mut Text, code: Unpack, v: &str, float: bool) -> String {
    let down = |t: &mut Text, bits: u32| if bits == 0 { v.to_string() } else { int_op(t, "lshr", v, &splat(bits)) };
    match code.code() {
        0 => v.into(),
        n @ (1 | 2) if float => {
            let low = down(t, 16 * (u32::from(n) - 1));
            half(t, &low)
        }
        n @ (1 | 2) => {
            let up = if n == 1 { int_op(t, "shl", v, &splat(16)) } else { v.to_string() };
            int_op(t, "ashr", &up, &splat(16))
        }
        3 => {
            let byte = down(t, 24);
            int_op(t, "mul", &byte, &splat(0x0101_0101))
        }
        n => {
            let byte = down(t, 8 * (u32::from(n) - 4));
            let byte = int_op(t, "and", &byte, &splat(255));
            if !float {
                return byte;
            }
            // The mode of rounding makes this quotient the truncated one.
            let f = t.def(&format!("sitofp {V} {byte} to <16 x float>"));
            let by = format!("<{}>", vec!["float 255.0"; 16].join(", "));
            let r = rounded(t, "fdiv", &[(FLOATS, &f), (FLOATS, &by)]);
            t.def(&format!("bitcast <16 x float> {r} to {V}"))
        }
    }
}

/// The float of a half float in the low bits.
fn half(t: &mut Text, v: &str) -> String {
    let sign = int_op(t, "and", v, &splat(0x8000));
    let sign = int_op(t, "shl", &sign, &splat(16));
    let size = int_op(t, "and", v, &splat(0x7fff));
    let size = int_op(t, "shl", &size, &splat(13));
    let exponent = int_op(t, "and", &size, &splat(0x0f80_0000));
    let rebased = int_op(t, "add", &size, &splat((127 - 15) << 23));
    let none = compare(t, "eq", &exponent, "zeroinitializer");
    let all = compare(t, "eq", &exponent, &splat(0x0f80_0000));
    let infinite = int_op(t, "or", &size, &splat(EXPONENT));
    let r = choose(t, &none, &size, &rebased);
    let r = choose(t, &all, &infinite, &r);
    int_op(t, "or", &r, &sign)
}
