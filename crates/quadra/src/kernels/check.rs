//! Comparison of a kernel's outputs with those of plain Rust.

use quadra_base::Diagnostic;

fn differs(kernel: &str, at: usize, got: impl std::fmt::Display, want: impl std::fmt::Display) -> Diagnostic {
    let text = format!("kernel `{kernel}` computed {got} for element {at}, plain Rust {want}");
    Diagnostic::error("E0802", text)
}

/// Every integer must be equal.
///
/// # Errors
/// The first that is not.
pub fn ints(kernel: &str, got: &[i32], want: &[i32]) -> Result<(), Diagnostic> {
    if got.len() != want.len() {
        return Err(differs(kernel, got.len().min(want.len()), "another number of elements", want.len()));
    }
    match (0..got.len()).find(|&i| got[i] != want[i]) {
        Some(i) => Err(differs(kernel, i, got[i], want[i])),
        None => Ok(()),
    }
}

/// Every number must lie within `tolerance` of the expected one, relative to the larger of 1 and its magnitude: the QPU
/// truncates where Rust rounds.
///
/// # Errors
/// The first that does not.
pub fn floats(kernel: &str, got: &[f32], want: &[f32], tolerance: f32) -> Result<(), Diagnostic> {
    if got.len() != want.len() {
        return Err(differs(kernel, got.len().min(want.len()), "another number of elements", want.len()));
    }
    let close = |a: f32, b: f32| a == b || (a - b).abs() <= tolerance * b.abs().max(1.0);
    match (0..got.len()).find(|&i| !close(got[i], want[i])) {
        Some(i) => Err(differs(kernel, i, got[i], want[i])),
        None => Ok(()),
    }
}

/// A generator of inputs, the same on every machine: the multiplier of Numerical Recipes' quick generator, high bits.
pub struct Inputs(u32);

impl Inputs {
    /// The sequence with this seed.
    pub fn new(seed: u32) -> Inputs {
        Inputs(seed)
    }

    /// The next number below `n`, which is at most 65,536.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((self.0 >> 16) * n) >> 16
    }

    /// The next number between -1 and 1.
    pub fn signed(&mut self) -> f32 {
        self.below(65_536) as f32 / 32_768.0 - 1.0
    }
}
