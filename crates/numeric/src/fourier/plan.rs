//! Plans and tables of angles, kept for the next transform of the same length.

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::{Arc, Mutex, PoisonError};

/// Plans and tables that are kept, of each kind.
const KEPT: usize = 16;
/// Numbers in kept plans and tables at most, of each kind.
const KEPT_NUMBERS: usize = 1 << 22;

/// What was computed for some lengths lately; what was asked for last stands last.
pub struct Kept<V>(Mutex<Vec<([usize; 2], V)>>);

impl<V: Clone> Kept<V> {
    const fn new() -> Kept<V> {
        Kept(Mutex::new(Vec::new()))
    }

    /// What belongs to a length (first in the key) and a variant, made if it is not there.
    fn get(&self, key: [usize; 2], make: impl FnOnce() -> V) -> V {
        let list = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut list = list();
            list.iter().position(|e| e.0 == key).map(|i| list.remove(i).1)
        };
        // Made while nobody waits for it.
        let value = found.unwrap_or_else(make);
        let mut list = list();
        list.retain(|e| e.0 != key);
        list.push((key, value.clone()));
        while list.len() > KEPT || list.iter().map(|e| e.0[0]).sum::<usize>() > KEPT_NUMBERS {
            list.remove(0);
        }
        value
    }

    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Numbers of which transforms are made: `f32` or `f64`.
pub trait Number: FftNum + Default {
    /// The nearest number.
    fn near(x: f64) -> Self;
    /// Real and imaginary parts by turns.
    fn parts(line: &mut [Complex<Self>]) -> &mut [Self];
    fn plans() -> &'static Kept<Arc<dyn Fft<Self>>>;
    /// A new plan. No generic function, so that its code, which is long, is generated in this crate and not for each that calls one.
    fn planned(n: usize, inverse: bool) -> Arc<dyn Fft<Self>>;
    fn turns() -> &'static Kept<Arc<[Complex<Self>]>>;
}

macro_rules! number {
    ($t:ident) => {
        impl Number for $t {
            #[inline(always)]
            fn near(x: f64) -> $t {
                x as $t
            }

            fn parts(line: &mut [Complex<$t>]) -> &mut [$t] {
                bytemuck::cast_slice_mut(line)
            }

            fn plans() -> &'static Kept<Arc<dyn Fft<$t>>> {
                static PLANS: Kept<Arc<dyn Fft<$t>>> = Kept::new();
                &PLANS
            }

            fn planned(n: usize, inverse: bool) -> Arc<dyn Fft<$t>> {
                let mut planner = FftPlanner::new();
                if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) }
            }

            fn turns() -> &'static Kept<Arc<[Complex<$t>]>> {
                static TURNS: Kept<Arc<[Complex<$t>]>> = Kept::new();
                &TURNS
            }
        }
    };
}
number!(f32);
number!(f64);

/// Gives up what is kept.
pub fn forget() {
    f32::plans().clear();
    f32::turns().clear();
    f64::plans().clear();
    f64::turns().clear();
}

/// The transform of lines of `n` numbers, without a scale.
pub fn plan<T: Number>(n: usize, inverse: bool) -> Arc<dyn Fft<T>> {
    T::plans().get([n, usize::from(inverse)], || T::planned(n, inverse))
}

/// The numbers `exp(-2*pi*i*k/n)` for k from 0 to n/`part`, both included.
pub fn turns<T: Number>(n: usize, part: usize) -> Arc<[Complex<T>]> {
    T::turns().get([n, part], || {
        let count = n / part + 1;
        let angle = |k: usize| Complex::cis(-std::f64::consts::TAU * (k as f64 / n as f64));
        // Each is the product of one of few that are far apart and one of few that are near 1.
        let step = (count as f64).sqrt().ceil() as usize;
        let near: Vec<Complex<f64>> = (0..step).map(angle).collect();
        let mut out = Vec::with_capacity(count + step);
        for far in (0..count).step_by(step).map(angle) {
            out.extend(near.iter().map(|z| far * z).map(|z| Complex::new(T::near(z.re), T::near(z.im))));
        }
        out.truncate(count);
        out.into()
    })
}
