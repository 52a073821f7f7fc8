//! Lines in order: labels, blocks, macro calls, operations.

use super::expr::Cursor;
use super::lexer::{self, Line, Tok, Token};
use super::scope::Kind;
use super::value::Value;
use super::{Assembler, Fail, Macro};
use quadra_base::{Diagnostic, Span};
use std::rc::Rc;

/// Blocks: what opens and what closes them.
const BLOCKS: &[(&str, &[&str])] = &[
    ("if", &["endif"]),
    ("ifset", &["endif"]),
    ("rep", &["endr"]),
    ("foreach", &["endfor", "endr"]),
    ("macro", &["endm"]),
    ("func", &["endf"]),
    ("local", &["endloc"]),
    ("back", &["endb"]),
];

pub(super) fn closers(opener: &str) -> Option<&'static [&'static str]> {
    BLOCKS.iter().find(|(name, _)| *name == opener).map(|(_, closers)| *closers)
}

fn is_closer(name: &str) -> bool {
    BLOCKS.iter().any(|(_, closers)| closers.contains(&name))
}

/// The tokens of a line behind its labels.
pub(super) fn behind_labels(tokens: &[Token]) -> &[Token] {
    &tokens[lexer::labels(tokens)..]
}

/// The name of a line's directive, and where it stands.
pub(super) fn directive(line: &Line) -> Option<(&str, Span)> {
    match behind_labels(&line.tokens).first() {
        Some(Token { tok: Tok::Suffix(name), span }) => Some((name, *span)),
        _ => None,
    }
}

/// One part of an `.if` or the whole of another block.
pub(super) struct Clause {
    /// The line that opens the part.
    pub head: usize,
    pub end: usize,
}

