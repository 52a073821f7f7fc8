//! A region as a module of LLVM IR: one function that runs from its head until execution leaves it or the limit is near.
//!
//! The function works on copies. It loads the registers that the region uses, and leaves those that it writes in the
//! context; the caller takes them over if the processor reports neither an overflow nor an invalid operation and no NaN was
//! met, and forgets them otherwise. Registers live in slots of the function's frame, which LLVM turns into values; if there
//! are more than the processor has vector registers, the less used ones stay in the context's memory instead.

use super::facts::{Facts, Kind, Needs, REGISTERS, Set, needs, solve};
use super::native::layout;
use super::region::{Block, Next, Region};
use super::step::{self, Writer};
use super::text::{Text, V};
use std::collections::BTreeMap;

/// Registers that are kept as values at most.
const VALUES: usize = 20;

/// What the caller must know beside the code.
#[derive(Clone, Debug)]
pub struct Emitted {
    pub text: String,
    /// Registers that the region writes.
    pub written: Set,
    /// Registers that must be in the context's memory before the call.
    pub in_memory: Set,
    /// Registers that must hold numbers before the call.
    pub numbers: Set,
    /// Constants that the code loads from the context's pool.
    pub pool: Vec<[u32; 16]>,
}

/// Scalars of the frame with their places in the context: in and out, or set to a start value.
const SCALARS: [(&str, Start); 9] = [
    ("%upos", Start::Load(layout::UNIFORM_AT)),
    ("%head0", Start::Zero),
    ("%head1", Start::Zero),
    ("%length0", Start::Load(layout::LENGTHS)),
    ("%length1", Start::Load(layout::LENGTHS + 8)),
    ("%uniforms", Start::Zero),
    ("%requests", Start::Zero),
    ("%sfus", Start::Zero),
    ("%issued", Start::Zero),
];

#[derive(Clone, Copy)]
enum Start {
    Load(usize),
    Zero,
}

/// What a scalar is stored to at the end.
const OUTPUTS: [(&str, usize); 11] = [
    ("%upos", layout::UNIFORM_AT),
    ("%head0", layout::HEADS),
    ("%head1", layout::HEADS + 8),
    ("%length0", layout::LENGTHS),
    ("%length1", layout::LENGTHS + 8),
    ("%uniforms", layout::UNIFORMS_READ),
    ("%requests", layout::REQUESTS),
    ("%sfus", layout::SPECIALS),
    ("%issued", layout::ISSUED),
    ("%sfuat", layout::SFU_AT),
    ("%uset", layout::UNIFORM_SET),
];

/// Writes the module for a region.
pub fn emit(region: &Region, head: usize) -> Emitted {
    let all: BTreeMap<usize, Needs> = region.iter().map(|(start, block)| (*start, needs(block))).collect();
    let used = all.values().fold(0, |set, n| set | n.used);
    let written = all.values().fold(0, |set, n| set | n.written);
    let mut text = Text::default();
    let facts: BTreeMap<usize, Facts> =
        solve(region, head, |block, facts| step::block(&mut Text::default(), block, facts).facts).into_iter().collect();
    let values = values(region, used);
    entry(&mut text, region, head, used, values);
    for (start, block) in region {
        let Some(known) = facts.get(start) else { continue };
        text.label(&format!("b{start}"));
        let mut writer = step::block(&mut text, block, known);
        leave(&mut writer, region, block, &facts);
    }
    finish(&mut text, written & values);
    let mut module = String::new();
    for declaration in &text.declarations {
        module += declaration;
        module += "\n";
    }
    let attributes = "nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\" \
\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"";
    module += &format!("define i32 @block(ptr noalias %c) {attributes} {{\n{}}}\n!0 = !{{}}\n", text.lines);
    Emitted { text: module, written, in_memory: used & !values, numbers: all[&head].numbers, pool: text.constants }
}

