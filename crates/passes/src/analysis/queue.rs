//! The queue's contents at every place, where they do not depend on the way taken: which buffer each receive reads from, and
//! which loads happen while requests wait.

use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Buf, Inst, Kernel, Op, Value};

/// What is known of the queue of a kernel.
#[derive(Debug, Default)]
pub struct Queue {
    /// The buffer that each `tmu.receive` gets its vector from, by its result.
    pub sources: Map<Value, Buf>,
    /// Buffers that plain loads read while requests wait.
    pub loaded_between: Set<Buf>,
}

impl Queue {
    /// Follows the queue; `None` if some place is reached with different buffers waiting.
    pub fn of(kernel: &Kernel) -> Option<Queue> {
        let mut q = Queue::default();
        q.block(&kernel.body, Some(Vec::new()), &mut Ways::default()).ok()?;
        Some(q)
    }
}

/// The buffers that wait, oldest first; `None` where nothing gets.
type Waiting = Option<Vec<Buf>>;

/// Two ways meet with different queues.
struct Differs;

/// How the innermost loop starts and is left.
#[derive(Default)]
struct Ways {
    start: Vec<Buf>,
    leave: Waiting,
}

fn join(a: Waiting, b: Waiting) -> Result<Waiting, Differs> {
    match (a, b) {
        (Some(x), Some(y)) if x != y => Err(Differs),
        (a, b) => Ok(a.or(b)),
    }
}

impl Queue {
    fn block(&mut self, block: &Block, mut waiting: Waiting, ways: &mut Ways) -> Result<Waiting, Differs> {
        for inst in &block.insts {
            let Some(queue) = waiting else { return Ok(None) };
            waiting = self.inst(inst, queue, ways)?;
        }
        Ok(waiting)
    }

    fn inst(&mut self, inst: &Inst, mut queue: Vec<Buf>, ways: &mut Ways) -> Result<Waiting, Differs> {
        match inst.op {
            Op::TmuRequest => queue.push(inst.buf.ok_or(Differs)?),
            Op::TmuReceive => {
                if queue.is_empty() {
                    return Err(Differs);
                }
                self.sources.insert(inst.result(), queue.remove(0));
            }
            Op::Load | Op::LoadRow if !queue.is_empty() => {
                self.loaded_between.insert(inst.buf.ok_or(Differs)?);
            }
            Op::If => {
                let then = self.block(&inst.regions[0], Some(queue.clone()), ways)?;
                let other = self.block(&inst.regions[1], Some(queue), ways)?;
                return join(then, other);
            }
            Op::For | Op::Loop => {
                let leave = (inst.op == Op::For).then(|| queue.clone());
                let mut inner = Ways { start: queue.clone(), leave };
                let end = self.block(&inst.regions[0], Some(queue.clone()), &mut inner)?;
                join(Some(queue), end)?;
                return Ok(inner.leave);
            }
            Op::Break => {
                ways.leave = join(ways.leave.take(), Some(queue))?;
                return Ok(None);
            }
            Op::Continue => {
                join(Some(ways.start.clone()), Some(queue))?;
                return Ok(None);
            }
            Op::Return => return Ok(None),
            _ => {}
        }
        Ok(Some(queue))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    fn of(body: &str) -> Option<Vec<usize>> {
        let text = format!(
            "kernel @k(%p: buf<i32, r>, %q: buf<i32, r>, %n: i32) simd group=16 over=0 {{\n%l = lane\n%c = cmp.lt %n, 3\n{body}\n}}"
        );
        let k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        let mut found: Vec<(Value, Buf)> = Queue::of(&k)?.sources.into_iter().collect();
        found.sort_by_key(|(v, _)| v.index());
        Some(found.into_iter().map(|(_, b)| b.index()).collect())
    }

    #[test]
    fn a_loop_that_asks_ahead_keeps_the_order_of_its_buffers() {
        let body = "tmu.request %p[%l] tmu.request %q[%l]
            for %i in 0..%n {
                %a = tmu.receive <i32> tmu.request %p[%l] %b = tmu.receive <i32> tmu.request %q[%l]
            }
            %d = tmu.receive <i32> %e = tmu.receive <i32>";
        assert_eq!(of(body), Some(vec![0, 1, 0, 1]));
    }

    #[test]
    fn loads_between_a_request_and_its_receive_are_known() {
        let text = "kernel @k(%p: buf<i32, r>, %q: buf<i32, r>) simd group=16 over=0 {
            %l = lane
            %a = load %p[%l]
            tmu.request %p[%l]
            %b = load %q[%l]
            %c = tmu.receive <i32>
        }";
        let k = parse::kernel("t.kir", text).expect("the test's kernel parses");
        let between: Vec<usize> = Queue::of(&k).unwrap().loaded_between.iter().map(|b| b.index()).collect();
        assert_eq!(between, [1]);
    }

    #[test]
    fn ways_that_differ_are_not_followed() {
        let arms = "if %c { tmu.request %p[%l] } else { tmu.request %q[%l] } %a = tmu.receive <i32>";
        assert_eq!(of(arms), None);
        let turns = "tmu.request %p[%l] tmu.request %q[%l]
            for %i in 0..%n { %a = tmu.receive <i32> tmu.request %p[%l] }
            %d = tmu.receive <i32> %e = tmu.receive <i32>";
        assert_eq!(of(turns), None, "the second iteration finds q at the head");
        let left = "tmu.request %p[%l]
            loop () { %a = tmu.receive <i32> tmu.request %q[%l] if %c { break } else { } %b = tmu.receive <i32> tmu.request %p[%l] continue }
            %d = tmu.receive <i32>";
        assert_eq!(of(left), Some(vec![0, 1, 1]));
    }
}
