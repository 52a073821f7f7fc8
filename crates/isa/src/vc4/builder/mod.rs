//! QPU programs written in Rust: a builder in the manner of an assembler.
//!
//! A method of [`Asm`] begins an instruction; methods of the [`Slot`] it returns join it: a second operation, a signal,
//! `setf()` and conditions for the operation before. Rust is the macro language: loops unroll, functions are subroutines of
//! the text. [`Asm::finish`] fits the operations into words, as the text assembler does, and reports what does not fit at
//! the line of Rust that wrote it; [`Asm::finish_checked`] applies the hazard rules as well.
//!
//! ```
//! use quadra_isa::vc4::builder::{Asm, registers::*};
//! use quadra_isa::vc4::{BranchCond, hazard::Strictness};
//!
//! let mut asm = Asm::new("sum of four, repeated");
//! asm.mov(ra(0), unif);
//! asm.ldi(r0, 0.0);
//! let top = asm.here();
//! for _ in 0..4 {
//!     asm.fadd(r0, r0, unif);
//! }
//! asm.sub(ra(0), ra(0), 1).setf().fmul(r1, r0, 0.25f32);
//! # let misfit = asm; let mut asm = Asm::new("sum of four, repeated");
//! # asm.mov(ra(0), unif); asm.ldi(r0, 0.0); let top = asm.here(); for _ in 0..4 { asm.fadd(r0, r0, unif); }
//! # assert!(misfit.finish().is_err());
//! // 1 and 0.25 are two small immediates: `finish` would say so, so the product gets an instruction of its own.
//! asm.sub(ra(0), ra(0), 1).setf();
//! asm.branch(BranchCond::AnyZc, top);
//! asm.fmul(r1, r0, 0.25f32);
//! asm.nop();
//! asm.nop();
//! asm.exit();
//! let (program, warnings) = asm.finish_checked(Strictness::Strict).expect("nothing is wrong");
//! assert_eq!((program.len(), warnings.len()), (14, 0));
//! ```

mod operations;
pub mod registers;

use super::hazard::{self, Strictness};
use super::inst::Inst;
use super::line::{LdiValue, Op, Reg, Src, Unit};
use super::op::{BranchCond, Cond, Signal};
use super::program::Program;
use super::setup::{self, Cell, OutOfRange, Vector};
use super::{fit, inst};
use quadra_base::{Diagnostic, Span};
use registers::{Operand, R};
use std::panic::Location;

quadra_base::define_id! {
    /// A place in a program under construction that branches can name.
    pub struct Label, "label"
}

/// An instruction under construction.
#[derive(Clone, Debug)]
struct Entry {
    ops: Vec<Op>,
    span: Span,
    target: Option<Label>,
}

/// A program under construction.
#[derive(Clone, Debug)]
pub struct Asm {
    name: String,
    entries: Vec<Entry>,
    /// Where each label stands, once that is known.
    labels: Vec<Option<usize>>,
    names: Vec<(usize, String)>,
    comments: Vec<(usize, String)>,
    errors: Vec<Diagnostic>,
}

/// The instruction begun last: what joins it, and how its last operation is modified.
#[derive(Debug)]
pub struct Slot<'a> {
    asm: &'a mut Asm,
}

