//! Internal crate of Quadra: no stable interface.
//!
//! Running Quasar programs. Folders and files are layers; each knows those before it, and none behind it:
//!
//! 1. values: [`value`], [`tensor`] and their [`elements`], compiled [`code`] (a function is a value), [`display`]
//! 2. arithmetic: single numbers ([`scalar_ops`], [`unary_ops`]), arrays in vectors and threads ([`storage`], [`wide`], [`bulk`],
//!    [`exact`], [`broadcast`]), operators on any values ([`arith`], [`unary`], [`quotient`]), types ([`typing`]), elements ([`index`],
//!    [`mod@slice`], [`strided`]), [`object`], [`literal`]
//! 3. the state of a run: [`cx`], with traits for what lies above: [`cx::Machine`] runs program code, [`executor::Executor`] runs kernels on
//!    a device, [`stepper::Stepper`] looks at every statement
//! 4. [`builtins`]: the table of built-in functions
//! 5. [`compile`]: trees to code
//! 6. [`machine`]: runs code. Variables have fixed registers, plain numbers and single elements have fast cases, everything else goes
//!    through functions that know all types. Kernels run on the same machine, item by item.
//! 7. [`debug`]: the debugger, a `Stepper`
//!
//! Reading order: `code`, `machine::run`, `value`, `tensor`, `builtins`.
#![forbid(unsafe_code)]

pub mod clock;
pub mod fault;
pub mod memory;
pub mod sandbox;
pub mod watch;
pub mod value;
pub mod tensor;
pub mod elements;
pub mod display;
pub mod scalar_ops;
pub mod storage;
pub mod bulk;
pub mod logarithm;
pub mod unary_ops;
pub mod wide;
pub mod broadcast;
pub mod strided;
pub mod order;
pub mod exact;
pub mod arith;
pub mod typing;
pub mod store;
pub mod index;
mod positions;
pub mod slice;
pub mod object;
pub mod literal;
pub mod unary;
pub mod quotient;
pub mod code;
pub mod nest;
pub mod turns;
pub mod thread;
pub mod shared;
pub mod random;
pub mod open_files;
pub mod expression;
pub mod executor;
pub mod stepper;
pub mod cx;
pub mod auto;
pub mod profile;
pub mod lend;
pub mod series;
pub mod builtins;
pub mod compile;
pub mod machine;
pub mod debug;
