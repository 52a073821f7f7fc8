//! A task of a launch: calls of its code for boxes of groups, with looks in between whether somebody wants an end.

use crate::common::function::Shape;
use crate::native::{Copies, Run};
use crate::plan::{Inner, Variant};
use quadra_kir::Fault;

/// Groups from the first to below the second coordinate along each axis.
pub(crate) type Box4 = ([u32; 4], [u32; 4]);

/// What one call after another does.
pub(crate) struct Task {
    pub worker: u32,
    pub pieces: Vec<(bool, Box4)>,
}

/// Vector instructions between two looks whether somebody wants an end: some hundred milliseconds at most.
const LOOK: u64 = 1 << 27;

pub(crate) fn run_task(
    variant: &Variant,
    run: &Run<'_>,
    task: &Task,
    swapped: bool,
    copies: &mut Copies,
) -> Result<(), Fault> {
    let most = LOOK / variant.cost.max(1);
    for (inner, groups) in &task.pieces {
        let many: u64 = (0..4).map(|a| u64::from(groups.1[a] - groups.0[a])).product();
        if many <= most || run.kernel.over == 0 {
            run.may_go_on()?;
            run_piece(variant, run, task.worker, (*inner, *groups), swapped, copies)?;
            continue;
        }
        let one = Shape { rows: 1, columns: 1 };
        let shape = variant.inner.as_ref().filter(|_| *inner).map_or(one, |i| i.shape);
        for part in chunks(*groups, most.max(1) as usize, shape, run.kernel.over as usize) {
            run.may_go_on()?;
            run_piece(variant, run, task.worker, (*inner, part), swapped, copies)?;
        }
    }
    Ok(())
}

/// A part of a task: of the interior, or around it.
fn run_piece(
    variant: &Variant,
    run: &Run<'_>,
    worker: u32,
    (inner, groups): (bool, Box4),
    swapped: bool,
    copies: &mut Copies,
) -> Result<(), Fault> {
    match &variant.inner {
        Some(Inner { native, refilled: None, .. }) if inner => {
            native.call(run, worker, groups, swapped, copies)?;
        }
        Some(Inner { native, refilled: Some(other), shape, .. }) if inner => {
            for chunk in chunks(groups, other.most, *shape, run.kernel.over as usize) {
                let many = (0..4).map(|a| u64::from(chunk.1[a] - chunk.0[a])).product();
                let refills = many >= 2 * other.parts as u64 && other.choice.refills();
                let code = if refills { &other.native } else { native };
                let spent = code.call(run, worker, chunk, swapped, copies)?;
                let (vectors, all) = other.vectors;
                let cost = match refills {
                    true => spent * other.parts as u64,
                    false => spent * (shape.parts() * vectors) as u64 / all.max(1) as u64,
                };
                if many >= 2 * other.parts as u64 {
                    other.choice.note(refills, cost, many);
                }
            }
        }
        _ => {
            variant.general.code()?.call(run, worker, groups, swapped, copies)?;
        }
    }
    Ok(())
}

/// A box in pieces of at most so many groups, in whole turns; of several rows if they are short.
fn chunks(all: Box4, most: usize, turn: Shape, over: usize) -> Vec<Box4> {
    let size = |axis: usize| all.1[axis] - all.0[axis];
    let (last, most) = (over - 1, most as u32);
    let whole = |n: u32, of: usize| (n / of as u32).max(1) * of as u32;
    let columns = whole(size(last).min(most), turn.columns);
    let rows = if over > 1 { whole((most / columns).min(size(last - 1)), turn.rows) } else { 1 };
    let mut boxes = vec![all];
    for (axis, step) in (0..over).map(|axis| match over - axis {
        1 => (axis, columns),
        2 => (axis, rows),
        _ => (axis, 1),
    }) {
        let cut = |b: Box4| {
            (b.0[axis]..b.1[axis]).step_by(step as usize).map(move |at| {
                let mut piece = b;
                (piece.0[axis], piece.1[axis]) = (at, (at + step).min(b.1[axis]));
                piece
            })
        };
        boxes = boxes.into_iter().flat_map(cut).collect();
    }
    boxes
}
