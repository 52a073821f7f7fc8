//! Elements at equal distances where a register holds eight words (AVX2): each half of the lanes by itself.
//!
//! Distances of four and eight are columns of squares, which are turned over: what of it nobody asks for, LLVM leaves out. For others, rows of
//! eight are laid over each other as long as no two lanes' elements fall on the same place of a row, which they never do
//! where the distance is odd, and one instruction moves them to their lanes.

use super::state::Lower;
use crate::common::text::{self, LANES};
use quadra_kir::{Buf, Type};
use quadra_passes::analysis::linear::Form;

/// Words of a register.
const EIGHT: i32 = 8;
const TYPE: &str = "<8 x i32>";

/// Where the elements of lanes lie in rows: for each place of a row which row it is, and the lanes with their places.
#[derive(Default)]
struct Laid {
    rows: [Option<i32>; 8],
    lanes: Vec<(usize, usize)>,
}

impl Lower<'_> {
    /// The sixteen words from `first` on, `step` apart; as in a load of the lanes in order, or reversed. With `shared` the stretch of all
    /// sixteen steps may be read, and the elements are the ones so far behind its steps; otherwise nothing behind the last one.
    pub(super) fn strided_eight(
        &mut self,
        buf: Buf,
        first: &Form,
        (step, shared): (i32, Option<i32>),
        reversed: bool,
    ) -> String {
        let halves = [0, 1].map(|half| match step {
            4 | 8 => self.column(buf, first, half, (step, shared)),
            _ => self.picked(buf, first, half, (step, shared)),
        });
        let lane = |n: i32| if reversed { 15 - n } else { n };
        let from: Vec<String> = (0..16).map(|n| format!("i32 {}", lane(n))).collect();
        self.t.def(&format!("shufflevector {TYPE} {}, {TYPE} {}, {LANES} <{}>", halves[0], halves[1], from.join(", ")))
    }

    /// So many words, `at` behind an element.
    fn words(&mut self, buf: Buf, first: &Form, at: i32, many: i32) -> String {
        let place = self.place_of(buf, Form { constant: first.constant.wrapping_add(at), ..first.clone() });
        let key = format!("load {many} of {place}");
        if let Some(value) = self.memo.get(&key) {
            return value.clone();
        }
        let value = self.t.def(&format!("load <{many} x i32>, ptr {place}, align 4"));
        self.memo.insert(key, value.clone());
        value
    }

    /// Half of the lanes' elements as a column of a square.
    fn column(&mut self, buf: Buf, first: &Form, half: i32, (step, shared): (i32, Option<i32>)) -> String {
        let begin = half * EIGHT * step;
        // Behind the last element of all nothing may be read; those of the second half have others before them.
        let (begin, column) = match shared {
            Some(column) => (begin, column),
            None if half == 0 => (begin, 0),
            None => (begin - (step - 1), step - 1),
        };
        let key = format!("load column {} {}", self.place_of(buf, first.clone()), begin);
        let named = |column: i32| format!("{key} {step} {column}");
        if let Some(value) = self.memo.get(&named(column)) {
            return value.clone();
        }
        let rows = (0..step).map(|n| {
            if step == EIGHT {
                return self.words(buf, first, begin + n * step, EIGHT);
            }
            // Two squares of four beside each other.
            let [low, high] = [n, n + 4].map(|lane| self.words(buf, first, begin + lane * step, 4));
            let all = "<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>";
            self.t.def(&format!("shufflevector <4 x i32> {low}, <4 x i32> {high}, {TYPE} {all}"))
        });
        let rows = rows.collect();
        let columns = self.turned_over(rows);
        for (n, value) in columns.iter().enumerate() {
            self.memo.insert(named(n as i32), value.clone());
        }
        columns[column as usize].clone()
    }

    /// Half of the lanes' elements, from rows that are laid over each other.
    fn picked(&mut self, buf: Buf, first: &Form, half: i32, (step, shared): (i32, Option<i32>)) -> String {
        let begin = half * EIGHT * step;
        let last = if shared.is_some() { i32::MAX } else { 15 * step - (EIGHT - 1) };
        let mut all: Vec<Laid> = Vec::new();
        for lane in 0..EIGHT {
            let element = begin + lane * step + shared.unwrap_or(0);
            let row = (begin + (element - begin) / EIGHT * EIGHT).min(last);
            let place = (element - row) as usize;
            let fits = |l: &Laid| l.rows[place].is_none_or(|r| r == row);
            let at = all.iter().position(fits).unwrap_or(all.len());
            if at == all.len() {
                all.push(Laid::default());
            }
            all[at].rows[place] = Some(row);
            all[at].lanes.push((lane as usize, place));
        }
        let mut value: Option<String> = None;
        let mut known = [false; 8];
        for laid in &all {
            let over = self.laid_over(buf, first, &laid.rows);
            let mut from = [None; 8];
            for lane in (0..8).filter(|&lane| known[lane]) {
                from[lane] = Some(lane);
            }
            for &(lane, place) in &laid.lanes {
                (from[lane], known[lane]) = (Some(8 + place), true);
            }
            let before = value.unwrap_or_else(|| over.clone());
            value = Some(self.eight_from([&before, &over], &from));
        }
        value.unwrap_or_else(|| "zeroinitializer".into())
    }

    /// Places of several rows.
    fn laid_over(&mut self, buf: Buf, first: &Form, rows: &[Option<i32>; 8]) -> String {
        let mut different: Vec<i32> = rows.iter().flatten().copied().collect();
        different.sort_unstable();
        different.dedup();
        let mut value: Option<String> = None;
        for row in different {
            let next = self.words(buf, first, row, EIGHT);
            value = Some(match value {
                None => next,
                Some(value) => {
                    let from: Vec<Option<usize>> =
                        (0..8).map(|p| if rows[p] == Some(row) { Some(8 + p) } else { Some(p) }).collect();
                    self.eight_from([&value, &next], &from)
                }
            });
        }
        value.unwrap_or_else(|| "zeroinitializer".into())
    }

    /// Words of two vectors; any where it does not matter.
    fn eight_from(&mut self, of: [&str; 2], from: &[Option<usize>]) -> String {
        let from: Vec<String> = from.iter().map(|l| l.map_or("i32 undef".into(), |l| format!("i32 {l}"))).collect();
        self.t.def(&format!("shufflevector {TYPE} {}, {TYPE} {}, {TYPE} <{}>", of[0], of[1], from.join(", ")))
    }

    /// Stores of sixteen words each, whose elements take turns from `first` on: as rows of eight.
    pub(super) fn store_eight(&mut self, buf: Buf, first: &Form, values: &[String], reversed: bool) {
        let elem = self.kernel.bufs[buf].elem;
        let t = Type::vector(elem.in_register());
        let many = values.len();
        let words: Vec<String> = values.iter().map(|v| self.narrow(elem, t, v)).collect();
        for row in 0..2 * many {
            let lane = |element: usize| if reversed { 15 - element / many } else { element / many };
            let mut whole: Option<String> = None;
            for (k, value) in words.iter().enumerate() {
                let place = |n: usize| {
                    let element = 8 * row + n;
                    if element % many == k { format!("i32 {}", lane(element)) } else { "i32 undef".into() }
                };
                let from: Vec<String> = (0..8).map(place).collect();
                let part =
                    self.t.def(&format!("shufflevector {LANES} {value}, {LANES} undef, {TYPE} <{}>", from.join(", ")));
                whole = Some(match whole {
                    None => part,
                    Some(before) => {
                        let own = |n: usize| (8 * row + n) % many == k;
                        let from: Vec<Option<usize>> = (0..8).map(|n| Some(if own(n) { 8 + n } else { n })).collect();
                        self.eight_from([&before, &part], &from)
                    }
                });
            }
            let place =
                self.place_of(buf, Form { constant: first.constant.wrapping_add(8 * row as i32), ..first.clone() });
            let memory = text::elem(quadra_kir::Elem::I32);
            self.t.line(&format!("store <8 x {memory}> {}, ptr {place}, align 4", whole.unwrap_or_default()));
        }
    }
}
