//! The interpreters on small kernels whose results are known.

use quadra_kir::interp::{Options, Stats, simd, simt};
use quadra_kir::{Arg, Const, Fault, FaultKind, Kernel, Launch, Level, Memory, MemoryBuffer, parse};

fn kernel(text: &str) -> Kernel {
    parse::kernel("interp.kir", text).unwrap_or_else(|e| panic!("{}", e[0].render(false)))
}

struct Outcome {
    result: Result<Stats, Fault>,
    words: Vec<Vec<i32>>,
    printed: Vec<String>,
}

impl Outcome {
    fn kind(&self) -> &FaultKind {
        &self.result.as_ref().expect_err("the launch fails").kind
    }
}

/// Runs on i32 buffers, which come first among the parameters, and i32 scalars.
fn run(text: &str, buffers: &[&[i32]], scalars: &[i32], set: impl Fn(&mut Launch)) -> Outcome {
    let kernel = kernel(text);
    let mut args: Vec<Arg> = (0..buffers.len()).map(Arg::Buffer).collect();
    args.extend(scalars.iter().map(|&x| Arg::Scalar(Const::i32(x))));
    let mut launch = Launch::new(args);
    launch.budget = 1_000_000;
    set(&mut launch);
    let mut memory = Memory { buffers: buffers.iter().map(|b| MemoryBuffer::of_i32(b)).collect() };
    let mut printed = Vec::new();
    let mut sink = |line: &str| printed.push(line.to_string());
    let run = if kernel.level == Level::Simt { simt::run } else { simd::run };
    let result = run(&kernel, &mut memory, &launch, &mut sink);
    let words = memory.buffers.iter().map(|b| b.words().iter().map(|&w| w as i32).collect()).collect();
    Outcome { result, words, printed }
}

fn over(n: u32) -> impl Fn(&mut Launch) {
    move |launch| launch.extent = vec![n]
}

const GCD: &str = "kernel @gcd(%p: buf<i32, r>, %q: buf<i32, r>, %r: buf<i32, w>) simt group=16 over=1 {
  %i  = item 0
  %a0 = load %p[%i]
  %b0 = load %q[%i]
  %g  = loop (%a: i32 = %a0, %b: i32 = %b0) {
    %ne = cmp.ne %a, %b
    %go = vote.any %ne
    if %go {} else { break %a }
    %gt = cmp.gt %a, %b
    %a1 = if %gt { %d = sub %a, %b  yield %d } else { yield %a }
    %lt = cmp.lt %a1, %b
    %b1 = if %lt { %e = sub %b, %a1  yield %e } else { yield %b }
    continue %a1, %b1
  }
  store %r[%i], %g
}";

#[test]
fn gcd_in_converged_style_with_a_tail_group() {
    let p: Vec<i32> = (1..=21).map(|i| i * 12).collect();
    let q: Vec<i32> = (1..=21).map(|i| i * 18 + i % 3 * 6).collect();
    let o = run(GCD, &[&p, &q, &[0; 21]], &[], over(21));
    fn gcd(a: i32, b: i32) -> i32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    let want: Vec<i32> = p.iter().zip(&q).map(|(&a, &b)| gcd(a, b)).collect();
    assert_eq!(o.words[2], want, "{:?}", o.result);
}

#[test]
fn lanes_leave_loops_one_by_one() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 over=1 {
      %i = item 0
      %x = loop (%n: i32 = 0, %s: i32 = 0) {
        %end = cmp.ge %n, %i
        if %end { break %s }
        %m = add %n, 1
        %odd = and %n, 1
        %is = cmp.eq %odd, 1
        if %is { continue %m, %s }
        %t = add %s, %n
        continue %m, %t
      }
      %big = cmp.gt %i, 9
      if %big { return }
      %y = for %k in 0..%i step 2 (%acc: i32 = %x) { %a = add %acc, 100 yield %a }
      %z = for %k2 in %i..0 step -1 (%acc2: i32 = %y) {
        %three = cmp.eq %k2, 3
        if %three { break %acc2 }
        %a2 = add %acc2, 1000
        continue %a2
      }
      store %r[%i], %z
    }";
    let o = run(text, &[&[-1; 12]], &[], over(12));
    let want: Vec<i32> = (0..12)
        .map(|i| {
            let x: i32 = (0..i).filter(|n| n % 2 == 0).sum();
            let y = x + (i + 1) / 2 * 100;
            let z = y + if i >= 3 { i - 3 } else { i } * 1000;
            if i > 9 { -1 } else { z }
        })
        .collect();
    assert_eq!(o.words[0], want, "{:?}", o.result);
}

