//! Random loops along rows of matrices, where lanes take iterations, columns or pixels: sizes around the width of vectors and the
//! borders of tiles, columns at every distance, all element types and access modes, conditions, early exits, running values that
//! the next iteration needs. They run with proofs tested and without, between guard pages.

use super::random::Random;
use super::series::{Program, Report, series};
use std::fmt::Write;

/// Rows and columns: around widths of 8, 16 and 32, and around squares of them.
const SIZES: [usize; 17] = [1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 47, 64, 65, 100];
/// Iterations of a nest, so that the host ends within its fuel.
const MOST: usize = 2600;
const TYPES: [&str; 10] = ["", "", "", "uint8", "int8", "int16", "uint16", "int", "int64", "uint32"];
const MODES: [&str; 9] = ["", "", "", "'clamped", "'circular", "'mirror", "'safe", "'checked", "'unchecked"];
const DISTANCES: [i32; 11] = [0, 0, 0, 0, -1, 1, -2, 2, 3, 15, -16];

#[derive(Clone, Debug)]
struct Rows {
    /// Arrays and what else stands before the loops.
    before: String,
    heads: [String; 2],
    /// What stands between the heads, and behind the inner loop.
    between: [String; 2],
    body: Vec<String>,
}

/// What a generator knows of its program.
struct Maker<'r> {
    r: &'r mut Random,
    rows: usize,
    columns: usize,
    /// Elements of a row of `x` and `y` for each iteration.
    pitch: usize,
}

impl Program for Rows {
    fn random(seed: u64) -> Rows {
        let mut r = Random::new(seed ^ 0x72_6f77_7321);
        let (rows, columns) = loop {
            let (rows, columns) = (r.pick(&SIZES), r.pick(&SIZES));
            if rows * columns <= MOST {
                break (rows, columns);
            }
        };
        let pitch = r.pick(&[1, 1, 2, 3, 3, 4, 5, 8]);
        Maker { r: &mut r, rows, columns, pitch }.program()
    }

    fn text(&self) -> String {
        let Rows { before, heads: [outer, inner], between: [first, last], body } = self;
        let body = body.join("\n");
        format!(
            "import \"inttypes.q\"\n{before}try\n{outer}\n{first}{inner}\n{body}\nendfor\n{last}endfor\ncatch e\nprint e\nendtry\n\
             print sum(x[:]), x\nprint sum(y[:]), y\nprint sum(z[:]), z\nprint v\nprint c\n"
        )
    }

    /// Without each statement.
    fn smaller(&self) -> Vec<Rows> {
        let bodies = (0..self.body.len()).map(|n| {
            let mut without = self.clone();
            without.body.remove(n);
            without
        });
        let between =
            (0..2).filter(|n| !self.between[*n].is_empty() && !self.between[*n].starts_with("s =")).map(|n| {
                let mut without = self.clone();
                without.between[n].clear();
                without
            });
        bodies.chain(between).collect()
    }

    fn unchecked_too() -> bool {
        true
    }

    fn refused(notes: usize) -> usize {
        usize::from(notes > 0)
    }
}

