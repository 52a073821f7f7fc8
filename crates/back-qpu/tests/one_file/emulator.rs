//! Runs programs of the second instruction set, and stops at whatever the machine would get wrong.

use super::{Branch, ports};
use super::{Bundle, Cond, Dst, OneFile, Op, Oper, Src};
use quadra_back_qpu::machine::code::Code;
use quadra_back_qpu::machine::registers::Reg;
use quadra_back_qpu::machine::schedule::Slot;
use quadra_kir as kir;
use std::collections::VecDeque;

type Vector = [u32; 16];

/// A word of a program.
pub enum Word {
    Bundle(Bundle),
    Branch(Branch, usize),
}

/// The words of scheduled blocks.
pub fn layout(code: &Code<OneFile>, blocks: &[Vec<Slot<OneFile>>]) -> Vec<Word> {
    assert_eq!(code.blocks.len(), blocks.len());
    let starts: Vec<usize> = (0..blocks.len()).map(|b| blocks[..b].iter().map(Vec::len).sum()).collect();
    let word = |slot: &Slot<OneFile>| match slot {
        Slot::Op { bundle, .. } => Word::Bundle(*bundle),
        Slot::Branch { cond, to, skip, .. } => Word::Branch(*cond, starts[*to] + skip),
    };
    blocks.iter().flatten().map(word).collect()
}

struct Machine<'a> {
    registers: [Vector; 64],
    /// The register that the last instruction's signal writes: not to be read yet.
    late: Option<Reg>,
    flags: [bool; 16],
    queue: VecDeque<Vector>,
    store: Option<Vector>,
    rows: Vec<Vector>,
    memory: &'a mut [u32],
    /// Words that may be asked for; the others may be stored to.
    readable: usize,
    parameters: &'a [u32],
}

/// Runs a program on `memory`, of which the first `readable` words are only read; gives the instructions that ran.
///
/// # Errors
/// What the program does that the machine cannot, and where.
pub fn run(program: &[Word], memory: &mut [u32], readable: usize, parameters: &[u32]) -> Result<usize, String> {
    let registers = std::array::from_fn(|r| std::array::from_fn(|lane| 0x5eed_0000 + (r * 16 + lane) as u32));
    let (late, flags, queue, store, rows) = (None, [false; 16], VecDeque::new(), None, vec![[0x0bad_0bad; 16]; 256]);
    let mut m = Machine { registers, late, flags, queue, store, rows, memory, readable, parameters };
    let mut at = 0;
    // Where a branch that has been taken goes, and how many instructions run before that.
    let mut branch: Option<(usize, usize)> = None;
    for steps in 0..2_000_000 {
        let place = |what: String| format!("instruction {at}: {what}");
        match program.get(at).ok_or_else(|| place("behind the program".into()))? {
            Word::Bundle(Bundle { end: true, .. }) => {
                let left = !m.queue.is_empty() || m.store.is_some() || branch.is_some();
                return if left { Err(place("something is left open".into())) } else { Ok(steps) };
            }
            Word::Bundle(bundle) => m.step(bundle).map_err(place)?,
            Word::Branch(cond, to) => {
                m.late = None;
                let any = m.flags.contains(&true);
                let taken = match cond {
                    Branch::Always => true,
                    Branch::AnySet => any,
                    Branch::NoneSet => !any,
                };
                if branch.is_some() {
                    return Err(place("a branch in a delay slot".into()));
                }
                branch = taken.then_some((*to, 4));
            }
        }
        at += 1;
        if let Some((to, left)) = &mut branch {
            *left -= 1;
            if *left == 0 {
                at = *to;
                branch = None;
            }
        }
    }
    Err("it does not end".into())
}

