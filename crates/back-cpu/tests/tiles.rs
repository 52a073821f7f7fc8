//! Time loops in tiles are what they are step by step, bit for bit: random stencils of one to three axes, of any radius, two and
//! three levels, one and two stages, all kinds of borders, sizes around those of vectors.

use quadra_back_cpu::{self as back_cpu, Program, Repeat, Stage, Tiling};
use quadra_kir::{Arg, Kernel, Launch, Lent, MemoryBuffer, parse};
use quadra_llvm::Llvm;
use std::fmt::Write;
use std::sync::Arc;

/// What a stencil reads beyond the border.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Border {
    /// Nothing: only the interior is computed.
    Kept,
    Clamped,
    Mirrored,
    Circular,
}

#[derive(Clone, Debug)]
struct Stencil {
    dims: Vec<usize>,
    radius: usize,
    border: Border,
    /// Arrays that rotate.
    levels: usize,
    /// Kernels of a step: the second makes of what the first has written, in an array of its own, the next level.
    stages: usize,
    /// Steps of a launch that is repeated; or launches one by one.
    repeated: bool,
    steps: usize,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn stencil(&mut self) -> Stencil {
        let axes = 1 + self.below(3);
        let sizes: &[usize] = match axes {
            1 => &[0, 1, 2, 3, 5, 16, 33, 100, 257, 1024, 1500],
            2 => &[0, 1, 2, 3, 7, 15, 16, 31, 48, 65],
            _ => &[1, 2, 3, 5, 16, 19, 24],
        };
        let border = self.of(&[Border::Kept, Border::Clamped, Border::Mirrored, Border::Circular]);
        let stages = 1 + self.below(2);
        let levels = 2 + self.below(2);
        let repeated = stages == 1 && levels == 2 && self.below(2) == 0;
        let (radius, steps) = (1 + self.below(3), self.of(&[2, 3, 7, 8, 15, 29]));
        let dims = (0..axes).map(|_| self.of(sizes)).collect();
        Stencil { dims, radius, border, levels, stages, repeated, steps }
    }
}

impl Stencil {
    /// The index of an element that lies so far away along an axis, in `name`.
    fn index(&self, text: &mut String, axis: usize, by: i64, name: &str) {
        let mut all = Vec::new();
        for (a, &n) in self.dims.iter().enumerate() {
            let kept = if self.border == Border::Kept { self.radius as i64 } else { 0 };
            let (by, last) = (kept + if a == axis { by } else { 0 }, n as i64 - 1);
            let at = format!("{name}_{a}");
            let _ = match self.border {
                _ if a != axis => write!(text, "%{at} = add %i{a}, {by} "),
                Border::Kept => write!(text, "%{at} = add %i{a}, {by} "),
                Border::Clamped => {
                    write!(text, "%{at}p = add %i{a}, {by} %{at}q = max %{at}p, 0 %{at} = min %{at}q, {last} ")
                }
                Border::Mirrored => write!(
                    text,
                    "%{at}p = add %i{a}, {by} %{at}n = sub -1, %{at}p %{at}c = cmp.lt %{at}p, 0
                     %{at}q = select %{at}c, %{at}n, %{at}p %{at}m = sub {}, %{at}q %{at}d = cmp.gt %{at}q, {last}
                     %{at}e = select %{at}d, %{at}m, %{at}q %{at}f = max %{at}e, 0 %{at} = min %{at}f, {last} ",
                    2 * n as i64 - 1
                ),
                Border::Circular => write!(text, "%{at}p = add %i{a}, {} %{at} = mod %{at}p, {n} ", by + n as i64),
            };
            all.push(at);
        }
        let mut sum = all[0].clone();
        for (a, at) in all.iter().enumerate().skip(1) {
            let _ = write!(text, "%{at}s = mul %{sum}, {} %{at}t = add %{at}s, %{at} ", self.dims[a]);
            sum = format!("{at}t");
        }
        let _ = write!(text, "%{name} = add %{sum}, 0 ");
    }

