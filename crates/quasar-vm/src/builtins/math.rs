//! Element-wise functions of one and two operands.

use super::omit::Words;
use super::{Builtin, Run, row};
use crate::arith::{Kind, to_f64, to_i64};
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use crate::{exact, index, quotient, storage, typing};
use quadra_quasar_hir::meaning::{Boundary, Meaning, Term};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::quotient::Round;

/// `max` and `min`: a reduction with one argument, element by element with two, along a dimension with three.
fn extreme(call: &mut super::Call, op: Op2) -> Res<Vec<Value>> {
    // Elements that are no numbers do not count anyway.
    let words = Words::of(call)?;
    let args = &call.args[..words.arguments];
    words.agree(call, 2)?;
    match args {
        [x] => super::reduce::extreme(call, x, None, op),
        [x, y] => {
            let empty = |v: &Value| matches!(v, Value::Array(t) if t.is_empty() && !t.is_cell());
            if empty(y) && !empty(x) {
                return super::reduce::extreme(call, x, None, op);
            }
            Ok(vec![crate::arith::binary(op, x, y, call.mode())?])
        }
        [_, y, _] if !matches!(y, Value::Array(t) if t.is_empty() && !t.is_cell()) => {
            Err(call.wrong(1, "[] where a dimension is given"))
        }
        _ => {
            let dim = call.integer(2)?;
            super::reduce::extreme(call, &args[0], Some(dim), op)
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
    let complex = match &call.args[0] {
        Value::Array(t) => t.data.borrow().is_complex(),
        v => matches!(v, Value::C32(_) | Value::C64(_)),
    };
    if complex {
        return Err(call.wrong(0, "real numbers"));
    }
    match &call.args[0] {
        Value::Array(t) if clamps && matches!(&*t.data.borrow(), Data::F32(_) | Data::F64(_)) => {
            if let Data::F32(v) = &*t.data.borrow() {
                let out = storage::build(v.len(), |range, out: &mut [f32]| {
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
        let out = storage::build(a.len(), |range, out: &mut [[f32; 2]]| {
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

/// `idivide(a,b[,how])`: the quotient of integers as an integer, of 64 bits if one of them has.
fn idivide(call: &mut super::Call) -> Res<Value> {
    let round = match call.args.len() {
        2 => Round::Fix,
        _ => Round::named(call.text(2)?).ok_or_else(|| call.wrong(2, "\"fix\", \"floor\", \"ceil\" or \"round\""))?,
    };
    let mode = call.mode();
    let whole = |i: usize| typing::whole_numbers(&call.args[i])?.ok_or_else(|| call.wrong(i, "whole numbers"));
    let (x, y) = (whole(0)?, whole(1)?);
    let zero = |v: &Value| match v {
        Value::Array(t) => (0..t.len()).any(|i| t.get(i).and_then(|v| v.as_f64()) == Some(0.0)),
        v => v.as_f64() == Some(0.0),
    };
    if zero(&y) {
        return Err(Fault::new("Q0326", "idivide by the integer 0").help("check the divisor first"));
    }
    let wide = [&x, &y].iter().any(|v| v.is_integer() && Kind::of(v) == Some(Kind::Wide));
    let found = if wide { quotient::wide(&x, &y, round) } else { quotient::exact(&x, &y, round, true, mode)? };
    found.ok_or_else(|| {
        let name = if wide { "int64" } else { "int" };
        Fault::new("Q0330", format!("a quotient does not fit in {name}"))
            .help(format!("only the smallest {name} divided by -1 does that"))
    })
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
        "quotient of integers as an integer, of 64 bits if one has; how: fix (default), floor, ceil or round",
        "print idivide(7,2), \" \", idivide(-7,2,\"floor\")",
        2..=3,
        Run::One(idivide)
    )
    .means(Meaning::Quotient),
    row!("mod", "mod(a,b)", "remainder with the sign of b", "print mod(-1,5)", 2..=2, Run::Pair(Op2::Mod)),
    row!("rem", "rem(a,b)", "remainder with the sign of a", "print rem(-7,3)", 2..=2, Run::Pair(Op2::Rem)),
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
        "max(x), max(x,y), max(x,[],dim), max(x,[],\"all\")",
        "largest element, or larger of two",
        "print max([3,9,4])",
        1..=4,
        Run::Many(|c| extreme(c, Op2::Max))
    )
    .means(Meaning::Extreme(Op2::Max))
    .frugal(),
    row!(
        "min",
        "min(x), min(x,y), min(x,[],dim), min(x,[],\"all\")",
        "smallest element, or smaller of two",
        "print min([3,9,4])",
        1..=4,
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
