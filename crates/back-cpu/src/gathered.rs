//! Atomic operations on memory of a group, moved to the next ones: what stands between does not wait for them, and what was read before
//! them holds behind them, too.
//!
//! Nobody but the group sees such memory, and the kernel reads other memory in between, so an operation may come later as long as nothing
//! in between looks at its buffer or leaves the block. A test in between may fail before the operation is made: then the group's memory is
//! gone with the launch.
//!
//! ```kir
//! %k = load.row %label[%i]  atomic.add.inside %sums[%k], %x    %l = load.row %label[%i]  atomic.add.inside %many[%l], 1    ; before
//! ```
//! ```kir
//! %k = load.row %label[%i]  %l = load.row %label[%i]    atomic.add.inside %sums[%k], %x  atomic.add.inside %many[%l], 1    ; after
//! ```

use quadra_kir::{Block, Inst, Kernel, Mode, Op, Space, eval};

/// Moves them; says whether there were any.
pub(crate) fn run(kernel: &mut Kernel) -> bool {
    if kernel.shared().next().is_none() {
        return false;
    }
    let mut moved = false;
    kernel.rewrite(|kernel, body| block(kernel, body, &mut moved));
    moved
}

fn block(kernel: &Kernel, b: &mut Block, moved: &mut bool) {
    b.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| block(kernel, r, moved));
    // From the last one on, so that those that have come together stay so.
    for at in (0..b.insts.len()).rev() {
        if gathers(kernel, &b.insts[at])
            && let Some(to) = next(kernel, &b.insts, at)
            && to > at + 1
        {
            // It comes to stand in front of the next one.
            b.insts[at..to].rotate_left(1);
            *moved = true;
        }
    }
}

/// Whether an instruction is an operation that nobody waits for and that cannot fail.
fn gathers(kernel: &Kernel, inst: &Inst) -> bool {
    let shared = inst.buf.is_some_and(|b| kernel.bufs[b].space == Space::Shared);
    inst.op.is_atomic() && shared && inst.mask.is_none() && inst.mode == Mode::Inside && inst.results.is_empty()
}

/// The place of the next such operation, if this one may come to stand in front of it.
fn next(kernel: &Kernel, insts: &[Inst], at: usize) -> Option<usize> {
    for (n, inst) in insts.iter().enumerate().skip(at + 1) {
        if gathers(kernel, inst) {
            return Some(n);
        }
        let loads = matches!(inst.op, Op::Load | Op::LoadRow) && inst.buf != insts[at].buf && inst.mode == Mode::Inside;
        if !loads && !eval::is_lanewise(inst.op) && inst.op != Op::Assert {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mnemonics of a kernel's loop.
    fn order(body: &str) -> String {
        let text = format!(
            "kernel @k(%a: buf<i32, r>, %b: buf<i32, rw>, %s: shared<i32, 64>, %t: shared<i32, 64>) simd group=16 over=1 {{
                %g = group 0 %i = shl %g, 4 %k = load.row.inside %a[%i] {body}
                %r = load.row.inside %s[0] store.row %b[%i], %r
            }}"
        );
        let mut kernel =
            quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        run(&mut kernel);
        assert!(quadra_kir::check::kernel(&kernel).is_empty());
        kernel.body.insts[3..].iter().map(|i| i.op.mnemonic()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operations_on_memory_of_a_group_come_together() {
        let two = "atomic.add.inside %s[%k], 1 %x = load.row.inside %a[%i] %y = shl %x, 1 atomic.add.inside %t[%y], 2";
        assert!(order(two).starts_with("load.row shl atomic.add atomic.add load.row"), "{}", order(two));
        let three = format!("{two} %c = cmp.lt.u %x, 64 assert \"outside\", %c atomic.add.inside %s[%x], 3");
        let found = order(&three);
        assert!(found.starts_with("load.row shl cmp.lt.u assert atomic.add atomic.add atomic.add"), "{found}");
        for stays in [
            two.replace("load.row.inside %a", "load.row.inside %s"),
            two.replace("%x = load.row.inside %a[%i]", "store.row %b[%i], %k %x = load.row.inside %a[%i]"),
            two.replace("atomic.add.inside %s", "atomic.add %s"),
        ] {
            assert!(order(&stays).starts_with("atomic.add "), "{}", order(&stays));
        }
    }
}
