//! Rules H01 to H13: results that are not there yet.

use super::super::imm::Rotation;
use super::super::inst::{Inst, LdiMode};
use super::super::op::AddOp;
use super::super::reg::{File, Mux, Raddr, Waddr};
use super::{Context, flow, uses};

impl Context<'_> {
    /// Pairs of an instruction that passes `first` and one that passes `then`, at most `depth` instructions later.
    fn pairs(
        &self,
        depth: usize,
        first: impl Fn(&Self, usize) -> bool,
        then: impl Fn(&Self, usize, usize) -> bool,
    ) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for i in 0..self.program.insts.len() {
            if first(self, i) {
                flow::after(self.program, i, depth, &mut |j, distance| {
                    if then(self, j, distance) {
                        found.push((i, j));
                    }
                });
            }
        }
        found
    }

    fn writes(&self, i: usize, test: impl Fn(Waddr) -> bool) -> bool {
        self.uses[i].writes_to(test)
    }
}

/// Read of a physical register, or of the flag registers used as storage, right after its write.
pub(super) fn h01(cx: &mut Context<'_>) {
    let stored = |w: Waddr| w.is_physical() || w == Waddr::MS_FLAGS;
    for i in 0..cx.uses.len() {
        if !cx.writes(i, stored) {
            continue;
        }
        let mut readers = Vec::new();
        flow::after(cx.program, i, 1, &mut |j, _| readers.push(j));
        for j in readers {
            for (file, waddr, cond) in cx.uses[i].writes.clone() {
                if stored(waddr) && reads_early(cx, i, j, file, waddr, cond) {
                    let name = super::super::names::write_name(super::super::line::Place::File(file, waddr.0));
                    let message =
                        format!("`{name}` is read in the instruction after its write and still has its old value");
                    cx.report(j, Some(i), message, "put another instruction between, or use an accumulator");
                }
            }
        }
    }
}

/// Whether instruction `j`, right after `i`, sees the old value of a register that `i` writes, in a lane that matters.
fn reads_early(cx: &Context<'_>, i: usize, j: usize, file: File, waddr: Waddr, cond: super::super::op::Cond) -> bool {
    if let Inst::Branch(branch) = cx.program.insts[j] {
        return branch.reg && file == File::A && branch.raddr_a == waddr.0;
    }
    if cx.uses[j].read(file) != Some(Raddr(waddr.0)) {
        return false;
    }
    let mux = if file == File::A { Mux::A } else { Mux::B };
    let apart = |reader| !cx.uses[i].sets_flags && uses::disjoint(cond, reader);
    cx.uses[j].operands.iter().any(|o| o.mux == mux && !(o.lanewise && apart(o.cond)))
}

/// Read of r4 before the SFU's result is there.
pub(super) fn h02(cx: &mut Context<'_>) {
    let reads_r4 = |cx: &Context<'_>, j: usize, _| cx.uses[j].operands.iter().any(|o| o.mux == Mux::R4);
    for (i, j) in cx.pairs(2, |cx, i| cx.writes(i, Waddr::is_sfu), reads_r4) {
        let message = "r4 is read before the result of the special function is there".to_string();
        cx.report(j, Some(i), message, "leave two instructions between the SFU write and the read of r4");
    }
}

/// A load into r4 that collides with the SFU's result.
pub(super) fn h03(cx: &mut Context<'_>) {
    let loads = |cx: &Context<'_>, j: usize, _| cx.program.insts[j].signal().loads_r4();
    for (i, j) in cx.pairs(2, |cx, i| cx.writes(i, Waddr::is_sfu), loads) {
        let message = "a load into r4 collides with the result of the special function".to_string();
        cx.report(j, Some(i), message, "leave two instructions between the SFU write and the load signal");
    }
}

/// Two SFU operations too close.
pub(super) fn h04(cx: &mut Context<'_>) {
    let sfu = |cx: &Context<'_>, i: usize| cx.writes(i, Waddr::is_sfu);
    for (i, j) in cx.pairs(2, sfu, |cx, j, _| sfu(cx, j)) {
        let message = "a second special function starts while the first is running".to_string();
        cx.report(j, Some(i), message, "leave two instructions between two SFU writes");
    }
}

