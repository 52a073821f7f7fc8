//! The read side of an instruction: the two read ports, the small immediate, unpacking.

use super::super::imm::{Rotation, SmallImm};
use super::super::line::{Place, Reg, SliceKind, Src, constant};
use super::super::names;
use super::super::pack::Unpack;
use super::super::reg::{File, Mux};
use super::Misfit;

/// What read port B does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PortB {
    Free,
    Read(u8),
    Imm(SmallImm),
}

/// What is decided about the operands so far.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    pub port_a: Option<u8>,
    pub port_b: PortB,
    pub unpack: Option<(Unpack, bool)>,
}

impl Reads {
    pub fn new() -> Reads {
        Reads { port_a: None, port_b: PortB::Free, unpack: None }
    }

    /// Takes port A for an address.
    fn take_a(&mut self, op: usize, address: u8) -> Result<Mux, Misfit> {
        match self.port_a {
            Some(taken) if taken != address => {
                let (new, old) = (read_name(File::A, address), read_name(File::A, taken));
                let message = format!("`{new}` and `{old}` are both read from register file A");
                Err(Misfit::new(
                    op,
                    message,
                    "an instruction reads one register of each file; copy one of them to an accumulator",
                ))
            }
            _ => {
                self.port_a = Some(address);
                Ok(Mux::A)
            }
        }
    }

    /// Takes port B for an address.
    fn take_b(&mut self, op: usize, address: u8) -> Result<Mux, Misfit> {
        let new = read_name(File::B, address);
        match self.port_b {
            PortB::Free => self.port_b = PortB::Read(address),
            PortB::Read(taken) if taken == address => {}
            PortB::Read(taken) => {
                let message = format!("`{new}` and `{}` are both read from register file B", read_name(File::B, taken));
                return Err(Misfit::new(
                    op,
                    message,
                    "an instruction reads one register of each file; copy one of them to an accumulator",
                ));
            }
            PortB::Imm(imm) => {
                let what = match imm.rotation() {
                    Some(_) => "a rotation".to_string(),
                    None => format!("the small immediate {}", constant(imm.bits())),
                };
                let message =
                    format!("`{new}` cannot be read together with {what}, which stands in file B's address field");
                return Err(Misfit::new(op, message, "copy it to an accumulator or a register of file A first"));
            }
        }
        Ok(Mux::B)
    }

    /// Takes port B for a rotation of the mul result; `crosses`: of an operand that rotates across quads.
    pub fn rotate(&mut self, op: usize, rotation: Rotation, crosses: bool) -> Result<(), Misfit> {
        let code = match rotation {
            Rotation::R5 => SmallImm::ROTATE_R5,
            Rotation::By(n) => match SmallImm::from_rotation(n) {
                Some(code) => code,
                None => return Ok(()),
            },
        };
        match self.port_b {
            PortB::Free => self.port_b = PortB::Imm(code),
            PortB::Imm(taken) if taken == code => {}
            PortB::Imm(SmallImm(taken @ 49..)) if !crosses && taken % 4 == code.0 % 4 => {}
            PortB::Imm(_) => {
                let help = "the operands of a mul operation are rotated together, by one amount";
                return Err(Misfit::new(op, "two different rotations in one instruction", help));
            }
            PortB::Read(taken) => {
                let message = format!("a rotation cannot be combined with reading `{}`", read_name(File::B, taken));
                return Err(Misfit::new(
                    op,
                    message,
                    "the rotation stands in file B's address field; copy the register to an accumulator first",
                ));
            }
        }
        Ok(())
    }

