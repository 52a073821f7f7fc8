//! How far around a position a function looks: what must lie around a block of an array so that the function gives the same for the
//! block as for the whole.
//!
//! The walk follows integers that are positions, lengths or numbers within bounds, and remembers of every other value how far from
//! the position that it belongs to anything lies that it was computed from. Loops are walked until nothing changes. What it cannot
//! follow is an error that names the place: a distance that depends on data, a value that is carried from position to position, a
//! number that depends on the position itself or on the length of an axis.
//!
//! Distances to the border count, too: where a condition treats the first two rows otherwise, two rows around a block are needed, so
//! that those of a block that is not at the border are not taken for the first.

mod expression;
mod statement;
mod value;

use crate::meaning::Library;
use crate::types::Type;
use quadra_base::Span;
use quadra_quasar_syntax::ast::{Function, StmtKind, Text, TypeExpr, TypeExprKind};
use std::collections::HashMap;
use std::rc::Rc;
use value::{Array, Known, Mode, Thing};
pub use value::{Axis, Marks};

/// What a function is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An array with so many dimensions.
    Array(usize),
    /// An array without positions, such as a table: its elements may be looked at from everywhere.
    Table,
    Integer(i64),
    Other,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub span: Span,
    pub why: String,
}

type Found<T> = Result<T, Refusal>;

/// How deep functions may call each other.
const DEEPEST: usize = 12;
/// Distances above this belong to no window.
const FARTHEST: i64 = 1 << 16;
/// How often a loop is walked before its values count as growing without end.
const ROUNDS: usize = 8;

/// The variables of a function.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    /// `None`: set at another position, or not yet at this one.
    scalars: HashMap<Text, Option<Known>>,
    arrays: HashMap<Text, Array>,
}

struct Walk<'a> {
    library: &'a Library,
    functions: &'a HashMap<Text, Rc<Function>>,
    state: State,
    /// What decides whether the present statement runs.
    control: Marks,
    /// The axes of the loops over positions around the present statement.
    loops: Vec<usize>,
    /// Whether the innermost loop is one of these.
    innermost: bool,
    /// Arrays made so far.
    made: u32,
    depth: usize,
}

/// What the outputs of a function look at, all together: by axis, the distances from the position.
///
/// # Errors
/// What cannot be followed, with its place.
pub fn reach(
    function: &Rc<Function>,
    arguments: &[Argument],
    functions: &HashMap<Text, Rc<Function>>,
    library: &Library,
) -> Found<Marks> {
    let things: Vec<Thing> = arguments
        .iter()
        .map(|a| match a {
            Argument::Array(rank) => {
                let own = (0..*rank).fold(Marks::default(), |all, k| all.joined(&Marks::at(k, 0, 0)));
                Thing::Array(Array { rank: Some(*rank), private: false, given: true, ..Array::private(own) })
            }
            Argument::Table => Thing::Array(Array { given: true, ..Array::private(Marks::default()) }),
            Argument::Integer(n) => Thing::Scalar(Known::number(*n)),
            Argument::Other => Thing::Scalar(Known::data(Marks::default())),
        })
        .collect();
    let state = State::default();
    let mut walk = Walk {
        library,
        functions,
        state,
        control: Marks::default(),
        loops: Vec::new(),
        innermost: false,
        made: 0,
        depth: 0,
    };
    let outputs = walk.function(function, things, function.span)?;
    let mut all = Marks::default();
    for (output, (name, _)) in outputs.iter().zip(&function.outputs) {
        match output {
            Thing::Array(array) if !array.private => all.join(&array.marks),
            _ => {
                let why = format!("'{name}' is no array with the positions of the arguments");
                return Err(Refusal { span: function.span, why });
            }
        }
    }
    Ok(all)
}