impl Maker<'_> {
    fn program(mut self) -> Rows {
        let (rows, columns, wide) = (self.rows, self.columns, self.columns * self.pitch);
        let [x, y] = [self.r.pick(&TYPES), self.r.pick(&TYPES)];
        let z = self.r.pick(&["", "int", "int64", "uint8"]);
        let mode = self.r.pick(&MODES);
        let mut before = String::new();
        for (name, kind, wide, mode) in [("x", x, wide, mode), ("y", y, wide, ""), ("z", z, columns, "")] {
            let (by, below) = (self.r.pick(&[3, 5, 7, 11]), self.r.pick(&[5, 9, 13, 100, 120]));
            let values = format!("reshape(mod((0..{})*{by}, {below}), {rows}, {wide})", rows * wide - 1);
            // Writing to a string cannot fail.
            let _ = match kind {
                "" => writeln!(before, "{name} : mat{mode} = {values}"),
                _ => writeln!(before, "{name} : mat[{kind}{mode}] = {kind}({values})"),
            };
        }
        let _ = writeln!(before, "v = mod((0..{})*3, 7) + 0.5\nc = zeros({wide})", rows - 1);
        let _ = writeln!(before, "w = int(mod((0..{})*5, {columns}))", wide - 1);
        let range = self.range();
        let count = self.r.pick(&[1, 1, 2, 3]);
        let outer = format!("for i = 0..{}", rows - 1);
        // A running value of each row, or one of all rows.
        let own = self.r.chance(70);
        let body = (0..count).map(|_| self.statement(own)).collect();
        let mut between = [String::new(), String::new()];
        if own {
            between[0] += "s = 0.0\n";
            if self.r.chance(20) {
                between[0] += "if v[i] > 5\ncontinue\nendif\n";
            }
            if self.r.chance(70) {
                between[1] += "v[i] = s\n";
            }
        } else {
            before += self.r.pick(&["s = 0.0\n", "s = 1.0\n"]);
        }
        Rows { before, heads: [outer, format!("for j = {range}")], between, body }
    }

    /// The iterations of the inner loop.
    fn range(&mut self) -> String {
        let (low, most) = (self.r.pick(&["0", "0", "0", "1", "2"]), self.columns as i64 - 1);
        let high = match self.r.below(7) {
            0 | 1 => most.to_string(),
            2 => (most - 1).to_string(),
            3 => "size(z,1)-1".into(),
            4 => format!("{most}-mod(i,3)"),
            5 => format!("min({most},i)"),
            _ => "i".into(),
        };
        match self.r.chance(15) {
            true => format!("{high}..-1..{low}"),
            false => format!("{low}..{high}"),
        }
    }

    fn moved(&mut self, column: &str) -> String {
        match if self.r.chance(50) { self.r.pick(&DISTANCES) } else { 0 } {
            0 => column.into(),
            by => format!("{column}{by:+}"),
        }
    }

    /// An element of a matrix; `wide` ones have several columns for each iteration.
    fn element(&mut self, name: &str, wide: bool) -> String {
        let pitch = self.pitch;
        let column = match wide && pitch > 1 {
            true => match self.r.below(pitch) {
                0 => format!("{pitch}*j"),
                more => format!("{pitch}*j+{more}"),
            },
            false => "j".into(),
        };
        let column = self.moved(&column);
        let last = self.columns * pitch - 1;
        let column = match self.r.below(100) {
            0..6 => "w[j]".into(),
            6..11 => format!("max({column},0)"),
            11..16 => format!("min({column},{last})"),
            16..20 => format!("{last}-({column})"),
            _ => column,
        };
        let row = match self.r.below(12) {
            0 => "i-1".into(),
            1 => "i+1".into(),
            2 => "0".into(),
            3 => format!("{}-i", self.rows - 1),
            _ => "i".to_string(),
        };
        format!("{name}[{row},{column}]")
    }

    fn value(&mut self) -> String {
        let terms: Vec<String> = (0..1 + self.r.below(4)).map(|_| self.term()).collect();
        let sum = terms.join(self.r.pick(&[" + ", " - ", " + "]));
        match self.r.below(20) {
            0..3 => format!("max({sum}, {})", self.element("x", true)),
            3 | 4 => format!("mod({sum}, 50)"),
            5 | 6 => format!("abs({sum})"),
            _ => sum,
        }
    }

    fn term(&mut self) -> String {
        match self.r.below(20) {
            0..10 => format!("{}*{}", 1 + self.r.below(3), self.element("x", true)),
            10 | 11 => self.element("z", false),
            12 | 13 => format!("{}*{}", 1 + self.r.below(2), self.element("y", true)),
            14 | 15 => "v[i]".into(),
            16 => "s".into(),
            _ => self.r.pick(&["1", "2", "0.5", "7"]).into(),
        }
    }

    /// A statement of the inner loop; only a row of its own may be left early.
    fn statement(&mut self, own: bool) -> String {
        let value = self.value();
        match self.r.below(50) {
            0..6 => format!("s = 0.5*s + {value}"),
            6..12 => format!("s += {value}"),
            12..30 => format!("{} = {value}", self.element("y", true)),
            30..34 => format!("{} = {value}", self.element("z", false)),
            34..37 => {
                let store = format!("{} = 1", self.element("y", true));
                let does = match self.r.below(4) {
                    0 => "continue",
                    1 if own => "break",
                    2 => "s += 1",
                    _ => &store,
                };
                format!("if {value} > {}\n{does}\nendif", self.r.pick(&["3", "20", "60"]))
            }
            37..41 => format!("if {value} > s\ns = {value}\nendif"),
            41..43 => format!("{} += {value}", self.element("y", true)),
            43..45 => format!("assert({value} > -1000)"),
            45..47 => format!("c[{}] += 1", self.moved("j")),
            47 => format!("if {} > s\ns = {}\nendif", self.element("x", true), self.element("z", false)),
            _ => format!("s = max(s, {})", self.element("x", true)),
        }
    }
}

/// Compares the loops of `count` seeds from `seed` on, and stops at the first that differs, which it shrinks.
pub fn rows(seed: u64, count: u64, device: &str) -> Report {
    series::<Rows>(seed, count, device)
}
