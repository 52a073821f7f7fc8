//! Convolutions by Fourier transforms.

use super::lines::{Columns, Finish, columns, each_row, fast_length};
use super::real::Real;
use crate::threads;
use rustfft::num_complex::Complex;

/// The full convolution of two lines, piece by piece: `b` is the shorter one. Each piece of the result follows from the elements of
/// `a` that reach into it.
pub fn convolved_lines(a: &[f64], b: &[f64], out: &mut [f64]) {
    let total = a.len() + b.len() - 1;
    // Pieces of which most is new, and that stay in a cache.
    let n = b.len().saturating_mul(4).next_power_of_two().max(1 << 12);
    let n = if n < total { n } else { even_length(total) };
    let (forth, back) = (Real::<f64>::new(n, false), Real::<f64>::new(n, true));
    let line = || vec![Complex::default(); n / 2 + 1];
    let scale = 1.0 / n as f64;
    let mut factors = line();
    for (o, x) in bytemuck::cast_slice_mut::<_, f64>(&mut factors).iter_mut().zip(b) {
        *o = x * scale;
    }
    forth.forth(&mut factors, &mut forth.room());
    // The first elements of a piece are mixed with its last ones, unless there is but one.
    let (step, mixed) = if n >= total { (total, 0) } else { (n - b.len() + 1, b.len() - 1) };
    let work = |(line, room): &mut (Vec<Complex<f64>>, Vec<Complex<f64>>), (k, out): (usize, &mut [f64])| {
        let numbers = bytemuck::cast_slice_mut::<_, f64>(line);
        let from = (k * step) as isize - mixed as isize;
        let first = from.max(0) as usize;
        let part = &a[first.min(a.len())..from.saturating_add_unsigned(n).clamp(0, a.len() as isize) as usize];
        let before = (first as isize - from) as usize;
        numbers.fill(0.0);
        numbers[before..before + part.len()].copy_from_slice(part);
        forth.forth(line, room);
        line.iter_mut().zip(&factors).for_each(|(z, f)| *z *= f);
        back.back(line, room);
        out.copy_from_slice(&bytemuck::cast_slice::<_, f64>(line)[mixed..mixed + out.len()]);
    };
    each_row(out[..total].chunks_mut(step).enumerate().collect(), n, || (line(), back.room()), work);
}

/// The least even length from `n` on of which a transform is quick.
fn even_length(n: usize) -> usize {
    2 * fast_length(n.div_ceil(2))
}

/// The full convolution of two matrices with `m` and `n` columns, h×w numbers.
pub fn convolved(a: &[f64], m: usize, b: &[f64], n: usize, [h, w]: [usize; 2]) -> Vec<f64> {
    let (down, across) = (fast_length(h), even_length(w));
    let pitch = across / 2 + 1;
    let scale = 1.0 / (down as f64 * across as f64);
    let (forth, back) = (Real::<f64>::new(across, false), Real::<f64>::new(across, true));
    let transformed = |values: &[f64], width: usize, scale: f64| {
        let mut z = vec![Complex::default(); down * pitch];
        let lines: Vec<_> = z.chunks_exact_mut(pitch).zip(values.chunks_exact(width)).collect();
        each_row(
            lines,
            across,
            || forth.room(),
            |room, (line, row)| {
                let numbers = bytemuck::cast_slice_mut::<_, f64>(line);
                numbers.iter_mut().zip(row).for_each(|(o, x)| *o = x * scale);
                forth.forth(line, room);
            },
        );
        columns(&mut z, Columns { n: down, inner: pitch, row: pitch, used: pitch, inverse: false }, Finish::none());
        z
    };
    let mut z = transformed(a, m, 1.0);
    let factors = transformed(b, n, scale);
    threads::parts(&mut z, 1 << 14, &|from, z| z.iter_mut().zip(&factors[from..]).for_each(|(z, f)| *z *= f));
    columns(&mut z, Columns { n: down, inner: pitch, row: pitch, used: pitch, inverse: true }, Finish::none());
    let mut out = vec![0.0; h * w];
    let lines: Vec<_> = z.chunks_exact_mut(pitch).zip(out.chunks_exact_mut(w)).collect();
    each_row(
        lines,
        across,
        || back.room(),
        |room, (line, out)| {
            back.back(line, room);
            out.copy_from_slice(&bytemuck::cast_slice::<_, f64>(line)[..w]);
        },
    );
    out
}
