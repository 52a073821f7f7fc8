//! Internal crate of Quadra: no stable interface. The command `quadra` as a library: its subcommands under [`cli`], what it runs
//! Quasar programs with, and what it measures. Programs use the crate `quadra`.
#![forbid(unsafe_code)]

pub mod bench;
pub mod cli;
pub mod codes;
mod dap;
pub mod faults;
mod figures;
pub mod interrupt;
mod json;
mod options;
mod output;
mod page;
pub mod quasar_cli;
pub mod quasar_compare;
mod quasar_page;
mod quasar_profile;
pub mod quasar_repl;
mod repl_commands;
