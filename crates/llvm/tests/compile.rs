//! Text in, callable code out, with each libLLVM that is installed.

use quadra_llvm::{Llvm, Options, Pipeline};
use std::sync::Arc;

/// The library of the package `llvmlite`, where the Python of the tests has it.
fn llvmlite() -> Option<std::path::PathBuf> {
    let python = std::env::var_os("QUADRA_PYTHON")?;
    let package = std::path::Path::new(&python).parent()?.parent()?;
    let versions = std::fs::read_dir(package.join("lib")).ok()?.flatten();
    let libraries = versions.map(|v| v.path().join("site-packages/llvmlite/binding/libllvmlite.so"));
    libraries.into_iter().find(|path| path.is_file())
}

/// Every version that is installed here.
fn installed() -> Vec<Arc<Llvm>> {
    let names = ["libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM-17.so.1", "libLLVM-18.so.1"].map(String::from);
    let newer = (18..=22).map(|major| format!("libLLVM.so.{major}.1"));
    let lite = llvmlite().into_iter().map(|path| path.display().to_string());
    let found: Vec<_> = names.into_iter().chain(newer).chain(lite).filter_map(|name| Llvm::load(name).ok()).collect();
    if found.is_empty() {
        quadra_base::testing::left_out("libLLVM is not installed");
    }
    found
}

const ADD: &str = "define i32 @add(i32 %a, i32 %b) {\n  %p = alloca i32\n  store i32 %a, ptr %p\n  %x = load i32, ptr %p\n  \
%r = add i32 %x, %b\n  ret i32 %r\n}\n";

#[test]
fn a_function_is_compiled_and_called() {
    for llvm in installed() {
        for pipeline in [Pipeline::None, Pipeline::Light, Pipeline::O2] {
            let options = Options { pipeline, ..Options::default() };
            let code = llvm.compile(ADD, &options).unwrap_or_else(|e| panic!("{:?}: {}", llvm.path(), e.render(false)));
            let address = code.address("add").expect("defined");
            assert!(code.address("sub").is_err());
            // SAFETY: the text above defines a function of this type.
            let add: extern "C" fn(i32, i32) -> i32 = unsafe { std::mem::transmute(address) };
            assert_eq!(add(40, 2), 42, "{:?}", llvm.path());
        }
    }
}

#[test]
fn the_library_of_llvmlite_has_all_pipelines() {
    let Some(path) = llvmlite() else { return quadra_base::testing::left_out("llvmlite is not installed") };
    let llvm = Llvm::load(path).expect("a library");
    assert!(llvm.is_llvmlite() && llvm.version().0 >= 20, "{:?}", llvm.version());
    for pipeline in [Pipeline::None, Pipeline::Light, Pipeline::Vectors, Pipeline::O2] {
        let options = Options { pipeline, ..Options::default() };
        let text = llvm.assembly(ADD, &options).unwrap_or_else(|e| panic!("{}", e.render(false)));
        // The slot in memory goes wherever there is a pipeline.
        let stores = text.lines().any(|line| line.contains("mov") && line.contains("(%rsp)"));
        assert!(text.contains("add:") && (pipeline == Pipeline::None || !stores), "{pipeline:?}: {text}");
    }
    // Other code than that of another library of the same version.
    assert!(llvm.identity(&Options::default()).contains("llvmlite"));
}

#[test]
fn a_wrong_text_is_an_error_with_llvms_message() {
    for llvm in installed() {
        let error = llvm.object("define i32 @f() { ret i64 0 }", &Options::default()).expect_err("types differ");
        assert_eq!(error.code, "E0853");
        assert!(error.notes[0].contains("i32") || error.notes[0].contains("i64"), "{:?}", error.notes);
        let error = llvm.object("nonsense", &Options::default()).expect_err("no module");
        assert!(error.notes[0].contains("expected top-level entity"), "{:?}", error.notes);
    }
}

