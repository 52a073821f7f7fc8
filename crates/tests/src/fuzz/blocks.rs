//! Random kernels of Quasar whose blocks work together: shared memory, barriers also in loops and branches, partial blocks.
//! The host runs their items one by one, a device runs a block on one worker; what the program prints must be the same.
//!
//! No kernel has a race: in every stretch between two barriers an item writes elements of its own of one array, or reads any
//! elements of both.

use super::random::Random;
use super::series::{Program, Report, series};
use std::fmt::Write;

/// Launch and block, by rows and columns; one row is a launch over a vector.
const SHAPES: [([usize; 2], [usize; 2]); 12] = [
    ([1, 64], [1, 32]),
    ([1, 50], [1, 16]),
    ([1, 37], [1, 5]),
    ([1, 90], [1, 64]),
    ([1, 20], [1, 20]),
    ([8, 8], [4, 4]),
    ([6, 40], [2, 20]),
    ([5, 33], [3, 16]),
    ([9, 32], [4, 32]),
    ([16, 16], [16, 16]),
    ([7, 6], [8, 8]),
    ([4, 48], [1, 24]),
];

#[derive(Clone, Debug)]
struct Kernel {
    shape: ([usize; 2], [usize; 2]),
    /// Values of the parameter by which kernels branch; code is made for each.
    ops: &'static str,
    /// What ends with all items at a barrier, one after the other.
    units: Vec<String>,
}

impl Program for Kernel {
    fn random(seed: u64) -> Kernel {
        let mut r = Random::new(seed ^ 0x626c_6f63);
        let shape = r.pick(&SHAPES);
        let mut maker = Maker { r: &mut r, block: shape.1, flat: shape.0[0] == 1, depth: 0 };
        let count = 2 + maker.r.below(5);
        let units = (0..count).map(|_| maker.unit()).collect();
        Kernel { shape, ops: r.pick(&["0..1", "0..0", "1..1"]), units }
    }

    fn text(&self) -> String {
        let ([h, w], [bh, bw]) = self.shape;
        let flat = h == 1;
        let vector = if flat { "int" } else { "ivec2" };
        let (array, own) = if flat { ("vec", "blkpos") } else { ("mat", "blkpos[0],blkpos[1]") };
        let shared = if flat { format!("{bw}") } else { format!("{bh},{bw}") };
        let mut text = format!(
            "function [] = __kernel__ work(x : {array}'circular, y : {array}, op : int, pos : {vector}, blkpos : {vector}, \
             blkidx : {vector}, blkdim : {vector})
    t = shared({shared})
    r = shared_zeros({shared})
    u = shared_zeros[int](8)
    own = x[pos] + 0.0
    n = 1
    both = [own, 2.0]
    t[{own}] = own
    syncthreads
"
        );
        for line in self.units.iter().flat_map(|u| u.lines()) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {line}");
        }
        let dims = if flat { format!("[[{w}],[{bw}]]") } else { format!("[[{h},{w}],[{bh},{bw}]]") };
        let ops = self.ops;
        let zeros = if flat { format!("{w}") } else { format!("{h},{w}") };
        text += "    y[pos] = own + 100*n + both[0] + u[3]\nendfunction\n";
        let _ = writeln!(text, "x = reshape(mod((0..{}).*5, 11), {h}, {w})", h * w - 1);
        let _ = writeln!(
            text,
            "y = zeros({zeros})\nfor op = {ops}\n    parallel_do({dims}, x, y, op, work)\n    print y\nendfor"
        );
        text
    }

    /// Without each part that ends at a barrier.
    fn smaller(&self) -> Vec<Kernel> {
        let without = |n| {
            let mut kernel = self.clone();
            kernel.units.remove(n);
            kernel
        };
        (0..self.units.len()).map(without).collect()
    }
}

struct Maker<'r> {
    r: &'r mut Random,
    block: [usize; 2],
    flat: bool,
    depth: u32,
}

