//! Element-wise functions of one and two operands.

use super::{Builtin, Run, row};
use crate::arith::{Kind, Mode, complex_data, is_cell, to_c64, to_f64, to_i64};
use crate::fault::{Fault, Res, fault};
use crate::logarithm::{log10, log10_of_double};
use crate::scalar_ops::round_half;
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use crate::{bulk, exact, index, typing};
use quadra_kir::eval::{elementary, exponential};
use quadra_quasar_hir::meaning::{Boundary, Meaning, Term};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::IntKind;

macro_rules! float_function {
    ($name:ident, $t:ty, $exp:path, $log10:path) => {
        /// The function on one floating-point number, with the results of kernels.
        #[inline]
        pub fn $name(op: Op1, x: $t) -> $t {
            match op {
                Op1::Sin => elementary::sin(x),
                Op1::Cos => elementary::cos(x),
                Op1::Tan => elementary::tan(x),
                Op1::Asin => elementary::asin(x),
                Op1::Acos => elementary::acos(x),
                Op1::Atan => elementary::atan(x),
                Op1::Sinh => elementary::sinh(x),
                Op1::Cosh => elementary::cosh(x),
                Op1::Tanh => elementary::tanh(x),
                Op1::Exp => $exp(x),
                Op1::Log => elementary::log(x),
                Op1::Log2 => elementary::log2(x),
                Op1::Log10 => $log10(x),
                Op1::Sqrt => x.sqrt(),
                Op1::Abs => x.abs(),
                Op1::Sign => {
                    if x > 0.0 {
                        1.0
                    } else if x < 0.0 {
                        -1.0
                    } else {
                        x * 0.0
                    }
                }
                Op1::Floor => x.floor(),
                Op1::Ceil => x.ceil(),
                Op1::Round => x.round(),
                Op1::Fix => x.trunc(),
                Op1::Frac => x - x.floor(),
                Op1::Saturate => x.clamp(0.0, 1.0),
                Op1::Real | Op1::Conj => x,
                Op1::Imag => 0.0,
                Op1::Angle => {
                    if x < 0.0 {
                        std::f64::consts::PI as $t
                    } else if x.is_nan() {
                        x
                    } else {
                        0.0
                    }
                }
                Op1::Neg => -x,
                Op1::IsNan => <$t>::from(u8::from(x.is_nan())),
                Op1::IsInf => <$t>::from(u8::from(x.is_infinite())),
                Op1::Not => <$t>::from(u8::from(x == 0.0)),
                Op1::BitNot => !(x as i64) as $t,
            }
        }
    };
}
float_function!(float32, f32, exponential::exp, log10);
float_function!(float64, f64, elementary::exp, log10_of_double);

fn complex(op: Op1, z: [f64; 2]) -> Option<[f64; 2]> {
    let [re, im] = z;
    Some(match op {
        Op1::Abs => [re.hypot(im), 0.0],
        Op1::Real => [re, 0.0],
        Op1::Imag => [im, 0.0],
        Op1::Conj => [re, -im],
        Op1::Angle => [im.atan2(re), 0.0],
        Op1::Neg => [-re, -im],
        Op1::Exp => [re.exp() * im.cos(), re.exp() * im.sin()],
        Op1::Log => [re.hypot(im).ln(), im.atan2(re)],
        Op1::Log2 => [re.hypot(im).log2(), im.atan2(re) / std::f64::consts::LN_2],
        Op1::Log10 => [re.hypot(im).log10(), im.atan2(re) / std::f64::consts::LN_10],
        Op1::Sinh => [re.sinh() * im.cos(), re.cosh() * im.sin()],
        Op1::Cosh => [re.cosh() * im.cos(), re.sinh() * im.sin()],
        Op1::Round => [re.round(), im.round()],
        // Roots of the length and of one part, so that real and imaginary results stay exact.
        Op1::Sqrt => {
            let a = ((re.hypot(im) + re.abs()) / 2.0).sqrt();
            let b = if a == 0.0 { 0.0 } else { im.abs() / (2.0 * a) };
            if re >= 0.0 { [a, b.copysign(im)] } else { [b, a.copysign(im)] }
        }
        Op1::Sin => [re.sin() * im.cosh(), re.cos() * im.sinh()],
        Op1::Cos => [re.cos() * im.cosh(), -re.sin() * im.sinh()],
        Op1::IsNan => [f64::from(u8::from(re.is_nan() || im.is_nan())), 0.0],
        Op1::IsInf => [f64::from(u8::from(re.is_infinite() || im.is_infinite())), 0.0],
        Op1::Not => [f64::from(u8::from(re == 0.0 && im == 0.0)), 0.0],
        _ => return None,
    })
}

