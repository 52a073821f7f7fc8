//! The `run:` comments.

use super::{Case, Report};
use quadra_device::buffer::Storage;
use quadra_device::{Argument, LaunchOptions};
use quadra_kir::interp::{simd, simt};
use quadra_kir::{Arg, Caps, Const, Elem, Fault, Kernel, Launch, Level, Memory, MemoryBuffer, Param};
use quadra_passes::pipeline;

/// A number or a nested list of numbers as written.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Word(String),
    List(Vec<Item>),
}

impl Item {
    fn shape(&self) -> Vec<u32> {
        match self {
            Item::Word(_) => Vec::new(),
            Item::List(items) => {
                let inner = items.first().map_or_else(Vec::new, Item::shape);
                [vec![items.len() as u32], inner].concat()
            }
        }
    }

    fn words<'a>(&'a self, out: &mut Vec<&'a str>) {
        match self {
            Item::Word(w) => out.push(w),
            Item::List(items) => items.iter().for_each(|i| i.words(out)),
        }
    }
}

/// `name=value` pairs up to a closing bracket or a word that is no pair.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn accept(&mut self, what: &str) -> bool {
        self.rest = self.rest.trim_start();
        let found = self.rest.strip_prefix(what);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
        let end = self.rest.find(|c| !fine(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn item(&mut self, depth: usize) -> Result<Item, String> {
        if !self.accept("[") {
            let word = self.word();
            return if word.is_empty() {
                Err(format!("a value is wanted at `{}`", self.rest))
            } else {
                Ok(Item::Word(word.into()))
            };
        }
        let mut items = Vec::new();
        while !self.accept("]") {
            if depth > 8 {
                return Err("lists are nested too deep".into());
            }
            items.push(self.item(depth + 1)?);
            self.accept(",");
        }
        Ok(Item::List(items))
    }

    fn pairs(&mut self) -> Result<Vec<(String, Item)>, String> {
        let mut pairs = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with([')', '=', '~']) {
                return Ok(pairs);
            }
            let name = self.word().to_string();
            if name.is_empty() || !self.accept("=") {
                return Err(format!("`name=value` is wanted at `{}`", self.rest));
            }
            pairs.push((name, self.item(0)?));
            self.accept(",");
        }
    }
}

fn bits(word: &str, elem: Elem) -> Result<u64, String> {
    let bad = || format!("`{word}` is no {elem}");
    Ok(match elem {
        Elem::Bool => (word == "true" || word == "1") as u64,
        Elem::F32 | Elem::F16 => word.parse::<f32>().map_err(|_| bad())?.to_bits() as u64,
        Elem::F64 => word.parse::<f64>().map_err(|_| bad())?.to_bits(),
        Elem::I64 => word.parse::<i64>().map_err(|_| bad())? as u64,
        _ => word.parse::<i64>().map_err(|_| bad())? as u32 as u64,
    })
}

fn buffer(item: &Item, elem: Elem) -> Result<MemoryBuffer, String> {
    let mut words = Vec::new();
    item.words(&mut words);
    let size = elem.bytes() as usize;
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend_from_slice(&bits(word, elem)?.to_le_bytes()[..size]);
    }
    Ok(MemoryBuffer { elem, dims: item.shape(), bytes })
}

struct Run {
    memory: Memory,
    launch: Launch,
    /// Buffer, what it is to hold.
    wanted: Vec<(usize, MemoryBuffer)>,
    /// Compare floats to 5 digits only.
    about: bool,
    fault: Option<String>,
}

/// Runs one comment on all the devices the file names.
pub(super) fn run(case: &Case, kernels: &[Kernel], text: &str, report: &mut Report) -> Result<(), String> {
    let mut reader = Reader { rest: text };
    let name = reader.word().to_string();
    let kernel = super::kernel(kernels, &name)?;
    let prepared = prepare(kernel, &mut reader)?;
    let on = case.directives("on:").next().map_or("simt simd16 emu cpu", |d| d.2);
    for device in on.split_whitespace() {
        let Some((memory, result)) = on_device(device, kernel, &prepared)? else {
            quadra_base::testing::left_out(format_args!("there is no device {device}"));
            report.skipped += 1;
            continue;
        };
        report.compared += 1;
        compare(&prepared, &memory, result.err()).map_err(|e| format!("on {device}: {e}"))?;
    }
    Ok(())
}