impl Machine<'_> {
    fn step(&mut self, bundle: &Bundle) -> Result<(), String> {
        self.check(bundle)?;
        let flags = self.flags;
        let mut results = Vec::new();
        for op in bundle.ops() {
            results.push((*op, self.compute(op)?));
        }
        for (op, result) in &results {
            self.write(op, *result, flags)?;
        }
        self.late = bundle.ops[2].and_then(|op| if let Dst::Reg(r) = op.dst { Some(r) } else { None });
        Ok(())
    }

    /// Units, ports and what may not stand in one instruction; that nothing is read too early.
    fn check(&self, bundle: &Bundle) -> Result<(), String> {
        let signal = |op: &Op| matches!(op.oper, Oper::Result | Oper::Parameter(_) | Oper::LoadRow(_));
        let units = bundle.ops[..2].iter().flatten().any(signal) || bundle.ops[2].is_some_and(|op| !signal(&op));
        let small = bundle.ops().flat_map(|op| op.src).flatten().any(|s| matches!(s, Src::Small(_)));
        let early = self.late.is_some_and(|r| bundle.ops().any(|op| op.src.contains(&Some(Src::Reg(r)))));
        let written: Vec<Dst> = bundle.ops().map(|op| op.dst).filter(|d| *d != Dst::None).collect();
        let twice = (1..written.len()).any(|i| written[..i].contains(&written[i]));
        let faults = [
            (units, "an operation on a unit that cannot do it"),
            (ports(bundle.ops()) > 2, "more than two reads"),
            (small && bundle.ops[2].is_some(), "a constant beside a signal"),
            (early, "a register is read too early"),
            (twice, "two results for one place"),
        ];
        faults.iter().find(|f| f.0).map_or(Ok(()), |f| Err(f.1.to_string()))
    }

    fn read(&self, s: Src) -> Result<Vector, String> {
        match s {
            Src::Reg(Reg::Phys(n)) => Ok(self.registers[usize::from(n)]),
            Src::Reg(Reg::Virt(_)) => Err("a virtual register".into()),
            Src::Small(n) => Ok([n as u32; 16]),
            Src::Lane => Ok(std::array::from_fn(|lane| lane as u32)),
        }
    }

    fn compute(&mut self, op: &Op) -> Result<Vector, String> {
        let operands: Vec<Vector> = op.src.iter().flatten().map(|s| self.read(*s)).collect::<Result<_, _>>()?;
        let first = operands.first().copied().unwrap_or_default();
        Ok(match op.oper {
            Oper::Compute(what, elem) => std::array::from_fn(|lane| {
                let args: Vec<u64> = operands.iter().map(|v| v[lane].into()).collect();
                kir::eval::lane(what, elem, &args, kir::Arithmetic::TowardZero) as u32
            }),
            Oper::Mov => first,
            Oper::Constant(bits) => [bits; 16],
            Oper::Result => self.queue.pop_front().ok_or("no request waits")?,
            Oper::Parameter(n) => [self.parameters[n]; 16],
            Oper::LoadRow(row) => self.rows[row as usize],
            Oper::StoreRow(row) => {
                self.rows[row as usize] = first;
                first
            }
        })
    }

    fn write(&mut self, op: &Op, result: Vector, flags: [bool; 16]) -> Result<(), String> {
        let live = flags.map(|f| match op.cond {
            Cond::Always => true,
            Cond::Set => f,
            Cond::Clear => !f,
        });
        if op.flags {
            self.flags = result.map(|x| x != 0);
        }
        match op.dst {
            Dst::None => {}
            Dst::Reg(Reg::Virt(_)) => return Err("a virtual register".into()),
            Dst::Reg(Reg::Phys(n)) => {
                let old = &mut self.registers[usize::from(n)];
                *old = std::array::from_fn(|lane| if live[lane] { result[lane] } else { old[lane] });
            }
            Dst::Request => {
                let readable = &self.memory[..self.readable];
                let word = |a: u32| readable.get(a as usize).copied().ok_or(format!("a request at {a}"));
                let words = result.into_iter().map(word).collect::<Result<Vec<u32>, _>>()?;
                self.queue.push_back(std::array::from_fn(|lane| words[lane]));
                if self.queue.len() > 4 {
                    return Err("too many requests".into());
                }
            }
            Dst::StoreData if self.store.is_some() => return Err("data that is not stored".into()),
            Dst::StoreData => self.store = Some(result),
            Dst::StoreAddress => {
                let data = self.store.take().ok_or("an address without data")?;
                for (address, value) in result.into_iter().zip(data) {
                    let writable = (address as usize) >= self.readable;
                    let word = self.memory.get_mut(address as usize).filter(|_| writable);
                    *word.ok_or(format!("a store at {address}"))? = value;
                }
            }
        }
        Ok(())
    }
}
