//! What the analysis of loops asks of the program around them.

use crate::meaning::Library;
use crate::types::{Env, Type};
use quadra_quasar_syntax::ast::{Expr, Function};
use std::rc::Rc;

/// The program as far as it is known at a loop.
pub trait Program {
    fn library(&self) -> &'static Library;

    /// A function that is known by name.
    fn function(&self, name: &str) -> Option<Rc<Function>>;

    /// The lambda that a variable holds, if it is known.
    fn lambda(&self, name: &str) -> Option<Rc<Function>>;

    /// Whether a function around the loop defines a function of this name.
    fn is_inner(&self, name: &str) -> bool;

    /// Whether an access mode of this name may give a subscript outside of its array an element.
    fn bends(&self, _name: &str) -> bool {
        false
    }

    /// The type of an expression where variables have these types.
    fn type_of(&mut self, e: &Expr, env: &mut Env) -> Option<Type>;
}
