//! A compiler that is killed whenever it is seen: launches end well all the same, on code or on the interpreter.

use quadra_base::cache;
use quadra_device::launch::{Argument, LaunchOptions};
use quadra_device::{Buffer, Device, cpu};
use quadra_kir::parse;
use quadra_llvm::Llvm;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const KERNEL: &str = "kernel @k(%a: buf<f32, r>, %o: buf<f32, rw>) simt group=16 over=1 {
   %i = item 0 %x = load %a[%i] %y = exp %x %w = load %o[%i] %z = add %y, %w store %o[%i], %z }";

#[test]
fn launches_survive_their_compiler() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    let device = cpu::Cpu::new().expect("the same library");
    let over = AtomicBool::new(false);
    let values: Vec<f32> = (0..5000).map(|i| i as f32 * 0.01).collect();
    let kill = || {
        let mut killed = 0;
        while !over.load(Ordering::Relaxed) {
            if let Some(process) = llvm.process() {
                let mut kill = std::process::Command::new("kill");
                let status = kill.args(["-9", &process.to_string()]).stderr(std::process::Stdio::null()).status();
                killed += u32::from(status.is_ok_and(|s| s.success()));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        killed
    };
    let launch = || {
        for n in 0..6 {
            let text = KERNEL.replace("@k", &format!("@k{n}"));
            let kernel = parse::kernel("t.kir", &text).expect("the test's kernel parses");
            let module = device.compile(&kernel).expect("the device takes it");
            let (a, mut o) = (Buffer::from(values.clone()), Buffer::from(vec![1.0f32; 5000]));
            let options = LaunchOptions { extent: vec![5000], ..LaunchOptions::default() };
            for _ in 0..2 {
                let args = [Argument::from(&a), Argument::from(&mut o)];
                module.launch(&args, &options).unwrap_or_else(|f| panic!("{f:?}"));
            }
            for (x, y) in values.iter().zip(o.to_vec()) {
                let wanted = f64::from(*x).exp() * 2.0 + 1.0;
                assert!((f64::from(y) - wanted).abs() <= 1e-5 * wanted, "exp of {x}, twice, and 1: {y}");
            }
        }
    };
    let killed = std::thread::scope(|scope| {
        let kills = scope.spawn(kill);
        cache::without(launch);
        over.store(true, Ordering::Relaxed);
        kills.join().expect("no panic")
    });
    println!("the compiler was killed {killed} times");
    assert!(killed > 0 || llvm.process().is_none(), "it was seen");
}
