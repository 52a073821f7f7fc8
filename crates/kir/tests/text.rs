//! The text form: printing and parsing are inverse, and the parser survives anything.

use quadra_kir::{parse, print};

const GCD: &str = "
kernel @gcd(%p: buf<i32, r>, %q: buf<i32, r>, %r: buf<i32, w>) simt group=16 over=1 {   ; from the Rust DSL
  %i  = item 0
  %a0 = load %p[%i]
  %b0 = load %q[%i]
  %g  = loop (%a: i32 = %a0, %b: i32 = %b0) {
    %ne = cmp.ne %a, %b
    %go = vote.any %ne                            ; subgroup-uniform, stays a branch
    if %go {} else { break %a }
    %gt = cmp.gt %a, %b                           ; Where (a > b)
    %a1 = if %gt { %d = sub %a, %b  yield %d } else { yield %a }
    %lt = cmp.lt %a1, %b
    %b1 = if %lt { %e = sub %b, %a1  yield %e } else { yield %b }
    continue %a1, %b1
  }
  store %r[%i], %g
}
";

const BOX: &str = "
kernel @box(%x: buf<f32, 2, r>, %y: buf<f32, 2, w>, %k: i32) simt group=16 over=2 {       ; from Quasar, x : mat'mirror
  %row = item 0
  %col = item 1
  %lo = sub 0, %k
  %hi = add %k, 1
  %s  = for %m in %lo..%hi (%acc: f32 = 0.0) {    ; uniform bounds: both loops stay loops
    %t = for %n in %lo..%hi (%u: f32 = %acc) {
      %r = add %row, %m
      %c = add %col, %n
      %v = load.mirror %x[%r, %c]                 ; row index Group-uniform, column base + 1·lane
      %w = add %u, %v
      yield %w
    }
    yield %t
  }
  %e  = mul %k, 2
  %d  = add %e, 1
  %d2 = mul %d, %d
  %df = to.f32 %d2
  %o  = div %s, %df
  store %y[%row, %col], %o
}
";

const SIMD: &str = "
kernel @m(%p: buf<i32, rw>, %n: i32, %t: shared<f32, 4, 16>) simd group=4x16 over=2 concurrent whole relaxed regroup {
  %l = lane
  %on = lane.active
  %a = load.row %p[%n] if %on
  %r = loop (%x: <i32> = %a, %k: i32 = -2147483648) {
    %c = cmp.lt %x, %a
    %any = vote.any %c if %on
    if %any { break %k }
    print \"x = {}, \\\"{}\\\"\\n\", %x, 1.5 if %on
    %y = load.safe %p[%x] if %c
    if %any {
      store %p[%k], 7 if %on
      store.row %p[0], %y
    }
    sema.inc 3
    tmu.request %p[%x]
    %z = tmu.receive <i32>
    %w: <i32> = if %any { yield 1 } else { break %z }
    continue %w, 3
  }
  %e = mul 7:i64, -9:i64
  %f = add 1e-7, bits(0x7fc00001):f32
  for %i in 0..%n step 16 {
    %old = atomic.add %p[%i], 1
    atomic.cas %p[%i], %i, 2
    assert \"no\", true
  }
  %g = dim %p, 0
  %h = extent 1
}
";

const VARS: &str = "
kernel @v(%b: buf<f32, 2, rw>, %s: f32) simt group=16 {
  var $x: f32
  var $y: bool
  %g = get $x
  %h = add %g, %s
  set $x, %h
  set $y, true
  %5 = load.mirror %b[0, 1]
  store.clamp %b[0, 1], %5
  %7 = add %5, %h
  barrier
  mutex.lock
  return
}
";

/// Access modes on everything that has one.
const MODES: &str = "
kernel @modes(%p: buf<i32, rw, own>, %q: buf<f32, 2, rw>) simd group=16 over=1 {
  %l = lane
  %a = load.row.inside %p[0]
  store.row.inside %p[16], %a
  %b = atomic.add.inside %p[%l], 1
  %c = load.clamp %q[%l, %a]
  store.safe %q[%l, %b], %c
}
";

#[test]
fn printing_parsing_and_printing_again_gives_the_same_text() {
    for text in [GCD, BOX, SIMD, VARS, MODES] {
        let kernel = parse::kernel("t.kir", text).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
        let once = print::kernel(&kernel);
        let again = parse::kernel("u.kir", &once).unwrap_or_else(|e| panic!("{once}\n{}", e[0].render(false)));
        assert_eq!(once, print::kernel(&again));
    }
}