/// Registers that become values: the most used ones.
fn values(region: &Region, used: Set) -> Set {
    let mut counts = [0usize; REGISTERS];
    for block in region.values() {
        for inst in &block.insts {
            let one = needs(&Block { insts: vec![*inst], ..block.clone() });
            for (register, count) in counts.iter_mut().enumerate() {
                *count += usize::from(one.used >> register & 1 == 1);
            }
        }
    }
    let mut order: Vec<usize> = (0..REGISTERS).filter(|r| used >> r & 1 == 1).collect();
    order.sort_by_key(|r| std::cmp::Reverse(counts[*r]));
    if order.len() > VALUES {
        order.retain(|r| counts[*r] >= 4);
    }
    order.into_iter().take(VALUES).fold(0, |set, r| set | 1 << r)
}

fn entry(t: &mut Text, region: &Region, head: usize, used: Set, values: Set) {
    t.label("entry");
    for (name, at) in [("%slots", layout::SLOTS), ("%uptr", layout::UNIFORM_BYTES), ("%pool", layout::POOL)] {
        let place = t.at("%c", at);
        t.line(&format!("{name} = load ptr, ptr {place}, align 8"));
    }
    for (name, at) in [("%ulen", layout::UNIFORM_LENGTH), ("%limit", layout::LIMIT)] {
        let place = t.at("%c", at);
        t.line(&format!("{name} = load i64, ptr {place}, align 8"));
    }
    let place = t.at("%c", layout::UNIFORM_BASE);
    t.line(&format!("%ubase = load i32, ptr {place}, align 4"));
    load_registers(t, used, values);
    load_scalars(t);
    let may = may_enter(t, &region[&head]);
    t.branch_if(&may, &format!("b{head}"), "refused");
}

fn load_registers(t: &mut Text, used: Set, values: Set) {
    for register in (0..REGISTERS).filter(|r| used >> r & 1 == 1) {
        if values >> register & 1 == 1 {
            t.line(&format!("%r{register} = alloca {V}, align 64"));
            let value = t.load(V, "%slots", 64 * register);
            t.line(&format!("store {V} {value}, ptr %r{register}, align 64"));
        } else {
            t.line(&format!("%r{register} = getelementptr i8, ptr %c, i64 {}", layout::WORK + 64 * register));
        }
    }
}

fn load_scalars(t: &mut Text) {
    for (n, name) in ["%fz", "%fn", "%fc"].into_iter().enumerate() {
        t.line(&format!("{name} = alloca <16 x i1>"));
        let word = t.load("i16", "%c", layout::FLAGS + 2 * n);
        let flag = t.def(&format!("bitcast i16 {word} to <16 x i1>"));
        t.line(&format!("store <16 x i1> {flag}, ptr {name}"));
    }
    for (name, start) in SCALARS
        .into_iter()
        .chain([("%sfuat", Start::Load(layout::SFU_AT))])
        .chain([("%uset", Start::Load(layout::UNIFORM_SET))])
    {
        t.line(&format!("{name} = alloca i64"));
        let value = match start {
            Start::Zero => "0".into(),
            Start::Load(at) => t.load("i64", "%c", at),
        };
        t.line(&format!("store i64 {value}, ptr {name}"));
    }
    t.line("%bad = alloca <16 x i1>");
    t.line("store <16 x i1> zeroinitializer, ptr %bad");
}

/// Whether the limit and the uniforms suffice for a block.
fn may_enter(t: &mut Text, block: &Block) -> String {
    let issued = t.def("load i64, ptr %issued");
    let after = t.def(&format!("add i64 {issued}, {}", block.insts.len()));
    let may = t.def(&format!("icmp ule i64 {after}, %limit"));
    if block.uniforms == 0 {
        return may;
    }
    let at = t.def("load i64, ptr %upos");
    let end = t.def(&format!("add i64 {at}, {}", 4 * block.uniforms));
    let there = t.def(&format!("icmp ule i64 {end}, %ulen"));
    t.def(&format!("and i1 {may}, {there}"))
}

