//! One to three operations in one instruction: which ALU, which read ports, which file each result goes to.

use super::minst::{Dst, MInst, Oper, Place, Rotate, Src};
use quadra_isa::vc4::{AddOp, Alu, Cond, File, Inst, Ldi, MulOp, Mux, Raddr, Sema, Signal, SmallImm, Unpack, Waddr};

/// The factor by which the mul ALU doubles.
const TWO: SmallImm = SmallImm::from_float(2.0).expect("powers of two are small immediates");

/// The instruction that does all of these at once; `None` if the machine has none. Operations that depend on each other
/// must have been kept apart by the caller.
pub fn fit(ops: &[&MInst]) -> Option<Inst> {
    if let [op] = ops
        && let Some(inst) = alone(op)
    {
        return Some(inst);
    }
    let mut units: [Option<&MInst>; 2] = [None, None];
    let mut signal = Signal::None;
    let mut n = 0;
    for op in ops {
        match op.op {
            Oper::Signal(s) if signal == Signal::None => signal = s,
            Oper::Add(_) | Oper::Mul(_) | Oper::Mov | Oper::Double if n < 2 => {
                units[n] = Some(op);
                n += 1;
            }
            _ => return None,
        }
    }
    if !compatible(ops, signal) {
        return None;
    }
    assemble(units[0], units[1], signal).or_else(|| assemble(units[1], units[0], signal)).map(Inst::Alu)
}

/// Operations that share an instruction with nothing.
fn alone(op: &MInst) -> Option<Inst> {
    let (waddr, file) = destination(op.dst)?;
    let ws = file == Some(File::B);
    match op.op {
        Oper::Ldi(imm) => Some(Inst::Ldi(Ldi { waddr_add: waddr, cond_add: op.cond, sf: op.sf, ws, imm, ..Ldi::NOP })),
        Oper::Sema(down, n) => Some(Inst::Sema(if down { Sema::down(n) } else { Sema::up(n) })),
        Oper::Probe(_) => Some(Inst::NOP),
        _ => None,
    }
}

/// At most one access to TMU, SFU or mutex; no VPM access beside a TMU load.
fn compatible(ops: &[&MInst], signal: Signal) -> bool {
    let special = |op: &&&MInst| {
        let write = matches!(op.dst, Dst::Peripheral(w, _) if w.is_sfu() || w.is_tmu());
        write || op.src[0] == Some(Src::Mutex)
    };
    let vpm = |op: &&MInst| {
        let write = matches!(op.dst, Dst::Peripheral(w, _) if (48..=50).contains(&w.0));
        let read = op.src.iter().flatten().any(|s| matches!(s, Src::Vpm | Src::LoadWait | Src::StoreWait));
        write || read
    };
    let specials = ops.iter().filter(special).count() + usize::from(signal.loads_r4());
    specials <= 1 && !(signal.loads_r4() && ops.iter().any(vpm))
}

/// The write address, and the file where it matters.
fn destination(dst: Dst) -> Option<(Waddr, Option<File>)> {
    Some(match dst {
        Dst::None => (Waddr::NOP, None),
        Dst::Reg(r) => match Place::of(r)? {
            Place::Acc(n) => (Waddr::accumulator(n), None),
            Place::A(n) => (Waddr::physical(n), Some(File::A)),
            Place::B(n) => (Waddr::physical(n), Some(File::B)),
            Place::R5 => (Waddr::R5, Some(File::B)),
            Place::R4 => return None,
        },
        Dst::Peripheral(w, side) => (w, side.map(|b| if b { File::B } else { File::A })),
    })
}

/// The two read ports.
struct Ports {
    a: Option<Raddr>,
    /// What is made of all that file A gives.
    unpack: Unpack,
    b: Option<Raddr>,
    imm: Option<SmallImm>,
}

impl Ports {
    fn take_a(&mut self, r: Raddr, unpack: Unpack) -> Option<Mux> {
        (self.a.is_none() || self.a == Some(r) && self.unpack == unpack).then(|| {
            (self.a, self.unpack) = (Some(r), unpack);
            Mux::A
        })
    }

    fn take_b(&mut self, r: Raddr) -> Option<Mux> {
        (self.imm.is_none() && (self.b.is_none() || self.b == Some(r))).then(|| {
            self.b = Some(r);
            Mux::B
        })
    }

    fn take_imm(&mut self, i: SmallImm) -> Option<Mux> {
        (self.b.is_none() && (self.imm.is_none() || self.imm == Some(i))).then(|| {
            self.imm = Some(i);
            Mux::B
        })
    }

