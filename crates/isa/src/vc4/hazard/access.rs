//! Rules H24 to H36, H47 and H48: accesses that exclude each other within one instruction.

use super::super::inst::{Alu, Inst, LdiMode};
use super::super::op::{AddOp, Cond, MulOp, Signal};
use super::super::pack::Pack;
use super::super::reg::{File, Mux, Raddr, Waddr};
use super::{Context, Severity, uses};

impl Context<'_> {
    /// The ALU instructions.
    fn alus(&self) -> Vec<(usize, Alu)> {
        let alu = |(i, inst): (usize, &Inst)| if let Inst::Alu(alu) = inst { Some((i, *alu)) } else { None };
        self.program.insts.iter().enumerate().filter_map(alu).collect()
    }
}

/// Both outputs in one accumulator or peripheral.
pub(super) fn h24(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        let [(_, add, cond_add), (_, mul, cond_mul)] = cx.uses[i].writes[..] else { continue };
        // These addresses are two registers, one of each file.
        let separate = add.is_physical() || matches!(add.0, 41 | 42 | 49 | 50);
        if add != mul || separate {
            continue;
        }
        let apart = uses::disjoint(cond_add, cond_mul) && add.as_accumulator().is_some_and(|n| n < 4);
        if !apart {
            let name = super::super::names::write_name(super::super::names::write_place(File::A, add.0));
            let remedy = "give one result another destination; complementary conditions help for r0 to r3 only";
            let harmless = add.as_accumulator().is_some_and(|n| n < 4) && same_result(&cx.program.insts[i]);
            let (severity, what) =
                if harmless { (Severity::Warning, " with the same value") } else { (cx.rule.severity, "") };
            cx.report_as(severity, i, None, format!("both ALUs write `{name}`{what}"), remedy);
        }
    }
}

/// Whether both outputs of an instruction have the same value, as far as the instruction shows.
fn same_result(inst: &Inst) -> bool {
    let Inst::Alu(alu) = inst else { return true };
    let moves =
        alu.op_add == AddOp::Or && alu.op_mul == MulOp::V8min && alu.add_a == alu.add_b && alu.mul_a == alu.mul_b;
    let twice = matches!((alu.op_add, alu.op_mul), (AddOp::V8adds, MulOp::V8adds) | (AddOp::V8subs, MulOp::V8subs));
    let same = alu.add_a == alu.mul_a && alu.add_b == alu.mul_b;
    (moves || twice) && same && uses::rotation(alu).is_none() && alu.pack == Pack::None
}

/// More than one access of the shared units.
pub(super) fn h25(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        let (inst, uses) = (&cx.program.insts[i], &cx.uses[i]);
        let mut accesses: Vec<&str> = Vec::new();
        for (_, waddr, _) in &uses.writes {
            match waddr {
                w if w.is_tmu() => accesses.push("TMU write"),
                w if w.is_tlb() => accesses.push("tile buffer write"),
                w if w.is_sfu() => accesses.push("SFU write"),
                _ => {}
            }
        }
        match inst.signal() {
            Signal::LoadTmu0 | Signal::LoadTmu1 => accesses.push("TMU load"),
            Signal::ColourLoad | Signal::ColourLoadEnd if uses.writes_to(|w| w == Waddr::TLB_COLOUR_MS) => {}
            signal if signal.loads_r4() => accesses.push("tile buffer load"),
            _ => {}
        }
        for port in [uses.raddr_a, uses.raddr_b] {
            accesses.extend((port == Some(Raddr::MUTEX_ACQUIRE)).then_some("mutex read"));
        }
        accesses.extend(matches!(inst, Inst::Sema(_)).then_some("semaphore"));
        if accesses.len() > 1 {
            let message = format!("{} in one instruction", accesses.join(" and "));
            cx.report(i, None, message, "spread the accesses over two instructions");
        }
    }
}

/// A partial byte to a peripheral.
pub(super) fn h26(cx: &mut Context<'_>) {
    for (i, alu) in cx.alus() {
        let partial = alu.pm && alu.pack.is_partial() && alu.pack.valid_for_mul();
        if partial && alu.waddr_mul.is_peripheral() && alu.cond_mul != Cond::Never {
            let message = "a single packed byte is written to a peripheral".to_string();
            cx.report(i, None, message, "assemble the word in a register first");
        }
    }
}

/// A conditional write to a peripheral.
pub(super) fn h27(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        for (_, waddr, cond) in cx.uses[i].writes.clone() {
            let storage = matches!(waddr, Waddr::HOST_INT | Waddr::MS_FLAGS);
            if waddr.is_peripheral() && !storage && cond.is_conditional() {
                let name = super::super::names::write_name(super::super::names::write_place(File::A, waddr.0));
                let message =
                    format!("the write to `{name}` happens whatever the condition says, with undefined lanes");
                cx.report(i, None, message, "select the value into a register first, then write it unconditionally");
            }
        }
    }
}