fn prepare(kernel: &Kernel, reader: &mut Reader<'_>) -> Result<Run, String> {
    if !reader.accept("(") {
        return Err("a run is `kernel(p=[1, 2]) == r=[3, 4]`".into());
    }
    let given = reader.pairs()?;
    if !reader.accept(")") {
        return Err(format!("`)` is wanted at `{}`", reader.rest));
    }
    let settings = reader.pairs()?;
    let about = reader.accept("~=");
    if !about && !reader.accept("==") {
        return Err(format!("`==` or `~=` is wanted at `{}`", reader.rest));
    }
    let fault = reader.accept("error[").then(|| reader.word().to_string());
    let expected = if fault.is_some() { Vec::new() } else { reader.pairs()? };
    let find = |of: &[(String, Item)], name: &str| of.iter().find(|(n, _)| n == name).map(|(_, i)| i.clone());
    let mut run = Run { memory: Memory::default(), launch: Launch::new(Vec::new()), wanted: Vec::new(), about, fault };
    for &param in &kernel.params {
        let name = kernel.param_name(param);
        let (item, want) = (find(&given, name), find(&expected, name));
        match (param, item) {
            (Param::Scalar(v), Some(Item::Word(word))) => {
                let elem = kernel.ty(v).elem;
                run.launch.args.push(Arg::Scalar(Const { elem, bits: bits(&word, elem)? }));
            }
            (Param::Scalar(_), _) => return Err(format!("`{name}` is not given")),
            (Param::Buffer(b), item) => {
                let elem = kernel.bufs[b].elem;
                let want = want.map(|w| buffer(&w, elem)).transpose()?;
                let zeros = want.clone().map(|w| MemoryBuffer { bytes: vec![0; w.bytes.len()], ..w });
                let start = item.map(|i| buffer(&i, elem)).transpose()?.or(zeros);
                let start = start.ok_or_else(|| format!("`{name}` is neither given nor expected"))?;
                run.launch.args.push(Arg::Buffer(run.memory.buffers.len()));
                run.wanted.extend(want.map(|w| (run.memory.buffers.len(), w)));
                run.memory.buffers.push(start);
            }
        }
    }
    let numbers = |item: Item| {
        let mut words = Vec::new();
        item.words(&mut words);
        words.iter().filter_map(|w| w.parse::<u32>().ok()).collect::<Vec<u32>>()
    };
    if let Some(n) = find(&settings, "workers").map(numbers) {
        run.launch.workers = n.first().copied().unwrap_or(1);
    }
    run.launch.budget = 10_000_000;
    let shape = run.memory.buffers.iter().find(|b| b.dims.len() == kernel.over as usize).map(|b| b.dims.clone());
    run.launch.extent = find(&settings, "over").map(numbers).or(shape).filter(|_| kernel.over > 0).unwrap_or_default();
    Ok(run)
}

type Outcome = (Memory, Result<(), Fault>);

fn on_device(device: &str, kernel: &Kernel, run: &Run) -> Result<Option<Outcome>, String> {
    let lowered;
    let kernel = match device {
        "simt" => kernel,
        "simd16" => {
            lowered = pipeline::compile(kernel, &Caps::EVERYTHING).map_err(|e| e[0].render(false))?;
            &lowered
        }
        // Without libLLVM there is no such device.
        "cpu" if quadra_device::open(device).is_err() => return Ok(None),
        "emu" | "cpu" => return compiled(device, kernel, run).map(Some),
        _ => return Err(format!("there is no device `{device}`: simt, simd16, emu, cpu")),
    };
    let mut memory = run.memory.clone();
    let interpret = if kernel.level == Level::Simt { simt::run } else { simd::run };
    let result = interpret(kernel, &mut memory, &run.launch, &mut |_| {}).map(|_| ());
    Ok(Some((memory, result)))
}

/// Compiles for a device and runs that. Storage is shared with the launch, so the results are read from it.
fn compiled(device: &str, kernel: &Kernel, run: &Run) -> Result<Outcome, String> {
    let device = quadra_device::open(device).map_err(|d| d.render(false))?;
    let module = device.compile(kernel).map_err(|e| e[0].render(false))?;
    let storages: Vec<Storage> = run.memory.buffers.iter().map(|b| Storage::new(b.clone())).collect();
    let args: Vec<Argument> = run
        .launch
        .args
        .iter()
        .map(|arg| match *arg {
            Arg::Scalar(c) => Argument::Scalar(c),
            Arg::Buffer(at) => Argument::Buffer(storages[at].clone()),
        })
        .collect();
    let options = LaunchOptions {
        workers: run.launch.workers,
        extent: run.launch.extent.clone(),
        alias: run.launch.alias,
        budget: run.launch.budget,
        ..LaunchOptions::default()
    };
    let result = module.launch(&args, &options).map(|_| ());
    let contents = |s: &Storage| s.read().clone();
    Ok((Memory { buffers: storages.iter().map(contents).collect() }, result))
}

fn compare(run: &Run, memory: &Memory, fault: Option<Fault>) -> Result<(), String> {
    match (&run.fault, fault) {
        (Some(code), Some(f)) if f.to_diagnostic().code == code => return Ok(()),
        (Some(code), None) => return Err(format!("it ends well instead of with error[{code}]")),
        (_, Some(f)) => return Err(f.to_diagnostic().render(false)),
        (None, None) => {}
    }
    for (at, want) in &run.wanted {
        let have = &memory.buffers[*at];
        if have.bytes == want.bytes {
            continue;
        }
        let near = |a: u32, b: u32| {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
        };
        let (a, b) = (have.words(), want.words());
        if run.about && have.elem == Elem::F32 && a.len() == b.len() && a.iter().zip(&b).all(|(&a, &b)| near(a, b)) {
            continue;
        }
        let shown = |words: Vec<u32>| -> Vec<String> {
            let show = |w: u32| {
                if have.elem == Elem::F32 { format!("{:?}", f32::from_bits(w)) } else { (w as i32).to_string() }
            };
            words.into_iter().map(show).collect()
        };
        return Err(format!("buffer {at} holds [{}] instead of [{}]", shown(a).join(", "), shown(b).join(", ")));
    }
    Ok(())
}
