//! A launch that leaves a semaphore raised or the mutex held is the same fault on every device, at the place that did it.

use quadra_device::{Argument, Buffer, LaunchOptions, open};
use quadra_kir::{FaultKind, parse};

fn fault(device: &str, body: &str, workers: u32) -> Option<(FaultKind, u32)> {
    let text = format!(
        "kernel @left(%y: buf<i32, rw>, %n: i32) simt concurrent {{
        %w = worker %l = lane %c = cmp.gt %n, 0
        {body}
        store %y[%l], %w }}"
    );
    let kernel = parse::kernel("t.kir", &text).expect("the test's kernel parses");
    let module = open(device).expect("it is always there").compile(&kernel).expect("it compiles");
    let mut y = Buffer::from(vec![7; 16]);
    let args = [Argument::from(&mut y), Argument::from(1)];
    let fault = module.launch(&args, &LaunchOptions { workers, ..LaunchOptions::default() }).err()?;
    assert!(fault.to_diagnostic().to_string().contains("E0609"), "{fault:?}");
    Some((fault.kind, fault.span.map_or(0, |span| span.line)))
}

#[test]
fn what_is_left_is_a_fault_at_the_place_that_did_it() {
    for device in ["interp", "cpu", "emu"] {
        if device == "cpu" && open("cpu").is_err() {
            continue;
        }
        let left = |text: &str, line| Some((FaultKind::Unbalanced(text.into()), line));
        let twice = "if %c {\n sema.inc 9 } else {}\n if %c {\n sema.inc 9 } else {}";
        assert_eq!(fault(device, twice, 1), left("semaphore 9 at 2", 6), "{device}");
        assert_eq!(fault(device, "if %c {\n mutex.lock } else {}", 1), left("the mutex held", 4), "{device}");
        assert_eq!(fault(device, "if %c { mutex.lock mutex.unlock } else {}", 3), None, "{device}");
        assert_eq!(fault(device, "sema.inc 0 sema.dec 0", 3), None, "{device}");
    }
}

#[test]
fn what_is_always_left_is_found_while_compiling() {
    let kernel = parse::kernel("t.kir", "kernel @k() simt concurrent { sema.inc 4 }").expect("it parses");
    let found = open("emu").expect("it is always there").compile(&kernel).map(drop).expect_err("it is refused");
    assert!(found[0].to_string().contains("semaphore 4 is incremented more often"), "{}", found[0]);
}
