//! The foreign interface: LLVM's C functions, looked up by name, and the few sequences of calls that are needed.
//!
//! Every sequence uses a context of its own, so that threads never share one. Messages that LLVM would print go into the
//! error instead.

use super::contain;
use super::host::{Host, Kind};
use super::wire::Job;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

type Ref = *mut c_void;
type Diagnose = extern "C" fn(Ref, Ref);
type Fatal = extern "C" fn(*const c_char);
type Version = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint);

/// Declares the table of functions and how it is filled.
macro_rules! table {
    ($($name:ident: fn($($arg:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Functions {
            fn load(library: &libloading::Library) -> Result<Functions, String> {
                Ok(Functions {
                    $($name: {
                        let name = concat!(stringify!($name), "\0").as_bytes();
                        // SAFETY: the type is that of the function in LLVM's C headers, the same from version 15 to 22.
                        *unsafe { library.get::<unsafe extern "C" fn($($arg),*) $(-> $result)?>(name) }
                            .map_err(|e| e.to_string())?
                    },)*
                })
            }
        }
    };
}

table! {
    LLVMContextCreate: fn() -> Ref;
    LLVMContextDispose: fn(Ref);
    LLVMContextSetDiagnosticHandler: fn(Ref, Diagnose, Ref);
    LLVMGetDiagInfoDescription: fn(Ref) -> *mut c_char;
    LLVMGetDiagInfoSeverity: fn(Ref) -> c_int;
    LLVMCreateMemoryBufferWithMemoryRangeCopy: fn(*const c_char, usize, *const c_char) -> Ref;
    LLVMGetBufferStart: fn(Ref) -> *const c_char;
    LLVMGetBufferSize: fn(Ref) -> usize;
    LLVMDisposeMemoryBuffer: fn(Ref);
    LLVMParseIRInContext: fn(Ref, Ref, *mut Ref, *mut *mut c_char) -> c_int;
    LLVMVerifyModule: fn(Ref, c_int, *mut *mut c_char) -> c_int;
    LLVMDisposeModule: fn(Ref);
    LLVMDisposeMessage: fn(*mut c_char);
    LLVMSetTarget: fn(Ref, *const c_char);
    LLVMCreateTargetDataLayout: fn(Ref) -> Ref;
    LLVMSetModuleDataLayout: fn(Ref, Ref);
    LLVMDisposeTargetData: fn(Ref);
    LLVMGetDefaultTargetTriple: fn() -> *mut c_char;
    LLVMGetHostCPUFeatures: fn() -> *mut c_char;
    LLVMGetTargetFromTriple: fn(*const c_char, *mut Ref, *mut *mut c_char) -> c_int;
    LLVMCreateTargetMachine: fn(Ref, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> Ref;
    LLVMDisposeTargetMachine: fn(Ref);
    LLVMTargetMachineEmitToMemoryBuffer: fn(Ref, Ref, c_int, *mut *mut c_char, *mut Ref) -> c_int;
    LLVMCreatePassBuilderOptions: fn() -> Ref;
    LLVMDisposePassBuilderOptions: fn(Ref);
    LLVMRunPasses: fn(Ref, *const c_char, Ref, Ref) -> Ref;
    LLVMGetErrorMessage: fn(Ref) -> *mut c_char;
    LLVMDisposeErrorMessage: fn(*mut c_char);
    LLVMOrcCreateLLJIT: fn(*mut Ref, Ref) -> Ref;
    LLVMOrcDisposeLLJIT: fn(Ref) -> Ref;
    LLVMOrcLLJITGetMainJITDylib: fn(Ref) -> Ref;
    LLVMOrcLLJITGetGlobalPrefix: fn(Ref) -> c_char;
    LLVMOrcLLJITAddObjectFile: fn(Ref, Ref, Ref) -> Ref;
    LLVMOrcLLJITLookup: fn(Ref, *mut u64, *const c_char) -> Ref;
    LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess: fn(*mut Ref, c_char, *const c_void, *const c_void) -> Ref;
    LLVMOrcJITDylibAddGenerator: fn(Ref, Ref);
    LLVMInstallFatalErrorHandler: fn(Fatal);
}

/// LLVM's names for the code generator of this processor; each has four functions that register its parts.
const TARGET: &str = if cfg!(target_arch = "x86_64") || cfg!(target_arch = "x86") {
    "X86"
} else if cfg!(target_arch = "aarch64") {
    "AArch64"
} else if cfg!(target_arch = "arm") {
    "ARM"
} else {
    "unknown"
};

pub(super) use table as functions;

/// The oldest version that takes the text that we write.
const OLDEST: u32 = 15;

const OPTIMISE: c_int = 2;
/// The least that the code generator does.
const HURRY: c_int = 0;
const POSITION_INDEPENDENT: c_int = 2;
/// The default code model, the small one: an object's sections lie side by side.
const CODE_MODEL: c_int = 0;
const ASSEMBLY_FILE: c_int = 0;
const OBJECT_FILE: c_int = 1;
const RETURN_STATUS: c_int = 2;
const ERROR: c_int = 0;

/// Opens a file.
pub fn open(path: &Path) -> Result<libloading::Library, String> {
    // SAFETY: loading runs the library's initialisers, which LLVM's are made for. A user who names another file by the environment
    // variable gets what that file does.
    unsafe { libloading::Library::new(path) }.map_err(|e| e.to_string())
}

/// The loaded library. It is never unloaded: LLVM registers things that outlive its use.
pub struct Library {
    functions: Functions,
    version: (u32, u32, u32),
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "libLLVM {:?}", self.version)
    }
}

/// Code in memory: an LLJIT with one object file.
#[derive(Debug)]
pub struct Jit(Ref);

// SAFETY: an LLJIT may be used from any thread, and locks for itself; `unlink` needs it exclusively.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

/// What LLVM calls instead of ending the process. It must not come back.
extern "C" fn fatal(why: *const c_char) {
    // SAFETY: LLVM gives a terminated string.
    let why = unsafe { CStr::from_ptr(why) }.to_string_lossy();
    contain::fatal(&why);
}

/// The version of a library, which says it itself from 16 on; what 15 has and no older one tells the rest apart.
fn version(library: &libloading::Library) -> Result<(u32, u32, u32), String> {
    // SAFETY: the type is that of LLVM's C headers.
    if let Ok(get) = unsafe { library.get::<Version>(b"LLVMGetVersion\0") } {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: the function writes three numbers.
        unsafe { get(&mut major, &mut minor, &mut patch) };
        return match major {
            OLDEST.. => Ok((major, minor, patch)),
            _ => Err(format!("it is LLVM {major}.{minor}.{patch}, older than version {OLDEST}")),
        };
    }
    // SAFETY: only whether it is there is looked at.
    let has = |name: &[u8]| unsafe { library.get::<unsafe extern "C" fn()>(name) }.is_ok();
    match (has(b"LLVMContextCreate\0"), has(b"LLVMPointerTypeInContext\0")) {
        (_, true) => Ok((OLDEST, 0, 0)),
        (true, false) => Err(format!("it is LLVM {} or older, older than version {OLDEST}", OLDEST - 1)),
        (false, false) => Err("it has no function of LLVM's C interface".into()),
    }
}

/// Collects the errors that LLVM reports to a context.
extern "C" fn collect(info: Ref, sink: Ref) {
    // SAFETY: `sink` is what `Session::new` gave to the handler, alive as long as the context.
    let sink = unsafe { &*(sink as *const Sink) };
    let f = sink.functions;
    // SAFETY: `info` is valid during the call; the text is ours to dispose of.
    unsafe {
        if (f.LLVMGetDiagInfoSeverity)(info) == ERROR {
            let text = (f.LLVMGetDiagInfoDescription)(info);
            sink.errors.borrow_mut().push(CStr::from_ptr(text).to_string_lossy().into_owned());
            (f.LLVMDisposeMessage)(text);
        }
    }
}

struct Sink<'a> {
    functions: &'a Functions,
    errors: std::cell::RefCell<Vec<String>>,
}

/// A context with what was created for one compilation.
struct Session<'a> {
    f: &'a Functions,
    sink: Box<Sink<'a>>,
    context: Ref,
    module: Ref,
    machine: Ref,
}

