//! Squares of words that are turned over, so that their rows become their columns.

use super::state::Lower;

impl Lower<'_> {
    /// Eight vectors of eight words, or sixteen of sixteen, as a square whose rows become its columns.
    pub(super) fn turned_over(&mut self, mut rows: Vec<String>) -> Vec<String> {
        let side = rows.len();
        // Pairs of elements, then of pairs, within quarters of vectors; then quarters, and pairs of quarters.
        let within = |low: bool, many: usize| {
            move |lane: usize| {
                let (quarter, at) = (lane / 4 * 4, lane % 4);
                let first = if low { 0 } else { 2 };
                match many {
                    1 => quarter + first + at / 2 + if at % 2 == 1 { side } else { 0 },
                    _ => quarter + first + at % 2 + if at >= 2 { side } else { 0 },
                }
            }
        };
        let quarters = |order: [usize; 4]| move |lane: usize| order[lane / 4] * 4 + lane % 4;
        let of = format!("<{side} x i32>");
        let mut pass = |l: &mut Self, apart: usize, ways: [&dyn Fn(usize) -> usize; 2]| {
            let old = std::mem::take(&mut rows);
            rows = vec![String::new(); old.len()];
            for low in (0..old.len()).filter(|n| n & apart == 0) {
                for (n, way) in ways.iter().enumerate() {
                    let from: Vec<String> = (0..side).map(|lane| format!("i32 {}", way(lane))).collect();
                    let pair = format!("{of} {}, {of} {}", old[low], old[low + apart]);
                    rows[low + n * apart] = l.t.def(&format!("shufflevector {pair}, {of} <{}>", from.join(", ")));
                }
            }
        };
        pass(self, 1, [&within(true, 1), &within(false, 1)]);
        pass(self, 2, [&within(true, 2), &within(false, 2)]);
        // Bits of the column's number, in the order in which the passes told columns apart.
        let bit = |n: usize, at: usize| (n >> at) & 1;
        if side == 8 {
            pass(self, 4, [&quarters([0, 2, 0, 0]), &quarters([1, 3, 0, 0])]);
            let place = |n: usize| bit(n, 1) | (bit(n, 0) << 1) | (bit(n, 2) << 2);
            return (0..side).map(|column| rows[place(column)].clone()).collect();
        }
        pass(self, 4, [&quarters([0, 1, 4, 5]), &quarters([2, 3, 6, 7])]);
        pass(self, 8, [&quarters([0, 2, 4, 6]), &quarters([1, 3, 5, 7])]);
        let place = |n: usize| bit(n, 1) | (bit(n, 0) << 1) | (bit(n, 3) << 2) | (bit(n, 2) << 3);
        (0..side).map(|column| rows[place(column)].clone()).collect()
    }
}
