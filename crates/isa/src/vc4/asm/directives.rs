//! Directives that open no block.

use super::expr::Cursor;
use super::lexer::{Tok, Token, lines};
use super::scope::Symbol;
use super::value::Value;
use super::{Assembler, BUILT_IN, Fail, blocks};
use quadra_base::{Diagnostic, FileId, Span};
use std::path::PathBuf;
use std::rc::Rc;

/// The directives of this file and of [`blocks`], for suggestions.
const NAMES: &[&str] = &[
    "set", "const", "define", "equ", "lset", "lconst", "unset", "lunset", "assert", "include", "align", "global",
    "clone", "code", "text", "rodata", "data", "byte", "short", "int", "long", "bit", "float", "half", "double", "if",
    "elseif", "else", "endif", "ifset", "rep", "endr", "foreach", "endfor", "macro", "endm", "func", "endf", "local",
    "endloc", "back", "endb",
];

impl Assembler<'_> {
    pub(super) fn directive(&mut self, name: &str, tokens: &[Token], span: Span, line: Span) -> Result<(), Fail> {
        let mut c = Cursor::new(tokens, line);
        match name {
            "set" | "define" | "equ" => self.set(&mut c, false, false, span),
            "const" => self.set(&mut c, false, true, span),
            "lset" => self.set(&mut c, true, false, span),
            "lconst" => self.set(&mut c, true, true, span),
            "unset" | "lunset" => self.unset(&mut c, name == "lunset"),
            "assert" => self.assert(&mut c, line),
            "include" => self.include_directive(&mut c, span),
            "align" => self.align(&mut c, span),
            "global" => self.global(&mut c),
            "clone" => self.clone_words(&mut c, span),
            "code" | "text" | "rodata" | "data" => c.expect_end(),
            "byte" | "short" | "int" | "long" | "bit" | "int2" | "int4" | "float" | "half" | "double" => {
                self.data(name, &mut c, line)
            }
            _ => {
                let diagnostic = Diagnostic::error("E0742", format!("there is no directive `.{name}`")).at(span);
                Err(Box::new(match super::suggest::nearest(name, NAMES.iter().copied()) {
                    Some(near) => diagnostic.help(format!("did you mean `.{near}`?")),
                    None => diagnostic,
                }))
            }
        }
    }

    /// `.set name, value` or `.set name(args) expression`
    fn set(&mut self, c: &mut Cursor<'_>, local: bool, is_final: bool, span: Span) -> Result<(), Fail> {
        let name = blocks::identifier(c)?;
        let symbol = if matches!(c.peek(), Some(Tok::Punct("("))) {
            let params = blocks::parameters(c)?;
            c.accept(",");
            if c.at_end() {
                let message = format!("the function `{name}` has no expression");
                return Err(Box::new(Diagnostic::error("E0741", message).at(span)));
            }
            Symbol::Inline { params, body: c.tokens[c.at..].into() }
        } else {
            c.accept(",");
            let value = self.expr(c)?;
            c.expect_end()?;
            Symbol::Value(value)
        };
        self.define(name, symbol, local, is_final, span)
    }

    pub(super) fn define(
        &mut self,
        name: Rc<str>,
        symbol: Symbol,
        local: bool,
        is_final: bool,
        span: Span,
    ) -> Result<(), Fail> {
        self.scopes.define(name.clone(), symbol, local, is_final).map_err(|()| {
            let message = format!("`{name}` is a constant and defined already");
            let help = "use `.set` for a symbol that changes, `.lset` for one of this block";
            Box::new(Diagnostic::error("E0747", message).at(span).help(help))
        })
    }

    fn unset(&mut self, c: &mut Cursor<'_>, local: bool) -> Result<(), Fail> {
        let span = c.span();
        let name = blocks::identifier(c)?;
        c.expect_end()?;
        if !self.scopes.remove(&name, local) {
            let message = format!("`{name}` is not defined");
            return Err(Box::new(Diagnostic::error("E0743", message).at(span)));
        }
        Ok(())
    }

    fn assert(&mut self, c: &mut Cursor<'_>, line: Span) -> Result<(), Fail> {
        let holds = self.condition(c)?;
        c.expect_end()?;
        // With labels unknown in the first pass only the final one counts.
        if !holds && self.final_pass {
            return Err(Box::new(Diagnostic::error("E0752", "the assertion does not hold").at(line)));
        }
        Ok(())
    }

    /// `.include "file"` or `.include <file>`
    fn include_directive(&mut self, c: &mut Cursor<'_>, span: Span) -> Result<(), Fail> {
        if let Some(Tok::Str(file)) = c.peek() {
            c.at += 1;
            c.expect_end()?;
            return self.include(file, false, span);
        }
        let mut name = String::new();
        if c.accept("<") {
            // The name was cut into tokens; what it may hold comes back together without loss.
            loop {
                match c.next().map(|t| &t.tok) {
                    Some(Tok::Punct(">")) => {
                        c.expect_end()?;
                        return self.include(&name, true, span);
                    }
                    Some(Tok::Ident(part)) => name.push_str(part),
                    Some(Tok::Suffix(part)) => name.extend([".", part]),
                    Some(Tok::Int(part)) => name.push_str(&part.to_string()),
                    Some(Tok::Punct(part @ ("/" | "-" | "+"))) => name.push_str(part),
                    _ => break,
                }
            }
        }
        let message = "expected the name of a file";
        let help = "`.include \"file.qinc\"` or `.include <vc4.qinc>`";
        Err(Box::new(Diagnostic::error("E0741", message).at(c.span()).help(help)))
    }

    /// Assembles a file in a context of its own.
    pub(super) fn include(&mut self, file: &str, searched: bool, span: Span) -> Result<(), Fail> {
        let (name, text) = self.find_file(file, searched, span)?;
        self.enter(span)?;
        let id = FileId::of_text(&name, &text);
        let (lines, errors) = lines(id, &text);
        errors.into_iter().for_each(|e| self.report(e));
        let directory = std::path::Path::new(&name).parent().map(|p| p.to_path_buf()).unwrap_or_default();
        let outer = std::mem::replace(&mut self.directory, directory);
        self.scopes.push(super::scope::Kind::Block);
        self.uses.push((span, format!("`{file}`")));
        self.run(&lines);
        self.uses.pop();
        self.scopes.pop();
        self.directory = outer;
        self.leave();
        Ok(())
    }

    fn find_file(&self, file: &str, searched: bool, span: Span) -> Result<(String, String), Fail> {
        let mut candidates: Vec<PathBuf> = Vec::new();
        if !self.options.no_files {
            if !searched {
                candidates.push(self.directory.join(file));
            }
            candidates.extend(self.options.include_dirs.iter().map(|dir| dir.join(file)));
        }
        let mut reason = "it is in none of the include directories".to_string();
        for path in candidates {
            match std::fs::read_to_string(&path) {
                Ok(text) => return Ok((path.display().to_string(), text)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => reason = format!("{}: {error}", path.display()),
            }
        }
        if file == BUILT_IN.0 {
            return Ok((BUILT_IN.0.to_string(), BUILT_IN.1.to_string()));
        }
        let message = format!("cannot include `{file}`");
        Err(Box::new(Diagnostic::error("E0753", message).at(span).note(reason)))
    }

    /// `.align bytes[, base]`
    fn align(&mut self, c: &mut Cursor<'_>, span: Span) -> Result<(), Fail> {
        let bytes = self.integer(c, "the alignment", 0, 64)?;
        let base = match c.accept(",") {
            true => match self.expr(c)? {
                Value::Int(base) => base,
                Value::Label { address, .. } => address,
                other => {
                    let message = format!("the base of an alignment is an integer or label, not {}", other.kind());
                    return Err(Box::new(Diagnostic::error("E0744", message).at(span)));
                }
            },
            false => 0,
        };
        c.expect_end()?;
        if bytes == 0 {
            return Ok(());
        }
        if bytes & (bytes - 1) != 0 {
            return Err(Box::new(Diagnostic::error("E0746", "an alignment is a power of two").at(span)));
        }
        while (self.out.address().wrapping_sub(base)).rem_euclid(bytes) != 0 {
            self.out.byte(0, span);
        }
        self.out.seal();
        Ok(())
    }

    /// `.global :label` or `.global name, value`
    fn global(&mut self, c: &mut Cursor<'_>) -> Result<(), Fail> {
        let span = c.span();
        let (name, value) = match c.next().map(|t| &t.tok) {
            Some(Tok::Label(name)) => (name.clone(), self.label_value(name, false, span)?),
            Some(Tok::Ident(name)) => {
                c.expect(",", "between the name and its value")?;
                (name.clone(), self.expr(c)?)
            }
            _ => return Err(Box::new(Diagnostic::error("E0741", "expected a name or a label").at(span))),
        };
        c.expect_end()?;
        let value = match value {
            Value::Int(value) => value,
            Value::Label { address, .. } => address,
            other => {
                let message = format!("a global symbol is an integer or label, not {}", other.kind());
                return Err(Box::new(Diagnostic::error("E0744", message).at(span)));
            }
        };
        if self.globals.insert(name.to_string(), value).is_some_and(|old| old != value) {
            let message = format!("the global symbol `{name}` gets two values");
            return Err(Box::new(Diagnostic::error("E0747", message).at(span)));
        }
        Ok(())
    }

    /// `.clone label, count`: copies of the instructions there.
    fn clone_words(&mut self, c: &mut Cursor<'_>, span: Span) -> Result<(), Fail> {
        let at = c.span();
        let Value::Label { address, .. } = self.expr(c)? else {
            return Err(Box::new(Diagnostic::error("E0744", "`.clone` copies from a label").at(at)));
        };
        c.expect(",", "between the label and the count")?;
        let count = self.integer(c, "the count of `.clone`", 0, 64)?;
        c.expect_end()?;
        for index in (address / 8)..(address / 8 + count) {
            let word = usize::try_from(index).ok().and_then(|i| self.out.words.get(i).or(self.before.get(i)));
            match word.cloned() {
                Some(word) => self.out.copy(word),
                None if self.final_pass => {
                    let message = "`.clone` reaches past the end of the program";
                    return Err(Box::new(Diagnostic::error("E0748", message).at(span)));
                }
                None => self.out.inst(super::Inst::NOP, span, None),
            }
        }
        Ok(())
    }

    /// `.int 1, 2, …` and its like, little endian as the GPU reads memory.
    fn data(&mut self, kind: &str, c: &mut Cursor<'_>, line: Span) -> Result<(), Fail> {
        let mut bits = (0u8, 0u32);
        let width = match kind {
            "bit" => Some(1),
            "int2" => Some(2),
            "int4" => Some(4),
            _ => None,
        };
        loop {
            let at = c.span();
            self.spend(1, line)?;
            let value = self.expr(c)?;
            if let Some(width) = width {
                bits = (bits.0 | some_bits(width, &value, at)? << bits.1, bits.1 + width);
                if bits.1 == 8 {
                    self.out.byte(bits.0, line);
                    bits = (0, 0);
                }
            } else {
                let bytes = bytes_of(kind, &value, at)?;
                bytes.into_iter().for_each(|byte| self.out.byte(byte, line));
            }
            if !c.accept(",") {
                break;
            }
        }
        if bits.1 > 0 {
            self.out.byte(bits.0, line);
        }
        c.expect_end()
    }
}

