//! What a kernel was lowered for: lengths and integers of the launch that others do not exceed. Another launch may use the
//! kernel if they do not exceed them there either.

use super::bind::Roots;
use super::lowered::Lowered;
use super::shape::{Amount, Bound, Shape};
use super::state::Source;
use quadra_kir::{Kernel, Param, Value};
use quadra_quasar_vm::value::Value as Held;

/// What is at most a length, with a number more; parameters by their numbers.
pub(super) type Assumption = (Amount<usize>, Bound<usize>, i64);

/// What lowering assumed of the launch, in terms of the finished kernel's parameters.
pub(super) fn assumptions(kernel: &Kernel, launch: &Shape) -> Vec<Assumption> {
    let param = |v: Value| kernel.params.iter().position(|p| *p == Param::Scalar(v));
    let assumption = |(amount, bound, more): &(Amount, Bound, i64)| {
        let amount = match amount {
            Amount::Nothing => Amount::Nothing,
            Amount::Axis(axis) => Amount::Axis(*axis),
            Amount::Given(v) => Amount::Given(param(*v)?),
        };
        let bound = match bound {
            Bound::Known(n) => Bound::Known(*n),
            Bound::Given(v) => Bound::Given(param(*v)?),
        };
        Some((amount, bound, *more))
    };
    launch.inside.iter().filter_map(assumption).collect()
}

impl Lowered {
    /// Whether what was assumed while lowering is true for these arguments.
    pub(super) fn holds(&self, roots: &Roots<'_>, shape: &Shape) -> bool {
        self.lengths_hold(roots, shape) && self.has_functions(roots.cx) && self.is_made_for(roots)
    }

    /// Whether the launch has the texts and numbers that the kernel was made for.
    fn is_made_for(&self, roots: &Roots<'_>) -> bool {
        self.made_for.iter().all(|(path, made)| match (roots.value(path), made) {
            (Some(Held::Str(s)), Held::Str(t)) => s == *t,
            (Some(Held::Int(n)), Held::Int(m)) => n == *m,
            _ => false,
        })
    }

    fn lengths_hold(&self, roots: &Roots<'_>, shape: &Shape) -> bool {
        let given = |i: usize| match &self.sources[i] {
            Source::Length(path, axis) => roots.tensor(path)?.shape.get(*axis).map(|n| *n as i64),
            Source::Number(path, 0) => roots.value(path)?.as_index().filter(|n| *n >= 0),
            _ => None,
        };
        self.inside.iter().all(|(amount, bound, more)| {
            let both = amount.value(shape, given).zip(bound.value(given));
            both.is_some_and(|(least, n)| least + more <= n)
        })
    }

    /// Whether what was assumed of integers holds for these arguments; lengths are known to be the same.
    pub(super) fn numbers_hold(&self, roots: &Roots<'_>, dims: &[i64]) -> bool {
        let number = |i: usize| matches!(self.sources[i], Source::Number(..));
        let any = self.inside.iter().any(|(amount, bound, _)| {
            matches!(amount, Amount::Given(i) if number(*i)) || matches!(bound, Bound::Given(i) if number(*i))
        });
        !any || self.lengths_hold(roots, &Shape::new(dims, None))
    }
}
