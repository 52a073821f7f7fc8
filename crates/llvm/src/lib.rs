//! LLVM as a library that may be absent: found at run time by its name, given IR as text, giving code to call.
//!
//! Nothing here is needed to build the project, and nothing is loaded before the first use. [`Llvm::get`] looks for
//! libLLVM 15 to 22 (`QUADRA_LLVM` names a file instead); [`Llvm::object`] turns the text of a module into an object file;
//! [`Llvm::link`] puts an object file into memory, where [`Code::address`] finds its functions.
//!
//! The text must be such that all these versions parse it: opaque pointers (`ptr`), constants spelled out rather than
//! `splat (…)`, which came with version 19, intrinsics by their full names.
//!
//! Only `ffi` talks to the library.
#![deny(unsafe_code)]

pub mod codes;
mod find;
#[allow(unsafe_code)]
mod ffi;

use quadra_base::Diagnostic;
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
    /// The optimiser's own second level.
    O2,
}

impl Pipeline {
    /// The text that LLVM knows it by. A wrong text aborts the process, so that these are constants.
    const fn text(self) -> Option<&'static str> {
        match self {
            Pipeline::None => None,
            Pipeline::Light => Some("function(sroa,early-cse,simplifycfg)"),
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
}

/// A loaded libLLVM.
#[derive(Debug)]
pub struct Llvm {
    library: ffi::Library,
    path: PathBuf,
    triple: String,
    features: String,
}

impl Llvm {
    /// The library of this process, loaded at the first call.
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
        let path = path.as_ref();
        let library = ffi::Library::load(path).map_err(|why| {
            Box::new(
                Diagnostic::error("E0852", format!("`{}` cannot be used as libLLVM", path.display()))
                    .note(why)
                    .help("name a libLLVM 15 to 22 for this processor, or unset QUADRA_LLVM"),
            )
        })?;
        let (triple, features) = library.host();
        Ok(Arc::new(Llvm { library, path: path.to_path_buf(), triple, features }))
    }

    /// The file that was loaded, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Major, minor and patch version; `None` from libraries too old to say (15).
    pub fn version(&self) -> Option<(u32, u32, u32)> {
        self.library.version()
    }

    /// This machine as LLVM names it, for example `x86_64-pc-linux-gnu`.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// Whether this processor has a feature by LLVM's name, for example `avx512f` or `neon`.
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.split(',').any(|f| f.strip_prefix('+') == Some(name))
    }

    /// Compiles the text of a module into an object file for this machine.
    ///
    /// # Errors
    /// E0853 if LLVM refuses the text, which then is a bug of whoever wrote it.
    pub fn object(&self, text: &str, options: &Options) -> Result<Vec<u8>, Box<Diagnostic>> {
        let features = match options.features.is_empty() {
            true => self.features.clone(),
            false => format!("{},{}", self.features, options.features),
        };
        self.library.object(text, &self.triple, &features, options.pipeline.text()).map_err(|why| refused(&why))
    }

    /// Compiles the text of a module into assembly, for people to read.
    ///
    /// # Errors
    /// As [`Llvm::object`].
    pub fn assembly(&self, text: &str, options: &Options) -> Result<String, Box<Diagnostic>> {
        let features = format!("{},{}", self.features, options.features);
        let features = features.trim_end_matches(',');
        self.library.assembly(text, &self.triple, features, options.pipeline.text()).map_err(|why| refused(&why))
    }

    /// Puts an object file into memory. Symbols that it does not define are looked for in this process.
    ///
    /// # Errors
    /// E0854 if the file is none, or needs what is not there.
    pub fn link(self: &Arc<Self>, object: &[u8]) -> Result<Code, Box<Diagnostic>> {
        match self.library.link(object) {
            Ok(jit) => Ok(Code { jit, llvm: self.clone(), bytes: object.len() }),
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
}

fn refused(why: &str) -> Box<Diagnostic> {
    Diagnostic::error("E0853", "libLLVM refused generated code")
        .note(why)
        .help("this is a bug of Quadra; QUADRA_LLVM names another libLLVM to try")
        .into()
}

/// Compiled code in memory; it stays there as long as this value lives.
#[derive(Debug)]
pub struct Code {
    jit: ffi::Jit,
    /// The code came from this library, which must outlive it.
    llvm: Arc<Llvm>,
    bytes: usize,
}

impl Code {
    /// The address of a function.
    ///
    /// # Errors
    /// E0854 if the module defined none of this name.
    pub fn address(&self, name: &str) -> Result<usize, Box<Diagnostic>> {
        self.llvm.library.lookup(&self.jit, name).map_err(|why| {
            Diagnostic::error("E0854", format!("compiled code has no function `{name}`")).note(why).into()
        })
    }

    /// Size of the object file.
    pub fn object_bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        self.llvm.library.unlink(&mut self.jit);
    }
}
