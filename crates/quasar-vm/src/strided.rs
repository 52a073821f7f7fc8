//! Elements in another order: every dimension of the result goes through the source in steps of one length. Transposes, slices,
//! mirrored and repeated arrays are copies of this kind.

use super::storage::{self, LONG};
use super::tensor::{Data, Shape, Tensor, remap};
use quadra_numeric::threads;

/// Rows of the result that are written together when the source goes along columns: a cache line of them.
const TILE: usize = 16;

/// The order in which elements are taken.
#[derive(Debug)]
pub struct Walk {
    /// Lengths, and distances of neighbours in the source.
    dims: Vec<(usize, isize)>,
    /// Where it begins.
    start: usize,
}

/// A type of elements that can be copied.
trait Item: Copy + Send + Sync + Default {
    fn storage(n: usize) -> Vec<Self> {
        vec![Self::default(); n]
    }
}

macro_rules! items {
    ($($t:ty),* ; $($kept:ty),*) => {
        $(impl Item for $t {})*
        $(impl Item for $kept {
            fn storage(n: usize) -> Vec<Self> {
                storage::storage(n)
            }
        })*
    };
}
items!(i8, i16, i64, u16, u32, u64; f32, f64, i32, u8, [f32; 2], [f64; 2]);

impl Walk {
    /// Of dimensions from the outermost to the innermost. Each place must lie in the source.
    pub fn new(start: usize, dims: impl IntoIterator<Item = (usize, isize)>) -> Walk {
        let mut merged: Vec<(usize, isize)> = Vec::new();
        for (n, step) in dims {
            match merged.last_mut() {
                _ if n == 1 => {}
                // The outer dimension goes on where the inner one ends.
                Some((outer, before)) if *before == step * n as isize => {
                    *outer *= n;
                    *before = step;
                }
                _ => merged.push((n, step)),
            }
        }
        if merged.is_empty() {
            merged.push((1, 1));
        }
        Walk { dims: merged, start }
    }

    /// How many elements it comes to.
    pub(crate) fn count(&self) -> usize {
        self.dims.iter().map(|d| d.0).product()
    }

    /// The place of row `k`, a row being the innermost `inner` dimensions.
    fn row(&self, mut k: usize, inner: usize) -> usize {
        let mut at = self.start as isize;
        for (n, step) in self.dims[..self.dims.len() - inner].iter().rev() {
            at += (k % n) as isize * step;
            k /= n;
        }
        at as usize
    }

    /// Whether the two innermost dimensions are those of a matrix that is to be transposed.
    fn transposes(&self) -> bool {
        matches!(self.dims[..], [.., (_, 1), (n, step)] if step > 1 && n > 1)
    }

    fn copy<T: Item>(&self, source: &[T]) -> Vec<T> {
        let mut out = T::storage(self.count());
        if out.is_empty() {
            return out;
        }
        let (n, step) = self.dims[self.dims.len() - 1];
        if self.transposes() {
            let rows = self.dims[self.dims.len() - 2].0;
            let work = |(k, out): (usize, &mut [T])| {
                // A chunk ends with its matrix, if not with its tile.
                let (matrix, first) = (k / rows.div_ceil(TILE), k % rows.div_ceil(TILE) * TILE);
                tile(&source[self.row(matrix, 2) + first..], out, n, step as usize);
            };
            let matrices = out.chunks_mut(rows * n);
            let tiles: Vec<(usize, &mut [T])> = matrices.flat_map(|m| m.chunks_mut(TILE * n)).enumerate().collect();
            let least = if self.count() < LONG { tiles.len() } else { (LONG / 4).div_ceil(TILE * n) };
            threads::groups(tiles, least, &|tiles| tiles.for_each(work));
            return out;
        }
        match self.dims.len() > 1 {
            true => storage::each_line(&mut out, n, 1, |k, out| line(source, self.row(k, 1), step, out)),
            false => storage::each_part(&mut out, |range, out| {
                let at = self.start as isize + range.start as isize * step;
                line(source, at as usize, step, out);
            }),
        }
        out
    }

