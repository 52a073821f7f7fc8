//! QPU programs in the cache on disk: under the kernel with its places in the source, the options, and the compiler, which is known by
//! the file of this process.

use quadra_back_qpu::{Compiled, Options, UniformSlot};
use quadra_base::cache::{Cache, compiler};
use quadra_base::{FileId, Span};
use quadra_isa::vc4::Program;
use quadra_isa::vc4::decode::decode;
use quadra_isa::vc4::program::{Operand, OperandKind, Place, Probe};
use quadra_kir::Kernel;
use std::fmt::Write;

/// What a program depends on; nothing if it is not known which compiler this is.
pub(crate) fn key(kernel: &Kernel, options: &Options) -> Option<String> {
    let mut key = format!("QPU program of {}\n{options:?}\n{kernel}\n", compiler()?);
    let mut add = |span: Option<Span>| match span {
        // Writing to a string cannot fail.
        Some(s) => drop(write!(key, "{} {} {} {};", s.file.name(), s.line, s.column, s.len)),
        None => key.push(';'),
    };
    add(kernel.span);
    kernel.body.walk(&mut |inst| add(inst.span));
    Some(key)
}

/// A program that was kept.
pub(crate) fn get(cache: &Cache, key: &str) -> Option<Compiled> {
    read(&cache.get(key.as_bytes())?)
}

/// Keeps a program.
pub(crate) fn put(cache: &Cache, key: &str, compiled: &Compiled) {
    cache.put(key.as_bytes(), &write(compiled));
}

/// Numbers and texts, one after the other.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

struct In<'a>(&'a [u8]);

