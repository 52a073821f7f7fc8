//! Names the shared library for the dynamic linker: programs ask for libquadra.so.0, whatever the file is called here.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libquadra.so.0");
    }
}
