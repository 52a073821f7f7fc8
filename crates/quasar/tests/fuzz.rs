//! Random programs, well formed and mutated: whatever the text, the result is output and diagnostics, never a panic.

use quadra_quasar::session::{Options, Session, with_stack};

/// Programs per test run; more with the variable `QUASAR_FUZZ`.
const PROGRAMS: u64 = 2_000;

/// A small generator (xorshift64*), so that a seed names a program.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

const NAMES: &[&str] = &["a", "b", "c", "f", "g", "i", "k", "x", "y", "s"];
const BINARY: &[&str] =
    &["+", "-", "*", "/", ".*", "./", "^", ".^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "..", "?"];
const ASSIGN: &[&str] = &["=", "=", "=", "+=", "-=", "*=", "/=", "^=", "^^=", "__=", "&=", "|=", "~="];
const CALLS: &[&str] = &[
    "sum",
    "zeros",
    "ones",
    "size",
    "numel",
    "max",
    "min",
    "abs",
    "sqrt",
    "mod",
    "transpose",
    "reshape",
    "repmat",
    "sort",
    "find",
    "cumsum",
    "eye",
    "linspace",
    "det",
    "inv",
    "sprintf",
    "str",
    "strlen",
    "type",
    "copy",
    "cell",
    "object",
    "int",
    "scalar",
    "uint8",
    "vec",
    "mat",
    "cast",
    "eval",
    "fft1",
    "imfilter",
    "diag",
    "any",
    "circshift",
    "parallel_do",
    "serial_do",
    "ind2pos",
    "pos2ind",
    "permute",
    "horzcat",
    "vertcat",
    "prod",
    "mean",
    "median",
];

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
    match r.below(16) {
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
        12 => format!("{}({})", r.pick(CALLS), sub(r)),
        13 => format!("{}({}, {})", r.pick(CALLS), sub(r), sub(r)),
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
x = [[1,2],[3,4]]
y = 2.5
s = \"text\"
";

fn program(seed: u64) -> String {
    let mut r = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::from(PREAMBLE);
    for _ in 0..2 + r.below(5) {
        let mut one = String::new();
        statement(&mut r, 2, &mut one);
        if one.starts_with("function") {
            text.push_str(&one);
        } else {
            text.push_str(&format!("try\n{one}catch ex\nprint ex\nendtry\n"));
        }
    }
    if r.below(3) == 0 { mutate(&mut r, &text) } else { text }
}

#[test]
fn random_programs_neither_panic_nor_hang() {
    let count = std::env::var("QUASAR_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let options = Options { fuel: 2_000, max_memory: 32 << 20, ..Options::default() };
    let directory = std::env::temp_dir();
    std::env::set_current_dir(directory).expect("the temporary directory is there");
    // Batches share a thread; the seed of a failure is found by running the batch one by one.
    let mut ran = [0u64; 3];
    for batch in 0..count.div_ceil(100) {
        let seeds: Vec<u64> = (batch * 100..((batch + 1) * 100).min(count)).collect();
        let run = |seeds: Vec<u64>| {
            let options = options.clone();
            with_stack(move || {
                let mut status = Vec::new();
                for seed in seeds {
                    let mut session = Session::new(options.clone(), Box::new(std::io::sink()));
                    let outcome = session.run("fuzz.q", &program(seed));
                    for d in &outcome.diagnostics {
                        assert!(!d.render(false).is_empty());
                    }
                    status.push(outcome.status);
                }
                status
            })
        };
        match run(seeds.clone()) {
            Some(statuses) => statuses.iter().for_each(|s| ran[(*s).clamp(0, 2) as usize] += 1),
            None => {
                let bad = seeds.into_iter().find(|s| run(vec![*s]).is_none());
                let text = bad.map(program).unwrap_or_default();
                panic!("seed {bad:?} panics:\n{text}");
            }
        }
    }
    println!("{count} programs: {} succeed, {} fail while running, {} do not compile", ran[0], ran[1], ran[2]);
    assert!(ran.iter().all(|n| *n > 0), "the generator reaches all outcomes: {ran:?}");
}
