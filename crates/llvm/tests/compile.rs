//! Text in, callable code out, with each libLLVM that is installed.

use quadra_llvm::{Llvm, Options, Pipeline};
use std::sync::Arc;

/// Every version that is installed here.
fn installed() -> Vec<Arc<Llvm>> {
    let names = ["libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM-17.so.1", "libLLVM-18.so.1"].map(String::from);
    let newer = (18..=22).map(|major| format!("libLLVM.so.{major}.1"));
    let found: Vec<_> = names.into_iter().chain(newer).filter_map(|name| Llvm::load(name).ok()).collect();
    if found.is_empty() {
        println!("skipped: no libLLVM is installed");
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
