//! Proves that requests and receives match, whatever way a kernel takes.
//!
//! * Needs: a kernel without variables.
//! * Gives: at every place the number of waiting requests is known and at most what the queue holds; none is left at the end.
//! * Keeps: the kernel; it only looks.
//!
//! The machine stops for ever when it waits for a lookup that was never requested, or requests more than the queue holds, so
//! a kernel that might do so is refused here, where its source lines are still at hand. It runs behind `fold`, which
//! removes branches that are never taken.
//!
//! ```kir
//! kernel @f(%p: buf<i32, r>, %n: i32) simt group=16 over=0 {
//!   for %k in 0..%n { tmu.request %p[%k] }
//! }
//! ; error: E0422 an iteration of this loop starts and ends with 0 and with 1 requests waiting
//! ```

use crate::pass::{Facts, Pass, PassCx};
use quadra_base::{Diagnostic, Span};
use quadra_kir::{Block, Inst, Kernel, Op};

/// The pass.
pub const PASS: Pass = Pass {
    name: "fifo",
    about: "proves that requests and receives match",
    needs: Facts::VALUES,
    gives: Facts::NONE,
    run: pass,
};

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    check(kernel, cx.caps.request_queue.unwrap_or(4))
}

/// Checks `kernel` for a queue of `depth` requests.
///
/// # Errors
/// `E0420` too many requests, `E0421` a receive without a request, `E0422` ways that differ, `E0423` requests left over.
pub fn check(kernel: &Kernel, depth: u32) -> Result<(), Vec<Diagnostic>> {
    if !kernel.body.any(&mut |i| matches!(i.op, Op::TmuRequest | Op::TmuReceive)) {
        return Ok(());
    }
    let mut q = Queue { depth: depth as i64, last: None, errors: Vec::new() };
    q.block(&kernel.body, Some(0), &mut Ways::default());
    if q.errors.is_empty() { Ok(()) } else { Err(q.errors) }
}

/// Requests waiting at a place; `None` where nothing gets.
type Waiting = Option<i64>;

/// How the innermost loop's exits found the queue.
#[derive(Default)]
struct Ways {
    start: i64,
    leave: Waiting,
}

struct Queue {
    depth: i64,
    /// The newest request.
    last: Option<Span>,
    errors: Vec<Diagnostic>,
}

impl Queue {
    fn error(&mut self, d: Diagnostic) {
        // One cause makes many findings: the first tells it.
        if self.errors.is_empty() {
            self.errors.push(d);
        }
    }

    fn block(&mut self, block: &Block, mut waiting: Waiting, ways: &mut Ways) -> Waiting {
        for inst in &block.insts {
            waiting = self.inst(inst, waiting?, ways);
        }
        waiting
    }

    fn inst(&mut self, inst: &Inst, n: i64, ways: &mut Ways) -> Waiting {
        match inst.op {
            Op::TmuRequest => {
                self.last = inst.span;
                if n == self.depth {
                    let text = format!("{} requests wait already, the queue holds no more", self.depth);
                    let help = "receive an earlier gather before this one";
                    self.error(Diagnostic::error("E0420", text).at(inst.span).help(help));
                }
                Some((n + 1).min(self.depth))
            }
            Op::TmuReceive => {
                if n == 0 {
                    let d = Diagnostic::error("E0421", "nothing has been requested that could be received here");
                    self.error(d.at(inst.span).help("every receive needs a gather before it"));
                }
                Some((n - 1).max(0))
            }
            Op::If => {
                let arms: Vec<Waiting> = inst.regions.iter().map(|r| self.block(r, Some(n), ways)).collect();
                self.join(arms[0], arms[1], inst.span, "the arms of this `if` end with")
            }
            Op::For | Op::Loop => self.repeat(inst, n),
            Op::Break => {
                ways.leave = self.join(ways.leave, Some(n), inst.span, "the exits of this loop find");
                None
            }
            Op::Continue => {
                self.join(Some(ways.start), Some(n), inst.span, "an iteration of this loop starts and ends with");
                None
            }
            Op::Return => {
                if n > 0 {
                    let text = format!("{} at the end of the kernel", requests(n));
                    let d = Diagnostic::error("E0423", text).at(self.last.or(inst.span));
                    self.error(d.help("receive it, also after the last iteration of a loop that requests ahead"));
                }
                None
            }
            _ => Some(n),
        }
    }

    fn join(&mut self, a: Waiting, b: Waiting, span: Option<Span>, what: &str) -> Waiting {
        match (a, b) {
            (Some(x), Some(y)) if x != y => {
                let text = format!("{what} {x} and with {y} requests waiting");
                let help = "request and receive as often on every way";
                self.error(Diagnostic::error("E0422", text).at(span).help(help));
                Some(x)
            }
            (Some(x), _) | (None, Some(x)) => Some(x),
            (None, None) => None,
        }
    }

    fn repeat(&mut self, inst: &Inst, n: i64) -> Waiting {
        let mut ways = Ways { start: n, leave: if inst.op == Op::For { Some(n) } else { None } };
        let body = &inst.regions[0];
        let end = self.block(body, Some(n), &mut ways);
        // A `for` goes on after its `yield`.
        self.join(Some(n), end, inst.span, "an iteration of this loop starts and ends with");
        ways.leave
    }
}

fn requests(n: i64) -> String {
    if n == 1 { "1 request is left".into() } else { format!("{n} requests are left") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    fn code(body: &str) -> Option<&'static str> {
        let text = format!(
            "kernel @k(%p: buf<i32, r>, %n: i32) simt group=16 over=0 {{\n%l = lane\n%c = cmp.lt %n, 3\n{body}\n}}"
        );
        let k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        check(&k, 4).err().map(|e| e[0].code)
    }

    #[test]
    fn a_request_ahead_of_a_loop_is_fine() {
        let body = "tmu.request %p[%l]
            for %i in 0..%n { tmu.request %p[%l] %a = tmu.receive i32 }
            %b = tmu.receive i32";
        assert_eq!(code(body), None);
    }

    #[test]
    fn every_imbalance_has_its_code() {
        let request = "tmu.request %p[%l]\n";
        assert_eq!(code(&request.repeat(5)), Some("E0420"));
        assert_eq!(code("%a = tmu.receive i32"), Some("E0421"));
        assert_eq!(code("if %c { tmu.request %p[%l] } else { }"), Some("E0422"));
        assert_eq!(code("for %i in 0..%n { tmu.request %p[%l] }"), Some("E0422"));
        assert_eq!(
            code("loop () { tmu.request %p[%l] if %c { break } else { } %a = tmu.receive i32 continue }"),
            Some("E0423")
        );
        assert_eq!(code(request), Some("E0423"));
    }
}
