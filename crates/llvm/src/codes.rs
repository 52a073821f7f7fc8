//! The codes of this crate's diagnostics.

use quadra_base::CodeEntry;

/// Every code, in order.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: "E0851",
        title: "libLLVM is not installed",
        explanation: "Native code is made by LLVM, which is looked for when it is first needed: versions 15 to 22, by the \
names under which Linux distributions and Homebrew install the library, and then the library inside the Python package \
llvmlite (0.45 or later), where pip has put it. Without either everything runs on interpreters. On \
Debian, Ubuntu and Raspberry Pi OS, install the package libllvm19, or whatever version from 15 on there is; or let the \
environment variable QUADRA_LLVM name the file. With QUADRA_LLVM=llvmlite only that package is looked for.",
    },
    CodeEntry {
        code: "E0852",
        title: "a file cannot be used as libLLVM",
        explanation: "The environment variable QUADRA_LLVM names a file that the dynamic linker cannot load, or that lacks \
a function of LLVM's C interface, or the code generator for this processor. Name the shared library of LLVM 15 to 22, for \
example libLLVM.so.19.1, or unset the variable. Older versions are refused under any name.",
    },
    CodeEntry {
        code: "E0853",
        title: "libLLVM refused generated code",
        explanation: "The text of a module did not parse, did not pass LLVM's verifier, or could not be turned into \
machine code. This is a bug of Quadra. Another version of libLLVM, named by QUADRA_LLVM, may accept it.",
    },
    CodeEntry {
        code: "E0854",
        title: "compiled code could not be linked",
        explanation: "Machine code refers to a function that this process does not have, or could not be put into memory.",
    },
    CodeEntry {
        code: "E0855",
        title: "libLLVM ended while it compiled",
        explanation: "LLVM ends the process that it works in over code that it cannot translate, or crashed. It works in a \
process of its own, so that nothing else ended; what was to be compiled is computed in another way, more slowly. This is a \
bug of Quadra or of LLVM. Another version of libLLVM, named by QUADRA_LLVM, may do better. The environment variable \
QUADRA_COMPILER says where LLVM works: `inside` means threads of the calling process, where a crash of LLVM ends it; \
anything else names the program to start, which must contain this library; without it the running program is started again.",
    },
];
