//! Reading kernels from their text form; [`print`](crate::print) writes it.
//!
//! ```text
//! file    = { kernel }
//! kernel  = "kernel" "@"name "(" [ param { "," param } ] ")" ("simt" | "simd") { attr } "{" { "var" "$"name ":" type } block "}"
//! param   = "%"name ":" ( type | "buf<" elem [ "," rank ] "," ("r" | "w" | "rw") [ "," "own" ] ">" | "shared<" elem { "," size } ">" )
//! attr    = "group=" n { "x" n } | "over=" n | "concurrent" | "whole" | "relaxed" | "regroup"
//! block   = { inst }
//! inst    = [ result { "," result } "=" ] op
//! result  = "%"name [ ":" type ]
//! op      = "if" value "{" block "}" [ "else" "{" block "}" ]
//!         | "for" "%"name "in" value ".." value [ "step" value ] [ carried ] "{" block "}"
//!         | "loop" [ carried ] "{" block "}"  |  "each" [ "%"name ] "{" block "}"
//!         | mnemonic [ "." mode ] [ number ] [ buffer "[" values "]" ] [ values ] [ "if" value ]
//! carried = "(" "%"name ":" type "=" value { "," … } ")"
//! value   = "%"name | "true" | "false" | number [ ":" elem ] | "bits(" number "):" elem
//! ```
//! A comment runs from `;` to the end of the line. A block that ends without a terminator yields nothing (an `if` or
//! `for`), continues (a `loop`) or returns (the kernel). Places in a parsed kernel point into the text.

mod inst;
mod lex;

use crate::kernel::{Access, Buf, Kernel, Level, Value, Values, Var, VarInfo};
use crate::ops::Op;
use crate::types::{Const, Elem, Type};
use lex::Token;
use quadra_base::{Diagnostic, FileId, Span};
use std::collections::HashMap;

/// The one kernel in `text`; `name` is what diagnostics call the text.
///
/// # Errors
/// What is wrong with the text, at its place.
pub fn kernel(name: &str, text: &str) -> Result<Kernel, Vec<Diagnostic>> {
    let (mut kernels, diagnostics) = kernels(name, text);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    match (kernels.pop(), kernels.len()) {
        (Some(kernel), 0) => Ok(kernel),
        (_, n) => {
            let count = if n == 0 { "no kernel".to_string() } else { format!("{} kernels", n + 1) };
            let at = Span::new(FileId::of_text(name, text), 1, 1, 1);
            Err(vec![Diagnostic::error("E0301", format!("one kernel is wanted here, and there is {count}")).at(at)])
        }
    }
}

/// All kernels in `text`, and what is wrong with it: at most one error per kernel. A kernel with an error is left out.
pub fn kernels(name: &str, text: &str) -> (Vec<Kernel>, Vec<Diagnostic>) {
    let tokens = match lex::tokens(FileId::of_text(name, text), text) {
        Ok(tokens) => tokens,
        Err(diagnostic) => return (Vec::new(), vec![*diagnostic]),
    };
    let (mut kernels, mut diagnostics) = (Vec::new(), Vec::new());
    let mut at = 0;
    while tokens[at].0 != Token::End {
        let mut parser = Parser::new(&tokens, at);
        match parser.kernel() {
            Ok(()) => kernels.push(parser.kernel),
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                // The next kernel begins at the next line that begins with the keyword.
                let begins = |i: &usize| tokens[*i].0 == Token::Word("kernel".into()) && tokens[*i].1.column == 1;
                parser.at = (at + 1..tokens.len()).find(begins).unwrap_or(tokens.len() - 1);
            }
        }
        at = parser.at;
    }
    (kernels, diagnostics)
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

fn error<T>(code: &'static str, span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Box::new(Diagnostic::error(code, message).at(span)))
}