impl<'a> Session<'a> {
    fn new(f: &'a Functions) -> Session<'a> {
        let sink = Box::new(Sink { functions: f, errors: Default::default() });
        // SAFETY: plain creation; the handler's argument lives in a box that this value owns until the context is gone.
        let context = unsafe {
            let context = (f.LLVMContextCreate)();
            (f.LLVMContextSetDiagnosticHandler)(context, collect, std::ptr::from_ref(&*sink) as Ref);
            context
        };
        Session { f, sink, context, module: null_mut(), machine: null_mut() }
    }

    fn parse(&mut self, text: &str) -> Result<(), String> {
        let mut message = null_mut();
        // SAFETY: the buffer copies the text, and parsing consumes the buffer, whatever comes of it.
        let failed = unsafe {
            let buffer = (self.f.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                text.as_ptr().cast(),
                text.len(),
                c"module".as_ptr(),
            );
            (self.f.LLVMParseIRInContext)(self.context, buffer, &mut self.module, &mut message)
        };
        if failed != 0 {
            self.module = null_mut();
            return Err(self.message(message));
        }
        // SAFETY: the module was just parsed.
        let failed = unsafe { (self.f.LLVMVerifyModule)(self.module, RETURN_STATUS, &mut message) };
        let message = self.message(message);
        if failed != 0 { Err(message) } else { Ok(()) }
    }

    /// Creates the target machine and makes the module one for it.
    fn target(&mut self, job: &Job) -> Result<(), String> {
        let (triple, processor, features) =
            (c_string(&job.triple)?, c_string(&job.processor)?, c_string(&job.features)?);
        let (mut target, mut message) = (null_mut(), null_mut());
        // SAFETY: strings are terminated; the target is registered since the library was loaded.
        unsafe {
            if (self.f.LLVMGetTargetFromTriple)(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(self.message(message));
            }
            // The name of this processor is left out: virtual machines lie about it, and the features say all.
            self.machine = (self.f.LLVMCreateTargetMachine)(
                target,
                triple.as_ptr(),
                processor.as_ptr(),
                features.as_ptr(),
                if job.hurried { HURRY } else { OPTIMISE },
                POSITION_INDEPENDENT,
                CODE_MODEL,
            );
            if self.machine.is_null() {
                return Err("there is no code generator for this processor".into());
            }
            (self.f.LLVMSetTarget)(self.module, triple.as_ptr());
            let layout = (self.f.LLVMCreateTargetDataLayout)(self.machine);
            (self.f.LLVMSetModuleDataLayout)(self.module, layout);
            (self.f.LLVMDisposeTargetData)(layout);
        }
        Ok(())
    }

    fn optimise(&mut self, pipeline: &str) -> Result<(), String> {
        let pipeline = c_string(pipeline)?;
        // SAFETY: module and machine exist; the pipelines are constants that all versions know.
        let error = unsafe {
            let options = (self.f.LLVMCreatePassBuilderOptions)();
            let error = (self.f.LLVMRunPasses)(self.module, pipeline.as_ptr(), self.machine, options);
            (self.f.LLVMDisposePassBuilderOptions)(options);
            error
        };
        check(self.f, error)
    }

    fn emit(&mut self, kind: c_int) -> Result<Vec<u8>, String> {
        let (mut message, mut buffer) = (null_mut(), null_mut());
        // SAFETY: module and machine exist; the buffer is copied before it is disposed of.
        unsafe {
            let failed = (self.f.LLVMTargetMachineEmitToMemoryBuffer)(
                self.machine,
                self.module,
                kind,
                &mut message,
                &mut buffer,
            );
            if failed != 0 {
                return Err(self.message(message));
            }
            let start = (self.f.LLVMGetBufferStart)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (self.f.LLVMGetBufferSize)(buffer)).to_vec();
            (self.f.LLVMDisposeMemoryBuffer)(buffer);
            let errors = self.sink.errors.take();
            if errors.is_empty() { Ok(bytes) } else { Err(errors.join("; ")) }
        }
    }

