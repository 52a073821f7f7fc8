//! Operations: the text of one line to [`Op`]s.

use super::super::fields;
use super::super::fit;
use super::super::imm::Rotation;
use super::super::inst::Inst;
use super::super::line::{FieldSet, Op, OpName, Place, Reg, Slice, SliceKind, Src, Unit};
use super::super::op::{AddOp, BranchCond, Cond, MulOp, Signal};
use super::super::reg::File;
use super::expr::{Cursor, condition};
use super::lexer::{Tok, Token};
use super::synonyms;
use super::value::{RegValue, Value};
use super::{Assembler, Fail};
use quadra_base::{Diagnostic, Span};

/// The words that are no ALU operation, for suggestions.
const OTHERS: &[&str] = &[
    "mov", "ldi", "nop", "anop", "mnop", "read", "brr", "bra", "sacq", "srel", "fields", "bkpt", "thrend", "ldtmu0",
    "ldtmu1",
];

/// What stands behind an opcode's dots.
#[derive(Default)]
pub(super) struct Extensions {
    pub cond: Option<Cond>,
    branch: Option<BranchCond>,
    pub setf: bool,
    pub pack: Option<Slice>,
    pub unpack: Option<Slice>,
}

/// An operation with the label a branch goes to.
type Parsed = (Op, Option<i64>);

