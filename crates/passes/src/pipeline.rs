//! Every pipeline as a list: the file to read first.
//!
//! ```text
//! front end ── COMMON ── SIMD ── back end
//!              per item  vectors
//! ```
//! `COMMON` works per item and makes values of variables; `SIMD` makes vectors and masks, then recognises shapes of memory
//! access, then expands what the target lacks. `fold`, `cse` and `dce` stand behind every pass that leaves pieces; `licm`
//! stands behind `access`, which makes addresses scalar, and behind `legalize`, whose pieces are often invariant.

use crate::analysis::balance;
use crate::pass::{Facts, Options, Pass, PassCx, Step};
use crate::{
    access, bounds, choices, cse, dce, fifo, fold, halves, induction, legalize, licm, lockstep, mask, mul24, pass,
    promote,
};
use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel, Level, check};

/// Passes at SIMT level, for every target.
pub const COMMON: &[Pass] = &[promote::PASS, bounds::PASS, fold::PASS, cse::PASS, dce::PASS, choices::PASS, fifo::PASS];

/// Behind `along`, which is another way than `mask` to make vectors.
pub const SIMD_ROWS: &[Pass] = &[fold::PASS, cse::PASS, dce::PASS, halves::PASS, licm::PASS];

/// From SIMT to a kernel at SIMD level that is legal for the target.
pub const SIMD: &[Pass] = &[
    mask::PASS,
    fold::PASS,
    dce::PASS,
    induction::PASS,
    cse::PASS,
    access::PASS,
    fold::PASS,
    licm::PASS,
    cse::PASS,
    dce::PASS,
    mul24::PASS,
    halves::PASS,
    legalize::PASS,
    fold::PASS,
    licm::PASS,
    cse::PASS,
    dce::PASS,
];

/// Behind `COMMON`, for devices whose lanes are threads of their own: items that take every branch together, of workers or subgroups.
pub const LOCKSTEP: &[Pass] = &[mask::PASS, fold::PASS, dce::PASS, lockstep::PASS, fold::PASS, cse::PASS, dce::PASS];

/// Compiles a kernel as a front end makes it (SIMT level, with variables) to a SIMD kernel that is legal for `caps`.
///
/// # Errors
/// What is wrong with the kernel, with places in its source.
pub fn compile(kernel: &Kernel, caps: &Caps) -> Result<Kernel, Vec<Diagnostic>> {
    compile_with(kernel, caps, &Options::default(), &mut |_| {})
}

/// As [`compile`], stops behind the pass `options.after`, and shows each step to `watch`: for dumps and timings.
///
/// # Errors
/// As [`compile`].
pub fn compile_with(
    kernel: &Kernel,
    caps: &Caps,
    options: &Options<'_>,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<Kernel, Vec<Diagnostic>> {
    let wrong = check::kernel(kernel);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut kernel = kernel.clone();
    let cx = PassCx::new(caps);
    let mut facts = Facts::NONE;
    if kernel.level == Level::Simt && !pass::run(COMMON, &mut kernel, &cx, &mut facts, options, watch)? {
        return Ok(kernel);
    }
    if kernel.level == Level::Simd {
        facts = Facts::VALUES.and(Facts::IN_BOUNDS).and(Facts::SIMD);
    }
    pass::run(SIMD, &mut kernel, &cx, &mut facts, options, watch)?;
    let mut wrong = unknown(&kernel, caps);
    wrong.extend(balance::check(&kernel));
    if wrong.is_empty() { Ok(kernel) } else { Err(wrong) }
}

/// Operations of tables that the target does not add.
fn unknown(kernel: &Kernel, caps: &Caps) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    kernel.body.walk(&mut |i| {
        if !caps.knows(i.op) {
            let d = Diagnostic::error("E0411", format!("the target has no `{}`", i.op.mnemonic()));
            found.push(d.at(i.span.or(kernel.span)).help("run the kernel on another device"));
        }
    });
    found
}

/// The passes of both pipelines, in order.
pub fn passes() -> impl Iterator<Item = &'static Pass> {
    COMMON.iter().chain(SIMD)
}

/// The pass with this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    passes().chain(LOCKSTEP).find(|p| p.name == name)
}

/// Whether there is a pass to stop behind, in these pipelines or among `more` that a back end runs.
///
/// # Errors
/// `E0401` if there is none of this name.
pub fn known(after: Option<&str>, more: &'static [Pass]) -> Result<(), Vec<Diagnostic>> {
    let Some(name) = after else { return Ok(()) };
    let mut names: Vec<&str> = Vec::new();
    for pass in passes().chain(more) {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    if names.contains(&name) {
        return Ok(());
    }
    let d = Diagnostic::error("E0401", format!("there is no pass `{name}`"));
    Err(vec![d.help(format!("the passes are {}", names.join(", ")))])
}
