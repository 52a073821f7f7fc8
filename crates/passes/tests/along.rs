//! Loops whose turns are lanes do what they did, for every value: sums, extrema with zeros of both signs and NaN, places of
//! extrema with ties, conditions, stores, loops around them.

mod random;

use quadra_kir::{Arg, Caps, Kernel, Launch, Memory, MemoryBuffer, check, interp, parse, print};
use quadra_passes::along::{self, How};
use quadra_passes::pass::{self, Facts, PassCx};
use quadra_passes::pipeline;
use random::Random;
use std::fmt::Write;

/// Ways to carry a value: what it begins with, the type, what a turn does to `@`, and what it yields.
const WAYS: &[(&str, &str, &str, &str)] = &[
    ("7", "i32", "%s@ = add %v@, %k", "%s@"),
    ("-3", "i32", "%s@ = sub %v@, %k  %t@ = add %s@, 5", "%t@"),
    ("0", "i32", "%s@ = add %v@, 1  %t@ = select %c, %s@, %v@", "%t@"),
    ("0", "i32", "%t@ = if %c { %s@ = add %v@, %n  yield %s@ } else { yield %v@ }", "%t@"),
    ("3", "i32", "%s@ = mul %k, %v@", "%s@"),
    ("9", "i32", "%s@ = xor %v@, %k", "%s@"),
    ("100", "i32", "%s@ = min %k, %v@", "%s@"),
    ("-100", "i32", "%s@ = max %v@, %k", "%s@"),
    ("0.0", "f32", "%s@ = add %v@, %w", "%s@"),
    ("1.5", "f32", "%s@ = sub %v@, %w", "%s@"),
    ("1e30", "f32", "%s@ = min %v@, %x", "%s@"),
    ("0.0", "f32", "%s@ = max %x, %v@", "%s@"),
    ("-1e30", "f32", "%s@ = max %x, %v@  %t@ = select %c, %s@, %v@", "%t@"),
    ("false", "bool", "%s@ = or %v@, %c", "%s@"),
    ("true", "bool", "%s@ = and %c, %v@", "%s@"),
    ("-1", "i32", "%s@ = select %c, %n, %v@", "%s@"),
    ("3", "i32", "%t@ = cmp.gt %k, %v@  %s@ = select %t@, %k, %v@", "%s@"),
    ("9", "i32", "%t@ = cmp.ge %k, %v@  %s@ = select %t@, %v@, %k", "%s@"),
    ("40", "i32", "%t@ = cmp.lt %v@, %k  %s@ = select %t@, %k, %v@", "%s@"),
    ("40", "i32", "%t@ = cmp.le %k, %v@  %s@ = select %t@, %k, %v@", "%s@"),
    ("-1", "i32", "%s@ = if %c { %z@ = load.inside %a[%p]  %y@ = to.i32 %z@  yield %y@ } else { yield %v@ }", "%s@"),
];

/// Places of extrema: the best value, the turn, something else of the turn.
fn place(
    r: &mut Random,
    begins: &mut String,
    body: &mut String,
    yields: &mut String,
    tag: usize,
) -> Vec<(String, &'static str)> {
    let compare = r.pick(&["cmp.lt %x, %v@", "cmp.le %x, %v@", "cmp.gt %x, %v@", "cmp.ge %v@, %x", "cmp.gt %v@, %x"]);
    let begin = r.pick(&["1e30", "-1e30", "0.0", "-0.0", "bits(0x7fc00000):f32"]);
    let at = |s: &str| s.replace('@', &format!("_{tag}"));
    write!(begins, "{}", at(&format!("%v@: f32 = {begin}, %i@: i32 = -1, %j@: i32 = 5, "))).ok();
    let text = format!(
        "%c@ = {compare}  %b@, %d@, %e@ = if %c@ {{ %q@ = load.inside %a[%p] yield %q@, %n, %k }} else {{ yield %v@, %i@, %j@ }}"
    );
    writeln!(body, "{}", at(&text)).ok();
    write!(yields, "{}", at("%b@, %d@, %e@, ")).ok();
    [("%rb@", "f32"), ("%rd@", "i32"), ("%re@", "i32")].map(|(n, t)| (at(n), t)).into()
}

