//! Bytes, halves and quotients in vectors: what is computed in short lanes, or by way of doubles, is what the interpreter computes.

mod common;

use common::{compiled, ways};
use quadra_kir::{Arg, Elem, Kernel, Launch, Memory, MemoryBuffer, check, interp, parse};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

fn parsed(text: &str) -> Kernel {
    let kernel = parse::kernel("t.kir", text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    let wrong = check::kernel(&kernel);
    assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    kernel
}

/// Elements of which the least, the greatest and those next to 0 come often.
fn elements(elem: Elem, many: usize, random: &mut Random) -> MemoryBuffer {
    let size = elem.bytes() as usize;
    let bytes = (0..many).flat_map(|_| {
        let value: i64 = match random.below(8) {
            0 => [0, 1, -1, 2][random.below(4)],
            1 => i64::MIN >> (64 - 8 * size),
            2 => i64::MAX >> (64 - 8 * size),
            3 => random.below(1 << 20) as i64,
            4 => -(random.below(1 << 30) as i64) << random.below(24),
            5 => (random.below(1 << 31) as i64) << random.below(33),
            _ => (random.below(1 << 31) as i64) ^ ((random.below(1 << 31) as i64) << 32),
        };
        value.to_le_bytes()[..size].to_vec()
    });
    MemoryBuffer { elem, dims: vec![many as u32], bytes: bytes.collect() }
}

/// Runs a kernel of buffers `a`, `b`, `o`, a number `n` and as many items as `o` has elements, in all ways or the first ones.
fn agrees(text: &str, memory: &Memory, extent: &[u32], number: i32, first: usize) {
    let kernel = parsed(text);
    let number = Arg::Scalar(quadra_kir::Const::i32(number));
    let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Buffer(2), number]);
    launch.extent = extent.to_vec();
    let mut expected = memory.clone();
    interp::simt::run(&kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
    for (llvm, long) in ways().into_iter().rev().take(first) {
        let got = compiled(&llvm, &kernel, memory, &launch, long);
        assert!(expected.buffers[2].bytes == got[2], "{llvm:?}, long: {long}\n{text}");
    }
}

fn head(elem: &str, over: usize) -> String {
    format!("kernel @k(%a: buf<{elem}, r>, %b: buf<{elem}, r>, %o: buf<{elem}, w>, %n: i32) simt group=16 over={over}")
}

/// An expression of `values` values of bytes or halves, as one writes them and as nobody does.
fn expression(bits: u32, values: usize, random: &mut Random) -> String {
    let mut text = String::new();
    let mut names: Vec<String> = Vec::new();
    for (buffer, name) in [("a", "x"), ("b", "y")] {
        text += &format!("%{name}s = load %{buffer}[%i]\n");
        if random.below(3) > 0 {
            text += &format!("%{name} = and %{name}s, {}\n", (1u32 << bits) - 1);
        } else {
            text += &format!("%{name} = add %{name}s, 0\n");
        }
        names.push(format!("%{name}"));
    }
    let (mut conditions, most) = (Vec::<String>::new(), (1i64 << bits) - 1);
    let limits = [most, 0, -(most + 1) / 2, most / 2, 1, 3, 77, 150, most + 1].map(|c| c.to_string());
    for n in 0..values {
        // What was computed last is used more often than not.
        let operand = |random: &mut Random| match random.below(8) {
            0 => limits[random.below(limits.len())].clone(),
            1 => "%n".to_string(),
            2 | 3 => names[random.below(names.len())].clone(),
            _ => names[names.len() - 1 - random.below(2)].clone(),
        };
        let (p, q) = (operand(random), operand(random));
        let limit = &limits[random.below(limits.len())];
        let condition = conditions.last().cloned();
        let instruction = match (random.below(12), condition) {
            (0 | 1, _) => format!("{} {p}, {q}", random.of(&["add", "sub", "mul"])),
            (2, _) => format!("{} {p}, {limit}", random.of(&["min", "max"])),
            (3, _) => format!("{} {p}, {}", random.of(&["shl", "shr", "asr"]), random.below(17)),
            (4, _) => format!("asr {p}, 1"),
            (5, _) => format!("{} {p}, {q}", random.of(&["and", "or", "xor", "andnot", "min", "max"])),
            (6, _) => format!("{} {p}", random.of(&["neg", "abs", "not"])),
            (7, _) => format!("{} {p}, {}", random.of(&["div", "mod", "rem"]), 1 + random.below(1000)),
            (8, Some(c)) => format!("select {c}, {p}, {q}"),
            (9, Some(c)) => format!("to.i32 {c}"),
            (10, _) => format!("and {p}, {most}"),
            _ => {
                let name = random.of(&["cmp.lt", "cmp.le", "cmp.gt", "cmp.ge", "cmp.eq", "cmp.ne"]);
                text += &format!("%c{n} = {name} {p}, {q}\n");
                conditions.push(format!("%c{n}"));
                continue;
            }
        };
        text += &format!("%v{n} = {instruction}\n");
        names.push(format!("%v{n}"));
    }
    text + &format!("store %o[%i], {}\n", names[names.len() - 1])
}

