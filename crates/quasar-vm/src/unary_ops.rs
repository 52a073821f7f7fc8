//! One-operand functions on single numbers: the one place that says what each means.

use super::logarithm::{log10, log10_of_double};
use quadra_kir::eval::{elementary, exponential};
use quadra_quasar_hir::op1::Op1;

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

/// The function on a complex number; nothing for those that are not defined there.
pub fn complex(op: Op1, z: [f64; 2]) -> Option<[f64; 2]> {
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
        Op1::Tan => turned(hyperbolic_tangent(turned(z, -1.0)), 1.0),
        Op1::Tanh => hyperbolic_tangent(z),
        Op1::Asin => turned(logarithm_of_pair(z), -1.0),
        Op1::Acos => {
            let [re, im] = turned(logarithm_of_pair(z), -1.0);
            [std::f64::consts::FRAC_PI_2 - re, -im]
        }
        Op1::Atan => {
            let [a, b] = [complex(Op1::Log, [1.0 + im, -re])?, complex(Op1::Log, [1.0 - im, re])?];
            turned([(a[0] - b[0]) / 2.0, (a[1] - b[1]) / 2.0], 1.0)
        }
        Op1::Sign => {
            let length = re.hypot(im);
            if length == 0.0 { z } else { [re / length, im / length] }
        }
        Op1::IsNan => [f64::from(u8::from(re.is_nan() || im.is_nan())), 0.0],
        Op1::IsInf => [f64::from(u8::from(re.is_infinite() || im.is_infinite())), 0.0],
        Op1::Not => [f64::from(u8::from(re == 0.0 && im == 0.0)), 0.0],
        _ => return None,
    })
}

/// A complex number times i, or times -i.
fn turned([re, im]: [f64; 2], sign: f64) -> [f64; 2] {
    [-sign * im, sign * re]
}

fn hyperbolic_tangent([re, im]: [f64; 2]) -> [f64; 2] {
    // Beyond, the exponentials overflow, and the rest is below the last digit.
    if re.abs() > 350.0 {
        return [re.signum(), 0.0];
    }
    let below = (2.0 * re).cosh() + (2.0 * im).cos();
    [(2.0 * re).sinh() / below, (2.0 * im).sin() / below]
}

/// `log(i z + sqrt(1 - z z))`, which is i times the arc sine of z.
fn logarithm_of_pair([re, im]: [f64; 2]) -> [f64; 2] {
    let rest = [1.0 - (re * re - im * im), -2.0 * re * im];
    let root = complex(Op1::Sqrt, rest).unwrap_or([f64::NAN; 2]);
    let sum = [root[0] - im, root[1] + re];
    [sum[0].hypot(sum[1]).ln(), sum[1].atan2(sum[0])]
}
