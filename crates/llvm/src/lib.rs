//! Internal crate of Quadra: no stable interface.
//!
//! LLVM as a library that may be absent: found at run time by its name, given IR as text, giving code to call.
//!
//! Nothing here is needed to build the project, and nothing is loaded before the first use. [`Llvm::get`] looks for
//! libLLVM 15 to 22 (`QUADRA_LLVM` names a file instead, or `llvmlite`); [`Llvm::object`] turns the text of a module into an object file;
//! [`Llvm::link`] puts an object file into memory, where [`Code::address`] finds its functions. [`Llvm::object_in`] keeps
//! object files in the cache on disk: a hit needs no libLLVM, which takes longer to load than a kernel to compile. So
//! [`Llvm::get`] only looks which file there is, if it has seen that one before.
//!
//! The text must be such that all these versions parse it: opaque pointers (`ptr`), constants spelled out rather than
//! `splat (…)`, which came with version 19, intrinsics by their full names.
//!
//! LLVM ends the process that it works in over what it cannot select, and its handler for that must not return. So it works
//! in another process, which `compiler` starts and `child` is.
//!
//! Where there is no libLLVM, the library inside the Python package `llvmlite` serves (`lite`, found by [`python`]).
//!
//! Only `ffi` and `lite` talk to the library, and only `executable` makes memory executable.
#![deny(unsafe_code)]

pub mod codes;
mod find;
mod host;
pub mod python;
mod wire;
mod contain;
mod compiler;
#[cfg(unix)]
#[allow(unsafe_code)]
mod child;
#[allow(unsafe_code)]
mod ffi;
#[allow(unsafe_code)]
mod lite;
mod library;
mod elf;
#[allow(unsafe_code)]
mod executable;
pub mod text;
mod target;
pub use executable::Executable;
pub use target::Target;
pub use text::Text;

pub use compiler::VARIABLE as COMPILER;
pub use executable::is_code;
pub use host::Level;

use compiler::{Compiler, Failure};
use host::{Host, Kind};
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What to do with a module on its way to code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Pipeline {
    /// Straight to the code generator: for text that is in SSA form already.
    #[default]
    None,
    /// Memory slots of a function become values, common subexpressions and dead code go.
    Light,
    /// For vectors written as such: values, common subexpressions, invariants out of loops, simpler instructions; nothing
    /// that vectorises or unrolls.
    Vectors,
    /// The optimiser's own second level.
    O2,
}

impl Pipeline {
    /// The text that LLVM knows it by. A wrong text aborts the process, so that these are constants. From version 18 on
    /// `instcombine` takes it for an error of its own if one round was not enough, unless told not to look.
    fn text(self, host: &Host) -> Option<&'static str> {
        let version = host.version;
        match self {
            Pipeline::None => None,
            // The library of llvmlite has no passes that go for early or partial redundancies alone.
            Pipeline::Light if host.kind == Kind::Lite => Some("SROA,NewGVN,SimplifyCFG"),
            Pipeline::Vectors if host.kind == Kind::Lite => Some("SROA,simplify:1"),
            Pipeline::O2 if host.kind == Kind::Lite => Some("default:2"),
            Pipeline::Light => Some("function(sroa,early-cse,simplifycfg)"),
            Pipeline::Vectors if version.0 >= 18 => Some(
                "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),\
                 early-cse<memssa>,instcombine<no-verify-fixpoint>)",
            ),
            Pipeline::Vectors => Some(
                "function(sroa,early-cse<memssa>,instcombine,simplifycfg,loop-mssa(licm),early-cse<memssa>,instcombine)",
            ),
            Pipeline::O2 => Some("default<O2>"),
        }
    }
}

/// How to compile.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    pub pipeline: Pipeline,
    /// Features to switch on or off behind those of this processor, as in `-avx512f,-avx2`; empty for none.
    pub features: String,
    /// Whether the code generator is to be quick rather than its code: registers as they come, instructions one by one.
    pub hurried: bool,
}

