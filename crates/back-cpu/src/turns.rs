//! Loops whose turns are lanes, where that is cheaper than to give each lane an item.

use crate::plan::{SECOND, run};
use quadra_base::Diagnostic;
use quadra_kir::Kernel;
pub use quadra_passes::along::How as Along;
use quadra_passes::analysis::range::MAX_WORKERS;
use quadra_passes::pass::Facts;
use quadra_passes::{along, interior, settled};

/// The kernel so, if that is cheaper. Tests that sizes decide, and what two arms load alike, would stand in the way.
///
/// # Errors
/// What the passes find wrong with the kernel.
pub fn along(kernel: &Kernel, how: &Along, facts: Facts) -> Result<Option<Kernel>, Vec<Diagnostic>> {
    if !along::has_loops(kernel) {
        return Ok(None);
    }
    let (mut kernel, mut facts) = (kernel.clone(), facts);
    run(SECOND, &mut kernel, &mut facts)?;
    if interior::narrow(&mut kernel, MAX_WORKERS, &[]) {
        run(SECOND, &mut kernel, &mut facts)?;
    }
    if settled::run(&mut kernel, MAX_WORKERS, &[]) {
        run(SECOND, &mut kernel, &mut facts)?;
    }
    Ok(along::run(&kernel, how))
}