struct Parser<'t> {
    tokens: &'t [(Token, Span)],
    at: usize,
    kernel: Kernel,
    /// Names visible here; `scope` lists them in order, so that a region's names can be forgotten at its end.
    values: HashMap<String, Value>,
    scope: Vec<String>,
    bufs: HashMap<String, Buf>,
    vars: HashMap<String, Var>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(tokens: &'t [(Token, Span)], at: usize) -> Self {
        Parser {
            tokens,
            at,
            kernel: Kernel::new("", Level::Simt),
            values: HashMap::new(),
            scope: Vec::new(),
            bufs: HashMap::new(),
            vars: HashMap::new(),
            depth: 0,
        }
    }

    fn peek(&self) -> &'t Token {
        &self.tokens[self.at].0
    }

    fn peek_at(&self, ahead: usize) -> &'t Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn next(&mut self) -> &'t Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Token::Punct(p) if *p == punct)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    fn accept(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.next();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn want(&mut self, punct: &str) -> Parsed<()> {
        if self.accept(punct) { Ok(()) } else { self.unexpected(&format!("`{punct}`")) }
    }

    fn want_word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        error("E0301", self.span(), format!("{wanted} is wanted here, not {}", self.peek().show()))
    }

    fn number(&mut self, most: u32) -> Parsed<u32> {
        match *self.peek() {
            Token::Int(n) if (0..=most as i128).contains(&n) => {
                self.next();
                Ok(n as u32)
            }
            Token::Int(n) => error("E0301", self.span(), format!("{n} does not lie between 0 and {most}")),
            _ => self.unexpected("a number"),
        }
    }

    fn kernel(&mut self) -> Parsed<()> {
        let start = self.span();
        self.want_word("kernel")?;
        let Token::Global(name) = self.peek() else { return self.unexpected("the kernel's name, such as `@f`,") };
        self.kernel.name = name.clone();
        self.kernel.span = Some(start.to(self.span()));
        self.next();
        self.want("(")?;
        while !self.accept(")") {
            self.param()?;
            if !self.is(")") {
                self.want(",")?;
            }
        }
        self.kernel.level = match self.next() {
            Token::Word(w) if w == "simt" => Level::Simt,
            Token::Word(w) if w == "simd" => Level::Simd,
            other => {
                return error(
                    "E0301",
                    self.last_span(),
                    format!("`simt` or `simd` is wanted here, not {}", other.show()),
                );
            }
        };
        self.attributes()?;
        self.want("{")?;
        while self.is_word("var") && matches!(self.peek_at(1), Token::Var(_)) {
            self.variable()?;
        }
        let body = self.block(Op::Return)?;
        self.kernel.body = body;
        Ok(())
    }

    fn attributes(&mut self) -> Parsed<()> {
        loop {
            if self.accept_word("concurrent") {
                self.kernel.concurrent = true;
            } else if self.accept_word("whole") {
                self.kernel.whole = true;
            } else if self.accept_word("relaxed") {
                self.kernel.relaxed = true;
            } else if self.accept_word("regroup") {
                self.kernel.regroup = true;
            } else if self.accept_word("over") {
                self.want("=")?;
                self.kernel.over = self.number(8)? as u8;
            } else if self.accept_word("group") {
                self.want("=")?;
                self.kernel.group = self.group()?;
            } else {
                return Ok(());
            }
        }
    }

    /// `16`, `4x16`: the lexer gives a number and a word `x16`.
    fn group(&mut self) -> Parsed<Vec<u32>> {
        let mut sizes = vec![self.number(1 << 16)?];
        if let Token::Word(word) = self.peek()
            && let Some(rest) = word.strip_prefix('x')
        {
            for part in rest.split('x') {
                match part.parse::<u32>() {
                    Ok(n) if n <= 1 << 16 => sizes.push(n),
                    _ => return self.unexpected("a group such as `4x16`"),
                }
            }
            self.next();
        }
        Ok(sizes)
    }

    fn param(&mut self) -> Parsed<()> {
        let span = self.span();
        let Token::Value(name) = self.next() else {
            return error("E0301", span, "a parameter such as `%x: i32` is wanted here");
        };
        if self.values.contains_key(name) || self.bufs.contains_key(name) {
            return error("E0303", span, format!("there are two parameters `%{name}`"));
        }
        self.want(":")?;
        let shared = self.is_word("shared");
        if !shared && !self.is_word("buf") {
            let ty = self.ty()?;
            let v = self.kernel.add_scalar(name, ty);
            self.values.insert(name.clone(), v);
            return Ok(());
        }
        self.next();
        self.want("<")?;
        let elem = self.element()?;
        let mut numbers = Vec::new();
        let (mut access, mut own) = (shared.then_some(Access::ReadWrite), false);
        while self.accept(",") {
            if access.is_none()
                && let Token::Word(w) = self.peek()
            {
                access = match w.as_str() {
                    "r" => Some(Access::Read),
                    "w" => Some(Access::Write),
                    "rw" => Some(Access::ReadWrite),
                    _ => return self.unexpected("`r`, `w` or `rw`"),
                };
                self.next();
                if self.accept(",") {
                    self.want_word("own")?;
                    own = true;
                }
                break;
            }
            numbers.push(self.number(if shared { 1 << 24 } else { 8 })?);
        }
        self.want(">")?;
        let Some(access) = access else { return self.unexpected("`r`, `w` or `rw` at the end of the buffer's type") };
        let buf = self.buffer(name, elem, shared, numbers, access, span)?;
        self.kernel.bufs[buf].own = own;
        self.bufs.insert(name.clone(), buf);
        Ok(())
    }

    fn buffer(
        &mut self,
        name: &str,
        elem: Type,
        shared: bool,
        numbers: Vec<u32>,
        access: Access,
        span: Span,
    ) -> Parsed<Buf> {
        if shared {
            if numbers.is_empty() || numbers.len() > 8 {
                return error("E0301", span, "a shared array has one to eight sizes: `shared<f32, 16, 16>`");
            }
            return Ok(self.kernel.add_shared(name, elem.elem, numbers));
        }
        let rank = match numbers[..] {
            [] => 1,
            [n] if n > 0 => n as u8,
            _ => return error("E0301", span, "a buffer is written `buf<f32, r>` or, with its rank, `buf<f32, 2, r>`"),
        };
        Ok(self.kernel.add_buffer(name, elem.elem, rank, access))
    }

    fn variable(&mut self) -> Parsed<()> {
        let start = self.span();
        self.next();
        let Token::Var(name) = self.next() else { return self.unexpected("a variable") };
        let span = Some(start.to(self.last_span()));
        self.want(":")?;
        let ty = self.ty()?;
        let var = self.kernel.vars.push(VarInfo { name: name.as_str().into(), ty, span });
        match self.vars.insert(name.clone(), var) {
            None => Ok(()),
            Some(_) => error("E0303", start, format!("there are two variables `${name}`")),
        }
    }

    /// `f32`.
    fn element(&mut self) -> Parsed<Type> {
        let Token::Word(word) = self.peek() else { return self.unexpected("a type") };
        match Elem::ALL.iter().find(|(_, name)| name == word) {
            Some((elem, _)) => {
                self.next();
                Ok(Type::scalar(*elem))
            }
            None => self.unexpected("a type such as `i32` or `<f32>`"),
        }
    }

    fn ty(&mut self) -> Parsed<Type> {
        if self.accept("<") {
            let ty = self.element()?;
            self.want(">")?;
            return Ok(ty.with_lanes(true));
        }
        self.element()
    }

    fn begins_value(&self) -> bool {
        match self.peek() {
            Token::Int(_) | Token::Float(_) => true,
            // `%x =` and `%x:` begin the next instruction.
            Token::Value(_) => !matches!(self.peek_at(1), Token::Punct("=" | ":")),
            Token::Word(w) => {
                matches!(w.as_str(), "true" | "false") || (w == "bits" && *self.peek_at(1) == Token::Punct("("))
            }
            _ => false,
        }
    }

    /// Values separated by commas, possibly none.
    fn value_list(&mut self) -> Parsed<Values> {
        let mut values = Values::new();
        if self.begins_value() {
            values.push(self.value()?);
            while self.accept(",") {
                values.push(self.value()?);
            }
        }
        Ok(values)
    }

    fn value(&mut self) -> Parsed<Value> {
        let span = self.span();
        match self.peek() {
            Token::Value(name) => {
                self.next();
                if let Some(&v) = self.values.get(name) {
                    return Ok(v);
                }
                let d = Diagnostic::error("E0302", format!("there is no value `%{name}` here")).at(span);
                if self.bufs.contains_key(name) {
                    return Err(Box::new(d.help("a buffer is read and written by `load %b[…]` and `store %b[…], …`")));
                }
                Err(Box::new(d.help("a value is visible from its definition to the end of the region that defines it")))
            }
            Token::Int(_) | Token::Float(_) | Token::Word(_) => {
                let c = self.constant()?;
                Ok(self.kernel.constant(c))
            }
            _ => self.unexpected("a value"),
        }
    }

    fn constant(&mut self) -> Parsed<Const> {
        let span = self.span();
        match self.next() {
            Token::Word(w) if w == "true" || w == "false" => Ok(Const::bool(w == "true")),
            Token::Word(w) if w == "bits" => {
                self.want("(")?;
                let Token::Int(bits) = *self.next() else {
                    return error("E0301", self.last_span(), "the bits of the constant are wanted here");
                };
                self.want(")")?;
                self.want(":")?;
                let elem = self.element()?.elem;
                match u64::try_from(bits) {
                    Ok(bits) if elem.bytes() == 8 || bits >> 32 == 0 => Ok(Const { elem, bits }),
                    _ => error("E0301", span, "the constant has more bits than its type"),
                }
            }
            Token::Int(n) => {
                let elem = if self.accept(":") { self.element()?.elem } else { Elem::I32 };
                integer(elem, *n).map_or_else(|| error("E0301", span, format!("{n} is no {elem}")), Ok)
            }
            Token::Float(s) => {
                let elem = if self.accept(":") { self.element()?.elem } else { Elem::F32 };
                let c = match elem {
                    Elem::F32 => s.parse::<f32>().ok().map(Const::f32),
                    Elem::F64 => s.parse::<f64>().ok().map(Const::f64),
                    _ => None,
                };
                c.map_or_else(|| error("E0301", span, format!("`{s}` is no {elem}")), Ok)
            }
            other => error("E0301", span, format!("a value is wanted here, not {}", other.show())),
        }
    }

    /// Makes a new value visible. A name of digits only is what the printer gives to nameless values.
    fn define(&mut self, name: &str, ty: Type, span: Span) -> Parsed<Value> {
        let stored = if name.bytes().all(|b| b.is_ascii_digit()) { "" } else { name };
        let v = self.kernel.named_value(ty, stored);
        if self.bufs.contains_key(name) || self.values.insert(name.to_string(), v).is_some() {
            return error("E0303", span, format!("`%{name}` is already defined here"));
        }
        self.scope.push(name.to_string());
        Ok(v)
    }
}

fn integer(elem: Elem, n: i128) -> Option<Const> {
    let (low, high) = match elem {
        Elem::Bool => (0, 1),
        Elem::F32 | Elem::F64 | Elem::F16 => return None,
        Elem::I64 => (i64::MIN as i128, u64::MAX as i128),
        _ => (i32::MIN as i128, u32::MAX as i128),
    };
    let bits = if elem.bytes() == 8 { n as u64 } else { n as u32 as u64 };
    (low..=high).contains(&n).then_some(Const { elem, bits })
}
