//! Fourier transforms of lines of complex numbers in double precision.

pub use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

/// The transform of lines of one length. The inverse is not scaled.
pub struct Plan(Arc<dyn Fft<f64>>);

impl Plan {
    /// A plan for lines of `n` numbers.
    pub fn new(n: usize, inverse: bool) -> Plan {
        let mut planner = FftPlanner::new();
        Plan(if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) })
    }

    /// Transforms a line of the plan's length in place.
    pub fn run(&self, line: &mut [Complex<f64>]) {
        self.0.process(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_and_its_inverse_give_the_line_times_its_length() {
        let line: Vec<Complex<f64>> = (0..31).map(|k| Complex::new(f64::from(k * k % 7), f64::from(k % 3))).collect();
        let mut there_and_back = line.clone();
        Plan::new(31, false).run(&mut there_and_back);
        assert!((there_and_back[0] - line.iter().sum::<Complex<f64>>()).norm() < 1e-12);
        Plan::new(31, true).run(&mut there_and_back);
        assert!(line.iter().zip(&there_and_back).all(|(a, b)| (a * 31.0 - b).norm() < 1e-11));
    }
}
