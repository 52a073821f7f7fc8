//! Loops that lanes leave at different times: what they give, and the length of what is compiled.

mod common;

use common::{How, emulate, listing, parse};
use quadra_back_qpu as back;
use quadra_kir as kir;
use quadra_passes::pipeline;

const COLLATZ: &str = "
kernel @collatz(%x: buf<f32, r>, %y: buf<i32, w>) simt group=16 over=1 {
  %i = item 0
  %f = load %x[%i]
  %v = to.i32 %f
  %r = loop (%n: i32 = %v, %k: i32 = 0) {
    %go = cmp.gt %n, 1
    if %go {} else { break %k }
    %low = and %n, 1
    %odd = cmp.ne %low, 0
    %half = shr %n, 1
    %twice = add %n, %n
    %thrice = add %twice, %n
    %more = add %thrice, 1
    %m = select %odd, %more, %half
    %k1 = add %k, 1
    continue %m, %k1
  }
  store %y[%i], %r
}";

const GCD: &str = "
kernel @gcd(%x: buf<f32, r>, %y: buf<i32, w>) simt group=16 over=1 {
  %i = item 0
  %f = load %x[%i]
  %p = to.i32 %f
  %q = add %i, 12
  %r = loop (%a: i32 = %p, %b: i32 = %q) {
    %go = cmp.ne %a, %b
    if %go {} else { break %a }
    %gt = cmp.gt %a, %b
    %d = sub %a, %b
    %a1 = select %gt, %d, %a
    %lt = cmp.gt %b, %a1
    %e = sub %b, %a1
    %b1 = select %lt, %e, %b
    continue %a1, %b1
  }
  store %y[%i], %r
}";

const ROOT: &str = "
kernel @root(%x: buf<f32, r>, %y: buf<f32, w>) simt group=16 over=1 {
  %i = item 0
  %a = load %x[%i]
  %r = loop (%z: f32 = %a, %n: i32 = 0) {
    %square = mul %z, %z
    %off = sub %square, %a
    %size = abs %off
    %far = cmp.gt %size, 0.25
    %early = cmp.lt %n, 30
    %go = and %far, %early
    if %go {} else { break %z }
    %over = recip %z
    %step = mul %off, %over
    %half = mul %step, 0.5
    %z1 = sub %z, %half
    %n1 = add %n, 1
    continue %z1, %n1
  }
  store %y[%i], %r
}";

/// A counted loop that is left early with a value of its own, and one that is left at three places.
const STEPS: &str = "
kernel @steps(%x: buf<f32, r>, %y: buf<f32, w>) simt group=16 over=1 {
  %i = item 0
  %a = load %x[%i]
  %r = for %k in 0..40 (%t: f32 = 0.0) {
    %p = sub %a, %t
    %d = mul %p, 0.25
    %near = cmp.lt %d, 0.5
    if %near { %c = to.f32 %k  break %c } else {}
    %t1 = add %t, %d
    yield %t1
  }
  %s = loop (%t: f32 = %a, %u: f32 = 1.0) {
    %small = cmp.lt %t, 1.0
    if %small { break %u } else {}
    %t1 = mul %t, 0.75
    %v = sub %t1, %u
    %neg = cmp.lt %v, 0.0
    if %neg { %w = mul %v, 2.0  break %w } else {}
    %u1 = add %u, 0.125
    %big = cmp.gt %u1, 3.0
    if %big { break %t1 } else {}
    continue %t1, %u1
  }
  %o = add %r, %s
  store %y[%i], %o
}";

/// Only some lanes enter, and the others keep what they had.
const SOME: &str = "
kernel @some(%x: buf<f32, r>, %y: buf<i32, w>, %most: i32) simt group=16 over=1 {
  %i = item 0
  %f = load %x[%i]
  %v = to.i32 %f
  %low = and %v, 3
  %in = cmp.ne %low, 0
  %r = if %in {
    %l = loop (%n: i32 = %v, %k: i32 = 0) {
      %go = cmp.gt %n, 7
      %early = cmp.lt %k, %most
      %both = and %go, %early
      if %both {} else { break %k }
      %m = shr %n, 1
      %k1 = add %k, 1
      continue %m, %k1
    }
    yield %l
  } else { yield %v }
  store %y[%i], %r
}";

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37 + 11) % 211) as f32 + 1.0).collect()
}

/// Runs a kernel on three groups, the last of which is not full, and compares it with the interpreter; gives the slots per iteration
/// of each innermost loop, of which the first is the divergent one.
fn slots(text: &str, scalars: &[i32]) -> Vec<u32> {
    let kernel = parse(text);
    let n = 41;
    let input = kir::MemoryBuffer::of_f32(&numbers(n));
    let mut args = vec![kir::Arg::Buffer(0), kir::Arg::Buffer(1)];
    args.extend(scalars.iter().map(|&s| kir::Arg::Scalar(kir::Const::i32(s))));
    let launch = kir::Launch { extent: vec![n as u32], ..kir::Launch::new(args) };
    let simd = pipeline::compile(&kernel, &back::caps()).expect("it compiles");
    let output = match text.contains("%y: buf<f32") {
        true => kir::MemoryBuffer::of_f32(&vec![-1.0; n]),
        false => kir::MemoryBuffer::of_i32(&vec![-1; n]),
    };
    let memory = || kir::Memory { buffers: vec![input.clone(), output.clone()] };
    let mut want = memory();
    let exact = kir::Launch { arithmetic: kir::Arithmetic::TowardZero, ..launch.clone() };
    kir::interp::simd::run(&simd, &mut want, &exact, &mut |_| {}).expect("it runs");
    for level in [0, 1, 2] {
        let mut got = memory();
        let (compiled, _) = emulate(&simd, &mut got, &launch, How { level, ..How::default() }).expect("it runs");
        assert_eq!(got.buffers[1].words(), want.buffers[1].words(), "-O{level}\n{}", listing(&compiled));
    }
    let (compiled, loops) = back::explain(&simd, &back::Options::default()).expect("it compiles");
    println!("{}\n{:?}", listing(&compiled), loops.iter().map(|l| l.slots).collect::<Vec<_>>());
    loops.iter().map(|l| l.slots).collect()
}

#[test]
fn flags_carry_who_stays() {
    // With a set of live lanes they took 13, 12, 25, 19 and 11 slots.
    let cases: [(&str, &str, &[i32], u32); 5] = [
        ("collatz", COLLATZ, &[], 11),
        ("gcd", GCD, &[], 10),
        ("root", ROOT, &[], 20),
        ("steps", STEPS, &[], 19),
        ("some", SOME, &[6], 6),
    ];
    let mut wrong = Vec::new();
    for (name, text, scalars, most) in cases {
        let slots = slots(text, scalars);
        println!("{name}: {slots:?}");
        if slots[0] > most {
            wrong.push(format!("{name}: {} slots, at most {most} wanted", slots[0]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
