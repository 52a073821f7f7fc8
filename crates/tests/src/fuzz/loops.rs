//! Random loops of Quasar: nests with random subscripts, run serially by the host's interpreter and as kernels by a device. What
//! the program prints, warns of and ends with must be the same.

use super::random::Random;
use super::series::{Program, Report, series};
use super::{long_loops, odd_loops};
use quadra_quasar::session::Options;
use std::fmt::Write;

/// A program as lists of lines, so that it can be shrunk.
#[derive(Clone, Debug)]
struct Loops {
    /// The loops stand in a function, where nobody sees what variables hold after them.
    inside: bool,
    long: bool,
    /// What is written outside of arrays is ignored; otherwise it is an error, which is caught.
    safe: bool,
    /// How often the loops run, one after the other.
    times: Option<usize>,
    nests: Vec<Nest>,
}

#[derive(Clone, Debug)]
struct Nest {
    before: String,
    heads: Vec<String>,
    body: Vec<String>,
    /// What the host does behind it, if the loops run several times.
    after: Vec<String>,
}

/// Values before the loops: small whole numbers, so that sums are exact in every order.
const PRELUDE: &str = "
x = mod((0..8).*5, 7)
y = zeros(9)
A = [[1,2,3,4,5],[6,7,8,9,10],[2,4,6,8,1],[3,5,7,9,0]]
B = ones(4,5)
z : vec'circular = mod((0..8).*3, 5)
w : vec'mirror = [4,1,3]
v : vec'clamped = [2,7,1,8]
h = vec[int](5)
g = vec[uint8'unchecked](6)
u = vec[uint32](9)
perm = mod((0..8).*5, 9)
n = 9
s = 0.0
c = 0
p = 1.0
m = -100.0
best = -100.0
least = 100
at = -1
low = [0,0]
found = 0
late = -1
bits = 0
e = 2
shift = 0.5
look = i -> x[i]
store = i -> (y[1] = y[1] + i)
";

const FUNCTIONS: &str = "\
f = (a, b) -> a*2 + b
function r = half(q)
    r = floor(q / 2)
endfunction
function r = doubled(q : int)
    r = q * 2
endfunction
function [] = touch(q, i)
    q[1] = q[1] + i
endfunction
function r = ramp(v)
    r = 0
    if v > 0
        r = v
    endif
endfunction
function r = touched(q, i)
    touch(q, i)
    r = q[1]
endfunction
";

const EPILOGUE: &str = "\
print x, y, A, B
print z, w, v, h, g, u
print s, \" \", c, \" \", p, \" \", m
print best, \" \", at, \" \", least, \" \", low, \" \", found, \" \", late, \" \", bits, \" \", e
";

impl Program for Loops {
    fn text(&self) -> String {
        let mut text = PRELUDE.to_string();
        if self.safe {
            for (array, kind) in [("x", "vec"), ("y", "vec"), ("A", "mat"), ("B", "mat")] {
                text = text.replacen(&format!("\n{array} = "), &format!("\n{array} : {kind}'safe = "), 1);
            }
        }
        if self.long {
            text += long_loops::ARRAYS;
        }
        if let Some(times) = self.times {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{{!serial for}}\nfor step = 1..{times}");
        }
        for nest in &self.nests {
            if !self.safe {
                text += "try\n";
            }
            text += &nest.before;
            let depth = nest.heads.len();
            for (level, head) in nest.heads.iter().enumerate() {
                let _ = writeln!(text, "{}{head}", "    ".repeat(level));
            }
            for line in nest.body.iter().flat_map(|b| b.lines()) {
                let _ = writeln!(text, "{}{line}", "    ".repeat(depth));
            }
            for level in (0..depth).rev() {
                let _ = writeln!(text, "{}endfor", "    ".repeat(level));
            }
            if !self.safe {
                text += "catch ex\nprint ex, \" \", ex.line\nendtry\n";
            }
            for line in nest.after.iter().filter(|_| self.times.is_some()) {
                let _ = writeln!(text, "{line}");
            }
        }
        if self.times.is_some() {
            text += "endfor\n";
        }
        text += EPILOGUE;
        if self.long {
            text += long_loops::RESULTS;
        }
        let functions = format!("{FUNCTIONS}{}", odd_loops::FUNCTIONS);
        match self.inside {
            true => format!("{functions}function [] = work()\n{text}endfunction\nwork()\n"),
            false => format!("{functions}{text}"),
        }
    }

    fn random(seed: u64) -> Self {
        let mut r = Random::new(seed ^ 0x7175_6173);
        let (inside, long) = (r.below(2) == 0, r.below(3) == 0);
        let safe = r.below(2) == 0;
        let times = (!long && r.below(3) == 0).then(|| 2 + r.below(3));
        let count = 1 + r.below(if times.is_some() { 3 } else { 2 });
        let mut nests: Vec<Nest> =
            (0..count).map(|_| if long { Nest::long(&mut r) } else { Nest::random(&mut r) }).collect();
        if times.is_some() {
            nests.iter_mut().for_each(|n| n.after = between(&mut r));
        }
        Loops { inside, long, safe, times, nests }
    }

    /// Without each nest of loops, and without each statement of it.
    fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for n in 0..self.nests.len() {
            let mut without = self.clone();
            without.nests.remove(n);
            smaller.push(without);
            for s in 0..self.nests[n].body.len() {
                let mut without = self.clone();
                without.nests[n].body.remove(s);
                smaller.push(without);
            }
        }
        smaller
    }

    /// The number of loops that count as parallel.
    fn kernels(text: &str) -> usize {
        let mut session = quadra_quasar::session::Session::new(Options::default(), Box::new(std::io::sink()));
        let (_, verdicts) = session.check("loops.q", text);
        verdicts.iter().filter(|v| ["parallel ", "in blocks over"].iter().any(|t| v.text.starts_with(t))).count()
    }
}

