//! What a target does not add to the core operations is expanded, or refused.

use quadra_kir::{Arg, Caps, Elem, Ext, Kernel, Launch, Level, Memory, MemoryBuffer, Op, interp, parse};
use quadra_passes::pipeline;

const CORE: Caps = Caps { extensions: &[], request_queue: None, ..Caps::EVERYTHING };

fn kernel(text: &str) -> Kernel {
    parse::kernel("t.kir", text).unwrap_or_else(|e| panic!("{}", e[0].render(false)))
}

fn run(kernel: &Kernel, data: &[u32]) -> Vec<u32> {
    let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
    let buffer = MemoryBuffer { elem: Elem::I32, dims: vec![data.len() as u32], bytes };
    let mut memory = Memory { buffers: vec![buffer.clone(), buffer] };
    let launch = Launch { extent: vec![data.len() as u32], ..Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]) };
    match kernel.level {
        Level::Simt => interp::simt::run(kernel, &mut memory, &launch, &mut |_| {}),
        Level::Simd => interp::simd::run(kernel, &mut memory, &launch, &mut |_| {}),
    }
    .unwrap_or_else(|f| panic!("{}", f.to_diagnostic().message));
    memory.buffers[1].words()
}

#[test]
fn without_extensions_the_core_gives_the_same() {
    let source = kernel(
        "kernel @k(%p: buf<i32, r>, %q: buf<i32, w>) simt group=16 over=1 {
           %i = item 0
           tmu.request %p[%i]
           %half = shr %i, 1
           tmu.request %p[%half]
           %a = tmu.receive i32
           %b = tmu.receive i32
           %c = mul24 %a, %b
           %x = to.f32 %a
           %y = recip.approx %x
           %z = exp2.approx %y
           %u = rsqrt.approx %z
           %v = log2.approx %u
           %w = bits.i32 %v
           %s = xor %c, %w
           store %q[%i], %s
         }",
    );
    let added = |k: &Kernel| k.body.any(&mut |i| i.op.info().ext != Ext::Core);
    let [all, core] = [&Caps::EVERYTHING, &CORE].map(|caps| pipeline::compile(&source, caps).expect("it compiles"));
    assert!(added(&source) && added(&all) && !added(&core));
    assert!(
        core.body.any(&mut |i| i.op == Op::Recip) && core.body.any(&mut |i| matches!(i.op, Op::Load | Op::LoadRow))
    );
    let data: Vec<u32> = (0..48u32).map(|i| i.wrapping_mul(0x9e37_79b9) | 1).collect();
    assert_eq!(run(&source, &data), run(&core, &data));
}

#[test]
fn workers_do_not_wait_for_each_other_where_they_cannot() {
    let source = kernel(
        "kernel @k(%p: buf<i32, r>, %q: buf<i32, w>) simt group=16 over=0 concurrent {
           sema.inc 3
           sema.dec 3
         }",
    );
    assert!(pipeline::compile(&source, &Caps::EVERYTHING).is_ok());
    let wrong = pipeline::compile(&source, &CORE).expect_err("there are no semaphores");
    assert!(wrong.len() == 2 && wrong[0].code == "E0411" && wrong[0].message.contains("sema.inc"), "{wrong:?}");
}