#[test]
fn random_expressions_of_bytes_and_halves() {
    let seeds: Vec<u64> = (0..120).collect();
    quadra_base::testing::each(&seeds, |seed| {
        let random = &mut Random(*seed);
        let (elem, name) = [(Elem::I8, "i8"), (Elem::I16, "i16")][random.below(2)];
        let many = [16 * 41 + 5, 64 * 9, 16 * 62][random.below(3)];
        let values = 1 + random.below(9);
        let body = expression(8 * elem.bytes(), values, random);
        let text = format!("{} {{ %i = item 0\n{body} }}", head(name, 1));
        let memory = Memory { buffers: (0..3).map(|_| elements(elem, many, random)).collect() };
        let number = [77, -3, 300, 70_000, i32::MIN][random.below(5)];
        agrees(&text, &memory, &[many as u32], number, if seed % 20 == 0 { usize::MAX } else { 1 });
    });
}

#[test]
fn pixels_of_several_bytes_are_rows() {
    let random = &mut Random(7);
    let (height, width) = (9, 16 * 20 + 3);
    for (elem, name) in [(Elem::I8, "i8"), (Elem::I16, "i16")] {
        for colours in [2, 3, 4] {
            let mut body = format!("%p = mul %i, {colours}\n");
            for c in 0..colours {
                body += &format!(
                    "%p{c} = add %p, {c} %l{c} = load %a[%p{c}] %x{c} = and %l{c}, 255 %m{c} = mul %x{c}, {}\n",
                    20 + 30 * c
                );
            }
            body += "%s = add %m0, %m1\n";
            for c in 2..colours {
                body += &format!("%s{c} = add %s, %m{c}\n");
            }
            let last = if colours > 2 { format!("%s{}", colours - 1) } else { "%s".into() };
            let text = format!(
                "{} {{ %r = item 0 %c = item 1 %w = extent 1 %q = mul %r, %w %i = add %q, %c {body} %g = asr {last}, 8 store %o[%i], %g }}",
                head(name, 2)
            );
            let buffers = [colours * height * width, 1, height * width].map(|n| elements(elem, n, random));
            agrees(&text, &Memory { buffers: buffers.to_vec() }, &[height as u32, width as u32], 0, usize::MAX);
        }
    }
}

#[test]
fn colours_change_places() {
    let random = &mut Random(5);
    let many = 16 * 37 + 2;
    for (elem, name) in [(Elem::I8, "i8"), (Elem::I16, "i16")] {
        for colours in [2, 3, 4] {
            let mut body = format!("%p = mul %i, {colours}\n");
            for c in 0..colours {
                body += &format!("%p{c} = add %p, {c} %x{c} = load %a[%p{c}]\n");
            }
            for c in 0..colours {
                let other = colours - 1 - c;
                body += &format!("%y{c} = sub 255, %x{other} store %o[%p{c}], %y{c}\n");
            }
            let text = format!("{} {{ %i = item 0 {body} }}", head(name, 1));
            let buffers = [colours * many, 1, colours * many].map(|n| elements(elem, n, random));
            agrees(&text, &Memory { buffers: buffers.to_vec() }, &[many as u32], 0, usize::MAX);
        }
    }
}

/// Elements that lie a word of memory apart, with and without their signs, and one of which others lie before the first.
#[test]
fn elements_are_parts_of_words() {
    let random = &mut Random(13);
    let many = 16 * 23 + 5;
    for (elem, name) in [(Elem::I8, "i8"), (Elem::I16, "i16")] {
        for apart in [2, 4, 8] {
            let mut body = format!("%p = mul %i, {apart} %s0 = add %i, 3\n");
            for c in 0..apart {
                let kept = random
                    .of(&["and %l, 255", "add %l, 0", "asr %l, 1", "xor %l, -1"])
                    .replace("%l", &format!("%l{c}"));
                body += &format!(
                    "%p{c} = add %p, {c} %l{c} = load %a[%p{c}] %x{c} = {kept} %m{c} = mul %x{c}, {} %s{} = add %s{c}, %m{c}\n",
                    c + 2,
                    c + 1
                );
            }
            let text = format!("{} {{ %i = item 0 {body} %g = asr %s{apart}, 3 store %o[%i], %g }}", head(name, 1));
            let buffers = [apart * many, 1, many].map(|n| elements(elem, n, random));
            agrees(&text, &Memory { buffers: buffers.to_vec() }, &[many as u32], 0, usize::MAX);
        }
    }
}

