//! Launches of kernels, and what runs them, nests of loops and long expressions on a device.

use super::code::Reg;
use super::cx::Cx;
use super::expression::Expression;
use super::fault::Res;
use super::nest::Nest;
use super::tensor::Tensor;
use super::value::{Callable, Value};
use quadra_base::Span;
use std::rc::Rc;

/// A launch: the kernel, its arguments without the special ones, the number of positions and the size of a block.
pub struct Launch {
    pub callable: Rc<Callable>,
    pub args: Vec<Value>,
    pub dims: Vec<i64>,
    pub block: Vec<i64>,
    /// In row-major order by one thread.
    pub serial: bool,
}

/// Something that runs kernels.
pub trait Executor {
    /// Runs a launch to its end and returns the kernel's outputs.
    fn launch(&mut self, cx: &mut Cx, launch: Launch) -> Res<Vec<Value>>;

    /// Runs a nest of loops, if it can; the bounds of its loops stand in registers from `bounds`. False: run it serially.
    fn nest(&mut self, cx: &mut Cx, nest: &Rc<Nest>, regs: &mut [Value], bounds: Reg) -> Res<bool>;

    /// The value of an expression over arrays like `lead`, if it is computed quicker here than by passes of the host.
    fn expression(&mut self, cx: &mut Cx, e: &Expression<'_>, lead: &Tensor, span: Span) -> Option<Value>;
}

/// Does something with what runs kernels, unless a kernel that runs there does it.
pub fn with_executor<T>(cx: &mut Cx, work: impl FnOnce(&mut dyn Executor, &mut Cx) -> T) -> Option<T> {
    let mut executor = cx.executor.take()?;
    let result = work(&mut *executor, cx);
    cx.executor = Some(executor);
    Some(result)
}

/// Shared memory of the block that runs.
#[derive(Default)]
pub struct Current {
    /// By place in the code and pass through it.
    pub shared: Vec<((usize, u32), Value)>,
    pub shared_bytes: usize,
}

/// The block size that is used where none is given: 256 positions, or 16 by 32 in the last two dimensions, each reduced to a
/// divisor of the dimension.
pub fn default_block(dims: &[i64]) -> Vec<i64> {
    let n = dims.len();
    let divisor = |dim: i64, wish: i64| (1..=wish.min(dim.max(1))).rev().find(|d| dim % d == 0).unwrap_or(1);
    (0..n)
        .map(|i| match (n, n - 1 - i) {
            (1, _) => divisor(dims[i], 256),
            (_, 0) => divisor(dims[i], 32),
            (_, 1) => divisor(dims[i], 16),
            _ => 1,
        })
        .collect()
}
