//! Live ranges of virtual registers.
//!
//! Instruction `p` of the program (counted over all blocks, terminators included) reads at time `2p` and writes at
//! `2p + 1`. A range is a half-open interval of times in which the register's value is still needed; an instruction may
//! therefore write a register whose old value it is the last to read.

use super::code::Code;
use super::isa::{Instruction, Isa};
use super::registers::Reg;
use smallvec::SmallVec;

/// Sorted, disjoint intervals; most values have one.
pub type Ranges = SmallVec<[(u32, u32); 2]>;

/// The live ranges of a program.
pub struct Liveness {
    /// Per virtual register.
    pub ranges: Vec<Ranges>,
    /// Number of each block's first instruction.
    pub starts: Vec<u32>,
}

/// Computes the live ranges.
pub fn compute<I: Isa>(code: &Code<I>) -> Liveness {
    let words = code.virt.len().div_ceil(64);
    let n = code.blocks.len();
    let (mut gen_, mut kill) = (vec![vec![0u64; words]; n], vec![vec![0u64; words]; n]);
    let bit = |v: u32| (v as usize / 64, 1u64 << (v % 64));
    for (b, block) in code.blocks.iter().enumerate() {
        for inst in &block.insts {
            code.for_each_use(inst, |r| {
                if let Some(v) = r.virt() {
                    let (w, m) = bit(v);
                    if kill[b][w] & m == 0 {
                        gen_[b][w] |= m;
                    }
                }
            });
            if let Some(v) = inst.def().and_then(Reg::virt) {
                let (w, m) = bit(v);
                kill[b][w] |= m;
            }
        }
    }
    let live_in = solve(code, gen_, &kill);
    let mut starts = Vec::with_capacity(n + 1);
    let mut next = 0;
    for block in &code.blocks {
        starts.push(next);
        next += block.insts.len() as u32 + 1;
    }
    starts.push(next);
    Liveness { ranges: ranges(code, &live_in, &starts), starts }
}

fn solve<I: Isa>(code: &Code<I>, gen_: Vec<Vec<u64>>, kill: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut live_in = gen_;
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..code.blocks.len()).rev() {
            for t in code.blocks[b].term.targets() {
                if t == b {
                    continue;
                }
                let [here, there] = live_in.get_disjoint_mut([b, t]).expect("two blocks");
                for ((h, t), k) in here.iter_mut().zip(there.iter()).zip(&kill[b]) {
                    let new = *h | *t & !k;
                    changed |= new != *h;
                    *h = new;
                }
            }
        }
    }
    live_in
}

fn ranges<I: Isa>(code: &Code<I>, live_in: &[Vec<u64>], starts: &[u32]) -> Vec<Ranges> {
    let mut out: Vec<Ranges> = vec![Ranges::new(); code.virt.len()];
    // The end of the range that is open at the current place, going backwards; 0 for none.
    let mut open = vec![0u32; code.virt.len()];
    let mut touched: Vec<u32> = Vec::new();
    for b in (0..code.blocks.len()).rev() {
        let block = &code.blocks[b];
        let end = 2 * starts[b + 1];
        for t in block.term.targets() {
            for (w, &bits) in live_in[t].iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let v = w as u32 * 64 + bits.trailing_zeros();
                    bits &= bits - 1;
                    if open[v as usize] == 0 {
                        open[v as usize] = end;
                        touched.push(v);
                    }
                }
            }
        }
        for (i, inst) in block.insts.iter().enumerate().rev() {
            let p = starts[b] + i as u32;
            if let Some(v) = inst.def().and_then(Reg::virt) {
                let o = &mut open[v as usize];
                if !inst.keeps_destination() {
                    out[v as usize].push((2 * p + 1, if *o == 0 { 2 * p + 2 } else { *o }));
                    *o = 0;
                } else if *o == 0 {
                    *o = 2 * p + 2;
                    touched.push(v);
                }
            }
            code.for_each_use(inst, |r| {
                if let Some(v) = r.virt()
                    && open[v as usize] == 0
                {
                    open[v as usize] = 2 * p + 1;
                    touched.push(v);
                }
            });
        }
        for v in touched.drain(..) {
            let o = std::mem::take(&mut open[v as usize]);
            if o != 0 {
                out[v as usize].push((2 * starts[b], o));
            }
        }
    }
    for r in &mut out {
        // They were found backwards.
        r.reverse();
        join(r);
    }
    out
}

/// Joins sorted intervals that touch.
fn join(ranges: &mut Ranges) {
    if ranges.len() < 2 {
        return;
    }
    ranges.dedup_by(|next, last| {
        let touches = next.0 <= last.1;
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
}

/// Whether two sets of intervals share a time.
pub fn overlap(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].1 <= b[j].0 {
            i += 1;
        } else if b[j].1 <= a[i].0 {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

/// All times of two sets of intervals, neighbouring intervals joined.
pub fn union(a: &[(u32, u32)], b: &[(u32, u32)]) -> Ranges {
    let mut all: Ranges = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    join(&mut all);
    all
}

/// Sum of the lengths.
pub fn length(ranges: &[(u32, u32)]) -> u32 {
    ranges.iter().map(|(s, e)| e - s).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_overlap() {
        assert!(!overlap(&[(0, 3), (8, 9)], &[(3, 8)]));
        assert!(overlap(&[(0, 3), (8, 9)], &[(8, 10)]));
        assert_eq!(union(&[(0, 3), (8, 9)], &[(3, 5)])[..], [(0, 5), (8, 9)]);
    }
}
