//! Squares of elements that are turned over, so that their rows become their columns.

use super::state::Lower;
use quadra_kir::Elem;

/// The side of the squares that are turned over: what a register holds of words, a quarter of one of less.
pub(super) fn side_of(elem: Elem, most: usize, whole: bool) -> usize {
    let side = match elem.bytes() {
        1 => 16,
        2 => 8,
        8 => 4,
        _ if whole => 16,
        _ => 8,
    };
    side.min(most)
}

/// Which lanes of two vectors, one behind the other, one is made of.
type Way<'a> = &'a dyn Fn(usize) -> usize;

impl Lower<'_> {
    /// As many vectors as each has elements, as a square whose rows become its columns: sixteen or eight words or less, four of 64 bits.
    pub(super) fn turned_over(&mut self, rows: Vec<String>, word: &str) -> Vec<String> {
        match word {
            "i32" => self.words_turned_over(rows),
            "i64" => self.pairs_turned_over(rows),
            _ => self.woven_over(rows, word),
        }
    }

    /// Takes pairs of rows whose numbers differ in one bit to two that are made of both.
    fn pass(&mut self, rows: &mut Vec<String>, word: &str, apart: usize, ways: [Way<'_>; 2]) {
        self.pass_of((rows.len(), word), rows, apart, ways);
    }

    /// The same of vectors of so many elements.
    fn pass_of(&mut self, (side, word): (usize, &str), rows: &mut Vec<String>, apart: usize, ways: [Way<'_>; 2]) {
        let of = format!("<{side} x {word}>");
        let many = rows.len();
        let old = std::mem::replace(rows, vec![String::new(); many]);
        for low in (0..many).filter(|n| n & apart == 0) {
            for (n, way) in ways.iter().enumerate() {
                let from: Vec<String> = (0..side).map(|lane| format!("i32 {}", way(lane))).collect();
                let pair = format!("{of} {}, {of} {}", old[low], old[low + apart]);
                let lanes = format!("<{side} x i32> <{}>", from.join(", "));
                rows[low + n * apart] = self.t.def(&format!("shufflevector {pair}, {lanes}"));
            }
        }
    }

    /// Four vectors of eight words, as two squares of four that lie side by side.
    pub(super) fn fours_turned_over(&mut self, mut rows: Vec<String>) -> Vec<String> {
        self.within_fours(8, &mut rows);
        rows.swap(1, 2);
        rows
    }

    /// Takes pairs of elements, then of pairs, within vectors' stretches of four words.
    fn within_fours(&mut self, side: usize, rows: &mut Vec<String>) {
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
        self.pass_of((side, "i32"), rows, 1, [&within(true, 1), &within(false, 1)]);
        self.pass_of((side, "i32"), rows, 2, [&within(true, 2), &within(false, 2)]);
    }

    /// Eight vectors of eight words, or sixteen of sixteen.
    fn words_turned_over(&mut self, mut rows: Vec<String>) -> Vec<String> {
        let side = rows.len();
        // Within quarters of vectors; then quarters, and pairs of quarters.
        self.within_fours(side, &mut rows);
        let quarters = |order: [usize; 4]| move |lane: usize| order[lane / 4] * 4 + lane % 4;
        // Bits of the column's number, in the order in which the passes told columns apart.
        let bit = |n: usize, at: usize| (n >> at) & 1;
        if side == 8 {
            self.pass(&mut rows, "i32", 4, [&quarters([0, 2, 0, 0]), &quarters([1, 3, 0, 0])]);
            let place = |n: usize| bit(n, 1) | (bit(n, 0) << 1) | (bit(n, 2) << 2);
            return (0..side).map(|column| rows[place(column)].clone()).collect();
        }
        self.pass(&mut rows, "i32", 4, [&quarters([0, 1, 4, 5]), &quarters([2, 3, 6, 7])]);
        self.pass(&mut rows, "i32", 8, [&quarters([0, 2, 4, 6]), &quarters([1, 3, 5, 7])]);
        let place = |n: usize| bit(n, 1) | (bit(n, 0) << 1) | (bit(n, 3) << 2) | (bit(n, 2) << 3);
        (0..side).map(|column| rows[place(column)].clone()).collect()
    }

    /// Four vectors of four elements of 64 bits: pairs within halves, then halves.
    fn pairs_turned_over(&mut self, mut rows: Vec<String>) -> Vec<String> {
        self.pass(&mut rows, "i64", 1, [&|l| [0, 4, 2, 6][l], &|l| [1, 5, 3, 7][l]]);
        self.pass(&mut rows, "i64", 2, [&|l| [0, 1, 4, 5][l], &|l| [2, 3, 6, 7][l]]);
        rows
    }

    /// Short elements, a square's row of which fits a quarter of a register: each pass interleaves those of two rows, so that a bit of
    /// the row's number becomes one of the column's.
    fn woven_over(&mut self, mut rows: Vec<String>, word: &str) -> Vec<String> {
        let side = rows.len();
        let weave = |first: usize| move |lane: usize| first + lane / 2 + if lane % 2 == 1 { side } else { 0 };
        let mut apart = side / 2;
        while apart > 0 {
            self.pass(&mut rows, word, apart, [&weave(0), &weave(side / 2)]);
            apart /= 2;
        }
        rows
    }
}
