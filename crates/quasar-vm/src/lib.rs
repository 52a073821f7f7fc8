//! Internal crate of Quadra: no stable interface.
//!
//! Running Quasar programs: values ([`value`], [`tensor`]), compiled code ([`code`], [`compile`]), the machine ([`vm`]) and the
//! built-in functions ([`builtins`]). Variables have fixed registers, plain numbers and single elements have fast cases, everything
//! else goes through functions that know all types. Kernels run on the same machine, item by item, or through a
//! [`launch::Executor`].
//!
//! Reading order: `code`, `vm`, `value`, `tensor`, `builtins`.
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
pub mod bulk;
pub mod logarithm;
pub mod wide;
pub mod broadcast;
pub mod strided;
pub mod order;
pub mod exact;
pub mod arith;
pub mod typing;
pub mod store;
pub mod index;
pub mod slice;
pub mod object;
pub mod literal;
pub mod code;
pub mod compile;
pub mod cx;
pub mod undefined;
pub mod chain;
pub mod fuse;
pub mod vm;
pub mod fast;
pub mod operate;
pub mod reach;
pub mod steps;
pub mod call;
pub mod debug;
pub mod debug_view;
pub mod auto;
pub mod profile;
pub mod quotient;
pub mod nest;
pub mod turns;
pub mod launch;
pub mod lend;
pub mod series;
pub mod builtins;
