//! `quadra export --to object`: a kernel as an object file for a processor, made by libLLVM. It has the launch of the header that
//! `--to c` writes, as code: what that puts into uniforms, this puts where the kernel looks for it.

use super::export::{Export, scalar};
use quadra_back_cpu::portable;
use quadra_base::Diagnostic;
use quadra_kir::{Kernel, LANES, Param};
use quadra_llvm::{Llvm, Pipeline, Target};
use std::fmt::Write;

/// Statuses of the header.
const ARGUMENTS: u32 = 7;
const FAULT: u32 = 11;

/// What the header's functions for boards are here, where there is nothing to switch on. Several object files may have them.
fn board() -> String {
    let texts = [
        ("ok", 0, "no error"),
        ("arguments", ARGUMENTS, "wrong number of QPUs, or too large an array"),
        ("fault", FAULT, "an index is outside of its array, or an assertion does not hold"),
    ];
    let mut out = String::from(
        "define weak i32 @quadra_open(ptr %board) {\n  ret i32 0\n}\ndefine weak void @quadra_close(ptr %board) {\n  ret void\n}\n\
         @unknown = internal constant [15 x i8] c\"unknown status\\00\"\n",
    );
    let mut body = String::new();
    let mut last = "@unknown".to_string();
    for (name, status, text) in texts {
        let _ = writeln!(out, "@{name} = internal constant [{} x i8] c\"{text}\\00\"", text.len() + 1);
        let _ = writeln!(
            body,
            "  %is_{name} = icmp eq i32 %status, {status}\n  %{name} = select i1 %is_{name}, ptr @{name}, ptr {last}"
        );
        last = format!("%{name}");
    }
    out + &format!("define weak ptr @quadra_text(i32 %status) {{\n{body}  ret ptr {last}\n}}\n")
}

/// The processor of this name, or this one.
///
/// # Errors
/// This one is none of those that object files are made for.
pub fn target(name: Option<&str>) -> Result<&'static Target, Box<Diagnostic>> {
    let here = match std::env::consts::ARCH {
        "x86_64" => "x86-64",
        "arm" => "armv6",
        other => other,
    };
    Target::named(name.unwrap_or(here)).ok_or_else(|| {
        let names: Vec<&str> = Target::ALL.iter().map(|t| t.name).collect();
        let message = format!("there are no object files for this processor, `{here}`");
        Diagnostic::error("E0807", message).help(format!("--target names another one: {}", names.join(", "))).into()
    })
}

/// The object file of a kernel; `taken` is what is compiled, the kernel or what becomes of its groups.
///
/// # Errors
/// What only works in this process, or for QPUs, and what libLLVM says.
pub fn object(export: &Export<'_>, taken: &Kernel, target: &Target) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let llvm = Llvm::get().map_err(|d| vec![*d])?;
    let module = portable::module(taken, target.fuses)?;
    let text = module + &board() + &launch(export, taken);
    llvm.object_for(&text, target, Pipeline::Vectors).map_err(|d| vec![*d])
}