impl Assembler<'_> {
    /// Assembles a line of operations. `joins`: the line began with `;`.
    pub(super) fn operations(&mut self, tokens: &[Token], joins: bool, span: Span) -> Result<(), Fail> {
        let mut ops = Vec::new();
        let mut places = Vec::new();
        let mut target = None;
        let mut failed = None;
        let parts: Vec<&[Token]> = tokens.split(|t| t.tok == Tok::Punct(";")).collect();
        let open = parts.len() > 1 && parts.last().is_some_and(|p| p.is_empty());
        let before = if joins { self.out.open.clone() } else { None };
        let address = self.out.inst_address() - if before.is_some() { 8 } else { 0 };
        for part in parts.into_iter().filter(|p| !p.is_empty()) {
            match self.operation(part, span, address) {
                Ok((op, label)) => {
                    ops.push(op);
                    places.push(part[0].span.to(part[part.len() - 1].span));
                    target = target.or(label);
                }
                Err(fail) if failed.is_none() => failed = Some(fail),
                Err(fail) => self.report(*fail),
            }
        }
        if let Some(fail) = failed {
            // A wrong line still takes its place, so that addresses and further messages stay right.
            self.out.inst(Inst::NOP, span, None);
            return Err(fail);
        }
        if ops.is_empty() {
            return Ok(());
        }
        if let Some(mut joined) = before {
            joined.extend(ops.iter().cloned());
            if let Ok(inst) = fit::fit(&joined) {
                self.out.take_last(1);
                self.out.inst(inst, span, None);
                self.out.open = open.then_some(joined);
                return Ok(());
            }
        }
        match fit::fit(&ops) {
            Ok(inst) => {
                self.out.inst(inst, span, target);
                self.out.open = open.then_some(ops);
                Ok(())
            }
            Err(misfit) => {
                self.out.inst(Inst::NOP, span, None);
                let place = places.get(misfit.op).copied().unwrap_or(span);
                let diagnostic = Diagnostic::error("E0745", misfit.message).at(place);
                Err(Box::new(if misfit.help.is_empty() { diagnostic } else { diagnostic.help(misfit.help) }))
            }
        }
    }

    fn operation(&mut self, tokens: &[Token], line: Span, address: i64) -> Result<Parsed, Fail> {
        let span = tokens[0].span;
        let Tok::Ident(name) = &tokens[0].tok else {
            return Err(Box::new(Diagnostic::error("E0741", "expected an operation").at(span)));
        };
        let mut c = Cursor::new(&tokens[1..], line);
        if &**name == "fields" {
            return Ok((self.fields(&mut c)?, None));
        }
        let extensions = extensions(&mut c)?;
        let name = synonyms::operation(name);
        if let Some(op) = on_one_unit(name).or_else(|| OpName::from_mnemonic(name)) {
            return Ok((self.alu(name, op, &mut c, &extensions, span)?, None));
        }
        if let Some(signal) = signal(name) {
            c.expect_end()?;
            return Ok((Op::Signal(signal), None));
        }
        match name {
            "mov" | "ldi" => Ok((self.load(name == "mov", &mut c, &extensions, span)?, None)),
            "amov" | "mmov" => Ok((self.move_on(name == "amov", &mut c, &extensions, span)?, None)),
            "ldipes" | "ldipeu" => Ok((self.load_bits(name == "ldipes", &mut c, &extensions, span)?, None)),
            "nop" | "anop" | "mnop" => Ok((self.nop(name, &mut c, &extensions)?, None)),
            "read" => {
                let src = self.source(&mut c)?;
                c.expect_end()?;
                Ok((Op::Read(src), None))
            }
            "sacq" | "srel" => Ok((self.semaphore(name == "sacq", &mut c, &extensions, span)?, None)),
            "brr" | "bra" => self.branch(name == "brr", &mut c, &extensions, span, address),
            _ => Err(self.unknown_operation(name, span)),
        }
    }

    fn unknown_operation(&self, name: &str, span: Span) -> Fail {
        let diagnostic = Diagnostic::error("E0742", format!("there is no operation `{name}`")).at(span);
        let add = super::super::AddOp::ALL.iter().map(|op| op.mnemonic());
        let mul = super::super::MulOp::ALL.iter().map(|op| op.mnemonic());
        let macros = self.macros.keys().map(|name| &**name);
        let known = add.chain(mul).chain(OTHERS.iter().copied()).chain(macros);
        Box::new(match super::suggest::nearest(name, known) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("macros must be defined above their use"),
        })
    }

    /// `op dst, a, b`
    fn alu(&mut self, name: &str, op: OpName, c: &mut Cursor<'_>, ext: &Extensions, span: Span) -> Result<Op, Fail> {
        let (dst, cond, setf, dst_rotate) = self.destination(c, ext)?;
        let mut sources = Vec::new();
        while c.accept(",") {
            let at = c.span();
            sources.push((self.source(c)?, at));
        }
        c.expect_end()?;
        if sources.len() != op.operands() {
            let message =
                format!("`{name}` takes a destination and {} operand(s), not {}", op.operands(), sources.len());
            let help = if op.operands() == 1 { format!("`{name} dst, a`") } else { format!("`{name} dst, a, b`") };
            return Err(Box::new(Diagnostic::error("E0750", message).at(span).help(help)));
        }
        let with_r4 = sources.iter().any(|(src, _)| matches!(src, Src::Reg(reg) if reg.place == Place::Acc(4)));
        for (src, at) in &mut sources {
            if let Src::Reg(reg) = src {
                reg.rotate = dst_rotate.or(reg.rotate);
                if reg.slice.is_none() {
                    reg.slice = ext
                        .unpack
                        .filter(|slice| unpackable(*reg, *slice, with_r4))
                        .map(|slice| self.as_taken(op, *reg, slice, *at));
                }
            }
        }
        self.share_unpack(&mut sources);
        self.check_sources(op, &sources);
        let op = if setf { self.negate_constant(op, &mut sources) } else { op };
        let b = sources.get(1).map(|(src, _)| *src);
        Ok(Op::Alu { op, dst, a: sources[0].0, b, cond, setf })
    }

    fn nop(&mut self, name: &str, c: &mut Cursor<'_>, ext: &Extensions) -> Result<Op, Fail> {
        let unit = match name {
            "anop" => Unit::Add,
            "mnop" => Unit::Mul,
            _ => Unit::Any,
        };
        let dst = if c.at_end() { None } else { Some(self.destination(c, ext)?.0) };
        c.expect_end()?;
        Ok(Op::Nop { unit, dst, setf: ext.setf })
    }

    /// `brr.cond dst, target`, `dst, ra, target` or `dst, dst, ra, target`
    fn branch(
        &mut self,
        rel: bool,
        c: &mut Cursor<'_>,
        ext: &Extensions,
        span: Span,
        address: i64,
    ) -> Result<Parsed, Fail> {
        let (values, places) = self.operands(c)?;
        let targets = match values.len() {
            1 | 2 => 1,
            3 | 4 => 2,
            n => {
                let message =
                    format!("a branch takes one or two destinations and one or two targets, not {n} operands");
                let help = "`brr.anyz -, r:label`, `bra -, ra4`, `brr ra30, ra4, 16`";
                return Err(Box::new(Diagnostic::error("E0750", message).at(span).help(help)));
            }
        };
        let mut dsts = [Some(Reg::NONE), None];
        let links = values.len() - targets;
        for slot in 0..links {
            dsts[slot] = Some(destination_of(&values[slot], places[slot], ext)?.1);
        }
        let (mut reg, mut imm, mut label) = (None, 0i64, None);
        for (value, at) in values[links..].iter().zip(&places[links..]) {
            match value {
                Value::Reg(r) if *r == RegValue::none() => {}
                Value::Reg(r) => match r.named.read {
                    Some(Place::File(File::A, n @ 0..32)) if reg.is_none() => reg = Some(n),
                    _ => {
                        let message = "a branch target is a register ra0 to ra31, a label or a number";
                        return Err(Box::new(Diagnostic::error("E0744", message).at(*at)));
                    }
                },
                Value::Int(value) => imm = imm.wrapping_add(*value),
                Value::Label { address: target, relative } => {
                    if *relative && !rel {
                        let help = "`bra` takes `:label`, which is an address from the start of the program";
                        let message = "an absolute branch with a relative label goes to the label's address";
                        self.warn(Diagnostic::warning("E0760", message).at(*at).help(help));
                    }
                    label = rel.then_some(*target);
                    imm = imm.wrapping_add(if rel { target.wrapping_sub(address + 32) } else { *target });
                }
                other => {
                    let message = format!("{} is no branch target", other.kind());
                    return Err(Box::new(Diagnostic::error("E0744", message).at(*at)));
                }
            }
        }
        let Some(imm) = Value::Int(imm).bits() else {
            return Err(Box::new(Diagnostic::error("E0746", "the branch target has more than 32 bits").at(span)));
        };
        let cond = ext.branch.unwrap_or(BranchCond::Always);
        // A label plus a number was folded into one address; only a lone label can be moved by `.back`.
        let lone = targets == 1 || values[links..].iter().all(|v| !matches!(v, Value::Int(_)));
        Ok((Op::Branch { rel, cond, dsts, reg, imm: imm as i32 }, label.filter(|_| lone)))
    }

    /// `fields name=value, …`
    fn fields(&mut self, c: &mut Cursor<'_>) -> Result<Op, Fail> {
        let mut sets = Vec::new();
        loop {
            let span = c.span();
            let Some(Tok::Ident(name)) = c.next().map(|t| &t.tok) else {
                return Err(Box::new(Diagnostic::error("E0741", "expected the name of a field").at(span)));
            };
            let Some(field) = fields::find(name) else {
                let message = format!("there is no field `{name}`");
                return Err(Box::new(
                    Diagnostic::error("E0743", message)
                        .at(span)
                        .help("names are those of the guide, such as `raddr_a`"),
                ));
            };
            c.expect("=", "behind the name of a field")?;
            let at = c.span();
            let value = self.expr(c)?;
            let bits = self.constant_of(&value, at)?;
            let fits = fields::of_word(0).iter().chain(fields::of_word(14 << 60)).chain(fields::of_word(15 << 60));
            let width = fits.filter(|f| f.name == field.name).map(|f| f.bits).max().unwrap_or(32);
            if width < 32 && bits >> width != 0 {
                let message = format!("`{name}` has {width} bit(s)");
                return Err(Box::new(Diagnostic::error("E0746", message).at(at)));
            }
            sets.push(FieldSet { name: field.name, value: bits });
            if !c.accept(",") {
                break;
            }
        }
        c.expect_end()?;
        Ok(Op::Fields(sets))
    }

    /// All operands up to the end of the operation, with their places.
    pub(super) fn operands(&mut self, c: &mut Cursor<'_>) -> Result<(Vec<Value>, Vec<Span>), Fail> {
        let (mut values, mut places) = (Vec::new(), Vec::new());
        if c.at_end() {
            return Ok((values, places));
        }
        loop {
            places.push(c.span());
            values.push(self.expr(c)?);
            if !c.accept(",") {
                break;
            }
        }
        c.expect_end()?;
        Ok((values, places))
    }

    #[allow(clippy::type_complexity)]
    fn destination(
        &mut self,
        c: &mut Cursor<'_>,
        ext: &Extensions,
    ) -> Result<(Reg, Cond, bool, Option<Rotation>), Fail> {
        let at = c.span();
        let value = self.expr(c)?;
        let (reg, dst) = destination_of(&value, at, ext)?;
        let cond = ext.cond.or(reg.cond).unwrap_or(Cond::Always);
        Ok((dst, cond, ext.setf || reg.setf, reg.rotate.map(downward)))
    }

    fn source(&mut self, c: &mut Cursor<'_>) -> Result<Src, Fail> {
        let at = c.span();
        let value = self.expr(c)?;
        match value {
            Value::Reg(_) => source_of(&value, at),
            other => self.constant_of(&other, at).map(Src::Imm),
        }
    }
}

