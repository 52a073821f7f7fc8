//! Random loops whose carried values move in steps do the same behind every pass that works on loops and addresses.

mod random;

use quadra_kir::{Arg, Caps, Const, Elem, Kernel, Launch, Memory, MemoryBuffer, Op, check, interp, parse, print};
use quadra_passes::pass::PassCx;
use quadra_passes::pipeline;
use random::Random;
use std::fmt::Write;

/// Statements that use the carried values `names` of a loop, all of them stored somewhere.
fn uses(r: &mut Random, out: &mut String, tag: &str, names: &[String]) {
    for (j, name) in names.iter().enumerate() {
        let other = &names[r.below(names.len() as u64) as usize];
        let constant = r.pick(&["3", "16", "%x", "-7", "%l"]);
        writeln!(
            out,
            "%t{tag}{j} = add {name}, {constant}\n%u{tag}{j} = add %t{tag}{j}, {}",
            r.pick(&["%x", "5", other])
        )
        .ok();
        writeln!(out, "%m{tag}{j} = and %u{tag}{j}, 1023\nstore %p[%m{tag}{j}], {other}").ok();
    }
}

/// A loop with three carried values, within another one if `depth` is left.
fn repeat(r: &mut Random, out: &mut String, depth: u32, outer: &[String]) {
    let tag = format!("{depth}");
    let step = r.pick(&["1", "4", "16"]);
    let steps: Vec<&str> = (0..3).map(|_| r.pick(&[step, step, "1", "%x"])).collect();
    let inits: Vec<String> = (0..3)
        .map(|_| match r.below(3) {
            0 if !outer.is_empty() => outer[r.below(outer.len() as u64) as usize].clone(),
            _ => r.pick(&["%l", "%x", "0", "9"]).to_string(),
        })
        .collect();
    let names: Vec<String> = ["a", "b", "c"].iter().map(|n| format!("%{n}{tag}")).collect();
    let carried: Vec<String> = names.iter().zip(&inits).map(|(n, i)| format!("{n}: <i32> = {i}")).collect();
    let counted = r.below(2) == 0;
    let lo = r.pick(&["0", "%x", "3"]);
    let results = names.iter().map(|n| format!("%r{}", &n[1..])).collect::<Vec<_>>().join(", ");
    if counted {
        writeln!(
            out,
            "%h{tag} = add {lo}, 12\n{results} = for %i{tag} in {lo}..%h{tag} step {step} ({}) {{",
            carried.join(", ")
        )
        .ok();
    } else {
        writeln!(out, "{results} = loop (%i{tag}: i32 = {lo}, {}) {{", carried.join(", ")).ok();
        writeln!(
            out,
            "%k{tag} = sub %i{tag}, {lo}\n%e{tag} = cmp.ge %k{tag}, 12\nif %e{tag} {{ break {} }} else {{}}",
            names.join(", ")
        )
        .ok();
    }
    let mut all = names.clone();
    all.push(format!("%i{tag}"));
    uses(r, out, &tag, &all);
    if depth > 0 {
        repeat(r, out, depth - 1, &all);
    }
    for (n, s) in names.iter().zip(&steps) {
        writeln!(out, "{n}n = add {}", if r.below(2) == 0 { format!("{n}, {s}") } else { format!("{s}, {n}") }).ok();
    }
    let next = names.iter().map(|n| format!("{n}n")).collect::<Vec<_>>().join(", ");
    if counted {
        writeln!(out, "yield {next}\n}}").ok();
    } else {
        writeln!(out, "%i{tag}n = add %i{tag}, {step}\ncontinue %i{tag}n, {next}\n}}").ok();
    }
    if r.below(3) == 0 {
        writeln!(out, "%z{tag} = and %ra{tag}, 1023\nstore %p[%z{tag}], %rb{tag}").ok();
    }
}

fn outcome(kernel: &Kernel, x: i32) -> Memory {
    let mut memory = Memory { buffers: vec![MemoryBuffer::of_i32(&[0; 1024])] };
    let launch = Launch::new(vec![Arg::Buffer(0), Arg::Scalar(Const::i32(x))]);
    let run = interp::simd::run(kernel, &mut memory, &launch, &mut |_| {});
    assert!(run.is_ok(), "{run:?}\n{}", print::kernel(kernel));
    memory
}

#[test]
fn loops_keep_their_meaning() {
    let caps = Caps { native: |op, elem| op != Op::Mul || elem != Elem::I32, ..Caps::EVERYTHING };
    let mut changed = 0;
    for seed in 0..300 {
        let mut r = Random(seed);
        let mut text = "kernel @k(%p: buf<i32, rw>, %x: i32) simd group=16 over=0 {\n%l = lane\n".to_string();
        repeat(&mut r, &mut text, (seed % 2) as u32, &[]);
        text.push('}');
        let mut kernel = parse::kernel("t.kir", &text).unwrap_or_else(|d| panic!("{}\n{text}", d[0].message));
        let expected: Vec<Memory> = [0, 5, -3].map(|x| outcome(&kernel, x)).into();
        for pass in ["fold", "dce", "induction", "cse", "access", "fold", "licm", "cse", "dce", "mul24"] {
            let before = print::kernel(&kernel);
            let run = pipeline::find(pass).expect("the pass exists").run;
            run(&mut kernel, &PassCx::new(&caps)).expect("these passes refuse nothing");
            let after = print::kernel(&kernel);
            assert_eq!(check::kernel(&kernel), [], "{pass}\n{before}\n{after}");
            changed += u32::from(pass == "induction" && before != after);
            for (x, expected) in [0, 5, -3].into_iter().zip(&expected) {
                assert!(outcome(&kernel, x) == *expected, "seed {seed}, x = {x}: {pass}\n{before}\n{after}");
            }
        }
    }
    assert!(changed > 100, "only {changed} kernels had something to gain");
}
