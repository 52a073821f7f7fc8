//! Fourier and cosine transforms.

use super::{Builtin, Call, Run, row};
use crate::arith::{complex_data, to_c64};
use crate::fault::{Res, fault};
use crate::tensor::{Data, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::fourier::{Complex, Plan};

/// Changes every line of `values` along dimension `d` of an array of this shape.
fn along(values: &mut [Complex<f64>], shape: &[usize], d: usize, mut f: impl FnMut(&mut [Complex<f64>])) {
    let n = shape[d];
    let stride: usize = shape[d + 1..].iter().product();
    if n == 0 || stride == 0 {
        return;
    }
    let mut line = vec![Complex::default(); n];
    for start in (0..values.len()).filter(|i| (i / stride).is_multiple_of(n)) {
        for (k, z) in line.iter_mut().enumerate() {
            *z = values[start + k * stride];
        }
        f(&mut line);
        for (k, z) in line.iter().enumerate() {
            values[start + k * stride] = *z;
        }
    }
}

fn is_double(call: &Call, t: &Tensor) -> bool {
    call.double() || matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_))
}

/// Transforms along the last `dims` dimensions; the inverse is scaled by 1/N.
fn fourier(call: &mut Call, dims: usize, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    let mut values: Vec<Complex<f64>> = to_c64(&t.data.borrow()).iter().map(|z| Complex::new(z[0], z[1])).collect();
    let rank = t.shape.len();
    for d in rank.saturating_sub(dims)..rank {
        let n = t.shape[d];
        if n < 2 {
            continue;
        }
        let plan = Plan::new(n, inverse);
        let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
        along(&mut values, &t.shape, d, |line| {
            plan.run(line);
            line.iter_mut().for_each(|z| *z *= scale);
        });
    }
    let out = values.iter().map(|z| [z.re, z.im]).collect();
    Ok(Value::array(Tensor::new(t.shape.clone(), complex_data(out, is_double(call, &t)))))
}

/// The orthonormal cosine transform of type II along the last dimension, or its inverse, by a Fourier transform of twice the
/// length: `X[k] = s[k] * sum(x[j] * cos(pi*(2j+1)*k/(2n)))` with `s[0] = sqrt(1/n)` and `s[k] = sqrt(2/n)`.
fn cosine(call: &mut Call, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z) and imag(z)");
    }
    let mut values: Vec<Complex<f64>> = to_c64(&t.data.borrow()).iter().map(|z| Complex::new(z[0], 0.0)).collect();
    let last = t.shape.len() - 1;
    let n = t.shape[last];
    let plan = Plan::new(2 * n, inverse);
    let scale = |k: usize| if k == 0 { (1.0 / n as f64).sqrt() } else { (2.0 / n as f64).sqrt() };
    let turn = |k: usize, sign: f64| Complex::cis(sign * std::f64::consts::PI * k as f64 / (2 * n) as f64);
    let mut wide = vec![Complex::default(); 2 * n];
    along(&mut values, &t.shape, last, |line| {
        wide.fill(Complex::default());
        for (k, z) in line.iter().enumerate() {
            wide[k] = if inverse { z * scale(k) * turn(k, 1.0) } else { *z };
        }
        plan.run(&mut wide);
        for (k, z) in line.iter_mut().enumerate() {
            *z = if inverse { wide[k] } else { wide[k] * turn(k, -1.0) * scale(k) };
        }
    });
    let out = values.iter().map(|z| z.re).collect();
    Ok(Value::array(Tensor::new(t.shape.clone(), real_data(out, is_double(call, &t)))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "fft1",
        "fft1(x)",
        "Fourier transform along the last dimension",
        "print fft1([1,0,0,0])",
        1..=1,
        Run::One(|c| fourier(c, 1, false))
    ),
    row!(
        "ifft1",
        "ifft1(x)",
        "inverse of fft1",
        "print real(ifft1(fft1([1,2])))",
        1..=1,
        Run::One(|c| fourier(c, 1, true))
    ),
    row!(
        "fft2",
        "fft2(x)",
        "Fourier transform along the last two dimensions",
        "print fft2([[1,0],[0,0]])",
        1..=1,
        Run::One(|c| fourier(c, 2, false))
    ),
    row!(
        "ifft2",
        "ifft2(x)",
        "inverse of fft2",
        "print real(ifft2(fft2([[1,2],[3,4]])))",
        1..=1,
        Run::One(|c| fourier(c, 2, true))
    ),
    row!(
        "fft3",
        "fft3(x)",
        "Fourier transform along the last three dimensions",
        "print size(fft3(ones(2,2,2)))",
        1..=1,
        Run::One(|c| fourier(c, 3, false))
    ),
    row!(
        "ifft3",
        "ifft3(x)",
        "inverse of fft3",
        "print size(ifft3(ones(2,2,2)))",
        1..=1,
        Run::One(|c| fourier(c, 3, true))
    ),
    row!(
        "dct",
        "dct(x)",
        "orthonormal cosine transform (type II) along the last dimension",
        "print dct([1,1,1,1])",
        1..=1,
        Run::One(|c| cosine(c, false))
    ),
    row!("idct", "idct(x)", "inverse of dct", "print idct([2,0,0,0])", 1..=1, Run::One(|c| cosine(c, true))),
];
