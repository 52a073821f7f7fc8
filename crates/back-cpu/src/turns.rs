//! Loops whose turns are lanes, where that is cheaper than to give each lane an item.

use crate::caps;
use quadra_base::Diagnostic;
use quadra_kir::Kernel;
pub use quadra_passes::along::How as Along;
use quadra_passes::analysis::range::MAX_WORKERS;
use quadra_passes::pass::{self, Facts, Pass, PassCx};
use quadra_passes::{access, along, cse, dce, fold, interior, licm, settled, wave};

/// What stands behind passes that decide something.
pub(crate) const SECOND: &[Pass] = &[fold::PASS, cse::PASS, dce::PASS];

/// What recognises shapes of memory access once more.
pub(crate) const LAST: &[Pass] =
    &[fold::PASS, cse::PASS, dce::PASS, access::PASS, fold::PASS, licm::PASS, cse::PASS, dce::PASS];

/// Runs passes for this processor.
///
/// # Errors
/// What they find wrong with the kernel.
pub(crate) fn run(passes: &'static [Pass], kernel: &mut Kernel, facts: &mut Facts) -> Result<(), Vec<Diagnostic>> {
    let caps = caps();
    pass::run(passes, kernel, &PassCx::new(&caps), facts, &pass::Options::default(), &mut |_| {}).map(drop)
}

/// The kernel so, if that is cheaper. Tests that sizes decide, and what two arms load alike, would stand in the way.
///
/// # Errors
/// What the passes find wrong with the kernel.
pub fn along(kernel: &Kernel, how: &Along, facts: Facts) -> Result<Option<Kernel>, Vec<Diagnostic>> {
    if !along::has_loops(kernel) {
        return Ok(None);
    }
    let kernel = decided(kernel, facts)?;
    Ok(along::run(&kernel, how))
}

/// As [`along`], for loops over scalars in a kernel whose code is vectors already.
///
/// # Errors
/// What the passes find wrong with the kernel.
pub fn scalars(kernel: &Kernel, how: &Along, facts: Facts) -> Result<Option<Kernel>, Vec<Diagnostic>> {
    let scalar = |i: &quadra_kir::Inst| i.op == quadra_kir::Op::For && i.results.iter().all(|&r| !kernel.ty(r).lanes);
    if !kernel.body.any(&mut |i| scalar(i)) {
        return Ok(None);
    }
    let (mut kernel, mut facts) = (kernel.clone(), facts);
    run(LAST, &mut kernel, &mut facts)?;
    interior::drop_masks(&mut kernel);
    Ok(along::scalars(&kernel, how))
}

/// The kernel with nests of scalars in waves over sixteen rows, of which there are any.
///
/// # Errors
/// What the passes find wrong with the kernel.
pub fn waves(
    kernel: &Kernel,
    how: &Along,
    lengths: &[Option<u32>],
    facts: Facts,
) -> Result<Option<Kernel>, Vec<Diagnostic>> {
    // Elsewhere what lanes write to rows of their own is written one by one, and that is most of the work.
    if !how.tiles || !wave::has_nests(kernel) {
        return Ok(None);
    }
    let (mut kernel, mut facts) = (kernel.clone(), facts);
    run(LAST, &mut kernel, &mut facts)?;
    interior::drop_masks(&mut kernel);
    Ok(wave::run(&mut kernel, &wave::How { alias: how.alias, lengths }).then_some(kernel))
}

/// The kernel without tests that come out one way.
fn decided(kernel: &Kernel, facts: Facts) -> Result<Kernel, Vec<Diagnostic>> {
    let (mut kernel, mut facts) = (kernel.clone(), facts);
    run(SECOND, &mut kernel, &mut facts)?;
    if interior::narrow(&mut kernel, MAX_WORKERS, &[]) {
        run(SECOND, &mut kernel, &mut facts)?;
    }
    if settled::run(&mut kernel, MAX_WORKERS, &[]) {
        run(SECOND, &mut kernel, &mut facts)?;
    }
    Ok(kernel)
}
