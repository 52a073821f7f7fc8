//! What can execute after an instruction: straight on, through delay slots, into targets and fall-throughs.

use super::super::inst::{Branch, Inst};
use super::super::op::BranchCond;
use super::super::program::Program;

/// A branch on its way: it takes effect after this many more instructions.
#[derive(Clone, Copy)]
struct Pending {
    branch: Branch,
    at: usize,
    left: u8,
}

/// Calls `visit` with every instruction that can execute 1 to `depth` instructions after `start`, and that distance. Where
/// a branch goes to a register's value nothing is known and the walk ends, as it does two instructions after a program end.
pub(super) fn after(program: &Program, start: usize, depth: usize, visit: &mut dyn FnMut(usize, usize)) {
    let mut pending = [None, None];
    let mut end = None;
    for back in 1..=3.min(start) {
        let at = start - back;
        if let Inst::Branch(branch) = program.insts[at] {
            push(&mut pending, Pending { branch, at, left: (4 - back) as u8 });
        }
        if back <= 2 && program.insts[at].signal().ends_program() {
            end = Some(2 - back);
        }
    }
    step(program, start, pending, end, (1, depth), visit);
}

fn push(pending: &mut [Option<Pending>; 2], new: Pending) {
    // More than two branches in flight need branches closer than rule H15 allows; the surplus is dropped.
    if let Some(slot) = pending.iter_mut().find(|slot| slot.is_none()) {
        *slot = Some(new);
    }
}

fn step(
    program: &Program,
    at: usize,
    mut pending: [Option<Pending>; 2],
    mut end: Option<usize>,
    (distance, depth): (usize, usize),
    visit: &mut dyn FnMut(usize, usize),
) {
    let inst = program.insts[at];
    if inst.signal().ends_program() {
        end = Some(2);
    }
    if end == Some(0) || distance > depth {
        return;
    }
    end = end.map(|left| left - 1);
    let mut due = None;
    for slot in &mut pending {
        if let Some(p) = slot {
            p.left -= 1;
            if p.left == 0 {
                due = Some(*p);
                *slot = None;
            }
        }
    }
    if let Inst::Branch(branch) = inst {
        push(&mut pending, Pending { branch, at, left: 3 });
    }
    let mut go = |next: usize| {
        if next < program.insts.len() {
            visit(next, distance);
            step(program, next, pending, end, (distance + 1, depth), visit);
        }
    };
    let Some(due) = due else { return go(at + 1) };
    if let Some(target) = due.branch.target(due.at) {
        go(target);
    }
    if due.branch.cond != BranchCond::Always {
        go(at + 1);
    }
}

/// The instructions that can execute right after each instruction, for analyses over the whole program. A branch that
/// starts in the delay slots of another is followed as if it stood alone, which adds paths but loses none that H15 allows
/// except the slots of the second at the target of the first.
pub(super) fn successors(program: &Program) -> Vec<[Option<usize>; 2]> {
    let len = program.insts.len();
    let known = |index: usize| Some(index).filter(|i| *i < len);
    (0..len)
        .map(|at| {
            let ended = (2..=2).any(|back| at >= back && program.insts[at - back].signal().ends_program());
            if ended {
                return [None, None];
            }
            match at.checked_sub(3).map(|b| (b, program.insts[b])) {
                Some((b, Inst::Branch(branch))) => {
                    let fall = if branch.cond == BranchCond::Always { None } else { known(at + 1) };
                    [branch.target(b).and_then(known), fall]
                }
                _ => [known(at + 1), None],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Alu, Signal};
    use super::*;

    fn visited(program: &Program, start: usize, depth: usize) -> Vec<(usize, usize)> {
        let mut seen = Vec::new();
        after(program, start, depth, &mut |index, distance| seen.push((index, distance)));
        seen
    }

    #[test]
    fn the_walk_follows_delay_slots_into_target_and_fall_through() {
        let mut p = Program::new("");
        p.extend([Inst::NOP; 2]);
        p.push(Branch::between(2, 8).when(BranchCond::AnyZs), None);
        p.extend([Inst::NOP; 7]);
        assert_eq!(visited(&p, 4, 3), [(5, 1), (8, 2), (9, 3), (6, 2), (7, 3)]);
        assert_eq!(visited(&p, 2, 4), [(3, 1), (4, 2), (5, 3), (8, 4), (6, 4)]);
        p.insts[2] = Branch::between(2, 8).into();
        assert_eq!(visited(&p, 5, 1), [(8, 1)]);
    }

    #[test]
    fn the_walk_stops_at_the_end_of_the_program() {
        let mut p = Program::new("");
        p.push(Alu::signal(Signal::ProgramEnd), None);
        p.extend([Inst::NOP; 5]);
        assert_eq!(visited(&p, 0, 5), [(1, 1), (2, 2)]);
        assert_eq!(visited(&p, 1, 5), [(2, 1)]);
        assert_eq!(visited(&p, 2, 5), []);
        assert_eq!(successors(&p)[2], [None, None]);
    }
}