/// Rotation of an accumulator right after its write; wrong in the lanes whose data move to a lower quad.
pub(super) fn h06(cx: &mut Context<'_>) {
    let writes = |cx: &Context<'_>, i: usize| cx.writes(i, |w| w.as_accumulator().is_some_and(|n| n < 4));
    for (i, j) in cx.pairs(1, writes, |cx, j, _| rotated(cx, j).is_some()) {
        let Some((rotation, sources)) = rotated(cx, j) else { continue };
        let written = |n: u8| sources.contains(&Mux::from_code(n));
        let hit = cx.uses[i].writes.iter().any(|(_, w, _)| w.as_accumulator().is_some_and(written));
        if hit {
            let lanes = match rotation {
                Rotation::R5 => "lanes whose data move to a lower quad".to_string(),
                Rotation::By(n) => {
                    let wrong = lower_quad_lanes(n) & lanes_that_matter(&cx.program.insts[j]);
                    if wrong == 0 {
                        continue;
                    }
                    format!("result lanes {}", lane_list(wrong))
                }
            };
            let message = format!("an accumulator is rotated right after its write; {lanes} get the old value");
            cx.report(j, Some(i), message, "put another instruction between, unless those lanes do not matter");
        }
    }
}

/// The full 16-lane rotation of an instruction and the accumulators it moves; `None` where it only acts within quads.
fn rotated(cx: &Context<'_>, j: usize) -> Option<(Rotation, Vec<Mux>)> {
    let Inst::Alu(alu) = cx.program.insts[j] else { return None };
    let rotation = uses::rotation(&alu)?;
    let sources: Vec<Mux> = [alu.mul_a, alu.mul_b].into_iter().filter(|m| m.code() < 4).collect();
    (!sources.is_empty()).then_some((rotation, sources))
}

/// The result lanes of a rotation by `n` whose source lies in a higher quad.
fn lower_quad_lanes(n: u8) -> u16 {
    let lower = (0..16u8).filter(|source| ((source + n) % 16) / 4 < source / 4);
    lower.fold(0, |lanes, source| lanes | 1 << ((source + n) % 16))
}

/// The lanes of the mul ALU's result that its destination takes.
fn lanes_that_matter(inst: &Inst) -> u16 {
    let Inst::Alu(alu) = inst else { return !0 };
    let flags = alu.sf && alu.op_add == AddOp::Nop;
    match (alu.waddr_mul.0, inst.add_file().other()) {
        _ if flags => !0,
        (37, File::A) => 0x1111,
        (36 | 40 | 49 | 50, _) | (37, File::B) => 1,
        (39, _) => 0,
        _ => !0,
    }
}

fn lane_list(lanes: u16) -> String {
    let list: Vec<String> = (0..16).filter(|lane| lanes >> lane & 1 == 1).map(|lane| lane.to_string()).collect();
    list.join(", ")
}

/// Rotation by r5 right after a write of r5.
pub(super) fn h07(cx: &mut Context<'_>) {
    let by_r5 = |cx: &Context<'_>, j: usize, _| match cx.program.insts[j] {
        Inst::Alu(alu) => uses::rotation(&alu) == Some(Rotation::R5),
        _ => false,
    };
    for (i, j) in cx.pairs(1, |cx, i| cx.writes(i, |w| w == Waddr::R5), by_r5) {
        let message = "the rotation amount r5 was written by the instruction before".to_string();
        cx.report(j, Some(i), message, "put another instruction between");
    }
}

/// Rotation that cannot cross quads because an operand is no accumulator r0 to r3.
pub(super) fn h08(cx: &mut Context<'_>) {
    for j in 0..cx.program.insts.len() {
        let Inst::Alu(alu) = cx.program.insts[j] else { continue };
        let Some(rotation) = uses::rotation(&alu) else { continue };
        let stuck = |mux: Mux| matches!(mux, Mux::R4 | Mux::R5 | Mux::A);
        let crosses = matches!(rotation, Rotation::R5 | Rotation::By(4..=12));
        if crosses && (stuck(alu.mul_a) || stuck(alu.mul_b)) {
            let message = "this operand rotates within its quads only, by the amount modulo 4".to_string();
            cx.report(j, None, message, "copy the operand to r0, r1, r2 or r3 first");
        }
    }
}

