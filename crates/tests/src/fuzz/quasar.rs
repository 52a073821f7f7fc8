//! Random Quasar programs, well formed and mutated: whatever the text, the result is output and diagnostics, never a panic
//! and never a run without end.

use super::calls;
use quadra_quasar::builtins;
use quadra_quasar::session::{Options, Session, with_stack};
use std::time::{Duration, Instant};

/// What a series of random programs came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub programs: u64,
    /// Programs that ran to their end, that stopped with an error, and that were refused.
    pub outcomes: [u64; 3],
    pub failure: Option<Failure>,
}

/// The first program that went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    pub seed: u64,
    pub what: &'static str,
    /// The program, without the lines that do not matter.
    pub text: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.what, self.text)
    }
}

/// Steps and bytes that a program may take, and the time after which it counts as hanging. The time is generous: it is a net
/// for loops in the interpreter itself, which steps do not count.
const FUEL: u64 = 2_000;
const BYTES: usize = 32 << 20;
const PATIENCE: Duration = Duration::from_secs(20);
/// Programs that share a thread.
const BATCH: u64 = 100;

/// Runs the programs of `count` seeds from `seed` on in the current directory; stops at the first that goes wrong.
pub fn programs(seed: u64, count: u64) -> Report {
    let mut report = Report::default();
    for start in (0..count).step_by(BATCH as usize) {
        let seeds: Vec<u64> = (start..(start + BATCH).min(count)).map(|k| seed.wrapping_add(k)).collect();
        let texts = seeds.iter().map(|s| program(*s)).collect();
        match run_all(texts) {
            Ok(statuses) => statuses.iter().for_each(|s| report.outcomes[(*s).clamp(0, 2) as usize] += 1),
            Err(_) => {
                let found = seeds.iter().find_map(|s| run_all(vec![program(*s)]).err().map(|what| (*s, what)));
                let (seed, what) = found.unwrap_or((seeds[0], "a batch of programs fails, but none of them alone"));
                report.failure = Some(Failure { seed, what, text: shrunk(&program(seed)) });
                return report;
            }
        }
        report.programs += seeds.len() as u64;
    }
    report
}

/// The statuses of the programs, or what went wrong with one of them.
fn run_all(texts: Vec<String>) -> Result<Vec<i32>, &'static str> {
    let run = with_stack(move || {
        let mut statuses = Vec::new();
        for text in texts {
            let start = Instant::now();
            let sandbox = Some(std::env::temp_dir());
            let options = Options { fuel: FUEL, max_memory: BYTES, sandbox, ..Options::default() };
            let mut session = Session::new(options, Box::new(std::io::sink()));
            let outcome = session.run("fuzz.q", &text);
            if outcome.diagnostics.iter().any(|d| d.render(false).is_empty()) {
                return Err("a diagnostic without text");
            }
            if start.elapsed() > PATIENCE {
                return Err("the program takes too long");
            }
            statuses.push(outcome.status);
        }
        Ok(statuses)
    });
    run.unwrap_or(Err("the interpreter panics"))
}

/// The text without the lines that the failure does not need.
fn shrunk(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let fails = |lines: &[&str]| run_all(vec![lines.join("\n") + "\n"]).is_err();
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(at..(at + size).min(lines.len()));
            if fails(&fewer) {
                lines = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    lines.join("\n")
}

/// A small generator (xorshift64*, Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016), so that a
/// seed names a program.
pub(super) struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    pub(super) fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

const NAMES: &[&str] = &["a", "b", "c", "f", "g", "i", "k", "x", "y", "s"];
const BINARY: &[&str] =
    &["+", "-", "*", "/", ".*", "./", "^", ".^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "..", "?"];
const ASSIGN: &[&str] = &["=", "=", "=", "+=", "-=", "*=", "/=", "^=", "^^=", "__=", "&=", "|=", "~="];
/// Types and constructors, which are no rows of the table of functions.
const WORDS: &[&str] =
    &["cell", "object", "int", "scalar", "uint8", "vec", "mat", "cube", "int8'sat", "uint16'unchecked"];
/// Functions that end the run, write files that nobody reads, or tell the time.
const AVOIDED: &[&str] = &[
    "exit", "save", "load", "imread", "imwrite", "imshow", "plot", "semilogx", "semilogy", "loglog", "title", "xlabel",
    "ylabel", "legend", "hold", "fopen", "time", "date", "tic", "toc",
];

/// A function of the library or a constructor.
pub(super) fn function(r: &mut Rng) -> &'static str {
    if r.below(6) == 0 {
        return r.pick(WORDS);
    }
    let table = builtins::table();
    loop {
        let name = table[r.below(table.len())].facts.name;
        if !AVOIDED.contains(&name) {
            return name;
        }
    }
}

fn expression(r: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return match r.below(9) {
            0 => r.below(12).to_string(),
            1 => format!("{}.5", r.below(5)),
            2 => "2j".into(),
            3 => "\"t\"".into(),
            4 => "pi".into(),
            _ => r.pick(NAMES).into(),
        };
    }
    let sub = |r: &mut Rng| expression(r, depth - 1);
    match r.below(18) {
        0..=4 => {
            let (a, op, b) = (sub(r), r.pick(BINARY), sub(r));
            if op == "?" { format!("({a} ? {b} : 1)") } else { format!("({a} {op} {b})") }
        }
        5 => format!("{}{}", r.pick(&["-", "!", "+"]), sub(r)),
        6 => format!("[{}, {}]", sub(r), sub(r)),
        7 => format!("{{{}, {}}}", sub(r), sub(r)),
        8 => format!("{}[{}]", r.pick(NAMES), sub(r)),
        9 => format!("{}[{}, {}]", r.pick(NAMES), sub(r), r.pick(&[":", "0", "0..1", "i", "-1"])),
        10 => format!("(({}) -> {})", r.pick(&["x", "x, y", ""]), sub(r)),
        11 => format!("{}({})", r.pick(NAMES), sub(r)),
        12 => format!("{}({})", function(r), sub(r)),
        13 => {
            let (f, a, b) = (function(r), sub(r), sub(r));
            if r.below(4) == 0 { format!("{f}({a}, {b}, {})", sub(r)) } else { format!("{f}({a}, {b})") }
        }
        15 => format!("{}({}, _)", function(r), sub(r)),
        16 => format!(
            "{}({}, {})",
            r.pick(&["parallel_do", "serial_do"]),
            sub(r),
            r.pick(&["x, k", "b, k", "x, b, m", "b, m"])
        ),
        14 => format!("{}.{}", r.pick(NAMES), r.pick(NAMES)),
        _ => format!("({} : {})", r.pick(NAMES), r.pick(&["mat", "scalar", "int", "vec3", "??", "string", "cube{4}"])),
    }
}

