//! Fourier and cosine transforms.

use super::{Builtin, Call, Run, row};
use crate::arith::{complex_data, to_c64};
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor, real_data};
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

/// The shape and the elements of the argument, shortened or filled with zeros to the sizes of its last `dims` dimensions that the
/// call gives.
fn sized(call: &Call, t: &Tensor, dims: usize) -> Res<(Shape, Vec<Complex<f64>>)> {
    let values: Vec<Complex<f64>> = to_c64(&t.data.borrow()).iter().map(|z| Complex::new(z[0], z[1])).collect();
    let mut shape = t.shape.clone();
    if call.args.len() == 1 {
        return Ok((shape, values));
    }
    if call.args.len() != dims + 1 || dims > shape.len() {
        fault!("Q0308", "'{}' needs an array and the sizes of its last {dims} dimensions", call.name);
    }
    let first = shape.len() - dims;
    for k in 0..dims {
        let n = usize::try_from(call.integer(k + 1)?).ok().filter(|n| *n > 0);
        shape[first + k] = n.ok_or_else(|| call.wrong(k + 1, "a size from 1"))?;
    }
    let count =
        shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| crate::memory::fits(n.saturating_mul(32)));
    let Some(count) = count else { fault!("Q0310", "out of memory: '{}' of such sizes", call.name) };
    let mut out = vec![Complex::default(); count];
    for (i, z) in values.into_iter().enumerate() {
        let (mut rest, mut at, mut stride, mut inside) = (i, 0, 1, true);
        for d in (0..shape.len()).rev() {
            let index = rest % t.shape[d];
            rest /= t.shape[d];
            inside &= index < shape[d];
            at += index * stride;
            stride *= shape[d];
        }
        if inside {
            out[at] = z;
        }
    }
    Ok((shape, out))
}

/// Transforms along the last `dims` dimensions; the inverse is scaled by 1/N.
fn fourier(call: &mut Call, dims: usize, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    let (shape, mut values) = sized(call, &t, dims)?;
    let rank = shape.len();
    for d in rank.saturating_sub(dims)..rank {
        let n = shape[d];
        if n < 2 {
            continue;
        }
        let plan = Plan::new(n, inverse);
        let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
        along(&mut values, &shape, d, |line| {
            plan.run(line);
            line.iter_mut().for_each(|z| *z *= scale);
        });
    }
    let out = values.iter().map(|z| [z.re, z.im]).collect();
    Ok(Value::array(Tensor::new(shape, complex_data(out, is_double(call, &t)))))
}

/// The orthonormal cosine transform of type II along the last dimension, or its inverse, by a Fourier transform of twice the
/// length: `X[k] = s[k] * sum(x[j] * cos(pi*(2j+1)*k/(2n)))` with `s[0] = sqrt(1/n)` and `s[k] = sqrt(2/n)`.
fn cosine(call: &mut Call, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z) and imag(z)");
    }
    let (shape, mut values) = sized(call, &t, 1)?;
    let last = shape.len() - 1;
    let n = shape[last];
    let plan = Plan::new(2 * n, inverse);
    let scale = |k: usize| if k == 0 { (1.0 / n as f64).sqrt() } else { (2.0 / n as f64).sqrt() };
    let turn = |k: usize, sign: f64| Complex::cis(sign * std::f64::consts::PI * k as f64 / (2 * n) as f64);
    let mut wide = vec![Complex::default(); 2 * n];
    along(&mut values, &shape, last, |line| {
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
    Ok(Value::array(Tensor::new(shape, real_data(out, is_double(call, &t)))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "fft1",
        "fft1(x[,n])",
        "Fourier transform along the last dimension, of n elements: shortened or filled with zeros",
        "print fft1([1,0,0,0])",
        1..=2,
        Run::One(|c| fourier(c, 1, false))
    ),
    row!(
        "ifft1",
        "ifft1(x[,n])",
        "inverse of fft1",
        "print real(ifft1(fft1([1,2])))",
        1..=2,
        Run::One(|c| fourier(c, 1, true))
    ),
    row!(
        "fft2",
        "fft2(x[,m,n])",
        "Fourier transform along the last two dimensions, of m by n elements: shortened or filled with zeros",
        "print fft2([[1,0],[0,0]])",
        1..=3,
        Run::One(|c| fourier(c, 2, false))
    ),
    row!(
        "ifft2",
        "ifft2(x[,m,n])",
        "inverse of fft2",
        "print real(ifft2(fft2([[1,2],[3,4]])))",
        1..=3,
        Run::One(|c| fourier(c, 2, true))
    ),
    row!(
        "fft3",
        "fft3(x[,l,m,n])",
        "Fourier transform along the last three dimensions, of l by m by n elements: shortened or filled with zeros",
        "print size(fft3(ones(2,2,2)))",
        1..=4,
        Run::One(|c| fourier(c, 3, false))
    ),
    row!(
        "ifft3",
        "ifft3(x[,l,m,n])",
        "inverse of fft3",
        "print size(ifft3(ones(2,2,2)))",
        1..=4,
        Run::One(|c| fourier(c, 3, true))
    ),
    row!(
        "dct",
        "dct(x[,n])",
        "orthonormal cosine transform (type II) along the last dimension, of n elements: shortened or filled with zeros",
        "print dct([1,1,1,1])",
        1..=2,
        Run::One(|c| cosine(c, false))
    ),
    row!("idct", "idct(x[,n])", "inverse of dct", "print idct([2,0,0,0])", 1..=2, Run::One(|c| cosine(c, true))),
];
