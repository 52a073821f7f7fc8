//! Names of values, buffers and variables that are unique in a kernel, as its text form and messages have them.

use super::kernel::{Block, Def, Kernel, Param, Value};
use std::collections::{HashMap, HashSet};

/// The names that the text form gives to values and buffers.
pub struct Names {
    values: Vec<String>,
    pub(crate) bufs: Vec<String>,
    pub(crate) vars: Vec<String>,
}

impl Names {
    /// The names of everything in the kernel.
    pub fn of(kernel: &Kernel) -> Names {
        let mut names = Names {
            values: vec![String::new(); kernel.values.len()],
            bufs: vec![String::new(); kernel.bufs.len()],
            vars: vec![String::new(); kernel.vars.len()],
        };
        let mut taken = Taken::default();
        for &param in &kernel.params {
            match param {
                Param::Scalar(v) => names.values[v.index()] = taken.unique(&kernel.values[v].name),
                Param::Buffer(b) => names.bufs[b.index()] = taken.unique(&kernel.bufs[b].name),
            }
        }
        for (b, info) in kernel.bufs.iter() {
            if names.bufs[b.index()].is_empty() {
                names.bufs[b.index()] = taken.unique(&info.name);
            }
        }
        let mut taken_vars = Taken::default();
        for (v, info) in kernel.vars.iter() {
            names.vars[v.index()] = taken_vars.unique(&info.name);
        }
        let mut next = 0;
        let mut define = |v: Value, names: &mut Names| {
            let slot = &mut names.values[v.index()];
            if !slot.is_empty() {
                return;
            }
            let name = &kernel.values[v].name;
            *slot = if name.is_empty() {
                next += 1;
                (next - 1).to_string()
            } else {
                taken.unique(name)
            };
        };
        define_all(&kernel.body, &mut |v| define(v, &mut names));
        names
    }

    /// The value as the text form writes it: `%a`, or a constant in place.
    pub fn value(&self, kernel: &Kernel, v: Value) -> String {
        match kernel.values.get(v).map(|info| info.def) {
            Some(Def::Const(c)) => c.to_string(),
            Some(_) if !self.values[v.index()].is_empty() => format!("%{}", self.values[v.index()]),
            _ => format!("%undefined{}", v.index()),
        }
    }
}

/// A kernel's name as the text form can write it.
pub(crate) fn kernel_name(name: &str) -> String {
    Taken::default().unique(name)
}

fn define_all(block: &Block, define: &mut impl FnMut(Value)) {
    for inst in &block.insts {
        inst.results.iter().for_each(|&v| define(v));
        for region in &inst.regions {
            region.params.iter().for_each(|&v| define(v));
            define_all(region, define);
        }
    }
}

/// Names that are given away.
#[derive(Default)]
struct Taken {
    names: HashSet<String>,
    /// Per name that was wanted more than once, the last number behind it: the next one need not try them all again.
    numbers: HashMap<String, u32>,
}

impl Taken {
    /// A name that the text form can write and nothing else has yet.
    fn unique(&mut self, name: &str) -> String {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let mut base: String = name.chars().map(|c| if fine(c) { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, 'v');
        }
        // `%a..%b` is a range, so a name neither ends with a point nor holds two in a row.
        while base.contains("..") || base.ends_with('.') {
            base = base.replace("..", "._");
            if base.ends_with('.') {
                base.push('_');
            }
        }
        if self.names.insert(base.clone()) {
            return base;
        }
        let n = self.numbers.entry(base.clone()).or_default();
        loop {
            *n += 1;
            let candidate = format!("{base}.{n}");
            if self.names.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
