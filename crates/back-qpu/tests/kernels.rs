//! Small kernels, compiled and run on the emulator.

mod common;

use common::{How, emulate, listing, parse};
use quadra_kir as kir;

fn ints(memory: &kir::Memory, i: usize) -> Vec<i32> {
    memory.buffers[i].words().into_iter().map(|w| w as i32).collect()
}

fn memory(buffers: &[&[i32]]) -> kir::Memory {
    kir::Memory { buffers: buffers.iter().map(|b| kir::MemoryBuffer::of_i32(b)).collect() }
}

fn buffers(n: usize) -> kir::Launch {
    kir::Launch::new((0..n).map(kir::Arg::Buffer).collect())
}

#[test]
fn hello() {
    let kernel = parse("kernel @hello(%p: buf<i32, w>) simd { %l = lane  store.row %p[0], %l  return }");
    for level in [0, 1, 2] {
        let mut m = memory(&[&[-1; 20]]);
        let (c, report) = emulate(&kernel, &mut m, &buffers(1), How { level, ..How::default() }).expect("runs");
        println!("{}\n{} slots", listing(&c), report.issued());
        let mut want: Vec<i32> = (0..16).collect();
        want.extend([-1; 4]);
        assert_eq!(ints(&m, 0), want);
    }
}

const GCD: &str = "
kernel @gcd(%p: buf<i32, r>, %q: buf<i32, r>, %r: buf<i32, w>) simd {
  %a0 = load.row %p[0]
  %b0 = load.row %q[0]
  %g = loop (%a: <i32> = %a0, %b: <i32> = %b0) {
    %ne = cmp.ne %a, %b
    %go = vote.any %ne
    if %go { } else { break %a }
    %gt = cmp.gt %a, %b
    %d = sub %a, %b
    %a1 = select %gt, %d, %a
    %lt = cmp.lt %a1, %b
    %e = sub %b, %a1
    %b1 = select %lt, %e, %b
    continue %a1, %b1
  }
  store.row %r[0], %g
  return
}";

#[test]
fn gcd() {
    let kernel = parse(GCD);
    let a: Vec<i32> = (0..16).map(|i| 100 + 7 * i).collect();
    let b: Vec<i32> = (0..16).map(|i| 200 - 3 * i).collect();
    fn gcd(a: i32, b: i32) -> i32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    for level in [0, 1, 2] {
        let mut m = memory(&[&a, &b, &[0; 16]]);
        let (c, report) = emulate(&kernel, &mut m, &buffers(3), How { level, ..How::default() }).expect("runs");
        println!("{}\n{} slots", listing(&c), report.issued());
        let want: Vec<i32> = a.iter().zip(&b).map(|(a, b)| gcd(*a, *b)).collect();
        assert_eq!(ints(&m, 2), want);
    }
}

#[test]
fn a_launch_over_an_extent_covers_it_once() {
    let kernel = parse(
        "kernel @add1(%x: buf<i32, 1, r>, %y: buf<i32, 1, w>) simt over=1 {
           %i = item 0
           %v = load %x[%i]
           %w = add %v, 1
           store %y[%i], %w
         }",
    );
    for n in [0, 1, 15, 16, 17, 100] {
        for workers in [1, 3, 12] {
            let data: Vec<i32> = (0..n).collect();
            let mut m = memory(&[&data, &vec![-7; n as usize]]);
            let launch = kir::Launch { workers, extent: vec![n as u32], ..buffers(2) };
            emulate(&kernel, &mut m, &launch, How::default()).expect("runs");
            let want: Vec<i32> = (1..=n).collect();
            assert_eq!(ints(&m, 1), want, "{n} items, {workers} workers");
        }
    }
}

#[test]
fn a_launch_over_two_axes_carries_between_them() {
    let kernel = parse(
        "kernel @grid(%y: buf<i32, 1, w>, %w: i32) simt over=2 {
           %r = item 0
           %c = item 1
           %b = mul24 %r, %w
           %i = add %b, %c
           %h = mul24 %r, 1000
           %v = add %h, %c
           store %y[%i], %v
         }",
    );
    for (h, w) in [(3, 5), (4, 32), (0, 7), (7, 0), (2, 40)] {
        for workers in [1, 12] {
            let mut m = memory(&[&vec![-7; (h * w) as usize]]);
            let mut launch = kir::Launch { workers, extent: vec![h as u32, w as u32], ..buffers(1) };
            launch.args.push(kir::Arg::Scalar(kir::Const::i32(w)));
            emulate(&kernel, &mut m, &launch, How::default()).expect("runs");
            let want: Vec<i32> = (0..h).flat_map(|r| (0..w).map(move |c| r * 1000 + c)).collect();
            assert_eq!(ints(&m, 0), want, "{h} x {w}, {workers} workers");
        }
    }
}

