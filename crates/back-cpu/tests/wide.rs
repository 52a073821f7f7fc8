//! Integers of 64 bits and elements at equal distances, for which AVX2 has no instruction: the numbers and the faults are the interpreter's.

mod common;

use common::{compiled, launched, ways};
use quadra_kir::{Arg, Const, Elem, Launch, Memory, MemoryBuffer, check, interp, parse};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }
}

/// Elements of 64 bits or fewer.
fn buffer(elem: Elem, values: impl Iterator<Item = i64>) -> MemoryBuffer {
    let size = elem.bytes() as usize;
    let values: Vec<i64> = values.collect();
    let bytes = values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
    MemoryBuffer { elem, dims: vec![values.len() as u32], bytes }
}

/// Runs a kernel of buffers and a number in all ways; whether it stops, which must be for the same reason everywhere.
fn agrees(text: &str, buffers: &[MemoryBuffer], extent: u32, number: i64) -> bool {
    let kernel = parse::kernel("t.kir", text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    let wrong = check::kernel(&kernel);
    assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    let args = (0..buffers.len()).map(Arg::Buffer);
    let number = Arg::Scalar(Const { elem: Elem::I64, bits: number as u64 });
    let mut launch = Launch::new(args.chain([number]).collect());
    launch.extent = vec![extent];
    let memory = Memory { buffers: buffers.to_vec() };
    let mut expected = memory.clone();
    let stops = interp::simt::run(&kernel, &mut expected, &launch, &mut |_| {}).map_err(|f| format!("{:?}", f.kind));
    for (llvm, long) in ways() {
        if stops.is_err() {
            let got = launched(&llvm, &kernel, &memory, &launch, long).map_err(|f| format!("{:?}", f.kind));
            assert_eq!(got.err(), stops.clone().err(), "{llvm:?}\n{text}");
            continue;
        }
        let got = compiled(&llvm, &kernel, &memory, &launch, long);
        let same = expected.buffers.iter().zip(&got).all(|(e, g)| e.bytes == *g);
        assert!(same, "{llvm:?}, long: {long}\n{text}");
    }
    stops.is_err()
}

/// `%r` as the product of `%x` and `%y`, asserted as front ends do it.
fn product(r: &str, x: &str, y: &str) -> String {
    format!(
        "%{r} = mul {x}, {y} %{r}p = to.f64 {x} %{r}q = to.f64 {y} %{r}s = mul %{r}p, %{r}q %{r}t = abs %{r}s
         %{r}c = cmp.lt %{r}t, 9.223372036854e18:f64 assert \"integer overflow\", %{r}c\n"
    )
}

const MANY: usize = 16 * 23 + 7;

/// Numbers around those that 32 bits hold, in groups of like size, and one at a place that is not.
fn numbers(random: &mut Random, size: u32, one: Option<(usize, i64)>) -> Vec<i64> {
    let ends = [i64::from(i32::MIN), i64::from(i32::MAX), 0, -1, 1 << 31, i64::from(i32::MIN) - 1];
    let mut all: Vec<i64> = (0..MANY)
        .map(|n| match n / 48 % 3 {
            0 => random.next() as i64 >> (64 - size),
            1 => random.next() as i64 >> 33,
            _ => ends[random.next() as usize % ends.len()],
        })
        .collect();
    if let Some((at, value)) = one {
        all[at] = value;
    }
    all
}

#[test]
fn products_of_all_sizes_and_those_that_wrap() {
    let random = &mut Random(1);
    let kernels = [
        // A square and a product share an operand; what is known to be short, and what is not.
        format!(
            "kernel @k(%a: buf<i64, r>, %b: buf<i32, r>, %o: buf<i64, w>, %n: i64) simt group=16 over=1 {{ %i = item 0
             %x = load %a[%i] %w = load %b[%i] %y = to.i64 %w {} {} %z = sub %q, %r store %o[%i], %z }}",
            product("q", "%x", "%x"),
            product("r", "%y", "%x")
        ),
        // By a number that all share, in a loop.
        format!(
            "kernel @k(%a: buf<i64, r>, %b: buf<i32, r>, %o: buf<i64, w>, %n: i64) simt group=16 over=1 {{ %i = item 0
             %x = load %a[%i] %v = asr %x, 40:i64 %s = for %k in 0..4 (%t: i64 = %v) {{ {} {} %u = add %q, %r yield %u }}
             store %o[%i], %s }}",
            product("q", "%t", "%n"),
            product("r", "3:i64", "%v")
        ),
        // In a branch, where only some lanes are asked.
        format!(
            "kernel @k(%a: buf<i64, r>, %b: buf<i32, r>, %o: buf<i64, w>, %n: i64) simt group=16 over=1 {{ %i = item 0
             %x = load %a[%i] %w = load %b[%i] %c = cmp.lt %w, 0 if %c {{ {} store %o[%i], %q }} }}",
            product("q", "%x", "%n")
        ),
        // What comes of a product has to fit 32 bits.
        format!(
            "kernel @k(%a: buf<i64, r>, %b: buf<i32, r>, %o: buf<i64, w>, %n: i64) simt group=16 over=1 {{ %i = item 0
             %w = load %b[%i] %y = to.i64 %w {} %s = asr %q, 9:i64 %g = cmp.ge %s, -2147483648:i64
             %l = cmp.le %s, 2147483647:i64 %c = and %g, %l assert \"does not fit\", %c store %o[%i], %s }}",
            product("q", "%y", "%n")
        ),
    ];
    let (mut stopped, mut ran) = (0, 0);
    for text in &kernels {
        for (size, number) in [(32, 45_678), (30, -3), (31, 1 << 31), (33, i64::from(i32::MIN)), (63, 5), (8, 1 << 40)]
        {
            for one in [None, Some((MANY - 1, i64::MIN)), Some((200, 3_037_000_501))] {
                let a = buffer(Elem::I64, numbers(random, size, one).into_iter());
                let b = buffer(Elem::I32, (0..MANY).map(|_| random.next() as i64 >> 34));
                let o = buffer(Elem::I64, (0..MANY).map(|_| 0));
                let stops = agrees(text, &[a, b, o], MANY as u32, number);
                *if stops { &mut stopped } else { &mut ran } += 1;
            }
        }
    }
    assert!(stopped > 10 && ran > 20, "{stopped} stopped, {ran} ran");
}