    fn operand(&mut self, s: Src) -> Option<Mux> {
        match s {
            Src::Reg(r) => match Place::of(r)? {
                Place::Acc(n) => Some(Mux::from_code(n)),
                Place::R4 => Some(Mux::R4),
                Place::R5 => Some(Mux::R5),
                Place::A(n) => self.take_a(Raddr::physical(n), Unpack::None),
                Place::B(n) => self.take_b(Raddr::physical(n)),
            },
            Src::Part(r, part) => match Place::of(r)? {
                Place::A(n) => self.take_a(Raddr::physical(n), part),
                _ => None,
            },
            Src::Imm(i) => self.take_imm(i),
            other => {
                let (raddr, on_a, on_b) = other.peripheral()?;
                let whole = self.a == Some(raddr) && self.unpack == Unpack::None;
                if on_a && (self.a.is_none() || whole) {
                    self.take_a(raddr, Unpack::None)
                } else if on_b {
                    self.take_b(raddr)
                } else {
                    None
                }
            }
        }
    }

    /// Operands of one operation; a copy and a doubling read their only operand twice.
    fn operands(&mut self, op: &MInst) -> Option<(Mux, Mux)> {
        let a = self.operand(op.src[0]?)?;
        match op.src[1] {
            Some(s) if op.op != Oper::Mov => Some((a, self.operand(s)?)),
            _ => Some((a, a)),
        }
    }
}

fn assemble(add: Option<&MInst>, mul: Option<&MInst>, signal: Signal) -> Option<Alu> {
    let mut alu = Alu::signal(signal);
    let mut ports = Ports { a: None, unpack: Unpack::None, b: None, imm: None };
    // Registers take their port first: the free choices of peripherals come later.
    if let Some(op) = mul {
        ports.imm = rotation(op.rotate)?;
    }
    let mut files = [None, None];
    if let Some(op) = add {
        alu.op_add = match op.op {
            Oper::Add(o) => o,
            Oper::Mov if op.rotate == Rotate::None => AddOp::Or,
            Oper::Double if op.rotate == Rotate::None => AddOp::Fadd,
            _ => return None,
        };
        (alu.add_a, alu.add_b) = ports.operands(op)?;
        (alu.waddr_add, files[0]) = destination(op.dst)?;
        alu.cond_add = op.cond;
        alu.sf |= op.sf;
    }
    if let Some(op) = mul {
        alu.op_mul = match op.op {
            Oper::Mul(o) => o,
            Oper::Mov => MulOp::V8min,
            Oper::Double if op.rotate == Rotate::None => MulOp::Fmul,
            _ => return None,
        };
        // Flags come from the add ALU if it does anything.
        if op.sf && add.is_some() {
            return None;
        }
        (alu.mul_a, alu.mul_b) = if op.op == Oper::Double {
            (ports.operand(op.src[0]?)?, ports.take_imm(TWO)?)
        } else {
            ports.operands(op)?
        };
        (alu.waddr_mul, files[1]) = destination(op.dst)?;
        alu.cond_mul = op.cond;
        alu.sf |= op.sf;
    }
    alu.ws = match (files[0], files[1]) {
        (Some(x), Some(y)) if x == y => return None,
        (Some(x), _) => x == File::B,
        (None, Some(y)) => y == File::A,
        (None, None) => false,
    };
    alu.raddr_a = ports.a.unwrap_or(Raddr::NOP);
    alu.unpack = ports.unpack;
    alu.raddr_b = ports.b.unwrap_or(Raddr::NOP);
    if let Some(imm) = ports.imm {
        if signal != Signal::None {
            return None;
        }
        alu = alu.with_small_imm(imm);
    }
    // A write condition of an absent operation stays "never".
    debug_assert!(add.is_some() || alu.cond_add == Cond::Never);
    Some(alu)
}

/// The small immediate that rotates, if anything is to be rotated; nothing if no immediate does it.
fn rotation(rotate: Rotate) -> Option<Option<SmallImm>> {
    Some(match rotate {
        Rotate::None => None,
        Rotate::By(n) => Some(SmallImm::from_rotation(n)?),
        _ => Some(SmallImm::ROTATE_R5),
    })
}

