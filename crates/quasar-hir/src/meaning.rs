//! What built-in functions mean to those who read programs without running them: inference, the analysis of loops, the lowering to
//! kernel IR, fusion. A function's row says it once; nobody else knows functions by their names. The rows stand with the functions
//! themselves, above this crate, which is given them as a [`Library`].

use crate::op1::Op1;
use crate::op2::Op2;
use crate::types::Type;
use quadra_quasar_syntax::ast::{Expr, ExprKind};
use std::collections::HashMap;

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
    /// Tells whether a variable, function or file of a name exists.
    Exist,
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
                | Meaning::Exist
        )
    }

    /// Whether a call does nothing but compute its value. Of functions without a meaning nobody knows.
    pub fn only_computes(self) -> bool {
        !matches!(
            self,
            Meaning::Other
                | Meaning::Random
                | Meaning::Shared { .. }
                | Meaning::Assert
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

    /// Whether the function gives memory of the block.
    pub fn is_shared(self) -> bool {
        matches!(self, Meaning::Shared { .. })
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
        matches!(self, Meaning::Extreme(_) | Meaning::Pair(Op2::Mod | Op2::Rem) | Meaning::Map(Op1::Abs))
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

/// What a function's row says to those who do not run it.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub name: &'static str,
    pub meaning: Meaning,
    /// The type of its result where the meaning does not say it.
    pub gives: Gives,
    /// Kernels cannot call it.
    pub host_only: bool,
}

/// The built-in functions that a program may call, by name.
#[derive(Debug, Default)]
pub struct Library(HashMap<&'static str, &'static Facts>);

impl FromIterator<&'static Facts> for Library {
    fn from_iter<I: IntoIterator<Item = &'static Facts>>(rows: I) -> Library {
        Library(rows.into_iter().map(|f| (f.name, f)).collect())
    }
}

impl Library {
    /// What is known of a function.
    pub fn facts(&self, name: &str) -> Option<&'static Facts> {
        self.0.get(name).copied()
    }

    /// All functions, in no order.
    pub fn all(&self) -> impl Iterator<Item = &'static Facts> {
        self.0.values().copied()
    }

    /// What a name means as long as the program gives it no other meaning.
    pub fn meaning(&self, name: &str) -> Meaning {
        self.facts(name).map_or(Meaning::Other, |f| f.meaning)
    }

    /// Whether a device can run a call of this name, as long as the program defines no function of the name: it is a built-in function
    /// that works there, or the conversion to a type of numbers.
    pub fn works_on_device(&self, name: &str) -> bool {
        self.meaning(name).works_on_device() || Type::of_numbers(name).is_some()
    }

    /// Whether calling the name gives a new array whose lengths are the arguments: a function, or a type.
    pub fn allocates(&self, name: &str) -> bool {
        self.meaning(name).allocates() || matches!(name, "vec" | "mat" | "cube")
    }

    /// Whether one of the names means that.
    pub fn any_means<'n>(
        &self,
        names: impl IntoIterator<Item = &'n (impl AsRef<str> + 'n)>,
        wanted: &[Meaning],
    ) -> bool {
        names.into_iter().any(|n| wanted.contains(&self.meaning(n.as_ref())))
    }

    /// Whether a callee is a name with such a meaning.
    pub fn calls(&self, callee: &Expr, wanted: impl Fn(Meaning) -> bool) -> bool {
        matches!(&callee.kind, ExprKind::Name(n) if wanted(self.meaning(n)))
    }
}