#[test]
fn integers_become_the_nearest_doubles() {
    let random = &mut Random(2);
    let near = |n: u32| [(1_i64 << n) - 1, 1 << n, (1 << n) + 1, -(1 << n), -(1 << n) - 1];
    let ends = (50..63).flat_map(near).chain([0, 1, -1, i64::MIN, i64::MAX, i64::MIN + 1, i64::MAX - 511]);
    let rest = (0..160).map(|n| random.next() as i64 >> (n % 60)).collect::<Vec<_>>();
    let all: Vec<i64> = ends.chain(rest).collect();
    let text = "kernel @k(%a: buf<i64, r>, %o: buf<f64, w>, %n: i64) simt group=16 over=1 { %i = item 0
        %x = load %a[%i] %y = to.f64 %x store %o[%i], %y }";
    let many = all.len();
    let buffers = [buffer(Elem::I64, all.into_iter()), buffer(Elem::F64, (0..many).map(|_| 0))];
    assert!(!agrees(text, &buffers, many as u32, 0));
}

/// A kernel that reads elements `first + step * i` of `reads` and computes with floats.
fn strided(elem: &str, reads: &[i32], step: i32, begin: i32) -> String {
    let mut body = format!("%p = mul %i, {step} %f = add %p, {begin}\n");
    let mut sum = "0.5".to_string();
    for (n, at) in reads.iter().enumerate() {
        let float = if elem == "f32" { String::new() } else { format!("%t{n} = to.f32 %l{n}") };
        let value = if elem == "f32" { "l" } else { "t" };
        body += &format!(
            "%f{n} = add %f, {at} %l{n} = load %a[%f{n}] {float} %m{n} = mul %{value}{n}, {}.0 %s{n} = add {sum}, %m{n}\n",
            n + 2
        );
        sum = format!("%s{n}");
    }
    format!(
        "kernel @k(%a: buf<{elem}, r>, %o: buf<f32, w>, %n: i64) simt group=16 over=1 {{ %i = item 0 {body} store %o[%i], {sum} }}"
    )
}