fn integer(op: Op1, x: i64, wide: bool, mode: Mode) -> Res<i64> {
    let y = match op {
        Op1::Abs => x.checked_abs(),
        Op1::Neg => x.checked_neg(),
        Op1::Sign => Some(x.signum()),
        Op1::Frac => Some(0),
        Op1::BitNot => Some(!x),
        _ => Some(x),
    };
    match y {
        Some(y) if wide || i32::try_from(y).is_ok() => Ok(y),
        _ if mode.device => Ok(x),
        _ => fault!("Q0327", "integer overflow in {op:?} of {x}"; "use a scalar: write a decimal point"),
    }
}

/// The result for a plain number.
#[inline]
pub fn fast(op: Op1, v: &Value) -> Option<Value> {
    match v {
        Value::F32(x) if !op.is_test() => Some(Value::F32(float32(op, *x))),
        Value::F64(x) if !op.is_test() => Some(Value::F64(float64(op, *x))),
        Value::Int(x) if matches!(op, Op1::Floor | Op1::Ceil | Op1::Round | Op1::Fix) => Some(Value::Int(*x)),
        _ => None,
    }
}

/// Applies the function to a number, an array, or the elements of a cell.
pub fn map(op: Op1, v: &Value, mode: Mode) -> Res<Value> {
    if let Some(v) = fast(op, v) {
        return Ok(v);
    }
    match v {
        Value::Array(t) if is_cell(v) => {
            let _level = crate::arith::Level::enter()?;
            if !crate::memory::fits(64) {
                return Err(Fault::new("Q0310", "out of memory: a function on cells"));
            }
            let items: Res<Vec<Value>> = (0..t.len())
                .map(|i| match t.get(i).unwrap_or_default() {
                    Value::Unset => Ok(Value::Unset),
                    item => map(op, &item, mode),
                })
                .collect();
            Ok(Value::array(Tensor::new(t.shape.clone(), Data::Cell(items?))))
        }
        Value::Array(t) => {
            let data = map_data(op, &t.data.borrow(), mode)?;
            Ok(Value::array(Tensor::new(t.shape.clone(), data)))
        }
        v if v.is_number() => scalar(op, v, mode),
        v => {
            let ty = typing::type_of(v, mode.double);
            let name = format!("{op:?}").to_lowercase();
            fault!("Q0324", "'{name}' is not defined for '{ty}'"; "it works on numbers, arrays and cells of these")
        }
    }
}

fn undefined_complex(op: Op1) -> Box<Fault> {
    let name = format!("{op:?}").to_lowercase();
    Fault::new("Q0325", format!("'{name}' is not defined for complex numbers"))
        .help("use it on real(z), imag(z) or abs(z)")
}

