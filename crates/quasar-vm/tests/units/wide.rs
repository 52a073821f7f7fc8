use quadra_quasar_hir::op1::Op1;
use quadra_quasar_vm::scalar_ops;
use quadra_quasar_vm::storage::Operand;
use quadra_quasar_vm::unary_ops;
use quadra_quasar_vm::wide::*;

const FUNCTIONS: [Op1; 23] = [
    Op1::Sin,
    Op1::Cos,
    Op1::Tan,
    Op1::Asin,
    Op1::Acos,
    Op1::Atan,
    Op1::Sinh,
    Op1::Cosh,
    Op1::Tanh,
    Op1::Exp,
    Op1::Log,
    Op1::Log2,
    Op1::Sqrt,
    Op1::Abs,
    Op1::Neg,
    Op1::Sign,
    Op1::Floor,
    Op1::Ceil,
    Op1::Round,
    Op1::Fix,
    Op1::Frac,
    Op1::Saturate,
    Op1::Log10,
];

/// Numbers of all sizes, and what is none.
fn numbers() -> Vec<f32> {
    let odd = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e9, -3e38, 1e-42, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    odd.into_iter().chain((0..5000u32).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761)))).collect()
}

#[test]
fn functions_have_the_bits_of_single_numbers() {
    let all = numbers();
    let tame: Vec<f32> = (0..5003).map(|k| (k as f32 - 2500.0) * 0.01).collect();
    for x in [&all, &tame] {
        let wide: Vec<f64> = x.iter().map(|x| f64::from(*x) * 1.000_000_1).collect();
        for op in FUNCTIONS {
            let (mut out, mut own) = (vec![0.0f32; x.len()], x.clone());
            unary32(op, &mut out, Some(x));
            unary32(op, &mut own, None);
            for ((x, a), b) in x.iter().zip(&out).zip(&own) {
                let want = unary_ops::float32(op, *x);
                assert!(a.to_bits() == want.to_bits() || a.is_nan() && want.is_nan(), "{op:?} {x}: {a} {want}");
                assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
            }
            let mut out = vec![0.0f64; wide.len()];
            unary64(op, &mut out, Some(&wide));
            for (x, a) in wide.iter().zip(&out) {
                let want = unary_ops::float64(op, *x);
                assert!(a.to_bits() == want.to_bits() || a.is_nan() && want.is_nan(), "{op:?} {x}: {a} {want}");
            }
        }
    }
}

#[test]
fn pairs_have_the_values_of_single_numbers() {
    let x = numbers();
    let y: Vec<f32> = x.iter().rev().copied().collect();
    use quadra_quasar_hir::op2::Op2::{Add, And, Atan2, Div, Hypot, Max, Min, Mod, Mul, Pow, Rem, Sub};
    for op in [Add, Sub, Mul, Div, Max, Min, Mod, Rem, Pow, Atan2, Hypot, And] {
        let want = |a: f32, b: f32| scalar_ops::single(op, a, b);
        let check = |out: &[f32], of: &dyn Fn(usize) -> (f32, f32)| {
            for (i, a) in out.iter().enumerate() {
                let (p, q) = of(i);
                let w = want(p, q);
                assert!(a.to_bits() == w.to_bits() || a.is_nan() && w.is_nan(), "{op:?} {p} {q}: {a} {w}");
            }
        };
        let mut out = vec![0.0; x.len()];
        binary32(op, &mut out, Some(Operand::Array(&x)), Operand::Array(&y), false);
        check(&out, &|i| (x[i], y[i]));
        for number in [2.0, -0.5, 3.0] {
            binary32(op, &mut out, Some(Operand::Array(&x)), Operand::Number(number), false);
            check(&out, &|i| (x[i], number));
            binary32(op, &mut out, Some(Operand::Number(number)), Operand::Array(&x), false);
            check(&out, &|i| (number, x[i]));
            let mut own = x.clone();
            binary32(op, &mut own, None, Operand::Number(number), true);
            check(&own, &|i| (number, x[i]));
        }
    }
}
