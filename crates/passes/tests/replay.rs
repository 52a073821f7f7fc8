//! Which claims that an access lies inside its buffer are confirmed, and that none of these is wrong.

use quadra_kir::{Arg, Elem, Kernel, Launch, Memory, MemoryBuffer, Mode, interp, parse};
use quadra_passes::replay::{self, Replayed};
use quadra_passes::specialise::{self, Known};
use std::fmt::Write;

const ITEMS: u32 = 40;

fn kernel(body: &str) -> Kernel {
    let text = format!("kernel @k(%p: buf<i32, rw>, %q: buf<i32, rw>) simt group=16 over=1 {{\n{body}\n}}");
    parse::kernel("t.kir", &text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(false)))
}

/// The kernel for 40 items and buffers of these sizes, with the claims that are confirmed.
fn replayed(body: &str, sizes: [u32; 2]) -> (Kernel, Replayed) {
    let mut kernel = kernel(body);
    let known = Known { extent: vec![Some(ITEMS)], dims: sizes.map(|n| Some(vec![n])).to_vec(), ..Known::default() };
    specialise::run(&mut kernel, &known);
    let found = replay::run(&mut kernel, &known);
    (kernel, found)
}

#[test]
fn claims_that_hold_are_confirmed() {
    let bodies = [
        "%i = item 0 %x = load.inside %p[%i]",
        "%i = item 0 %a = load %q[0] %c = cmp.lt.u %a, 40 if %c { %x = load.inside %p[%a] }",
        "%a = load %q[0] %g = cmp.ge %a, 0 %l = cmp.lt %a, 40 %c = and %g, %l assert \"in\", %c %x = load.inside %p[%a]",
        "%a = load %q[0] %l = cmp.lt %a, 0 if %l { return } %g = cmp.gt %a, 39 if %g { return } %x = load.inside %p[%a]",
        // A clamped, a wrapped and a reflected index.
        "%a = load %q[0] %l = min %a, 39 %h = max %l, 0 %x = load.inside %p[%h]",
        "%a = load %q[0] %m = mod %a, 40 %x = load.inside %p[%m]",
        "%a = load %q[0] %m = mod %a, 80 %b = sub 79, %m %r = min %m, %b %x = load.inside %p[%r]",
        // Rows and columns.
        "%i = item 0 %r = div %i, 5 %c = mod %i, 5 %s = mul %r, 5 %t = add %s, %c %x = load.inside %p[%t]",
        "for %r in 0..8 { %s = mul %r, 5 for %c in 0..5 { %t = add %s, %c %x = load.inside %p[%t] } }",
        "for %r in 39..-1 step -3 { %x = load.inside %p[%r] }",
        // A loop that a condition ends.
        "loop (%k: i32 = 0) { %e = cmp.ge %k, 40 if %e { break } %x = load.inside %p[%k] %n = add %k, 1 continue %n }",
        // Blocks of 16 with a rest, of which no part alone says where it ends.
        "%i = item 0 %m = min %i, 2 %s = shl %m, 4 %r = sub 40, %s %n = min %r, 16 for %k in 0..%n { %t = add %s, %k %x = load.inside %p[%t] }",
        // The triangle below the diagonal.
        "for %i in 0..40 { for %j in 0..%i { %d = sub %i, %j %x = load.inside %p[%d] } }",
        // What never runs.
        "assert \"never\", false %x = load.inside %p[-1]",
    ];
    for body in bodies {
        let (_, found) = replayed(body, [40, 1]);
        assert_eq!(found, Replayed { claims: 1, confirmed: 1 }, "{body}");
    }
}

