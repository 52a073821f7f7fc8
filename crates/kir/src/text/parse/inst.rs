//! Instructions and regions of the text form.

use super::lex::Token;
use super::{Parsed, Parser, error};
use crate::check::typing;
use crate::ir::kernel::MAX_NESTING;
use crate::kernel::{Block, Inst, Mode, Values};
use crate::ops::Op;
use crate::print;
use crate::types::Type;
use quadra_base::Span;

/// A result as written: name, type if given, place.
type Written<'t> = (&'t str, Option<Type>, Span);

impl<'t> Parser<'t> {
    /// Instructions up to and with the closing brace; `implied` ends the block if it ends without a terminator.
    pub(super) fn block(&mut self, implied: Op) -> Parsed<Block> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return error("E0301", self.span(), format!("regions are nested more than {MAX_NESTING} deep"));
        }
        let visible = self.scope.len();
        let mut block = Block::default();
        while !self.is("}") {
            if block.terminator().is_some() {
                return error("E0306", self.span(), "nothing may follow the instruction that ends the block");
            }
            let inst = self.inst()?;
            block.insts.push(inst);
        }
        if block.terminator().is_none() {
            block.insts.push(Inst::new(implied, []).at(Some(self.span())));
        }
        self.next();
        for name in self.scope.drain(visible..) {
            self.values.remove(&name);
        }
        self.depth -= 1;
        Ok(block)
    }

    fn inst(&mut self) -> Parsed<Inst> {
        let start = self.span();
        let written = self.results()?;
        let (op, mode) = self.mnemonic()?;
        let mut inst = Inst::new(op, []);
        inst.mode = mode;
        match op {
            Op::If => {
                inst.args = Values::from_slice(&[self.value()?]);
                inst.span = Some(start.to(self.last_span()));
                self.want("{")?;
                let then = self.block(Op::Yield)?;
                let other = if self.accept_word("else") {
                    self.want("{")?;
                    self.block(Op::Yield)?
                } else {
                    let mut empty = Block::default();
                    empty.insts.push(Inst::new(Op::Yield, []).at(inst.span));
                    empty
                };
                inst.regions = vec![then, other];
            }
            Op::For | Op::Loop => self.loop_like(&mut inst, start)?,
            _ => self.simple(&mut inst, &written, start)?,
        }
        inst.span = inst.span.or(Some(start.to(self.last_span())));
        self.finish(inst, &written)
    }

    /// `%a, %b: i32 =`, or nothing.
    fn results(&mut self) -> Parsed<Vec<Written<'t>>> {
        let mut written = Vec::new();
        while let Token::Value(name) = self.peek() {
            let span = self.span();
            self.next();
            let ty = if self.accept(":") { Some(self.ty()?) } else { None };
            written.push((name.as_str(), ty, span));
            if !self.accept(",") {
                self.want("=")?;
                break;
            }
        }
        Ok(written)
    }

    fn mnemonic(&mut self) -> Parsed<(Op, Mode)> {
        let Token::Word(word) = self.peek() else { return self.unexpected("an instruction") };
        let mut found = Op::from_mnemonic(word).map(|op| (op, Mode::Unchecked));
        if found.is_none()
            && let Some((name, suffix)) = word.rsplit_once('.')
            && let Some(op) = Op::from_mnemonic(name).filter(|op| op.accesses_memory())
        {
            found = Mode::ALL.iter().find(|(_, n)| *n == suffix).map(|(m, _)| (op, *m));
        }
        let Some(found) = found else {
            return error("E0301", self.span(), format!("there is no instruction `{word}`"));
        };
        self.next();
        Ok(found)
    }

    fn loop_like(&mut self, inst: &mut Inst, start: Span) -> Parsed<()> {
        let visible = self.scope.len();
        let mut params = Values::new();
        // Parameters become visible only after the initial values have been read.
        let mut named: Vec<(&'t str, Type, Span)> = Vec::new();
        if let (Op::For, Token::Value(name)) = (inst.op, self.peek()) {
            named.push((name, Type::I32, self.span()));
            self.next();
        }
        if inst.op == Op::For {
            self.want_word("in")?;
            let lo = self.value()?;
            self.want("..")?;
            let hi = self.value()?;
            let step = if self.accept_word("step") { self.value()? } else { self.kernel.const_i32(1) };
            inst.args = Values::from_slice(&[lo, hi, step]);
        }
        if self.accept("(") {
            while !self.accept(")") {
                let span = self.span();
                let Token::Value(name) = self.next() else {
                    return error("E0301", span, "a carried value such as `%a: i32 = 0` is wanted here");
                };
                self.want(":")?;
                let ty = self.ty()?;
                self.want("=")?;
                let init = self.value()?;
                inst.args.push(init);
                named.push((name, ty, span));
                if !self.is(")") {
                    self.want(",")?;
                }
            }
        }
        inst.span = Some(start.to(self.last_span()));
        for (name, ty, span) in named {
            params.push(self.define(name, ty, span)?);
        }
        self.want("{")?;
        let mut body = self.block(print::implied_terminator(inst.op))?;
        body.params = params;
        inst.regions = vec![body];
        for name in self.scope.drain(visible..) {
            self.values.remove(&name);
        }
        Ok(())
    }

    fn simple(&mut self, inst: &mut Inst, written: &[Written<'t>], start: Span) -> Parsed<()> {
        let op = inst.op;
        if op == Op::Dim {
            self.buffer_of(inst)?;
            self.want(",")?;
            inst.imm = self.number(7)?;
        } else if typing::needs_buffer(op) {
            self.buffer_of(inst)?;
            self.want("[")?;
            inst.args = self.value_list()?;
            self.want("]")?;
            if self.accept(",") {
                inst.args.extend(self.value_list()?);
            }
        } else if op == Op::TmuReceive {
            let ty = self.ty()?;
            let [(name, None, span)] = written else { return error("E0304", start, "`tmu.receive` has one result") };
            // The type stands in the instruction itself, so the result exists before `finish` sees it.
            inst.results = Values::from_slice(&[self.define(name, ty, *span)?]);
        } else {
            let leading = if print::has_number(op) {
                inst.imm = self.number(63)?;
                true
            } else if matches!(op, Op::VarGet | Op::VarSet) {
                self.variable_of(inst)?;
                true
            } else if matches!(op, Op::Print | Op::Assert | Op::Comment) {
                let Token::Text(text) = self.peek() else { return self.unexpected("a text such as \"x = {}\"") };
                inst.text = Some(text.as_str().into());
                self.next();
                true
            } else {
                false
            };
            if op.info().arity != Some(0) && (!leading || self.accept(",")) {
                inst.args = self.value_list()?;
            }
        }
        if self.is_word("if") && !matches!(op, Op::If) && !self.begins_branch() {
            self.next();
            inst.mask = Some(self.value()?);
        }
        Ok(())
    }

    /// Whether the `if` here is an instruction of its own, `if %c {`, rather than a mask at the end of the last one.
    fn begins_branch(&self) -> bool {
        *self.peek_at(2) == Token::Punct("{")
    }

    fn buffer_of(&mut self, inst: &mut Inst) -> Parsed<()> {
        let Token::Value(name) = self.peek() else { return self.unexpected("a buffer") };
        let Some(&buf) = self.bufs.get(name) else {
            return error("E0302", self.span(), format!("there is no buffer `%{name}`"));
        };
        self.next();
        inst.buf = Some(buf);
        Ok(())
    }

    fn variable_of(&mut self, inst: &mut Inst) -> Parsed<()> {
        let Token::Var(name) = self.peek() else { return self.unexpected("a variable such as `$x`") };
        let Some(&var) = self.vars.get(name) else {
            return error("E0302", self.span(), format!("there is no variable `${name}`"));
        };
        self.next();
        inst.var = Some(var);
        Ok(())
    }

    /// Makes the results, whose types follow from the instruction unless they are written.
    fn finish(&mut self, mut inst: Inst, written: &[Written<'t>]) -> Parsed<Inst> {
        if inst.op == Op::TmuReceive {
            return Ok(inst);
        }
        let span = inst.span.unwrap_or_else(|| self.last_span());
        let types = match typing::result_types(&self.kernel, &inst) {
            Ok(types) => types,
            Err(message) => return error("E0304", span, message),
        };
        let unused = inst.op.is_atomic() && written.is_empty();
        // Neither side of an `if` may reach its end; the types of its results are then as written.
        let open = matches!(inst.op, Op::If | Op::Loop) && types.is_empty() && written.iter().all(|w| w.1.is_some());
        if written.len() != types.len() && !unused && !open {
            let message =
                format!("`{}` gives {} results, {} are named", inst.op.mnemonic(), types.len(), written.len());
            return error("E0310", span, message);
        }
        for (i, &(name, ty, span)) in written.iter().enumerate() {
            let ty = ty.or_else(|| types.get(i).copied()).unwrap_or(Type::I32);
            let v = self.define(name, ty, span)?;
            inst.results.push(v);
        }
        Ok(inst)
    }
}