/// What the host does between two kernels. Numbers stay small and whole, so that sums stay exact.
fn between(r: &mut Random) -> Vec<String> {
    const BETWEEN: [&str; 9] = [
        "[x, y] = [y, x]",
        "y += x",
        "x = floor(0.5*x) + y",
        "B = B - A",
        "c = c + step",
        "A[1,2] = step",
        "s += x[step]",
        "n = 9 + mod(step, 2)",
        "print sum(y)",
    ];
    if r.below(6) == 0 {
        return vec![BETWEEN[0].into()];
    }
    let mut all: Vec<String> = (0..1 + r.below(3)).map(|_| BETWEEN[r.below(BETWEEN.len())].into()).collect();
    all.extend(["x", "y", "z", "w", "v", "A", "B"].map(|a| format!("{a} = min(max(floor({a}), -9), 9)")));
    all.push("s = mod(floor(s), 32)\np = 1.0\nm = -100.0".into());
    all
}

struct Maker<'r> {
    r: &'r mut Random,
    /// Variables that have values here.
    ints: Vec<&'static str>,
    floats: Vec<&'static str>,
}

impl Nest {
    fn long(r: &mut Random) -> Nest {
        let (heads, body) = long_loops::nest(r);
        Nest { before: String::new(), heads, body, after: Vec::new() }
    }

    fn random(r: &mut Random) -> Nest {
        let depth = 1 + r.below(3).min(1);
        let names = ["i", "j"];
        let mut heads = Vec::new();
        for name in &names[..depth] {
            let range = match r.below(8) {
                0 => "1..n-2".to_string(),
                1 => format!("{}..-1..0", 3 + r.below(4)),
                2 => format!("0..2..{}", 5 + r.below(4)),
                3 => format!("-1..{}", 2 + r.below(4)),
                4 => "0..size(A,0)-1".to_string(),
                _ => format!("0..{}", 1 + r.below(8)),
            };
            heads.push(format!("for {name} = {range}"));
        }
        let mut maker = Maker { r, ints: names[..depth].to_vec(), floats: Vec::new() };
        let count = 1 + maker.r.below(4);
        let body = (0..count).map(|_| maker.statement(0)).collect();
        if maker.r.below(12) == 0 {
            return Nest::forced(&mut maker);
        }
        Nest { before: String::new(), heads, body, after: Vec::new() }
    }

    /// A loop that is a kernel because the program asks for it, rightly: it writes by a permutation.
    fn forced(maker: &mut Maker<'_>) -> Nest {
        let value = maker.pick(&["i", "x[i]*2", "f(x[i], i)", "v[1] + i", "half(x[i]) - B[i,1]"]);
        let more = maker.pick(&["s += x[i]", "c += 1", "A[i,1] = i", "h[x[i]] += 2"]);
        let body = vec![format!("y[perm[i]] = {value}"), more];
        Nest { before: "{!parallel for}\n".into(), heads: vec!["for i = 0..8".into()], body, after: Vec::new() }
    }
}

