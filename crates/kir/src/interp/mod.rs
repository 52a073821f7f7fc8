//! The reference interpreters: what a kernel means, at either level, on any number of workers.
//!
//! [`simt::run`] runs kernels of the SIMT level, before or after `promote`; [`simd::run`] runs kernels of the SIMD level.
//! Both take the same arguments and give the same [`Stats`] or [`Fault`](crate::Fault).

pub mod simd;
pub mod simt;

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions executed by all workers, counted once per subgroup.
    pub instructions: u64,
    /// The same for each worker.
    pub per_worker: Vec<u64>,
}