/// The rotation of a destination: `dst << n` moves elements up by n, where `src << n` moves them down.
pub(super) fn downward(rotation: Rotation) -> Rotation {
    match rotation {
        Rotation::By(n) => Rotation::By((16 - n % 16) % 16),
        Rotation::R5 => Rotation::R5,
    }
}

/// Whether an unpack mode behind the opcode concerns this operand: r4 has floats alone, and has them for itself.
pub(super) fn unpackable(reg: Reg, slice: Slice, with_r4: bool) -> bool {
    match reg.place {
        Place::Acc(4) => slice.kind != SliceKind::Int,
        Place::File(File::A, _) => slice.kind != SliceKind::Float || !with_r4,
        _ => false,
    }
}

/// `av8adds` and its like name the ALU.
fn on_one_unit(name: &str) -> Option<OpName> {
    Some(match name {
        "av8adds" => OpName::Add(AddOp::V8adds),
        "av8subs" => OpName::Add(AddOp::V8subs),
        "mv8adds" => OpName::Mul(MulOp::V8adds),
        "mv8subs" => OpName::Mul(MulOp::V8subs),
        _ => return None,
    })
}

fn signal(name: &str) -> Option<Signal> {
    Signal::from_name(name).filter(|s| !matches!(s, Signal::None | Signal::SmallImm))
}