/// A libLLVM, loaded or about to be.
#[derive(Debug)]
pub struct Llvm {
    compiler: Arc<Compiler>,
    /// Loaded into this process where object files are not put into memory without LLVM's help.
    linker: OnceLock<Result<ffi::Library, Box<Diagnostic>>>,
    path: PathBuf,
    host: Host,
}

impl Llvm {
    /// The library of this process. It is loaded when it is first needed, unless it has never been seen before.
    ///
    /// # Errors
    /// E0851 if none is found; E0852 if `QUADRA_LLVM` names a file that is none.
    pub fn get() -> Result<Arc<Llvm>, Box<Diagnostic>> {
        static LOADED: OnceLock<Result<Arc<Llvm>, Box<Diagnostic>>> = OnceLock::new();
        LOADED.get_or_init(find::find).clone()
    }

    /// Loads one file, by path or by a name that the dynamic linker finds.
    ///
    /// # Errors
    /// E0852 if it cannot be loaded or lacks a function.
    pub fn load(path: impl AsRef<Path>) -> Result<Arc<Llvm>, Box<Diagnostic>> {
        let mut path = path.as_ref().to_path_buf();
        if path.components().count() > 1 {
            // The compiler has another working directory.
            path = std::path::absolute(&path).unwrap_or(path);
        }
        let compiler = Compiler::new(&path);
        let host = compiler.host().map_err(|why| failed(&path, why))?;
        Ok(Llvm::of(compiler, path, host.here()))
    }

    /// A library of which it is known what it is.
    fn of(compiler: Compiler, path: PathBuf, host: Host) -> Arc<Llvm> {
        Arc::new(Llvm { compiler: Arc::new(compiler), linker: OnceLock::new(), path, host })
    }

    /// The same library, for processors with no more than this.
    pub fn limited(&self, level: Level) -> Arc<Llvm> {
        let host = self.host.clone().keeping(|name| level.has(name));
        Arc::new(Llvm { compiler: self.compiler.clone(), linker: OnceLock::new(), path: self.path.clone(), host })
    }

    /// Whether the library is in memory already.
    pub fn is_loaded(&self) -> bool {
        self.compiler.is_ready()
    }

    /// Loads the library now, while the caller has other things to do. What is wrong with it, who needs it will be told.
    pub fn warm(&self) {
        let _ = self.compiler.host();
    }

    /// The number of the process that compiles, if there is one now.
    pub fn process(&self) -> Option<u32> {
        self.compiler.process()
    }

    /// The file that was loaded, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Major, minor and patch version; of 15, the major alone.
    pub fn version(&self) -> (u32, u32, u32) {
        self.host.version
    }

    /// Whether it is the library inside the Python package `llvmlite`.
    pub fn is_llvmlite(&self) -> bool {
        self.host.kind == Kind::Lite
    }

    /// This machine as LLVM names it, for example `x86_64-pc-linux-gnu`.
    pub fn triple(&self) -> &str {
        &self.host.triple
    }

    /// Whether this processor has a feature by LLVM's name, for example `avx512f` or `neon`.
    pub fn has_feature(&self, name: &str) -> bool {
        self.host.has(name)
    }

    /// Compiles the text of a module into an object file for this machine.
    ///
    /// # Errors
    /// E0853 if LLVM refuses the text, E0855 if LLVM ended over it, which then is a bug of whoever wrote it or of LLVM.
    pub fn object(&self, text: &str, options: &Options) -> Result<Vec<u8>, Box<Diagnostic>> {
        self.generate(text, options, false)
    }

    fn generate(&self, text: &str, options: &Options, assembly: bool) -> Result<Vec<u8>, Box<Diagnostic>> {
        let job = wire::Job {
            text: text.into(),
            triple: self.host.triple.clone(),
            processor: String::new(),
            features: self.features(options),
            pipeline: options.pipeline.text(&self.host).map(String::from),
            assembly,
            hurried: options.hurried,
        };
        self.compiler.generate(&job).map_err(|why| failed(&self.path, why))
    }

