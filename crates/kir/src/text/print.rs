//! The text form of a kernel. [`parse`](crate::parse) reads it back; printing, parsing and printing again gives the same
//! text.
//!
//! Values keep their names, made unique (`%a`, `%a.1`); nameless ones are numbered in the order of their definitions. An
//! `else` region, a final `return`, `yield` or (in a loop without carried values) `continue` without operands is left out.
//! A result's type is written (`%r: <i32> = …`) only where it does not follow from the instruction.

use crate::check::typing;
use crate::ir::names::{Names, kernel_name};
use crate::kernel::{Access, Block, Buf, Inst, Kernel, Level, Param, Value};
use crate::ops::Op;
use crate::types::Type;
use std::fmt::{self, Write as _};

/// The kernel as text, ending with a line break.
pub fn kernel(kernel: &Kernel) -> String {
    let mut printer = Printer::new(kernel);
    printer.header();
    printer.block(&kernel.body, 1, Op::Return);
    printer.out.push_str("}\n");
    printer.out
}

/// One instruction as text, its regions included, with the names it has in the whole kernel.
pub fn inst(kernel: &Kernel, inst: &Inst) -> String {
    let mut printer = Printer::new(kernel);
    printer.inst(inst, 0);
    printer.out.trim_end().to_string()
}

struct Printer<'k> {
    kernel: &'k Kernel,
    names: Names,
    out: String,
}

impl<'k> Printer<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        Printer { kernel, names: Names::of(kernel), out: String::new() }
    }

    fn header(&mut self) {
        let k = self.kernel;
        let mut params: Vec<String> = Vec::new();
        for &param in &k.params {
            params.push(match param {
                Param::Scalar(v) => format!("{}: {}", self.names.value(k, v), k.ty(v)),
                Param::Buffer(b) => format!("%{}: {}", self.names.bufs[b.index()], buffer_type(k, b)),
            });
        }
        for (b, info) in k.shared() {
            let elem = info.elem;
            let dims: Vec<String> = info.dims.iter().map(|d| format!(", {d}")).collect();
            params.push(format!("%{}: shared<{elem}{}>", self.names.bufs[b.index()], dims.concat()));
        }
        let level = if k.level == Level::Simt { "simt" } else { "simd" };
        let group: Vec<String> = k.group.iter().map(u32::to_string).collect();
        let mut head =
            format!("kernel @{}({}) {level} group={}", kernel_name(&k.name), params.join(", "), group.join("x"));
        if k.over > 0 {
            write!(head, " over={}", k.over).expect("a String takes everything");
        }
        if k.concurrent {
            head.push_str(" concurrent");
        }
        if k.whole {
            head.push_str(" whole");
        }
        if k.relaxed {
            head.push_str(" relaxed");
        }
        if k.regroup {
            head.push_str(" regroup");
        }
        self.out = head + " {\n";
        for (v, info) in k.vars.iter() {
            writeln!(self.out, "  var ${}: {}", self.names.vars[v.index()], info.ty)
                .expect("a String takes everything");
        }
    }

    fn values(&self, values: &[Value]) -> String {
        values.iter().map(|&v| self.names.value(self.kernel, v)).collect::<Vec<_>>().join(", ")
    }

    fn block(&mut self, block: &Block, indent: usize, implied: Op) {
        for inst in shown(block, implied) {
            self.inst(inst, indent);
        }
    }

    /// ` {}`, ` { yield %a }` or several lines, without the line break after the closing brace.
    fn region(&mut self, block: &Block, indent: usize, implied: Op) {
        match shown(block, implied) {
            [] => self.out.push_str("{}"),
            [only] if only.regions.is_empty() => {
                let text = self.simple(only);
                write!(self.out, "{{ {text} }}").expect("a String takes everything");
            }
            _ => {
                self.out.push_str("{\n");
                self.block(block, indent + 1, implied);
                write!(self.out, "{:width$}}}", "", width = indent * 2).expect("a String takes everything");
            }
        }
    }

    fn inst(&mut self, inst: &Inst, indent: usize) {
        write!(self.out, "{:width$}", "", width = indent * 2).expect("a String takes everything");
        let head = self.simple(inst);
        self.out.push_str(&head);
        if let Some((first, rest)) = inst.regions.split_first() {
            let implied = implied_terminator(inst.op);
            self.out.push(' ');
            self.region(first, indent, implied);
            for region in rest {
                if !shown(region, implied).is_empty() {
                    self.out.push_str(" else ");
                    self.region(region, indent, implied);
                }
            }
        }
        self.out.push('\n');
    }

    /// The instruction up to its regions.
    fn simple(&self, inst: &Inst) -> String {
        let mut s = String::new();
        if !inst.results.is_empty() {
            s = self.results(inst) + " = ";
        }
        s.push_str(inst.op.mnemonic());
        if !inst.mode.name().is_empty() {
            s = s + "." + inst.mode.name();
        }
        s.push_str(&self.operands(inst));
        if let Some(mask) = inst.mask {
            s = s + " if " + &self.names.value(self.kernel, mask);
        }
        s
    }

    fn results(&self, inst: &Inst) -> String {
        let inferred = typing::result_types(self.kernel, inst).unwrap_or_default();
        let spelled = |(i, &v): (usize, &Value)| {
            let (name, ty) = (self.names.value(self.kernel, v), self.kernel.ty(v));
            if inferred.get(i) == Some(&ty) { name } else { format!("{name}: {ty}") }
        };
        inst.results.iter().enumerate().map(spelled).collect::<Vec<_>>().join(", ")
    }

    fn operands(&self, inst: &Inst) -> String {
        let args = self.values(&inst.args);
        let after = |text: String| if args.is_empty() { format!(" {text}") } else { format!(" {text}, {args}") };
        match inst.op {
            Op::If | Op::Yield | Op::Break | Op::Continue => join_space(args),
            Op::Loop => self.carried(inst, 0),
            Op::For => self.counted(inst),
            Op::Dim => format!(" {}, {}", self.buffer(inst), inst.imm),
            Op::VarGet | Op::VarSet => {
                let name = inst.var.and_then(|v| self.names.vars.get(v.index()));
                after(format!("${}", name.map_or("undeclared", String::as_str)))
            }
            Op::TmuReceive => format!(" {}", inst.results.first().map_or(Type::I32, |&v| self.kernel.ty(v))),
            Op::Print | Op::Assert | Op::Comment => after(quoted(inst.text.as_deref().unwrap_or_default())),
            op if typing::needs_buffer(op) => {
                let data = typing::data_operands(inst).min(inst.args.len());
                let (indices, data) = inst.args.split_at(inst.args.len() - data);
                let mut s = format!(" {}[{}]", self.buffer(inst), self.values(indices));
                if !data.is_empty() {
                    s = s + ", " + &self.values(data);
                }
                s
            }
            op if has_number(op) => after(inst.imm.to_string()),
            _ => join_space(args),
        }
    }

    fn buffer(&self, inst: &Inst) -> String {
        let name = inst.buf.and_then(|b| self.names.bufs.get(b.index()));
        format!("%{}", name.map_or("undeclared", String::as_str))
    }

    fn carried(&self, inst: &Inst, skip: usize) -> String {
        let params = inst.regions.first().map_or(&[][..], |r| &r.params[skip.min(r.params.len())..]);
        if params.is_empty() {
            return String::new();
        }
        let spelled = |(&p, &init): (&Value, &Value)| {
            format!(
                "{}: {} = {}",
                self.names.value(self.kernel, p),
                self.kernel.ty(p),
                self.names.value(self.kernel, init)
            )
        };
        format!(" ({})", params.iter().zip(inst.carried()).map(spelled).collect::<Vec<_>>().join(", "))
    }

    fn counted(&self, inst: &Inst) -> String {
        let value = |v: Value| self.names.value(self.kernel, v);
        let iv = inst.regions.first().and_then(|r| r.params.first()).map_or("%undefined".into(), |&v| value(v));
        let [lo, hi, step, ..] = inst.args[..] else { return String::new() };
        let mut s = format!(" {iv} in {}..{}", value(lo), value(hi));
        if self.kernel.as_i32(step) != Some(1) {
            s = s + " step " + &value(step);
        }
        s + &self.carried(inst, 1)
    }
}