impl Maker<'_> {
    /// An element that belongs to the item.
    fn own(&self) -> &'static str {
        if self.flat { "blkpos" } else { "blkpos[0],blkpos[1]" }
    }

    /// A position's component.
    fn part(&mut self, special: &str) -> String {
        if self.flat { special.into() } else { format!("{special}[{}]", self.r.below(2)) }
    }

    fn index(&mut self, length: usize, axis: usize) -> String {
        let along = if self.flat { "blkpos".to_string() } else { format!("blkpos[{axis}]") };
        match self.r.below(6) {
            0 => along,
            1 => format!("{}-{along}", length - 1),
            2 => format!("mod({along}+{}, {length})", 1 + self.r.below(length)),
            3 => self.r.below(length).to_string(),
            4 => format!("mod(n, {length})"),
            _ => {
                let part = self.part("pos");
                format!("mod({part}*{}, {length})", 1 + self.r.below(4))
            }
        }
    }

    /// Any element of a shared array.
    fn element(&mut self, name: &str) -> String {
        let [h, w] = self.block;
        let column = self.index(w, 1);
        if self.flat {
            return format!("{name}[{column}]");
        }
        format!("{name}[{},{column}]", self.index(h, 0))
    }

    /// A small whole number, from what may be read now.
    fn value(&mut self, arrays: &[&str], depth: u32) -> String {
        let d = depth + 1;
        match self.r.below(if depth > 1 { 8 } else { 14 }) {
            0 => "own".into(),
            1 => "n".into(),
            2 => self.part("blkpos"),
            3 => self.part("pos"),
            4 => {
                if self.flat {
                    "x[pos+1]".into()
                } else {
                    "x[pos+[1,-1]]".into()
                }
            }
            5 => format!("{}", self.r.below(5)),
            6 => "both[0]".into(),
            7 | 8 => match arrays {
                [] => "own".into(),
                arrays => {
                    let name = self.r.pick(arrays);
                    self.element(name)
                }
            },
            9 => format!("({} < {} ? {} : 3)", self.value(arrays, d), self.value(arrays, d), self.value(arrays, d)),
            10 => {
                let part = self.part("blkidx");
                format!("({} - {part})", self.value(arrays, d))
            }
            // Sums of products must be whole numbers that every arithmetic has.
            11 => format!("mod({} * {}, 13)", self.value(arrays, d), self.value(arrays, d)),
            _ => {
                let op = self.r.pick(&["+", "-"]);
                format!("({} {op} {})", self.value(arrays, d), self.value(arrays, d))
            }
        }
    }

    fn small(&mut self, arrays: &[&str]) -> String {
        format!("mod({}, 13)", self.value(arrays, 0))
    }

    fn unit(&mut self) -> String {
        let own = self.own();
        let (to, from) = self.r.pick(&[("t", "r"), ("r", "t")]);
        match self.r.below(if self.depth > 1 { 5 } else { 10 }) {
            0 | 1 => format!("{to}[{own}] = {}\nsyncthreads", self.small(&[from])),
            2 => format!("own = {}\nsyncthreads", self.small(&["t", "r"])),
            3 => {
                format!("n = int({})\nboth[{}] = {}\nsyncthreads", self.small(&[]), self.r.below(2), self.small(&["t"]))
            }
            4 => {
                let (at, to) = (self.small(&[]), self.r.below(4));
                format!(
                    "u[mod(int({at}), 8)] += {to}\nsyncthreads\nown = mod(own + u[{}], 13)\nsyncthreads",
                    self.r.below(8)
                )
            }
            5 => {
                let (condition, one, two) = (self.small(&["t"]), self.small(&["r"]), self.small(&["t"]));
                format!("if {condition} > 5\n    own = {one}\nelse\n    n = int({two})\nendif\nsyncthreads")
            }
            6 => {
                let (times, d) = (1 + self.r.below(3), self.depth);
                format!("for k{d} = 0..{times}\n{}endfor", self.inner())
            }
            7 => format!("if op == 1\n{}else\n{}endif", self.inner(), self.inner()),
            8 => {
                let part = if self.flat { "blkpos" } else { "blkpos[1]" };
                let other = if self.flat { format!("{part}+bit") } else { format!("blkpos[0],{part}+bit") };
                let columns = self.block[1];
                format!(
                    "bit = {}\nwhile bit > 0\n    if {part} < bit && {part}+bit < {columns}\n        own = mod(own + t[{other}], 13)\n    \
                     endif\n    syncthreads\n    t[{own}] = own\n    syncthreads\n    bit = int(bit/2)\nendwhile",
                    columns / 2
                )
            }
            _ => {
                let d = self.depth;
                format!("turn{d} = 0\nrepeat\n{}    turn{d} += 1\nuntil turn{d} > op", self.inner())
            }
        }
    }

    /// Units within a loop or branch.
    fn inner(&mut self) -> String {
        self.depth += 1;
        let count = 1 + self.r.below(2);
        let mut text = String::new();
        for _ in 0..count {
            for line in self.unit().lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        self.depth -= 1;
        text
    }
}

/// Compares the kernels of `count` seeds from `seed` on, and stops at the first that differs, which it shrinks.
pub fn blocks(seed: u64, count: u64, device: &str) -> Report {
    series::<Kernel>(seed, count, device)
}