#[test]
fn variables_are_set_in_live_lanes() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 {
      var $x: i32
      %l = lane
      set $x, %l
      %c = cmp.lt %l, 4
      if %c { set $x, 100 }
      %g = get $x
      %rot = rotate %g, 1
      store %r[%l], %rot
    }";
    let o = run(text, &[&[0; 16]], &[], |_| {});
    assert_eq!(o.words[0], [15, 100, 100, 100, 100, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "{:?}", o.result);
}

#[test]
fn rotation_and_broadcast_read_zero_past_the_extent() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 over=1 {
      %i = item 0 %a = add %i, 1 %x = rotate %a, -1 %y = broadcast %a, 2 %z = broadcast %a, 9
      %p = mul %y, 100 %q = add %x, %p %w = add %q, %z
      store %r[%i], %w
    }";
    let o = run(text, &[&[0; 5]], &[], over(5));
    assert_eq!(o.words[0], [302, 303, 304, 305, 300], "{:?}", o.result);
}

#[test]
fn votes_ask_live_lanes() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 {
      %l = lane %c = cmp.lt %l, 4 %d = cmp.eq %l, 9
      if %c { %a = vote.any %d %b = vote.all %c %x = to.i32 %a %y = to.i32 %b %z = shl %y, 1 %w = or %x, %z store %r[%l], %w }
      else { %a = vote.any %d %b = vote.all %c %x = to.i32 %a %y = to.i32 %b %z = shl %y, 1 %w = or %x, %z store %r[%l], %w }
    }";
    let o = run(text, &[&[-1; 16]], &[], |_| {});
    assert_eq!(o.words[0], [2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "{:?}", o.result);
}

#[test]
fn workers_hand_over_by_semaphores() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 concurrent {
      %w = worker %n = num_workers %last = sub %n, 1
      %first = cmp.eq %w, 0
      if %first { for %k in 0..%last { sema.dec 3 } %v = load %r[1] %s = add %v, 5 store %r[0], %s }
      else { mutex.lock %v = load %r[1] %s = add %v, 1 store %r[1], %s mutex.unlock sema.inc 3 }
    }";
    let o = run(text, &[&[0; 2]], &[], |l| l.workers = 12);
    assert_eq!(o.words[0], [16, 11], "{:?}", o.result);
    assert_eq!(o.result.expect("it runs").per_worker.len(), 12);
}

#[test]
fn faults_are_told_apart_and_leave_buffers_alone() {
    let f = |body: &str| {
        run(
            &format!("kernel @f(%r: buf<i32, rw>) simt group=16 concurrent {{ %l = lane {body} }}"),
            &[&[7; 16]],
            &[],
            |_| {},
        )
    };
    let o = f("store %r[0], 1 %i = add %l, 3 store %r[%i], 1");
    assert_eq!(o.words[0], [7; 16]);
    let fault = o.result.as_ref().expect_err("lanes 13 to 15 are outside");
    assert_eq!((fault.lane, fault.worker), (Some(13), Some(0)));
    assert_eq!(*o.kind(), FaultKind::OutOfBounds { buffer: "r".into(), index: 16, len: 16, write: true });
    assert_eq!(fault.span.map(|s| s.column), Some(96), "{fault:?}");
    assert!(matches!(f("sema.dec 1").kind(), FaultKind::Deadlock(who) if who[0] == (0, "semaphore 1".into())));
    assert!(matches!(f("loop { }").kind(), FaultKind::Budget(1_000_000)));
    assert!(matches!(f("%x = tmu.receive i32").kind(), FaultKind::Queue(_)));
    assert!(matches!(f("tmu.request %r[%l]").kind(), FaultKind::Queue(_)));
    assert!(matches!(f("for %k in 0..5 { tmu.request %r[%l] }").kind(), FaultKind::Queue(_)));
    assert!(matches!(f("mutex.unlock").kind(), FaultKind::Other(_)));
    let o = f("%c = cmp.lt %l, 9 assert \"small\", %c");
    assert_eq!((o.kind(), o.result.as_ref().expect_err("lane 9").lane), (&FaultKind::Assert("small".into()), Some(9)));
}