#[test]
fn more_variables_than_registers_are_spilled() {
    // 200 values that are all alive at once, each used after all are computed.
    let n = 200;
    let mut text = String::from("kernel @many(%x: buf<i32, r>, %y: buf<i32, w>) simd {\n");
    for i in 0..n {
        text += &format!("  %v{i} = load.row %x[{}]\n", 16 * i);
    }
    text += "  %s0 = add %v0, 0\n";
    for i in 1..n {
        let op = ["add", "sub", "xor"][i % 3];
        text += &format!("  %s{i} = {op} %s{}, %v{i}\n", i - 1);
    }
    for i in 0..n {
        text += &format!("  %t{i} = add %v{i}, %s{}\n  store.row %y[{}], %t{i}\n", n - 1, 16 * i);
    }
    let kernel = parse(&(text + "  return\n}"));
    let data: Vec<i32> = (0..16 * n as i32).map(|i| i.wrapping_mul(0x1234_5677)).collect();
    let mut want = vec![0; data.len()];
    for lane in 0..16 {
        let v = |i: usize| data[16 * i + lane];
        let mut s = v(0);
        for i in 1..n {
            s = [s.wrapping_add(v(i)), s.wrapping_sub(v(i)), s ^ v(i)][i % 3];
        }
        for i in 0..n {
            want[16 * i + lane] = v(i).wrapping_add(s);
        }
    }
    for (level, qpus) in [(0, None), (1, None), (2, None), (2, Some(1))] {
        let mut m = memory(&[&data, &vec![0; data.len()]]);
        let (c, report) = emulate(&kernel, &mut m, &buffers(2), How { level, qpus, ..How::default() }).expect("runs");
        println!("{} words, {} slots, {} bytes", c.program.len(), report.issued(), c.scratch_bytes);
        assert!(ints(&m, 1) == want);
    }
}

#[test]
fn counted_loops_go_both_ways() {
    let kernel = parse(
        "kernel @count(%y: buf<i32, w>, %lo: i32, %hi: i32, %step: i32) simd {
           %s, %n = for %i in %lo..%hi step %step (%a: i32 = 0, %k: i32 = 0) {
             %b = mul24 %a, 7
             %c = add %b, %i
             %m = add %k, 1
             yield %c, %m
           }
           store %y[0], %s
           store %y[1], %n
           return
         }",
    );
    let near = i32::MIN + 2;
    for (lo, hi, step) in
        [(0, 5, 1), (0, 5, 2), (5, 0, 1), (5, 0, -1), (0, 5, -1), (-3, -3, 1), (9, -9, -4), (i32::MAX - 1, near, -2)]
    {
        let mut m = memory(&[&[0; 2]]);
        let mut launch = kir::Launch { arithmetic: kir::Arithmetic::TowardZero, budget: 3_000, ..buffers(1) };
        launch.args.extend([lo, hi, step].map(|v| kir::Arg::Scalar(kir::Const::i32(v))));
        let mut want = m.clone();
        if kir::interp::simd::run(&kernel, &mut want, &launch, &mut |_| {}).is_err() {
            assert_eq!(lo, i32::MAX - 1, "only the longest loop runs out of its budget");
            continue;
        }
        emulate(&kernel, &mut m, &launch, How::default()).expect("runs");
        assert_eq!(m, want, "{lo}..{hi} step {step}");
    }
}

#[test]
fn a_comment_stands_in_the_listing_and_does_nothing() {
    let text = "kernel @k(%p: buf<i32, w>) simt group=16 over=0 {
      %l = lane
      comment \"the lanes\"
      store %p[%l], %l
    }";
    let kernel = quadra_kir::parse::kernel("k.kir", text).unwrap();
    let legal = quadra_passes::pipeline::compile(&kernel, &quadra_back_qpu::caps()).unwrap();
    let compiled = quadra_back_qpu::compile(&legal, &Default::default()).unwrap();
    assert!(compiled.program.comments.iter().any(|(_, c)| c == "the lanes"));
    assert!(compiled.program.probes.is_empty());
}