#[test]
fn claims_that_do_not_hold_lose_their_mark() {
    let bodies = [
        "%i = item 0 %j = add %i, 1 %x = load.inside %p[%j]",
        "%a = load %q[0] %x = load.inside %p[%a]",
        "%a = load %q[0] %c = cmp.lt %a, 40 if %c { %x = load.inside %p[%a] }",
        "%a = load %q[0] %c = cmp.lt.u %a, 40 if %c { } %x = load.inside %p[%a]",
        "%a = load %q[0] %c = cmp.lt.u %a, 41 if %c { %x = load.inside %p[%a] }",
        // The smallest integer has no opposite, and an absolute value may be negative.
        "%a = load %q[0] %b = abs %a %m = min %b, 39 %x = load.inside %p[%m]",
        "%a = load %q[0] %l = min %a, 0 %b = neg %l %m = min %b, 39 %x = load.inside %p[%m]",
        // Sums that wrap.
        "%a = load %q[0] %b = add %a, 1 %c = cmp.gt %b, %a if %c { } %m = min %b, 39 %n = max %a, 0 %k = min %n, 39 %s = add %m, %k %x = load.inside %p[%s]",
        "for %k in 2147483640..2147483647 step 4 { %m = min %k, 39 %x = load.inside %p[%m] }",
        // The condition of one round says nothing of the next.
        "loop (%k: i32 = 0) { %x = load.inside %p[%k] %e = cmp.ge %k, 40 if %e { break } %n = add %k, 1 continue %n }",
        "%i = item 0 %r = mod %i, 7 %s = mul %r, 6 %t = add %s, 5 %x = load.inside %p[%t]",
    ];
    for body in bodies {
        let (kernel, found) = replayed(body, [40, 1]);
        assert_eq!(found, Replayed { claims: 1, confirmed: 0 }, "{body}");
        assert!(!kernel.body.any(&mut |i| i.mode == Mode::Inside), "{body}");
    }
    // Nothing lies inside an empty buffer.
    assert_eq!(replayed("%x = load.inside %p[0]", [0, 1]).1.confirmed, 0);
}

#[test]
fn a_comparison_with_the_size_itself_needs_no_number() {
    let known = Known { extent: vec![None], dims: vec![None, None], ..Known::default() };
    let claimed = |condition: &str| {
        let body = format!("%i = item 0 %n = dim %p, 0 %o = dim %q, 0 {condition} if %c {{ %x = load.inside %p[%i] }}");
        replay::run(&mut kernel(&body), &known).confirmed
    };
    assert_eq!(claimed("%c = cmp.lt.u %i, %n"), 1);
    assert_eq!(claimed("%c = cmp.lt %i, %n"), 1, "an item is not negative");
    assert_eq!(claimed("%c = cmp.le %i, %n"), 0);
    assert_eq!(claimed("%c = cmp.lt.u %i, %o"), 0, "the size of another buffer");
}

/// A sequence without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const NUMBERS: [i32; 14] = [0, 1, 2, 3, 5, 7, 16, 39, 40, -1, -16, i32::MAX, i32::MIN, 1 << 30];

/// Writes statements that compute with what is in scope, and accesses of which it claims that they lie inside.
struct Writer {
    dice: Dice,
    text: String,
    scope: Vec<String>,
    names: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn operand(&mut self) -> String {
        if self.dice.below(4) == 0 {
            return self.dice.one(&NUMBERS).to_string();
        }
        // What was made last is taken most.
        let n = self.scope.len();
        let at = n - 1 - self.dice.below(n).min(self.dice.below(n));
        self.scope[at].clone()
    }

    fn line(&mut self, op: &str, operands: usize) -> String {
        let args: Vec<_> = (0..operands).map(|_| self.operand()).collect();
        let name = self.name();
        let _ = writeln!(self.text, "{name} = {op} {}", args.join(", "));
        name
    }

    fn condition(&mut self) -> String {
        let ops = [
            "cmp.lt", "cmp.le", "cmp.gt", "cmp.ge", "cmp.lt.u", "cmp.le.u", "cmp.gt.u", "cmp.ge.u", "cmp.eq", "cmp.ne",
        ];
        let op = self.dice.one(&ops);
        let first = self.line(op, 2);
        if self.dice.below(3) > 0 {
            return first;
        }
        let op = self.dice.one(&ops);
        let second = self.line(op, 2);
        let (name, op) = (self.name(), self.dice.one(&["and", "or", "andnot"]));
        let _ = writeln!(self.text, "{name} = {op} {first}, {second}");
        name
    }