/// How many instructions after `last` `next` may come at the earliest (VideoCore IV guide p. 37 and 56).
pub fn apart(last: &Inst, next: &Inst) -> usize {
    let Inst::Alu(next) = next else { return 1 };
    let reads = |file: File, n: u8| next.read(file) == Some(Raddr(n));
    let rotates = next.small_imm().is_some_and(|SmallImm(code)| code >= 48);
    let operands = [next.add_a, next.add_b, next.mul_a, next.mul_b];
    let touches_r4 = operands.contains(&Mux::R4)
        || next.sig.loads_r4()
        || [next.waddr_add, next.waddr_mul].iter().any(|w| w.is_sfu());
    let needs = last.writes().map(|(file, waddr, _)| match waddr.as_accumulator() {
        Some(5) if rotates && next.small_imm() == Some(SmallImm::ROTATE_R5) => 2,
        Some(n) if rotates && n < 4 && [next.mul_a, next.mul_b].contains(&Mux::from_code(n)) => 2,
        Some(_) => 1,
        None if waddr.is_physical() && reads(file, waddr.0) => 2,
        None if waddr.is_sfu() && touches_r4 => 3,
        None if waddr == Waddr::VPM_RD_SETUP
            && file == File::A
            && [File::A, File::B].iter().any(|f| next.read(*f) == Some(Raddr::VPM)) =>
        {
            4
        }
        None => 1,
    });
    needs.max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::tests::{a, acc, b};

    fn imm(n: i32) -> Src {
        Src::Imm(SmallImm::from_int(n).expect("small"))
    }

    #[test]
    fn two_operations_share_ports_and_files() {
        let add = MInst::add(AddOp::Add, a(1), a(2), b(3));
        let mul = MInst::mul(MulOp::Fmul, b(4), a(2), acc(0));
        assert!(fit(&[&add, &mul]).is_some());
        // Both results into file A.
        let other = MInst::mul(MulOp::Fmul, a(4), a(2), acc(0));
        assert_eq!(fit(&[&add, &other]), None);
        // Two registers of file A.
        let third = MInst::mul(MulOp::Fmul, b(4), a(5), acc(0));
        assert_eq!(fit(&[&add, &third]), None);
    }

    #[test]
    fn doubling_finds_room_in_the_mul_alu() {
        let add = MInst::add(AddOp::Fsub, acc(1), a(2), acc(3));
        let twice = MInst::new(Oper::Double, b(4), &[acc(0).into()]);
        let Some(Inst::Alu(both)) = fit(&[&twice, &add]) else { panic!("they share an instruction") };
        assert_eq!((both.op_add, both.op_mul, both.small_imm()), (AddOp::Fsub, MulOp::Fmul, Some(TWO)));
        assert!(matches!(fit(&[&twice]), Some(Inst::Alu(alone)) if alone.op_add == AddOp::Fadd));
        // The factor takes the place of a register of file B, and flags come from the add ALU.
        let in_b = MInst::add(AddOp::Fsub, acc(1), b(2), acc(3));
        assert_eq!(fit(&[&twice, &in_b]), None);
        assert_eq!(fit(&[&twice.flags(), &add]), None);
        for x in [
            0,
            1,
            0x8000_0000,
            0x8000_0001,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x7f7f_ffff,
            0xff00_0000,
            0x0080_0000,
        ] {
            use quadra_isa::vc4::emu::alu::{fadd, fmul};
            assert_eq!(fadd(x, x), fmul(x, 2f32.to_bits()), "{x:#x}");
        }
    }

    #[test]
    fn a_signal_excludes_a_small_immediate() {
        let load = MInst::new(Oper::Signal(Signal::LoadTmu0), Dst::None, &[]);
        let plain = MInst::add(AddOp::Add, acc(1), a(2), b(3));
        let small = MInst::add(AddOp::Add, acc(1), a(2), imm(3));
        assert!(fit(&[&load, &plain]).is_some());
        assert_eq!(fit(&[&load, &small]), None);
        // Nor may the VPM be touched beside it.
        let vpm = MInst::mov(Dst::VPM, acc(0));
        assert_eq!(fit(&[&load, &vpm]), None);
    }

    #[test]
    fn setups_choose_their_file() {
        let read = fit(&[&MInst::mov(Dst::RD_SETUP, b(1))]);
        let write = fit(&[&MInst::mov(Dst::WR_SETUP, b(1))]);
        assert!(matches!(read, Some(Inst::Alu(a)) if !a.ws));
        assert!(matches!(write, Some(Inst::Alu(a)) if a.ws));
    }

    #[test]
    fn flags_come_from_the_add_alu() {
        let flags = MInst::mov(Dst::None, acc(0)).flags();
        let mul = MInst::mul(MulOp::Fmul, acc(1), acc(2), acc(3));
        let add = MInst::add(AddOp::Fadd, acc(1), acc(2), acc(3));
        assert!(matches!(fit(&[&mul, &flags]), Some(Inst::Alu(a)) if a.op_add == AddOp::Or && a.sf));
        assert_eq!(fit(&[&add, &flags]), None);
    }
}
