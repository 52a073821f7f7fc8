//! What the names of a program mean, and where they stand: the tables that `resolve` fills.

use crate::program::language::ast::{Function, NodeId, Text as Name};
use crate::program::language::{Names, Shipped};
use quadra_base::quick::Map;
use quadra_base::{FileId, Span};
use std::rc::Rc;

pub type SymbolId = usize;

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Variable,
    Parameter,
    /// A type or size parameter of a generic function.
    TypeParameter,
    /// A function at the global scope.
    Function,
    Type,
    /// A field of the class of this name; of an unknown one if the name is empty.
    Field(Name),
    /// A named argument of a function that is not known here.
    Argument,
    Shipped(Shipped),
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: Name,
    pub kind: Kind,
    /// The scope of a variable.
    pub scope: usize,
    /// The function it is, or whose parameter it is.
    pub function: Option<Rc<Function>>,
    /// How its type is written.
    pub written: Option<Span>,
}

/// A place where a name stands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub span: Span,
    pub symbol: SymbolId,
    /// Defined or assigned here.
    pub write: bool,
    /// The expression that it is, or the loop whose variable it is.
    pub node: Option<NodeId>,
    pub scope: usize,
}

/// A function's variables, or those of the whole program.
pub struct Scope {
    pub parent: Option<usize>,
    pub names: Map<Name, SymbolId>,
    /// What is assigned in it, and functions defined in it.
    pub assigned: Names,
    pub inner: Vec<Name>,
    pub function: Option<Rc<Function>>,
}

#[derive(Default)]
pub struct Symbols {
    pub symbols: Vec<Symbol>,
    /// In the order of their places.
    pub sites: Vec<Site>,
    /// Those of each symbol.
    of: Vec<Vec<usize>>,
    /// The first one is that of the program.
    pub scopes: Vec<Scope>,
    /// Calls, indices and fields by the places of their last characters: what stands before a point.
    pub ends: Map<(FileId, u32, u32), NodeId>,
}

impl Symbols {
    /// The site at or right before a place.
    pub fn site(&self, file: FileId, line: u32, column: u32) -> Option<&Site> {
        let behind = self.sites.partition_point(|s| (s.span.file, s.span.line, s.span.column) <= (file, line, column));
        let site = self.sites.get(behind.checked_sub(1)?)?;
        let span = site.span;
        (span.file == file && span.line == line && column <= span.column + span.len).then_some(site)
    }

    pub fn of(&self, symbol: SymbolId) -> impl Iterator<Item = &Site> {
        self.of[symbol].iter().map(|i| &self.sites[*i])
    }

    /// Brings the sites into the order of their places, when all are there.
    pub fn settle(&mut self) {
        self.sites.sort_by_key(|s| (s.span.file, s.span.line, s.span.column));
        self.of = vec![Vec::new(); self.symbols.len()];
        self.sites.iter().enumerate().for_each(|(i, site)| self.of[site.symbol].push(i));
    }

    /// Where a symbol is defined: all definitions of a function or type, the first assignment of a variable.
    pub fn definitions(&self, symbol: SymbolId) -> Vec<&Site> {
        let several = matches!(self.symbols[symbol].kind, Kind::Function | Kind::Type | Kind::Field(_));
        let writes = self.of(symbol).filter(|s| s.write);
        writes.take(if several { usize::MAX } else { 1 }).collect()
    }

    /// Whether `scope` is `outer` or lies in it.
    pub fn within(&self, mut scope: usize, outer: usize) -> bool {
        while scope != outer {
            match self.scopes[scope].parent {
                Some(parent) => scope = parent,
                None => return false,
            }
        }
        true
    }
}