    fn message(&self, message: *mut c_char) -> String {
        let reported = self.sink.errors.take().join("; ");
        if message.is_null() {
            return reported;
        }
        // SAFETY: LLVM gave a terminated string that is ours to dispose of.
        unsafe {
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.f.LLVMDisposeMessage)(message);
            text + &reported
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // SAFETY: each exists at most once, and the module goes before its context.
        unsafe {
            if !self.machine.is_null() {
                (self.f.LLVMDisposeTargetMachine)(self.machine);
            }
            if !self.module.is_null() {
                (self.f.LLVMDisposeModule)(self.module);
            }
            (self.f.LLVMContextDispose)(self.context);
        }
    }
}

impl Library {
    pub fn of(library: libloading::Library) -> Result<Library, String> {
        let version = version(&library)?;
        let functions = Functions::load(&library)?;
        // SAFETY: the types are those of LLVM's C headers.
        unsafe {
            (functions.LLVMInstallFatalErrorHandler)(fatal);
            for part in ["TargetInfo", "Target", "TargetMC", "AsmPrinter"] {
                let name = format!("LLVMInitialize{TARGET}{part}\0");
                let initialise = library.get::<unsafe extern "C" fn()>(name.as_bytes()).map_err(|e| e.to_string())?;
                initialise();
            }
            // Code for others than this processor: a library need not be able to make it.
            for target in ["X86", "AArch64", "ARM", "NVPTX"].into_iter().filter(|t| *t != TARGET) {
                for part in ["TargetInfo", "Target", "TargetMC", "AsmPrinter"] {
                    if let Ok(initialise) =
                        library.get::<unsafe extern "C" fn()>(format!("LLVMInitialize{target}{part}\0").as_bytes())
                    {
                        initialise();
                    }
                }
            }
        }
        std::mem::forget(library);
        Ok(Library { functions, version })
    }