impl In<'_> {
    fn number(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn text(&mut self) -> Option<String> {
        let n = self.small::<usize>()?;
        let (text, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    /// A list; its length comes first.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n = self.small::<usize>()?;
        // Every item takes bytes: a wrong length ends with the input.
        (0..n).map(|_| item(self)).collect()
    }
}

fn write(compiled: &Compiled) -> Vec<u8> {
    let mut out = Out::default();
    let program = &compiled.program;
    out.text(&program.name);
    [compiled.scratch_bytes, compiled.max_qpus, compiled.vpm_rows].iter().for_each(|n| out.number(u64::from(*n)));
    out.number(compiled.guarded);
    let words = program.words();
    out.number(words.len() as u64);
    words.iter().for_each(|w| out.number(*w));
    let mut files: Vec<FileId> = program.spans.iter().flatten().map(|s| s.file).collect();
    files.sort_unstable();
    files.dedup();
    out.number(files.len() as u64);
    files.iter().for_each(|f| out.text(&f.name()));
    out.number(program.spans.len() as u64);
    for span in &program.spans {
        // 0 stands for no place.
        let file = span.and_then(|s| files.iter().position(|f| *f == s.file)).map_or(0, |i| i as u64 + 1);
        out.number(file);
        if let (Some(s), true) = (span, file > 0) {
            [s.line, s.column, s.len].iter().for_each(|n| out.number(u64::from(*n)));
        }
    }
    out.number(compiled.uniforms.len() as u64);
    compiled.uniforms.iter().for_each(|slot| slot_parts(*slot).iter().for_each(|n| out.number(*n)));
    out.number(program.probes.len() as u64);
    for probe in &program.probes {
        out.number(probe.at as u64);
        out.number(u64::from(probe.assert));
        out.text(&probe.text);
        out.number(probe.operands.len() as u64);
        for operand in &probe.operands {
            out.number(place_number(Some(operand.place)));
            out.number(operand.kind as u64);
        }
        out.number(place_number(probe.mask));
    }
    out.0
}

fn read(bytes: &[u8]) -> Option<Compiled> {
    let mut input = In(bytes);
    let mut program = Program::new(input.text()?);
    let (scratch_bytes, max_qpus, vpm_rows) = (input.small()?, input.small()?, input.small()?);
    let guarded = input.number()?;
    program.insts = input.list(|i| decode(i.number()?).ok())?;
    let files: Vec<FileId> = input.list(|i| Some(FileId::of_name(&i.text()?)))?;
    program.spans = input.list(|i| {
        Some(match i.small::<usize>()? {
            0 => None,
            file => Some(Span { file: *files.get(file - 1)?, line: i.small()?, column: i.small()?, len: i.small()? }),
        })
    })?;
    let uniforms = input.list(|i| slot([i.number()?, i.number()?, i.number()?]))?;
    program.probes = input.list(|i| {
        let (at, assert, text) = (i.small()?, i.number()? != 0, i.text()?);
        let operands = i.list(|i| Some(Operand { place: place(i.number()?)??, kind: kind(i.number()?)? }))?;
        Some(Probe { at, assert, text, operands, mask: place(i.number()?)? })
    })?;
    let whole = input.0.is_empty() && program.spans.len() == program.insts.len();
    whole.then_some(Compiled { program, uniforms, scratch_bytes, max_qpus, vpm_rows, guarded })
}

/// A slot as its kind and two numbers.
fn slot_parts(slot: UniformSlot) -> [u64; 3] {
    match slot {
        UniformSlot::Scalar(i) => [0, i as u64, 0],
        UniformSlot::Address(i) => [1, i as u64, 0],
        UniformSlot::Dim { param, axis } => [2, param as u64, axis.into()],
        UniformSlot::Worker => [3, 0, 0],
        UniformSlot::NumWorkers => [4, 0, 0],
        UniformSlot::Extent(axis) => [5, axis.into(), 0],
        UniformSlot::NumGroups { axis, group } => [6, axis.into(), group.into()],
        UniformSlot::Const(word) => [7, word.into(), 0],
        UniformSlot::Scratch(offset) => [8, offset.into(), 0],
        UniformSlot::VpmSetup { word, shift } => [9, word.into(), shift.into()],
        UniformSlot::Again => [10, 0, 0],
    }
}

fn slot([kind, a, b]: [u64; 3]) -> Option<UniformSlot> {
    let (index, x, y) = (usize::try_from(a).ok()?, u32::try_from(a).ok()?, u32::try_from(b).ok()?);
    Some(match kind {
        0 => UniformSlot::Scalar(index),
        1 => UniformSlot::Address(index),
        2 => UniformSlot::Dim { param: index, axis: y },
        3 => UniformSlot::Worker,
        4 => UniformSlot::NumWorkers,
        5 => UniformSlot::Extent(x),
        6 => UniformSlot::NumGroups { axis: x, group: y },
        7 => UniformSlot::Const(x),
        8 => UniformSlot::Scratch(x),
        9 => UniformSlot::VpmSetup { word: x, shift: y },
        10 => UniformSlot::Again,
        _ => return None,
    })
}

/// 0 stands for none.
fn place_number(place: Option<Place>) -> u64 {
    match place {
        None => 0,
        Some(Place::A(n)) => 0x100 + u64::from(n),
        Some(Place::B(n)) => 0x200 + u64::from(n),
        Some(Place::Accumulator(n)) => 0x300 + u64::from(n),
    }
}

fn place(number: u64) -> Option<Option<Place>> {
    let n = number as u8;
    Some(match number >> 8 {
        0 if number == 0 => None,
        1 => Some(Place::A(n)),
        2 => Some(Place::B(n)),
        3 => Some(Place::Accumulator(n)),
        _ => return None,
    })
}

fn kind(number: u64) -> Option<OperandKind> {
    [OperandKind::Bool, OperandKind::Int, OperandKind::Float].into_iter().find(|k| *k as u64 == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emu::Emu;
    use crate::{Argument, Buffer, Device, LaunchOptions};
    use quadra_base::cache::counts;
    use quadra_kir::{Access, Builder, Elem, Mode, Op};
    use std::sync::Arc;

    /// Doubles, which fails for numbers that are not positive.
    fn kernel(line: u32) -> Kernel {
        let mut b = Builder::new("double");
        b.kernel().span = Some(Span::new(FileId::of_name("kept.rs"), line, 5, 3));
        let x = b.buffer("x", Elem::I32, 1, Access::ReadWrite);
        b.set_over(1);
        let i = b.axis(Op::Item, 0);
        let v = b.load(x, Mode::Unchecked, &[i]);
        let zero = b.i32(0);
        let positive = b.op(Op::CmpGt, &[v, zero]);
        b.say(Op::Assert, &[positive], "positive");
        let w = b.op(Op::Add, &[v, v]);
        b.store(x, Mode::Unchecked, &[i], w);
        b.finish()
    }

    #[test]
    fn programs_come_back_as_they_were() {
        let legal = quadra_passes::pipeline::compile(&kernel(1), &quadra_back_qpu::caps()).expect("legal");
        let compiled = quadra_back_qpu::compile(&legal, &Options::default()).expect("compiles");
        let bytes = write(&compiled);
        let back = read(&bytes).expect("whole");
        assert!(!back.program.probes.is_empty(), "the assertion is one");
        let bare = Program { labels: Vec::new(), comments: Vec::new(), ..compiled.program.clone() };
        assert_eq!((&back.program, &back.uniforms), (&bare, &compiled.uniforms));
        assert_eq!(
            (back.scratch_bytes, back.max_qpus, back.vpm_rows),
            (compiled.scratch_bytes, compiled.max_qpus, compiled.vpm_rows)
        );
        assert!((0..bytes.len()).all(|n| read(&bytes[..n]).is_none()), "a part is none");
    }

    #[test]
    fn a_second_device_finds_the_program_of_the_first() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = Arc::new(Cache::at(directory.path()).expect("own directory"));
        let run = |line: u32, values: Vec<i32>| {
            let before = counts();
            let module = Emu::new().keeping(cache.clone()).compile(&kernel(line)).expect("compiles");
            let data = Buffer::from(values);
            let options = LaunchOptions { extent: vec![20], workers: 1, ..LaunchOptions::default() };
            let result = module.launch(&[Argument::from(&data)], &options);
            (result, data.to_vec(), counts().hits - before.hits)
        };
        // That it is taken, and the program.
        for hits in [0, 2] {
            let (result, data, found) = run(7, (1..=20).collect());
            assert_eq!((result.is_ok(), found), (true, hits));
            assert_eq!(data, (1..=20).map(|x| 2 * x).collect::<Vec<_>>());
        }
        let fault = run(7, vec![-1; 20]).0.expect_err("the assertion fails");
        assert_eq!(fault.to_diagnostic().code, "E0605");
        // Another place in the source is another program.
        assert_eq!(run(8, (1..=20).collect()).2, 0);
    }
}