#[test]
fn threads_compile_side_by_side() {
    let Some(llvm) = installed().pop() else { return };
    std::thread::scope(|scope| {
        for n in 0..4 {
            let llvm = &llvm;
            scope.spawn(move || {
                for i in 0..8 {
                    let text = format!("define i32 @f() {{ ret i32 {} }}", n * 100 + i);
                    let code = llvm.compile(&text, &Options::default()).expect("compiles");
                    let address = code.address("f").expect("defined");
                    // SAFETY: the text above defines a function of this type.
                    let f: extern "C" fn() -> i32 = unsafe { std::mem::transmute(address) };
                    assert_eq!(f(), n * 100 + i);
                }
            });
        }
    });
}

#[test]
fn features_are_switched_off_by_name() {
    let text = "define <16 x float> @f(ptr %p) {\n  %v = load <16 x float>, ptr %p\n  %r = fadd <16 x float> %v, %v\n  \
ret <16 x float> %r\n}\n";
    for llvm in installed().into_iter().filter(|l| l.has_feature("avx512f")) {
        let with = llvm.assembly(text, &Options::default()).expect("compiles");
        let options = Options { features: "-avx512f".into(), ..Options::default() };
        let without = llvm.assembly(text, &options).expect("compiles");
        assert!(with.contains("zmm") && !without.contains("zmm"), "{with}{without}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = Llvm::load("no-such-library.so").expect_err("there is none");
    assert_eq!(error.code, "E0852");
    assert!(error.message.contains("no-such-library.so"));
}

/// Constants in a section of their own, a function of the process, a jump table, calls within the module.
const PARTS: &str = "
@table = private constant [4 x i32] [i32 3, i32 5, i32 7, i32 11], align 16
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i32 @look(i32 %i) noinline {
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr @table, i64 %w
  %x = load i32, ptr %p
  ret i32 %x
}
define void @clear(ptr %p, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}
define i32 @sum() {
  %a = call i32 @look(i32 1)
  %b = call i32 @look(i32 3)
  %c = add i32 %a, %b
  ret i32 %c
}
define i32 @choose(i32 %i) {
  switch i32 %i, label %none [ i32 0, label %a i32 1, label %b i32 2, label %c i32 3, label %d i32 4, label %e ]
a:
  %va = call i32 @look(i32 0)
  ret i32 %va
b:
  ret i32 70
c:
  %vc = call i32 @sum()
  ret i32 %vc
d:
  ret i32 19
e:
  ret i32 -5
none:
  ret i32 0
}
define <4 x float> @scale(<4 x float> %x) {
  %y = fmul <4 x float> %x, <float 1.5, float 2.5, float 3.5, float 4.5>
  ret <4 x float> %y
}
";

#[test]
fn object_files_with_constants_and_calls_run_without_llvms_linker() {
    for llvm in installed() {
        for pipeline in [Pipeline::None, Pipeline::O2] {
            let code = llvm.compile(PARTS, &Options { pipeline, ..Options::default() }).expect("compiles");
            assert!(!code.is_linked_by_llvm(), "{:?}", llvm.path());
            let address = |name: &str| code.address(name).expect("defined");
            // SAFETY: the text above defines functions of these types.
            let (choose, clear) = unsafe {
                let choose: extern "C" fn(i32) -> i32 = std::mem::transmute(address("choose"));
                let clear: extern "C" fn(*mut u8, u64) = std::mem::transmute(address("clear"));
                (choose, clear)
            };
            assert_eq!([0, 1, 2, 3, 4, 5].map(|i| choose(i)), [3, 70, 16, 19, -5, 0]);
            let mut bytes = vec![1u8; 5000];
            clear(bytes.as_mut_ptr(), 4000);
            assert_eq!(bytes.iter().position(|b| *b == 1), Some(4000));
        }
    }
}

#[test]
fn an_object_file_of_the_cache_needs_no_compiler() {
    use quadra_base::cache::{Cache, counts};
    let directory = tempfile::tempdir().expect("a temporary directory");
    let cache = Cache::at(directory.path()).expect("own directory");
    let Some(llvm) = installed().pop() else { return };
    let found = || {
        let before = counts();
        let code = llvm.compile_in(ADD, &Options::default(), Some(&cache)).expect("compiles");
        // SAFETY: the text above defines a function of this type.
        let add: extern "C" fn(i32, i32) -> i32 = unsafe { std::mem::transmute(code.address("add").expect("defined")) };
        assert_eq!(add(1, 2), 3);
        (counts().hits - before.hits, counts().misses - before.misses)
    };
    assert_eq!((found(), found()), ((0, 1), (1, 0)));
    let entry = std::fs::read_dir(directory.path()).expect("readable").flatten().next().expect("one entry").path();
    let mut bytes = std::fs::read(&entry).expect("readable");
    let middle = bytes.len() - 200;
    bytes[middle] ^= 0x40;
    std::fs::write(&entry, bytes).expect("writable");
    assert_eq!((found(), found()), ((0, 1), (1, 0)), "a spoilt entry is compiled again");
    // Other options are another entry.
    llvm.compile_in(ADD, &Options { pipeline: Pipeline::O2, ..Options::default() }, Some(&cache)).expect("compiles");
    assert_eq!(std::fs::read_dir(directory.path()).expect("readable").count(), 2);
}

/// What LLVM can select on no processor with a limit on its vectors: it ends the process.
#[cfg(target_arch = "x86_64")]
const TOO_WIDE: &str = "
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32)
define void @f(ptr %p) \"prefer-vector-width\"=\"256\" \"min-legal-vector-width\"=\"256\" {
  %x = load <16 x float>, ptr %p
  %y = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %x, <16 x float> %x, <16 x float> %x, i16 -1, i32 4)
  store <16 x float> %y, ptr %p
  ret void
}
";

