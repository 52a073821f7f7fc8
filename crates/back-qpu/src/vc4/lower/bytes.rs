//! Sums and differences of bytes that saturate: one operation, and on either ALU.
//!
//! ```text
//! %s = add %a, %b   %t = min %s, 255   ⟶   v8adds t, a, b
//! %d = sub %a, %b   %t = max %d, 0     ⟶   v8subs t, a, b
//! ```
//! The operations work on the four bytes of a word (VideoCore IV guide p. 31). Where both operands are known to lie between 0
//! and 255, three of the four are zero and stay so. The mul ALU does them, which has less to do wherever there are bytes.

use kir::{Block, Elem, Inst, Kernel, Op, Value};
use quadra_base::quick::Map;
use quadra_isa::vc4::MulOp;
use quadra_kir as kir;
use quadra_passes::analysis::range::Range;

/// A sum or difference that saturates.
#[derive(Clone, Copy)]
pub struct Saturating {
    pub op: MulOp,
    pub a: Value,
    pub b: Other,
}

/// The second operand.
#[derive(Clone, Copy)]
pub enum Other {
    Value(Value),
    /// What was added as a negative number.
    Number(i32),
}

/// The greatest byte.
const MOST: i64 = 255;

/// The saturating sums and differences of bytes in a kernel, by their results, in launches on at most so many workers.
pub fn saturating(kernel: &Kernel, most_workers: u32) -> Map<Value, Saturating> {
    let mut found = Map::default();
    block(kernel, &kernel.body, &mut found);
    if found.is_empty() {
        return found;
    }
    let range = Range::with_workers(kernel, i64::from(most_workers));
    let byte = |v: Value| range.bounds(kernel, v).within(0, MOST);
    found.retain(|_, s| {
        byte(s.a)
            && match s.b {
                Other::Value(b) => byte(b),
                Other::Number(n) => (0..=MOST).contains(&i64::from(n)),
            }
    });
    found
}

/// What is cut off at the end of the bytes. Both operations belong to one stretch of instructions: there the operands of the
/// first are at hand where the second stands.
fn block(kernel: &Kernel, b: &Block, found: &mut Map<Value, Saturating>) {
    let mut sums: Map<Value, &Inst> = Map::default();
    for inst in &b.insts {
        if !inst.regions.is_empty() {
            sums.clear();
            inst.regions.iter().for_each(|r| block(kernel, r, found));
            continue;
        }
        let [result] = inst.results[..] else { continue };
        if kernel.ty(result).elem != Elem::I32 {
            continue;
        }
        match inst.op {
            Op::Add | Op::Sub => {
                sums.insert(result, inst);
            }
            Op::Min | Op::MinU | Op::Max => {
                let (x, limit) = match inst.args[..] {
                    [x, y] if kernel.as_i32(y).is_some() => (x, kernel.as_i32(y)),
                    [x, y] => (y, kernel.as_i32(x)),
                    _ => continue,
                };
                let Some(sum) = sums.get(&x) else { continue };
                let (a, b) = (sum.args[0], sum.args[1]);
                let saturating = match (inst.op, limit, sum.op, kernel.as_i32(b)) {
                    (Op::Min | Op::MinU, Some(255), Op::Add, _) => (MulOp::V8adds, Other::Value(b)),
                    (Op::Max, Some(0), Op::Sub, _) => (MulOp::V8subs, Other::Value(b)),
                    (Op::Max, Some(0), Op::Add, Some(n @ ..0)) => (MulOp::V8subs, Other::Number(n.wrapping_neg())),
                    _ => continue,
                };
                found.insert(result, Saturating { op: saturating.0, a, b: saturating.1 });
            }
            _ => {}
        }
    }
}
