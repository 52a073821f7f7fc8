//! Lines of an array: along rows, and across them.

use super::plan::{self, Number};
use crate::threads;
use rustfft::num_complex::Complex;

/// The least length from `n` on of which a transform is quick: a product of 2, 3 and 5.
pub fn fast_length(n: usize) -> usize {
    let smooth = |mut n: usize| {
        for p in [2, 3, 5] {
            while n.is_multiple_of(p) {
                n /= p;
            }
        }
        n == 1
    };
    (n.max(1)..).find(|n| smooth(*n)).unwrap_or(n)
}

/// Numbers from which several threads pay.
pub const SHARED: usize = 1 << 14;

/// Calls `work` for all rows of `n` numbers, by several threads if there are many, each of which makes a room of its own.
pub fn each_row<R: Send, S>(rows: Vec<R>, n: usize, room: impl Fn() -> S + Sync, work: impl Fn(&mut S, R) + Sync) {
    let least = if rows.len() * n < SHARED { rows.len() } else { (SHARED / 4).div_ceil(n.max(1)) };
    threads::groups(rows, least, &|rows| {
        let mut room = room();
        rows.for_each(|row| work(&mut room, row));
    });
}

/// What becomes of the parts of a coefficient at last.
#[derive(Clone, Copy)]
pub struct Finish<T>(pub T, pub T);

impl<T: Number> Finish<T> {
    /// The transform's own coefficients.
    pub fn none() -> Finish<T> {
        Finish(T::one(), T::one())
    }

    pub fn of(self, line: &mut [Complex<T>]) {
        if self.0 != T::one() || self.1 != T::one() {
            // Of zeros the positive one.
            line.iter_mut().for_each(|z| *z = Complex::new(z.re * self.0 + T::zero(), z.im * self.1 + T::zero()));
        }
    }
}

/// The conjugate; of zeros the positive one.
pub fn conjugate<T: Number>(z: Complex<T>) -> Complex<T> {
    Complex::new(z.re, T::zero() - z.im)
}

/// Lines across rows: each of several arrays, one behind the other, has `n` times `inner` elements, and a line takes one of each
/// `inner`. Of every `row` elements the first ones are `used`.
pub struct Columns {
    pub n: usize,
    pub inner: usize,
    pub row: usize,
    pub used: usize,
    pub inverse: bool,
}

/// Elements of a block of columns at least: what is read at a time is at least two lines of a cache.
const BLOCK: usize = 16;

/// Transforms lines across rows, block by block: the columns of a block are put into lines, transformed and put back.
pub fn columns<T: Number>(values: &mut [Complex<T>], of: Columns, finish: Finish<T>) {
    let Columns { n, inner, row, used, inverse } = of;
    if n == 0 || values.is_empty() {
        return;
    }
    let plan = plan::plan::<T>(n, inverse);
    let width = BLOCK.max(2048 / n);
    let across = used.div_ceil(width);
    let mut blocks: Vec<Vec<&mut [Complex<T>]>> = Vec::new();
    for array in values.chunks_exact_mut(n * inner) {
        let first = blocks.len();
        blocks.resize_with(first + across * (inner / row), || Vec::with_capacity(n));
        for line in array.chunks_exact_mut(inner) {
            let pieces = line.chunks_exact_mut(row).flat_map(|part| part[..used].chunks_mut(width));
            blocks[first..].iter_mut().zip(pieces).for_each(|(block, piece)| block.push(piece));
        }
    }
    // Lines of a power of two elements would share the places of a cache.
    let pitch = n + 4;
    let room = || (vec![Complex::default(); pitch * width], vec![Complex::default(); plan.get_inplace_scratch_len()]);
    let work = |(lines, room): &mut (Vec<Complex<T>>, Vec<Complex<T>>), mut block: Vec<&mut [Complex<T>]>| {
        let count = block.first().map_or(0, |piece| piece.len());
        for (k, group) in block.chunks(8).enumerate() {
            for (c, line) in lines.chunks_exact_mut(pitch).take(count).enumerate() {
                line[8 * k..].iter_mut().zip(group).for_each(|(o, piece)| *o = piece[c]);
            }
        }
        for line in lines.chunks_exact_mut(pitch).take(count) {
            plan.process_with_scratch(&mut line[..n], room);
            finish.of(&mut line[..n]);
        }
        for (k, group) in block.chunks_mut(8).enumerate() {
            for (c, line) in lines.chunks_exact(pitch).take(count).enumerate() {
                line[8 * k..].iter().zip(group.iter_mut()).for_each(|(z, piece)| piece[c] = *z);
            }
        }
    };
    each_row(blocks, n * width, room, work);
}
