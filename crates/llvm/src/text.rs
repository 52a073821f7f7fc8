//! Text of LLVM IR under construction: lines, fresh names, branches, and what must be declared. What vectors there are, and
//! how types are named, is the caller's.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines of a function, fresh names, and what must be declared.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The instructions so far.
    pub lines: String,
    /// Slots of the frame: all stand in the entry block, so that loops do not grow the stack.
    pub slots: String,
    /// Functions that the module must declare, each once.
    pub declarations: BTreeSet<String>,
    names: usize,
}

impl Text {
    /// Adds an instruction that gives a value; its name.
    pub fn def(&mut self, instruction: &str) -> String {
        self.names += 1;
        let name = format!("%t{}", self.names);
        writeln!(self.lines, "  {name} = {instruction}").expect("a string takes all");
        name
    }

    /// Adds an instruction without a value.
    pub fn line(&mut self, instruction: &str) {
        writeln!(self.lines, "  {instruction}").expect("a string takes all");
    }

    /// A label that is not in use.
    pub fn fresh_label(&mut self) -> String {
        self.names += 1;
        format!("l{}", self.names)
    }

    /// Begins a basic block.
    pub fn label(&mut self, label: &str) {
        writeln!(self.lines, "{label}:").expect("a string takes all");
    }

    /// Ends a basic block.
    pub fn branch(&mut self, to: &str) {
        self.line(&format!("br label %{to}"));
    }

    /// Ends a basic block by a condition.
    pub fn branch_if(&mut self, condition: &str, yes: &str, no: &str) {
        self.line(&format!("br i1 {condition}, label %{yes}, label %{no}"));
    }

    /// A slot of the frame; its address.
    pub fn slot(&mut self, ty: &str) -> String {
        self.names += 1;
        let name = format!("%s{}", self.names);
        writeln!(self.slots, "  {name} = alloca {ty}").expect("a string takes all");
        name
    }

    /// Makes the module declare a function.
    pub fn declare(&mut self, declaration: &str) {
        self.declarations.insert(declaration.to_string());
    }

    /// Calls a function, which is declared by the types of its arguments (each a type and a value); its value's name.
    pub fn call(&mut self, result: &str, name: &str, args: &[(&str, &str)]) -> String {
        let types: Vec<&str> = args.iter().map(|a| a.0).collect();
        self.declare(&format!("declare {result} @{name}({})", types.join(", ")));
        let args: Vec<String> = args.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        let call = format!("call {result} @{name}({})", args.join(", "));
        if result == "void" {
            self.line(&call);
            return String::new();
        }
        self.def(&call)
    }
}