impl Assembler<'_> {
    pub(super) fn run(&mut self, lines: &[Line]) {
        let mut at = 0;
        while at < lines.len() && !self.stopped && self.function_error.is_none() {
            let depth = self.scopes.depth();
            at = match self.line(lines, at) {
                Ok(next) => next,
                Err(fail) if self.function.is_some() => {
                    self.function_error = Some(fail);
                    self.scopes.truncate(depth);
                    return;
                }
                Err(fail) => {
                    self.report(*fail);
                    self.scopes.truncate(depth);
                    self.resume(lines, at)
                }
            };
        }
    }

    /// Where to go on after an error in line `at`: behind the whole block if the line opens one.
    fn resume(&self, lines: &[Line], at: usize) -> usize {
        let opener = directive(&lines[at]).and_then(|(name, _)| closers(name));
        match opener.and_then(|_| block(lines, at).ok()) {
            Some(clauses) => clauses.last().map_or(at, |c| c.end) + 1,
            None => at + 1,
        }
    }

    /// Runs the line, or the block it opens, and returns the next one.
    fn line(&mut self, lines: &[Line], at: usize) -> Result<usize, Fail> {
        let line = &lines[at];
        self.spend(1 + line.tokens.len() / 16, line.span)?;
        let rest = behind_labels(&line.tokens);
        for token in &line.tokens[..line.tokens.len() - rest.len()] {
            match &token.tok {
                Tok::Label(name) => self.define_label(name, token.span)?,
                Tok::Global(name) => {
                    self.define_label(name, token.span)?;
                    self.globals.insert(name.to_string(), self.out.address());
                }
                _ => self.out.seal(),
            }
        }
        let Some(first) = rest.first() else { return Ok(at + 1) };
        match &first.tok {
            Tok::Suffix(name) if closers(name).is_some() => return self.block(name, lines, at),
            Tok::Suffix(name) if is_closer(name) || matches!(&**name, "else" | "elseif") => {
                let message = format!("`.{name}` without the directive that opens the block");
                return Err(Box::new(Diagnostic::error("E0749", message).at(first.span)));
            }
            Tok::Suffix(name) => self.directive(name, &rest[1..], first.span, line.span)?,
            _ if self.function.is_some() => {
                let mut c = Cursor::new(rest, line.span);
                let value = self.expr(&mut c)?;
                c.expect_end()?;
                if self.function.replace(Some(value)).flatten().is_some() {
                    let message = "a function has one expression as its value";
                    return Err(Box::new(Diagnostic::error("E0741", message).at(line.span)));
                }
            }
            Tok::Ident(name) if self.macros.contains_key(name) => {
                self.call_macro(name, &rest[1..], first.span, line.span)?
            }
            Tok::Punct(";") => self.operations(&rest[1..], true, line.span)?,
            _ => self.operations(rest, false, line.span)?,
        }
        Ok(at + 1)
    }

    fn block(&mut self, name: &str, lines: &[Line], at: usize) -> Result<usize, Fail> {
        let clauses = block(lines, at)?;
        let end = clauses.last().map_or(at, |c| c.end);
        self.spend(end - at, lines[at].span)?;
        if end == lines.len() {
            let message = format!("`.{name}` is never closed: it goes on to the end");
            self.warn(Diagnostic::warning("E0760", message).at(lines[at].span).help("close it with `.endif`"));
        }
        let tokens = &behind_labels(&lines[at].tokens)[1..];
        let mut c = Cursor::new(tokens, lines[at].span);
        let body = &lines[at + 1..end];
        match name {
            "if" | "ifset" => self.conditional(lines, &clauses)?,
            "rep" => self.repeat(&mut c, body)?,
            "foreach" => self.foreach(&mut c, body)?,
            "macro" => self.define_macro(&mut c, body)?,
            "func" => self.define_function(&mut c, body)?,
            "local" => {
                c.expect_end()?;
                self.scopes.push(Kind::Block);
                self.run(body);
                self.scopes.pop();
            }
            _ => self.back(&mut c, body)?,
        }
        Ok(end + 1)
    }

    fn conditional(&mut self, lines: &[Line], clauses: &[Clause]) -> Result<(), Fail> {
        for clause in clauses {
            let head = &lines[clause.head];
            let tokens = behind_labels(&head.tokens);
            let mut c = Cursor::new(&tokens[1..], head.span);
            let holds = match directive(head).map_or("else", |(name, _)| name) {
                "else" => true,
                "ifset" => {
                    let name = identifier(&mut c)?;
                    self.scopes.get(&name).is_some() || self.macros.contains_key(&name)
                }
                _ => self.condition(&mut c)?,
            };
            c.expect_end()?;
            if holds {
                self.run(&lines[clause.head + 1..clause.end]);
                break;
            }
        }
        Ok(())
    }

    /// An expression that must be a number, as a truth value.
    pub(super) fn condition(&mut self, c: &mut Cursor<'_>) -> Result<bool, Fail> {
        let span = c.span();
        let value = self.expr(c)?;
        value.truth().ok_or_else(|| {
            let message = format!("a condition must be a number, not {}", value.kind());
            Box::new(Diagnostic::error("E0744", message).at(span))
        })
    }

    /// An expression that must be an integer in a range.
    pub(super) fn integer(&mut self, c: &mut Cursor<'_>, what: &str, least: i64, most: i64) -> Result<i64, Fail> {
        let span = c.span();
        match self.expr(c)? {
            Value::Int(value) if (least..=most).contains(&value) => Ok(value),
            Value::Int(value) => {
                let message = format!("{what} is {value}, but must lie in {least} to {most}");
                Err(Box::new(Diagnostic::error("E0746", message).at(span)))
            }
            other => {
                let message = format!("{what} must be an integer, not {}", other.kind());
                Err(Box::new(Diagnostic::error("E0744", message).at(span)))
            }
        }
    }

    fn repeat(&mut self, c: &mut Cursor<'_>, body: &[Line]) -> Result<(), Fail> {
        let name = identifier(c)?;
        c.accept(",");
        let count = self.integer(c, "the count of `.rep`", 0, i64::MAX)?;
        c.expect_end()?;
        for round in 0..count {
            self.round(&name, Value::Int(round), body, c.whole)?;
        }
        Ok(())
    }

    fn foreach(&mut self, c: &mut Cursor<'_>, body: &[Line]) -> Result<(), Fail> {
        let name = identifier(c)?;
        c.accept(",");
        let mut values = Vec::new();
        while !c.at_end() {
            values.push(self.expr(c)?);
            if !c.accept(",") {
                break;
            }
        }
        c.expect_end()?;
        for value in values {
            self.round(&name, value, body, c.whole)?;
        }
        Ok(())
    }

    /// One round of a loop.
    fn round(&mut self, name: &Rc<str>, value: Value, body: &[Line], span: Span) -> Result<(), Fail> {
        self.spend(1, span)?;
        self.scopes.push(Kind::Loop);
        self.scopes.bind(name.clone(), value);
        self.run(body);
        self.scopes.pop();
        if self.stopped { self.spend(0, span) } else { Ok(()) }
    }

    fn define_macro(&mut self, c: &mut Cursor<'_>, body: &[Line]) -> Result<(), Fail> {
        let name = identifier(c)?;
        let mut params = Vec::new();
        while !c.at_end() {
            c.accept(",");
            params.push(identifier(c)?);
        }
        self.macros.insert(name, Macro { params: params.into(), body: body.into() });
        Ok(())
    }

    fn call_macro(&mut self, name: &str, tokens: &[Token], span: Span, line: Span) -> Result<(), Fail> {
        let Some(called) = self.macros.get(name).cloned() else { return Ok(()) };
        let mut c = Cursor::new(tokens, line);
        let mut args = Vec::new();
        while !c.at_end() {
            args.push(self.expr(&mut c)?);
            if !c.accept(",") {
                break;
            }
        }
        c.expect_end()?;
        if args.len() != called.params.len() {
            let message = format!("the macro `{name}` takes {} argument(s), not {}", called.params.len(), args.len());
            let help = format!("`{name} {}`", called.params.join(", "));
            return Err(Box::new(Diagnostic::error("E0750", message).at(span).help(help)));
        }
        self.enter(span)?;
        self.uses.push((span, format!("`{name}`")));
        self.scopes.push(Kind::Block);
        called.params.iter().zip(args).for_each(|(param, arg)| self.scopes.bind(param.clone(), arg));
        self.run(&called.body);
        self.scopes.pop();
        self.uses.pop();
        self.leave();
        Ok(())
    }

    fn define_function(&mut self, c: &mut Cursor<'_>, body: &[Line]) -> Result<(), Fail> {
        let span = c.span();
        let name = identifier(c)?;
        let params = parameters(c)?;
        c.expect_end()?;
        let symbol = super::scope::Symbol::Function { params, body: body.into() };
        self.define(name, symbol, false, false, span)
    }

    /// The value of a function's body.
    pub(super) fn run_function(&mut self, name: &str, body: &[Line], span: Span) -> Result<Value, Fail> {
        let outer = self.function.replace(None);
        self.run(body);
        let result = std::mem::replace(&mut self.function, outer).flatten();
        if let Some(fail) = self.function_error.take() {
            return Err(fail);
        }
        result.ok_or_else(|| Box::new(Diagnostic::error("E0754", format!("`{name}` has no value")).at(span)))
    }

    /// `.back n`: code that goes before the last n instructions.
    fn back(&mut self, c: &mut Cursor<'_>, body: &[Line]) -> Result<(), Fail> {
        let count = self.integer(c, "the count of `.back`", 0, 10)? as usize;
        c.expect_end()?;
        let last = self.out.take_last(count);
        let address = self.out.inst_address();
        self.run(body);
        let inserted = self.out.inst_address() - address;
        self.labels.shift(address, inserted);
        self.out.append(last);
        Ok(())
    }
}