    /// Compiles the text of a module into an object file for another processor, position-independent.
    ///
    /// # Errors
    /// As [`Llvm::object`]; E0853 also if this library makes no code for such processors.
    pub fn object_for(&self, text: &str, target: &Target, pipeline: Pipeline) -> Result<Vec<u8>, Box<Diagnostic>> {
        self.code_for(text, target, pipeline, false)
    }

    /// The same as assembly, which is what drivers of NVIDIA's GPUs take.
    ///
    /// # Errors
    /// As [`Llvm::object_for`].
    pub fn assembly_for(&self, text: &str, target: &Target, pipeline: Pipeline) -> Result<String, Box<Diagnostic>> {
        let bytes = self.code_for(text, target, pipeline, true)?;
        // LLVM ends it with a zero, which is no part of the text.
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').into())
    }

    fn code_for(
        &self,
        text: &str,
        target: &Target,
        pipeline: Pipeline,
        assembly: bool,
    ) -> Result<Vec<u8>, Box<Diagnostic>> {
        let job = wire::Job {
            text: text.into(),
            triple: target.triple.into(),
            processor: target.processor.into(),
            features: target.features.into(),
            pipeline: pipeline.text(&self.host).map(String::from),
            assembly,
            hurried: false,
        };
        self.compiler.generate(&job).map_err(|why| failed(&self.path, why))
    }

    /// All that code depends on besides its text: this library, the processor, the options.
    pub fn identity(&self, options: &Options) -> String {
        let (version, triple) = (self.host.version, &self.host.triple);
        let kind = if self.is_llvmlite() { " of llvmlite" } else { "" };
        format!(
            "LLVM {version:?}{kind} for {triple} {}, {:?}{}",
            self.features(options),
            options.pipeline,
            if options.hurried { " in a hurry" } else { "" }
        )
    }

    fn features(&self, options: &Options) -> String {
        match options.features.is_empty() {
            true => self.host.features.clone(),
            false => format!("{},{}", self.host.features, options.features),
        }
    }

