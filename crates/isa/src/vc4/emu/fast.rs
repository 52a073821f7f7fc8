//! Stretches of plain instructions: those that touch nothing but registers, flags and the uniform stream, executed without
//! looking up from one to the next.
//!
//! When an instruction is decoded its plain form goes into a table of its own, with the length of the stretch that begins
//! there. An engine executes a stretch in one go; a function that meets anything out of the ordinary (a uniform that is not
//! simply there) changes nothing and leaves its instruction to the loop that knows every rule.

use super::code::{Kind, Op, SetFlags, pre, slot};
use crate::vc4::{AddOp, Cond, MulOp};

/// Operations of the add ALU that have plain forms. [`AddOp::Nop`] comes first.
pub const ADD: [AddOp; 18] = [
    AddOp::Nop,
    AddOp::Fadd,
    AddOp::Fsub,
    AddOp::Fmin,
    AddOp::Fmax,
    AddOp::Ftoi,
    AddOp::Itof,
    AddOp::Add,
    AddOp::Sub,
    AddOp::Shr,
    AddOp::Asr,
    AddOp::Shl,
    AddOp::Min,
    AddOp::Max,
    AddOp::And,
    AddOp::Or,
    AddOp::Xor,
    AddOp::Not,
];

/// The same for the mul ALU.
pub const MUL: [MulOp; 4] = [MulOp::Nop, MulOp::Fmul, MulOp::Mul24, MulOp::V8min];

/// What else a plain instruction does.
pub mod extra {
    /// Nothing: it writes all lanes.
    pub const NONE: u8 = 0;
    /// Its last operand, and no other, is a uniform that it reads; it writes all lanes.
    pub const UNIFORM: u8 = 1;
    /// It may write some lanes only, set flags, and read a uniform.
    pub const ANY: u8 = 2;
    /// Number of these.
    pub const COUNT: u8 = 3;
}

/// The plain form of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Fast {
    /// Plain instructions from this one on; 0 if it is none.
    pub run: u16,
    /// Which function executes it: `(add * MUL.len() + mul) * extra::COUNT + extra`.
    pub function: u8,
    pub add_a: u8,
    pub add_b: u8,
    pub mul_a: u8,
    pub mul_b: u8,
    pub to_add: u8,
    pub to_mul: u8,
    pub cond_add: Cond,
    pub cond_mul: Cond,
    pub set_flags: SetFlags,
    pub uniform: bool,
}

const _: () = assert!(ADD.len() * MUL.len() * extra::COUNT as usize <= 256);

impl Fast {
    /// Not plain.
    pub const NO: Fast = Fast {
        run: 0,
        function: 0,
        add_a: 0,
        add_b: 0,
        mul_a: 0,
        mul_b: 0,
        to_add: 0,
        to_mul: 0,
        cond_add: Cond::Never,
        cond_mul: Cond::Never,
        set_flags: SetFlags::No,
        uniform: false,
    };

    /// The plain form of an instruction, or [`Fast::NO`].
    pub fn of(op: &Op) -> Fast {
        let plain = op.kind == Kind::Alu && op.post == 0 && op.pre & !(pre::UNIFORM | pre::R4) == 0;
        let add = ADD.iter().position(|a| *a == op.add);
        let mul = MUL.iter().position(|m| *m == op.mul);
        let (true, Some(add), Some(mul)) = (plain, add, mul) else { return Fast::NO };
        let uniform = op.pre & pre::UNIFORM != 0;
        let everywhere = (op.add == AddOp::Nop || op.cond_add == Cond::Always)
            && (op.mul == MulOp::Nop || op.cond_mul == Cond::Always)
            && op.set_flags == SetFlags::No;
        // A product may be turned round, so that its uniform comes last.
        let swap = op.mul == MulOp::Fmul && op.mul_a == slot::UNIFORM;
        let [mul_a, mul_b] = if swap { [op.mul_b, op.mul_a] } else { [op.mul_a, op.mul_b] };
        let others = [(op.add != AddOp::Nop, op.add_a), (op.add != AddOp::Nop, op.add_b), (true, mul_a)];
        let last_only = op.mul != MulOp::Nop
            && mul_b == slot::UNIFORM
            && !others.iter().any(|(used, operand)| *used && *operand == slot::UNIFORM);
        let extra = match (everywhere, uniform) {
            (true, false) => extra::NONE,
            (true, true) if last_only => extra::UNIFORM,
            _ => extra::ANY,
        };
        Fast {
            run: 1,
            function: ((add * MUL.len() + mul) * usize::from(extra::COUNT)) as u8 + extra,
            add_a: op.add_a,
            add_b: op.add_b,
            mul_a,
            mul_b,
            to_add: op.to_add,
            to_mul: op.to_mul,
            cond_add: op.cond_add,
            cond_mul: op.cond_mul,
            set_flags: op.set_flags,
            uniform,
        }
    }
}

/// Sets the plain forms of the instructions `from..to` and the lengths of the stretches that end there.
pub fn refresh(fast: &mut [Fast], ops: &[Op], from: usize, to: usize) {
    for (plain, op) in fast[from..to].iter_mut().zip(&ops[from..to]) {
        *plain = Fast::of(op);
    }
    let mut run = fast.get(to).map_or(0, |f| f.run);
    for plain in fast[..to].iter_mut().rev() {
        if plain.run == 0 {
            run = 0;
            continue;
        }
        run = run.saturating_add(1);
        plain.run = run;
    }
}

/// The uniforms that a stretch may read: those that are simply there.
pub struct Ahead<'m> {
    bytes: &'m [u8],
    /// How many were read.
    pub read: u32,
}

impl<'m> Ahead<'m> {
    /// The uniforms that begin with these bytes.
    pub fn new(bytes: &'m [u8]) -> Ahead<'m> {
        Ahead { bytes, read: 0 }
    }

    /// Takes the next one.
    #[inline(always)]
    pub fn next(&mut self) -> Option<u32> {
        let (word, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        self.read += 1;
        Some(u32::from_le_bytes(*word))
    }
}