/// A loop that carries some values, and what it gives.
fn repeat(r: &mut Random, out: &mut String, tag: usize, width: &str) {
    let (mut begins, mut body, mut yields, mut results) = (String::new(), String::new(), String::new(), Vec::new());
    for n in 0..1 + r.below(3) as usize {
        let tag = tag * 10 + n;
        if r.below(3) == 0 {
            results.extend(place(r, &mut begins, &mut body, &mut yields, tag));
            continue;
        }
        let (begin, ty, turn, last) = WAYS[r.below(WAYS.len() as u64) as usize];
        let at = |s: &str| s.replace('@', &format!("_{tag}"));
        write!(begins, "{}", at(&format!("%v@: {ty} = {begin}, "))).ok();
        writeln!(body, "{}", at(turn)).ok();
        write!(yields, "{}, ", at(last)).ok();
        results.push((at("%r@"), ty));
    }
    let names: Vec<&str> = results.iter().map(|(n, _)| n.as_str()).collect();
    let stores = r.below(3) == 0 && !body.contains("min") && !body.contains("max");
    let (lo, hi) = (r.pick(&["0", "3"]), r.pick(&[width, width, "16", "5", "%count"]));
    writeln!(
        out,
        "{} = for %n in {lo}..{hi} step 1 ({}) {{
           %p = add %row, %n  %x = load.inside %a[%p]  %k = load.inside %b[%p]  %w = to.f32 %k  %c = cmp.gt %k, 2
           {body} {}
           yield {}
         }}",
        names.join(", "),
        begins.trim_end_matches(", "),
        if stores { "if %c { store.inside %y[%p], %w } else {}" } else { "" },
        yields.trim_end_matches(", ")
    )
    .ok();
    for (j, (name, ty)) in results.iter().enumerate() {
        let at = format!("%o{tag}{j} = add %item, {}", (tag * 10 + j) * 64);
        let value = match *ty {
            "i32" => format!("%f{tag}{j} = bits.f32 {name}"),
            "bool" => format!("%f{tag}{j} = to.f32 {name}"),
            _ => format!("%f{tag}{j} = add {name}, 0.0"),
        };
        let value =
            if *ty == "f32" { value.replace("add", "min").replace(", 0.0", &format!(", {name}")) } else { value };
        writeln!(out, "{at}\n{value}\nstore.inside %o[%o{tag}{j}], %f{tag}{j}").ok();
    }
}

const ROWS: u32 = 37;
const WIDTH: usize = 40;

fn memory(r: &mut Random) -> Memory {
    let many = ROWS as usize * WIDTH;
    let values = [0.0, -0.0, 1.0, -1.0, f32::NAN, 2.5, 1e20, f32::INFINITY];
    let which = 2 + r.below(7);
    let a: Vec<f32> = (0..many).map(|_| values[r.below(which) as usize]).collect();
    let b: Vec<i32> = (0..many).map(|_| r.below(9) as i32 - 4).collect();
    let empty = |n: usize| MemoryBuffer::of_f32(&vec![0.0; n]);
    Memory { buffers: vec![MemoryBuffer::of_f32(&a), MemoryBuffer::of_i32(&b), empty(many), empty(64 * 400)] }
}

fn outcome(kernel: &Kernel, memory: &Memory, extent: u32, count: i32) -> Memory {
    let mut memory = memory.clone();
    let mut launch = Launch::new((0..4).map(Arg::Buffer).chain([Arg::Scalar(quadra_kir::Const::i32(count))]).collect());
    launch.extent = vec![extent];
    let run = match kernel.level {
        quadra_kir::Level::Simt => interp::simt::run(kernel, &mut memory, &launch, &mut |_| {}),
        quadra_kir::Level::Simd => interp::simd::run(kernel, &mut memory, &launch, &mut |_| {}),
    };
    assert!(run.is_ok(), "{run:?}\n{}", print::kernel(kernel));
    memory
}

