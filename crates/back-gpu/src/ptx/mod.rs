//! The module of a shader once more, as LLVM IR for NVIDIA's GPUs: the same items, tests, marks and fuel, so that host and kernel
//! agree as they do on shaders. libLLVM makes PTX of it, in which no product and sum become one operation, because nothing allows it.
//!
//! What a shader binds are the kernel's parameters, in the order of the bindings: header, marks, buffers. What belongs to an
//! invocation is a slot of its own, which the optimiser turns into registers.

mod body;
mod ops;
mod statements;

use crate::abi::HEADER;
use body::Body;
use naga::valid::FunctionInfo;
use naga::{AddressSpace, Function, GlobalVariable, Handle, Module, TypeInner};
use quadra_kir::Kernel;
use std::fmt::Write;

/// LLVM's number of an address space of a GPU.
fn space(space: AddressSpace) -> u32 {
    match space {
        AddressSpace::Storage { .. } => 1,
        AddressSpace::WorkGroup => 3,
        _ => 0,
    }
}

/// The type of a pointer into an address space.
fn pointer(to: AddressSpace) -> String {
    match space(to) {
        0 => "ptr".into(),
        n => format!("ptr addrspace({n})"),
    }
}

/// The type of a value, or of what memory holds.
fn ty(inner: &TypeInner) -> String {
    match inner {
        TypeInner::Scalar(s) | TypeInner::Atomic(s) => match (s.kind, s.width) {
            (naga::ScalarKind::Bool, _) => "i1".into(),
            (naga::ScalarKind::Float, 8) => "double".into(),
            (naga::ScalarKind::Float, _) => "float".into(),
            (_, bytes) => format!("i{}", u32::from(bytes) * 8),
        },
        TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => pointer(*space),
        _ => quadra_base::bug!("shaders of kernels have scalars and pointers alone"),
    }
}

/// What a parameter or a global of the module is called.
fn global_name(module: &Module, global: Handle<GlobalVariable>) -> String {
    let sign = if module.global_variables[global].space == AddressSpace::WorkGroup { '@' } else { '%' };
    format!("{sign}g{}", global.index())
}

/// The name of the kernel's entry point.
pub fn name(kernel: &Kernel) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = kernel.name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    format!("quadra_{name}")
}

/// A valid module as LLVM IR, with the name of its entry point; `distinct` if no buffer has two names in a launch.
pub fn text(module: &Module, info: &naga::valid::ModuleInfo, (name, distinct): (&str, bool)) -> String {
    let mut out = String::new();
    let (mut outer, mut inner, mut handed) = (Vec::new(), Vec::new(), Vec::new());
    let mut own = String::new();
    for (handle, global) in module.global_variables.iter() {
        let (at, to) = (global_name(module, handle), pointer(global.space));
        match global.space {
            AddressSpace::WorkGroup => {
                let _ = writeln!(out, "{at} = internal addrspace(3) global {} undef, align 8", array(module, global));
                continue;
            }
            AddressSpace::Storage { access } => {
                let known = known(module, global, (access, distinct));
                outer.push(format!("{to} {known}align 4 {at}"));
            }
            _ => {
                let _ = writeln!(own, "  {at} = alloca {}, align 8", ty(&module.types[global.ty].inner));
            }
        }
        inner.push(format!("{to} {at}"));
        handed.push(format!("{to} {at}"));
    }
    for (handle, function) in module.functions.iter() {
        let arguments = function.arguments.iter().enumerate();
        let arguments = arguments.map(|(n, a)| format!("{} %a{n}", ty(&module.types[a.ty].inner)));
        let list: Vec<String> = inner.iter().cloned().chain(arguments).collect();
        let code = code(module, function, &info[handle], (&handed, ""));
        let _ = writeln!(
            out,
            "define internal void @f{}({}) alwaysinline convergent nounwind {{",
            handle.index(),
            list.join(", ")
        );
        let _ = writeln!(out, "begin:\n{code}}}");
    }
    let entry = &module.entry_points[0];
    let cleared = cleared(module, entry.workgroup_size[0]);
    let code = code(module, &entry.function, info.get_entry_point(0), (&handed, &cleared));
    let _ = writeln!(
        out,
        "define ptx_kernel void @{name}({}) convergent nounwind {{\nbegin:\n{own}  \
         %inside = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  \
         %group0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n  \
         %group1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()\n{code}}}",
        outer.join(", ")
    );
    let _ = writeln!(out, "{}", ops::DECLARATIONS);
    let most = entry.workgroup_size[0];
    let _ = writeln!(
        out,
        "!nvvm.annotations = !{{!0, !1}}\n!0 = !{{ptr @{name}, !\"kernel\", i32 1}}\n\
         !1 = !{{ptr @{name}, !\"maxntidx\", i32 {most}}}"
    );
    out
}

