//! Filters and Fourier transforms.

use super::{Builtin, Call, Run, image, row};
use crate::host::arith::{complex_data, to_c64, to_f64};
use crate::host::fault::{Res, fault};
use crate::host::index::map_index;
use crate::host::tensor::{Shape, Tensor, normal_shape, real_data};
use crate::host::value::Value;
use crate::sema::types::Access;
use rustfft::{FftPlanner, num_complex::Complex};

fn access(call: &Call, i: usize) -> Res<Access> {
    Ok(match call.text(i)? {
        "mirror" => Access::Mirror,
        "circular" => Access::Circular,
        "clamped" => Access::Clamped,
        "safe" => Access::Safe,
        other => {
            fault!("Q0314", "'{}' knows no boundary mode \"{other}\"", call.name; "mirror, circular, clamped or safe")
        }
    })
}

/// Correlation of every channel with a mask.
fn imfilter(call: &mut Call) -> Res<Value> {
    let (x, mask) = (call.tensor(0)?, call.tensor(1)?);
    if mask.shape.len() > 2 || x.shape.len() > 3 {
        return Err(call.wrong(if mask.shape.len() > 2 { 1 } else { 0 }, "a matrix"));
    }
    let (mh, mw) = (mask.shape[0], mask.shape[1]);
    let center = match call.args.get(2) {
        Some(v) if !matches!(v, Value::Array(t) if t.is_empty()) => call.list(2)?,
        _ => vec![(mh / 2) as f64, (mw / 2) as f64],
    };
    let mode = if call.args.len() > 3 { access(call, 3)? } else { Access::Mirror };
    let (h, w, channels) = (x.shape[0], x.shape[1], x.shape.get(2).copied().unwrap_or(1));
    let (values, weights) = (to_f64(&x.data.borrow()).into_owned(), to_f64(&mask.data.borrow()).into_owned());
    let (cy, cx) = (center.first().map_or(0, |c| *c as i64), center.get(1).map_or(0, |c| *c as i64));
    let mut out = vec![0.0f64; values.len()];
    let line = |n: usize, m: usize, c: i64| -> Res<Vec<Option<usize>>> {
        let mut map = Vec::with_capacity(n * m);
        for i in 0..n {
            for k in 0..m {
                map.push(map_index(i as i64 + k as i64 - c, n, mode, "")?);
            }
        }
        Ok(map)
    };
    let (rows, columns) = (line(h, mh, cy)?, line(w, mw, cx)?);
    for i in 0..h {
        for j in 0..w {
            for k in 0..mh {
                let Some(r) = rows[i * mh + k] else { continue };
                for l in 0..mw {
                    let Some(c) = columns[j * mw + l] else { continue };
                    let f = weights[k * mw + l];
                    for p in 0..channels {
                        out[(i * w + j) * channels + p] += f * values[(r * w + c) * channels + p];
                    }
                }
            }
        }
    }
    Ok(Value::array(Tensor::new(x.shape.clone(), real_data(out, call.double()))))
}

/// Full convolution of two matrices or vectors.
fn convolve(call: &mut Call) -> Res<Value> {
    let (x, y) = (call.tensor(0)?, call.tensor(1)?);
    if x.shape.len() > 2 || y.shape.len() > 2 || x.is_empty() || y.is_empty() {
        return Err(call.wrong(0, "vectors or matrices"));
    }
    let (h, w) = (x.shape[0] + y.shape[0] - 1, x.shape[1] + y.shape[1] - 1);
    let (a, b) = (to_f64(&x.data.borrow()).into_owned(), to_f64(&y.data.borrow()).into_owned());
    let mut out = vec![0.0; h * w];
    for (i, p) in a.iter().enumerate() {
        let (r, c) = (i / x.shape[1], i % x.shape[1]);
        for (j, q) in b.iter().enumerate() {
            out[(r + j / y.shape[1]) * w + c + j % y.shape[1]] += p * q;
        }
    }
    Ok(Value::array(Tensor::new(Shape::from_slice(&[h, w]), real_data(out, call.double()))))
}

/// Transforms along the last `dims` dimensions; the inverse is scaled by 1/N.
fn fourier(call: &mut Call, dims: usize, inverse: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    let double = call.double()
        || matches!(*t.data.borrow(), crate::host::tensor::Data::F64(_) | crate::host::tensor::Data::C64(_));
    let mut values: Vec<Complex<f64>> = to_c64(&t.data.borrow()).iter().map(|z| Complex::new(z[0], z[1])).collect();
    let mut planner = FftPlanner::new();
    let rank = t.shape.len();
    for d in rank.saturating_sub(dims)..rank {
        let n = t.shape[d];
        let stride: usize = t.shape[d + 1..].iter().product();
        if n < 2 {
            continue;
        }
        let plan = if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) };
        let mut line = vec![Complex::default(); n];
        for start in (0..values.len()).filter(|i| (i / stride).is_multiple_of(n)) {
            for (k, z) in line.iter_mut().enumerate() {
                *z = values[start + k * stride];
            }
            plan.process(&mut line);
            for (k, z) in line.iter().enumerate() {
                values[start + k * stride] = if inverse { z / n as f64 } else { *z };
            }
        }
    }
    let out = values.iter().map(|z| [z.re, z.im]).collect();
    Ok(Value::array(Tensor::new(t.shape.clone(), complex_data(out, double))))
}

fn rgb2gray(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.shape.len() != 3 || t.shape[2] < 3 {
        return Err(call.wrong(0, "a cube with 3 channels"));
    }
    let v = to_f64(&t.data.borrow()).into_owned();
    let n = t.shape[2];
    // Weights of ITU-R BT.601.
    let gray = v.chunks(n).map(|p| 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]).collect();
    Ok(Value::array(Tensor::new(normal_shape(&t.shape[..2]), real_data(gray, call.double()))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "imread",
        "imread(file[,\"rgb\"])",
        "an image: matrix for gray, cube for colour, values from 0",
        "x = 1",
        1..=2,
        Run::One(image::imread)
    ),
    row!(
        "imwrite",
        "imwrite(file,x[,16])",
        "writes an image; the extension gives the format",
        "imwrite(\"a.pgm\", zeros(2,2))",
        2..=3,
        Run::Effect(image::imwrite)
    ),
    row!(
        "imshow",
        "imshow(x[,range])",
        "writes imshow_NNN.png and returns an object with its name",
        "x = 1",
        1..=2,
        Run::One(image::imshow)
    ),
    row!(
        "imfilter",
        "imfilter(x,mask[,center[,mode]])",
        "correlation of every channel with a mask; mode \"mirror\" by default",
        "print imfilter(eye(3), ones(1,1))",
        2..=4,
        Run::One(imfilter)
    ),
    row!("conv", "conv(a,b)", "full convolution of vectors", "print conv([1,2],[1,1])", 2..=2, Run::One(convolve)),
    row!(
        "conv2",
        "conv2(a,b)",
        "full convolution of matrices",
        "print conv2([[1,2]],[[1],[1]])",
        2..=2,
        Run::One(convolve)
    ),
    row!(
        "rgb2gray",
        "rgb2gray(x)",
        "luminance of a colour image",
        "print rgb2gray(ones(1,2,3))",
        1..=1,
        Run::One(rgb2gray)
    ),
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
];
