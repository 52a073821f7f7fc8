//! Sums of bytes and halves in lanes of as few bits are those that the interpreter adds up one by one.

mod common;

use common::{compiled, ways};
use quadra_kir::{Arg, Const, Elem, Launch, Memory, MemoryBuffer, check, interp, parse};

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

/// Elements that are mostly the least or the greatest, so that a sum that is kept too long overflows.
fn elements(elem: Elem, many: usize, random: &mut Random) -> MemoryBuffer {
    let size = elem.bytes() as usize;
    let always = random.below(3);
    let bytes = (0..many).flat_map(|_| {
        let value: i64 = match (random.below(9), always) {
            (0, _) => random.below(1 << 20) as i64,
            (_, 0) => -1,
            (_, 1) => i64::MIN >> (64 - 8 * size),
            _ => i64::MAX >> (64 - 8 * size),
        };
        value.to_le_bytes()[..size].to_vec()
    });
    MemoryBuffer { elem, dims: vec![many as u32], bytes: bytes.collect() }
}

/// Compares a kernel of elements `a`, `b`, sums `o` and a number `n` with the interpreter, in all ways or the newest one.
fn agrees(text: &str, memory: &Memory, extent: u32, number: i32, all: bool) {
    let kernel = parse::kernel("t.kir", text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    let wrong = check::kernel(&kernel);
    assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    let mut args: Vec<Arg> = (0..memory.buffers.len()).map(Arg::Buffer).collect();
    args.push(Arg::Scalar(Const::i32(number)));
    let mut launch = Launch::new(args);
    launch.extent = vec![extent];
    let mut expected = memory.clone();
    interp::simt::run(&kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
    for (llvm, long) in ways().into_iter().rev().take(if all { usize::MAX } else { 1 }) {
        let got = compiled(&llvm, &kernel, memory, &launch, long);
        assert!(expected.buffers[2].bytes == got[2], "{llvm:?}, long: {long}\n{text}");
    }
}

fn head(elem: &str) -> String {
    format!("kernel @k(%a: buf<{elem}, r>, %b: buf<{elem}, r>, %o: buf<i32, w>, %n: i32) simt group=16 over=1")
}

/// What an iteration adds to its sums, of two elements, and how it gives them on.
fn iteration(bits: u32, sums: usize, random: &mut Random) -> String {
    let mut text = String::new();
    for name in ["x", "y"] {
        text += &match random.below(4) {
            0 => format!("%{name} = add %{name}s, 0\n"),
            _ => format!("%{name} = and %{name}s, {}\n", (1u32 << bits) - 1),
        };
    }
    text += &format!(
        "%c = {} %x, {}\n",
        random.of(&["cmp.lt", "cmp.gt", "cmp.eq", "cmp.ne"]),
        random.of(&["%y", "%n", "77", "-1"])
    );
    let mut given = String::new();
    for s in 0..sums {
        let term = random.of(&[
            "add %x, 0",
            "sub %x, %y",
            "mul %x, %y",
            "mul %x, 3",
            "max %x, %y",
            "to.i32 %c",
            "shr %x, 3",
            "and %x, 15",
            "select %c, %x, %y",
            "neg %y",
        ]);
        text += &format!("%d{s} = {term}\n%e{s} = abs %d{s}\n");
        let add = match random.below(7) {
            0 => format!("%v{s} = sub %s{s}, %d{s}\n"),
            1 => format!("%u{s} = add %s{s}, 1 %v{s} = select %c, %u{s}, %s{s}\n"),
            2 => format!("%u{s} = add %s{s}, %e{s} %v{s} = select %c, %s{s}, %u{s}\n"),
            3 => format!("%u{s} = add %x, %s{s} %v{s} = sub %u{s}, %d{s}\n"),
            4 => format!("%u{s} = max %x, %s{s} %v{s} = max %u{s}, %e{s}\n"),
            5 => format!("%v{s} = min %s{s}, %d{s}\n"),
            _ => format!("%v{s} = add %s{s}, %e{s}\n"),
        };
        text += &add;
        given += &format!("{}%v{s}", if s > 0 { ", " } else { "" });
    }
    format!("{text} yield {given}\n")
}

#[test]
fn sums_along_rows_and_columns() {
    let seeds: Vec<u64> = (0..40).collect();
    quadra_base::testing::each(&seeds, |seed| {
        let random = &mut Random(*seed);
        let (elem, name) = [(Elem::I8, "i8"), (Elem::I8, "i8"), (Elem::I16, "i16")][random.below(3)];
        let columns = seed % 2 == 0;
        let (items, width) =
            if columns { (16 * 13 + 7, 900) } else { (21, [16 * 300, 700, 64, 5000, 131][random.below(5)]) };
        let sums = 1 + random.below(3);
        let carried: Vec<String> = (0..sums).map(|s| format!("%s{s}: i32 = {}", 5 * s)).collect();
        let results: Vec<String> = (0..sums).map(|s| format!("%r{s}")).collect();
        let place = if columns {
            format!("%q = mul %k, {items} %p = add %q, %i")
        } else {
            format!("%q = mul %i, {width} %p = add %q, %k")
        };
        let last = (1..sums).fold(String::from("%t0 = add %r0, 0\n"), |text, s| {
            format!("{text} %m{s} = mul %r{s}, {} %t{s} = add %t{}, %m{s}\n", 1000 * s + 1, s - 1)
        });
        let text = format!(
            "{} {{ %i = item 0 {} = for %k in 0..{width} ({}) {{ {place}
               %xs = load %a[%p] %ys = load %b[%p] {} }} {last} store %o[%i], %t{} }}",
            head(name),
            results.join(", "),
            carried.join(", "),
            iteration(8 * elem.bytes(), sums, random),
            sums - 1
        );
        let many = items * width;
        let buffers =
            vec![elements(elem, many, random), elements(elem, many, random), elements(Elem::I32, items, random)];
        let number = [77, -3, 300, i32::MIN][random.below(4)];
        agrees(&text, &Memory { buffers }, items as u32, number, seed % 20 == 0);
    });
}

