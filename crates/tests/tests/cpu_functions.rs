//! `exp` and `exp2` on this processor are `kir::eval`'s to the bit, for arguments from all over the range.
//! `STRIDE=1 cargo test --release -p quadra-tests --test cpu_functions` takes all of them.

use quadra_back_cpu::Program;
use quadra_kir::eval::exponential::{exp, exp2};
use quadra_kir::{Arg, Launch, Memory, MemoryBuffer, parse};
use quadra_llvm::Llvm;

/// Arguments at a time.
const ITEMS: usize = 1 << 20;

#[test]
fn exponentials_are_the_same_everywhere() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    let stride: u64 = std::env::var("STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(1021);
    for (name, function) in [("exp", exp as fn(f32) -> f32), ("exp2", exp2)] {
        let text = format!(
            "kernel @k(%a: buf<f32, r>, %out: buf<f32, w>) simt group=16 over=1 {{
               %i = item 0 %x = load %a[%i] %y = {name} %x store %out[%i], %y }}"
        );
        let kernel = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        let program = Program::new(&llvm, &kernel);
        let special = [0.0, f32::INFINITY, 1e30, 3e38, 104.0, 103.3, 89.0, 88.7, 151.0, 149.5, 129.0, 128.0, 127.999];
        let special = special.into_iter().flat_map(|x| [x, -x]).chain([f32::NAN, -f32::NAN]);
        let mut all = special.chain((0..1 << 32).step_by(stride as usize).map(|bits: u64| f32::from_bits(bits as u32)));
        loop {
            let arguments: Vec<f32> = all.by_ref().take(ITEMS).collect();
            if arguments.is_empty() {
                break;
            }
            let buffers = vec![MemoryBuffer::of_f32(&arguments), MemoryBuffer::of_f32(&vec![-1.0; arguments.len()])];
            let mut memory = Memory { buffers };
            let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]);
            launch.extent = vec![arguments.len() as u32];
            program.run(&mut memory, &launch, &mut |_| {}).expect("every item lies inside");
            for (x, got) in arguments.iter().zip(memory.buffers[1].words()) {
                let (want, got) = (function(*x), f32::from_bits(got));
                let same = want.to_bits() == got.to_bits() || want.is_nan() && got.is_nan();
                assert!(same, "{name}({x:e}) is {want:e}, not {got:e}");
            }
        }
    }
}