#[test]
fn loops_along_the_lanes_do_the_same() {
    let mut many = 0;
    for seed in 0..600 {
        let mut r = Random(seed);
        let mut text = "kernel @k(%a: buf<f32, r>, %b: buf<i32, r>, %y: buf<f32, rw>, %o: buf<f32, rw>, %count: i32)
            simt group=16 over=1 relaxed {\n%item = item 0\n%row = mul %item, 40\n"
            .to_string();
        for tag in 1..2 + r.below(2) as usize {
            repeat(&mut r, &mut text, tag, "40");
        }
        text.push('}');
        let mut kernel = parse::kernel("t.kir", &text).unwrap_or_else(|d| panic!("{}\n{text}", d[0].message));
        let caps = Caps::EVERYTHING;
        let cx = PassCx::new(&caps);
        let (options, mut facts) = (pass::Options::default(), Facts::NONE);
        pass::run(pipeline::COMMON, &mut kernel, &cx, &mut facts, &options, &mut |_| {}).expect("they refuse nothing");
        let Some(lanes) = along::always(&kernel, &How::default()) else { continue };
        assert_eq!(check::kernel(&lanes), [], "{}\n{}", print::kernel(&kernel), print::kernel(&lanes));
        many += 1;
        for (extent, count) in [(37, 23), (16, 0), (5, 40)] {
            let memory = memory(&mut r);
            let same = outcome(&kernel, &memory, extent, count) == outcome(&lanes, &memory, extent, count);
            assert!(same, "seed {seed}\n{}\n{}", print::kernel(&kernel), print::kernel(&lanes));
        }
    }
    assert!(many > 300, "only {many} kernels had a loop for lanes");
}

fn lanes_of(text: &str) -> Option<Kernel> {
    let mut kernel = parse::kernel("t.kir", text).unwrap_or_else(|d| panic!("{}\n{text}", d[0].message));
    let caps = Caps::EVERYTHING;
    let (cx, mut facts) = (PassCx::new(&caps), Facts::NONE);
    pass::run(pipeline::COMMON, &mut kernel, &cx, &mut facts, &pass::Options::default(), &mut |_| {})
        .expect("they refuse nothing");
    along::always(&kernel, &How { alias: false, tiles: true, packs: true, last: Some(1000) })
}

/// A kernel with one loop along a row of 100, of which this is a turn.
fn turn(turn: &str, carried: &str, relaxed: &str) -> bool {
    let (result, store) = if carried.is_empty() { ("", "") } else { ("%r = ", "store.inside %o[%item], %r") };
    let text = format!(
        "kernel @k(%a: buf<f32, r>, %b: buf<i32, r>, %y: buf<f32, rw>, %o: buf<f32, w>) simt group=16 over=1 {relaxed} {{
           %item = item 0  %row = mul %item, 100
           {result}for %n in 0..100 step 1 {carried} {{
             %p = add %row, %n  %x = load.inside %a[%p]
             {turn}
           }}
           {store}
         }}"
    );
    lanes_of(&text).is_some()
}

#[test]
fn turns_that_see_each_other_stay_in_order() {
    assert!(turn("store.inside %y[%p], %x yield", "", ""));
    assert!(
        turn("%z = load.inside %y[%p] %s = add %z, %x store.inside %y[%p], %s yield", "", ""),
        "each its own element"
    );
    assert!(!turn("%q = add %p, 1 %z = load.inside %y[%q] store.inside %y[%p], %z yield", "", ""), "the next turn's");
    assert!(!turn("store.inside %y[%row], %x yield", "", ""), "one element for all");
    assert!(!turn("%k = load.inside %b[%p] store.inside %y[%k], %x yield", "", ""), "wherever the data say");
    assert!(turn("%s = add %t, %x yield %s", "(%t: f32 = 0.0)", "relaxed"));
    assert!(!turn("%s = add %t, %x yield %s", "(%t: f32 = 0.0)", ""), "the bracketing is the program's");
    assert!(!turn("%s = add %t, %x store.inside %y[%p], %s yield %s", "(%t: f32 = 0.0)", "relaxed"), "a running sum");
    assert!(!turn("%s = mul %t, 0.5 %u = add %s, %x yield %u", "(%t: f32 = 0.0)", "relaxed"), "a filter");
    assert!(!turn("%s = min %x, %t yield %s", "(%t: f32 = 0.0)", ""), "a NaN would come in and go again");
}

