//! What the workers of a launch leave in semaphores and mutex: known where control flow depends on nothing but the worker,
//! the number of workers and constants, or where every way through the kernel does the same.
//!
//! ```text
//! if worker == 0 { for 1..num_workers { sema.dec 3 } } else { sema.inc 3 }     3 is left at 0, with any number of workers
//! if worker == 0 { for 1..num_workers { sema.dec 3 } } else { }                3 is left below 0: somebody waits for ever
//! if %loaded { sema.inc 3 } else { }                                           unknown
//! ```

use crate::codes;
use quadra_base::Diagnostic;
use quadra_base::quick::Map;
use quadra_kir::launch::Arithmetic;
use quadra_kir::types::Const;
use quadra_kir::{Block, Inst, Kernel, Op, Value, eval};

/// Semaphores, and behind them the mutex.
const PLACES: usize = 17;
/// The mutex among the places.
const MUTEX: usize = 16;
/// Workers that a launch may have.
const MOST_WORKERS: u32 = 12;
/// Iterations of loops that are followed one by one, per worker.
const PATIENCE: u32 = 4096;

/// By how much each place rises; `None` where that is not known.
type Rise = [Option<i64>; PLACES];

/// What a launch with so many workers leaves: the semaphores 0 to 15, then the mutex. `None` where that is not known; below
/// 0 where somebody waits for ever.
pub fn left(kernel: &Kernel, workers: u32) -> Rise {
    let mut sum: Rise = [Some(0); PLACES];
    for worker in 0..workers {
        let mut walk = Walk { kernel, worker, workers, patience: PATIENCE, known: Map::default() };
        let ways = walk.block(&kernel.body, [Some(0); PLACES]);
        let ended = join(ways.next, join(ways.left, ways.again)).map_or([None; PLACES], |way| way.rise);
        // Over an extent it happens once per group, however many there are.
        let ended = if kernel.over > 0 { ended.map(|n| n.filter(|n| *n == 0)) } else { ended };
        sum = std::array::from_fn(|n| Some(sum[n]? + ended[n]?));
    }
    sum
}

/// Whether the kernel uses semaphores or the mutex at all.
pub fn synchronises(kernel: &Kernel) -> bool {
    kernel.body.any(&mut |inst| place(inst).is_some())
}

/// Whether launches with so many workers are known to leave everything at 0.
pub fn balanced(kernel: &Kernel, workers: u32) -> bool {
    left(kernel, workers).iter().all(|n| *n == Some(0))
}

/// Semaphores that are raised, and a mutex that is held, after every launch, with any number of workers.
pub fn check(kernel: &Kernel) -> Vec<Diagnostic> {
    if !synchronises(kernel) {
        return Vec::new();
    }
    let all: Vec<Rise> = (1..=MOST_WORKERS).map(|workers| left(kernel, workers)).collect();
    let raised = (0..PLACES).filter(|&n| all.iter().all(|rise| rise[n].is_some_and(|n| n > 0)));
    raised.map(|n| unbalanced(kernel, n, all[0][n].unwrap_or_default())).collect()
}

fn unbalanced(kernel: &Kernel, n: usize, value: i64) -> Diagnostic {
    let mut span = None;
    kernel.body.walk(&mut |inst| {
        if matches!(inst.op, Op::SemaInc | Op::MutexLock) && place(inst).is_some_and(|(at, _)| at == n) {
            span = inst.span;
        }
    });
    let what = match n {
        MUTEX => "the mutex is locked and not unlocked".to_string(),
        _ => format!("semaphore {n} is incremented more often than decremented: one worker leaves it at {value}"),
    };
    Diagnostic::error(codes::LEFT, what)
        .at(span.or(kernel.span))
        .note("this holds with every number of workers; on a board the next launches find what is left, and stop")
        .help("decrement as often as you increment, and unlock on every path")
}

/// The place that an operation changes, and by how much.
fn place(inst: &Inst) -> Option<(usize, i64)> {
    match inst.op {
        Op::SemaInc => Some((inst.imm as usize & 15, 1)),
        Op::SemaDec => Some((inst.imm as usize & 15, -1)),
        Op::MutexLock => Some((MUTEX, 1)),
        Op::MutexUnlock => Some((MUTEX, -1)),
        _ => None,
    }
}

/// A way out of a block: what has risen until then, and the values that are passed on.
#[derive(Clone)]
struct Way {
    rise: Rise,
    values: Vec<Option<Const>>,
}

/// The ways out of a block.
#[derive(Default)]
struct Ways {
    /// To what follows it: `yield`, or its end.
    next: Option<Way>,
    /// `break`, `continue` and `return`.
    broken: Option<Way>,
    again: Option<Way>,
    left: Option<Way>,
}