#[test]
fn prefetches_may_run_past_the_end() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 {
      %l = lane %i = add %l, 8 tmu.request %r[%i] %j = add %l, 1000 %x = load.guarded %r[%j]
      %y = tmu.receive i32 %z = add %x, %y store %r[%l], %z
    }";
    let data: Vec<i32> = (1..=16).collect();
    let o = run(text, &[&data], &[], |_| {});
    assert_eq!(o.words[0], [9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 0, 0, 0, 0, 0, 0], "{:?}", o.result);
}

#[test]
fn printing_shows_live_lanes() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 {
      %l = lane %c = cmp.ge %l, 13 %f = to.f32 %l
      if %c { print \"a {} b {}.\", %l, 5 print \"{}\", %f }
      print \"done\"
    }";
    let o = run(text, &[&[0; 1]], &[], |_| {});
    assert_eq!(o.printed, ["a 13 14 15 b 5.", "13.0 14.0 15.0", "done"]);
}

#[test]
fn groups_of_several_subgroups_meet_at_barriers() {
    let text = "kernel @f(%r: buf<i32, rw>, %s: shared<i32, 64>) simt group=64 over=1 {
      %i = item 0 %l = local 0 %g = group 0
      store %s[%l], %i
      barrier
      %m = sub 63, %l
      %x = load %s[%m]
      barrier
      store %s[%l], %x
      barrier
      %n = xor %l, 32
      %y = load %s[%n]
      store %r[%i], %y
    }";
    let o = run(text, &[&[0; 128]], &[], |l| (l.extent, l.workers) = (vec![128], 3));
    let want: Vec<i32> = (0..128).map(|i| i / 64 * 64 + (63 - ((i % 64) ^ 32))).collect();
    assert_eq!(o.words[0], want, "{:?}", o.result);
}

#[test]
fn shaped_groups_cover_two_axes() {
    let text = "kernel @f(%r: buf<i32, 2, w>) simt group=4x8 over=2 {
      %y = item 0 %x = item 1 %ly = local 0 %gx = group 1 %ng = num_groups 1
      %a = mul %y, 1000 %b = mul %x, 100 %c = mul %ly, 10 %d = add %a, %b %e = add %d, %c %f = add %e, %gx %h = add %f, %ng
      store %r[%y, %x], %h
    }";
    let kernel = kernel(text);
    let mut memory = Memory::default();
    let mut buffer = MemoryBuffer::of_i32(&[0; 90]);
    buffer.dims = vec![9, 10];
    memory.buffers.push(buffer);
    let mut launch = Launch::new(vec![Arg::Buffer(0)]);
    launch.extent = vec![9, 10];
    simt::run(&kernel, &mut memory, &launch, &mut |_| {}).expect("it runs");
    let want: Vec<u32> =
        (0..90).map(|i| (i / 10, i % 10)).map(|(y, x)| y * 1000 + x * 100 + y % 4 * 10 + x / 8 + 2).collect();
    assert_eq!(memory.buffers[0].words(), want);
}

#[test]
fn races_are_found_on_request() {
    let race = |text: &str, workers: u32, extent: Vec<u32>| {
        let kernel = kernel(text);
        let mut memory = Memory { buffers: vec![MemoryBuffer::of_i32(&[0; 64])] };
        let mut launch = Launch::new(vec![Arg::Buffer(0)]);
        (launch.workers, launch.extent) = (workers, extent);
        let result =
            simt::run_with(&kernel, &mut memory, &launch, &mut |_| {}, &Options { races: true, ..Options::default() });
        result.err().map(|f| f.to_diagnostic().message)
    };
    let head = "kernel @f(%r: buf<i32, rw>, %s: shared<i32, 64>)";
    let both = race(&format!("{head} simt group=16 {{ %w = worker store %r[0], %w }}"), 2, vec![]);
    assert!(both.is_some_and(|m| m.contains("element 0 of `r` is written here and written at interp.kir:1:")));
    assert_eq!(race(&format!("{head} simt group=16 {{ %w = worker store %r[%w], %w }}"), 2, vec![]), None);
    let exchange = |between: &str| {
        let text = format!(
            "{head} simt group=64 over=1 {{ %l = local 0 store %s[%l], %l {between} %m = xor %l, 1 %x = load %s[%m] store %r[%l], %x }}"
        );
        race(&text, 1, vec![64])
    };
    assert_eq!(exchange("barrier"), None);
    assert!(exchange("").is_some());
    let count = "%i = item 0 %old = atomic.add %r[0], 1";
    assert_eq!(race(&format!("{head} simt group=16 over=1 {{ {count} }}"), 4, vec![64]), None);
    assert!(
        race(&format!("{head} simt group=16 over=1 {{ {count} %x = load %r[0] store %r[%i], %x }}"), 4, vec![64])
            .is_some()
    );
}

