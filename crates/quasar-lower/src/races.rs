//! Looking for races: the kernel runs in the reference interpreter, which remembers who accessed each element last.

use super::lowered::Lowered;
use super::state::Source;
use quadra_kir::interp::{Options, simt};
use quadra_kir::{self as kir, Arg, FaultKind, Memory, Param};
use quadra_quasar_vm::fault::Fault;

/// Runs a kernel on copies of its buffers; gives the error for two accesses of one element, at least one of which writes,
/// that no barrier orders. `shape` gives the lengths of the array behind a parameter.
pub(super) fn check(
    lowered: &Lowered,
    args: &[Arg],
    mut memory: Memory,
    extent: &[u32],
    budget: u64,
    shape: &dyn Fn(&Source) -> Option<Vec<usize>>,
) -> Option<Box<Fault>> {
    let launch = kir::Launch { extent: extent.to_vec(), budget, alias: true, ..kir::Launch::new(args.to_vec()) };
    let fault = simt::run_with(
        &lowered.kernel,
        &mut memory,
        &launch,
        &mut |_| {},
        &Options { races: true, ..Options::default() },
    )
    .err()?;
    let FaultKind::Race { buffer, element, write, other, other_write, other_item } = &fault.kind else { return None };
    let param = lowered
        .kernel
        .params
        .iter()
        .position(|p| matches!(p, Param::Buffer(b) if lowered.kernel.bufs[*b].name == *buffer));
    let lengths = param.and_then(|i| shape(&lowered.sources[i]));
    let how = |write: bool| if write { "written" } else { "read" };
    let place = other.map_or(String::new(), |s| format!(" at {s}"));
    let name = buffer.trim_end_matches('#');
    let at = index_text(*element as usize, lengths.as_deref());
    let mut f = Fault::new(
        "Q0431",
        format!(
            "race: '{name}[{at}]' is {} here by position {} and {}{place} by position {}",
            how(*write),
            position(fault.item.as_deref()),
            how(*other_write),
            position(Some(other_item)),
        ),
    )
    .help(
        "nothing orders the two: put syncthreads between them, use an atomic operator such as +=, or write elsewhere",
    );
    f.span = fault.span;
    Some(f)
}

fn position(item: Option<&[u32]>) -> String {
    match item {
        Some([one]) => one.to_string(),
        Some(many) => format!("[{}]", many.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
        None => "?".into(),
    }
}

/// The index of an element as the language writes it.
fn index_text(mut element: usize, lengths: Option<&[usize]>) -> String {
    let Some(lengths) = lengths else { return element.to_string() };
    let lengths = if lengths.len() == 2 && lengths[0] == 1 { &lengths[1..] } else { lengths };
    let mut index: Vec<String> = Vec::new();
    for n in lengths.iter().rev() {
        index.push((element % (*n).max(1)).to_string());
        element /= (*n).max(1);
    }
    index.reverse();
    index.join(",")
}