    /// The sum over all neighbours along all axes, and what an older level has.
    fn kernel(&self, old: bool) -> Kernel {
        let axes = self.dims.len();
        let older = if old { "%b: buf<f32, r>, " } else { "" };
        let mut text = format!("kernel @step(%a: buf<f32, r>, {older}%o: buf<f32, rw>) simt group=16 over={axes} {{ ");
        for a in 0..axes {
            let _ = write!(text, "%i{a} = item {a} ");
        }
        self.index(&mut text, axes, 0, "own");
        let _ = write!(text, "%s = load.inside {}[%own] ", if old { "%b" } else { "%a" });
        let mut sum = "s".to_string();
        for axis in 0..axes {
            for by in (-(self.radius as i64)..=self.radius as i64).filter(|by| *by != 0) {
                let name = format!("n{axis}_{}", by + 9);
                self.index(&mut text, axis, by, &name);
                let factor = 0.1 + 0.01 * by as f64 + 0.03 * axis as f64;
                let _ = write!(
                    text,
                    "%x{name} = load.inside %a[%{name}] %m{name} = mul %x{name}, {factor:?} %s{name} = add %{sum}, %m{name} "
                );
                sum = format!("s{name}");
            }
        }
        let _ = write!(text, "%r = mul %{sum}, 0.6 store.inside %o[%own], %r }}");
        parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}\n{text}")).expect("the test's kernel parses")
    }

    /// A launch on the present, the older and the next level.
    fn launch(&self, [now, old, new]: [usize; 3]) -> Launch {
        let less = if self.border == Border::Kept { 2 * self.radius } else { 0 };
        let args = if self.levels == 3 { vec![now, old, new] } else { vec![now, new] };
        let mut launch = Launch::new(args.into_iter().map(Arg::Buffer).collect());
        launch.extent = self.dims.iter().map(|n| n.saturating_sub(less) as u32).collect();
        launch
    }

    /// All arrays after the steps.
    fn run(&self, llvm: &Arc<Llvm>, tiling: Tiling) -> Vec<MemoryBuffer> {
        back_cpu::set_tiling(tiling);
        let many: usize = self.dims.iter().product();
        let array = |k: usize| {
            let values: Vec<f32> = (0..many).map(|i| ((i * 7 + k * 5) % 23) as f32 - 9.0).collect();
            MemoryBuffer::of_f32(&values)
        };
        let mut arrays: Vec<MemoryBuffer> = (0..4).map(array).collect();
        let mut lent: Vec<Lent<'_>> = arrays.iter_mut().map(|b| b.lend()).collect();
        let program = Arc::new(Program::new(llvm, &self.kernel(self.levels == 3)));
        if self.repeated {
            let (launch, swap) = (self.launch([0, 0, 1]), Some((0, 1)));
            let repeat = Repeat { times: self.steps as u32, swap };
            let variant = program.variant(&lent, &launch, swap).expect("it compiles");
            program.run_on(&variant, &mut lent, &launch, repeat, &mut |_| {}).expect("it runs");
            return arrays;
        }
        let mut stages = Vec::new();
        let mut add = |program: &Arc<Program>, args: [usize; 3], lent: &[Lent<'_>]| {
            let stage = Stage::new(program, lent, self.launch(args)).expect("it compiles");
            // What has no items has no proofs, and may stop.
            stages.extend(stage);
        };
        for step in 0..self.steps {
            let level = |back: usize| (step + self.levels - back) % self.levels;
            let (new, now, old) = (level(0), level(1), level(self.levels - 1));
            match self.stages {
                1 => add(&program, [now, old, new], &lent),
                _ => {
                    add(&program, [now, old, 3], &lent);
                    add(&program, [3, now, new], &lent);
                }
            }
        }
        back_cpu::in_series(&stages, &mut lent).expect("it runs");
        drop(lent);
        arrays
    }
}

#[test]
fn random_stencils_in_tiles_are_what_they_are_step_by_step() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    back_cpu::set_threads(3);
    let mut random = Random(20);
    let mut tiled = 0;
    for n in 0..60 {
        let stencil = random.stencil();
        // An index that leaves the array twice is no stencil's.
        if stencil.border != Border::Kept && stencil.dims.iter().any(|d| *d < stencil.radius) {
            continue;
        }
        let want = stencil.run(&llvm, Tiling::Never);
        let before = back_cpu::tiled();
        let got = stencil.run(&llvm, Tiling::Always);
        tiled += usize::from(back_cpu::tiled() > before);
        for (k, (got, want)) in got.iter().zip(&want).enumerate() {
            assert!(got.bytes == want.bytes, "case {n}, array {k}: {stencil:?}");
        }
    }
    assert!(tiled > 20, "{tiled} were in tiles");
}

/// Steps that need elements from anywhere run one after the other, also behind many that do not.
#[test]
fn steps_that_reach_far_are_as_they_were() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    const N: usize = 40_000;
    let kernel = |index: &str| {
        let text = format!(
            "kernel @far(%a: buf<f32, r>, %o: buf<f32, rw>) simt group=16 over=1 {{ %i = item 0 {index}
             %x = load.inside %a[%k] %y = mul %x, 0.5 %z = add %y, 1.0 store.inside %o[%i], %z }}"
        );
        let kernel = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        Arc::new(Program::new(&llvm, &kernel))
    };
    let near = kernel("%j = sub %i, 1 %k = max %j, 0");
    for far in
        ["%k = sub 39999, %i", "%j = mul %i, 3 %k = mod %j, 40000", "%j = shl %i, 1 %k = min %j, 39999"].map(kernel)
    {
        let run = |tiling| {
            back_cpu::set_tiling(tiling);
            let array = |k: usize| MemoryBuffer::of_f32(&(0..N).map(|i| (i * k % 29) as f32).collect::<Vec<_>>());
            let mut arrays = [array(1), array(3)];
            let mut lent: Vec<Lent<'_>> = arrays.iter_mut().map(|b| b.lend()).collect();
            let stage = |step: usize| {
                let program = if step % 20 == 9 { &far } else { &near };
                let launch = Launch::new(vec![Arg::Buffer(step % 2), Arg::Buffer(1 - step % 2)]);
                let launch = Launch { extent: vec![N as u32], ..launch };
                Stage::new(program, &lent, launch).expect("it compiles").expect("it cannot stop")
            };
            let stages: Vec<Stage> = (0..70).map(stage).collect();
            back_cpu::in_series(&stages, &mut lent).expect("it runs");
            arrays.map(|b| b.bytes)
        };
        let want = run(Tiling::Never);
        assert!(run(Tiling::Always) == want && run(Tiling::Where) == want);
    }
}
