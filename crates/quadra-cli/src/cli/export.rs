//! `quadra export`: kernels as a C file and its header, for boards without Rust, as an object file for a processor with the same one, or
//! as PTX.

use super::common::CliResult;
use super::compile::front;
use super::export_object;
#[cfg(feature = "gpu")]
use super::export_ptx;
use super::quasar_kernels;
use quadra_back_qpu::{self as back_qpu, Compiled, UniformSlot};
use quadra_base::Diagnostic;
use quadra_kir::{Access, Elem, Kernel, LANES, Param, Type};
use quadra_llvm::Target;
use quadra_passes::{fission, pipeline};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BOARD_H: &str = include_str!("../export/board.h");
const BOARD_C: &str = include_str!("../export/board.c");

/// Write kernels as a C file and a header: the QPU's words, their uniforms, and a launcher for /dev/vcio that needs nothing but a C
/// compiler on the Pi. Or as an object file for a processor, which programs of C are linked with instead, or as PTX for GPUs of NVIDIA.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra export gcd -o gcd                gcd.c and gcd.h; on the Pi: cc -O2 main.c gcd.c
  quadra export heat.q --kernel 4 -o heat the loop in line 4 of a Quasar program
  quadra export heat.q --kernel 4 --to object --target aarch64 -o heat
                                          heat.o and heat.h; cc main.c heat.o -lm
  quadra export heat.q --kernel 4 --to ptx --target sm_80 -o heat
                                          heat.ptx, whose head says how it is launched
The header says how each kernel is launched.")]
pub struct Args {
    /// A shipped kernel (`quadra kernels` lists them), a file with kernel IR (.kir), or a Quasar program (.q), which is run to see what it
    /// launches.
    kernel: String,
    /// Program: only this kernel, or the loop in this line.
    #[arg(long = "kernel", value_name = "NAME|LINE")]
    only: Option<String>,
    /// The language of the files.
    #[arg(long, value_enum, default_value = "c")]
    to: To,
    /// The processor that an object file is for; this one unless said. Or the GPU that PTX is for; sm_70 unless said. Both are made by
    /// libLLVM.
    #[arg(long, value_name = "NAME", value_parser = targets())]
    target: Option<String>,
    /// The files without their endings .c and .h; the kernel's name unless said.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// The most QPUs of a launch: fewer have more rows of the VPM each.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum To {
    /// The QPU's words, in C.
    C,
    /// An object file for a processor, which runs them on one thread.
    Object,
    /// Assembly for GPUs of NVIDIA, for the driver's own functions.
    #[cfg(feature = "gpu")]
    Ptx,
}

/// What `--target` takes.
fn targets() -> clap::builder::PossibleValuesParser {
    Target::ALL.iter().chain(Target::NVIDIA).map(|t| t.name).collect::<Vec<_>>().into()
}

/// The text at the top of the files.
pub const MADE: &str = "/* Made by `quadra export`. */\n";

