//! Kernels over extents on this processor against the interpreter: stencils with borders of every kind, loops that lanes
//! leave one by one, counts and sums; for extents around multiples of 16, on seven threads.

use quadra_back_cpu::{Program, set_threads};
use quadra_kir::{Arg, Const, FaultKind, Kernel, Launch, Memory, MemoryBuffer, interp, parse};
use quadra_llvm::Llvm;
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// The index along an axis, by a way to treat borders: its instructions, with `NAME`, `I` and `N` to be put in.
const BORDERS: [&str; 4] = [
    "%NAMEl = max %I, 0  %NAMEh = sub %N, 1  %NAME = min %NAMEl, %NAMEh",
    "%NAMEh = sub %N, 1  %NAMEl = min %I, %NAMEh  %NAME = max %NAMEl, 0",
    "%NAME = mod %I, %N",
    "%NAMEp = add %N, %N  %NAMEj = mod %I, %NAMEp  %NAMEe = sub %NAMEp, 1  %NAMEb = sub %NAMEe, %NAMEj  %NAME = min %NAMEj, %NAMEb",
];

fn border(random: &mut Random, name: &str, index: &str, size: &str) -> String {
    random.pick(&BORDERS).replace("NAME", name).replace("%I", index).replace("%N", size)
}

/// A load at `%yy`, `%xx` as `%v`: with indices brought inside, or 0 outside.
fn tap(random: &mut Random) -> String {
    if random.below(3) == 0 {
        return "%a1 = cmp.ge %yy, 0 %a2 = cmp.lt %yy, %h %a3 = cmp.ge %xx, 0 %a4 = cmp.lt %xx, %w
            %b1 = and %a1, %a2 %b2 = and %a3, %a4 %b3 = and %b1, %b2
            %v = if %b3 { %m = mul %yy, %w %n = add %m, %xx %l = load %a[%n] yield %l } else { yield 0.5 }"
            .into();
    }
    let (row, column) = (border(random, "r", "%yy", "%h"), border(random, "c", "%xx", "%w"));
    format!("{row} {column} %m = mul %r, %w %n = add %m, %c %v = load %a[%n]")
}

fn kernel(random: &mut Random) -> Kernel {
    let (up, left) = (random.below(4), random.below(4));
    let step = random.pick(&[1, 1, 3]);
    let tap = tap(random);
    let shape = random.pick(&["add %u, %v", "max %u, %v"]);
    // Lanes leave the loop after different numbers of turns.
    let turns = random.pick(&[
        "%g = to.f32 %x",
        "%q = loop (%k: i32 = %x) { %z = cmp.gt %k, 6 if %z {} else { break %k } %k2 = sub %k, 7 continue %k2 } %g = to.f32 %q",
        "%q = loop (%k: i32 = %x, %e: i32 = %y) { %z = cmp.ne %k, %e if %z {} else { break %k }
           %big = cmp.gt %k, %e
           %k2 = if %big { %d = sub %k, 1 yield %d } else { yield %k }
           %e2 = if %big { yield %e } else { %d = sub %e, 1 yield %d }
           continue %k2, %e2 } %g = to.f32 %q",
    ]);
    let counted = random.pick(&[
        "",
        "%i1 = mul %x, 7 %i2 = add %i1, %y %i3 = mod %i2, 13 %old = atomic.add %bins[%i3], 1",
        "%i1 = mul %x, 7 %i2 = add %i1, %y %i3 = mod %i2, 13 %old = atomic.add %bins[%i3], %x",
        "%old = atomic.add %bins[0], %x",
        "%old = atomic.max %bins[3], %y",
    ]);
    let function = random.pick(&["%o1 = add %s, %g", "%o0 = mul %s, 0.01 %ee = exp %o0 %o1 = add %ee, %g"]);
    let text = format!(
        "kernel @k(%a: buf<f32, r>, %out: buf<f32, w>, %bins: buf<i32, rw>, %h: i32, %w: i32) simt group=16 over=2 {{
           %y = item 0 %x = item 1
           %s = for %dy in -{up}..{} (%t: f32 = 0.0) {{
             %yy = add %y, %dy
             %p = for %dx in -{left}..{} step {step} (%u: f32 = %t) {{
               %xx = add %x, %dx {tap} %s1 = {shape} yield %s1 }}
             yield %p }}
           {turns} {counted} {function}
           %row = mul %y, %w %at = add %row, %x
           store %out[%at], %o1
         }}",
        up + 1,
        left + 2,
    );
    parse::kernel("t.kir", &text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(false)))
}