    /// Compiles the text of a module into assembly, for people to read.
    ///
    /// # Errors
    /// As [`Llvm::object`].
    pub fn assembly(&self, text: &str, options: &Options) -> Result<String, Box<Diagnostic>> {
        self.generate(text, options, true).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn linker(&self) -> Result<&ffi::Library, Box<Diagnostic>> {
        let load = || {
            let own = "the library of llvmlite cannot put code of this kind into memory".to_string();
            match library::Library::load(&self.path) {
                Ok(library::Library::C(library)) => Ok(library),
                Ok(library::Library::Lite(_)) => Err(failed(&self.path, Failure::Library(own))),
                Err(why) => Err(failed(&self.path, Failure::Library(why))),
            }
        };
        self.linker.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// Puts an object file into memory. Symbols that it does not define are looked for in this process.
    ///
    /// # Errors
    /// E0854 if the file is none, or needs what is not there.
    pub fn link(self: &Arc<Self>, object: &[u8]) -> Result<Code, Box<Diagnostic>> {
        if let Some(code) = Code::of(object) {
            return Ok(code);
        }
        if NO_LINKER {
            return Err(Diagnostic::error("E0854", "compiled code has parts that are not provided for").into());
        }
        match self.linker()?.link(object) {
            Ok(jit) => Ok(Code { held: Held::Linked(jit, self.clone()) }),
            Err(why) => Err(Diagnostic::error("E0854", "libLLVM could not link compiled code").note(why).into()),
        }
    }

    /// [`Llvm::object`] and [`Llvm::link`].
    ///
    /// # Errors
    /// As these.
    pub fn compile(self: &Arc<Self>, text: &str, options: &Options) -> Result<Code, Box<Diagnostic>> {
        self.link(&self.object(text, options)?)
    }

    /// [`Llvm::object`], kept in `cache` under all that it depends on.
    ///
    /// # Errors
    /// As there.
    pub fn object_in(&self, text: &str, options: &Options, cache: Option<&Cache>) -> Result<Vec<u8>, Box<Diagnostic>> {
        let Some(cache) = cache else { return self.object(text, options) };
        let key = format!("object of {}\n{text}", self.identity(options));
        if let Some(object) = cache.get(key.as_bytes()) {
            return Ok(object);
        }
        let object = self.object(text, options)?;
        cache.put(key.as_bytes(), &object);
        Ok(object)
    }

    /// [`Llvm::object_in`] and [`Llvm::link`].
    ///
    /// # Errors
    /// As these.
    pub fn compile_in(
        self: &Arc<Self>,
        text: &str,
        options: &Options,
        cache: Option<&Cache>,
    ) -> Result<Code, Box<Diagnostic>> {
        self.link(&self.object_in(text, options, cache)?)
    }
}

/// Whether object files are always put into memory without LLVM's help.
const NO_LINKER: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// Whether a diagnostic says that there is no code because of libLLVM, so that another way to compute may serve.
pub fn is_failure(d: &Diagnostic) -> bool {
    codes::TABLE.iter().any(|entry| entry.code == d.code)
}

fn failed(path: &Path, why: Failure) -> Box<Diagnostic> {
    let bug = "this is a bug of Quadra or of LLVM; QUADRA_LLVM names another libLLVM to try";
    match why {
        Failure::Library(why) => Diagnostic::error("E0852", format!("`{}` cannot be used as libLLVM", path.display()))
            .note(why)
            .help("name a libLLVM 15 to 22 for this processor, or unset QUADRA_LLVM"),
        Failure::Refused(why) => Diagnostic::error("E0853", "libLLVM refused generated code").note(why).help(bug),
        Failure::Fatal(how) | Failure::Ended(how) => {
            Diagnostic::error("E0855", format!("libLLVM ended while it compiled ({how})")).help(bug)
        }
    }
    .into()
}

/// Compiled code in memory; it stays there as long as this value lives.
#[derive(Debug)]
pub struct Code {
    held: Held,
}

/// Who holds the code.
#[derive(Debug)]
enum Held {
    Own(Executable, elf::Image),
    /// What is not provided for here was linked by LLVM, which must outlive it.
    Linked(ffi::Jit, Arc<Llvm>),
}

impl Code {
    /// Puts an object file into memory without LLVM's help; nothing if it needs more than is provided for.
    fn of(object: &[u8]) -> Option<Code> {
        let mut image = elf::Image::of(object)?;
        let code = Executable::new(image.bytes.len(), |base| {
            image.relocate(base, &Executable::symbol)?;
            Some(std::mem::take(&mut image.bytes))
        })?;
        Some(Code { held: Held::Own(code, image) })
    }

    /// Whether LLVM had to link it.
    pub fn is_linked_by_llvm(&self) -> bool {
        matches!(self.held, Held::Linked(..))
    }

    /// The address of a function.
    ///
    /// # Errors
    /// E0854 if the module defined none of this name.
    pub fn address(&self, name: &str) -> Result<usize, Box<Diagnostic>> {
        let found = match &self.held {
            Held::Own(code, image) => image.function(name).and_then(|at| code.address(at)).ok_or_else(String::new),
            Held::Linked(jit, llvm) => llvm.linker()?.lookup(jit, name),
        };
        found.map_err(|why| {
            let error = Diagnostic::error("E0854", format!("compiled code has no function `{name}`"));
            Box::new(if why.is_empty() { error } else { error.note(why) })
        })
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Held::Linked(jit, llvm) = &mut self.held
            && let Ok(library) = llvm.linker()
        {
            library.unlink(jit);
        }
    }
}
