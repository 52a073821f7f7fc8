//! Register-bank assignment: which webs that lie in files must lie in different ones, or in the first.
//!
//! Where there are two files, an operation reads one register of each, and none of the second beside an immediate. Webs bound to
//! each other in this way form groups; the file of a group is chosen when the first of its operations gets its place.

use super::colour::Class;
use crate::machine::isa::{Instruction, Isa, Operand};
use crate::machine::modulo::body::Body;
use crate::machine::registers::{Bank, Reg};

/// The groups of webs.
pub struct Banks {
    /// Per web, its group and whether it lies in the group's other file; none for quick registers.
    group: Vec<Option<(usize, bool)>>,
    /// Per group, whether it has to be in the second file.
    pub forced: Vec<Option<bool>>,
}

/// Two webs, and whether they must differ.
fn find(parent: &mut [(usize, bool)], w: usize) -> (usize, bool) {
    let (mut at, mut other) = (w, false);
    while parent[at].0 != at {
        other ^= parent[at].1;
        at = parent[at].0;
    }
    parent[w] = (at, other);
    (at, other)
}

/// The groups; or a web that cannot lie in any file beside the others.
pub fn of<I: Isa>(body: &Body<I>, classes: &[Class]) -> Result<Banks, [usize; 2]> {
    let n = classes.len();
    let mut parent: Vec<(usize, bool)> = (0..n).map(|w| (w, false)).collect();
    let web = |s: Option<Operand>| {
        let w = s?.reg()?.virt()? as usize;
        (classes[w] != Class::Quick).then_some(w)
    };
    let group = |parent: &mut Vec<_>| (0..n).map(|w| (classes[w] != Class::Quick).then(|| find(parent, w))).collect();
    if I::FILES < 2 {
        return Ok(Banks { group: group(&mut parent), forced: vec![Some(false); n] });
    }
    let mut forced: Vec<Option<bool>> = vec![None; n];
    for inst in &body.ops {
        let [Some(a), Some(b)] = inst.operands().map(web) else { continue };
        if a == b {
            continue;
        }
        let ((x, p), (y, q)) = (find(&mut parent, a), find(&mut parent, b));
        if x == y && p == q {
            return Err([a, b]);
        }
        if x != y {
            parent[x] = (y, !(p ^ q));
        }
    }
    for inst in &body.ops {
        let operands = inst.operands();
        let immediate = operands.iter().flatten().any(|s| matches!(s, Operand::Immediate(Bank::File(1))));
        let in_first = |s: &Option<Operand>| immediate || matches!(s, Some(Operand::Part(..)));
        for w in operands.into_iter().filter(in_first).filter_map(web) {
            let (root, other) = find(&mut parent, w);
            // In the first file, that is: the group is in the second if the web is in the group's other file.
            if forced[root].is_some_and(|f| f != other) {
                return Err([w, w]);
            }
            forced[root] = Some(other);
        }
    }
    Ok(Banks { group: group(&mut parent), forced })
}

impl Banks {
    /// The group of a web, if it lies in a file.
    pub fn group(&self, w: usize) -> Option<usize> {
        self.group[w].map(|g| g.0)
    }

    /// Whether a web lies in the second file, if the file of its group is known.
    pub fn in_second(&self, w: usize, chosen: &[Option<bool>]) -> Option<bool> {
        let (group, other) = self.group[w]?;
        chosen[group].map(|b| b ^ other)
    }

    /// The groups of an operation's webs.
    pub fn groups<T: Instruction>(&self, inst: &T) -> impl Iterator<Item = usize> + use<'_, T> {
        let [a, b] = inst.operands().map(|s| s?.reg());
        [a, b, inst.def()].into_iter().flatten().filter_map(Reg::virt).filter_map(|w| self.group(w as usize))
    }

    /// [`shape`] with the files of groups.
    pub fn shape<I: Isa>(&self, inst: &I::Inst, side: impl Fn(usize) -> Option<bool>, names: &mut Names) -> I::Inst {
        let second = |w: u32| {
            let (group, other) = self.group[w as usize]?;
            side(group).map(|b| b ^ other)
        };
        shape::<I>(inst, second, names)
    }
}

/// Numbers for the webs of one instruction.
#[derive(Default)]
pub struct Names {
    /// Three operations with three webs each.
    webs: [u32; 9],
    n: usize,
}

impl Names {
    fn of(&mut self, web: u32) -> u8 {
        let known = self.webs[..self.n].iter().position(|w| *w == web);
        let number = known.unwrap_or_else(|| {
            self.webs[self.n] = web;
            self.n += 1;
            self.n - 1
        });
        number as u8
    }
}

/// The operation with registers that show in which file each web lies.
pub fn shape<I: Isa>(inst: &I::Inst, second: impl Fn(u32) -> Option<bool>, names: &mut Names) -> I::Inst {
    let mut out = *inst;
    out.map_registers(|r| {
        let Reg::Virt(w) = r else { return r };
        match second(w) {
            Some(file) => Bank::File(file.into()).register::<I>(names.of(w)),
            None => Bank::Quick.register::<I>(0),
        }
    });
    out
}