fn scalar(op: Op1, v: &Value, mode: Mode) -> Res<Value> {
    let kind = Kind::of(v).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        let z = complex(op, v.as_complex().unwrap_or_default()).ok_or_else(|| undefined_complex(op))?;
        let double = kind == Kind::C64;
        return Ok(match op {
            _ if op.is_test() => Value::Int(z[0] as i32),
            _ if op.gives_real() => Value::scalar(z[0], double),
            _ => Value::complex(z[0], z[1], double),
        });
    }
    let x = v.as_f64().unwrap_or(f64::NAN);
    if op.is_test() {
        return Ok(Value::Int(float64(op, x) as i32));
    }
    if kind.is_int() && op.keeps_int() {
        let y = integer(op, v.as_index().unwrap_or(0), kind == Kind::Wide, mode)?;
        return Ok(match v {
            Value::IntN(k @ (IntKind::I64 | IntKind::U64), _) => Value::IntN(*k, y),
            _ => i32::try_from(y).map_or(Value::IntN(IntKind::I64, y), Value::Int),
        });
    }
    Ok(match kind {
        Kind::F16 => Value::F16(round_half(float32(op, x as f32))),
        _ => Value::scalar(float64(op, x), mode.double),
    })
}

fn map_data(op: Op1, data: &Data, mode: Mode) -> Res<Data> {
    let quick = match data {
        Data::C32(v) => exact::of_complex(op, v),
        data if op.is_test() => exact::tested(op, data),
        _ => None,
    };
    if let Some(data) = quick {
        return Ok(data);
    }
    let kind = Kind::of_data(data).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        let double = kind == Kind::C64;
        let values: Option<Vec<[f64; 2]>> = to_c64(data).into_iter().map(|z| complex(op, z)).collect();
        let values = values.ok_or_else(|| undefined_complex(op))?;
        return Ok(match op {
            _ if op.is_test() => Data::Mask(values.into_iter().map(|z| z[0] as u8).collect()),
            _ if op.gives_real() => crate::tensor::real_data(values.into_iter().map(|z| z[0]).collect(), double),
            _ => complex_data(values, double),
        });
    }
    if op.is_test() {
        return Ok(Data::Mask(to_f64(data).iter().map(|x| float64(op, *x) as u8).collect()));
    }
    if kind.is_int() && op.keeps_int() {
        let values: Vec<i64> =
            to_i64(data).into_iter().map(|x| integer(op, x, kind == Kind::Wide, mode)).collect::<Res<_>>()?;
        return Ok(match kind {
            Kind::Wide => Data::I64(values),
            _ => Data::Int(values.into_iter().map(|x| x as i32).collect()),
        });
    }
    Ok(match data {
        Data::F32(v) => Data::F32(bulk::map(op, v)),
        Data::F16(v) => Data::F16(v.iter().map(|x| round_half(float32(op, *x))).collect()),
        Data::F64(v) => Data::F64(bulk::map(op, v)),
        other => crate::tensor::real_data(to_f64(other).iter().map(|x| float64(op, *x)).collect(), mode.double),
    })
}

/// `-x`.
pub fn negate(v: &Value, mode: Mode) -> Res<Value> {
    map(Op1::Neg, v, mode)
}

/// `!x`.
pub fn not(v: &Value, mode: Mode) -> Res<Value> {
    map(Op1::Not, v, mode)
}

/// `max` and `min`: a reduction with one argument, element by element with two, along a dimension with three.
fn extreme(call: &mut super::Call, op: Op2) -> Res<Vec<Value>> {
    match call.args {
        [x] => super::reduce::extreme(call, x, None, op),
        [x, y] => {
            if matches!(y, Value::Array(t) if t.is_empty() && !t.is_cell()) {
                return super::reduce::extreme(call, x, None, op);
            }
            Ok(vec![crate::arith::binary(op, x, y, call.mode())?])
        }
        [_, y, _] if !matches!(y, Value::Array(t) if t.is_empty() && !t.is_cell()) => {
            Err(call.wrong(1, "[] where a dimension is given"))
        }
        _ => {
            let dim = call.integer(2)?;
            super::reduce::extreme(call, &call.args[0], Some(dim), op)
        }
    }
}