/// A uniform read before the new stream address has arrived.
pub(super) fn h09(cx: &mut Context<'_>) {
    let reads = |cx: &Context<'_>, j: usize, _| {
        cx.uses[j].reads(Raddr::UNIFORM) || cx.writes(j, |w| matches!(w.0, 57..=59 | 61..=63))
    };
    for (i, j) in cx.pairs(2, |cx, i| cx.writes(i, |w| w == Waddr::UNIFORMS_ADDRESS), reads) {
        let message = "a uniform is taken before the new uniform address has arrived".to_string();
        cx.report(j, Some(i), message, "leave two instructions between the write of unif_addr and the first uniform");
    }
}

/// Flag registers read before the depth test has set them.
pub(super) fn h10(cx: &mut Context<'_>) {
    let reads = |cx: &Context<'_>, j: usize, _| cx.uses[j].reads(Raddr::MS_FLAGS);
    for (i, j) in cx.pairs(2, |cx, i| cx.writes(i, |w| w == Waddr::TLB_Z), reads) {
        let message = "ms_mask or rev_flag is read too early after the write of tlbz".to_string();
        cx.report(j, Some(i), message, "leave two instructions between");
    }
}

/// A TMU write before the change of TMU balancing has arrived.
pub(super) fn h11(cx: &mut Context<'_>) {
    let noswap = |cx: &Context<'_>, i: usize| cx.writes(i, |w| w == Waddr::TMU_NOSWAP);
    for (i, j) in cx.pairs(3, noswap, |cx, j, _| cx.writes(j, Waddr::is_tmu)) {
        let message = "a TMU is written too early after tmurs".to_string();
        cx.report(j, Some(i), message, "leave three instructions between");
    }
}

/// A change of TMU balancing after the TMUs were used.
pub(super) fn h12(cx: &mut Context<'_>) {
    let Some(first) = (0..cx.uses.len()).find(|i| cx.writes(*i, Waddr::is_tmu)) else { return };
    for j in first + 1..cx.uses.len() {
        if cx.writes(j, |w| w == Waddr::TMU_NOSWAP) {
            let message = "tmurs is written after the first use of a TMU".to_string();
            cx.report(j, Some(first), message, "write tmurs once, at the start of the program");
        }
    }
}

/// A VPM read so soon after its setup that it stalls (by the guide: reads undefined data).
pub(super) fn h13(cx: &mut Context<'_>) {
    for (i, j) in cx.pairs(3, sets_up_vpm_read, |cx, j, _| cx.uses[j].reads(Raddr::VPM)) {
        let message = "the VPM is read less than three instructions after the read setup".to_string();
        cx.report(j, Some(i), message, "leave three instructions between; an earlier read stalls at best");
    }
}

/// Whether an instruction writes a VPM read setup that is known not to be a DMA setup.
pub(super) fn sets_up_vpm_read(cx: &Context<'_>, i: usize) -> bool {
    matches!(vpm_read_setup(cx, i), Some(Some(_)))
}

/// A write of the VPM read setup: `Some(None)` with a value unknown here, `Some(Some(n))` announcing n vectors. `None` for
/// no write, or a DMA setup.
pub(super) fn vpm_read_setup(cx: &Context<'_>, i: usize) -> Option<Option<u32>> {
    if !cx.uses[i].writes_in(File::A, Waddr::VPM_RD_SETUP) {
        return None;
    }
    match cx.program.insts[i] {
        Inst::Ldi(ldi) if ldi.mode == LdiMode::All => {
            let vectors = if ldi.imm >> 20 & 15 == 0 { 16 } else { ldi.imm >> 20 & 15 };
            (ldi.imm >> 30 == 0).then_some(Some(vectors))
        }
        _ => Some(None),
    }
}
