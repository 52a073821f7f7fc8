//! Loops in the widest vectors that the processor has. Crates are compiled for the least of its kind; a [`Job`] is compiled once
//! more for each of its better ones, and the one that fits runs.

/// Work that is compiled for several processors. Only what is inlined into `call` is.
pub use pulp::NullaryFnOnce as Job;

/// Does it with the best instructions there are.
pub fn run<J: Job>(job: J) -> J::Output {
    // The answer of the processor is kept by the standard library.
    pulp::Arch::new().dispatch(job)
}

/// Sums that are kept side by side: a processor begins the next additions before the first are done.
pub const SIDE: usize = 32;

/// A number that rows of its kind are added up of, in double precision.
pub trait Summand: Copy {
    fn double(self) -> f64;

    /// Adds the elements of rows to sums side by side.
    #[inline(always)]
    fn add_rows(sums: [f64; SIDE], rows: &[[Self; SIDE]]) -> [f64; SIDE] {
        one_by_one(sums, rows)
    }
}

/// Adds rows as the compiler sees fit.
#[inline(always)]
fn one_by_one<T: Summand>(mut sums: [f64; SIDE], rows: &[[T; SIDE]]) -> [f64; SIDE] {
    for row in rows {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.double());
    }
    sums
}

macro_rules! summands {
    ($($t:ident),*) => {
        $(impl Summand for $t {
            #[inline(always)]
            fn double(self) -> f64 {
                self.into()
            }
        })*
    };
}
summands!(i32, u8, i8, i16, u16, u32);

/// Kinds whose rows are added by vectors of four: of sums that end as one, LLVM makes vectors of two.
macro_rules! by_fours {
    ($t:ident, |$simd:ident, $x:ident| $double:expr) => {
        impl Summand for $t {
            #[inline(always)]
            fn double(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn add_rows(sums: [f64; SIDE], rows: &[[$t; SIDE]]) -> [f64; SIDE] {
                #[cfg(target_arch = "x86_64")]
                if let Some($simd) = pulp::x86::V3::try_new() {
                    let mut all: [pulp::f64x4; SIDE / 4] = pulp::cast(sums);
                    for row in rows {
                        for (sum, four) in all.iter_mut().zip(row.as_chunks::<4>().0) {
                            let $x = pulp::cast(*four);
                            *sum = $simd.add_f64x4(*sum, $double);
                        }
                    }
                    return pulp::cast(all);
                }
                one_by_one(sums, rows)
            }
        }
    };
}
by_fours!(f32, |simd, x| simd.convert_f32x4_to_f64x4(x));
by_fours!(f64, |simd, x| x);
