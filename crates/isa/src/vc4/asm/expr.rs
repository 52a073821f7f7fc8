//! Expressions: precedence climbing over tokens.

use super::super::imm::{Rotation, SmallImm};
use super::super::line::{Place, Slice};
use super::super::op::Cond;
use super::super::reg::File;
use super::lexer::{Tok, Token};
use super::math;
use super::scope::{Kind, Symbol};
use super::value::{RegValue, Value};
use super::{Assembler, BUILT_IN, Fail};
use quadra_base::{Diagnostic, Span};

/// Expressions nest at most this deep, so that the stack suffices.
const DEPTH: usize = 100;

/// A position in the tokens of a line.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    pub tokens: &'t [Token],
    pub at: usize,
    /// The place to blame when the tokens end.
    pub whole: Span,
}

impl<'t> Cursor<'t> {
    pub fn new(tokens: &'t [Token], whole: Span) -> Cursor<'t> {
        Cursor { tokens, at: 0, whole }
    }

    pub fn peek(&self) -> Option<&'t Tok> {
        self.tokens.get(self.at).map(|t| &t.tok)
    }

    pub fn peek_second(&self) -> Option<&'t Tok> {
        self.tokens.get(self.at + 1).map(|t| &t.tok)
    }

    /// The place of the next token, or of the last one at the end.
    pub fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(self.whole, |t| t.span)
    }

    pub fn next(&mut self) -> Option<&'t Token> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    pub fn accept(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Some(Tok::Punct(p)) if *p == punct);
        self.at += usize::from(found);
        found
    }

    pub fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub fn expect(&mut self, punct: &str, what: &str) -> Result<(), Fail> {
        if self.accept(punct) {
            return Ok(());
        }
        Err(Box::new(Diagnostic::error("E0741", format!("expected `{punct}` {what}")).at(self.span())))
    }

    pub fn expect_end(&self) -> Result<(), Fail> {
        if self.at_end() {
            return Ok(());
        }
        let help = "operands are separated by `,`, operations of one instruction by `;`";
        Err(Box::new(Diagnostic::error("E0741", "this does not belong here").at(self.span()).help(help)))
    }
}

/// Binary operators: text and how tightly they bind.
fn precedence(op: &str) -> Option<u8> {
    Some(match op {
        "**" => 12,
        "*" | "/" | "%" => 11,
        "+" | "-" => 10,
        "<<" | ">>" | "<<<" | ">>>" | "><<" | ">><" | "><<<" | ">>><" => 9,
        ">" | ">=" | "<" | "<=" | "<=>" => 8,
        "==" | "!=" | "===" | "!==" => 7,
        "&" => 6,
        "^" | "!^" => 5,
        "|" => 4,
        "&&" => 3,
        "^^" | "!^^" => 2,
        "||" => 1,
        _ => return None,
    })
}

