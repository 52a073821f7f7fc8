//! What the rows of functions say to those who do not run them, in the terms of [`quadra_quasar_hir::meaning`].

use super::math;
use super::{Builtin, Run};
use crate::arith::{self, Mode};
use crate::fault::Res;
use crate::value::Value;
use quadra_quasar_hir::meaning::{Facts, Gives, Library, Meaning, Term};
use quadra_quasar_hir::op2::Op2;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// What follows from how a function works.
const fn meaning_of(run: &Run) -> Meaning {
    match run {
        Run::Map(op) => Meaning::Map(*op),
        Run::Pair(op) => Meaning::Pair(*op),
        Run::Formula(term) => Meaning::Formula(term),
        _ => Meaning::Other,
    }
}

/// The value of a composed function for arguments, as many as the row admits.
pub(super) fn value_of(term: &Term, args: &[Value], mode: Mode) -> Res<Value> {
    match term {
        Term::Argument(i) => Ok(args[*i].clone()),
        Term::Map(op, x) => math::map(*op, &value_of(x, args, mode)?, mode),
        Term::Pair(op, x, y) => arith::binary(*op, &value_of(x, args, mode)?, &value_of(y, args, mode)?, mode),
    }
}

/// What is known of all functions.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| super::table().iter().map(|row| &row.facts).collect())
}

/// What a name means as long as the program gives it no other meaning.
pub fn meaning(name: &str) -> Meaning {
    library().meaning(name)
}

/// The name of a function by its meaning, for messages.
pub fn name_of(meaning: Meaning) -> &'static str {
    super::table().iter().find(|row| row.facts.meaning == meaning).map_or("", |row| row.facts.name)
}

/// The operator or function of two operands in messages.
pub fn name_of_pair(op: Op2) -> &'static str {
    match op {
        Op2::Max | Op2::Min => name_of(Meaning::Extreme(op)),
        _ => op.symbol().unwrap_or_else(|| name_of(Meaning::Pair(op))),
    }
}

impl Builtin {
    /// A row: the name; signature, what the function does and an example; least and greatest number of arguments; code.
    pub const fn new(
        name: &'static str,
        [signature, about, example]: [&'static str; 3],
        arguments: RangeInclusive<usize>,
        run: Run,
    ) -> Builtin {
        let facts = Facts { name, meaning: meaning_of(&run), gives: Gives::Unknown, host_only: false };
        let (min, max) = (*arguments.start(), *arguments.end());
        Builtin { facts, signature, about, example, min, max, run, frugal: false }
    }

    pub(super) const fn means(mut self, meaning: Meaning) -> Builtin {
        self.facts.meaning = meaning;
        self
    }

    pub(super) const fn gives(mut self, gives: Gives) -> Builtin {
        self.facts.gives = gives;
        self
    }

    /// Kernels cannot call it, and the compiler says so.
    pub(super) const fn host_only(mut self) -> Builtin {
        self.facts.host_only = true;
        self
    }

    /// It takes next to no memory, however long its arguments are.
    pub(super) const fn frugal(self) -> Builtin {
        Builtin { frugal: true, ..self }
    }
}