/// What LLVM is told of the parameter that a buffer is.
fn known(module: &Module, global: &GlobalVariable, (access, distinct): (naga::StorageAccess, bool)) -> String {
    let header = global.binding.is_some_and(|b| b.binding == HEADER);
    // LLVM looks for an instruction of its own for what nobody else writes, and there is none that loads in one step.
    let alone = header || distinct && !is_atomic(module, global);
    let known = [(alone, "noalias "), (!access.contains(naga::StorageAccess::STORE), "readonly ")];
    known.iter().filter_map(|(is, what)| is.then_some(*what)).collect()
}

/// Whether elements of a buffer are changed in one step.
fn is_atomic(module: &Module, global: &GlobalVariable) -> bool {
    match module.types[global.ty].inner {
        TypeInner::Array { base, .. } => matches!(module.types[base].inner, TypeInner::Atomic(_)),
        _ => false,
    }
}

/// The type of an array that a group shares.
fn array(module: &Module, global: &GlobalVariable) -> String {
    match module.types[global.ty].inner {
        TypeInner::Array { base, size: naga::ArraySize::Constant(size), .. } => {
            format!("[{size} x {}]", ty(&module.types[base].inner))
        }
        _ => quadra_base::bug!("arrays that groups share have a size"),
    }
}

/// The instructions of a function behind its first label, some of which come before everything.
fn code(module: &Module, function: &Function, info: &FunctionInfo, (handed, before): (&[String], &str)) -> String {
    let mut body = Body::new(module, function, info, handed);
    body.block(&function.body);
    body.finish(before)
}

/// Fills the arrays that a group of so many shares with zeros, as kernels find them.
fn cleared(module: &Module, invocations: u32) -> String {
    let (mut out, mut from) = (String::new(), "begin".to_string());
    let shared = module.global_variables.iter().filter(|(_, global)| global.space == AddressSpace::WorkGroup);
    for (handle, global) in shared {
        let TypeInner::Array { base, size: naga::ArraySize::Constant(size), .. } = module.types[global.ty].inner else {
            quadra_base::bug!("arrays that groups share have a size");
        };
        let (inner, n) = (&module.types[base].inner, handle.index());
        let (of, at) = (ty(inner), global_name(module, handle));
        let zero = if of == "float" || of == "double" { "0.0" } else { "0" };
        let _ = write!(
            out,
            "  br label %head{n}\nhead{n}:\n  %place{n} = phi i32 [ %inside, %{from} ], [ %next{n}, %clear{n} ]\n  \
             %more{n} = icmp ult i32 %place{n}, {size}\n  br i1 %more{n}, label %clear{n}, label %cleared{n}\n\
             clear{n}:\n  %at{n} = getelementptr {of}, ptr addrspace(3) {at}, i32 %place{n}\n  \
             store {of} {zero}, ptr addrspace(3) %at{n}, align {}\n  %next{n} = add i32 %place{n}, {invocations}\n  \
             br label %head{n}\ncleared{n}:\n",
            ops::bytes(inner)
        );
        from = format!("cleared{n}");
    }
    if !out.is_empty() {
        out += "  call void @llvm.nvvm.barrier0()\n";
    }
    out
}