fn launch(rows: u32, columns: u32) -> (Memory, Launch) {
    let many = (rows * columns) as usize;
    let numbers: Vec<f32> = (0..many).map(|i| (i * 37 % 101) as f32 * 0.25).collect();
    let buffers =
        vec![MemoryBuffer::of_f32(&numbers), MemoryBuffer::of_f32(&vec![-1.0; many]), MemoryBuffer::of_i32(&[0; 13])];
    let scalar = |n: u32| Arg::Scalar(Const::i32(n as i32));
    let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Buffer(2), scalar(rows), scalar(columns)]);
    launch.extent = vec![rows, columns];
    (Memory { buffers }, launch)
}

fn check(llvm: &Arc<Llvm>, kernel: &Kernel, program: &Program, rows: u32, columns: u32) {
    let (mut expected, launch) = launch(rows, columns);
    let mut got = expected.clone();
    let _ = llvm;
    interp::simt::run(kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
    program.run(&mut got, &launch, &mut |_| {}).expect("and so does its code");
    let same = expected.buffers.iter().zip(&got.buffers).position(|(a, b)| a.words() != b.words());
    assert_eq!(same, None, "buffer at {rows} x {columns}:\n{}", quadra_kir::print::kernel(kernel));
}

#[test]
fn interiors_and_borders_are_what_the_interpreter_computes() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(7);
    let mut random = Random(1);
    for _ in 0..40 {
        let mut kernel = kernel(&mut random);
        // The numbers have few bits: their sums are the same in any order.
        kernel.relaxed = random.below(2) == 0;
        let program = Program::new(&llvm, &kernel);
        let (rows, columns) = (random.pick(&[1, 2, 3, 9, 16, 33]), random.pick(&[1, 15, 16, 17, 31, 33, 64, 100, 129]));
        check(&llvm, &kernel, &program, rows, columns);
        check(&llvm, &kernel, &program, 40, 80);
    }
}

/// After several sizes, code reads them; that is right for all of them.
#[test]
fn sizes_that_change_all_the_time_are_read() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(7);
    let kernel = kernel(&mut Random(5));
    let program = Program::new(&llvm, &kernel);
    for size in 1..14 {
        check(&llvm, &kernel, &program, size, 3 * size + 10);
    }
}

#[test]
fn no_items_is_no_work_and_faults_are_found_in_the_interior_too() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    let text = "kernel @k(%a: buf<i32, r>, %out: buf<i32, w>) simt group=16 over=1 {
       %i = item 0 %j = load %a[%i] store %out[%j], %i }";
    let kernel = parse::kernel("t.kir", text).expect("the test's kernel parses");
    let program = Program::new(&llvm, &kernel);
    let mut indices: Vec<i32> = (0..1000).collect();
    indices[700] = 1000;
    let mut memory = Memory { buffers: vec![MemoryBuffer::of_i32(&indices), MemoryBuffer::of_i32(&[0; 1000])] };
    let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]);
    launch.extent = vec![0];
    let before = memory.clone();
    assert!(program.run(&mut memory, &launch, &mut |_| {}).is_ok());
    assert_eq!(memory, before);
    launch.extent = vec![1000];
    let fault = program.run(&mut memory, &launch, &mut |_| {}).expect_err("an index lies outside");
    let expected = FaultKind::OutOfBounds { buffer: "out".into(), index: 1000, len: 1000, write: true };
    assert_eq!(fault.kind, expected);
}