/// Two ways that come together keep what they agree on.
fn join(a: Option<Way>, b: Option<Way>) -> Option<Way> {
    let (mut a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return a.or(b),
    };
    for (a, b) in a.rise.iter_mut().zip(b.rise) {
        *a = a.filter(|_| *a == b);
    }
    for (n, a) in a.values.iter_mut().enumerate() {
        *a = a.filter(|_| b.values.get(n) == Some(a));
    }
    Some(a)
}

impl Ways {
    fn join(self, other: Ways) -> Ways {
        Ways {
            next: join(self.next, other.next),
            broken: join(self.broken, other.broken),
            again: join(self.again, other.again),
            left: join(self.left, other.left),
        }
    }
}

/// One worker's way through the kernel.
struct Walk<'k> {
    kernel: &'k Kernel,
    worker: u32,
    workers: u32,
    patience: u32,
    known: Map<Value, Const>,
}

impl Walk<'_> {
    fn value(&self, v: Value) -> Option<Const> {
        self.kernel.as_const(v).or_else(|| self.known.get(&v).copied())
    }

    fn learn(&mut self, values: &[Value], known: &[Option<Const>]) {
        for (n, v) in values.iter().enumerate() {
            match known.get(n).copied().flatten() {
                Some(c) => self.known.insert(*v, c),
                None => self.known.remove(v),
            };
        }
    }

    fn block(&mut self, block: &Block, mut rise: Rise) -> Ways {
        let mut ways = Ways::default();
        for inst in &block.insts {
            let values = || inst.args.iter().map(|v| self.value(*v)).collect();
            match inst.op {
                Op::Yield => ways.next = join(ways.next, Some(Way { rise, values: values() })),
                Op::Break => ways.broken = join(ways.broken, Some(Way { rise, values: values() })),
                Op::Continue => ways.again = join(ways.again, Some(Way { rise, values: values() })),
                Op::Return => ways.left = join(ways.left, Some(Way { rise, values: Vec::new() })),
                Op::If | Op::For | Op::Loop => {
                    let inner = self.nested(inst, rise);
                    let Some(next) = inner.next else { return ways.join(inner) };
                    rise = next.rise;
                    self.learn(&inst.results, &next.values);
                    ways = ways.join(Ways { next: None, ..inner });
                    continue;
                }
                _ => {
                    self.plain(inst, &mut rise);
                    continue;
                }
            }
            return ways;
        }
        ways.next = join(ways.next, Some(Way { rise, values: Vec::new() }));
        ways
    }

    fn plain(&mut self, inst: &Inst, rise: &mut Rise) {
        if let Some((n, by)) = place(inst) {
            rise[n] = rise[n].map(|sum| sum + by);
        }
        let [result] = inst.results[..] else { return };
        let args: Option<Vec<Const>> = inst.args.iter().map(|v| self.value(*v)).collect();
        let known = match (inst.op, args) {
            (Op::Worker, _) => Some(Const::i32(self.worker as i32)),
            (Op::NumWorkers, _) => Some(Const::i32(self.workers as i32)),
            (op, Some(args)) => eval::constants(op, &args, Arithmetic::TowardZero),
            _ => None,
        };
        self.learn(&[result], &[known]);
    }

    fn nested(&mut self, inst: &Inst, rise: Rise) -> Ways {
        match inst.op {
            Op::If => match self.value(inst.args[0]) {
                Some(c) => self.block(&inst.regions[usize::from(c.bits == 0)], rise),
                None => {
                    let before = self.known.clone();
                    let then = self.block(&inst.regions[0], rise);
                    self.known = before;
                    then.join(self.block(&inst.regions[1], rise))
                }
            },
            _ => self.in_steps(inst, rise).unwrap_or_else(|| self.at_once(inst, rise)),
        }
    }

    /// A loop, one iteration after the other; `None` if it cannot be told which iteration is the last.
    fn in_steps(&mut self, inst: &Inst, mut rise: Rise) -> Option<Ways> {
        let body = &inst.regions[0];
        let counted = inst.op == Op::For;
        let (mut counter, end, step) = match counted {
            true => {
                let of = |n: usize| Some(i64::from(self.value(inst.args[n])?.as_i32()?));
                (of(0)?, of(1)?, of(2)?)
            }
            false => (0, 1, 0),
        };
        if counted && step <= 0 {
            return None;
        }
        let mut carried: Vec<Option<Const>> = inst.carried().iter().map(|v| self.value(*v)).collect();
        while counter < end {
            self.patience = self.patience.checked_sub(1)?;
            let mut values = Vec::new();
            if counted {
                values.push(Some(Const::i32(counter as i32)));
            }
            values.extend(carried);
            self.learn(&body.params, &values);
            let ways = self.block(body, rise);
            let again = join(ways.next, ways.again);
            match (again, ways.broken, ways.left) {
                (Some(way), None, None) => (rise, carried) = (way.rise, way.values),
                (None, Some(way), None) => return Some(Ways { next: Some(way), ..Ways::default() }),
                (None, None, left) => return Some(Ways { left, ..Ways::default() }),
                _ => return None,
            }
            counter += step;
        }
        Some(Ways { next: Some(Way { rise, values: carried }), ..Ways::default() })
    }

    /// A loop of unknown length: only places that an iteration leaves as they are stay known.
    fn at_once(&mut self, inst: &Inst, rise: Rise) -> Ways {
        let body = &inst.regions[0];
        // Within the body nothing is known of what earlier iterations gave.
        self.learn(&body.params, &[]);
        let ways = self.block(body, [Some(0); PLACES]);
        let iteration = join(ways.next, ways.again).map_or([Some(0); PLACES], |way| way.rise);
        let before: Rise = std::array::from_fn(|n| rise[n].filter(|_| iteration[n] == Some(0)));
        let behind = |way: Option<Way>| {
            way.map(|way| Way {
                rise: std::array::from_fn(|n| Some(before[n]? + way.rise[n]?)),
                values: vec![None; way.values.len()],
            })
        };
        let done = (inst.op == Op::For).then(|| Way { rise: before, values: vec![None; inst.results.len()] });
        Ways { next: join(done, behind(ways.broken)), left: behind(ways.left), ..Ways::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    fn kernel(body: &str) -> Kernel {
        let text = format!(
            "kernel @k(%p: buf<i32, r>, %n: i32) simt group=16 concurrent {{
            %w = worker %all = num_workers %first = cmp.eq %w, 0 %loaded = cmp.lt %n, 3 {body} }}"
        );
        parse::kernel("t.kir", &text).expect("the test's kernel parses")
    }

    fn of(body: &str, workers: u32) -> [Option<i64>; 2] {
        let rise = left(&kernel(body), workers);
        [rise[3], rise[MUTEX]]
    }

    #[test]
    fn workers_that_collect_signals_leave_nothing() {
        let collect = "if %first { for %i in 1..%all { sema.dec 3 } } else { sema.inc 3 }";
        assert!((1..=12).all(|workers| balanced(&kernel(collect), workers)));
        let twice = "if %first { for %i in 1..%all { sema.dec 3 sema.dec 3 } } else { sema.inc 3 }";
        assert_eq!(of(twice, 4), [Some(-3), Some(0)]);
        let ring = "if %first {} else { sema.dec 3 } %last = sub %all, 1 %c = cmp.eq %w, %last
            if %c {} else { sema.inc 3 }";
        assert!((1..=12).all(|workers| balanced(&kernel(ring), workers)));
    }

    #[test]
    fn what_depends_on_data_is_known_only_if_all_ways_agree() {
        assert_eq!(of("if %loaded { sema.inc 3 } else {}", 2), [None, Some(0)]);
        assert_eq!(of("if %loaded { sema.inc 3 } else { sema.inc 3 }", 2), [Some(2), Some(0)]);
        assert_eq!(of("for %i in 0..%n { mutex.lock mutex.unlock }", 3), [Some(0), Some(0)]);
        assert_eq!(of("for %i in 0..%n { sema.inc 3 }", 1), [None, Some(0)]);
        assert_eq!(of("mutex.lock if %loaded { return } else {} mutex.unlock", 1), [Some(0), None]);
        assert_eq!(of("loop { if %loaded { break } else {} mutex.lock mutex.unlock } sema.inc 3", 1)[0], Some(1));
        assert_eq!(of("loop { mutex.lock if %loaded { break } else {} mutex.unlock }", 1)[1], Some(1));
    }

    #[test]
    fn what_is_always_left_is_an_error() {
        let found = |body: &str| check(&kernel(body)).iter().map(|d| d.message.clone()).collect::<Vec<_>>();
        assert!(found("sema.inc 3")[0].contains("semaphore 3 is incremented more often"));
        assert!(found("mutex.lock")[0].contains("the mutex is locked"));
        assert!(found("if %first { sema.dec 3 } else {}").is_empty(), "that is a deadlock, found when it happens");
        assert!(found("if %first {} else { sema.inc 3 }").is_empty(), "one worker is right");
        assert!(found("%x = load %p[0] for %i in 0..5 { sema.inc 3 sema.dec 3 }").is_empty());
    }
}
