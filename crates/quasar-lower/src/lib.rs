//! Internal crate of Quadra: no stable interface.
//!
//! From Quasar's kernels and loops to kernel IR.
//!
//! A kernel is lowered when it is launched: parameters without types take those of the arguments, functions that are passed or
//! captured are inlined, and short lengths are constants. Arrays become flat buffers with their lengths as parameters; small
//! arrays, complex numbers and objects of immutable classes become values in registers. Access modes become arithmetic on
//! subscripts.
//!
//! What the kernel IR cannot express is refused with a reason, and the launch runs on the host's own executor. So does a launch
//! that faults: the IR's `assert`s only detect that an index, a conversion or an integer sum leaves its bounds, buffers keep
//! what they held, and the host executor repeats the launch and says what is wrong in the words of the language.
//!
//! Reading order: `value`, `state` (variables and parameters), `number`, `quotient`, `wrap` (remainders), `expression`, `index`, `long` and
//! `long_use` (slices of unknown length), `variable`, `statement`, `call`, `builtin`, `item` (special parameters), `devices`,
//! `launch` (kernels and their cache), `suppose` (what they assume of a launch), `own` (who stores what), `bound` and `run`
//! (arguments and results), `nest` (loops as kernels; `recent` finds them again, `again` joins launches), `loops` (their lowering), `amount` (what iterations execute), `scan` (loops in blocks), `keep` and `after` (what they leave), `pixel` and `strip`
//! (forms that are faster), `fused` (expressions over long arrays), `finite` (what the QPU lacks).

#![forbid(unsafe_code)]

mod unsigned;
mod value;
mod state;
mod count;
mod number;
mod quotient;
mod facts;
mod learn;
mod parts;
mod shape;
mod pixel;
mod strip;
mod small;
mod expression;
mod variable;
mod assign;
mod index;
mod either;
mod element;
mod long;
mod long_use;
mod wide;
mod wide_sum;
mod window;
mod wrap;
mod own;
mod suppose;
mod spent;
mod range_count;
mod statement;
mod call;
mod builtin;
mod function;
mod hoist;
mod item;
mod agree;
mod block;
mod bind;
mod bound;
mod races;
mod run;
pub mod devices;
mod lowered;
pub mod kernels;
pub mod launch;
mod after;
mod keep;
mod loop_parts;
mod form;
mod recent;
pub mod again;
mod loops;
mod scan;
mod amount;
mod whole;
mod returns;
mod rotate;
mod serial;
pub mod nest;
pub mod fused;
pub(crate) mod finite;

use quadra_base::Span;

/// Why kernel code is not lowered; without a reason the user is told nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refusal {
    pub reason: String,
    pub cause: Cause,
    pub span: Option<Span>,
}

/// What stands in the way, as far as something else can be written instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// A variable changes its type.
    Retyped,
    /// Two names stand for one array.
    Aliases,
    Slice,
    Call,
    /// A variable is read after the loop.
    ReadAfter,
    /// Integers of another width than 32 bits.
    Width,
    /// The length of an array depends on a number of the launch.
    Length,
    #[default]
    Other,
}

impl Refusal {
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into(), ..Refusal::default() }
    }

    /// What to write instead of what no device takes.
    pub fn advice(&self) -> &'static str {
        match self.cause {
            Cause::Retyped => {
                "give the variable the type that it ends with where it begins (s = 0.0), or use two variables"
            }
            Cause::Aliases => "let it read from a copy: old = copy(x)",
            Cause::Slice => "take the elements one by one in a loop, or store the slice in an array of its own before",
            Cause::Call => "call it before or behind the loop, or write what it computes with numbers and elements",
            Cause::ReadAfter => "store it in an element of an array, and read that behind the loop",
            Cause::Length => {
                "give the array a constant length, or one that follows from integers up to 64 that the loop does not change"
            }
            Cause::Width => "use int, 32 bits, where the values allow it",
            Cause::Other => "write it with numbers and elements of arrays, and what else it does outside of the loop",
        }
    }
}

/// The result of lowering something.
pub(crate) type Low<T> = Result<T, Box<Refusal>>;

/// Ends lowering with a reason, and its cause where there is something to write instead.
macro_rules! refuse {
    ($cause:ident: $($arg:tt)*) => {
        return Err(Box::new($crate::Refusal { cause: $crate::Cause::$cause, ..$crate::Refusal::new(format!($($arg)*)) }))
    };
    ($($arg:tt)*) => {
        return Err(Box::new($crate::Refusal::new(format!($($arg)*))))
    };
}
pub(crate) use refuse;
