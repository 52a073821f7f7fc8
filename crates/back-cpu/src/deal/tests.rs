use super::*;

/// Panics in the middle of a launch of the kernel `panics`: in every second task, of whichever thread.
pub fn inject(kernel: &str, number: usize) {
    static TASKS: AtomicUsize = AtomicUsize::new(0);
    if kernel == "panics" && TASKS.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
        panic!("thread {number} was told to");
    }
}

#[test]
fn a_panic_in_a_thread_is_the_launchs_fault() {
    use quadra_kir::{Arg, Launch, Memory, MemoryBuffer, parse};
    let Ok(llvm) = quadra_llvm::Llvm::get() else {
        return quadra_base::testing::left_out("libLLVM is not installed");
    };
    let text = |name: &str| {
        format!(
            "kernel @{name}(%a: buf<f32, rw>) simt group=16 over=1 {{
               %i = item 0 %x = load %a[%i]
               %q = loop (%y: f32 = %x) {{ %z = cmp.gt %y, 1.0 if %z {{}} else {{ break %y }}
                 %h = mul %y, 0.5 continue %h }}
               store %a[%i], %q }}"
        )
    };
    for (name, panics) in [("panics", true), ("does_not", false)] {
        let kernel = parse::kernel("t.kir", &text(name)).expect("the test's kernel parses");
        let program = crate::Program::new(&llvm, &kernel);
        let mut memory = Memory { buffers: vec![MemoryBuffer::of_f32(&vec![1e9; 1 << 16])] };
        let mut launch = Launch::new(vec![Arg::Buffer(0)]);
        launch.extent = vec![1 << 16];
        for _ in 0..3 {
            match program.run(&mut memory, &launch, &mut |_| {}) {
                Ok(_) => assert!(!panics),
                Err(fault) => {
                    assert!(panics, "{fault:?}");
                    assert!(matches!(&fault.kind, FaultKind::Other(why) if why.contains("was told to")), "{fault:?}");
                }
            }
        }
    }
}

#[test]
fn short_launches_stay_on_the_thread_that_makes_them() {
    assert_eq!(threads_for(0, SMALL, 4), 4, "the data decide");
    assert_eq!(threads_for(1, SMALL, 4), 1);
    assert_eq!(threads_for(2 * SMALL, SMALL, 4), 2);
    assert_eq!(threads_for(u64::MAX, SMALL, 4), 4);
    assert_eq!(threads_for(SMALL, SMALL_STEP, 4), 3, "one of many steps");
}

#[test]
fn long_launches_are_cut_finer() {
    assert_eq!(tasks_per_thread(0), 16, "the data decide");
    assert_eq!(tasks_per_thread(1), 1);
    assert_eq!(tasks_per_thread(2 * SHORT), 2);
    assert_eq!(tasks_per_thread(LONG), 4);
    assert_eq!(tasks_per_thread(10 * LONG), 10);
    assert_eq!(tasks_per_thread(u64::MAX), 32);
}