/// A kernel whose items leave its loop after very different numbers of turns: with counters that all lanes share, values and
/// a mask from before the loop, loads in it, one or two results.
fn waiting(random: &mut Random) -> Kernel {
    let axes = 1 + random.below(2);
    let place = if axes == 1 { "%x = item 0 %y = and %x, 7" } else { "%y = item 0 %x = item 1" };
    let at = if axes == 1 { "%at = add %x, 0" } else { "%row = mul %y, %w %at = add %row, %x" };
    let start =
        random.pick(&["%m = load %a[%at] %n = and %m, 63", "%n = mod %x, 61", "%m = load %a[%at] %n = mod %m, %y"]);
    let taken = random.pick(&["%on = cmp.ge %x, 0", "%on = cmp.gt %n, 9"]);
    let step = random.pick(&[
        "%k2 = sub %k, 1 %s2 = add %s, %k",
        "%k2 = sub %k, 1 %j = and %k, 255 %l = load %a[%j] %s2 = xor %s, %l",
        "%odd = and %k, 1 %o = cmp.ne %odd, 0 %k2 = if %o { %d = sub %k, 3 yield %d } else { %d = asr %k, 1 yield %d } %s2 = add %s, 1",
        "%k2 = sub %k, %y3 %s2 = add %s, %t",
    ]);
    let (more, next) = random.pick(&[("", ""), (", %t: i32 = 0", ", %t2"), (", %t: i32 = %n", ", %t2")]);
    let step = if more.is_empty() { step.replace("%t", "%y") } else { format!("{step} %t2 = add %t, 1") };
    let leave = if more.is_empty() { "%s" } else { random.pick(&["%s", "%t"]) };
    let text = format!(
        "kernel @k(%a: buf<i32, r>, %out: buf<i32, w>, %w: i32) simt group=16 over={axes} {{
           {place} {at} {start} {taken} %y2 = and %y, 3 %y3 = add %y2, 1
           %r = if %on {{
             %q = loop (%k: i32 = %n, %s: i32 = 0{more}) {{
               %z = cmp.gt %k, 0 if %z {{}} else {{ break {leave} }}
               {step} continue %k2, %s2{next} }}
             yield %q }} else {{ yield %x }}
           %v = add %r, %m1
           store %out[%at], %v
         }}"
    );
    let text =
        text.replace("%v = add %r, %m1", random.pick(&["%v = add %r, %n", "%v = mul %r, %y3", "%v = add %r, 0"]));
    let text = if random.below(2) == 0 {
        // Without the condition around it, the loop stands at the top.
        text.replace("%r = if %on {", "").replace("%q = loop", "%r = loop").replace("yield %q } else { yield %x }", "")
    } else {
        text
    };
    parse::kernel("t.kir", &text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(false)))
}

#[test]
fn lanes_that_take_the_next_item_compute_the_same() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(7);
    let (mut random, mut refilled) = (Random(3), 0);
    for n in 0..48 {
        let kernel = waiting(&mut random);
        let program = Program::new(&llvm, &kernel);
        let extent = if kernel.over == 1 { vec![20_000 + n] } else { vec![70, 300 + n] };
        let many: u32 = extent.iter().product();
        let numbers: Vec<i32> = (0..many as i32).map(|i| i.wrapping_mul(747796405) >> 7 & 1023).collect();
        let buffers = vec![MemoryBuffer::of_i32(&numbers), MemoryBuffer::of_i32(&vec![-1; many as usize])];
        let width = Const::i32(*extent.last().expect("an extent has an axis") as i32);
        let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Scalar(width)]);
        launch.extent = extent;
        let mut expected = Memory { buffers };
        let mut got = expected.clone();
        let lent: Vec<_> = got.buffers.iter_mut().map(MemoryBuffer::lend).collect();
        let variant = program.variant(&lent, &launch, None).expect("the arguments fit");
        refilled += usize::from(variant.inner.as_ref().is_some_and(|i| i.refilled.is_some()));
        drop(lent);
        interp::simt::run(&kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
        program.run(&mut got, &launch, &mut |_| {}).expect("and so does its code");
        let same = expected.buffers[1].words() == got.buffers[1].words();
        assert!(same, "kernel {n}:\n{}", quadra_kir::print::kernel(&kernel));
    }
    println!("{refilled} of 48 kernels have code that refills lanes");
    assert!(refilled > 20 || !llvm.has_feature("avx512f"), "{refilled} of 48");
}