#[test]
fn floats_of_whole_numbers_along_rows() {
    let seeds: Vec<u64> = (0..20).collect();
    quadra_base::testing::each(&seeds, |seed| {
        let random = &mut Random(*seed);
        let (items, width) = (21, [16 * 300, 700, 64, 5000, 131][random.below(5)]);
        let term = random.of(&["add %x, %y", "sub %x, %y", "max %x, %y", "shr %x, 1", "abs %y"]);
        let next = random.of(&[
            "%v = add %s, %f",
            "%v = sub %s, %f",
            "%u = add %f, %s %v = select %c, %u, %s",
            "%u = add %s, 1.0 %w = sub %u, %f %v = select %c, %w, %u",
        ]);
        // Whatever the order, no sum has more than 24 bits.
        let text = format!(
            "{} regroup {{ %i = item 0 %r, %m = for %k in 0..{width} (%s: f32 = 3.0, %t: i32 = -7) {{
               %q = mul %i, {width} %p = add %q, %k %xs = load %a[%p] %ys = load %b[%p] %x = and %xs, 255 %y = add %ys, 0
               %c = cmp.gt %x, %y %d = {term} %f = to.f32 %d {next} %z = max %t, %y yield %v, %z }}
               %g = to.i32 %r %h = mul %m, 65537 %o1 = add %g, %h store %o[%i], %o1 }}",
            head("i8")
        );
        let many = items * width;
        let buffers = vec![
            elements(Elem::I8, many, random),
            elements(Elem::I8, many, random),
            elements(Elem::I32, items, random),
        ];
        agrees(&text, &Memory { buffers }, items as u32, 0, seed % 10 == 0);
    });
}
