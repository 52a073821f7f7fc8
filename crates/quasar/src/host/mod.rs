//! Running programs: values ([`value`], [`tensor`]), compiled code ([`code`], [`compile`]), the machine ([`vm`]) and the
//! library ([`lib`]).

pub mod fault;
pub mod memory;
pub mod watch;
pub mod value;
pub mod tensor;
pub mod elements;
pub mod display;
pub mod scalar_ops;
pub mod bulk;
pub mod arith;
pub mod typing;
pub mod store;
pub mod index;
pub mod object;
pub mod literal;
pub mod code;
pub mod compile;
pub mod cx;
mod undefined;
pub mod chain;
pub mod fuse;
pub mod vm;
pub mod fast;
pub mod operate;
pub mod reach;
pub mod steps;
pub mod call;
pub mod auto;
pub mod profile;
pub mod launch;
pub mod lib;