/// The ways out of a block.
fn leave(w: &mut Writer, region: &Region, block: &Block, facts: &BTreeMap<usize, Facts>) {
    let label = |to: usize| format!("e{}_{to}", block.start);
    match (block.next, w.branch.clone()) {
        (Next::Branch { taken, through, .. }, Some(cond)) if taken != through => {
            let (yes, no) = (label(taken), label(through));
            w.text.branch_if(&cond, &yes, &no);
        }
        (next, _) => {
            let to = next.targets()[0].0;
            w.text.branch(&label(to));
        }
    }
    let mut done = Vec::new();
    for (to, jumps) in block.next.targets() {
        if !done.contains(&to) {
            w.text.label(&label(to));
            // Each way starts from what is known behind the block.
            let mut way = w.fork();
            edge(&mut way, region, block, (to, jumps), facts);
            done.push(to);
        }
    }
}

fn edge(w: &mut Writer, region: &Region, block: &Block, (to, jumps): (usize, bool), facts: &BTreeMap<usize, Facts>) {
    let next = region.get(&to).filter(|next| block.may_precede(next));
    let (Some(next), Some(wanted)) = (next, facts.get(&to)) else { return exit(w, to, jumps) };
    let may = may_enter(w.text, next);
    let (go, stop) = (w.text.fresh_label(), w.text.fresh_label());
    w.text.branch_if(&may, &go, &stop);
    w.text.label(&stop);
    exit(&mut w.fork(), to, jumps);
    w.text.label(&go);
    for register in 0..REGISTERS {
        let bit = 1 << register;
        if wanted.kinds[register] == Kind::Exact && w.facts.kinds[register] != Kind::Exact {
            w.make_exact(register as u8);
        }
        if wanted.numbers & bit != 0 && w.facts.numbers & bit == 0 {
            w.make_number(register as u8);
        }
    }
    w.text.branch(&format!("b{to}"));
}

/// Ends the function; execution goes on at instruction `to`. The caller makes the registers exact.
fn exit(w: &mut Writer, to: usize, jumps: bool) {
    let inexact = (0..REGISTERS).filter(|r| w.facts.kinds[*r] == Kind::Zero).fold(0, |set: Set, r| set | 1 << r);
    w.text.store("i64", &(inexact as u64 as i64).to_string(), "%c", layout::INEXACT);
    w.text.store("i64", &((inexact >> 64) as u64 as i64).to_string(), "%c", layout::INEXACT + 8);
    let recorded = w.recorded.clone();
    for (n, mask) in recorded.iter().enumerate() {
        let word = w.text.def(&format!("bitcast <16 x i1> {mask} to i16"));
        w.text.store("i16", &word, "%c", layout::RECORDED + 2 * n);
    }
    w.text.store("i64", &to.to_string(), "%c", layout::INDEX);
    w.text.store("i64", &u64::from(jumps).to_string(), "%c", layout::JUMPED);
    w.text.branch("done");
}

fn finish(t: &mut Text, written: Set) {
    t.label("done");
    for register in (0..REGISTERS).filter(|r| written >> r & 1 == 1) {
        let value = t.def(&format!("load {V}, ptr %r{register}, align 64"));
        t.store(V, &value, "%c", layout::WORK + 64 * register);
    }
    for (n, name) in ["%fz", "%fn", "%fc"].into_iter().enumerate() {
        let flag = t.def(&format!("load <16 x i1>, ptr {name}"));
        let word = t.def(&format!("bitcast <16 x i1> {flag} to i16"));
        t.store("i16", &word, "%c", layout::FLAGS + 2 * n);
    }
    for (name, to) in OUTPUTS {
        let value = t.def(&format!("load i64, ptr {name}"));
        t.store("i64", &value, "%c", to);
    }
    let bad = t.def("load <16 x i1>, ptr %bad");
    let word = t.def(&format!("bitcast <16 x i1> {bad} to i16"));
    let result = t.def(&format!("icmp ne i16 {word}, 0"));
    let result = t.def(&format!("zext i1 {result} to i32"));
    t.line(&format!("ret i32 {result}"));
    t.label("undone");
    let issued = t.def("load i64, ptr %issued");
    t.store("i64", &issued, "%c", layout::ISSUED);
    t.line("ret i32 1");
    t.label("refused");
    t.line("ret i32 2");
}