/// Maps every element of the first argument with the length in the second.
fn boundary(call: &mut super::Call, boundary: Boundary) -> Res<Value> {
    let n = call.integer(1)?;
    let clamps = boundary == Boundary::Clamp;
    let f = |x: i64, n: i64| match boundary {
        Boundary::Clamp => x.min(n).max(0),
        Boundary::Periodize => x.rem_euclid(n),
        Boundary::Mirror => index::mirror(x, n),
    };
    if n < 1 && !clamps {
        fault!("Q0314", "'{}' needs a length of at least 1, not {n}", call.name; "the length of the dimension");
    }
    match &call.args[0] {
        Value::Array(t) if clamps && matches!(&*t.data.borrow(), Data::F32(_) | Data::F64(_)) => {
            if let Data::F32(v) = &*t.data.borrow() {
                let out = bulk::build(v.len(), |range, out: &mut [f32]| {
                    out.iter_mut().zip(&v[range]).for_each(|(o, x)| *o = x.max(0.0).min(n as f32));
                });
                return Ok(Value::array(Tensor::new(t.shape.clone(), Data::F32(out))));
            }
            let double = matches!(&*t.data.borrow(), Data::F64(_));
            let values = to_f64(&t.data.borrow()).iter().map(|x| x.max(0.0).min(n as f64)).collect();
            Ok(Value::array(Tensor::new(t.shape.clone(), crate::tensor::real_data(values, double))))
        }
        Value::Array(t) if !t.is_cell() => {
            if let (Data::Int(v), Boundary::Periodize, Ok(n)) = (&*t.data.borrow(), boundary, i32::try_from(n)) {
                let (v, n) = (Data::Int(v.clone()), Data::Int(vec![n]));
                let pair = exact::Pair { a: &v, b: &n, a_one: false, b_one: true };
                if let Some(data) = exact::integers(Op2::Mod, &pair) {
                    return Ok(Value::array(Tensor::new(t.shape.clone(), data)));
                }
            }
            let values = to_i64(&t.data.borrow()).into_iter().map(|x| f(x, n)).collect::<Vec<_>>();
            let out = Tensor::ints(values);
            Ok(Value::array(out.reshaped(t.shape.clone())))
        }
        v if v.is_float() && clamps => {
            let x = v.as_f64().unwrap_or(0.0);
            Ok(Value::scalar(x.max(0.0).min(n as f64), call.double()))
        }
        _ => {
            let i = call.integer(0)?;
            Ok(Value::Int(f(i, n) as i32))
        }
    }
}

fn make_complex(call: &mut super::Call) -> Res<Value> {
    let (re, im) = (&call.args[0], call.args.get(1));
    if let (Value::Array(x), Some(Value::Array(y))) = (re, im)
        && x.shape == y.shape
        && let (Data::F32(a), Data::F32(b)) = (&*x.data.borrow(), &*y.data.borrow())
    {
        let out = bulk::build(a.len(), |range, out: &mut [[f32; 2]]| {
            out.iter_mut().zip(&a[range.clone()]).zip(&b[range]).for_each(|((o, x), y)| *o = [*x, *y]);
        });
        return Ok(Value::array(Tensor::new(x.shape.clone(), Data::C32(out))));
    }
    let mode = call.mode();
    let unit = Value::complex(0.0, 1.0, mode.double);
    let zero = Value::complex(0.0, 0.0, mode.double);
    let base = crate::arith::binary(Op2::Add, re, &zero, mode)?;
    match im {
        Some(im) => {
            let im = crate::arith::binary(Op2::Mul, im, &unit, mode)?;
            crate::arith::binary(Op2::Add, &base, &im, mode)
        }
        None => Ok(base),
    }
}

const A: Term = Term::Argument(0);
const B: Term = Term::Argument(1);
const C: Term = Term::Argument(2);
/// `a + (b-a)*t`.
const LERP: Term = Term::Pair(Op2::Add, &A, &Term::Pair(Op2::Mul, &Term::Pair(Op2::Sub, &B, &A), &C));
/// The length of a vector of three components.
const HYPOT3: Term = Term::Pair(Op2::Hypot, &Term::Pair(Op2::Hypot, &A, &B), &C);