impl Assembler<'_> {
    /// The 32 bits of a constant or label.
    pub(super) fn constant_of(&mut self, value: &Value, at: Span) -> Result<u32, Fail> {
        let value = match value {
            Value::Label { address, relative: true } => {
                Value::Int(address.wrapping_sub(self.out.inst_address()).wrapping_sub(32))
            }
            Value::Label { address, relative: false } => Value::Int(*address),
            other => other.clone(),
        };
        match (value.bits(), &value) {
            (Some(bits), _) => Ok(bits),
            (None, Value::Int(_)) => {
                Err(Box::new(Diagnostic::error("E0746", "this constant has more than 32 bits").at(at)))
            }
            (None, other) => {
                let message = format!("expected a constant, not {}", other.kind());
                Err(Box::new(Diagnostic::error("E0744", message).at(at)))
            }
        }
    }

    /// The value of the expression at the cursor.
    pub(super) fn expr(&mut self, c: &mut Cursor<'_>) -> Result<Value, Fail> {
        self.binary(c, 0)
    }

    fn binary(&mut self, c: &mut Cursor<'_>, least: u8) -> Result<Value, Fail> {
        self.nesting += 1;
        let result = if self.nesting > DEPTH {
            let message = "this expression is nested too deeply";
            Err(Box::new(
                Diagnostic::error("E0751", message).at(c.span()).help("compute parts of it with `.set` first"),
            ))
        } else {
            self.binary_levels(c, least)
        };
        self.nesting -= 1;
        result
    }

    fn binary_levels(&mut self, c: &mut Cursor<'_>, least: u8) -> Result<Value, Fail> {
        let start = c.span();
        let mut left = self.unary(c)?;
        while let Some(Tok::Punct(op)) = c.peek() {
            let Some(level) = precedence(op) else { break };
            if level <= least {
                break;
            }
            let at = c.span();
            c.at += 1;
            // `**` groups to the right.
            let right = self.binary(c, if *op == "**" { level - 1 } else { level })?;
            left =
                self.apply(op, left, right, at).map_err(|e| Box::new(e.also(start, "the left operand starts here")))?;
        }
        Ok(left)
    }

    fn unary(&mut self, c: &mut Cursor<'_>) -> Result<Value, Fail> {
        let at = c.span();
        let mut operators = Vec::new();
        loop {
            let name = match c.peek() {
                Some(Tok::Punct(op @ ("-" | "+" | "~" | "!"))) if !is_lone_dash(c) => *op,
                Some(Tok::Ident(name))
                    if math::is_operator(name) && self.scopes.get(name).is_none() && starts_operand(c) =>
                {
                    math::operator(name).unwrap_or("+")
                }
                _ => break,
            };
            if operators.len() >= DEPTH {
                return Err(Box::new(Diagnostic::error("E0751", "too many unary operators").at(c.span())));
            }
            operators.push(name);
            c.at += 1;
        }
        let mut value = self.primary(c)?;
        for op in operators.into_iter().rev() {
            value = math::unary(op, &value).map_err(|message| Box::new(Diagnostic::error("E0744", message).at(at)))?;
        }
        Ok(value)
    }

    fn primary(&mut self, c: &mut Cursor<'_>) -> Result<Value, Fail> {
        let span = c.span();
        let Some(token) = c.next() else {
            return Err(Box::new(Diagnostic::error("E0741", "an expression is missing here").at(span)));
        };
        let value = match &token.tok {
            Tok::Int(value) => Value::Int(*value),
            Tok::Float(value) => Value::Float(*value),
            Tok::Label(name) => self.label_value(name, false, span)?,
            Tok::Relative(name) => self.label_value(name, true, span)?,
            Tok::Punct("(") => {
                let value = self.expr(c)?;
                c.expect(")", "to close the parenthesis")?;
                value
            }
            Tok::Punct("[") => self.per_lane(c, span)?,
            Tok::Punct("-") => Value::Reg(RegValue::none()),
            Tok::Ident(name) => self.name(name, c, span)?,
            _ => return Err(Box::new(Diagnostic::error("E0741", "expected an expression").at(span))),
        };
        self.suffixes(value, c)
    }

    fn per_lane(&mut self, c: &mut Cursor<'_>, span: Span) -> Result<Value, Fail> {
        let mut values = Vec::new();
        loop {
            let at = c.span();
            match self.expr(c)? {
                Value::Int(value @ -2..=3) => values.push(value as i8),
                _ => {
                    let message = "a value per lane is an integer of -2 to 1 or of 0 to 3";
                    return Err(Box::new(Diagnostic::error("E0746", message).at(at)));
                }
            }
            if !c.accept(",") {
                break;
            }
        }
        c.expect("]", "to close the list")?;
        let count = values.len();
        values.try_into().map(Value::PerLane).map_err(|_| {
            let message = format!("a list per lane has 16 values, this one {count}");
            Box::new(Diagnostic::error("E0750", message).at(span))
        })
    }

    /// A name: symbol, register, semaphore or function.
    fn name(&mut self, name: &str, c: &mut Cursor<'_>, span: Span) -> Result<Value, Fail> {
        let calls = matches!(c.peek(), Some(Tok::Punct("(")));
        match self.scopes.get(name).cloned() {
            Some(Symbol::Value(value)) => return Ok(value),
            Some(function) if calls => {
                let args = self.arguments(c)?;
                return self.call(name, &function, args, span);
            }
            Some(_) => {
                let message = format!("`{name}` is a function");
                return Err(Box::new(
                    Diagnostic::error("E0750", message).at(span).help(format!("call it: `{name}(…)`")),
                ));
            }
            None => {}
        }
        if calls && math::is_function(name) {
            let args = self.arguments(c)?;
            return math::function(name, &args)
                .map_err(|message| Box::new(Diagnostic::error("E0744", message).at(span)));
        }
        // As a register it is another name of `-`, with which macros compare what they are given.
        if let Some(reg) = RegValue::find(if name == "nop" { "-" } else { name }) {
            return Ok(Value::Reg(reg));
        }
        for (prefix, down) in [("sacq", true), ("srel", false)] {
            if let Some(number) = name.strip_prefix(prefix).and_then(|n| n.parse::<u8>().ok()).filter(|n| *n < 16) {
                return Ok(Value::Sema(down, number.into()));
            }
        }
        let diagnostic = Diagnostic::error("E0743", format!("`{name}` is not defined")).at(span);
        let mut known: Vec<&str> = self.scopes.names().collect();
        for register in super::super::names::all() {
            known.push(register);
        }
        let helper = calls && BUILT_IN.1.contains(&format!(" {name}("));
        Err(Box::new(match super::suggest::nearest(name, known.into_iter()) {
            _ if helper => diagnostic.help("`.include <vc4.qinc>` defines it"),
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None if self.known.has_name(name) => diagnostic.help(format!("labels are written `:{name}` or `r:{name}`")),
            None => diagnostic.help("define it with `.set name, value`; labels are written `:name`"),
        }))
    }

    /// `(a, b, …)`
    pub(super) fn arguments(&mut self, c: &mut Cursor<'_>) -> Result<Vec<Value>, Fail> {
        c.expect("(", "before the arguments")?;
        let mut args = Vec::new();
        if c.accept(")") {
            return Ok(args);
        }
        loop {
            args.push(self.expr(c)?);
            if !c.accept(",") {
                break;
            }
        }
        c.expect(")", "to close the arguments")?;
        Ok(args)
    }

    fn call(&mut self, name: &str, function: &Symbol, args: Vec<Value>, span: Span) -> Result<Value, Fail> {
        let params = match function {
            Symbol::Inline { params, .. } | Symbol::Function { params, .. } => params,
            Symbol::Value(value) => return Ok(value.clone()),
        };
        if params.len() != args.len() {
            let message = format!("`{name}` takes {} argument(s), not {}", params.len(), args.len());
            let help = format!("`{name}({})`", params.join(", "));
            return Err(Box::new(Diagnostic::error("E0750", message).at(span).help(help)));
        }
        self.enter(span)?;
        let depth = self.scopes.depth();
        self.scopes.push(Kind::Block);
        params.iter().zip(args).for_each(|(param, arg)| self.scopes.bind(param.clone(), arg));
        let result = match function {
            Symbol::Inline { body, .. } => {
                let mut c = Cursor::new(body, span);
                self.expr(&mut c).and_then(|value| c.expect_end().map(|()| value))
            }
            Symbol::Function { body, .. } => self.run_function(name, body, span),
            Symbol::Value(value) => Ok(value.clone()),
        };
        self.scopes.truncate(depth);
        self.leave();
        result.map_err(|e| match e.code {
            "E0752" => {
                let message = format!("`{name}` does not take these arguments");
                Box::new(Diagnostic::error("E0752", message).at(span).also(e.span, "this does not hold"))
            }
            _ => Box::new(e.also(span, format!("in this call of `{name}`"))),
        })
    }

    /// `.16a`, `.ifz`, `.setf` and the like behind a register.
    fn suffixes(&mut self, mut value: Value, c: &mut Cursor<'_>) -> Result<Value, Fail> {
        while let Some(Tok::Suffix(text)) = c.peek() {
            let span = c.span();
            let Value::Reg(reg) = &mut value else {
                let message = format!("`.{text}` can only follow a register");
                return Err(Box::new(Diagnostic::error("E0744", message).at(span)));
            };
            let format = text.strip_prefix("unpack").or(text.strip_prefix("pack")).unwrap_or(text);
            if let Some(slice) = Slice::from_suffix(format) {
                let whole = slice.pack.is_none() && slice.unpack.is_none();
                reg.slice = if whole { None } else { Some(slice) };
            } else if let Some(cond) = condition(text) {
                reg.cond = Some(cond);
            } else if matches!(&**text, "setf" | "sf") {
                reg.setf = true;
            } else {
                let message = format!("unknown suffix `.{text}`");
                let help = "formats are 16a, 16b, 8a to 8d, 8dr, 8888, 32s, with s to saturate; conditions z, nz, n, nn, c, cc";
                return Err(Box::new(Diagnostic::error("E0741", message).at(span).help(help)));
            }
            c.at += 1;
        }
        Ok(value)
    }

    fn apply(&mut self, op: &str, left: Value, right: Value, at: Span) -> Result<Value, Fail> {
        let fail = |message: String| Box::new(Diagnostic::error("E0754", message).at(at));
        match (left, right) {
            (Value::Reg(reg), right) if matches!(op, "<<" | ">>") => self.rotate(op, reg, &right, at),
            (Value::Reg(reg), Value::Int(by)) if matches!(op, "+" | "-") => {
                let by = if op == "-" { by.checked_neg() } else { Some(by) };
                let moved = by.and_then(|by| reg.offset(by));
                moved.map(Value::Reg).ok_or_else(|| fail("there is no register with this number".to_string()))
            }
            (Value::Sema(down, n), Value::Int(by)) if op == "+" => Ok(Value::Sema(down, n.wrapping_add(by))),
            (left, right) => math::binary(op, &left, &right).map_err(fail),
        }
    }

    /// `reg << n` and `reg >> n`: where the elements of a source come from. `>> n` brings element i to element i + n.
    fn rotate(&mut self, op: &str, reg: RegValue, right: &Value, at: Span) -> Result<Value, Fail> {
        let rotate = match right {
            Value::Int(by) => {
                let up = if op == ">>" { by.rem_euclid(16) } else { (16 - by.rem_euclid(16)) % 16 };
                SmallImm::from_rotation(up as u8).map(|_| Rotation::By(up as u8))
            }
            // The hardware has one rotation by r5, upward; vc4asm's documentation spells it both ways.
            Value::Reg(RegValue { named, .. }) if named.read == Some(Place::Acc(5)) => Some(Rotation::R5),
            other => {
                let message = format!("a register is rotated by an integer or by r5, not by {}", other.kind());
                return Err(Box::new(Diagnostic::error("E0744", message).at(at)));
            }
        };
        Ok(Value::Reg(RegValue { rotate, ..reg }))
    }
}

