//! What built-in functions mean to those who read programs without running them: inference, the analysis of loops, the lowering to
//! kernel IR, fusion. A function's row says it once; nobody else knows functions by their names.

use super::math::{self, Op1};
use super::{Builtin, Run};
use crate::host::arith::{self, Mode};
use crate::host::fault::Res;
use crate::host::scalar_ops::Op2;
use crate::host::value::Value;

/// The meaning of a function, as far as anybody but the virtual machine asks for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// Element by element on one operand.
    Map(Op1),
    /// Element by element on two operands, which broadcast.
    Pair(Op2),
    /// The quotient of integers as an integer.
    Quotient,
    /// Composed of element-wise functions.
    Formula(&'static Term),
    /// A position brought inside a length.
    Boundary(Boundary),
    /// A complex number of two real ones.
    Complex,
    /// A number as a scalar.
    Float,
    Cast,
    /// `size`, `numel`, `ndims`: the elements do not matter.
    Measure(Measure),
    /// A row-major number as a position.
    PositionOfNumber,
    /// A position as a row-major number.
    NumberOfPosition,
    /// An array of one value; the arguments are its lengths.
    Fill(Fill),
    Identity,
    Random,
    /// Memory of the block.
    Shared {
        zeros: bool,
    },
    Sum,
    Product,
    Mean,
    /// The greatest (`Op2::Max`) or least (`Op2::Min`) element, or the greater or lesser of two operands.
    Extreme(Op2),
    /// Whether all elements, or any, are other than 0.
    Truth {
        all: bool,
    },
    DotProduct,
    Norm,
    CrossProduct,
    Transpose,
    /// The greatest or least value of a type.
    Limit {
        greatest: bool,
    },
    Copy,
    TypeOf,
    Assert,
    /// Runs a kernel.
    Launch,
    /// Stops the program with an error.
    Error,
    /// Ends the program.
    Exit,
    /// Evaluates text, which may mention any variable.
    Evaluate,
    /// Nobody but the virtual machine knows.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    Clamp,
    Periodize,
    Mirror,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Lengths,
    Elements,
    Dimensions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    Zeros,
    Ones,
    Uninitialised,
    ComplexZeros,
}

/// A function that is composed of element-wise ones: the virtual machine and the lowering compute the same.
#[derive(Debug, PartialEq)]
pub enum Term {
    /// The argument of this number, from 0.
    Argument(usize),
    Map(Op1, &'static Term),
    Pair(Op2, &'static Term, &'static Term),
}

impl Term {
    /// The value for arguments, as many as the row admits.
    pub fn value(&self, args: &[Value], mode: Mode) -> Res<Value> {
        match self {
            Term::Argument(i) => Ok(args[*i].clone()),
            Term::Map(op, x) => math::map(*op, &x.value(args, mode)?, mode),
            Term::Pair(op, x, y) => arith::binary(*op, &x.value(args, mode)?, &y.value(args, mode)?, mode),
        }
    }
}

/// The type of a result where the meaning does not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    Unknown,
    Text,
    Scalar,
    /// A vector of scalars.
    Vector,
}

impl Meaning {
    /// What follows from how a function works.
    pub const fn of(run: &Run) -> Meaning {
        match run {
            Run::Map(op) => Meaning::Map(*op),
            Run::Pair(op) => Meaning::Pair(*op),
            Run::Formula(term) => Meaning::Formula(term),
            _ => Meaning::Other,
        }
    }

    /// Whether kernels and parallel loops may call the function on values of their own.
    pub fn works_on_device(self) -> bool {
        !matches!(
            self,
            Meaning::Other
                | Meaning::Fill(_)
                | Meaning::Identity
                | Meaning::Random
                | Meaning::Shared { .. }
                | Meaning::Cast
                | Meaning::Copy
                | Meaning::TypeOf
                | Meaning::Launch
                | Meaning::Error
                | Meaning::Exit
                | Meaning::Evaluate
        )
    }

    /// Whether the function gives a new array whose lengths are its arguments, in loops a small one.
    pub fn allocates(self) -> bool {
        matches!(self, Meaning::Fill(_) | Meaning::Identity)
    }

    /// Whether the function asks for the size of its arguments only.
    pub fn measures(self) -> bool {
        matches!(self, Meaning::Measure(_))
    }

    /// Whether the function rounds to whole numbers.
    pub fn rounds(self) -> bool {
        matches!(self, Meaning::Map(Op1::Floor | Op1::Ceil | Op1::Round | Op1::Fix))
    }

    /// Whether whole arguments give a whole number that no rounding of a float changes.
    pub fn keeps_whole(self) -> bool {
        matches!(self, Meaning::Extreme(_) | Meaning::Pair(Op2::Mod) | Meaning::Map(Op1::Abs))
    }

    /// Whether the analysis of loops reasons with what the function computes, so that a function of the program with its name
    /// would mislead it.
    pub fn guides_analysis(self) -> bool {
        self.measures()
            || self.rounds()
            || self.keeps_whole()
            || matches!(self, Meaning::Pair(Op2::And | Op2::Or | Op2::Xor) | Meaning::PositionOfNumber)
    }

    /// The function of two operands that combines in any order.
    pub fn combines(self) -> Option<Op2> {
        match self {
            Meaning::Extreme(op) | Meaning::Pair(op @ (Op2::And | Op2::Or | Op2::Xor)) => Some(op),
            _ => None,
        }
    }
}

/// What a name means as long as the program gives it no other meaning.
pub fn meaning(name: &str) -> Meaning {
    super::named(name).map_or(Meaning::Other, |row| row.meaning)
}

/// Whether one of the names means that.
pub fn any_means<'n>(names: impl IntoIterator<Item = &'n (impl AsRef<str> + 'n)>, wanted: &[Meaning]) -> bool {
    names.into_iter().any(|n| wanted.contains(&meaning(n.as_ref())))
}

/// The name of a function by its meaning, for messages.
pub fn name_of(meaning: Meaning) -> &'static str {
    super::table().iter().find(|row| row.meaning == meaning).map_or("", |row| row.name)
}

impl Builtin {
    pub(super) const fn means(self, meaning: Meaning) -> Builtin {
        Builtin { meaning, ..self }
    }

    pub(super) const fn gives(self, gives: Gives) -> Builtin {
        Builtin { gives, ..self }
    }

    /// Kernels cannot call it, and the compiler says so.
    pub(super) const fn host_only(self) -> Builtin {
        Builtin { host_only: true, ..self }
    }

    /// It takes next to no memory, however long its arguments are.
    pub(super) const fn frugal(self) -> Builtin {
        Builtin { frugal: true, ..self }
    }
}
