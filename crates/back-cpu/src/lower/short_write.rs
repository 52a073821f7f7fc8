//! Short values as LLVM IR: a vector of all columns for each row of a turn.

use super::short::{Short, Way, bits_of, target};
use super::short_ways::is_comparison;
use super::state::{Lower, Val};
use super::strided::Weave;
use crate::common::text;
use quadra_kir::{Buf, Elem, Inst, Op, Value};
use quadra_passes::analysis::linear::Form;

impl Lower<'_> {
    /// Writes what makes or stores a short value; whether this is such.
    pub(super) fn write_short(&mut self, inst: &Inst) -> bool {
        if let Some((buf, index, value)) = target(inst).filter(|t| self.shorts.stores.contains(t)) {
            self.store_short(inst, (buf, index, value));
            return true;
        }
        if inst.op == Op::Store && self.write_strip(inst) {
            return true;
        }
        let result = inst.results.first().copied();
        let Some((v, short)) = result.and_then(|v| Some((v, self.shorts.values.get(&v)?.clone()))) else {
            return false;
        };
        self.check_parts(inst);
        let rows = (0..self.shape.rows).map(|row| {
            self.part = row * self.shape.columns;
            match inst.op {
                Op::Load | Op::LoadRow => self.load_short(inst),
                _ => self.compute_short(inst, &short),
            }
        });
        let rows = rows.collect();
        self.part = 0;
        self.values.insert(v, Val::Rows(rows));
        true
    }

    /// In the checked mode, tests what was proved of an access, in all parts.
    fn check_parts(&mut self, inst: &Inst) {
        if self.plan.checked && inst.buf.is_some() {
            for part in 0..self.shape.parts() {
                self.part = part;
                self.check_proof(inst);
            }
            self.part = 0;
        }
    }

    /// Lanes of a vector.
    pub(super) fn short_lanes(&self) -> usize {
        self.joined_lanes.unwrap_or(16 * self.shape.columns)
    }

    pub(super) fn short_type(&self, bits: u32) -> String {
        format!("<{} x i{bits}>", self.short_lanes())
    }

    /// A short value, or 16 lanes of it in the present part, as others have it.
    pub(super) fn widened(&mut self, v: Value) -> String {
        let (row, column) = (self.part / self.shape.columns, self.part % self.shape.columns);
        let Some(Val::Rows(rows)) = self.values.get(&v) else { return String::new() };
        let (name, bits) = (rows[row].clone(), self.shorts.values[&v].bits);
        let key = format!("lanes of {name} {column}");
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        let ty = self.short_type(bits);
        let lanes: Vec<String> = (0..16).map(|lane| format!("i32 {}", 16 * column + lane)).collect();
        let part = format!("shufflevector {ty} {name}, {ty} zeroinitializer, {} <{}>", text::LANES, lanes.join(", "));
        let part = self.t.def(&part);
        let value = match bits {
            1 => part,
            _ => {
                let how = self.extension(v, bits);
                self.t.def(&format!("{how} <16 x i{bits}> {part} to {}", text::LANES))
            }
        };
        self.memo.insert(key, value.clone());
        value
    }

    /// How lanes of so many bits become wider ones. Where they do not hold the value, only they are asked for.
    fn extension(&self, v: Value, bits: u32) -> &'static str {
        if self.fits(v, bits, false) || !self.fits(v, bits, true) { "zext" } else { "sext" }
    }

    /// An operand in lanes of so many bits.
    pub(super) fn short_operand(&mut self, v: Value, bits: u32) -> String {
        let Some(from) = self.shorts.values.get(&v).map(|s| s.bits) else { return self.shared_operand(v, bits) };
        let row = self.part / self.shape.columns;
        let Some(Val::Rows(rows)) = self.values.get(&v) else { return String::new() };
        let name = rows[row].clone();
        if from == bits {
            return name;
        }
        let how = if from > bits { "trunc" } else { self.extension(v, from) };
        self.remembered(&format!("{how} {} {name} to {}", self.short_type(from), self.short_type(bits)))
    }

    /// A number that all lanes share.
    fn shared_operand(&mut self, v: Value, bits: u32) -> String {
        let one = match (self.kernel.as_i32(v), self.kernel.ty(v).elem) {
            (Some(c), Elem::I32) => ((i64::from(c) << (64 - bits)) >> (64 - bits)).to_string(),
            (_, Elem::Bool) => self.value(v),
            _ => {
                let whole = self.value(v);
                self.remembered(&format!("trunc i32 {whole} to i{bits}"))
            }
        };
        self.short_splat(&one, bits)
    }

    pub(super) fn short_splat(&mut self, one: &str, bits: u32) -> String {
        let ty = self.short_type(bits);
        let first = self.remembered(&format!("insertelement {ty} zeroinitializer, i{bits} {one}, i32 0"));
        let lanes = self.short_lanes();
        self.remembered(&format!("shufflevector {ty} {first}, {ty} zeroinitializer, <{lanes} x i32> zeroinitializer"))
    }

    /// An instruction without effects, written once at this place.
    fn remembered(&mut self, instruction: &str) -> String {
        if let Some(known) = self.memo.get(instruction) {
            return known.clone();
        }
        let name = self.t.def(instruction);
        self.memo.insert(instruction.to_string(), name.clone());
        name
    }

    fn compute_short(&mut self, inst: &Inst, short: &Short) -> String {
        let bits = short.bits;
        match &short.way {
            Way::Saturated { op, args, signed } => {
                let [a, b] = args.map(|v| self.short_operand(v, bits));
                let name = if *op == Op::Add { "add.sat" } else { "sub.sat" };
                self.short_call(&format!("{}{name}", if *signed { 's' } else { 'u' }), bits, &[&a, &b])
            }
            Way::Mean { args, signed } => {
                let [a, b] = args.map(|v| self.short_operand(v, bits));
                let both = self.short_op("and", bits, &a, &b);
                let apart = self.short_op("xor", bits, &a, &b);
                let one = self.short_splat("1", bits);
                let half = self.short_op(if *signed { "ashr" } else { "lshr" }, bits, &apart, &one);
                self.short_op("add", bits, &both, &half)
            }
            Way::Plain => self.compute_plain(inst, bits),
        }
    }

    fn compute_plain(&mut self, inst: &Inst, bits: u32) -> String {
        let args = &inst.args;
        if is_comparison(inst.op) {
            return self.compare_short(inst);
        }
        match inst.op {
            Op::Select => {
                let condition = self.short_operand(args[0], 1);
                let [a, b] = [args[1], args[2]].map(|v| self.short_operand(v, bits));
                let (ty, truth) = (self.short_type(bits), self.short_type(1));
                return self.t.def(&format!("select {truth} {condition}, {ty} {a}, {ty} {b}"));
            }
            Op::ToI32 => {
                let condition = self.short_operand(args[0], 1);
                let (ty, truth) = (self.short_type(bits), self.short_type(1));
                return self.t.def(&format!("zext {truth} {condition} to {ty}"));
            }
            _ => {}
        }
        let a = self.short_operand(args[0], bits);
        let Some(&second) = args.get(1) else {
            return match inst.op {
                Op::Neg => self.short_op("sub", bits, "zeroinitializer", &a),
                Op::Not => self.inverted(&a, bits),
                _ => self.short_call("abs", bits, &[&a]),
            };
        };
        let signed = || !args.iter().all(|&v| self.fits(v, bits, false));
        match inst.op {
            Op::Min | Op::Max => {
                let name = match (inst.op, signed()) {
                    (Op::Min, true) => "smin",
                    (Op::Min, false) => "umin",
                    (_, true) => "smax",
                    (_, false) => "umax",
                };
                let b = self.short_operand(second, bits);
                self.short_call(name, bits, &[&a, &b])
            }
            Op::AndNot => {
                let b = self.short_operand(second, bits);
                let b = self.inverted(&b, bits);
                self.short_op("and", bits, &a, &b)
            }
            op => {
                let b = self.short_operand(second, bits);
                self.short_op(self.name_of(op, args[0], bits), bits, &a, &b)
            }
        }
    }

    /// LLVM's name of an operation on two operands, the first of which is `v`.
    fn name_of(&self, op: Op, v: Value, bits: u32) -> &'static str {
        match op {
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Shl => "shl",
            Op::Div => "udiv",
            Op::Mod | Op::Rem => "urem",
            // What comes from beyond the lanes is not asked for unless the operand fits them.
            Op::Asr if !self.fits(v, bits, false) => "ashr",
            _ => "lshr",
        }
    }

    fn compare_short(&mut self, inst: &Inst) -> String {
        let Some((least, signed)) = self.comparison(inst) else { return String::new() };
        let lanes = inst.args.iter().filter_map(|a| self.shorts.values.get(a)).map(|s| s.bits);
        let bits = lanes.fold(least, u32::max);
        let args = [0, 1].map(|n| {
            let v = inst.args[n];
            if self.shorts.values.contains_key(&v) || self.fits(v, bits, signed) {
                return self.short_operand(v, bits);
            }
            let (low, high) = self.limits_beside(inst.args[1 - n]);
            let whole = self.value(v);
            let above = self.t.call("i32", "llvm.smax.i32", &[("i32", &whole), ("i32", &low.to_string())]);
            let near = self.t.call("i32", "llvm.smin.i32", &[("i32", &above), ("i32", &high.to_string())]);
            let one = self.t.def(&format!("trunc i32 {near} to i{bits}"));
            self.short_splat(&one, bits)
        });
        let sign = if signed { 's' } else { 'u' };
        let name = match inst.op {
            Op::CmpEq => "eq".to_string(),
            Op::CmpNe => "ne".to_string(),
            Op::CmpLt => format!("{sign}lt"),
            Op::CmpLe => format!("{sign}le"),
            Op::CmpGt => format!("{sign}gt"),
            _ => format!("{sign}ge"),
        };
        self.short_op(&format!("icmp {name}"), bits, &args[0], &args[1])
    }

    fn inverted(&mut self, a: &str, bits: u32) -> String {
        let ones = self.short_splat(if bits == 1 { "true" } else { "-1" }, bits);
        self.short_op("xor", bits, a, &ones)
    }

    fn short_op(&mut self, name: &str, bits: u32, a: &str, b: &str) -> String {
        let ty = self.short_type(bits);
        self.t.def(&format!("{name} {ty} {a}, {b}"))
    }

    pub(super) fn short_call(&mut self, name: &str, bits: u32, args: &[&str]) -> String {
        let ty = self.short_type(bits);
        let mut all: Vec<(&str, &str)> = args.iter().map(|a| (ty.as_str(), *a)).collect();
        if name == "abs" {
            all.push(("i1", "false"));
        }
        let name = format!("llvm.{name}.v{}i{bits}", self.short_lanes());
        self.t.call(&ty, &name, &all)
    }

    fn load_short(&mut self, inst: &Inst) -> String {
        let Some(buf) = inst.buf else { return String::new() };
        let Some((step, shift, first)) = self.forward_steps(inst) else {
            return self.short_row(buf, self.forms.at(self.kernel, inst.args[0]));
        };
        let lanes = self.short_lanes() as i32;
        let mut first = first;
        first.constant = first.constant.wrapping_sub(shift.unwrap_or(0));
        if self.plan.avx2 {
            return self.woven(&Weave { buf, first, step, reversed: false, shared: shift, lanes });
        }
        // Unless others read what lies between, the last row ends with the last element, so that nothing else is read.
        let last = if shift.is_some() { i32::MAX } else { (lanes - 1) * (step - 1) };
        let (mut value, mut known) = (String::new(), 0);
        for n in 0..step {
            let at = (n * lanes).min(last);
            let constant = first.constant.wrapping_add(at);
            let row = self.short_row(buf, Form { constant, ..first.clone() });
            let from = (0..lanes).map(|lane| match shift.unwrap_or(0) + lane * step {
                // In place from the second row on.
                e if e < known => Some(if n == 1 { e } else { lane }),
                e if e < at + lanes => Some(lanes + e - at),
                _ => None,
            });
            if n > 0 {
                let from: Vec<_> = from.collect();
                value = self.lanes_of_two(buf, [&value, &row], &from);
            } else {
                value = row;
            }
            known = at + lanes;
        }
        value
    }

    /// Lanes of two vectors of a buffer's elements; any where it does not matter.
    fn lanes_of_two(&mut self, buf: Buf, of: [&str; 2], from: &[Option<i32>]) -> String {
        let ty = self.short_type(bits_of(self.kernel.bufs[buf].elem).unwrap_or(8));
        let from: Vec<String> = from.iter().map(|l| l.map_or("i32 undef".into(), |l| format!("i32 {l}"))).collect();
        let lanes = format!("<{} x i32> <{}>", from.len(), from.join(", "));
        self.remembered(&format!("shufflevector {ty} {}, {ty} {}, {lanes}", of[0], of[1]))
    }

    /// Neighbouring elements of all columns.
    fn short_row(&mut self, buf: Buf, form: Form) -> String {
        let elem = self.kernel.bufs[buf].elem;
        let place = self.place_of(buf, form);
        let key = format!("load short {place}");
        if let Some(value) = self.memo.get(&key) {
            return value.clone();
        }
        let ty = self.short_type(bits_of(elem).unwrap_or(8));
        let value = self.t.def(&format!("load {ty}, ptr {place}, align {}", elem.bytes()));
        self.memo.insert(key, value.clone());
        value
    }

    /// Writes a stretch of which all values are short; whether it is one.
    fn write_strip(&mut self, inst: &Inst) -> bool {
        let strip = if self.is_short_strip(inst) { self.forward_strip(inst) } else { None };
        let (Some((first, values)), Some(buf)) = (strip, inst.buf) else { return false };
        if !values.iter().all(|v| self.shorts.values.contains_key(v)) {
            return false;
        }
        self.forget_loads();
        self.check_parts(inst);
        let bytes = self.kernel.bufs[buf].elem.bytes();
        let (many, lanes) = (values.len() as i32, self.short_lanes() as i32);
        for row in 0..self.shape.rows {
            self.part = row * self.shape.columns;
            let values: Vec<String> = values.iter().map(|&v| self.short_operand(v, 8 * bytes)).collect();
            if self.plan.avx2 {
                let first = first.clone();
                self.weave(&Weave { buf, first, step: many, reversed: false, shared: Some(0), lanes }, &values);
                continue;
            }
            for n in 0..many {
                // Which value's which lane an element is.
                let element = |lane: i32| ((n * lanes + lane) % many, (n * lanes + lane) / many);
                let mut mixed = values[0].clone();
                for (k, value) in values.iter().enumerate().skip(1) {
                    let from = (0..lanes).map(|lane| match element(lane) {
                        (v, of) if v == k as i32 => Some(lanes + of),
                        (0, of) if k == 1 => Some(of),
                        (v, _) if v < k as i32 => Some(lane),
                        _ => None,
                    });
                    let from: Vec<_> = from.collect();
                    mixed = self.lanes_of_two(buf, [&mixed, value], &from);
                }
                let constant = first.constant.wrapping_add(n * lanes);
                let place = self.place_of(buf, Form { constant, ..first.clone() });
                let ty = self.short_type(8 * bytes);
                self.t.line(&format!("store {ty} {mixed}, ptr {place}, align {bytes}"));
            }
        }
        self.part = 0;
        true
    }

    fn store_short(&mut self, inst: &Inst, (buf, index, value): (Buf, Value, Value)) {
        self.forget_loads();
        self.check_parts(inst);
        let elem = self.kernel.bufs[buf].elem;
        for row in 0..self.shape.rows {
            self.part = row * self.shape.columns;
            let bits = 8 * elem.bytes();
            let value = self.short_operand(value, bits);
            let place = self.place_of(buf, self.forms.at(self.kernel, index));
            let ty = self.short_type(bits);
            self.t.line(&format!("store {ty} {value}, ptr {place}, align {}", elem.bytes()));
        }
        self.part = 0;
    }
}