    /// What this library is, and what it says of this machine.
    pub fn host(&self) -> Host {
        let own = |text: *mut c_char| {
            // SAFETY: LLVM gives terminated strings that are ours to dispose of.
            unsafe {
                let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
                (self.functions.LLVMDisposeMessage)(text);
                copy
            }
        };
        // SAFETY: functions without preconditions.
        let (triple, features) = unsafe {
            (own((self.functions.LLVMGetDefaultTargetTriple)()), own((self.functions.LLVMGetHostCPUFeatures)()))
        };
        Host { kind: Kind::C, version: self.version, triple, features }
    }

    /// Compiles a module. On a thread that [`contain`] started, or a fatal error tells nobody.
    pub fn generate(&self, job: &Job) -> Result<Vec<u8>, String> {
        let mut session = Session::new(&self.functions);
        session.parse(&job.text)?;
        session.target(job)?;
        if let Some(pipeline) = &job.pipeline {
            session.optimise(pipeline)?;
        }
        session.emit(if job.assembly { ASSEMBLY_FILE } else { OBJECT_FILE })
    }

    pub fn link(&self, object: &[u8]) -> Result<Jit, String> {
        let f = &self.functions;
        let mut jit = null_mut();
        // SAFETY: a null builder means defaults; the JIT takes the buffer, whatever comes of it, and the generator.
        unsafe {
            check(f, (f.LLVMOrcCreateLLJIT)(&mut jit, null_mut()))?;
            let mut result = Jit(jit);
            let library = (f.LLVMOrcLLJITGetMainJITDylib)(jit);
            let mut generator = null_mut();
            let prefix = (f.LLVMOrcLLJITGetGlobalPrefix)(jit);
            let error =
                (f.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess)(&mut generator, prefix, null(), null());
            let linked = check(f, error).and_then(|()| {
                (f.LLVMOrcJITDylibAddGenerator)(library, generator);
                let (start, length) = (object.as_ptr().cast(), object.len());
                let buffer = (f.LLVMCreateMemoryBufferWithMemoryRangeCopy)(start, length, c"object".as_ptr());
                check(f, (f.LLVMOrcLLJITAddObjectFile)(jit, library, buffer))
            });
            match linked {
                Ok(()) => Ok(result),
                Err(why) => {
                    self.unlink(&mut result);
                    Err(why)
                }
            }
        }
    }

    pub fn lookup(&self, jit: &Jit, name: &str) -> Result<usize, String> {
        let name = c_string(name)?;
        let mut address = 0;
        // SAFETY: the JIT lives, the name is terminated.
        let error = unsafe { (self.functions.LLVMOrcLLJITLookup)(jit.0, &mut address, name.as_ptr()) };
        check(&self.functions, error)?;
        usize::try_from(address).map_err(|_| "address out of range".into())
    }

    pub fn unlink(&self, jit: &mut Jit) {
        // SAFETY: the caller owns the JIT, and nothing uses its code any more; the pointer is cleared for good.
        let error = unsafe { (self.functions.LLVMOrcDisposeLLJIT)(std::mem::replace(&mut jit.0, null_mut())) };
        // Whatever goes wrong in freeing memory is no concern of a program that is done with it.
        let _ = check(&self.functions, error);
    }
}

/// Turns LLVM's error value, which is consumed, into a message.
fn check(f: &Functions, error: Ref) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the message belongs to us and is terminated; taking it consumes the error.
    unsafe {
        let message = (f.LLVMGetErrorMessage)(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        (f.LLVMDisposeErrorMessage)(message);
        Err(text)
    }
}

pub fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a text with a zero byte".into())
}
