//! Internal crate of Quadra: no stable interface.
//!
//! The attributes `#[kernel]` and `#[kernel_fn]` and the derive `KernelState` of `quadra-dsl`.
//!
//! Arithmetic, assignment, moves and copies of kernel values are Rust's own. What Rust cannot overload is rewritten:
//! `if while for loop break continue return`, comparisons, `&& ||`, and `*p`, `p[i]` of kernel pointers. The code that
//! replaces them calls `quadra::rt`, where the types decide what happens; it carries the places of the original.
//! Reading order: `scope` (which variables a piece of code may change), `rewrite` (expressions), `control`, `item`, `derive`.
#![forbid(unsafe_code)]

mod scope;
mod rewrite;
mod control;
mod item;
mod derive;
mod assertion;

use proc_macro::TokenStream;

/// Turns a function into a kernel: calling it gives a `Kernel`, which is recorded, compiled and launched.
///
/// Parameters are `Int`, `Float`, `Ptr<Int>`, `Ptr<Float>`; those marked `#[host]` are ordinary Rust values, given when the
/// function is called, and the kernel is recorded for them.
///
/// The code that it writes finds its support in `::quadra`. A package that has that crate by another name, or only
/// `quadra-dsl`, says so: `#[kernel(crate = my_quadra)]`, and likewise for the other two.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, input: TokenStream) -> TokenStream {
    item::kernel(args.into(), input.into()).into()
}

/// Lets a function, or all functions of an `impl`, use kernel control flow. It is inlined wherever a kernel calls it.
#[proc_macro_attribute]
pub fn kernel_fn(args: TokenStream, input: TokenStream) -> TokenStream {
    item::kernel_fn(args.into(), input.into()).into()
}

/// Lets kernel control flow follow the kernel values in a struct. `#[kernel_state(crate = path)]` as for `kernel`.
#[proc_macro_derive(KernelState, attributes(kernel_state))]
pub fn kernel_state(input: TokenStream) -> TokenStream {
    derive::kernel_state(input.into()).into()
}