fn block(r: &mut Rng, depth: usize, out: &mut String) {
    for _ in 0..1 + r.below(4) {
        statement(r, depth, out);
    }
}

fn statement(r: &mut Rng, depth: usize, out: &mut String) {
    let e = |r: &mut Rng| expression(r, 2);
    match r.below(if depth == 0 { 6 } else { 14 }) {
        0..=2 => out.push_str(&format!("{} {} {}\n", r.pick(NAMES), r.pick(ASSIGN), e(r))),
        3 => out.push_str(&format!("{}[{}] {} {}\n", r.pick(NAMES), expression(r, 1), r.pick(ASSIGN), e(r))),
        4 => out.push_str(&format!("print {}\n", e(r))),
        5 => out.push_str(&format!("[{}, {}] = {}\n", r.pick(NAMES), r.pick(NAMES), e(r))),
        6 => {
            out.push_str(&format!("if {}\n", e(r)));
            block(r, depth - 1, out);
            out.push_str("else\n");
            block(r, depth - 1, out);
            out.push_str("endif\n");
        }
        7 | 8 => {
            let to = r.below(6);
            out.push_str(&format!("for {}=0..{to}\n", r.pick(NAMES)));
            block(r, depth - 1, out);
            out.push_str(r.pick(&["", "break\n", "continue\n"]));
            out.push_str("endfor\n");
        }
        9 => {
            out.push_str(&format!("while {}\n", e(r)));
            block(r, depth - 1, out);
            out.push_str("endwhile\n");
        }
        10 => {
            out.push_str("try\n");
            block(r, depth - 1, out);
            out.push_str("catch ex\nprint ex\nendtry\n");
        }
        11 => {
            let kind = r.pick(&["", "", "", "", "__kernel__ ", "__device__ "]);
            out.push_str(&format!("function y = {kind}{}(x, {})\n", r.pick(NAMES), r.pick(&["k", "pos", "a : vec"])));
            block(r, depth - 1, out);
            out.push_str("endfunction\n");
        }
        12 => {
            out.push_str(&format!("match {} with\n| {} -> ", e(r), expression(r, 1)));
            block(r, depth - 1, out);
            out.push_str("| _ -> print 1\nendmatch\n");
        }
        _ => {
            out.push_str("repeat\n");
            block(r, depth - 1, out);
            out.push_str(&format!("until {}\n", e(r)));
        }
    }
}

/// Swaps, drops and doubles pieces of a text.
fn mutate(r: &mut Rng, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + r.below(6) {
        if chars.is_empty() {
            break;
        }
        let at = r.below(chars.len());
        match r.below(4) {
            0 => drop(chars.remove(at)),
            1 => chars
                .insert(at, ['(', ')', '[', ']', '{', '\'', '`', '"', '_', '.', ';', '\n', '%', 'e', '^'][r.below(15)]),
            2 => {
                let to = r.below(chars.len());
                chars.swap(at, to);
            }
            _ => {
                let end = (at + r.below(20)).min(chars.len());
                let piece: Vec<char> = chars[at..end].to_vec();
                let to = r.below(chars.len());
                chars.splice(to..to, piece);
            }
        }
    }
    chars.into_iter().collect()
}

/// Variables of all kinds, so that random expressions have something to work on.
const PREAMBLE: &str = "a = 3
b = [1,2,3]
c = {1, \"t\", [1,2]}
f = x -> x + 1
g = (x, y) -> x .* y
i = 0
k = __kernel__ (x : vec, pos : int) -> x[pos] = pos
function [] = __kernel__ m(x : mat'mirror, y : vec, pos : ivec2, blkpos : ivec2)
    t = shared_zeros(4)
    syncthreads
    t[blkpos[1]] += x[pos]
    syncthreads
    y[pos[1]] = t[0] + x[pos[0]-1,pos[1]+1]
endfunction
x = [[1,2],[3,4]]
y = 2.5
s = \"text\"
";

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut r = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    if r.below(4) == 0 {
        return calls::program(&mut r);
    }
    let mut text = String::from(PREAMBLE);
    for _ in 0..2 + r.below(5) {
        let mut one = String::new();
        statement(&mut r, 2, &mut one);
        // Most errors are caught, so that what follows runs, too.
        if one.starts_with("function") || r.below(8) == 0 {
            text.push_str(&one);
        } else {
            text.push_str(&format!("try\n{one}catch ex\nprint ex\nendtry\n"));
        }
    }
    if r.below(3) == 0 { mutate(&mut r, &text) } else { text }
}
