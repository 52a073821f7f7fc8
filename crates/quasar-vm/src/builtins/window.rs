//! Images and what lies under a window on each of their pixels, row by row: every row is made as long as the window needs it once,
//! and each element of the window then stands for a row of values.

use crate::storage::{self, Kept};
use quadra_numeric::wide::{self, Job};

/// Columns that are computed together.
const BLOCK: usize = 256;

/// The rows of an image, prolonged to both sides as the window's access mode says.
pub struct Rows<T> {
    values: Vec<T>,
    /// Elements of a prolonged row.
    length: usize,
    /// The row of `values` for each row and row of the window; none where nothing is.
    rows: Vec<Option<usize>>,
    /// Rows and columns of the window, and the elements of a pixel.
    size: [usize; 2],
    channels: usize,
    height: usize,
    width: usize,
}

impl<T: Copy + Send + Sync> Rows<T> {
    /// Of an image of pixels with `channels` elements. `rows` and `columns`: where each row and column of the window on each row and
    /// column of the image lies; `outside` stands where it lies nowhere.
    pub fn new(
        image: &[T],
        [height, width, channels]: [usize; 3],
        size: [usize; 2],
        rows: &[Option<usize>],
        columns: &[Option<usize>],
        outside: T,
    ) -> Rows<T> {
        let prolonged = if width == 0 { 0 } else { width + size[1] - 1 };
        // Column k of a prolonged row is column l of the window on column c, k being c + l.
        let from = |k: usize| {
            let c = k.min(width - 1);
            columns[c * size[1] + (k - c)]
        };
        let places: Vec<Option<usize>> = (0..prolonged).map(from).collect();
        let length = prolonged * channels;
        let mut values = vec![outside; height * length];
        storage::each_line(&mut values, length, 1, |r, out| {
            let row = &image[r * width * channels..(r + 1) * width * channels];
            for (pixel, place) in out.chunks_mut(channels).zip(&places) {
                if let Some(c) = place {
                    pixel.copy_from_slice(&row[c * channels..(c + 1) * channels]);
                }
            }
        });
        Rows { values, length, rows: rows.to_vec(), size, channels, height, width }
    }

    /// The values under row `k`, column `l` of the window on the pixels of a row, from element `at` on; nothing outside.
    fn under(&self, row: usize, k: usize, l: usize, at: usize, n: usize) -> Option<&[T]> {
        let r = self.rows[row * self.size[0] + k]?;
        let from = r * self.length + l * self.channels + at;
        Some(&self.values[from..from + n])
    }

    /// Calls `f` with a row's number, the first of some elements of it, and where their results go.
    fn each<O: Kept>(&self, f: impl Fn(usize, usize, &mut [O]) + Sync) -> Vec<O> {
        let n = self.width * self.channels;
        storage::build_lines(self.height * n, n, self.size[0] * self.size[1], |row, out| {
            out.chunks_mut(BLOCK).enumerate().for_each(|(b, part)| f(row, b * BLOCK, part));
        })
    }
}

/// An element that is read as a double, and written as the nearest one.
pub trait Real: Kept {
    fn double(self) -> f64;
    fn near(x: f64) -> Self;
}

macro_rules! real {
    ($($t:ident),*) => {
        $(impl Real for $t {
            #[inline(always)]
            fn double(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn near(x: f64) -> $t {
                x as $t
            }
        })*
    };
}
real!(f32, f64);

/// `out[i]`: the sum of what is under a window on element i times its weights, row by row. A row of the window is a slice of which
/// element `i + l*step` is under weight l on element i; what is not there counts for nothing.
pub struct Weigh<'a, T> {
    pub out: &'a mut [T],
    pub lines: &'a [Option<&'a [T]>],
    pub weights: &'a [f64],
    pub step: usize,
}

/// Sums that are computed together: they stay in registers.
const SUMS: usize = 32;

impl<T: Real> Job for Weigh<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Weigh { out, lines, weights, step } = self;
        let columns = weights.len() / lines.len().max(1);
        let (pieces, rest) = out.as_chunks_mut::<SUMS>();
        let behind = pieces.len() * SUMS;
        for (p, piece) in pieces.iter_mut().enumerate() {
            let sums = sums::<T, SUMS>(lines, weights, columns, step, p * SUMS);
            piece.iter_mut().zip(&sums).for_each(|(o, sum)| *o = T::near(*sum));
        }
        for (i, o) in rest.iter_mut().enumerate() {
            *o = T::near(sums::<T, 1>(lines, weights, columns, step, behind + i)[0]);
        }
    }
}