pub const TABLE: &[Builtin] = &[
    row!("sin", "sin(x)", "sine of an angle in radians", "print sin(0)", 1..=1, Run::Map(Op1::Sin)),
    row!("cos", "cos(x)", "cosine of an angle in radians", "print cos(0)", 1..=1, Run::Map(Op1::Cos)),
    row!("tan", "tan(x)", "tangent of an angle in radians", "print tan(0)", 1..=1, Run::Map(Op1::Tan)),
    row!("asin", "asin(x)", "angle whose sine is x", "print asin(0)", 1..=1, Run::Map(Op1::Asin)),
    row!("acos", "acos(x)", "angle whose cosine is x", "print acos(1)", 1..=1, Run::Map(Op1::Acos)),
    row!("atan", "atan(x)", "angle whose tangent is x", "print atan(0)", 1..=1, Run::Map(Op1::Atan)),
    row!("sinh", "sinh(x)", "hyperbolic sine", "print sinh(0)", 1..=1, Run::Map(Op1::Sinh)),
    row!("cosh", "cosh(x)", "hyperbolic cosine", "print cosh(0)", 1..=1, Run::Map(Op1::Cosh)),
    row!("tanh", "tanh(x)", "hyperbolic tangent", "print tanh(0)", 1..=1, Run::Map(Op1::Tanh)),
    row!("exp", "exp(x)", "e to the power x", "print exp([0,1])", 1..=1, Run::Map(Op1::Exp)),
    row!("log", "log(x)", "natural logarithm", "print log(1)", 1..=1, Run::Map(Op1::Log)),
    row!("log2", "log2(x)", "logarithm to base 2", "print log2(8)", 1..=1, Run::Map(Op1::Log2)),
    row!("log10", "log10(x)", "logarithm to base 10", "print log10(1000)", 1..=1, Run::Map(Op1::Log10)),
    row!("sqrt", "sqrt(x)", "square root", "print sqrt([4,9])", 1..=1, Run::Map(Op1::Sqrt)),
    row!("abs", "abs(x)", "magnitude; integers stay integers", "print abs([-1,2])", 1..=1, Run::Map(Op1::Abs)),
    row!("sign", "sign(x)", "-1, 0 or 1", "print sign(-3)", 1..=1, Run::Map(Op1::Sign)),
    row!("floor", "floor(x)", "largest whole number not above x", "print floor(-3.5)", 1..=1, Run::Map(Op1::Floor)),
    row!("ceil", "ceil(x)", "smallest whole number not below x", "print ceil(3.2)", 1..=1, Run::Map(Op1::Ceil)),
    row!(
        "round",
        "round(x)",
        "nearest whole number, halves away from zero",
        "print round(2.5)",
        1..=1,
        Run::Map(Op1::Round)
    ),
    row!("fix", "fix(x)", "x without its fraction", "print fix(-2.7)", 1..=1, Run::Map(Op1::Fix)),
    row!("frac", "frac(x)", "x - floor(x)", "print frac(2.75)", 1..=1, Run::Map(Op1::Frac)),
    row!("saturate", "saturate(x)", "x clipped to 0..1", "print saturate([-1,0.5,2])", 1..=1, Run::Map(Op1::Saturate)),
    row!("isnan", "isnan(x)", "1 where x is not a number", "print isnan(nan)", 1..=1, Run::Map(Op1::IsNan)),
    row!("isinf", "isinf(x)", "1 where x is infinite", "print isinf(inf)", 1..=1, Run::Map(Op1::IsInf)),
    row!("real", "real(z)", "real part", "print real(3+4j)", 1..=1, Run::Map(Op1::Real)),
    row!("imag", "imag(z)", "imaginary part", "print imag(3+4j)", 1..=1, Run::Map(Op1::Imag)),
    row!("conj", "conj(z)", "conjugate", "print conj(3+4j)", 1..=1, Run::Map(Op1::Conj)),
    row!("angle", "angle(z)", "argument in radians", "print angle(1j)", 1..=1, Run::Map(Op1::Angle)),
    row!("complex", "complex(re[,im])", "complex number or array", "print complex(1,2)", 1..=2, Run::One(make_complex))
        .means(Meaning::Complex),
    row!("not", "not(x)", "bitwise complement of integers", "print not(0)", 1..=1, Run::Map(Op1::BitNot)),
    row!("and", "and(x,y)", "bitwise and of integers", "print and(12,10)", 2..=2, Run::Pair(Op2::And)),
    row!("or", "or(x,y)", "bitwise or of integers", "print or(12,10)", 2..=2, Run::Pair(Op2::Or)),
    row!("xor", "xor(x,y)", "bitwise exclusive or of integers", "print xor(12,10)", 2..=2, Run::Pair(Op2::Xor)),
    row!("shl", "shl(x,n)", "x shifted left by n bits", "print shl(1,4)", 2..=2, Run::Pair(Op2::Shl)),
    row!("shr", "shr(x,n)", "x shifted right by n bits", "print shr(256,3)", 2..=2, Run::Pair(Op2::Shr)),
    row!(
        "idivide",
        "idivide(a,b[,how])",
        "quotient of integers as an integer; how: fix (default), floor, ceil or round",
        "print idivide(7,2), \" \", idivide(-7,2,\"floor\")",
        2..=3,
        Run::One(crate::quotient::idivide)
    )
    .means(Meaning::Quotient),
    row!("mod", "mod(a,b)", "remainder with the sign of b", "print mod(-1,5)", 2..=2, Run::Pair(Op2::Mod)),
    row!("atan2", "atan2(y,x)", "angle of the point (x,y)", "print atan2(0,1)", 2..=2, Run::Pair(Op2::Atan2)),
    row!("pow", "pow(x,y)", "x to the power y, element by element", "print pow(2,10)", 2..=2, Run::Pair(Op2::Pow)),
    row!("hypot", "hypot(x,y)", "sqrt(x^2 + y^2) without overflow", "print hypot(3,4)", 2..=2, Run::Pair(Op2::Hypot)),
    row!(
        "hypot3",
        "hypot3(x,y,z)",
        "sqrt(x^2 + y^2 + z^2) without overflow",
        "print hypot3(2,3,6)",
        3..=3,
        Run::Formula(&HYPOT3)
    ),
    row!(
        "max",
        "max(x), max(x,y), max(x,[],dim)",
        "largest element, or larger of two",
        "print max([3,9,4])",
        1..=3,
        Run::Many(|c| extreme(c, Op2::Max))
    )
    .means(Meaning::Extreme(Op2::Max))
    .frugal(),
    row!(
        "min",
        "min(x), min(x,y), min(x,[],dim)",
        "smallest element, or smaller of two",
        "print min([3,9,4])",
        1..=3,
        Run::Many(|c| extreme(c, Op2::Min))
    )
    .means(Meaning::Extreme(Op2::Min))
    .frugal(),
    row!("lerp", "lerp(a,b,t)", "a + (b-a)*t", "print lerp(0,10,0.25)", 3..=3, Run::Formula(&LERP)),
    row!(
        "periodize",
        "periodize(x,n)",
        "x modulo n, as 'circular maps indices",
        "print periodize(-1,5)",
        2..=2,
        Run::One(|c| boundary(c, Boundary::Periodize))
    )
    .means(Meaning::Boundary(Boundary::Periodize)),
    row!(
        "mirror_ext",
        "mirror_ext(x,n)",
        "x reflected into 0..n-1, as 'mirror maps indices",
        "print mirror_ext(-1,4)",
        2..=2,
        Run::One(|c| boundary(c, Boundary::Mirror))
    )
    .means(Meaning::Boundary(Boundary::Mirror)),
    row!(
        "clamp",
        "clamp(x,n)",
        "x clipped to 0..n",
        "print clamp(15,10)",
        2..=2,
        Run::One(|c| boundary(c, Boundary::Clamp))
    )
    .means(Meaning::Boundary(Boundary::Clamp)),
];