/// A value of 1, 2 or 4 bits; negative ones have a sign.
fn some_bits(width: u32, value: &Value, at: Span) -> Result<u8, Fail> {
    let lowest = if width == 1 { 0 } else { -(1i64 << (width - 1)) };
    match value {
        Value::Int(v) if (lowest..1 << width).contains(v) => Ok((v & ((1 << width) - 1)) as u8),
        _ if width == 1 => Err(Box::new(Diagnostic::error("E0746", "a bit is 0 or 1").at(at))),
        _ => {
            let message = format!("the value does not fit into {width} bits");
            Err(Box::new(Diagnostic::error("E0746", message).at(at)))
        }
    }
}

/// The bytes of one value of a data directive.
fn bytes_of(kind: &str, value: &Value, at: Span) -> Result<Vec<u8>, Fail> {
    let value = match value {
        Value::Label { address, .. } => Value::Int(*address),
        other => other.clone(),
    };
    let float = match value {
        Value::Int(v) => v as f64,
        Value::Float(v) => v,
        _ => {
            let message = format!("`.{kind}` takes constants, not {}", value.kind());
            return Err(Box::new(Diagnostic::error("E0744", message).at(at)));
        }
    };
    let width = match kind {
        "byte" => 8,
        "short" => 16,
        "int" => 32,
        "float" => return Ok((float as f32).to_le_bytes().to_vec()),
        "half" => return Ok(half(float as f32).to_le_bytes().to_vec()),
        "double" => return Ok(float.to_le_bytes().to_vec()),
        _ => 64,
    };
    match value {
        Value::Int(v) if width == 64 => Ok(v.to_le_bytes().to_vec()),
        Value::Int(v) if v >= -(1i64 << (width - 1)) && v < 1i64 << width => {
            Ok(v.to_le_bytes()[..width as usize / 8].to_vec())
        }
        Value::Float(v) if width == 32 => Ok((v as f32).to_le_bytes().to_vec()),
        Value::Float(_) => {
            let message = format!("`.{kind}` takes integers");
            Err(Box::new(Diagnostic::error("E0744", message).at(at).help("use `.float`, `.half` or `.double`")))
        }
        _ => {
            let message = format!("the value does not fit into {width} bits");
            Err(Box::new(Diagnostic::error("E0746", message).at(at)))
        }
    }
}

/// The half float nearest to a value, ties to even.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    // The value in units of the target's last place, with the exponent where a half float has it.
    let exponent = (magnitude >> 23) as i32 - 127;
    let (mantissa, shift) = match exponent {
        -14.. => (magnitude - ((127 - 15) << 23), 13),
        _ => ((magnitude & 0x7f_ffff) | 0x80_0000, (13 + (-14 - exponent)).min(31)),
    };
    let mantissa = if magnitude < 0x0080_0000 { 0 } else { mantissa };
    let rest = mantissa & ((1 << shift) - 1);
    let middle = 1u32 << (shift - 1);
    let kept = mantissa >> shift;
    let up = rest > middle || rest == middle && kept & 1 == 1;
    sign | (kept + u32::from(up)) as u16
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn half_floats_round_to_even() {
        for (value, bits) in [
            (0.0, 0),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (6.103_515_6e-5, 0x0400),
            (5.960_464_5e-8, 0x0001),
            (2.980_232_2e-8, 0x0000),
            (1e-10, 0),
            (f32::INFINITY, 0x7c00),
        ] {
            assert_eq!(half(value), bits, "{value}");
        }
        assert_eq!(half(f32::NAN) & 0x7c00, 0x7c00);
    }
}
