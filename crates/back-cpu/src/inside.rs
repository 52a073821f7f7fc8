//! Which groups are the interior of a launch: those of every launch of a setting, and what numbers that it does not know take away.

use crate::turns::{SECOND, run};
use quadra_base::Diagnostic;
use quadra_kir::{Inst, Kernel, Param, Type};
use quadra_passes::analysis::range::{Bounds, Range};
use quadra_passes::interior;
use quadra_passes::limits::{self, Limit};
use quadra_passes::pass::Facts;
use quadra_passes::specialise::Known;

/// The groups of the interior, and limits that only the numbers of a launch say more of.
pub(crate) struct Inside {
    pub groups: Vec<Bounds>,
    pub limits: Vec<Limit>,
}

/// The numbers of a launch by parameters, of those that code for a setting does not take for known.
pub(crate) fn unknown(kernel: &Kernel, known: &Known, args: &[quadra_kir::Arg]) -> Vec<Option<i64>> {
    let number = |(n, arg): (usize, &quadra_kir::Arg)| match (kernel.params.get(n)?, arg) {
        (Param::Scalar(v), quadra_kir::Arg::Scalar(c)) if kernel.ty(*v) == Type::I32 => {
            known.scalars.get(n).is_some_and(Option::is_none).then(|| i64::from(c.bits as u32 as i32))
        }
        _ => None,
    };
    args.iter().enumerate().map(number).collect()
}

/// The interior of launches of which these numbers are likely.
pub(crate) fn of(
    simd: &Kernel,
    workers: i64,
    all: &[Bounds],
    facts: Facts,
    likely: &[Option<i64>],
) -> Result<Option<Inside>, Vec<Diagnostic>> {
    let Some(groups) = interior(simd, workers, all, facts)? else { return Ok(None) };
    let mut limits = Vec::new();
    if likely.iter().all(Option::is_none) {
        return Ok(Some(Inside { groups, limits }));
    }
    // What is decided may lay further comparisons open.
    for _ in 0..MOST_ROUNDS {
        let (mut kernel, mut facts) = (simd.clone(), facts);
        interior::narrow_told(&mut kernel, workers, &groups, &limits);
        run(SECOND, &mut kernel, &mut facts)?;
        if !limits::find(&kernel, workers, &groups, &|n| likely.get(n).copied().flatten(), &mut limits) {
            break;
        }
    }
    Ok(Some(Inside { groups, limits }))
}

/// How often comparisons that others lay open are looked for.
const MOST_ROUNDS: usize = 3;

/// The groups of the interior. What is decided there may lay further comparisons open: one clamp stands in another.
pub(crate) fn interior(
    simd: &Kernel,
    workers: i64,
    all: &[Bounds],
    facts: Facts,
) -> Result<Option<Vec<Bounds>>, Vec<Diagnostic>> {
    let (mut kernel, mut inside) = (simd.clone(), all.to_vec());
    for _ in 0..4 {
        let Some(next) = interior::find(&kernel, workers, all, &inside) else { return Ok(None) };
        let settled = next == inside;
        inside = next;
        if settled {
            break;
        }
        kernel = simd.clone();
        let mut facts = facts;
        interior::narrow(&mut kernel, workers, &inside);
        run(SECOND, &mut kernel, &mut facts)?;
    }
    Ok(Some(inside))
}

/// The bounds of the groups of a launch, if its extent is known and not empty.
pub fn all_groups(known: &Known, over: usize) -> Option<Vec<Bounds>> {
    let last = over.checked_sub(1)?;
    let group = |(axis, n): (usize, &Option<u32>)| {
        let n = i64::from((*n)?);
        let groups = if axis == last { (n + 15) / 16 } else { n };
        (groups > 0).then_some(Bounds { low: 0, high: groups - 1 })
    };
    known.extent.iter().take(over).enumerate().map(group).collect()
}

/// Whether the bounds of an access's index keep it inside its buffer, whatever its mask says and whatever was tested before.
pub(crate) fn by_bounds(
    kernel: &Kernel,
    workers: i64,
    groups: &[Bounds],
    lengths: &[Option<u32>],
) -> impl Fn(&Kernel, &Inst) -> bool + use<> {
    let (range, lengths) = (Range::with_groups(kernel, workers, groups), lengths.to_vec());
    move |kernel, inst| {
        let Some(length) = inst.buf.and_then(|b| lengths.get(b.index()).copied().flatten()) else { return false };
        let exact = range.forms().at(kernel, inst.args[0]).bounds(kernel, &range);
        let near = range.bounds(kernel, inst.args[0]);
        exact.low.max(near.low) >= 0 && exact.high.min(near.high) < i64::from(length)
    }
}

/// How many elements the buffers have, where that is known.
pub fn lengths(kernel: &Kernel, known: &Known) -> Vec<Option<u32>> {
    let mut lengths = vec![None; kernel.bufs.len()];
    for (n, &param) in kernel.params.iter().enumerate() {
        if let Param::Buffer(b) = param {
            lengths[b.index()] =
                known.dims.get(n).cloned().flatten().and_then(|d| d.iter().try_fold(1_u32, |n, &d| n.checked_mul(d)));
        }
    }
    for (b, info) in kernel.shared() {
        lengths[b.index()] = u32::try_from(info.elements()).ok();
    }
    lengths
}
