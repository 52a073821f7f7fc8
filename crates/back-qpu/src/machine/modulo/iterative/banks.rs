//! Which webs that lie in files must lie in different ones, or in file A.
//!
//! An operation reads one register of each file, and none of file B beside a small immediate. Webs bound to each other in
//! this way form groups; the file of a group is chosen when the first of its operations gets its place.

use super::colour::Class;
use crate::machine::modulo::body::Body;
use crate::vc4::minst::{MInst, Reg, Src};

/// The groups of webs.
pub struct Banks {
    /// Per web, its group and whether it lies in the group's other file; none for accumulators.
    group: Vec<Option<(usize, bool)>>,
    /// Per group, whether it has to be in file B.
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
pub fn of(body: &Body, classes: &[Class]) -> Result<Banks, [usize; 2]> {
    let n = classes.len();
    let mut parent: Vec<(usize, bool)> = (0..n).map(|w| (w, false)).collect();
    let web = |s: Option<Src>| {
        let w = s.and_then(Src::reg).and_then(Reg::virt)? as usize;
        (classes[w] != Class::Acc).then_some(w)
    };
    let mut forced: Vec<Option<bool>> = vec![None; n];
    for inst in &body.ops {
        let (Some(a), Some(b)) = (web(inst.src[0]), web(inst.src[1])) else { continue };
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
        let immediate = inst.src.iter().flatten().any(|s| matches!(s, Src::Imm(_)));
        let in_a = |s: &&Option<Src>| immediate || matches!(s, Some(Src::Part(..)));
        for w in inst.src.iter().filter(in_a).filter_map(|s| web(*s)) {
            let (root, other) = find(&mut parent, w);
            // In file A, that is: the group is in file B if the web is in the group's other file.
            if forced[root].is_some_and(|f| f != other) {
                return Err([w, w]);
            }
            forced[root] = Some(other);
        }
    }
    let group = (0..n).map(|w| (classes[w] != Class::Acc).then(|| find(&mut parent, w))).collect();
    Ok(Banks { group, forced })
}

impl Banks {
    /// The group of a web, if it lies in a file.
    pub fn group(&self, w: usize) -> Option<usize> {
        self.group[w].map(|g| g.0)
    }

    /// Whether a web lies in file B, if its group's side is known.
    pub fn in_b(&self, w: usize, sides: &[Option<bool>]) -> Option<bool> {
        let (group, other) = self.group[w]?;
        sides[group].map(|b| b ^ other)
    }

    /// The groups of an operation's webs.
    pub fn groups(&self, inst: &MInst) -> impl Iterator<Item = usize> + '_ {
        let regs: [Option<Reg>; 3] = [inst.src[0].and_then(Src::reg), inst.src[1].and_then(Src::reg), inst.def()];
        regs.into_iter().flatten().filter_map(Reg::virt).filter_map(|w| self.group(w as usize))
    }

    /// [`shape`] with the sides of groups.
    pub fn shape(&self, inst: &MInst, side: impl Fn(usize) -> Option<bool>, names: &mut Names) -> MInst {
        let in_b = |w: u32| {
            let (group, other) = self.group[w as usize]?;
            side(group).map(|b| b ^ other)
        };
        shape(inst, in_b, names)
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
pub fn shape(inst: &MInst, in_b: impl Fn(u32) -> Option<bool>, names: &mut Names) -> MInst {
    let mut out = *inst;
    out.map_registers(|r| {
        let Reg::Virt(w) = r else { return r };
        match in_b(w) {
            Some(true) => Reg::B(names.of(w)),
            Some(false) => Reg::A(names.of(w)),
            None => Reg::Acc(0),
        }
    });
    out
}
