//! LLVM as the Python package `llvmlite` carries it: one library with C functions of its own, `LLVMPY_…`, since it hides LLVM's.
//!
//! What differs from `ffi`: passes are added one by one, as there is no function that takes a pipeline as text; there are no handlers for
//! errors, so that a fatal one ends the process, which the compiler's process is for; and names that were other ones before version
//! 0.45 are not looked for.

use super::host::{Host, Kind};
use super::wire::Job;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::null_mut;

type Ref = *mut c_void;
type Text = *mut c_char;
type AddPass = unsafe extern "C" fn(Ref);

super::ffi::functions! {
    LLVMPY_ContextCreate: fn() -> Ref;
    LLVMPY_ContextDispose: fn(Ref);
    LLVMPY_ParseAssembly: fn(Ref, *const c_char, *mut Text) -> Ref;
    LLVMPY_VerifyModule: fn(Ref, *mut Text) -> u8;
    LLVMPY_DisposeModule: fn(Ref);
    LLVMPY_DisposeString: fn(Text);
    LLVMPY_SetTarget: fn(Ref, *const c_char);
    LLVMPY_SetDataLayout: fn(Ref, *const c_char);
    LLVMPY_CreateTargetMachineData: fn(Ref) -> Ref;
    LLVMPY_CopyStringRepOfTargetData: fn(Ref, *mut Text);
    LLVMPY_DisposeTargetData: fn(Ref);
    LLVMPY_GetDefaultTargetTriple: fn(*mut Text);
    LLVMPY_GetHostCPUFeatures: fn(*mut Text) -> c_int;
    LLVMPY_GetVersionInfo: fn() -> c_uint;
    LLVMPY_InitializeAllTargetInfos: fn();
    LLVMPY_InitializeAllTargets: fn();
    LLVMPY_InitializeAllTargetMCs: fn();
    LLVMPY_InitializeAllAsmPrinters: fn();
    LLVMPY_GetTargetFromTriple: fn(*const c_char, *mut Text) -> Ref;
    LLVMPY_CreateTargetMachine: fn(
        Ref, *const c_char, *const c_char, *const c_char, c_int, *const c_char, *const c_char, c_int, c_int, *const c_char
    ) -> Ref;
    LLVMPY_DisposeTargetMachine: fn(Ref);
    LLVMPY_TargetMachineEmitToMemory: fn(Ref, Ref, c_int, *mut Text) -> Ref;
    LLVMPY_GetBufferStart: fn(Ref) -> *const c_void;
    LLVMPY_GetBufferSize: fn(Ref) -> usize;
    LLVMPY_DisposeMemoryBuffer: fn(Ref);
    LLVMPY_ModuleFunctionsIter: fn(Ref) -> Ref;
    LLVMPY_FunctionsIterNext: fn(Ref) -> Ref;
    LLVMPY_DisposeFunctionsIter: fn(Ref);
    LLVMPY_IsDeclaration: fn(Ref) -> u8;
    LLVMPY_CreatePipelineTuningOptions: fn() -> Ref;
    LLVMPY_PTOSetLoopVectorization: fn(Ref, bool);
    LLVMPY_PTOSetSLPVectorization: fn(Ref, bool);
    LLVMPY_PTOSetLoopInterleaving: fn(Ref, bool);
    LLVMPY_PTOSetLoopUnrolling: fn(Ref, bool);
    LLVMPY_DisposePipelineTuningOptions: fn(Ref);
    LLVMPY_CreatePassBuilder: fn(Ref, Ref) -> Ref;
    LLVMPY_DisposePassBuilder: fn(Ref);
    LLVMPY_CreateNewFunctionPassManager: fn() -> Ref;
    LLVMPY_RunNewFunctionPassManager: fn(Ref, Ref, Ref);
    LLVMPY_DisposeNewFunctionPassManger: fn(Ref);
    LLVMPY_buildPerModuleDefaultPipeline: fn(Ref, c_int) -> Ref;
    LLVMPY_buildFunctionSimplificationPipeline: fn(Ref, c_int) -> Ref;
    LLVMPY_RunNewModulePassManager: fn(Ref, Ref, Ref);
    LLVMPY_DisposeNewModulePassManger: fn(Ref);
}

/// Passes that can be asked for by name.
const PASSES: [&str; 5] = ["SROA", "NewGVN", "InstCombine", "SimplifyCFG", "DSE"];

const OPTIMISE: c_int = 2;
/// The least that the code generator does.
const HURRY: c_int = 0;

/// The loaded library. It is never unloaded.
pub struct Library {
    functions: Functions,
    passes: Vec<(&'static str, AddPass)>,
    version: (u32, u32, u32),
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "llvmlite with LLVM {:?}", self.version)
    }
}

