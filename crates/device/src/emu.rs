//! The emulated VideoCore IV as a device.

use crate::{Device, Module};
use quadra_base::Diagnostic;
use quadra_kir::{self as kir, Kernel};
use std::sync::Arc;

/// Compiles kernels to QPU words and runs those on the emulator.
#[derive(Default)]
pub struct Emu {}

impl Emu {
    /// An emulated Raspberry Pi with 12 QPUs.
    pub fn new() -> Emu {
        Emu::default()
    }
}

impl Device for Emu {
    fn name(&self) -> &'static str {
        "emu"
    }

    fn about(&self) -> String {
        "emulated VideoCore IV (Raspberry Pi 0 to 3): 12 QPUs, exact to the bit".into()
    }

    fn max_workers(&self) -> u32 {
        12
    }

    fn arithmetic(&self) -> kir::Arithmetic {
        kir::Arithmetic::TowardZero
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        Err(vec![Diagnostic::error("E0702", format!("kernel `{}` cannot be run on `emu` yet", kernel.name))])
    }
}