impl Asm {
    /// A program without instructions.
    pub fn new(name: impl Into<String>) -> Asm {
        Asm {
            name: name.into(),
            entries: Vec::new(),
            labels: Vec::new(),
            names: Vec::new(),
            comments: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// The number of instructions so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no instructions yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A label that is placed later with [`Asm::bind`].
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label::from_index(self.labels.len() - 1)
    }

    /// A label before the next instruction.
    pub fn here(&mut self) -> Label {
        self.labels.push(Some(self.entries.len()));
        Label::from_index(self.labels.len() - 1)
    }

    /// Places a label before the next instruction.
    #[track_caller]
    pub fn bind(&mut self, label: Label) {
        let span = Span::of_caller(Location::caller());
        let here = self.entries.len();
        match self.labels.get_mut(label.index()) {
            Some(slot @ None) => *slot = Some(here),
            Some(Some(_)) => self.errors.push(Diagnostic::error("E0747", "this label is placed twice").at(span)),
            None => self.errors.push(Diagnostic::error("E0748", "this label belongs to another program").at(span)),
        }
    }

    /// Gives the next instruction a name for listings.
    pub fn name(&mut self, name: impl Into<String>) {
        self.names.push((self.entries.len(), name.into()));
    }

    /// Attaches a comment to the next instruction.
    pub fn comment(&mut self, text: impl Into<String>) {
        self.comments.push((self.entries.len(), text.into()));
    }

    /// Appends a finished instruction.
    #[track_caller]
    pub fn inst(&mut self, inst: impl Into<Inst>) {
        let ops = super::disasm::line(&inst.into());
        let span = Span::of_caller(Location::caller());
        self.entries.push(Entry { ops, span, target: None });
    }

    /// A branch to a label; the next three instructions execute in any case.
    #[track_caller]
    pub fn branch(&mut self, cond: BranchCond, to: Label) -> Slot<'_> {
        let op = Op::Branch { rel: true, cond, dsts: [Some(Reg::NONE), None], reg: None, imm: 0 };
        let slot = self.begin(op, Location::caller());
        if let Some(entry) = slot.asm.entries.last_mut() {
            entry.target = Some(to);
        }
        slot
    }

