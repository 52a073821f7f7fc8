//! Two operands whose shapes differ, row by row: within a row of the result each operand moves by one element or stays.

use super::storage::{self, Operand};

/// An operand within one row of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    pub start: usize,
    /// How many elements it takes: those of the row, or one for all of them.
    pub count: usize,
    /// Whether it stays.
    pub one: bool,
}

impl Side {
    /// Its elements.
    pub fn of<T: Copy>(self, v: &[T]) -> Operand<'_, T> {
        if self.one { Operand::Number(v[self.start]) } else { Operand::Array(&v[self.start..self.start + self.count]) }
    }
}

/// How elements of two operands meet. Dimensions that both operands go through alike are one.
#[derive(Debug)]
pub struct Rows {
    /// Length of each dimension and the distances of neighbours in both operands, the last dimension being the row.
    pub dims: Vec<(usize, [usize; 2])>,
}

impl Rows {
    /// Of operands with these shapes, each length that of the result or 1.
    pub fn of(a: &[usize], b: &[usize], out: &[usize]) -> Rows {
        let strides = |s: &[usize]| {
            let (mut strides, mut step) = (vec![0; out.len()], 1);
            for (i, n) in s.iter().enumerate().rev() {
                strides[i] = if *n == 1 { 0 } else { step };
                step *= n;
            }
            strides
        };
        let (sa, sb) = (strides(a), strides(b));
        let mut dims: Vec<(usize, [usize; 2])> = Vec::new();
        for (i, n) in out.iter().enumerate().filter(|(_, n)| **n != 1) {
            let step = [sa[i], sb[i]];
            match dims.last_mut() {
                // The outer dimension goes on where the inner one ends, in both.
                Some((outer, before)) if (0..2).all(|k| before[k] == step[k] * n) => {
                    *outer *= n;
                    *before = step;
                }
                _ => dims.push((*n, step)),
            }
        }
        if dims.is_empty() {
            dims.push((out.iter().product(), [0; 2]));
        }
        Rows { dims }
    }

    /// Elements of the result.
    pub fn total(&self) -> usize {
        self.dims.iter().map(|d| d.0).product()
    }

    fn row(&self) -> (usize, [usize; 2]) {
        self.dims[self.dims.len() - 1]
    }

    /// Where row `k` begins in both operands.
    fn start(&self, mut k: usize) -> [usize; 2] {
        let mut at = [0; 2];
        for (n, step) in self.dims[..self.dims.len() - 1].iter().rev() {
            let i = k % n;
            k /= n;
            at = [at[0] + i * step[0], at[1] + i * step[1]];
        }
        at
    }

    /// Calls `f` for every row of the result with both operands, long results by several threads.
    pub fn each<T: Send>(&self, out: &mut [T], f: impl Fn(&mut [T], Side, Side) + Sync) {
        let (n, step) = self.row();
        if out.is_empty() {
            return;
        }
        storage::each_line(out, n, 1, |k, row| {
            let at = self.start(k);
            let side = |s: usize| Side { start: at[s], count: n, one: step[s] == 0 };
            f(row, side(0), side(1));
        });
    }

    /// The positions in both operands for each element of the result.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (n, step) = self.row();
        let rows = self.total().checked_div(n).unwrap_or(0);
        (0..rows).flat_map(move |k| {
            let at = self.start(k);
            (0..n).map(move |i| (at[0] + i * step[0], at[1] + i * step[1]))
        })
    }
}