/// What of a loop over scalars becomes of 16 turns at a time, if that is cheaper. The results must stay.
fn packed(body: &str) -> bool {
    let text = format!(
        "kernel @k(%a: buf<f32, r>, %b: buf<i32, r>, %y: buf<f32, rw>, %o: buf<f32, rw>, %count: i32) simd group=16 over=1 {{ {body} }}"
    );
    let kernel = parse::kernel("t.kir", &text).unwrap_or_else(|d| panic!("{}\n{text}", d[0].message));
    let Some(lanes) = along::scalars(&kernel, &How { packs: true, ..How::default() }) else { return false };
    assert_eq!(check::kernel(&lanes), [], "{}", print::kernel(&lanes));
    let mut r = Random(body.len() as u64);
    for count in [0, 1, 15, 16, 17, 100, 1000] {
        let memory = memory(&mut r);
        let same = outcome(&kernel, &memory, 16, count) == outcome(&lanes, &memory, 16, count);
        assert!(same, "{}\n{}", print::kernel(&kernel), print::kernel(&lanes));
    }
    true
}

#[test]
fn what_meets_a_condition_moves_together() {
    let end = "%f = bits.f32 %r store.inside %o[3], %f";
    let one = "%r = for %i in 0..%count (%n: i32 = 2) {
        %x = load.inside %a[%i] %k = load.inside %b[%i] %c = cmp.gt %k, 0
        %m = if %c { %in = cmp.lt.u %n, 1480 assert \"outside\", %in store.inside %y[%n], %x %p = add %n, 1 yield %p } else { yield %n }
        yield %m }";
    assert!(packed(&format!("{one} {end}")));
    let both = "%r, %s = for %i in 0..%count (%n: i32 = 0, %m: i32 = 7) {
        %k = load.inside %b[%i] %c = cmp.gt %k, 0 %w = to.f32 %i
        %t, %u = if %c { store.inside %y[%n], %w %p = add %n, 1 yield %p, %m }
          else { %q = add %m, 3 store.inside %o[%q], %w %p = add %m, 1 yield %n, %p }
        yield %t, %u } %f = bits.f32 %r store.inside %o[0], %f";
    assert!(packed(both));
    let nested = "%r = for %i in 0..%count (%n: i32 = 0) {
        %h = add %i, -1 %j = max %h, 0 %k = load.inside %b[%i] %l = load.inside %b[%j] %c = cmp.ne %k, %l %d = cmp.gt %k, -3
        %m = if %c { %e = if %d { %w = to.f32 %n store.inside %y[%n], %w %p = add %n, 1 yield %p } else { yield %n } yield %e }
          else { yield %n }
        yield %m }";
    assert!(packed(&format!("{nested} {end}")));
    // Written in any case, and kept if it counts.
    let plain = "%r = for %i in 0..%count (%n: i32 = 0) {
        %x = load.inside %a[%i] %k = load.inside %b[%i] %c = cmp.lt %k, 1 store.inside %y[%n], %x
        %p = add %n, 1 %m = select %c, %p, %n yield %m }";
    assert!(packed(&format!("{plain} {end}")));
    let most = "%r, %g = for %i in 0..%count (%n: i32 = 0, %best: i32 = -9) {
        %k = load.inside %b[%i] %c = cmp.ge %k, 2 %w = to.f32 %k %h = max %best, %k
        %m = if %c { store.inside %y[%n], %w %p = add %n, 1 yield %p } else { yield %n }
        yield %m, %h } %f = bits.f32 %g store.inside %o[0], %f";
    assert!(packed(most));
}