#[test]
fn elements_at_equal_distances() {
    let random = &mut Random(3);
    for (elem, name) in [(Elem::I8, "i8"), (Elem::I16, "i16"), (Elem::F32, "f32")] {
        for (reads, step) in [
            (&[0][..], 2_i32),
            (&[0], 4),
            (&[0, 1, 2], 3),
            (&[0, 2], 3),
            (&[0, 3], 4),
            (&[0, 4, 2], 5),
            (&[7, 0], 8),
            (&[0], -2),
            (&[0, -2], -3),
        ] {
            // So many elements that the last one read is the last one.
            let (low, high) = (reads.iter().min().unwrap(), reads.iter().max().unwrap());
            let length = (high - low + 1 + step.abs() * (MANY as i32 - 1)) as usize;
            let begin = if step > 0 { -low } else { step.abs() * (MANY as i32 - 1) - low };
            let value =
                |n: u64| if elem == Elem::F32 { i64::from((n as i16 as f32).to_bits()) } else { n as i64 >> 44 };
            let a = buffer(elem, (0..length).map(|_| value(random.next())));
            let o = buffer(Elem::F32, (0..MANY).map(|_| 0));
            assert!(!agrees(&strided(name, reads, step, begin), &[a, o], MANY as u32, 0));
        }
    }
}

#[test]
fn elements_stored_side_by_side() {
    let random = &mut Random(4);
    for (elem, name) in [(Elem::I8, "i8"), (Elem::I16, "i16"), (Elem::I32, "i32"), (Elem::F32, "f32")] {
        for (parts, step) in [(2, 2), (3, 3), (4, 4), (2, -2), (3, -3)] {
            let mut body = format!("%p = mul %i, {step}\n");
            let begin = if step > 0 { 0 } else { -step * (MANY as i32 - 1) };
            for n in 0..parts {
                body += &format!("%f{n} = add %p, {} %y{n} = add %x, {n}", begin + n);
                body += if name == "f32" { ".0 " } else { " " };
            }
            // Not in their order.
            for n in (0..parts).rev() {
                body += &format!("store %o[%f{n}], %y{n} ");
            }
            let text = format!(
                "kernel @k(%a: buf<{name}, r>, %o: buf<{name}, w>, %n: i64) simt group=16 over=1 {{ %i = item 0 %x = load %a[%i] {body} }}"
            );
            let value =
                |n: u64| if elem == Elem::F32 { i64::from((n as i16 as f32).to_bits()) } else { n as i64 >> 44 };
            let a = buffer(elem, (0..MANY).map(|_| value(random.next())));
            let o = buffer(elem, (0..parts as usize * MANY).map(|_| 0));
            assert!(!agrees(&text, &[a, o], MANY as u32, 0));
        }
    }
}

#[test]
fn rows_that_repeat_their_ends() {
    let random = &mut Random(5);
    for (elem, name) in [(Elem::F32, "f32"), (Elem::I32, "i32")] {
        for (low, high) in [(0, MANY - 1), (3, MANY - 20), (100, 116)] {
            for offsets in [[-1, 1], [-9, 7], [20, -40], [0, 15]] {
                let mut body = String::new();
                for (n, offset) in offsets.into_iter().enumerate() {
                    let limits = [format!("max %j{n}, {low}"), format!("min %j{n}, {high}")];
                    let (first, second) = (&limits[n], limits[1 - n].replace(&format!("%j{n}"), &format!("%h{n}")));
                    body +=
                        &format!("%j{n} = add %i, {offset} %h{n} = {first} %k{n} = {second} %x{n} = load %a[%k{n}] ");
                }
                let text = format!(
                    "kernel @k(%a: buf<{name}, r>, %o: buf<{name}, w>, %n: i64) simt group=16 over=1 {{
                       %i = item 0 {body} %d = sub %x0, %x1 store %o[%i], %d }}"
                );
                let value =
                    |n: u64| if elem == Elem::F32 { i64::from((n as i16 as f32).to_bits()) } else { n as i64 >> 40 };
                let a = buffer(elem, (0..MANY).map(|_| value(random.next())));
                let o = buffer(elem, (0..MANY).map(|_| 0));
                assert!(!agrees(&text, &[a, o], MANY as u32, 0));
            }
        }
    }
}
