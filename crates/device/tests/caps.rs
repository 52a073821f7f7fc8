//! What devices say of themselves is what they do.

use quadra_device::launch::{Argument, LaunchOptions};
use quadra_device::{Buffer, Device, open};
use quadra_kir::{Access, Arithmetic, Builder, Const, Elem, Kernel, LANES, Mode, Op, Type};
use std::sync::Arc;

fn devices() -> Vec<Arc<dyn Device>> {
    let here: Vec<_> = ["interp", "interp-qpu", "emu", "cpu"].iter().filter_map(|name| open(name).ok()).collect();
    if here.len() < 4 {
        quadra_base::testing::left_out("libLLVM is not installed");
    }
    here
}

/// `x[i] = op(x[i], y)` on elements of this type.
fn kernel(elem: Elem, op: Op, y: Const) -> Kernel {
    let mut b = Builder::new("caps");
    let x = b.buffer("x", elem, 1, Access::ReadWrite);
    b.set_over(1);
    let (i, y) = (b.axis(Op::Item, 0), b.kernel().constant(y));
    let v = b.load(x, Mode::Unchecked, &[i]);
    let v = b.op(op, &[v, y]);
    b.store(x, Mode::Unchecked, &[i], v);
    b.finish()
}

#[test]
fn wide_numbers_run_where_they_are_promised() {
    for device in devices() {
        let one = |elem| Const { elem, bits: if elem == Elem::F64 { 1f64.to_bits() } else { 1 } };
        for elem in [Elem::I64, Elem::F64] {
            let takes = device.compile(&kernel(elem, Op::Add, one(elem))).is_ok();
            // The interpreter in the QPU's arithmetic runs what the QPU's passes make, which may refuse more.
            assert!(takes == device.caps().has(elem) || device.name() == "interp-qpu", "{elem} on {}", device.name());
        }
    }
}

#[test]
fn infinity_comes_up_where_it_is_promised() {
    for device in devices() {
        let module = device.compile(&kernel(Elem::F32, Op::Mul, Const::f32(2.0))).expect("every device multiplies");
        let data = Buffer::from(vec![f32::MIN_POSITIVE / 4.0; 16]);
        let options = LaunchOptions { extent: vec![LANES], ..LaunchOptions::default() };
        module.launch(&[Argument::from(&data)], &options).expect("it runs");
        let kept = data.to_vec()[0] != 0.0;
        assert_eq!(kept, device.caps().arithmetic == Arithmetic::Nearest, "{}", device.name());
        assert_eq!(module.in_place(), device.caps().in_place, "{}", device.name());
    }
}

#[test]
fn a_launch_gets_the_workers_that_are_promised() {
    let mut b = Builder::new("workers");
    let out = b.buffer("out", Elem::I32, 1, Access::Write);
    let (zero, n) = (b.i32(0), b.op(Op::NumWorkers, &[]));
    b.store(out, Mode::Unchecked, &[zero], n);
    let k = b.finish();
    assert!(k.params.len() == 1 && k.ty(n) == Type::I32);
    for device in devices() {
        let module = device.compile(&k).expect("every device counts workers");
        let data = Buffer::from(vec![0]);
        let run = |workers| {
            let options = LaunchOptions { workers, ..LaunchOptions::default() };
            module.launch(&[Argument::from(&data)], &options).map(|_| data.to_vec()[0])
        };
        let most = device.max_workers();
        assert!(run(most).is_ok_and(|n| n as u32 == most), "{}", device.name());
        assert!(run(most + 1).is_err(), "{}", device.name());
    }
}
