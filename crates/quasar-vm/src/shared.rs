//! What a session knows of its programs' names: types, global functions, and how loops are carried out. The compiler fills it, and what
//! runs asks it.

use super::fault::{Res, fault};
use quadra_base::quick::{Map, Set};
use quadra_base::{Diagnostic, FileId, Span};
use quadra_quasar_hir::declare::TypeTable;
use quadra_quasar_hir::types::Type;
use quadra_quasar_syntax::ast::{FunctionKind, NodeId, Text};
use quadra_quasar_syntax::parser;

/// What all functions of a program share while they are compiled.
#[derive(Default)]
pub struct Shared {
    pub types: TypeTable,
    /// Global functions and their numbers; numbers stay the same for the life of a session.
    pub functions: Map<Text, usize>,
    /// Kinds of the global functions, for the rules on who may call whom.
    pub kinds: Map<Text, FunctionKind>,
    /// Names of all functions whose first parameter is called `self`.
    pub methods: Set<Text>,
    /// Loops whose bodies read and write outside arrays as `'safe` does, because they count as kernels.
    pub safe_loops: Set<NodeId>,
    /// How parallel loops are carried out on devices.
    pub plans: Map<NodeId, quadra_quasar_hir::par::Plan>,
    /// The same of loops within parallel ones, and the loop around, which runs them if it becomes a kernel.
    pub reserve: Map<NodeId, (NodeId, quadra_quasar_hir::par::Plan)>,
    /// Whether loops run on a device.
    pub lowers: bool,
    pub diagnostics: Vec<Diagnostic>,
    pub double: bool,
    /// The program evaluates text, so global variables are kept visible for it.
    pub evaluates: bool,
    /// Names that nothing in the program defines, where they stand.
    pub unknown: Vec<(Text, Span)>,
}

impl Shared {
    /// The number of a global function, a new one if it has none.
    pub fn function_id(&mut self, name: &Text) -> usize {
        let next = self.functions.len();
        *self.functions.entry(name.clone()).or_insert(next)
    }

    /// The type that a text names.
    ///
    /// # Errors
    /// The text is no type, or names one that nobody defines.
    pub fn type_named(&mut self, text: &str) -> Res<Type> {
        let file = FileId::of_text("the text of a type", text);
        let (written, diagnostics) = parser::parse_type(file, text);
        let mut more = Vec::new();
        let ty = self.types.resolve(&written, &[], &mut more).ty;
        if let Some(d) = diagnostics.iter().chain(&more).next() {
            fault!("Q0220", "\"{text}\" is no type: {}", d.message; "for example \"vec[int]\" or \"mat(2,2)\"");
        }
        if let Some(name) = ty.unknown_name() {
            fault!("Q0220", "unknown type '{name}'"; "define it with 'type', or correct its name");
        }
        Ok(ty)
    }
}
