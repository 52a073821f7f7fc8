//! Rows on this processor against the interpreter: histograms that are noted before they are counted, colours of pixels, and
//! arrays that no cache holds.

use quadra_back_cpu::{Program, set_threads};
use quadra_kir::{Arg, Const, Kernel, Launch, Memory, MemoryBuffer, interp, parse};
use quadra_llvm::Llvm;

/// Only buffers that begin with a line of the cache are written past it.
#[global_allocator]
static ALLOCATOR: quadra_device::pages::Pages = quadra_device::pages::Pages::new();

fn parsed(text: &str) -> Kernel {
    parse::kernel("t.kir", text).unwrap_or_else(|e| panic!("{}\n{text}", e[0].render(false)))
}

/// Runs a kernel on buffers 0, 1, ... and compares all that it leaves with the interpreter's.
fn check(program: &Program, kernel: &Kernel, buffers: Vec<MemoryBuffer>, extent: &[u32], what: &str) {
    let mut launch = Launch::new((0..buffers.len()).map(Arg::Buffer).collect());
    launch.extent = extent.to_vec();
    let mut expected = Memory { buffers };
    let mut got = expected.clone();
    interp::simt::run(kernel, &mut expected, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
    program.run(&mut got, &launch, &mut |_| {}).expect("and so does its code");
    for (n, (a, b)) in expected.buffers.iter().zip(&got.buffers).enumerate() {
        assert_eq!(a.words(), b.words(), "{what}: buffer {n}");
    }
}

fn numbers(n: usize, below: i32) -> Vec<i32> {
    (0..n as u32).map(|i| (i.wrapping_mul(747_796_405) >> 9) as i32 % below).collect()
}

#[test]
fn histograms_of_any_length_count_all_that_is_asked() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(3);
    for bins in [9, 255, 256, 257, 300, 4096, 5000, 70_000] {
        let some = format!("%m = cmp.lt.u %x, {bins} if %m {{ %o = atomic.add %h[%x], 1 }}");
        let all = format!("%m = min %x, {} %o = atomic.add %h[%m], 3", bins - 1);
        let most =
            format!("%m = and %x, 3 %z = cmp.ne %m, 0 %l = min %x, {} if %z {{ %o = atomic.add %h[%l], 1 }}", bins - 1);
        let twice = format!("%m = min %x, {} %o = atomic.add %h[%m], 1 %p = atomic.add %h[%p2], 1", bins - 1)
            .replace("%p = ", "%p2 = and %m, 7 %p = ");
        for body in [some, all, most, twice] {
            let text = format!(
                "kernel @k(%v: buf<i32, r>, %h: buf<i32, rw>) simt group=16 over=1 {{ %i = item 0 %x = load %v[%i] {body} }}"
            );
            let kernel = parsed(&text);
            let program = Program::new(&llvm, &kernel);
            for n in [3, 160, 5000, 70_007, 5 * bins as usize] {
                let buffers = vec![
                    MemoryBuffer::of_i32(&numbers(n, bins + bins / 4)),
                    MemoryBuffer::of_i32(&numbers(bins as usize, 9)),
                ];
                check(&program, &kernel, buffers, &[n as u32], &text);
            }
        }
    }
}

#[test]
fn colours_are_those_of_their_pixels_wherever_a_turn_begins() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(3);
    for (by, shift) in [(3, 0), (3, 7), (6, -2), (12, 1), (5, 0), (11, 3)] {
        for op in ["mod", "rem"] {
            // Two taps to the left: the interior begins with another group than the first.
            let text = format!(
                "kernel @k(%a: buf<i32, r>, %out: buf<i32, w>) simt group=16 over=2 {{
                   %y = item 0 %x = item 1 %w = extent 1 %row = mul %y, %w %at = add %row, %x
                   %s = add %x, {shift} %c = {op} %s, {by}
                   %l = sub %x, 33 %i = max %l, 0 %b = add %row, %i %v = load %a[%b]
                   %one = cmp.eq %c, 1 %k = select %one, %v, %c store %out[%at], %k
                 }}"
            );
            let kernel = parsed(&text);
            for (rows, columns) in [(5, 96), (7, 240), (4, 335), (3, 48)] {
                let program = Program::new(&llvm, &kernel);
                let many = (rows * columns) as usize;
                let buffers = vec![MemoryBuffer::of_i32(&numbers(many, 1000)), MemoryBuffer::of_i32(&vec![-1; many])];
                check(&program, &kernel, buffers, &[rows, columns], &text);
            }
        }
    }
}

/// Sixteen million bytes and more: read in halves, written past the caches.
#[test]
fn what_no_cache_holds_is_read_and_written_whole() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    set_threads(3);
    let many = (4 << 20) + 48;
    let values: Vec<f32> = (0..many).map(|i| (i % 251) as f32).collect();
    let zeros = vec![0.0f32; many];
    let text = "kernel @k(%a: buf<f32, r>, %out: buf<f32, w>, %n: i32) simd group=16 over=0 {
       %m = num_workers %g = asr %n, 4 %h = add %g, %m %i = sub %h, 1 %p = div %i, %m %each = mul %p, 16
       %w = worker %from = mul %w, %each %to = add %from, %each %end = min %to, %n
       for %j in %from..%end step 16 { %x = load.row %a[%j] %y = mul %x, 2.0 store.row %out[%j], %y yield } }";
    let kernel = parsed(text);
    let mut memory = Memory { buffers: vec![MemoryBuffer::of_f32(&values), MemoryBuffer::of_f32(&zeros)] };
    let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Scalar(Const::i32(many as i32))]);
    launch.workers = 5;
    Program::new(&llvm, &kernel).run(&mut memory, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
    let doubled: Vec<f32> = values.iter().map(|x| x * 2.0).collect();
    assert!(memory.buffers[1].words() == MemoryBuffer::of_f32(&doubled).words());

    let text = "kernel @k(%a: buf<f32, r>, %b: buf<f32, r>, %s: buf<f32, rw>) simt group=16 over=1 {
       %i = item 0 %x = load %a[%i] %o = atomic.add %s[0], %x }";
    let kernel = parsed(text);
    let ones: Vec<f32> = (0..many).map(|i| (i % 3) as f32).collect();
    let all = [&ones, &values, &vec![5.0]].map(|v| MemoryBuffer::of_f32(v));
    let mut memory = Memory { buffers: all.to_vec() };
    let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Buffer(2)]);
    launch.extent = vec![many as u32];
    Program::new(&llvm, &kernel).run(&mut memory, &launch, &mut |_| {}).expect("the kernel stays inside its buffers");
    // All partial sums are whole numbers below 2²⁴.
    let sum: f64 = ones.iter().map(|x| f64::from(*x)).sum::<f64>() + 5.0;
    assert_eq!(f32::from_bits(memory.buffers[2].words()[0]), sum as f32);
}
