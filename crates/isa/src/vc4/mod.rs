//! VideoCore IV (V3D 2.x): the QPUs of the BCM2835, BCM2836 and BCM2837.
//!
//! Reading order: [`op`] the operations, [`reg`] the addresses an instruction reads and writes, [`imm`] small
//! immediates, [`pack`] sub-word formats, [`inst`] an instruction as plain data, [`encode`](mod@encode) the 64-bit word,
//! [`program`] instructions with their places, [`setup`] the words that steer VPM and DMA, [`words`] words out of files. Then the tools: [`line`](mod@line),
//! [`fit`] and [`disasm`] between operations and instructions, [`asm`] assembly text, [`builder`] assembly in Rust,
//! [`hazard`] the rules that the hardware does not check, [`emu`] what programs do, [`image`] programs with their memory
//! as files, [`timing`] how long they take, [`debug`] single steps. [`sgemm`] is a matrix product written with all of it.
//!
//! Facts come from Broadcom's VideoCore IV 3D Architecture Reference Guide (VideoCoreIV-AG100-R, cited as "guide") and
//! from the corrections that measurements on hardware added to it (the vc4asm project's addendum, py-videocore's tests).

pub mod op;
pub mod reg;
pub mod imm;
pub mod pack;
pub mod inst;
pub mod encode;
pub mod decode;
pub mod program;
pub mod setup;
pub mod words;
pub mod line;
pub mod names;
pub mod fields;
pub mod fit;
pub mod disasm;
pub mod asm;
pub mod builder;
pub mod roundtrip;
pub mod hazard;
pub mod emu;
pub mod image;
pub mod timing;
pub mod debug;
pub mod sgemm;

pub use decode::{DecodeError, decode};
pub use encode::encode;
pub use imm::SmallImm;
pub use inst::{Alu, Branch, Inst, Ldi, LdiMode, Sema};
pub use op::{AddOp, BranchCond, Cond, MulOp, Signal};
pub use pack::{Pack, Unpack};
pub use program::Program;
pub use reg::{File, Mux, Raddr, Waddr};