#[cfg(target_arch = "x86_64")]
#[test]
fn what_llvm_ends_over_is_an_error_and_others_are_compiled_meanwhile() {
    for llvm in installed().into_iter().filter(|l| l.has_feature("avx512vl")) {
        std::thread::scope(|scope| {
            for n in 0..6 {
                let llvm = &llvm;
                scope.spawn(move || match n % 3 {
                    0 => {
                        let error = llvm.object(TOO_WIDE, &Options::default()).expect_err("it cannot be selected");
                        assert_eq!(error.code, "E0855", "{:?}", error.render(false));
                        assert!(quadra_llvm::is_failure(&error) && error.message.contains("ended"), "{error:?}");
                    }
                    _ => assert!(llvm.object(ADD, &Options::default()).is_ok()),
                });
            }
        });
        assert!(llvm.object(ADD, &Options::default()).is_ok(), "{:?} goes on", llvm.path());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_compiler_that_is_killed_is_started_again() {
    let Some(llvm) = installed().pop() else { return };
    for _ in 0..3 {
        let process = llvm.process().expect("LLVM works in a process of its own");
        let status = std::process::Command::new("kill").args(["-9", &process.to_string()]).status();
        assert!(status.is_ok_and(|s| s.success()));
        assert!(llvm.object(ADD, &Options::default()).is_ok());
        assert!(llvm.process().is_some_and(|again| again != process));
    }
    // Killed while it is at work: who waits gets an answer from the next one.
    let many: String = (0..400).map(|n| ADD.replace("@add", &format!("@add{n}"))).collect();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| llvm.object(&many, &Options { pipeline: Pipeline::O2, ..Options::default() }));
        let process = llvm.process().expect("there is one").to_string();
        let _ = std::process::Command::new("kill").args(["-9", &process]).status();
        assert!(waits.join().expect("no panic").is_ok());
    });
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_of_llvm_is_loaded_into_this_process() {
    for llvm in installed() {
        llvm.compile(ADD, &Options::default()).expect("compiles");
    }
    let maps = std::fs::read_to_string("/proc/self/maps").expect("readable");
    assert!(!maps.contains("libLLVM") && !maps.contains("libllvmlite"), "{maps}");
}

#[test]
fn versions_before_15_are_refused_by_what_they_are() {
    let old = "libLLVM-14.so.1";
    match Llvm::load(old) {
        Ok(llvm) => panic!("{:?} was taken", llvm.version()),
        Err(e) if e.notes[0].contains("cannot open") => {
            quadra_base::testing::left_out(format_args!("{old} is not installed"))
        }
        Err(e) => assert!(e.notes[0].contains("LLVM 14 or older"), "{}", e.render(false)),
    }
    for llvm in installed().into_iter().filter(|llvm| !llvm.is_llvmlite()) {
        let name = llvm.path().display().to_string();
        assert!(name.contains(&llvm.version().0.to_string()), "{name}: {:?}", llvm.version());
    }
}