impl Maker<'_> {
    fn pick(&mut self, items: &[&str]) -> String {
        items[self.r.below(items.len())].to_string()
    }

    fn int(&mut self) -> String {
        let at = self.r.below(self.ints.len());
        self.ints[at].to_string()
    }

    /// A subscript along a dimension.
    fn subscript(&mut self) -> String {
        let i = self.int();
        match self.r.below(14) {
            0 => format!("{i}+1"),
            1 => format!("{i}-1"),
            2 => format!("2*{i}"),
            3 => format!("n-1-{i}"),
            4 => format!("-{i}+4"),
            5 => self.r.below(4).to_string(),
            6 => format!("mod({i}*{i}, 4)"),
            7 => format!("{i}/2"),
            8 => format!("mod({i}-1, n)"),
            9 => format!("mod({i}+2+n, n)"),
            _ => i,
        }
    }

    fn element(&mut self) -> String {
        match self.r.below(7) {
            0 | 1 => format!("x[{}]", self.subscript()),
            2 => format!("A[{},{}]", self.subscript(), self.subscript()),
            3 => format!("B[{},{}]", self.subscript(), self.subscript()),
            4 => format!("y[{}]", self.subscript()),
            5 => format!("z[{}]", self.subscript()),
            _ => {
                let name = self.pick(&["w", "v", "h", "g", "u"]);
                format!("{name}[{}]", self.subscript())
            }
        }
    }

    fn value(&mut self, depth: u32) -> String {
        if depth > 2 {
            return if self.r.below(2) == 0 { self.int() } else { self.r.below(5).to_string() };
        }
        let d = depth + 1;
        match self.r.below(20) {
            0..=2 => self.element(),
            3 => self.int(),
            4 => format!("{}", self.r.below(6)),
            5 => format!("{}.5", self.r.below(3)),
            6 | 7 => {
                let op = self.pick(&["+", "-", "*", "+", "-"]);
                format!("({} {op} {})", self.value(d), self.value(d))
            }
            8 => {
                let f = self.pick(&["max", "min"]);
                format!("{f}({}, {})", self.value(d), self.value(d))
            }
            9 => {
                let f = self.pick(&["abs", "floor", "round", "sign", "int", "float"]);
                format!("{f}({})", self.value(d))
            }
            10 => format!("mod({}, {})", self.value(d), 2 + self.r.below(5)),
            11 => format!("({} ? {} : {})", self.condition(d), self.value(d), self.value(d)),
            12 => format!("f({}, {})", self.value(d), self.value(d)),
            13 => format!("half({})", self.value(d)),
            14 => format!("sum([{}, {}])", self.value(d), self.value(d)),
            16 => {
                let round = self.pick(&["int", "floor", "ceil", "round", "fix"]);
                format!("{round}({}/{})", self.value(d), 1 + self.r.below(7))
            }
            17 => format!("int(floor({}/({}+9)))", self.int(), self.int()),
            18 => format!("doubled({})", self.value(d)),
            15 if !self.floats.is_empty() => {
                let at = self.r.below(self.floats.len());
                self.floats[at].to_string()
            }
            _ => "numel(x)".into(),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        // Conditions on loop variables may tell iterations apart.
        if self.r.below(4) == 0 {
            let (i, j, k) = (self.int(), self.int(), self.r.below(4));
            let forms = [
                format!("mod({i}+{j}, 2) == {}", k % 2),
                format!("mod({i}, 2) != {}", k % 2),
                format!("mod({i}+{k}, 3) == 1"),
                format!("{i} < {k}"),
                format!("{i} >= {k} && mod({j}, 2) == 1"),
                format!("!({i} <= {j})"),
            ];
            return forms[self.r.below(forms.len())].clone();
        }
        let op = self.pick(&["<", ">", "<=", "==", "!="]);
        let one = format!("{} {op} {}", self.value(depth + 1), self.value(depth + 1));
        match self.r.below(5) {
            0 => format!("{one} && {} > 1", self.int()),
            1 => format!("{one} || {} > 2", self.element()),
            _ => one,
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 && self.r.below(8) == 0 {
            return odd_loops::statement(self.r);
        }
        match self.r.below(if depth > 1 { 9 } else { 18 }) {
            0 | 1 => format!("{} = {}", self.own(), self.value(0)),
            2 => format!("{} += {}", self.own(), self.value(0)),
            3 => format!("{}[{}] += {}", self.pick(&["h", "h", "u"]), self.subscript(), self.r.below(4)),
            4 => {
                let target = self.element();
                let op = self.pick(&["=", "+=", "-="]);
                format!("{target} {op} {}", self.value(0))
            }
            5 => format!("s += {}", self.value(0)),
            6 => {
                let one = ["c += 1", "c = c + 2", "m = max(m, x[i])", "p = p * 1", "s = s - x[i]"];
                self.pick(&one)
            }
            7 => format!("m ^^= {}", self.value(1)),
            8 => {
                let text = format!("t = {}.0 + {}", self.r.below(3), self.value(0));
                self.floats.push("t");
                text
            }
            9 | 10 => {
                let condition = self.condition(0);
                let (ints, floats) = (self.ints.clone(), self.floats.clone());
                let mut text = format!("if {condition}\n    {}\n", self.indented(depth));
                self.floats.clone_from(&floats);
                if self.r.below(2) == 0 {
                    text += &format!("else\n    {}\n", self.indented(depth));
                }
                (self.ints, self.floats) = (ints, floats);
                text + "endif"
            }
            11 => {
                let (ints, floats) = (self.ints.clone(), self.floats.clone());
                self.ints.push("k");
                let to = self.pick(&["2", "i", "1", "mod(i,3)"]);
                let text = format!("for k = 0..{to}\n    {}\nendfor", self.indented(depth));
                (self.ints, self.floats) = (ints, floats);
                text
            }
            12 => {
                let text = format!(
                    "q = [{}, {}, 1]\nq[{}] = {}\nt = sum(q) + 0.0",
                    self.value(1),
                    self.value(1),
                    self.pick(&["0", "1", "mod(i,3)"]),
                    self.value(1)
                );
                self.floats.push("t");
                text
            }
            14 | 15 => self.found(),
            13 => "if x[i] > m\n    m = x[i]\n    c = i\nendif".into(),
            _ => format!("if {}\n    continue\nendif", self.condition(1)),
        }
    }

    /// Extremes with their positions, and variables that not every iteration sets.
    fn found(&mut self) -> String {
        let value = self.value(1);
        let place = self.pick(&["i", "i*2", "x[i]", "i\n    late = i"]);
        let (more, less) = (self.pick(&[">", ">="]), self.pick(&["<", "<="]));
        match self.r.below(7) {
            0 => format!("t = {value}\nif t {more} best\n    best = t\n    at = {place}\nendif"),
            1 => format!("if best {less} {value}\n    at = {place}\n    best = {value}\nendif"),
            2 => format!("if {value} {less} least\n    least = {value}\n    low = [i, {place}]\nendif")
                .replace("\n    late = i]", "]\n    late = i"),
            3 => format!("if {}\n    found = 1\nendif", self.condition(1)),
            4 => format!("if {}\n    late = i\nendif", self.condition(1)),
            5 => {
                let f = self.pick(&["or", "xor", "or"]);
                format!("bits = {f}(bits, int({value}))")
            }
            _ => format!("best = {value} > best ? {value} : best"),
        }
    }

    fn indented(&mut self, depth: u32) -> String {
        self.statement(depth + 1).replace('\n', "\n    ")
    }

    /// An element that belongs to the iteration.
    fn own(&mut self) -> String {
        let two = self.ints.contains(&"j");
        let shift = self.pick(&["", "", "+1", "-1"]);
        match (two, self.r.below(3)) {
            (true, 0) => format!("B[i,j{shift}]"),
            (true, 1) => format!("A[j,i{shift}]"),
            (true, _) => "B[i,j]".into(),
            (false, 0) => format!("A[i{shift},2]"),
            (false, 1) => format!("y[n-1-i{shift}]"),
            _ => format!("y[i{shift}]"),
        }
    }
}

/// Compares the programs of `count` seeds from `seed` on, and stops at the first that differs, which it shrinks.
pub fn loops(seed: u64, count: u64, device: &str) -> Report {
    series::<Loops>(seed, count, device)
}
