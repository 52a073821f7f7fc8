//! The write side of an instruction: addresses, write swap, pack.

use super::super::line::{Place, Reg, SliceKind};
use super::super::names;
use super::super::op::Cond;
use super::super::pack::Pack;
use super::super::reg::{File, Waddr};
use super::Misfit;

/// What is decided about the two ALU outputs so far; index 0 is the add ALU.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub ws: Option<bool>,
    pub waddrs: [Waddr; 2],
    pub conds: [Cond; 2],
    pub pack: Pack,
    pub pm: Option<bool>,
    pub sf: bool,
}

impl Default for Output {
    fn default() -> Output {
        Output { ws: None, waddrs: [Waddr::NOP; 2], conds: [Cond::Never; 2], pack: Pack::None, pm: None, sf: false }
    }
}

impl Output {
    /// The condition of output `unit`. Where nothing is written and no flags are set it is "never", as vc4asm has it; the
    /// hardware does the same either way.
    pub fn condition(&mut self, unit: usize, dst: Reg, cond: Cond, setf: bool) {
        self.conds[unit] = if dst.place == Reg::NONE.place && !setf { Cond::Never } else { cond };
    }

    /// Sends output `unit` to `dst`.
    pub fn place(&mut self, op: usize, unit: usize, dst: Reg) -> Result<(), Misfit> {
        let (address, file) = match dst.place {
            Place::Acc(4) => {
                let help = "r4 is written by the special function unit and by load signals only";
                return Err(Misfit::new(op, "r4 cannot be written", help));
            }
            Place::Acc(5) => {
                let help = "write `r5quad` (one value per quad) or `r5rep` (lane 0 to all lanes)";
                return Err(Misfit::new(op, "a write to r5 must say how it fills the quads", help));
            }
            Place::Acc(n) => (32 + n, None),
            Place::Io(n) => (n, None),
            Place::File(file, n) => (n, Some(file)),
        };
        if let Some(file) = file {
            let ws = (file == File::B) == (unit == 0);
            if self.ws.is_some_and(|set| set != ws) {
                let name = names::write_name(dst.place);
                let side = if file == File::A { "A" } else { "B" };
                let message = format!("`{name}` and the other destination are both in register file {side}");
                return Err(Misfit::new(op, message, "one of two results goes to file A, the other to file B"));
            }
            self.ws = Some(ws);
        }
        self.waddrs[unit] = Waddr(address);
        self.slice(op, unit, dst)
    }

    fn slice(&mut self, op: usize, unit: usize, dst: Reg) -> Result<(), Misfit> {
        let Some(slice) = dst.slice else { return Ok(()) };
        let name = names::write_name(dst.place);
        let Some(pack) = slice.pack else {
            if slice.unpack.is_none() {
                return Ok(());
            }
            return Err(Misfit::new(op, format!("`{name}` cannot be written in this format"), "`8dr` is for operands"));
        };
        let in_file_a = matches!(dst.place, Place::File(File::A, 0..32));
        let colour = colour_pack(pack, slice.kind);
        let pm = slice.kind == SliceKind::Float && colour.is_some() || !in_file_a;
        let pack = match (pm, colour) {
            (false, _) => pack,
            (true, Some(pack)) if unit == 1 => pack,
            (true, Some(_)) => {
                let help = "let a mul operation write it, or write a register of file A";
                return Err(Misfit::new(op, format!("the add ALU cannot pack colours into `{name}`"), help));
            }
            (true, None) => {
                let help = "only registers ra0 to ra31 can be written in this format";
                return Err(Misfit::new(op, format!("`{name}` cannot be written in 16-bit or saturated form"), help));
            }
        };
        if self.pack != Pack::None {
            let help = "write one of them as a whole register";
            return Err(Misfit::new(op, "an instruction can pack only one result", help));
        }
        self.pack = pack;
        self.pm = Some(pm);
        Ok(())
    }
}

/// The mul ALU's code for a suffix: 8888 replicates, 8a to 8d write one byte; colours always saturate. Bit 3 of the code, which
/// the hardware ignores, is set for plain `8a` to `8d`, as vc4asm has it.
fn colour_pack(pack: Pack, kind: SliceKind) -> Option<Pack> {
    let plain = kind != SliceKind::Float;
    match pack {
        Pack::B8888 | Pack::B8888s => Some(Pack::B8888),
        Pack::B8a if plain => Some(Pack::B8as),
        Pack::B8b if plain => Some(Pack::B8bs),
        Pack::B8c if plain => Some(Pack::B8cs),
        Pack::B8d if plain => Some(Pack::B8ds),
        Pack::B8a | Pack::B8as => Some(Pack::B8a),
        Pack::B8b | Pack::B8bs => Some(Pack::B8b),
        Pack::B8c | Pack::B8cs => Some(Pack::B8c),
        Pack::B8d | Pack::B8ds => Some(Pack::B8d),
        _ => None,
    }
}