    /// Takes port B for a constant.
    pub fn constant(&mut self, op: usize, bits: u32) -> Result<Mux, Misfit> {
        if let PortB::Imm(taken) = self.port_b
            && taken.bits() == bits
        {
            return Ok(Mux::B);
        }
        let value = constant(bits);
        let Some(code) = SmallImm::from_bits(bits) else {
            let help = "small immediates are -16 to 15 and the powers of two 1/256.0 to 128.0; load others with `ldi` or `mov` first";
            return Err(Misfit::new(op, format!("{value} is no small immediate"), help));
        };
        match self.port_b {
            PortB::Free => {
                self.port_b = PortB::Imm(code);
                Ok(Mux::B)
            }
            PortB::Imm(taken) if taken.rotation().is_some() => {
                let message = format!("the constant {value} cannot be combined with this rotation");
                let help = format!("with it only the constant {} is free", constant(taken.bits()));
                Err(Misfit::new(op, message, help))
            }
            PortB::Imm(taken) => {
                let message =
                    format!("two small immediates, {} and {value}, in one instruction", constant(taken.bits()));
                Err(Misfit::new(op, message, "load one of them into a register first"))
            }
            PortB::Read(taken) => {
                let message =
                    format!("the constant {value} cannot be combined with reading `{}`", read_name(File::B, taken));
                Err(Misfit::new(
                    op,
                    message,
                    "small immediates stand in file B's address field; copy the register to an accumulator or file A first",
                ))
            }
        }
    }

    /// The mux of a register whose file is fixed; `None` if it can be read from either file.
    pub fn fixed(&mut self, op: usize, reg: Reg) -> Result<Option<Mux>, Misfit> {
        let sliced = reg.slice.is_some_and(|s| s.unpack.is_some() || s.pack.is_some());
        let mux = match reg.place {
            Place::Acc(n) => Mux::from_code(n),
            Place::File(File::A, n) => self.take_a(op, n)?,
            Place::File(File::B, n) => self.take_b(op, n)?,
            Place::Io(n) if sliced => self.take_a(op, n)?,
            Place::Io(_) => return Ok(None),
        };
        if sliced {
            self.unpack(op, reg, mux)?;
        }
        Ok(Some(mux))
    }

    /// The mux of a register of either file: port A if it can be had.
    pub fn either(&mut self, op: usize, address: u8) -> Result<Mux, Misfit> {
        if self.port_b == PortB::Read(address) && self.port_a != Some(address) {
            return Ok(Mux::B);
        }
        self.take_a(op, address).or_else(|misfit| self.take_b(op, address).map_err(|_| misfit))
    }

    fn unpack(&mut self, op: usize, reg: Reg, mux: Mux) -> Result<(), Misfit> {
        let name = names::read_name(reg.place);
        let pm = match mux {
            Mux::A => false,
            Mux::R4 => true,
            _ => {
                let help = "only registers of file A and r4 can be unpacked";
                return Err(Misfit::new(op, format!("`{name}` cannot be unpacked"), help));
            }
        };
        let slice = reg.slice.expect("the caller saw a slice");
        let Some(unpack) = slice.unpack else {
            let help = "operands can be 16a, 16b, 8a, 8b, 8c, 8d or 8dr";
            return Err(Misfit::new(op, format!("`{name}` cannot be read in this format"), help));
        };
        if pm && slice.kind == SliceKind::Int && unpack != Unpack::D8r {
            let help = "the unpacker of r4 always converts to float; move r4 to a register of file A first";
            return Err(Misfit::new(op, "r4 cannot be unpacked to integers", help));
        }
        match self.unpack {
            Some(other) if other != (unpack, pm) => {
                let help = "all unpacked operands of an instruction share one format, of file A or of r4";
                Err(Misfit::new(op, "two different unpack formats in one instruction", help))
            }
            _ => {
                self.unpack = Some((unpack, pm));
                Ok(())
            }
        }
    }

    /// Refuses an operand without suffix that the instruction's unpack mode would nevertheless convert.
    pub fn check_whole(&self, op: usize, src: Src, mux: Mux) -> Result<(), Misfit> {
        let Src::Reg(reg) = src else { return Ok(()) };
        let (Some((unpack, pm)), None) = (self.unpack, reg.slice) else { return Ok(()) };
        if mux == (if pm { Mux::R4 } else { Mux::A }) {
            let name = names::read_name(reg.place);
            let suffix = unpack.suffix();
            let message = format!("`{name}` would be unpacked as `.{suffix}` too");
            let help = format!(
                "all operands read from the same register share the format: write `{name}.{suffix}` or copy it first"
            );
            return Err(Misfit::new(op, message, help));
        }
        Ok(())
    }
}

fn read_name(file: File, address: u8) -> String {
    names::read_name(names::read_place(file, address))
}
