//! Fourier and cosine transforms.

use super::{Builtin, Call, Run, row};
use crate::arith::{complex_data, to_c64};
use crate::bulk;
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::fourier::{self, Complex};
use rayon::prelude::*;

fn is_double(call: &Call, t: &Tensor) -> bool {
    call.double() || matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_))
}

/// The shape and the elements of the argument, shortened or filled with zeros to the sizes of its last `dims` dimensions that the
/// call gives.
fn sized(call: &Call, t: &Tensor, dims: usize) -> Res<(Shape, Vec<Complex<f64>>)> {
    let values: Vec<Complex<f64>> = match &*t.data.borrow() {
        Data::F32(v) => v.iter().map(|x| Complex::new((*x).into(), 0.0)).collect(),
        data => to_c64(data).iter().map(|z| Complex::new(z[0], z[1])).collect(),
    };
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
    let mut scale = 1.0;
    for d in rank.saturating_sub(dims)..rank {
        let n = shape[d];
        if n < 2 || values.is_empty() {
            continue;
        }
        let inner: usize = shape[d + 1..].iter().product();
        if inner > 1 {
            values = fourier::exchanged(&values, n, inner);
        }
        fourier::rows(&mut values, n, inverse);
        if inner > 1 {
            values = fourier::exchanged(&values, inner, n);
        }
        scale /= if inverse { n as f64 } else { 1.0 };
    }
    if is_double(call, &t) {
        let out = values.iter().map(|z| [z.re * scale, z.im * scale]).collect();
        return Ok(Value::array(Tensor::new(shape, complex_data(out, true))));
    }
    let single = bulk::build(values.len(), |range, out: &mut [[f32; 2]]| {
        out.iter_mut().zip(&values[range]).for_each(|(o, z)| *o = [(z.re * scale) as f32, (z.im * scale) as f32]);
    });
    Ok(Value::array(Tensor::new(shape, Data::C32(single))))
}

/// The orthonormal cosine transform of type II along the last dimension, or its inverse: `X[k] = s[k] * sum(x[j] * cos(pi*(2j+1)*k/(2n)))` with `s[0] = sqrt(1/n)` and `s[k] = sqrt(2/n)`.
fn cosine(call: &mut Call, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z) and imag(z)");
    }
    let (shape, values) = sized(call, &t, 1)?;
    let last = shape.len() - 1;
    let n = shape[last];
    let double = is_double(call, &t);
    if values.is_empty() {
        return Ok(Value::array(Tensor::new(shape, real_data(Vec::new(), double))));
    }
    let out = cosines(&values, n, inverse);
    Ok(Value::array(Tensor::new(shape, real_data(out, double))))
}

/// The cosine transform of rows by Fourier transforms of their length, two rows at a time, one the real and one the imaginary part
/// (Makhoul, "A fast cosine transform in one and two dimensions", 1980).
fn cosines(values: &[Complex<f64>], n: usize, inverse: bool) -> Vec<f64> {
    let scale = |k: usize| if k == 0 { (1.0 / n as f64).sqrt() } else { (2.0 / n as f64).sqrt() };
    let turns: Vec<Complex<f64>> =
        (0..n).map(|k| Complex::cis(-std::f64::consts::PI * k as f64 / (2 * n) as f64) * scale(k)).collect();
    // Even elements go forth, odd ones back.
    let place = |k: usize| if k.is_multiple_of(2) { k / 2 } else { n - 1 - k / 2 };
    let lines = values.len() / n;
    let mut packed = vec![Complex::default(); lines.div_ceil(2) * n];
    packed.par_chunks_mut(n).zip(values.par_chunks(2 * n)).for_each(|(out, pair)| {
        let (a, b) = pair.split_at(n);
        let at = |v: &[Complex<f64>], k: usize| v.get(k).map_or(0.0, |z| z.re);
        for k in 0..n {
            match inverse {
                false => out[place(k)] = Complex::new(at(a, k), at(b, k)),
                // From the cosine transform back to that of the rearranged row: (x[k] - i x[n-k]) turned, without the scale.
                true => {
                    let row = |v: &[Complex<f64>]| {
                        let mirror = if k == 0 { 0.0 } else { at(v, n - k) / scale(n - k) };
                        Complex::new(at(v, k) / scale(k), -mirror) * turns[k].conj() / scale(k)
                    };
                    out[k] = row(a) + Complex::<f64>::i() * row(b);
                }
            }
        }
    });
    fourier::rows(&mut packed, n, inverse);
    let mut out = vec![0.0; values.len()];
    out.par_chunks_mut(2 * n).zip(packed.par_chunks(n)).for_each(|(out, z)| {
        let (a, b) = out.split_at_mut(n);
        for k in 0..n {
            let (x, y) = match inverse {
                false => {
                    let (own, other) = (z[k], z[(n - k) % n].conj());
                    let (x, y) = ((own + other) * 0.5, (own - other) * Complex::new(0.0, -0.5));
                    ((x * turns[k]).re, (y * turns[k]).re)
                }
                true => (z[place(k)].re / n as f64, z[place(k)].im / n as f64),
            };
            a[k] = x;
            if let Some(o) = b.get_mut(k) {
                *o = y;
            }
        }
    });
    out
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
