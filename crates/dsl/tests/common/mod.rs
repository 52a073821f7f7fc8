//! Runs a kernel from 16 integers to 16 integers on every device and compares with plain Rust, lane by lane.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use quadra_dsl::prelude::*;

/// Inputs with small and large, equal and unequal, negative and positive numbers.
pub const INPUT: [i32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 20, 33, -1, -7, 100];

pub fn check(kernel: Kernel<(Ptr<Int>, Ptr<Int>)>, want: impl Fn(i32) -> i32) {
    let ir = kernel.record().unwrap_or_else(|d| panic!("{}", Error(d)));
    for name in ["emu", "interp"] {
        let device = quadra_device::open(name).expect("both devices are always there");
        let (x, y) = (Buffer::from(INPUT.to_vec()), Buffer::from(vec![-99; 16]));
        let compiled = kernel.compile(&*device).unwrap_or_else(|e| panic!("{name}: {e}\n{ir}"));
        compiled.budget(1 << 20).call((&x, &y)).unwrap_or_else(|e| panic!("{name}: {e}\n{ir}"));
        let want: Vec<i32> = INPUT.iter().map(|&v| want(v)).collect();
        assert_eq!(y.to_vec(), want, "{name}, {}\n{ir}", kernel.name());
    }
}

/// The code of the only error of a kernel that cannot be recorded.
pub fn error<P: quadra_dsl::args::Parameters>(kernel: Kernel<P>) -> quadra_base::Diagnostic {
    let mut list = kernel.record().err().unwrap_or_else(|| panic!("`{}` is accepted", kernel.name()));
    assert_eq!(list.len(), 1, "{list:?}");
    list.remove(0)
}