/// Windows of many terms, whose sums neighbouring rows share.
#[test]
fn sums_in_any_order_have_all_their_terms() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(7);
    for (n, (down, right, more)) in
        [(5, 5, "%s"), (1, 1, "%s"), (2, 7, "%s2"), (3, 0, "%s2"), (0, 6, "%s"), (4, 9, "%s"), (6, 20, "%s2")]
            .into_iter()
            .enumerate()
    {
        let text = format!(
            "kernel @k(%a: buf<f32, r>, %out: buf<f32, w>, %bins: buf<i32, rw>, %h: i32, %w: i32) simt group=16 over=2 relaxed {{
               %y = item 0 %x = item 1 %row = mul %y, %w %at = add %row, %x
               %s = for %dy in -{down}..{} (%t: f32 = 0.0) {{
                 %p = for %dx in -{right}..{} (%u: f32 = %t) {{
                   %r = add %y, %dy %c = add %x, %dx
                   %a1 = cmp.ge %r, 0 %a2 = cmp.lt %r, %h %a3 = cmp.ge %c, 0 %a4 = cmp.lt %c, %w
                   %b1 = and %a1, %a2 %b2 = and %a3, %a4 %b3 = and %b1, %b2
                   %v = if %b3 {{ %m = mul %r, %w %n = add %m, %c %l = load %a[%n] %g = add %u, %l yield %g }} else {{ yield %u }}
                   yield %v }}
                 yield %p }}
               %here = load %a[%at] %half = mul %here, 0.5 %s1 = add %s, %half %s2 = add %s1, %here
               store %out[%at], {more}
             }}",
            down + 1,
            right + 1
        );
        let kernel = parse::kernel("t.kir", &text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(false)));
        let program = Program::new(&llvm, &kernel);
        for (rows, columns) in [(64, 160), (40, 100), (19 + n as u32, 48)] {
            check(&llvm, &kernel, &program, rows, columns);
        }
    }
}

/// Products of matrices whose inner loop is too long to be written out: four rows and four columns of groups share its loads.
#[test]
fn tiles_of_products_are_what_the_interpreter_computes() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(7);
    let text = "kernel @k(%a: buf<f32, r>, %b: buf<f32, r>, %c: buf<f32, w>, %k: i32, %n: i32) simt group=16 over=2 {
       %y = item 0 %x = item 1 %r = mul %y, %k
       %s = for %i in 0..%k (%t: f32 = 0.0) {
         %p = add %r, %i %q = mul %i, %n %o = add %q, %x %u = load %a[%p] %v = load %b[%o]
         %w = mul %u, %v %t2 = add %t, %w yield %t2 }
       %f = mul %y, %n %at = add %f, %x store %c[%at], %s }";
    let kernel = parse::kernel("t.kir", text).expect("the test's kernel parses");
    for (rows, inner, columns) in [(8, 70, 128), (9, 65, 130), (4, 100, 64), (3, 66, 17), (1, 80, 64)] {
        let program = Program::new(&llvm, &kernel);
        let numbers = |n: i32| (0..n).map(|i| (i * 37 % 101) as f32 / 7.0).collect::<Vec<f32>>();
        let buffers = [rows * inner, inner * columns, rows * columns].map(|n| MemoryBuffer::of_f32(&numbers(n)));
        let scalar = |n: i32| Arg::Scalar(Const::i32(n));
        let buffer = Arg::Buffer;
        let mut launch = Launch::new(vec![buffer(0), buffer(1), buffer(2), scalar(inner), scalar(columns)]);
        launch.extent = vec![rows as u32, columns as u32];
        let mut expected = Memory { buffers: buffers.to_vec() };
        let mut got = expected.clone();
        interp::simt::run(&kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
        program.run(&mut got, &launch, &mut |_| {}).expect("and so does its code");
        assert_eq!(expected.buffers[2].words(), got.buffers[2].words(), "{rows} x {inner} x {columns}");
    }
}