    /// An unconditional branch to a label.
    #[track_caller]
    pub fn jump(&mut self, to: Label) -> Slot<'_> {
        self.branch(BranchCond::Always, to)
    }

    /// An unconditional branch to a label that leaves the return address in `link`, a register of a file.
    #[track_caller]
    pub fn call(&mut self, link: R, to: Label) -> Slot<'_> {
        let slot = self.jump(to);
        let dst = link.destination();
        match (dst, slot.asm.entries.last_mut().and_then(|e| e.ops.last_mut())) {
            (Some(dst), Some(Op::Branch { dsts, .. })) => dsts[0] = Some(dst),
            _ => slot.asm.wrong("the link register cannot be written", Location::caller()),
        }
        slot
    }

    /// A branch to the address in a register of file A, which all lanes must hold.
    #[track_caller]
    pub fn jump_to(&mut self, register: R) -> Slot<'_> {
        let reg = match register.named.read {
            Some(super::line::Place::File(super::File::A, n @ 0..32)) => Some(n),
            _ => {
                self.wrong("a branch target is a register of file A", Location::caller());
                None
            }
        };
        let op = Op::Branch { rel: false, cond: BranchCond::Always, dsts: [Some(Reg::NONE), None], reg, imm: 0 };
        self.begin(op, Location::caller())
    }

    /// Loads a constant, the same for all lanes or one of 2 bits for each.
    #[track_caller]
    pub fn ldi(&mut self, dst: R, value: impl Into<LdiValue>) -> Slot<'_> {
        let dst = self.destination(dst, Location::caller());
        let op = Op::Ldi { dsts: [Some(dst), None], value: value.into(), cond: Cond::Always, setf: false };
        self.begin(op, Location::caller())
    }

    /// Loads a constant into two registers of opposite files.
    #[track_caller]
    pub fn ldi2(&mut self, first: R, second: R, value: impl Into<LdiValue>) -> Slot<'_> {
        let dsts = [first, second].map(|dst| Some(self.destination(dst, Location::caller())));
        let op = Op::Ldi { dsts, value: value.into(), cond: Cond::Always, setf: false };
        self.begin(op, Location::caller())
    }

    /// Increments a semaphore, waiting while it is 15.
    #[track_caller]
    pub fn sema_up(&mut self, number: u8) {
        self.semaphore(false, number, Location::caller());
    }

    /// Decrements a semaphore, waiting while it is 0.
    #[track_caller]
    pub fn sema_down(&mut self, number: u8) {
        self.semaphore(true, number, Location::caller());
    }

    fn semaphore(&mut self, down: bool, number: u8, at: &'static Location<'static>) {
        if number > 15 {
            self.wrong("semaphores are numbered 0 to 15", at);
        }
        let dsts = [Some(Reg::NONE), None];
        let op = Op::Sema { dsts, down, value: u32::from(number & 15), cond: Cond::Always, setf: false };
        self.begin(op, at);
    }

    /// Acquires the mutex.
    #[track_caller]
    pub fn mutex_acquire(&mut self) {
        self.mov(registers::null, registers::mutex);
    }

    /// Releases the mutex.
    #[track_caller]
    pub fn mutex_release(&mut self) {
        self.mov(registers::mutex, registers::null);
    }

    /// Raises the host interrupt.
    #[track_caller]
    pub fn interrupt(&mut self) {
        self.ldi(registers::irq, 1);
    }

    /// Ends the program: the end signal and the two instructions it needs.
    #[track_caller]
    pub fn exit(&mut self) {
        let at = Location::caller();
        for op in [Op::Signal(Signal::ProgramEnd), nop(Unit::Any), nop(Unit::Any)] {
            self.begin(op, at);
        }
    }

    /// Prepares `num` reads of the VPM from `first` on; see [`setup::vpm_read`]. Three instructions must follow before the
    /// first read.
    #[track_caller]
    pub fn setup_vpm_read(&mut self, num: u32, stride: u32, first: Vector) {
        self.setup(registers::vr_setup, setup::vpm_read(num, stride, first), Location::caller());
    }

    /// Prepares writes of the VPM from `first` on; see [`setup::vpm_write`].
    #[track_caller]
    pub fn setup_vpm_write(&mut self, stride: u32, first: Vector) {
        self.setup(registers::vw_setup, setup::vpm_write(stride, first), Location::caller());
    }

    /// Prepares a DMA load whose rows are `pitch_bytes` apart in memory and `vpitch` rows apart in the VPM; see
    /// [`setup::dma_load`].
    #[track_caller]
    pub fn setup_dma_load(&mut self, rowlen: u32, nrows: u32, pitch_bytes: u32, vpitch: u32, first: Cell) {
        let at = Location::caller();
        self.setup(registers::vr_setup, setup::dma_load_pitch(pitch_bytes), at);
        self.setup(registers::vr_setup, setup::dma_load(0, rowlen, nrows, vpitch, first), at);
    }

    /// Prepares a DMA store of `units` rows of `depth` elements with `gap_bytes` between them; see [`setup::dma_store`].
    #[track_caller]
    pub fn setup_dma_store(&mut self, units: u32, depth: u32, gap_bytes: u32, first: Cell) {
        let at = Location::caller();
        self.setup(registers::vw_setup, setup::dma_store_stride(gap_bytes, false), at);
        self.setup(registers::vw_setup, setup::dma_store(units, depth, first), at);
    }

    fn setup(&mut self, port: R, word: Result<u32, OutOfRange>, at: &'static Location<'static>) {
        let word = word.unwrap_or_else(|error| {
            self.errors.push(Diagnostic::error("E0746", error.to_string()).at(Span::of_caller(at)));
            0
        });
        let dst = self.destination(port, at);
        let value = LdiValue::All(word);
        self.begin(Op::Ldi { dsts: [Some(dst), None], value, cond: Cond::Always, setf: false }, at);
    }

    /// Starts the prepared DMA load from the bus address in `address`.
    #[track_caller]
    pub fn start_dma_load(&mut self, address: R) {
        self.mov(registers::vr_addr, address);
    }

    /// Starts the prepared DMA store to the bus address in `address`.
    #[track_caller]
    pub fn start_dma_store(&mut self, address: R) {
        self.mov(registers::vw_addr, address);
    }

    /// Waits for the DMA load.
    #[track_caller]
    pub fn wait_dma_load(&mut self) {
        self.read(registers::vr_wait);
    }

    /// Waits for the DMA store.
    #[track_caller]
    pub fn wait_dma_store(&mut self) {
        self.read(registers::vw_wait);
    }

    fn begin(&mut self, op: Op, at: &'static Location<'static>) -> Slot<'_> {
        self.entries.push(Entry { ops: vec![op], span: Span::of_caller(at), target: None });
        Slot { asm: self }
    }

    fn wrong(&mut self, message: &str, at: &'static Location<'static>) {
        self.errors.push(Diagnostic::error("E0744", message).at(Span::of_caller(at)));
    }

    fn destination(&mut self, reg: R, at: &'static Location<'static>) -> Reg {
        reg.destination().unwrap_or_else(|| {
            self.wrong("this register cannot be written", at);
            Reg::NONE
        })
    }

    fn source(&mut self, operand: Operand, at: &'static Location<'static>) -> Src {
        operand.source().unwrap_or_else(|| {
            self.wrong("this register cannot be read", at);
            Src::Reg(Reg::NONE)
        })
    }

    /// The program.
    ///
    /// # Errors
    /// Every operation that does not fit its instruction, every register that does not exist, every label without a place.
    pub fn finish(self) -> Result<Program, Vec<Diagnostic>> {
        let mut errors = self.errors;
        let mut program =
            Program { name: self.name, labels: self.names, comments: self.comments, ..Program::default() };
        for (index, entry) in self.entries.iter().enumerate() {
            let mut inst = match fit::fit(&entry.ops) {
                Ok(inst) => inst,
                Err(misfit) => {
                    let error = Diagnostic::error("E0745", misfit.message).at(entry.span);
                    errors.push(if misfit.help.is_empty() { error } else { error.help(misfit.help) });
                    Inst::NOP
                }
            };
            if let (Inst::Branch(branch), Some(label)) = (&mut inst, entry.target) {
                match self.labels.get(label.index()).copied().flatten() {
                    Some(to) => branch.imm = inst::Branch::between(index, to).imm,
                    None => errors.push(
                        Diagnostic::error("E0748", "the label of this branch is never placed")
                            .at(entry.span)
                            .help("place it with `bind`"),
                    ),
                }
            }
            program.push(inst, Some(entry.span));
        }
        if errors.is_empty() { Ok(program) } else { Err(errors) }
    }

    /// The program, and warnings of the hazard rules.
    ///
    /// # Errors
    /// Those of [`Asm::finish`], and every hazard that is an error under `strictness`.
    pub fn finish_checked(self, strictness: Strictness) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
        let program = self.finish()?;
        let findings = hazard::diagnostics(&program, strictness);
        if findings.iter().any(Diagnostic::is_error) { Err(findings) } else { Ok((program, findings)) }
    }
}

fn nop(unit: Unit) -> Op {
    Op::Nop { unit, dst: None, setf: false }
}

impl<'a> Slot<'a> {
    fn join(self, op: Op) -> Slot<'a> {
        if let Some(entry) = self.asm.entries.last_mut() {
            entry.ops.push(op);
        }
        self
    }

    fn last(&mut self) -> Option<&mut Op> {
        self.asm.entries.last_mut().and_then(|entry| entry.ops.last_mut())
    }

    /// The last operation sets the flags.
    pub fn setf(mut self) -> Slot<'a> {
        if let Some(
            Op::Alu { setf, .. }
            | Op::Mov { setf, .. }
            | Op::Ldi { setf, .. }
            | Op::Sema { setf, .. }
            | Op::Nop { setf, .. },
        ) = self.last()
        {
            *setf = true;
        }
        self
    }

    /// The last operation writes only the lanes where `cond` holds.
    pub fn when(mut self, when: Cond) -> Slot<'a> {
        if let Some(Op::Alu { cond, .. } | Op::Mov { cond, .. } | Op::Ldi { cond, .. } | Op::Sema { cond, .. }) =
            self.last()
        {
            *cond = when;
        }
        self
    }
}