#[test]
fn what_turns_look_at_again_stays_in_order() {
    let read = "%r = for %i in 0..%count (%n: i32 = 0) {
        %x = load.inside %y[%i] %k = load.inside %b[%i] %c = cmp.gt %k, 0
        %m = if %c { store.inside %y[%n], %x %p = add %n, 1 yield %p } else { yield %n }
        yield %m } %f = bits.f32 %r store.inside %o[0], %f";
    assert!(!packed(read), "in place");
    let depends = "%r = for %i in 0..%count (%n: i32 = 0) {
        %k = load.inside %b[%i] %c = cmp.gt %k, %n %w = to.f32 %k
        %m = if %c { store.inside %y[%n], %w %p = add %n, 1 yield %p } else { yield %n }
        yield %m } %f = bits.f32 %r store.inside %o[0], %f";
    assert!(!packed(depends), "the condition asks for the count");
    let twos = "%r = for %i in 0..%count (%n: i32 = 0) {
        %k = load.inside %b[%i] %c = cmp.gt %k, 2 %w = to.f32 %k
        %m = if %c { store.inside %y[%n], %w %p = add %n, 2 yield %p } else { yield %n }
        yield %m } %f = bits.f32 %r store.inside %o[0], %f";
    assert!(!packed(twos));
}

#[test]
fn where_the_data_choose_items_come_one_by_one() {
    let made = |place: &str, work: &str, packs: bool| {
        let text = format!(
            "kernel @k(%a: buf<f32, r>, %b: buf<i32, r>, %y: buf<f32, rw>, %o: buf<f32, rw>, %count: i32)
               simt group=16 over=1 {{
               %item = item 0  %row = mul %item, 40  %top = add %row, 20
               for %n in 0..%count step 1 {{
                 %p = add %row, %n  %x = load.inside %a[%p]  %k = load.inside %b[%p]  %m = and %k, 3  {place}
                 {work}
                 %old = load.inside %y[%q]  %new = add %old, %z  store.inside %y[%q], %new
               }}
             }}"
        );
        let mut kernel = parse::kernel("t.kir", &text).unwrap_or_else(|d| panic!("{}\n{text}", d[0].message));
        let caps = Caps::EVERYTHING;
        let (cx, mut facts) = (PassCx::new(&caps), Facts::NONE);
        pass::run(pipeline::COMMON, &mut kernel, &cx, &mut facts, &pass::Options::default(), &mut |_| {})
            .expect("they refuse nothing");
        let lanes = along::run(&kernel, &How { packs, last: Some(37), ..How::default() })?;
        assert_eq!(check::kernel(&lanes), [], "{}", print::kernel(&lanes));
        let memory = memory(&mut Random(7));
        assert_eq!(outcome(&kernel, &memory, 37, 31).buffers[2], outcome(&lanes, &memory, 37, 31).buffers[2]);
        Some(lanes)
    };
    let chosen = "%q = add %row, %m";
    assert!(made(chosen, "%z = add %x, 1.0", false).is_some());
    let either = "%c = cmp.gt %m, 1 %w = if %c { yield %m } else { yield 7 } %q = sub %top, %w";
    assert!(made(either, "%z = add %x, 1.0", false).is_some());
    assert!(made(chosen, "%z = add %x, 1.0", true).is_none(), "an instruction stores lanes anywhere");
    assert!(made("%q = add %row, 3", "%z = add %x, 1.0", false).is_none(), "the data choose nothing");
    let much = "%z1 = pow %x, 1.5 %z2 = pow %z1, 0.7 %z3 = sin %z2 %z = atan2 %z3, %x";
    assert!(made(chosen, much, false).is_none(), "lanes compute more than is stored");
}
