//! Fourier and cosine transforms.

use super::{Builtin, Call, Run, row};
use crate::arith::{to_c64, to_f32, to_f64};
use crate::fault::{Res, fault};
use crate::storage::{self, Kept};
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::fourier::{self, Complex};
use std::borrow::Cow;

fn is_double(call: &Call, t: &Tensor) -> bool {
    call.double() || matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_))
}

/// Elements up to which transforms of singles work in double precision, too: their results are the nearest singles.
const SHORT: usize = 1 << 12;

/// The shape of the result: the argument's with the sizes of its last `dims` dimensions that the call gives.
fn sized(call: &Call, t: &Tensor, dims: usize) -> Res<Shape> {
    let mut shape = t.shape.clone();
    if call.args.len() > 1 {
        if call.args.len() != dims + 1 || dims > shape.len() {
            fault!("Q0308", "'{}' needs an array and the sizes of its last {dims} dimensions", call.name);
        }
        let first = shape.len() - dims;
        for k in 0..dims {
            let n = usize::try_from(call.integer(k + 1)?).ok().filter(|n| *n > 0);
            shape[first + k] = n.ok_or_else(|| call.wrong(k + 1, "a size from 1"))?;
        }
    }
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    if !count.is_some_and(|n| crate::memory::fits(n.saturating_mul(32))) {
        fault!("Q0310", "out of memory: '{}' of such sizes", call.name);
    }
    Ok(shape)
}

/// Copies an array into one of other sizes: it is shortened, or filled with zeros.
fn resized<T: Copy + Default>(v: &[T], old: &[usize], out: &mut [T], new: &[usize]) {
    if old == new {
        return out.copy_from_slice(v);
    }
    let (m, n) = (old[old.len() - 1], new[new.len() - 1]);
    for (r, row) in out.chunks_exact_mut(n).enumerate() {
        let (mut rest, mut at, mut stride, mut inside) = (r, 0, 1, true);
        for d in (0..new.len() - 1).rev() {
            let index = rest % new[d];
            rest /= new[d];
            inside &= index < old[d];
            at += index * stride;
            stride *= old[d];
        }
        let from = if inside { &v[at * m..][..m.min(n)] } else { &[] };
        row[..from.len()].copy_from_slice(from);
        row[from.len()..].fill(T::default());
    }
}

/// Numbers in which transforms work.
trait Precision: fourier::Number + Kept + bytemuck::Pod {
    fn reals(data: &Data) -> Cow<'_, [Self]>;
    fn complex(data: &Data) -> Cow<'_, [[Self; 2]]>;
}

impl Precision for f32 {
    fn reals(data: &Data) -> Cow<'_, [f32]> {
        to_f32(data)
    }

    fn complex(data: &Data) -> Cow<'_, [[f32; 2]]> {
        match data {
            Data::C32(v) => Cow::Borrowed(v),
            data => Cow::Owned(to_c64(data).iter().map(|z| [z[0] as f32, z[1] as f32]).collect()),
        }
    }
}

impl Precision for f64 {
    fn reals(data: &Data) -> Cow<'_, [f64]> {
        to_f64(data)
    }

    fn complex(data: &Data) -> Cow<'_, [[f64; 2]]> {
        match data {
            Data::C64(v) => Cow::Borrowed(v),
            data => Cow::Owned(to_c64(data)),
        }
    }
}

/// The array's transform along the last dimensions of `shape`, as many as `dims`; the inverse is scaled by 1/N.
fn transformed<T: Precision>(t: &Tensor, shape: &[usize], dims: usize, inverse: bool) -> Vec<[T; 2]>
where
    [T; 2]: Kept,
    Complex<T>: bytemuck::Pod,
{
    let count = shape.iter().product();
    let mut out: Vec<[T; 2]> = storage::storage(count);
    if count == 0 {
        return out;
    }
    let sizes = &shape[shape.len().saturating_sub(dims)..];
    let data = t.data.borrow();
    if data.is_complex() {
        resized(&T::complex(&data), &t.shape, &mut out, shape);
        fourier::of_complex(bytemuck::cast_slice_mut(&mut out), sizes, inverse);
        return out;
    }
    let values = reals::<T>(t, &data, shape);
    fourier::of_real(&values, bytemuck::cast_slice_mut(&mut out), sizes, inverse);
    out
}

/// The real elements in these sizes.
fn reals<'a, T: Precision>(t: &Tensor, data: &'a Data, shape: &[usize]) -> Cow<'a, [T]> {
    let values = T::reals(data);
    if t.shape[..] == *shape {
        return values;
    }
    let mut other = vec![T::default(); shape.iter().product()];
    resized(&values, &t.shape, &mut other, shape);
    Cow::Owned(other)
}

/// Transforms along the last `dims` dimensions; the inverse is scaled by 1/N.
fn fourier(call: &mut Call, dims: usize, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    let shape = sized(call, &t, dims)?;
    let short = shape.iter().product::<usize>() <= SHORT;
    let data = match is_double(call, &t) {
        true => Data::C64(transformed(&t, &shape, dims, inverse)),
        false if short => {
            let out = transformed::<f64>(&t, &shape, dims, inverse);
            Data::C32(out.into_iter().map(|z| [z[0] as f32, z[1] as f32]).collect())
        }
        false => Data::C32(transformed(&t, &shape, dims, inverse)),
    };
    Ok(Value::array(Tensor::new(shape, data)))
}

/// The orthonormal cosine transform of type II along the last dimension, or its inverse: `X[k] = s[k] * sum(x[j] * cos(pi*(2j+1)*k/(2n)))` with `s[0] = sqrt(1/n)` and `s[k] = sqrt(2/n)`.
fn cosine(call: &mut Call, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z) and imag(z)");
    }
    let shape = sized(call, &t, 1)?;
    let (double, n) = (is_double(call, &t), shape[shape.len() - 1]);
    let data = t.data.borrow();
    let count: usize = shape.iter().product();
    let data = match double || count <= SHORT {
        true => {
            let mut out = storage::storage(count);
            fourier::cosines(&reals::<f64>(&t, &data, &shape), &mut out, n, inverse);
            real_data(out, double)
        }
        false => {
            let mut out = storage::storage(count);
            fourier::cosines(&reals::<f32>(&t, &data, &shape), &mut out, n, inverse);
            Data::F32(out)
        }
    };
    Ok(Value::array(Tensor::new(shape, data)))
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
