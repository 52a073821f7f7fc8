//! Symbols: constants, functions and macros, in nested contexts.

use super::lexer::{Line, Token};
use super::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Value(Value),
    /// `.set name(args) expression`, evaluated where it is used.
    Inline {
        params: Rc<[Rc<str>]>,
        body: Rc<[Token]>,
    },
    /// `.func`
    Function {
        params: Rc<[Rc<str>]>,
        body: Rc<[Line]>,
    },
}

#[derive(Clone, Debug)]
struct Entry {
    symbol: Symbol,
    is_final: bool,
}

/// What opened a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The program, an include, a macro, a function, a `.local` block: `.lset` is local to it.
    Block,
    /// A loop: it holds its variable only.
    Loop,
}

#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// Tells the labels `:.name` of different contexts apart.
    id: usize,
    entries: HashMap<Rc<str>, Entry>,
}

/// The stack of contexts.
#[derive(Debug)]
pub(super) struct Scopes {
    frames: Vec<Frame>,
    next_id: usize,
}

impl Scopes {
    pub fn new() -> Scopes {
        let mut scopes = Scopes { frames: Vec::new(), next_id: 0 };
        scopes.push(Kind::Block);
        scopes
    }

    pub fn push(&mut self, kind: Kind) {
        self.frames.push(Frame { kind, id: self.next_id, entries: HashMap::new() });
        self.next_id += 1;
    }

    pub fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Drops contexts that an error left open.
    pub fn truncate(&mut self, depth: usize) {
        self.frames.truncate(depth.max(1));
    }

    /// Ids of the contexts from the innermost outward.
    pub fn ids(&self) -> impl Iterator<Item = usize> {
        self.frames.iter().rev().filter(|f| f.kind == Kind::Block).map(|f| f.id)
    }

    pub fn get(&self, name: &str) -> Option<&Symbol> {
        self.frames.iter().rev().find_map(|f| f.entries.get(name)).map(|entry| &entry.symbol)
    }

    /// Puts a variable into the innermost context, whatever its kind.
    pub fn bind(&mut self, name: Rc<str>, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.entries.insert(name, Entry { symbol: Symbol::Value(value), is_final: false });
        }
    }

    /// Defines a symbol: in the current context if `local`, otherwise where it is visible already, or everywhere.
    /// `Err` if a final definition stands in the way.
    pub fn define(&mut self, name: Rc<str>, symbol: Symbol, local: bool, is_final: bool) -> Result<(), ()> {
        let at = if local {
            self.frames.iter().rposition(|f| f.kind == Kind::Block)
        } else {
            self.frames.iter().rposition(|f| f.entries.contains_key(&name))
        };
        let frame = &mut self.frames[at.unwrap_or(0)];
        if frame.entries.get(&name).is_some_and(|entry| entry.is_final) {
            return Err(());
        }
        frame.entries.insert(name, Entry { symbol, is_final });
        Ok(())
    }

    /// Removes the visible definition of a name, or the one of the current context; tells whether there was one.
    pub fn remove(&mut self, name: &str, local: bool) -> bool {
        let current = self.frames.iter().rposition(|f| f.kind == Kind::Block).unwrap_or(0);
        for (index, frame) in self.frames.iter_mut().enumerate().rev() {
            if (!local || index == current) && frame.entries.remove(name).is_some() {
                return true;
            }
        }
        false
    }

    /// Every visible name, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().flat_map(|f| f.entries.keys().map(|k| &**k))
    }
}