pub(super) fn destination_of(value: &Value, at: Span, ext: &Extensions) -> Result<(RegValue, Reg), Fail> {
    let Value::Reg(reg) = value else {
        let message = format!("the destination must be a register, not {}", value.kind());
        let help = "the destination comes first; write `-` for none";
        return Err(Box::new(Diagnostic::error("E0744", message).at(at).help(help)));
    };
    let Some(mut dst) = reg.as_destination() else {
        let (message, help) = match reg.named.read {
            Some(Place::Acc(4)) => ("r4 cannot be written", "it holds results of the SFU and of load signals"),
            Some(Place::Acc(5)) => (
                "a write to r5 must say how it fills the quads",
                "write `r5quad` (one value per quad) or `r5rep` (lane 0 to all lanes)",
            ),
            _ => ("this register cannot be written", "it can only be read"),
        };
        return Err(Box::new(Diagnostic::error("E0744", message).at(at).help(help)));
    };
    dst.slice = dst.slice.or(ext.pack);
    Ok((*reg, dst))
}

pub(super) fn source_of(value: &Value, at: Span) -> Result<Src, Fail> {
    if let Value::Reg(reg) = value {
        if let Some(source) = reg.as_source() {
            return Ok(Src::Reg(source));
        }
        let help = "results of SFU and TMU come back in r4";
        return Err(Box::new(Diagnostic::error("E0744", "this register cannot be read").at(at).help(help)));
    }
    Err(Box::new(Diagnostic::error("E0744", format!("expected a register, not {}", value.kind())).at(at)))
}

/// The suffixes behind an opcode.
fn extensions(c: &mut Cursor<'_>) -> Result<Extensions, Fail> {
    let mut ext = Extensions::default();
    while let Some(Tok::Suffix(text)) = c.peek() {
        let slice = |prefix: &str| text.strip_prefix(prefix).and_then(Slice::from_suffix);
        if matches!(&**text, "setf" | "sf") {
            ext.setf = true;
        } else if let Some(branch) = BranchCond::from_name(synonyms::branch_condition(text)) {
            // `.always` means the same for operations and branches.
            ext.branch = Some(branch);
        } else if let Some(cond) = condition(text).filter(|_| text.starts_with("if") || matches!(&**text, "never")) {
            ext.cond = Some(cond);
        } else if let Some(unpack) = slice("unpack") {
            ext.unpack = Some(unpack);
        } else if let Some(pack) = slice("pack") {
            ext.pack = Some(pack);
        } else {
            let message = format!("unknown extension `.{text}`");
            let help = "extensions are .setf, .ifz .ifnz .ifn .ifnn .ifc .ifcc, .pack16a and the like; for branches .allz, .anynz, …";
            return Err(Box::new(Diagnostic::error("E0741", message).at(c.span()).help(help)));
        }
        c.at += 1;
    }
    Ok(ext)
}