/// The terminator that a region of this instruction has when it writes none.
pub(crate) fn implied_terminator(op: Op) -> Op {
    if op == Op::Loop { Op::Continue } else { Op::Yield }
}

/// Whether the text form writes the immediate right after the name.
pub(crate) fn has_number(op: Op) -> bool {
    typing::has_axis(op) || matches!(op, Op::SemaInc | Op::SemaDec)
}

fn shown(block: &Block, implied: Op) -> &[Inst] {
    match block.insts.split_last() {
        Some((last, rest)) if last.op == implied && last.args.is_empty() => rest,
        _ => &block.insts,
    }
}

fn join_space(text: String) -> String {
    if text.is_empty() { text } else { format!(" {text}") }
}

fn buffer_type(kernel: &Kernel, b: Buf) -> String {
    let info = &kernel.bufs[b];
    let access = match info.access {
        Access::Read => "r",
        Access::Write => "w",
        Access::ReadWrite => "rw",
    };
    let elem = info.elem;
    let rank = if info.rank == 1 { String::new() } else { format!(", {}", info.rank) };
    format!("buf<{elem}{rank}, {access}{}>", if info.own { ", own" } else { "" })
}

fn quoted(text: &str) -> String {
    let mut s = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => s.push_str("\\\""),
            '\\' => s.push_str("\\\\"),
            '\n' => s.push_str("\\n"),
            '\t' => s.push_str("\\t"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                write!(s, "\\u{{{:x}}}", c as u32).expect("a String takes everything")
            }
            c => s.push(c),
        }
    }
    s.push('"');
    s
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&kernel(self))
    }
}
