//! Random kernels of Quasar that try to leave their arrays: subscripts made of the smallest and greatest integers, of floats that
//! are no integers or no numbers, of other arrays; empty arrays, every access mode, shared arrays whose length is a parameter,
//! lengths of 0 and less, loops that end at the greatest integer, variables that change behind the condition that bounds them.
//! The host runs them item by item, a device as code; what the program prints must be the same.

use super::random::Random;
use super::series::{Program, Report, series};
use std::fmt::Write;

const MODES: [&str; 6] = ["", "'safe", "'checked", "'clamped", "'circular", "'mirror"];
/// Arguments: integers, floats, and the arrays that are read.
const INTS: [&str; 9] = ["0", "-1", "1", "2", "7", "low", "high", "low + 1", "1073741824"];
const FLOATS: [&str; 9] = ["0.0", "-0.5", "2.7", "3e9", "-3e9", "1e30", "0.0/0.0", "1.0/0.0", "-2147483648.0"];
const ARRAYS: [&str; 4] = ["zeros(0)", "[1]", "[1,2,3,4,5]", "[1,2,3,4,5,6,7,8,9,10,11,12]"];

#[derive(Clone, Debug)]
struct Kernel {
    modes: [&'static str; 2],
    /// What stands before everything else.
    shared: Option<String>,
    statements: Vec<String>,
    launches: Vec<[&'static str; 5]>,
}

impl Program for Kernel {
    fn random(seed: u64) -> Kernel {
        let mut r = Random::new(seed ^ 0x72_6561_6368);
        let modes = [r.pick(&MODES), r.pick(&MODES)];
        let shared = r.chance(30).then(|| shared(&mut r));
        let count = 1 + r.below(5);
        let statements = (0..count).map(|_| statement(&mut r, shared.is_some(), 0)).collect();
        let launches =
            (0..4).map(|_| [r.pick(&INTS), r.pick(&INTS), r.pick(&FLOATS), r.pick(&ARRAYS), r.pick(&ARRAYS)]).collect();
        Kernel { modes, shared, statements, launches }
    }

    fn text(&self) -> String {
        let [x, a] = self.modes;
        let mut text = format!(
            "function [] = __kernel__ reach(y : vec, z : vec'unchecked, x : vec{x}, a : mat{a}, t : vec[int], n : int, k : int, f : scalar, \
             pos : int, blkpos : int)\n    m = n\n    c = 0\n"
        );
        let lines = self.shared.iter().chain(&self.statements).flat_map(|s| s.lines());
        for line in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {line}");
        }
        text += "endfunction\nlow = minvalue(int)\nhigh = maxvalue(int)\nt = vec[int](6)\n";
        text += "t[0] = 3\nt[1] = low\nt[2] = high\nt[3] = -1\nt[5] = 4\n";
        for [n, k, f, x, w] in &self.launches {
            let _ = writeln!(
                text,
                "y = zeros(6)\nz = zeros(6)\nw = {w}\ntry\n    parallel_do(6, y, z, {x}, reshape(w, numel(w), 1), t, {n}, {k}, {f}, reach)\n    print y, z\n\
                 catch ex\n    print \"it stops\"\nendtry"
            );
        }
        text
    }

    /// Without each launch, and without each statement.
    fn smaller(&self) -> Vec<Kernel> {
        let launches = (0..self.launches.len()).map(|n| {
            let mut without = self.clone();
            without.launches.remove(n);
            without
        });
        let statements = (0..self.statements.len()).map(|n| {
            let mut without = self.clone();
            without.statements.remove(n);
            without
        });
        launches.chain(statements).collect()
    }

    fn finite(mut self) -> Kernel {
        for [_, _, f, _, _] in &mut self.launches {
            *f = if f.ends_with("/0.0") { "3e9" } else { f };
        }
        self
    }

    /// Each of the launches of a program says it of the same kernel.
    fn refused(notes: usize) -> usize {
        usize::from(notes > 0)
    }
}

/// A shared array whose length is a parameter, bounded by an assertion that may say nothing of it.
fn shared(r: &mut Random) -> String {
    let assertion = match r.below(5) {
        0 => "assert(m < 8)",
        1 => "assert(m <= 16)",
        2 => "assert(m < 8)\nm = m + k",
        3 => "if k > 0\n    assert(m < 8)\nendif",
        _ => "assert(m < 8 && m > 0)",
    };
    format!("{assertion}\ns = shared(m)\ns[blkpos] = pos + 1\nsyncthreads")
}

/// An integer of the kernel, whatever its size.
fn integer(r: &mut Random, depth: u32) -> String {
    let d = depth + 1;
    match r.below(if depth > 1 { 7 } else { 18 }) {
        0 => "n".into(),
        1 => "k".into(),
        2 => "m".into(),
        3 => "pos".into(),
        4 => "c".into(),
        5 => r.pick(&["0", "4", "5", "-1", "2147483647", "65536"]).into(),
        6 => format!("t[{}]", r.pick(&["pos", "0", "1", "2", "n"])),
        7 => format!("-({})", integer(r, d)),
        8 => format!("abs({})", integer(r, d)),
        9 => format!("min({}, {})", integer(r, d), r.pick(&["4", "numel(x) - 1", "k"])),
        10 => format!("max({}, {})", integer(r, d), r.pick(&["0", "-3", "n"])),
        11 => format!("mod({}, {})", integer(r, d), r.pick(&["5", "3", "max(n, 1)"])),
        12 => format!("and({}, {})", integer(r, d), r.pick(&["7", "3", "k"])),
        13 => format!("{}({}, {})", r.pick(&["shl", "shr"]), integer(r, d), r.pick(&["1", "3", "31"])),
        14 => format!("({} * {})", integer(r, d), integer(r, d)),
        15 => format!("({} - {})", integer(r, d), integer(r, d)),
        16 => format!("ind2pos([{}, {}], {})[{}]", integer(r, d), integer(r, d), integer(r, d), r.below(2)),
        _ => format!("({} + {})", integer(r, d), integer(r, d)),
    }
}

fn subscript(r: &mut Random) -> String {
    match r.below(8) {
        0 => "f".into(),
        1 => format!("f {} pos", r.pick(&["+", "-", "*"])),
        2 => format!("{}({}, {})", r.pick(&["periodize", "mirror_ext", "clamp"]), integer(r, 0), integer(r, 1)),
        _ => integer(r, 0),
    }
}

fn element(r: &mut Random, shared: bool) -> String {
    match r.below(if shared { 8 } else { 6 }) {
        0 | 1 => format!("a[{}, {}]", subscript(r), r.pick(&["0", "pos", "n", "k"])),
        // Few elements: the host makes a list of them.
        2 => {
            let i = integer(r, 2);
            format!("sum(x[{i}..{i} + 2])")
        }
        3 => format!("[1,2,3][{}]", integer(r, 1)),
        6 | 7 => format!("s[{}]", subscript(r)),
        _ => format!("x[{}]", subscript(r)),
    }
}

fn statement(r: &mut Random, shared: bool, depth: u32) -> String {
    let add = |r: &mut Random| format!("y[pos] = y[pos] + {}", element(r, shared));
    match r.below(if depth > 1 { 4 } else { 10 }) {
        0 | 1 => add(r),
        2 => format!("m = {}", integer(r, 0)),
        3 => format!("if pos == 0\n    z[{}] = {}\nendif", subscript(r), 1 + r.below(9)),
        4 => {
            let inner = statement(r, shared, depth + 1);
            format!("if m >= 0 && m < {}\n{}\nendif", r.pick(&["5", "numel(x)", "k"]), indented(&inner))
        }
        5 => {
            let change = r.pick(&["m = m + k", "m = -m", "m = m * 65536", "m += 1"]);
            format!("if m >= 0 && m < 5\n    {change}\n    {}\nelse\n    {}\nendif", add(r), add(r))
        }
        6 => format!("if m >= 0 && m < 5 && (m = m + {}) != 77\n    {}\nendif", integer(r, 2), add(r)),
        7 => {
            let step = r.pick(&["1", "-1", "3", "-3", "2000000000", "max(k, 1)"]);
            // A loop over all integers there are ends nowhere.
            let (from, to) = (format!("min(max({}, -2147483638), 2147483638)", integer(r, 1)), integer(r, 1));
            let body = format!("c += 1\nm = i\n{}\nif c > 7\n    break\nendif", statement(r, shared, depth + 1));
            format!("for i = {from}..{step}..{to}\n{}\nendfor", indented(&body))
        }
        8 => {
            let body = format!("c += 1\n{}\nm = m + {}", add(r), r.pick(&["1", "3", "k"]));
            format!("while m < 5 && c < 6\n{}\nendwhile", indented(&body))
        }
        _ => format!(
            "g = i -> x[i + {}]\ny[pos] = y[pos] + g({})",
            r.pick(&["0", "1", "pos"]),
            r.pick(&["0", "2", "pos"])
        ),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|l| format!("    {l}")).collect::<Vec<_>>().join("\n")
}

/// Compares the kernels of `count` seeds from `seed` on, and stops at the first that differs, which it shrinks.
pub fn reach(seed: u64, count: u64, device: &str) -> Report {
    series::<Kernel>(seed, count, device)
}