    /// The positions in the source, one by one.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let (n, step) = self.dims[self.dims.len() - 1];
        let rows = self.count().checked_div(n).unwrap_or(0);
        (0..rows).flat_map(move |k| {
            let at = self.row(k, 1) as isize;
            (0..n).map(move |i| (at + i as isize * step) as usize)
        })
    }

    /// The elements of `t` in this order.
    pub fn take(&self, t: &Tensor, shape: Shape) -> Tensor {
        let data = match &*t.data.borrow() {
            Data::Cell(v) => Data::Cell(self.places().map(|i| v[i].clone()).collect()),
            data => copied(self, data),
        };
        Tensor::new(shape, data).with_fit(t.fit).with_cell_type(t.cell_type.clone())
    }

    /// Writes to the places, in their order. Says whether it could: places and values are of one type.
    pub fn put(&self, target: &mut Data, source: &Data) -> bool {
        macro_rules! put {
            ($($kind:ident)*) => {
                match (target, source) {
                    $((Data::$kind(target), Data::$kind(source)) => self.scatter(target, source),)*
                    _ => return false,
                }
            };
        }
        put!(F32 F64 C32 C64 Int I8 I16 I32 I64 U8 U16 U32 U64);
        true
    }

    fn scatter<T: Copy>(&self, target: &mut [T], source: &[T]) {
        let (n, step) = self.dims[self.dims.len() - 1];
        for (k, row) in source.chunks(n.max(1)).enumerate() {
            let at = self.row(k, 1);
            match step {
                1 => target[at..at + row.len()].copy_from_slice(row),
                _ => row.iter().enumerate().for_each(|(i, x)| target[at.wrapping_add_signed(i as isize * step)] = *x),
            }
        }
    }

    /// Sets the places of floats to a number. Says whether these are floats.
    pub fn fill(&self, target: &mut Data, x: f64) -> bool {
        match target {
            Data::F32(v) => self.places().for_each(|i| v[i] = x as f32),
            Data::F64(v) => self.places().for_each(|i| v[i] = x),
            _ => return false,
        }
        true
    }
}

/// The elements of data that are no cells.
fn copied(walk: &Walk, data: &Data) -> Data {
    trait Copied: Sized {
        fn in_order(walk: &Walk, v: &[Self]) -> Vec<Self>;
    }
    impl<T: Item> Copied for T {
        fn in_order(walk: &Walk, v: &[T]) -> Vec<T> {
            walk.copy(v)
        }
    }
    impl Copied for super::value::Value {
        fn in_order(walk: &Walk, v: &[Self]) -> Vec<Self> {
            walk.places().map(|i| v[i].clone()).collect()
        }
    }
    remap!(data, v => Copied::in_order(walk, v))
}

/// Elements from `at` on, each `step` behind the one before.
fn line<T: Copy>(source: &[T], at: usize, step: isize, out: &mut [T]) {
    let n = out.len();
    match step {
        1 => out.copy_from_slice(&source[at..at + n]),
        0 => out.fill(source[at]),
        -1 => out.iter_mut().zip(source[at + 1 - n..=at].iter().rev()).for_each(|(o, x)| *o = *x),
        2.. => out.iter_mut().zip(source[at..].iter().step_by(step as usize)).for_each(|(o, x)| *o = *x),
        _ => out.iter_mut().enumerate().for_each(|(i, o)| *o = source[at.wrapping_add_signed(i as isize * step)]),
    }
}

/// Some rows of a transposed matrix: element `k` of row `r` is element `r` of the source's row `k`.
fn tile<T: Copy>(source: &[T], out: &mut [T], n: usize, step: usize) {
    let rows = out.len() / n;
    for from in (0..n).step_by(TILE) {
        let to = (from + TILE).min(n);
        for r in 0..rows {
            let line = &mut out[r * n + from..r * n + to];
            line.iter_mut().zip(source[from * step + r..].iter().step_by(step)).for_each(|(o, x)| *o = *x);
        }
    }
}