#[test]
fn runs_of_a_launch_on_lent_buffers_are_launches_of_their_own() {
    let Ok(cpu) = quadra_device::open("cpu") else { return quadra_base::testing::left_out("libLLVM is not installed") };
    let text = "kernel @k(%a: buf<f32, r>, %b: buf<f32, rw>) simt group=16 over=1 {
        %i = item 0 %x = load %a[%i] %y = load %b[%i] %p = mul %x, 1.5 %q = sub %p, %y store %b[%i], %q }";
    let kernel = parse::kernel("t.kir", text).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
    let module = cpu.compile(&kernel).expect("the device takes it");
    assert!(module.in_place());
    let args = [Arg::Buffer(0), Arg::Buffer(1)];
    let numbers = |n: usize, by: f32| MemoryBuffer::of_f32(&(0..n).map(|i| i as f32 * by).collect::<Vec<_>>());
    let options = |repeat: u32| quadra_device::LaunchOptions {
        extent: vec![1000],
        repeat,
        swap: Some((0, 1)),
        ..Default::default()
    };
    for many in [1, 2, 5, 8] {
        let mut together = [numbers(1000, 0.25), numbers(1000, -0.5)];
        let mut lent: Vec<_> = together.iter_mut().map(MemoryBuffer::lend).collect();
        module.launch_on(&args, &mut lent, &options(many)).expect("the arguments fit");
        let mut apart = [numbers(1000, 0.25), numbers(1000, -0.5)];
        for step in 0..many as usize {
            let mut lent: Vec<_> = apart.iter_mut().map(MemoryBuffer::lend).collect();
            let args = [Arg::Buffer(step % 2), Arg::Buffer(1 - step % 2)];
            module.launch_on(&args, &mut lent, &options(1)).expect("the arguments fit");
        }
        for (a, b) in together.iter().zip(&apart) {
            assert_eq!(a.words(), b.words(), "{many} runs");
        }
    }
    let mut unlike = [numbers(1000, 1.0), numbers(1001, 1.0)];
    let mut lent: Vec<_> = unlike.iter_mut().map(MemoryBuffer::lend).collect();
    let fault = module.launch_on(&args, &mut lent, &options(2)).expect_err("they cannot change places");
    assert!(matches!(fault.kind, FaultKind::Arguments(_)), "{fault:?}");
}

/// Rows of weighted windows, of which some are put together from others: in the order of the program, to the bit.
#[test]
fn weighted_windows_are_added_up_in_order() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(7);
    for (down, right, step) in [(0, 7, 1), (7, 0, 1), (1, 9, 2), (2, 15, 3), (0, 16, 5)] {
        for clamps in [true, false] {
            let at = match clamps {
                true => {
                    "%r1 = sub %h, 1 %r2 = min %yy, %r1 %r = max %r2, 0 %c1 = sub %w, 1 %c2 = min %xx, %c1 %c = max %c2, 0"
                }
                false => "%r = mod %yy, %h %c = mod %xx, %w",
            };
            let text = format!(
                "kernel @k(%a: buf<f32, r>, %out: buf<f32, w>, %bins: buf<i32, rw>, %h: i32, %w: i32) simt group=16 over=2 {{
                   %y = item 0 %x = item 1 %row = mul %y, %w %at = add %row, %x
                   %s = for %dy in -{down}..{} (%t: f32 = 0.0) {{
                     %p = for %dx in -{right}..{} step {step} (%u: f32 = %t) {{
                       %yy = add %y, %dy %xx = add %x, %dx {at} %m = mul %r, %w %n = add %m, %c
                       %f = to.f32 %dx %g = mul %f, 0.1 %l = load %a[%n] %v = mul %l, %g %z = add %u, %v yield %z }}
                     yield %p }}
                   store %out[%at], %s
                 }}",
                down + 1,
                right + 1
            );
            let kernel = parse::kernel("t.kir", &text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(false)));
            let program = Program::new(&llvm, &kernel);
            for (rows, columns) in [(24, 160), (40, 100), (17, 256)] {
                check(&llvm, &kernel, &program, rows, columns);
            }
        }
    }
}
