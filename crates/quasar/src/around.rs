//! How far around a position a function of a program looks: for who cuts arrays into blocks.

use crate::session::Session;
use quadra_base::Diagnostic;
use quadra_quasar_hir::reach;
pub use quadra_quasar_hir::reach::{Argument, Axis};
use quadra_quasar_syntax::ast::{Block, Function, StmtKind, Text};
use quadra_quasar_vm::builtins;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The functions of a program, without those that have several definitions.
fn functions(block: &Block, found: &mut HashMap<Text, Rc<Function>>, several: &mut HashSet<Text>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Module(module) => functions(&module.body, found, several),
            StmtKind::Function(f) => {
                let before = found.insert(f.name.clone(), f.clone());
                several.extend(before.map(|_| f.name.clone()));
            }
            _ => {}
        }
    }
}

impl Session {
    /// How far around a position the outputs of a function look, by axis, if it is called with such arguments. What lies in a block of an
    /// array, with that much around it, is enough to compute the block of the result.
    ///
    /// # Errors
    /// The errors of the text; what cannot be followed, with its place.
    pub fn around(
        &mut self,
        name: &str,
        text: &str,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Vec<(usize, Axis)>, Vec<Diagnostic>> {
        let program = self.parse(name, text);
        if program.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(program.diagnostics);
        }
        let (mut found, mut several) = (HashMap::new(), HashSet::new());
        functions(&program.module.body, &mut found, &mut several);
        found.retain(|name, _| !several.contains(name));
        let Some(f) = found.get(function) else {
            let message = format!("the program defines no function '{function}', or several");
            return Err(vec![Diagnostic::error("", message)]);
        };
        match reach::reach(f, arguments, &found, builtins::library()) {
            Ok(marks) => Ok(marks.0.into_iter().collect()),
            Err(refusal) => {
                let message = format!("how far around a position '{function}' looks cannot be told: {}", refusal.why);
                let help =
                    "say it with `depth=`, or compute what is needed of all elements first and pass it as an argument";
                Err(vec![Diagnostic::error("", message).at(refusal.span).help(help)])
            }
        }
    }
}