/// The sums of elements from `at` on.
#[inline(always)]
fn sums<T: Real, const N: usize>(
    lines: &[Option<&[T]>],
    weights: &[f64],
    columns: usize,
    step: usize,
    at: usize,
) -> [f64; N] {
    let mut sums = [0.0; N];
    for (line, weights) in lines.iter().zip(weights.chunks_exact(columns)) {
        let Some(line) = line else { continue };
        for (l, weight) in weights.iter().enumerate() {
            let from = at + l * step;
            let Some(x) = line[from..].first_chunk::<N>() else { continue };
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum += *weight * x.double();
            }
        }
    }
    sums
}

impl<T: Real> Rows<T> {
    /// For each element the sum of what is under the window times its weights, in their order.
    pub fn weighted(&self, weights: &[f64]) -> Vec<T> {
        let [h, w] = self.size;
        self.each(|row, at, out| {
            let n = out.len() + (w - 1) * self.channels;
            let lines: Vec<Option<&[T]>> = (0..h).map(|k| self.under(row, k, 0, at, n)).collect();
            wide::run(Weigh { out, lines: &lines, weights, step: self.channels });
        })
    }
}

/// `out = the greater (or less) of out and x`, NaN counting for nothing.
struct Extremes<'a>(&'a mut [f64], &'a [f64], bool);

impl Job for Extremes<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let pairs = self.0.iter_mut().zip(self.1);
        match self.2 {
            true => pairs.for_each(|(o, x)| *o = if *x > *o { *x } else { *o }),
            false => pairs.for_each(|(o, x)| *o = if *x < *o { *x } else { *o }),
        }
    }
}

impl Rows<f64> {
    /// For each element the greatest (or least) of what is under the elements of the window that count, from `start` on.
    pub fn extremes(&self, counts: &[bool], start: f64, greatest: bool) -> Vec<f64> {
        self.each(|row, at, out| {
            out.fill(start);
            for (k, line) in counts.chunks(self.size[1]).enumerate() {
                for (l, _) in line.iter().enumerate().filter(|(_, counts)| **counts) {
                    if let Some(x) = self.under(row, k, l, at, out.len()) {
                        wide::run(Extremes(out, x, greatest));
                    }
                }
            }
        })
    }
}

/// Counts the keys that are less than a bound.
struct Less<'a, K>(&'a mut [u32], &'a [K], &'a [K]);

impl<K: Copy + Ord> Job for Less<'_, K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((count, key), bound) in self.0.iter_mut().zip(self.1).zip(self.2) {
            *count += u32::from(key < bound);
        }
    }
}

/// A key of the numbers under a window, whose bits can be set.
pub trait Bits: quadra_numeric::order::Key + Kept {
    fn bit(k: u32) -> Self;
    fn with(self, other: Self) -> Self;
}

macro_rules! bits {
    ($($t:ty),*) => {
        $(impl Bits for $t {
            fn bit(k: u32) -> $t {
                1 << k
            }

            #[inline(always)]
            fn with(self, other: $t) -> $t {
                self | other
            }
        })*
    };
}
bits!(u32, u64);

impl<K: Bits> Rows<K> {
    /// For each element the `rank`-th least key under the window, bit by bit from the highest: the largest number of which at most
    /// `rank` keys are less.
    pub fn ranked(&self, rank: u32, outside: K) -> Vec<K> {
        let [h, w] = self.size;
        self.each(|row, at, out: &mut [K]| {
            let n = out.len();
            out.fill(K::default());
            let (mut bound, mut count) = (vec![K::default(); n], vec![0u32; n]);
            for bit in (0..K::BITS).rev() {
                bound.iter_mut().zip(&*out).for_each(|(b, o)| *b = o.with(K::bit(bit)));
                count.fill(0);
                for k in 0..h {
                    for l in 0..w {
                        match self.under(row, k, l, at, n) {
                            Some(keys) => wide::run(Less(&mut count, keys, &bound)),
                            None => count.iter_mut().zip(&bound).for_each(|(c, b)| *c += u32::from(outside < *b)),
                        }
                    }
                }
                for ((o, b), c) in out.iter_mut().zip(&bound).zip(&count) {
                    *o = if *c <= rank { *b } else { *o };
                }
            }
        })
    }
}