pub fn run(args: &Args) -> CliResult {
    let kernels = match quasar_kernels::is_program(&args.kernel) {
        true => quasar_kernels::kernels(&args.kernel, args.only.as_deref().unwrap_or(""))?,
        false => vec![front(&args.kernel)?.0],
    };
    let stem = args.output.clone().unwrap_or_else(|| {
        let file = Path::new(&args.kernel).file_stem().unwrap_or_default();
        PathBuf::from(identifier(&file.to_string_lossy()))
    });
    let base = stem.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut names = HashSet::new();
    let (mut heads, mut bodies) = (String::new(), String::new());
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let with = |ending: &str| PathBuf::from(format!("{}{ending}", stem.display()));
    #[cfg(feature = "gpu")]
    if args.to == To::Ptx {
        let target = export_ptx::target(args.target.as_deref()).map_err(|d| vec![*d])?;
        for kernel in &kernels {
            let name = unique(&mut names, &kernel.name, 0);
            let ending = if kernels.len() == 1 { ".ptx".to_string() } else { format!("_{name}.ptx") };
            files.push((with(&ending), export_ptx::assembly(kernel, target)?.into_bytes()));
        }
        return write(files);
    }
    for kernel in &kernels {
        let (taken, groups) = match fission::needed(kernel) {
            true => (&fission::run(kernel)?, fission::group_sizes(kernel)),
            false => (kernel, Vec::new()),
        };
        let name = unique(&mut names, &kernel.name, 0);
        if args.to == To::Object {
            let export = Export::new(kernel, args.qpus, name, groups);
            let target = export_object::target(args.target.as_deref()).map_err(|d| vec![*d])?;
            let object = export_object::object(&export, taken, target)?;
            let ending = if kernels.len() == 1 { ".o".to_string() } else { format!("_{}.o", export.name) };
            files.push((with(&ending), object));
            heads += &export.declaration();
            continue;
        }
        let simd = pipeline::compile(taken, &back_qpu::caps())?;
        let options = back_qpu::Options { qpus: Some(args.qpus), contained: true, ..back_qpu::Options::default() };
        let compiled = back_qpu::compile(&simd, &options)?;
        let export = Export::new(kernel, compiled.max_qpus, name, groups);
        heads += &export.declaration();
        bodies += &export.definition(&compiled);
    }
    let header = format!(
        "{MADE}{BOARD_H}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n{heads}\n#ifdef __cplusplus\n}}\n#endif\n"
    );
    files.insert(0, (with(".h"), header.into_bytes()));
    if args.to == To::C {
        let code = format!("{MADE}#define _GNU_SOURCE\n#include \"{base}.h\"\n\n{BOARD_C}{bodies}");
        files.push((with(".c"), code.into_bytes()));
    }
    write(files)
}

/// Writes the files and says which.
fn write(files: Vec<(PathBuf, Vec<u8>)>) -> CliResult {
    for (file, bytes) in files {
        quadra_base::file::write(&file, bytes)
            .map_err(|e| vec![Diagnostic::error("E0804", format!("cannot write '{}': {e}", file.display()))])?;
        println!("{}", file.display());
    }
    Ok(())
}

/// Words that C has taken, and names that the launcher uses.
const TAKEN: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "board",
    "qpus",
    "lanes",
    "all",
    "launch",
    "arrays",
    "status",
    "worker",
    "stream",
    "array",
    "prepare",
    "run",
    "float_bits",
    "NULL",
    "SHARED",
    "PAGE",
    "GUARD",
    "AHEAD",
    "V3D",
    "IDENTITY",
    "uint32_t",
];

/// A name that C can have, too.
fn identifier(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit() || c == '_') || TAKEN.contains(&&*out) {
        out.insert_str(0, "k_");
    }
    out
}

/// A name that nobody has, nor `name_n0` and on for `rank` axes.
fn unique(taken: &mut HashSet<String>, name: &str, rank: u8) -> String {
    let name = identifier(name);
    let mut names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}_{n}")));
    let all =
        |name: &str| (0..rank).map(|axis| format!("{name}_n{axis}")).chain([name.to_string()]).collect::<Vec<_>>();
    let free = names.find(|n| all(n).iter().all(|n| !taken.contains(n))).unwrap_or(name);
    taken.extend(all(&free));
    free
}

/// A kernel as a function of C.
pub struct Export<'a> {
    pub kernel: &'a Kernel,
    /// The most QPUs of a launch.
    pub most: u32,
    pub name: String,
    /// Names of the parameters, and of arrays their numbers.
    pub params: Vec<(String, Option<usize>)>,
    /// Items of a group along each axis, where a group becomes one subgroup: the program gets the lanes as its extent, and the extent
    /// behind its parameters.
    pub groups: Vec<u32>,
}