/// `-` as an operand of its own: the register that is none.
fn is_lone_dash(c: &Cursor<'_>) -> bool {
    let next = c.peek_second();
    matches!(c.peek(), Some(Tok::Punct("-")))
        && matches!(next, None | Some(Tok::Punct("," | ";" | ")" | "<<" | ">>") | Tok::Suffix(_)))
}

/// Whether the operator name at the cursor is followed by something to apply it to.
fn starts_operand(c: &Cursor<'_>) -> bool {
    match c.peek_second() {
        Some(Tok::Int(_) | Tok::Float(_) | Tok::Ident(_)) => true,
        Some(Tok::Punct(p)) => matches!(*p, "(" | "-" | "+" | "~" | "!"),
        _ => false,
    }
}

/// The condition a suffix names, with or without `if`.
pub(super) fn condition(text: &str) -> Option<Cond> {
    Some(match text.strip_prefix("if").unwrap_or(text) {
        "z" | "zs" => Cond::Zs,
        "nz" | "zc" => Cond::Zc,
        "n" | "ns" => Cond::Ns,
        "nn" | "nc" => Cond::Nc,
        "c" | "cs" => Cond::Cs,
        "cc" => Cond::Cc,
        "never" => Cond::Never,
        "always" => Cond::Always,
        _ => return None,
    })
}

/// Whether a register value lies in a file, for the predicates of expressions.
pub(super) fn in_file(reg: &RegValue, file: File) -> bool {
    let place = reg.named.read.or(reg.named.write);
    matches!(place, Some(Place::File(f, _)) if f == file) || matches!(place, Some(Place::Io(_)))
}