#[test]
fn the_printed_form_is_as_documented() {
    let text = print::kernel(&parse::kernel("t.kir", GCD).expect("the text is right"));
    assert!(text.contains("    if %go {} else { break %a }\n"), "{text}");
    assert!(text.contains("  store %r[%i], %g\n}\n"), "{text}");
    let text = print::kernel(&parse::kernel("t.kir", SIMD).expect("the text is right"));
    assert!(text.contains("%w: <i32> = if %any { yield 1 } else { break %z }"), "{text}");
    assert!(text.contains("print \"x = {}, \\\"{}\\\"\\n\", %x, 1.5 if %on"), "{text}");
    assert!(text.contains("\n  %r = loop (%x: <i32> = %a, %k: i32 = -2147483648) {\n"), "{text}");
}

#[test]
fn equal_names_are_told_apart_and_nameless_values_counted() {
    use quadra_kir::{Access, Builder, Elem, Kernel, Mode, Op};
    let mut b = Builder::new("names");
    let x = b.buffer("a", Elem::I32, 1, Access::ReadWrite);
    let zero = b.i32(0);
    let v = b.load(x, Mode::Unchecked, &[zero]);
    let w = b.op(Op::Add, &[v, v]);
    b.store(x, Mode::Unchecked, &[zero], w);
    b.kernel().values[w].name = "a".into();
    let kernel: Kernel = b.finish();
    assert_eq!(
        kernel.to_string(),
        "kernel @names(%a: buf<i32, rw>) simt group=16 {\n  %0 = load %a[0]\n  %a.1 = add %0, %0\n  store %a[0], %a.1\n}\n"
    );
}

#[test]
fn errors_have_places() {
    let cases = [
        ("kernel @f() simt { %x = add 1, %y }", "E0302", 32),
        ("kernel @f() simt { %x = add 1, 1.5 }", "E0304", 20),
        ("kernel @f() simt { %x = add 1, 2 %x = add 1, 2 }", "E0303", 34),
        ("kernel @f() simt { return %x = add 1, 2 }", "E0306", 27),
        ("kernel @f() simt { %x = lood 1 }", "E0301", 25),
        ("kernel @f() simt { if true { ", "E0301", 30),
        ("kernel @f() simt { print \"x }", "E0301", 26),
        ("kernel @f() simt { %x = if true { yield } }", "E0310", 20),
        ("kernel @f(%x: i33) simt { }", "E0301", 15),
        ("kernel @f(%x: buf<i32>) simt { }", "E0301", 23),
        ("kernel @f() simt { %x = add 99999999999, 1 }", "E0301", 29),
        ("kernel @f() simt { ? }", "E0301", 20),
    ];
    for (text, code, column) in cases {
        let errors = parse::kernel("e.kir", text).expect_err(text);
        assert_eq!((errors[0].code, errors[0].span.map(|s| s.column)), (code, Some(column)), "{text}: {}", errors[0]);
    }
}

#[test]
fn deep_nesting_is_an_error_not_a_stack_overflow() {
    let text = format!("kernel @f() simt {{ {} {} }}", "loop {".repeat(100_000), "}".repeat(100_000));
    assert_eq!(parse::kernel("deep.kir", &text).expect_err("too deep")[0].code, "E0301");
}

#[test]
fn the_parser_survives_mangled_text() {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let pool: Vec<char> = "%$@{}()[]<>=.,:;\"0123456789axif -\\\nü".chars().collect();
    let mut parsed = 0;
    for round in 0..3000 {
        let mut text: Vec<char> = [GCD, BOX, SIMD, VARS][round % 4].chars().collect();
        for _ in 0..1 + random(3) {
            let at = random(text.len());
            match random(3) {
                0 => text[at] = pool[random(pool.len())],
                1 => text.insert(at, pool[random(pool.len())]),
                _ => drop(text.drain(at..(at + random(20)).min(text.len()))),
            }
        }
        let text: String = text.into_iter().collect();

        let (kernels, diagnostics) = parse::kernels("mangled.kir", &text);
        parsed += kernels.len();
        for kernel in &kernels {
            let once = print::kernel(kernel);
            let again = parse::kernel("again.kir", &once).unwrap_or_else(|e| panic!("{text}\n{once}\n{}", e[0]));
            assert_eq!(once, print::kernel(&again), "{text}");
        }
        assert!(!kernels.is_empty() || !diagnostics.is_empty() || text.trim().is_empty());
    }
    assert!(parsed > 130, "only {parsed} of the mangled texts are still kernels");
}