/// VPM accesses that exclude each other.
pub(super) fn h28(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        let uses = &cx.uses[i];
        let setups = uses.writes.iter().filter(|(_, w, _)| *w == Waddr::VPM_RD_SETUP).count();
        let reads = uses.reads(Raddr::VPM);
        let writes = uses.writes_to(|w| w == Waddr::VPM);
        let ldtmu = matches!(cx.program.insts[i].signal(), Signal::LoadTmu0 | Signal::LoadTmu1);
        let message = if setups > 1 {
            "the VPM read and write setup are written together"
        } else if setups > 0 && reads {
            "the VPM is read in the instruction that writes a setup"
        } else if setups > 0 && writes {
            "the VPM is written in the instruction that writes a setup"
        } else if ldtmu && (reads || writes || setups > 0) {
            "a VPM access beside a TMU load is unreliable"
        } else {
            continue;
        };
        cx.report(i, None, message.to_string(), "spread the accesses over two instructions");
    }
}

/// A semaphore instruction that writes a shared unit.
pub(super) fn h29(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        let unit = |w: Waddr| w.is_tlb() || w.is_tmu() || w.is_sfu();
        if matches!(cx.program.insts[i], Inst::Sema(_)) && cx.uses[i].writes_to(unit) {
            let message = "a semaphore instruction writes TLB, TMU or SFU".to_string();
            cx.report(i, None, message, "use `-` as its destination");
        }
    }
}

/// An explicit uniform beside one taken by a texture coordinate.
pub(super) fn h30(cx: &mut Context<'_>) {
    let mut textured = [false; 2];
    for i in 0..cx.uses.len() {
        let mut takes_uniform = false;
        for (_, waddr, _) in cx.uses[i].writes.iter().filter(|(_, w, _)| w.is_tmu()) {
            let unit = usize::from(waddr.0 >= 60);
            let is_s = waddr.0 & 3 == 0;
            takes_uniform |= !is_s || textured[unit];
            textured[unit] = !is_s;
        }
        if takes_uniform && cx.uses[i].reads(Raddr::UNIFORM) {
            let message = "a texture coordinate takes a uniform in an instruction that reads one".to_string();
            cx.report(i, None, message, "read the uniform in another instruction");
        }
    }
}

/// A file A pack mode that meets no register of file A.
pub(super) fn h34(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        let (pm, pack) = match cx.program.insts[i] {
            Inst::Alu(alu) => (alu.pm, alu.pack),
            Inst::Ldi(ldi) => (ldi.pm, ldi.pack),
            Inst::Sema(sema) => (sema.pm, sema.pack),
            Inst::Branch(_) => continue,
        };
        let packed = cx.uses[i].writes.iter().any(|(file, w, _)| *file == File::A && w.is_physical());
        if !pm && pack != Pack::None && !packed {
            let message = format!("the format `{}` is asked for, but no register of file A is written", pack.suffix());
            cx.report(i, None, message, "write a register ra0 to ra31");
        }
    }
}

/// Two values of the uniform stream at once.
pub(super) fn h36(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        if cx.uses[i].raddr_a == Some(Raddr::UNIFORM) && cx.uses[i].raddr_b == Some(Raddr::UNIFORM) {
            let message = "both read ports take from the uniform stream".to_string();
            cx.report(i, None, message, "read the uniform through one file; several operands can share it");
        }
    }
}

/// A mutex acquire that no executed operation uses.
pub(super) fn h47(cx: &mut Context<'_>) {
    for (i, alu) in cx.alus() {
        let port = |raddr: Option<Raddr>| raddr == Some(Raddr::MUTEX_ACQUIRE);
        let (on_a, on_b) = (port(cx.uses[i].raddr_a), port(cx.uses[i].raddr_b));
        let wanted = |mux: Mux| on_a && mux == Mux::A || on_b && mux == Mux::B;
        let selected = alu.op_add != AddOp::Nop && (wanted(alu.add_a) || wanted(alu.add_b))
            || alu.op_mul != MulOp::Nop && (wanted(alu.mul_a) || wanted(alu.mul_b));
        let gated = alu.cond_add == Cond::Never && alu.cond_mul == Cond::Never;
        if (on_a || on_b) && selected && gated {
            let message = "the mutex is read by an operation that never executes, which may not acquire it".to_string();
            cx.report(i, None, message, "give the operation the condition always");
        }
    }
}

/// A host interrupt of zero.
pub(super) fn h48(cx: &mut Context<'_>) {
    for i in 0..cx.uses.len() {
        let zero = match cx.program.insts[i] {
            Inst::Ldi(ldi) => ldi.mode == LdiMode::All && ldi.imm == 0,
            Inst::Alu(alu) => writes_zero(&alu),
            _ => false,
        };
        if zero && cx.uses[i].writes_to(|w| w == Waddr::HOST_INT) {
            let message = "the host interrupt is written with zero, which raises none".to_string();
            cx.report(i, None, message, "write 1");
        }
    }
}

fn writes_zero(alu: &Alu) -> bool {
    let zero_imm = alu.small_imm().is_some_and(|imm| imm.bits() == 0);
    let same = alu.add_a == alu.add_b;
    alu.waddr_add == Waddr::HOST_INT
        && same
        && match alu.op_add {
            AddOp::Xor => true,
            AddOp::Or => zero_imm && alu.add_a == Mux::B,
            _ => false,
        }
}