/// Whether a library has these functions.
pub fn is_one(library: &libloading::Library) -> bool {
    // SAFETY: only whether it is there is looked at.
    unsafe { library.get::<unsafe extern "C" fn()>(b"LLVMPY_ParseAssembly\0") }.is_ok()
}

/// A text that the library has made, as ours.
fn taken(f: &Functions, text: Text) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: it is terminated, and ours to dispose of.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        (f.LLVMPY_DisposeString)(text);
        copy
    }
}

impl Library {
    pub fn of(library: libloading::Library, path: &Path) -> Result<Library, String> {
        let functions = Functions::load(&library).map_err(|why| {
            format!("{} is of a llvmlite older than 0.45, or newer than what is known: {why}", path.display())
        })?;
        let mut passes = Vec::new();
        for name in PASSES {
            let symbol = format!("LLVMPY_function_Add{name}Pass\0");
            // SAFETY: all functions of this name take a list of passes, and give nothing that matters.
            let add = *unsafe { library.get::<AddPass>(symbol.as_bytes()) }.map_err(|e| e.to_string())?;
            passes.push((name, add));
        }
        // SAFETY: functions without preconditions; registering twice is allowed.
        let version = unsafe {
            (functions.LLVMPY_InitializeAllTargetInfos)();
            (functions.LLVMPY_InitializeAllTargets)();
            (functions.LLVMPY_InitializeAllTargetMCs)();
            (functions.LLVMPY_InitializeAllAsmPrinters)();
            (functions.LLVMPY_GetVersionInfo)()
        };
        std::mem::forget(library);
        let part = |at: u32| version >> at & 0xff;
        Ok(Library { functions, passes, version: (part(16), part(8), part(0)) })
    }

    pub fn host(&self) -> Host {
        let f = &self.functions;
        let (mut triple, mut features) = (null_mut(), null_mut());
        // SAFETY: both write a terminated text or leave the pointer as it is.
        unsafe {
            (f.LLVMPY_GetDefaultTargetTriple)(&mut triple);
            (f.LLVMPY_GetHostCPUFeatures)(&mut features);
        }
        Host { kind: Kind::Lite, version: self.version, triple: taken(f, triple), features: taken(f, features) }
    }

    /// Compiles a module.
    pub fn generate(&self, job: &Job) -> Result<Vec<u8>, String> {
        let mut session =
            Session { library: self, f: &self.functions, context: null_mut(), module: null_mut(), machine: null_mut() };
        session.parse(&job.text)?;
        session.target(job)?;
        if let Some(pipeline) = &job.pipeline {
            session.optimise(pipeline)?;
        }
        session.emit(!job.assembly)
    }
}

/// What was created for one compilation.
struct Session<'a> {
    library: &'a Library,
    f: &'a Functions,
    context: Ref,
    module: Ref,
    machine: Ref,
}