/// The function of the header. Arrays have one axis, as those of all kernels that processors run.
fn launch(export: &Export<'_>, taken: &Kernel) -> String {
    let (kernel, over) = (export.kernel, export.kernel.over as usize);
    let mut list = vec!["ptr %board".to_string(), "i32 %qpus".to_string()];
    list.extend((0..over).map(|axis| format!("i32 %extent_{axis}")));
    let mut body = String::new();
    let mut wrong = Wrong::default();
    wrong.or(&mut body, "icmp eq i32 %qpus, 0");
    wrong.or(&mut body, &format!("icmp ugt i32 %qpus, {}", export.most));
    for (n, (param, (name, _))) in kernel.params.iter().zip(&export.params).enumerate() {
        let _ = writeln!(
            body,
            "  %sp{n} = getelementptr i64, ptr %s, i64 {n}\n  %bp{n} = getelementptr [2 x i64], ptr %b, i64 {n}"
        );
        match *param {
            Param::Buffer(b) => {
                list.push(format!("ptr %p.{name}"));
                list.push(format!("i32 %p.{name}_n0"));
                let most = (1u32 << 31).div_ceil(kernel.bufs[b].elem.bytes()) - 1;
                wrong.or(&mut body, &format!("icmp ugt i32 %p.{name}_n0, {most}"));
                let _ = writeln!(
                    body,
                    "  store ptr %p.{name}, ptr %bp{n}\n  %be{n} = getelementptr i64, ptr %bp{n}, i64 1\n  \
                     %bn{n} = zext i32 %p.{name}_n0 to i64\n  store i64 %bn{n}, ptr %be{n}"
                );
            }
            Param::Scalar(v) => {
                let (ty, word) = word(scalar(kernel.values[v].ty), name, n);
                list.push(format!("{ty} %p.{name}"));
                let _ = writeln!(body, "  {word}\n  store i64 %w{n}, ptr %sp{n}");
            }
        }
    }
    // What becomes of groups gets the extent behind its parameters, and runs on the lanes of all groups.
    for (axis, n) in (kernel.params.len()..taken.params.len()).enumerate() {
        let _ = writeln!(
            body,
            "  %sp{n} = getelementptr i64, ptr %s, i64 {n}\n  %w{n} = zext i32 %extent_{axis} to i64\n  store i64 %w{n}, ptr %sp{n}"
        );
    }
    let extents = extents(export, &mut body, &mut wrong);
    let many = taken.params.len().max(1);
    format!(
        "define i32 @{}_launch({}) {{\nentry:\n  %s = alloca [{many} x i64], align 16\n  %b = alloca [{} x i64], align 16\n{body}  \
         br i1 {}, label %refuse, label %go\nrefuse:\n  ret i32 {ARGUMENTS}\ngo:\n  \
         %r = call i32 @run(i32 %qpus, i32 {}, i32 {}, i32 {}, ptr %s, ptr %b)\n  %stopped = icmp ne i32 %r, 0\n  \
         %status = select i1 %stopped, i32 {FAULT}, i32 0\n  ret i32 %status\n}}\n",
        export.name,
        list.join(", "),
        2 * many,
        wrong.0,
        extents[0],
        extents[1],
        extents[2],
    )
}

/// A scalar parameter's type, and the word that it becomes.
fn word(ty: &str, name: &str, n: usize) -> (&'static str, String) {
    match ty {
        "float" => ("float", format!("%f{n} = bitcast float %p.{name} to i32\n  %w{n} = zext i32 %f{n} to i64")),
        "double" => ("double", format!("%w{n} = bitcast double %p.{name} to i64")),
        "int64_t" => ("i64", format!("%w{n} = add i64 %p.{name}, 0")),
        _ => ("i32", format!("%w{n} = zext i32 %p.{name} to i64")),
    }
}

/// The items along each axis of what is launched. Groups must be whole.
fn extents(export: &Export<'_>, body: &mut String, wrong: &mut Wrong) -> [String; 3] {
    let over = export.kernel.over as usize;
    if export.groups.is_empty() {
        return std::array::from_fn(|axis| if axis < over { format!("%extent_{axis}") } else { "0".into() });
    }
    let mut all = LANES.to_string();
    for (axis, n) in export.groups.iter().enumerate() {
        let _ = writeln!(body, "  %rest{axis} = urem i32 %extent_{axis}, {n}");
        wrong.or(body, &format!("icmp ne i32 %rest{axis}, 0"));
        let _ = writeln!(
            body,
            "  %whole{axis} = udiv i32 %extent_{axis}, {n}\n  %wide{axis} = zext i32 %whole{axis} to i64\n  \
             %all{axis} = mul i64 {all}, %wide{axis}"
        );
        all = format!("%all{axis}");
        wrong.or(body, &format!("icmp ugt i64 {all}, {}", i32::MAX));
    }
    let _ = writeln!(body, "  %lanes = trunc i64 {all} to i32");
    ["%lanes".into(), "0".into(), "0".into()]
}

/// Whether any argument is wrong, as a value.
struct Wrong(String, usize);

impl Default for Wrong {
    fn default() -> Wrong {
        Wrong("false".into(), 0)
    }
}

impl Wrong {
    fn or(&mut self, body: &mut String, comparison: &str) {
        let n = self.1;
        let _ = writeln!(body, "  %is{n} = {comparison}\n  %wrong{n} = or i1 {}, %is{n}", self.0);
        *self = Wrong(format!("%wrong{n}"), n + 1);
    }
}