/// What all channels of a pixel are weighted by is loaded between the stores to them.
#[test]
fn rows_are_loaded_between_stores_to_channels() {
    let random = &mut Random(17);
    let many = 16 * 29 + 7;
    for (elem, name) in [(Elem::I8, "i8"), (Elem::I16, "i16")] {
        for colours in [2, 3, 4] {
            let mut body = format!("%p = mul %i, {colours}\n");
            for c in 0..colours {
                body += &format!(
                    "%p{c} = add %p, {c} %l{c} = load %a[%p{c}] %x{c} = and %l{c}, 255 %k{c} = load %b[%i] %w{c} = and %k{c}, 255
                     %m{c} = mul %x{c}, %w{c} %r{c} = add %m{c}, 128 %y{c} = asr %r{c}, 8 store %o[%p{c}], %y{c}\n"
                );
            }
            let text = format!("{} {{ %i = item 0 {body} }}", head(name, 1));
            let buffers = [colours * many, many, colours * many].map(|n| elements(elem, n, random));
            agrees(&text, &Memory { buffers: buffers.to_vec() }, &[many as u32], 0, usize::MAX);
        }
    }
}

/// A window over bytes: rows share what they load, and borders have code of their own.
#[test]
fn windows_over_bytes() {
    let random = &mut Random(11);
    let (height, width) = (40, 16 * 12);
    let mut body = String::new();
    let mut sum = "0".to_string();
    for (n, (dy, dx)) in [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
        body += &format!(
            "%y{n} = add %r, {dy} %ya{n} = max %y{n}, 0 %yb{n} = min %ya{n}, %bottom %z{n} = mul %yb{n}, %w
             %x{n} = add %c, {dx} %xa{n} = max %x{n}, 0 %xb{n} = min %xa{n}, %right %j{n} = add %z{n}, %xb{n}
             %l{n} = load %a[%j{n}] %v{n} = and %l{n}, 255 %t{n} = add {sum}, %v{n}\n"
        );
        sum = format!("%t{n}");
    }
    let text = format!(
        "{} {{ %r = item 0 %c = item 1 %h = extent 0 %w = extent 1 %bottom = sub %h, 1 %right = sub %w, 1
           {body} %m = mul {sum}, 43 %g = asr %m, 8 %q = mul %r, %w %i = add %q, %c store %o[%i], %g }}",
        head("i8", 2)
    );
    let buffers = [height * width, 1, height * width].map(|n| elements(Elem::I8, n, random));
    agrees(&text, &Memory { buffers: buffers.to_vec() }, &[height as u32, width as u32], 0, usize::MAX);
}

#[test]
fn quotients_and_remainders_of_all_sizes() {
    let random = &mut Random(3);
    let many = 16 * 61 + 5;
    for (elem, name) in [(Elem::I64, "i64"), (Elem::I32, "i32")] {
        let memory = Memory { buffers: (0..3).map(|_| elements(elem, many, random)).collect() };
        for expression in
            ["div %x, %y", "rem %x, %y", "mod %x, %y", "mod %x, 1000", "div %x, -7", "div %x, 64", "div %x, -3"]
        {
            let expression = if elem == Elem::I64 && !expression.contains("%y") {
                format!("{expression}:i64")
            } else {
                expression.into()
            };
            let text = format!(
                "{} {{ %i = item 0 %x = load %a[%i] %y = load %b[%i] %z = {expression} store %o[%i], %z }}",
                head(name, 1)
            );
            agrees(&text, &memory, &[many as u32], 0, usize::MAX);
        }
    }
    // A quotient and its remainder, and remainders of products by one number.
    let memory = Memory { buffers: (0..3).map(|_| elements(Elem::I64, many, random)).collect() };
    let text = format!(
        "{} {{ %i = item 0 %x = load %a[%i] %y = load %b[%i] %q = div %x, %y %r = rem %x, %y %p = mul %q, %y %s = add %p, %r
           %m = to.i64 %n %t = mod %s, %m %u = mul %t, %t %v = mod %u, %m store %o[%i], %v }}",
        head("i64", 1)
    );
    for number in [1_000_003, 0, -1, 7] {
        agrees(&text, &memory, &[many as u32], number, usize::MAX);
    }
}