#[test]
fn simd_masks_rows_and_scalars() {
    let text = "kernel @f(%p: buf<i32, r>, %r: buf<i32, rw>, %n: i32) simd group=16 over=1 {
      %g = group 0 %base = mul %g, 16 %on = lane.active %l = lane %i = add %base, %l
      %a = load.row %p[%base] if %on
      %x: <i32> = loop (%v: <i32> = %a, %live: <bool> = %on, %out: <i32> = 0) {
        %even = and %v, 1
        %odd = cmp.ne %even, 0
        %leave = and %live, %odd
        %o = select %leave, %v, %out
        %stay = andnot %live, %leave
        %any = vote.any %stay if %stay
        if %any {} else { break %o }
        %h = asr %v, 1
        continue %h, %stay, %o
      }
      %s = load %p[0] if %on
      %none = andnot %on, %on
      %zero = load %p[0] if %none
      %all = vote.all %none if %none
      %ai = to.i32 %all
      %y = add %x, %s
      %z = add %y, %zero
      %w = add %z, %ai
      store.row %r[%base], %w if %on
    }";
    let data: Vec<i32> = (1..=20).map(|i| i * 4).collect();
    let o = run(text, &[&data, &[0; 20]], &[0], over(20));
    let want: Vec<i32> = data.iter().map(|&x| (x >> x.trailing_zeros()) + 4 + 1).collect();
    assert_eq!(o.words[1], want, "{:?}", o.result);
}

#[test]
fn atomics_and_modes() {
    let text = "kernel @f(%r: buf<i32, rw>) simt group=16 {
      %l = lane %b = and %l, 3 %old = atomic.add %r[%b], %l atomic.max %r[4], %l %c = atomic.cas %r[5], 0, 9
      %i = sub %l, 2 store.safe %r[%i], %i
    }";
    let mut data = vec![0; 8];
    data[6] = 6;
    let o = run(text, &[&data], &[], |_| {});
    assert_eq!(o.words[0], [0, 1, 2, 3, 4, 5, 6, 7], "{:?}", o.result);
    let o = run(&text.replace("store.safe %r[%i], %i", ""), &[&data], &[], |_| {});
    assert_eq!(o.words[0], [24, 28, 32, 36, 15, 9, 6, 0], "{:?}", o.result);
}

#[test]
fn arguments_are_checked() {
    let text = "kernel @f(%a: buf<i32, r>, %b: buf<i32, w>) simt group=16 { }";
    let kernel = kernel(text);
    let mut memory = Memory { buffers: vec![MemoryBuffer::of_i32(&[0; 4]), MemoryBuffer::of_f32(&[0.0])] };
    let mut refused = |args: Vec<Arg>, alias: bool| {
        let mut launch = Launch::new(args);
        launch.alias = alias;
        simt::run(&kernel, &mut memory, &launch, &mut |_| {}).err().map(|f| f.kind)
    };
    for args in
        [vec![], vec![Arg::Buffer(0), Arg::Buffer(1)], vec![Arg::Buffer(0), Arg::Buffer(7)], vec![Arg::Buffer(0); 2]]
    {
        assert!(matches!(refused(args, false), Some(FaultKind::Arguments(_))));
    }
    assert_eq!(refused(vec![Arg::Buffer(0); 2], true), None);
}

#[test]
fn a_counter_moves_once_a_round_wherever_lanes_go_round() {
    let text = "kernel @count(%x: buf<i32, rw>) simt group=16 over=1 {
  %i = item 0
  %v = load %x[%i]
  %s = for %k in 0..10 (%t: i32 = 0) {
    %skip = cmp.eq %k, %v
    if %skip { continue %t } else {}
    %u = add %t, %k
    %done = cmp.gt %u, 20
    if %done { break %u } else {}
    yield %u
  }
  store %x[%i], %s
}";
    let input: Vec<i32> = (0..16).collect();
    let want: Vec<i32> = input
        .iter()
        .map(|&v| {
            (0..10)
                .filter(|&k| k != v)
                .scan(0, |t, k| {
                    *t += k;
                    Some(*t)
                })
                .find(|&t| t > 20)
                .unwrap_or(0)
        })
        .collect();
    let outcome = run(text, &[&input], &[], over(16));
    assert_eq!(outcome.result.err(), None);
    assert_eq!(outcome.words[0], want);
}