impl Export<'_> {
    fn new(kernel: &Kernel, most: u32, name: String, groups: Vec<u32>) -> Export<'_> {
        let mut taken = HashSet::new();
        let mut arrays = 0..;
        let params = kernel.params.iter().map(|param| match param {
            Param::Buffer(b) => (unique(&mut taken, &kernel.bufs[*b].name, kernel.bufs[*b].rank), arrays.next()),
            Param::Scalar(v) => (unique(&mut taken, &kernel.values[*v].name, 0), None),
        });
        let params = params.collect();
        Export { kernel, most, name, params, groups }
    }

    /// What is handed over: the arrays with their sizes, the scalars, the extent.
    fn parameters(&self) -> String {
        let mut list = vec!["quadra_board *board".to_string(), "uint32_t qpus".to_string()];
        list.extend((0..self.kernel.over).map(|axis| format!("uint32_t extent_{axis}")));
        for (param, (name, _)) in self.kernel.params.iter().zip(&self.params) {
            match param {
                Param::Buffer(b) => {
                    let info = &self.kernel.bufs[*b];
                    list.push(format!(
                        "{}{} *{name}",
                        if info.access != Access::Read { "" } else { "const " },
                        element(info.elem)
                    ));
                    list.extend((0..info.rank).map(|axis| format!("uint32_t {name}_n{axis}")));
                }
                Param::Scalar(v) => list.push(format!("{} {name}", scalar(self.kernel.values[*v].ty))),
            }
        }
        list.join(", ")
    }

    fn declaration(&self) -> String {
        let place = self.kernel.span.map_or(String::new(), |s| format!(", from {s}"));
        let extent = if self.kernel.over > 0 {
            " `extent_0` and on are the items along each axis, the innermost one last."
        } else {
            ""
        };
        format!(
            "\n/* Kernel `{}`{place}, on 1 to {} QPUs.{extent} `x_n0` and on are the elements of the array `x` along each axis; arrays must\n   be different ones. 0, or a status. */\nint {}_launch({});\n",
            self.kernel.name,
            self.most,
            self.name,
            self.parameters()
        )
    }

    fn definition(&self, compiled: &Compiled) -> String {
        let name = &self.name;
        let words = compiled.program.words();
        let mut out = format!("\nstatic const uint64_t {name}_code[{}] = {{\n", words.len());
        for four in words.chunks(4) {
            let four: Vec<String> = four.iter().map(|w| format!("0x{w:016x}u")).collect();
            let _ = writeln!(out, "    {},", four.join(", "));
        }
        let _ = writeln!(out, "}};\n\nint {name}_launch({})\n{{", self.parameters());
        // The program may need none of the numbers.
        let scalars = self.params.iter().filter(|p| p.1.is_none()).map(|p| p.0.clone());
        let numbers = scalars.chain((0..self.kernel.over).map(|axis| format!("extent_{axis}")));
        let unused: String = numbers.map(|n| format!("    (void){n};\n")).collect();
        let lanes = self.lanes();
        let arrays: Vec<String> = self.arrays();
        let count = arrays.len();
        let _ = writeln!(
            out,
            "    struct array arrays[{}] = {{{}}};",
            count.max(1),
            if count == 0 { "{0}".into() } else { arrays.join(", ") }
        );
        let _ = write!(
            out,
            "    struct launch launch = {{0}};\n    int status;\n{lanes}{unused}    if (qpus == 0 || qpus > {})\n        return QUADRA_ARGUMENTS;\n    \
             launch.board = board;\n    launch.arrays = arrays;\n    launch.count = {count};\n    launch.qpus = qpus;\n    \
             status = prepare(&launch, {name}_code, {}, {}, {});\n    if (status != QUADRA_OK)\n        return status;\n    \
             for (uint32_t worker = 0; worker < qpus; worker++) {{\n        \
             volatile uint32_t *stream = launch.memory + (launch.uniforms + worker * launch.stream) / 4;\n",
            compiled.max_qpus,
            words.len(),
            compiled.uniforms.len(),
            compiled.scratch_bytes
        );
        for (i, slot) in compiled.uniforms.iter().enumerate() {
            let _ = writeln!(out, "        stream[{i}] = {};", self.uniform(*slot, compiled));
        }
        // A program without uniforms needs none of its streams.
        out + "        (void)stream;\n    }\n    return run(&launch);\n}\n"
    }

    /// The arrays of a launch: memory, bytes, and whether they are written.
    fn arrays(&self) -> Vec<String> {
        let pairs = self.kernel.params.iter().zip(&self.params);
        let rows = pairs.filter_map(|(param, (name, _))| {
            let Param::Buffer(b) = param else { return None };
            let info = &self.kernel.bufs[*b];
            let sizes: String = (0..info.rank).map(|axis| format!(" * {name}_n{axis}")).collect();
            let written = u32::from(info.access != Access::Read);
            Some(format!("{{(void *){name}, (uint64_t)sizeof *{name}{sizes}, {written}, 0}}"))
        });
        rows.collect()
    }

    /// The items of the program's launch along an axis.
    fn extent(&self, axis: u32) -> String {
        if self.groups.is_empty() { format!("extent_{axis}") } else { "lanes".into() }
    }

    /// The lanes of a launch of groups, which must be whole.
    fn lanes(&self) -> String {
        if self.groups.is_empty() {
            return String::new();
        }
        let axes = || self.groups.iter().enumerate();
        let product: String = axes().map(|(axis, n)| format!(" * (extent_{axis} / {n}u)")).collect();
        let broken: Vec<String> = axes().map(|(axis, n)| format!("extent_{axis} % {n}u != 0")).collect();
        let broken = broken.join(" || ");
        format!(
            "    uint64_t all = (uint64_t){LANES}{product};\n    uint32_t lanes = (uint32_t)all;\n    (void)lanes;\n    \
             if ({broken} || all > 0x7fffffffu)\n        return QUADRA_ARGUMENTS;\n"
        )
    }

    /// The value of a uniform, for the QPU `worker`.
    fn uniform(&self, slot: UniformSlot, compiled: &Compiled) -> String {
        match slot {
            UniformSlot::Scalar(i) if i >= self.params.len() => format!("extent_{}", i - self.params.len()),
            UniformSlot::Scalar(i) => {
                let name = &self.params[i].0;
                match self.kernel.params[i] {
                    Param::Scalar(v) if scalar(self.kernel.values[v].ty) == "float" => format!("float_bits({name})"),
                    _ => format!("(uint32_t){name}"),
                }
            }
            UniformSlot::Address(i) => format!("launch.bus + arrays[{}].at", self.params[i].1.unwrap_or(0)),
            UniformSlot::Dim { param, axis } => format!("{}_n{axis}", self.params[param].0),
            UniformSlot::Worker => "worker".into(),
            UniformSlot::NumWorkers => "qpus".into(),
            UniformSlot::Extent(axis) => self.extent(axis),
            UniformSlot::NumGroups { axis, group } => {
                let (extent, group) = (self.extent(axis), group.max(1));
                format!("{extent} / {group}u + ({extent} % {group}u != 0)")
            }
            UniformSlot::Const(bits) => format!("0x{bits:08x}u"),
            UniformSlot::Scratch(offset) => {
                format!("launch.bus + launch.scratch + worker * {}u + {offset}u", compiled.scratch_bytes)
            }
            // One run.
            UniformSlot::Again => "0".into(),
            UniformSlot::VpmSetup { word, shift } => {
                format!("0x{word:08x}u + (worker * {}u << {shift})", compiled.vpm_rows)
            }
        }
    }
}

/// An array's elements in C; half floats as their bits.
fn element(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool | Elem::I8 => "int8_t",
        Elem::I16 => "int16_t",
        Elem::I32 => "int32_t",
        Elem::I64 => "int64_t",
        Elem::F16 => "uint16_t",
        Elem::F32 => "float",
        Elem::F64 => "double",
    }
}

/// A scalar parameter in C; the QPU has words only.
pub fn scalar(ty: Type) -> &'static str {
    match ty.elem {
        Elem::F32 => "float",
        Elem::F64 => "double",
        Elem::I64 => "int64_t",
        _ => "int32_t",
    }
}
