//! What holds where a proof is wrong: kernels here claim that an index lies inside, and it does not. In a process of its own,
//! because the handler and the modes belong to the process.
//!
//! Claims of kernels per item are replayed, so a wrong one is tested like any other access. Nobody replays a kernel that is
//! written for vectors: with these the modes and the pages are tested.

use quadra_base::checked::{self, Guard};
use quadra_device::LaunchOptions;
use quadra_kir::{Arg, Const, FaultKind, MemoryBuffer, parse};

const LOAD: &str = "kernel @k(%a: buf<f32, r>, %b: buf<f32, rw>, %n: i32) simt group=16 over=1 {
    %i = item 0 %j = add %i, %n %x = load.inside %a[%j] store.inside %b[%i], %x }";
const STORE: &str = "kernel @k(%a: buf<f32, r>, %b: buf<f32, rw>, %n: i32) simt group=16 over=1 {
    %i = item 0 %j = add %i, %n %x = load.inside %a[%i] store.inside %b[%j], %x }";
const ATOMIC: &str = "kernel @k(%a: buf<i32, r>, %b: buf<i32, rw>, %n: i32) simt group=16 over=1 {
    %i = item 0 %j = add %i, %n %x = load.inside %a[%i] %o = atomic.add.inside %b[%j], %x store.inside %b[%i], %o }";

/// The kernel for vectors.
fn vectors(text: &str) -> String {
    let simd = text.replace(" simt ", " simd ");
    simd.replace("%i = item 0", "%g = group 0 %s = shl %g, 4 %l = lane %i = add %s, %l")
}

/// Launches a kernel over 64 items whose index is off by `n`. Gives the kind of fault, and whether the buffer is as it was.
fn launched(text: &str, n: i32) -> (Result<(), FaultKind>, bool) {
    let cpu = quadra_device::open("cpu").expect("there is one");
    let kernel = parse::kernel("t.kir", text).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
    let module = cpu.compile(&kernel).expect("the device takes it");
    let ints = text.contains("i32, r>");
    let make = |k: i32| match ints {
        true => MemoryBuffer::of_i32(&(0..64).map(|i| i * k).collect::<Vec<_>>()),
        false => MemoryBuffer::of_f32(&(0..64).map(|i| (i * k) as f32).collect::<Vec<_>>()),
    };
    let mut buffers = [make(1), make(3)];
    let mut lent: Vec<_> = buffers.iter_mut().map(MemoryBuffer::lend).collect();
    let options = LaunchOptions { extent: vec![64], ..LaunchOptions::default() };
    let args = [Arg::Buffer(0), Arg::Buffer(1), Arg::Scalar(Const::i32(n))];
    let result = module.launch_on(&args, &mut lent, &options).map(drop).map_err(|f| f.kind);
    (result, buffers[1].words() == make(3).words())
}

#[test]
fn wrong_proofs_are_caught() {
    if quadra_device::open("cpu").is_err() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    // Replayed: what is not confirmed is tested.
    for text in [LOAD, STORE, ATOMIC] {
        assert_eq!(launched(text, 0).0, Ok(()));
        for n in [1, -1, 64, 1 << 20, i32::MAX, i32::MIN] {
            let (result, _) = launched(text, n);
            assert!(matches!(result, Err(FaultKind::OutOfBounds { .. })), "{n}: {result:?}, {text}");
        }
    }
    let [load, store, atomic] = [LOAD, STORE, ATOMIC].map(vectors);
    let (load, store, atomic) = (load.as_str(), store.as_str(), atomic.as_str());
    // Tested again: the fault names the rule.
    for guard in [Guard::Off, Guard::End, Guard::Start] {
        checked::set_guard(guard);
        checked::set(true);
        for text in [load, store, atomic] {
            assert_eq!(launched(text, 0).0, Ok(()), "{guard:?}");
            for n in [1, -1, 64, i32::MAX, i32::MIN] {
                let (result, _) = launched(text, n);
                match result {
                    Err(FaultKind::Proof { rule, len: 64, .. }) => assert_eq!(rule, "the front end"),
                    Err(FaultKind::OutOfBounds { .. }) if text == atomic => {}
                    other => panic!("{guard:?}, {n}: {other:?}"),
                }
            }
        }
    }
    // Not tested: the pages stop it, and the command's handler makes a fault of it, on every thread.
    checked::set(false);
    quadra_device::cpu::install_handler();
    for guard in [Guard::End, Guard::Start] {
        checked::set_guard(guard);
        for text in [load, store] {
            assert_eq!(launched(text, 0).0, Ok(()), "{guard:?}");
            for n in [1 << 20, -(1 << 20), i32::MAX - 64, i32::MIN] {
                let (result, _) = launched(text, n);
                assert!(matches!(result, Err(FaultKind::Stray { .. })), "{guard:?}, {n}: {result:?}");
            }
            // One element too far is stopped on the side where the pages are.
            let (result, _) = launched(text, if guard == Guard::End { 1 } else { -1 });
            assert!(matches!(result, Err(FaultKind::Stray { .. })), "{guard:?}: {result:?}");
        }
        // And the process goes on.
        assert_eq!(launched(load, 0).0, Ok(()));
    }
}