    fn block(&mut self, depth: usize) {
        let before = self.scope.len();
        for _ in 0..2 + self.dice.below(6) {
            match self.dice.below(12) {
                0..5 => {
                    let ops = [
                        "add", "add", "sub", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr", "asr",
                        "div", "rem", "mod", "min.u", "max.u",
                    ];
                    let op = self.dice.one(&ops);
                    let name = self.line(op, 2);
                    self.scope.push(name);
                }
                5 => {
                    let op = self.dice.one(&["neg", "abs", "not", "clz"]);
                    let name = self.line(op, 1);
                    self.scope.push(name);
                }
                6 => {
                    let (c, a, b, name) = (self.condition(), self.operand(), self.operand(), self.name());
                    let _ = writeln!(self.text, "{name} = select {c}, {a}, {b}");
                    self.scope.push(name);
                }
                7..9 => {
                    let (index, name) = (self.operand(), self.name());
                    let _ = writeln!(self.text, "{name} = load.inside %p[{index}]");
                    self.scope.push(name);
                }
                9 => {
                    // An index that is brought inside first.
                    let (of, to) = (self.operand(), self.name());
                    let _ = writeln!(self.text, "{to} = {} {of}, 40", self.dice.one(&["mod", "rem", "min"]));
                    self.scope.push(to);
                }
                10 if depth > 0 => {
                    let c = self.condition();
                    let _ = writeln!(self.text, "if {c} {{");
                    self.block(depth - 1);
                    let _ = writeln!(self.text, "}} else {{");
                    self.block(depth - 1);
                    let _ = writeln!(self.text, "}}");
                }
                11 if depth > 0 => self.repeat(depth),
                _ => {}
            }
        }
        self.scope.truncate(before);
    }

    fn repeat(&mut self, depth: usize) {
        let (i, k, next, result) = (self.name(), self.name(), self.name(), self.name());
        let first = self.operand();
        let range = self.dice.one(&[
            "0..40",
            "3..9",
            "39..-1 step -2",
            "0..37 step 4",
            "-3..3",
            "2147483640..2147483646 step 2",
        ]);
        let _ = writeln!(self.text, "{result} = for {i} in {range} ({k}: i32 = {first}) {{");
        let before = self.scope.len();
        self.scope.extend([i, k.clone()]);
        self.block(depth - 1);
        let (op, by) = (self.dice.one(&["add", "sub", "min", "max", "and", "mod"]), self.operand());
        let _ = writeln!(self.text, "{next} = {op} {k}, {by}\nyield {next}\n}}");
        self.scope.truncate(before);
        self.scope.push(result);
    }
}

#[test]
fn no_access_that_is_confirmed_lies_outside() {
    let seeds: Vec<u64> = (0..15_000).collect();
    let parts: Vec<&[u64]> = seeds.chunks(1000).collect();
    let found = quadra_base::testing::each(&parts, |part| {
        let sum = |(claims, confirmed), found: Replayed| (claims + found.claims, confirmed + found.confirmed);
        part.iter().map(|seed| stays_inside(*seed)).fold((0, 0), sum)
    });
    let (claims, confirmed) = found.into_iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    // Otherwise nothing would have been tested.
    assert!(claims > 1500 && confirmed * 4 > claims, "{confirmed} of {claims} claims are confirmed");
}

/// Runs a random kernel in which only what was confirmed is taken at its word.
fn stays_inside(seed: u64) -> Replayed {
    let scope = vec!["%i".into(), "%a".into(), "%i".into()];
    let mut writer = Writer { dice: Dice(seed), text: "%i = item 0\n%a = load %q[%i]\n".into(), scope, names: 0 };
    writer.block(3);
    let (mut kernel, found) = replayed(&writer.text, [40, ITEMS]);
    // What was not confirmed may lie outside.
    let loads = |i: &mut quadra_kir::Inst| {
        if i.op == quadra_kir::Op::Load && i.mode == Mode::Unchecked {
            i.mode = Mode::Safe;
        }
    };
    kernel.body.walk_mut(&mut { loads });
    let mut dice = Dice(seed + 1_000_000);
    let mut data = || -> Vec<u8> {
        let number = |d: &mut Dice| if d.below(2) == 0 { d.one(&NUMBERS) } else { d.below(90) as i32 - 20 };
        (0..ITEMS).flat_map(|_| number(&mut dice).to_le_bytes()).collect()
    };
    let buffers = [0, 1].map(|_| MemoryBuffer { elem: Elem::I32, dims: vec![ITEMS], bytes: data() });
    let mut memory = Memory { buffers: buffers.to_vec() };
    let launch = Launch { extent: vec![ITEMS], ..Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]) };
    if let Err(fault) = interp::simt::run(&kernel, &mut memory, &launch, &mut |_| {}) {
        panic!("seed {seed}: {}\n{}", fault.to_diagnostic().message, writer.text);
    }
    found
}