impl Walk<'_> {
    /// What a call of a function of the program gives.
    fn function(&mut self, f: &Rc<Function>, arguments: Vec<Thing>, span: Span) -> Found<Vec<Thing>> {
        let refuse = |why: String| Err(Refusal { span, why });
        if self.depth >= DEEPEST {
            return refuse(format!("'{}' calls itself, or calls go too deep to be followed", f.name));
        }
        if f.params.len() < arguments.len() || f.params.iter().any(|p| p.variadic) {
            return refuse(format!("the arguments of '{}' cannot be matched with its parameters", f.name));
        }
        let mut state = State::default();
        let mut given = arguments.into_iter();
        for param in &f.params {
            let thing = match (given.next(), &param.default) {
                (Some(thing), _) => thing,
                (None, Some(default)) => self.expression(default)?,
                (None, None) => return refuse(format!("'{}' is called without '{}'", f.name, param.name)),
            };
            let thing = match thing {
                // What a function writes to its arguments would have to be followed back.
                Thing::Array(array) => {
                    let array = Array { given: true, group: 0, ..array };
                    Thing::Array(match &param.ty {
                        Some(ty) => moded(array, ty)?,
                        None => array,
                    })
                }
                thing => thing,
            };
            state.set(&param.name, thing, span)?;
        }
        let outer = std::mem::replace(&mut self.state, state);
        let (control, loops, innermost) = (self.control.clone(), self.loops.clone(), self.innermost);
        self.depth += 1;
        let walked = match &f.value {
            Some(value) => self.expression(value).map(|thing| vec![thing]),
            None => self.block(&f.body).and_then(|()| {
                let missing =
                    |name: &Text| Refusal { span: f.span, why: format!("the value of '{name}' cannot be followed") };
                f.outputs.iter().map(|(name, _)| self.state.get(name).ok_or_else(|| missing(name))).collect()
            }),
        };
        self.depth -= 1;
        (self.control, self.loops, self.innermost) = (control, loops, innermost);
        self.state = outer;
        walked
    }
}

impl State {
    fn get(&self, name: &str) -> Option<Thing> {
        if let Some(array) = self.arrays.get(name) {
            return Some(Thing::Array(array.clone()));
        }
        self.scalars.get(name).cloned().flatten().map(Thing::Scalar)
    }

    fn set(&mut self, name: &Text, thing: Thing, span: Span) -> Found<()> {
        match thing {
            Thing::Scalar(known) => {
                self.arrays.remove(name);
                self.scalars.insert(name.clone(), Some(known));
            }
            Thing::Array(array) => {
                self.scalars.remove(name);
                self.arrays.insert(name.clone(), array);
            }
            Thing::Size(_) => {
                let why = format!("'{name}' holds the lengths of an array, which are not followed");
                return Err(Refusal { span, why });
            }
        }
        Ok(())
    }

    /// What holds behind one of two ways.
    fn join(self, other: State, span: Span) -> Found<State> {
        let mut all = self;
        for (name, b) in other.scalars {
            let joined = match (all.scalars.remove(&name), b) {
                (None, b) => b,
                (Some(a), None) => a,
                (Some(None), b) => b,
                (Some(Some(a)), Some(b)) => {
                    let why = || format!("'{name}' is a position in one case and none in another");
                    Some(a.join(&b).ok_or_else(|| Refusal { span, why: why() })?)
                }
            };
            all.scalars.insert(name, joined);
        }
        for (name, b) in other.arrays {
            match all.arrays.get_mut(&name) {
                Some(a) => {
                    a.marks.join(&b.marks);
                    a.private &= b.private;
                    // Which array is written to would not be known.
                    a.given |= b.given || a.group != b.group && !a.private;
                    a.group = if a.group == b.group { a.group } else { 0 };
                    a.rank = if a.rank == b.rank { a.rank } else { None };
                    a.mode = if a.mode == b.mode { a.mode } else { Mode::Circular };
                }
                None => drop(all.arrays.insert(name, b)),
            }
        }
        Ok(all)
    }
}

/// The array under a type that says what indices outside mean.
fn moded(array: Array, ty: &TypeExpr) -> Found<Array> {
    let known = |name: &str| {
        let rest = |shape: &str| {
            let behind = |name: &str| name.strip_prefix(shape).map(String::from);
            behind(name).or_else(|| behind(name.strip_prefix(['c', 'i'])?))
        };
        let sizes = |rest: String| rest.chars().all(|c| c.is_ascii_digit() || c == 'x');
        Type::of_numbers(name).is_some() || ["vec", "mat", "cube"].into_iter().any(|s| rest(s).is_some_and(sizes))
    };
    match &ty.kind {
        TypeExprKind::Named { name, .. } if !known(name) => {
            Err(Refusal { span: ty.span, why: format!("the type '{name}' may say what indices outside mean") })
        }
        _ => {
            let says = |word: &str| ty.modifiers.iter().any(|m| **m == *word);
            let mode = match (says("circular"), says("mirror")) {
                (true, _) => Mode::Circular,
                (_, true) => Mode::Mirror,
                _ if ty.modifiers.is_empty() => array.mode,
                _ => Mode::Plain,
            };
            Ok(Array { mode, ..array })
        }
    }
}

/// Whether a block leaves a loop or the function.
fn leaves(body: &[quadra_quasar_syntax::ast::Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return => true,
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| leaves(&a.1)) || leaves(otherwise),
        _ => false,
    })
}