/// A name.
pub(super) fn identifier(c: &mut Cursor<'_>) -> Result<Rc<str>, Fail> {
    let span = c.span();
    match c.next().map(|t| &t.tok) {
        Some(Tok::Ident(name)) => Ok(name.clone()),
        _ => Err(Box::new(Diagnostic::error("E0741", "expected a name").at(span))),
    }
}

/// `(a, b, …)`
pub(super) fn parameters(c: &mut Cursor<'_>) -> Result<Rc<[Rc<str>]>, Fail> {
    c.expect("(", "before the parameters")?;
    let mut params = Vec::new();
    while !c.accept(")") {
        params.push(identifier(c)?);
        if !c.accept(",") {
            c.expect(")", "to close the parameters")?;
            break;
        }
    }
    Ok(params.into())
}

/// The parts of the block that line `at` opens; each ends where the next begins.
fn block(lines: &[Line], at: usize) -> Result<Vec<Clause>, Fail> {
    let (opener, span) = directive(&lines[at]).expect("the caller saw a directive");
    let wanted = closers(opener).unwrap_or(&[]);
    let mut depth = 0usize;
    let mut heads = vec![at];
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        let Some((name, place)) = directive(line) else { continue };
        if closers(name).is_some() {
            depth += 1;
        } else if depth == 0 && matches!(name, "else" | "elseif") && wanted == ["endif"] {
            heads.push(index);
        } else if is_closer(name) && depth > 0 {
            depth -= 1;
        } else if is_closer(name) {
            if !wanted.contains(&name) {
                let message = format!("`.{name}` closes a block that `.{opener}` opened");
                let diagnostic = Diagnostic::error("E0749", message).at(place).also(span, "opened here");
                return Err(Box::new(diagnostic.help(format!("write `.{}`", wanted.first().unwrap_or(&"")))));
            }
            let ends = heads.iter().skip(1).copied().chain([index]);
            return Ok(heads.iter().zip(ends).map(|(head, end)| Clause { head: *head, end }).collect());
        }
    }
    if wanted == ["endif"] {
        // The end of the text closes it.
        let ends = heads.iter().skip(1).copied().chain([lines.len()]);
        return Ok(heads.iter().zip(ends).map(|(head, end)| Clause { head: *head, end }).collect());
    }
    let message = format!("`.{opener}` is never closed");
    let help = format!("close it with `.{}`", wanted.first().unwrap_or(&""));
    Err(Box::new(Diagnostic::error("E0749", message).at(span).help(help)))
}
