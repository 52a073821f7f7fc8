//! What each level allows, and what a buffer may be used for.

use super::error;
use crate::kernel::{Access, Inst, Kernel, Level, Mode};
use crate::ops::{At, Effect, Op};
use quadra_base::Diagnostic;

pub(super) fn check(kernel: &Kernel, found: &mut Vec<Diagnostic>) {
    kernel.body.walk(&mut |inst| {
        place(kernel, inst, found);
        types(kernel, inst, found);
        access(kernel, inst, found);
    });
}

/// Whether an instruction may have a mask.
fn may_have_mask(op: Op) -> bool {
    let memory = matches!(op.info().effect, Effect::Read | Effect::Write | Effect::ReadWrite);
    memory || op.is_vote() || matches!(op, Op::Print | Op::Assert | Op::TmuRequest)
}

fn place(kernel: &Kernel, inst: &Inst, found: &mut Vec<Diagnostic>) {
    let name = inst.op.mnemonic();
    match (inst.op.info().at, kernel.level) {
        (At::Simt, Level::Simd) => found.push(error("E0308", inst, format!("`{name}` exists at SIMT level only"))),
        (At::Simd, Level::Simt) => found.push(error("E0308", inst, format!("`{name}` exists at SIMD level only"))),
        _ => {}
    }
    if inst.mask.is_some() && kernel.level == Level::Simt {
        found.push(error("E0308", inst, "masks exist at SIMD level only; at SIMT level use `if`"));
    }
    if inst.mask.is_some() && !may_have_mask(inst.op) {
        found.push(error("E0308", inst, format!("`{name}` takes no mask")));
    }
    let synchronises = matches!(inst.op, Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock);
    if synchronises && !kernel.concurrent {
        let d = error("E0314", inst, format!("`{name}` in a kernel that is not marked `concurrent`"));
        found.push(d.help("mark the kernel `concurrent`: then all its workers run at once"));
    }
}

fn types(kernel: &Kernel, inst: &Inst, found: &mut Vec<Diagnostic>) {
    let params = inst.regions.iter().flat_map(|r| &r.params);
    for &v in inst.results.iter().chain(params) {
        let ty = kernel.ty(v);
        if kernel.level == Level::Simt && ty.lanes {
            found.push(error("E0308", inst, format!("a {ty} exists at SIMD level only")));
        }
    }
    if kernel.level == Level::Simt {
        return;
    }
    let scalars = match inst.op {
        Op::If => &inst.args[..1],
        Op::For => &inst.args[..3],
        Op::Broadcast => &inst.args[1..],
        _ => &[],
    };
    if scalars.iter().any(|&v| kernel.ty(v).lanes) {
        let name = inst.op.mnemonic();
        found.push(error("E0308", inst, format!("`{name}` at SIMD level goes by one value for all lanes")));
    }
}

fn access(kernel: &Kernel, inst: &Inst, found: &mut Vec<Diagnostic>) {
    let Some(buf) = inst.buf.map(|b| &kernel.bufs[b]) else { return };
    let name = inst.op.mnemonic();
    let (reads, writes) = match inst.op.info().effect {
        Effect::Read => (true, false),
        Effect::Write => (false, true),
        Effect::ReadWrite => (true, true),
        _ => (inst.op == Op::TmuRequest, false),
    };
    if reads && buf.access == Access::Write {
        let d =
            error("E0309", inst, format!("`{name}` reads buffer `{}`, which is declared for writing only", buf.name));
        found.push(d.help("declare it `rw`"));
    }
    if writes && buf.access == Access::Read {
        let d =
            error("E0309", inst, format!("`{name}` writes buffer `{}`, which is declared for reading only", buf.name));
        found.push(d.help("declare it `rw` or `w`"));
    }
    if inst.mode == Mode::Guarded && !matches!(inst.op, Op::Load | Op::LoadRow) {
        found.push(error(
            "E0309",
            inst,
            "only a `load` can be `guarded`: nothing may be stored past the end of a buffer",
        ));
    }
}