impl Session<'_> {
    fn parse(&mut self, text: &str) -> Result<(), String> {
        let text = super::ffi::c_string(text)?;
        let mut message = null_mut();
        // SAFETY: the text is terminated; the module lives in the context, which this value owns.
        unsafe {
            self.context = (self.f.LLVMPY_ContextCreate)();
            self.module = (self.f.LLVMPY_ParseAssembly)(self.context, text.as_ptr(), &mut message);
        }
        let message = taken(self.f, message);
        if self.module.is_null() {
            return Err(message);
        }
        let mut message = null_mut();
        // SAFETY: the module was just parsed.
        let failed = unsafe { (self.f.LLVMPY_VerifyModule)(self.module, &mut message) };
        let message = taken(self.f, message);
        if failed != 0 { Err(message) } else { Ok(()) }
    }

    /// Creates the target machine and makes the module one for it.
    fn target(&mut self, job: &Job) -> Result<(), String> {
        let [triple, processor, features] =
            [&job.triple, &job.processor, &job.features].map(|s| super::ffi::c_string(s));
        let (triple, processor, features) = (triple?, processor?, features?);
        let mut message = null_mut();
        // SAFETY: strings are terminated, module and machine exist where they are used.
        unsafe {
            let target = (self.f.LLVMPY_GetTargetFromTriple)(triple.as_ptr(), &mut message);
            let message = taken(self.f, message);
            if target.is_null() {
                return Err(message);
            }
            let (empty, pic, small) = (c"".as_ptr(), c"pic".as_ptr(), c"small".as_ptr());
            self.machine = (self.f.LLVMPY_CreateTargetMachine)(
                target,
                triple.as_ptr(),
                processor.as_ptr(),
                features.as_ptr(),
                if job.hurried { HURRY } else { OPTIMISE },
                pic,
                small,
                0,
                0,
                empty,
            );
            if self.machine.is_null() {
                return Err("there is no code generator for this processor".into());
            }
            (self.f.LLVMPY_SetTarget)(self.module, triple.as_ptr());
            let data = (self.f.LLVMPY_CreateTargetMachineData)(self.machine);
            let mut layout = null_mut();
            (self.f.LLVMPY_CopyStringRepOfTargetData)(data, &mut layout);
            (self.f.LLVMPY_DisposeTargetData)(data);
            let layout = super::ffi::c_string(&taken(self.f, layout))?;
            (self.f.LLVMPY_SetDataLayout)(self.module, layout.as_ptr());
        }
        Ok(())
    }

    /// Runs `default:LEVEL`, or passes by name with `simplify:LEVEL` among them, separated by commas.
    fn optimise(&self, pipeline: &str) -> Result<(), String> {
        let f = self.f;
        // SAFETY: module and machine exist; everything that is created here goes here, users before what they use.
        unsafe {
            let options = (f.LLVMPY_CreatePipelineTuningOptions)();
            if !pipeline.starts_with("default") {
                // The text has vectors and iterations as they shall be.
                (f.LLVMPY_PTOSetLoopVectorization)(options, false);
                (f.LLVMPY_PTOSetSLPVectorization)(options, false);
                (f.LLVMPY_PTOSetLoopInterleaving)(options, false);
                (f.LLVMPY_PTOSetLoopUnrolling)(options, false);
            }
            let builder = (f.LLVMPY_CreatePassBuilder)(self.machine, options);
            let done = pipeline.split(',').try_for_each(|step| self.step(builder, step));
            (f.LLVMPY_DisposePassBuilder)(builder);
            (f.LLVMPY_DisposePipelineTuningOptions)(options);
            done
        }
    }

    fn step(&self, builder: Ref, step: &str) -> Result<(), String> {
        let f = self.f;
        let (name, level) = step.split_once(':').map_or((step, 0), |(name, level)| (name, level.parse().unwrap_or(1)));
        // SAFETY: as in `optimise`.
        unsafe {
            if name == "default" {
                let passes = (f.LLVMPY_buildPerModuleDefaultPipeline)(builder, level);
                (f.LLVMPY_RunNewModulePassManager)(passes, self.module, builder);
                (f.LLVMPY_DisposeNewModulePassManger)(passes);
                return Ok(());
            }
            let passes = match name {
                "simplify" => (f.LLVMPY_buildFunctionSimplificationPipeline)(builder, level),
                _ => {
                    let known = self.library.passes.iter().find(|(known, _)| *known == name);
                    let (_, add) = known.ok_or_else(|| format!("there is no pass {name}"))?;
                    let passes = (f.LLVMPY_CreateNewFunctionPassManager)();
                    add(passes);
                    passes
                }
            };
            let functions = (f.LLVMPY_ModuleFunctionsIter)(self.module);
            loop {
                let function = (f.LLVMPY_FunctionsIterNext)(functions);
                if function.is_null() {
                    break;
                }
                if (f.LLVMPY_IsDeclaration)(function) == 0 {
                    (f.LLVMPY_RunNewFunctionPassManager)(passes, function, builder);
                }
            }
            (f.LLVMPY_DisposeFunctionsIter)(functions);
            (f.LLVMPY_DisposeNewFunctionPassManger)(passes);
        }
        Ok(())
    }

    fn emit(&self, object: bool) -> Result<Vec<u8>, String> {
        let mut message = null_mut();
        // SAFETY: module and machine exist; the buffer is copied before it is disposed of.
        unsafe {
            let buffer =
                (self.f.LLVMPY_TargetMachineEmitToMemory)(self.machine, self.module, c_int::from(object), &mut message);
            let message = taken(self.f, message);
            if buffer.is_null() {
                return Err(message);
            }
            let start = (self.f.LLVMPY_GetBufferStart)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (self.f.LLVMPY_GetBufferSize)(buffer)).to_vec();
            (self.f.LLVMPY_DisposeMemoryBuffer)(buffer);
            Ok(bytes)
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // SAFETY: each exists at most once, and the module goes before its context.
        unsafe {
            if !self.machine.is_null() {
                (self.f.LLVMPY_DisposeTargetMachine)(self.machine);
            }
            if !self.module.is_null() {
                (self.f.LLVMPY_DisposeModule)(self.module);
            }
            if !self.context.is_null() {
                (self.f.LLVMPY_ContextDispose)(self.context);
            }
        }
    }
}
