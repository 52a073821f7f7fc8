//! What the language itself gives names to, for the reference and for `help`: constants, types as functions, parameters of
//! kernels, statements. This file is a table.

/// An entry of the reference that is no function of the library.
pub struct Word {
    pub name: &'static str,
    pub signature: &'static str,
    /// One line.
    pub about: &'static str,
    /// Statements that show it at work, separated by "; ".
    pub example: &'static str,
}

const fn word(name: &'static str, signature: &'static str, about: &'static str, example: &'static str) -> Word {
    Word { name, signature, about, example }
}

/// The themes of the reference and their words.
pub fn themes() -> [(&'static str, &'static [Word]); 4] {
    [
        ("Constants", CONSTANTS),
        ("Types as functions", TYPES),
        ("Parameters of kernels", PARAMETERS),
        ("Statements", STATEMENTS),
    ]
}

/// The entry of a word.
pub fn find(name: &str) -> Option<&'static Word> {
    themes().into_iter().flat_map(|(_, words)| words).find(|w| w.name == name)
}

const CONSTANTS: &[Word] = &[
    word("pi", "pi", "3.14159…", "print round(pi*100)"),
    word("eps", "eps", "distance from 1 to the next scalar", "print eps < 0.000001"),
    word("inf", "inf", "infinity", "print inf > 1e30"),
    word("nan", "nan", "not a number", "print nan == nan"),
    word("true", "true", "1", "print true"),
    word("false", "false", "0", "print false"),
    word("nullptr", "nullptr", "the pointer to nothing", "print nullptr == nullptr"),
];

const TYPES: &[Word] = &[
    word("int", "int(x)", "x without fraction as a 32-bit integer", "print int(3.7)"),
    word("int8", "int8(x), int8'sat(x), int8'unchecked(x)", "integer from -128 to 127", "print int8'sat(300)"),
    word("int16", "int16(x)", "integer of 16 bits", "print int16(-300)"),
    word("int32", "int32(x)", "integer of 32 bits", "print int32(7)"),
    word("int64", "int64(x)", "integer of 64 bits", "print int64(5000000000.0)"),
    word("uint8", "uint8(x)", "integer from 0 to 255", "print uint8'sat(-4)"),
    word("uint16", "uint16(x)", "integer from 0 to 65535", "print uint16(65535)"),
    word("uint32", "uint32(x)", "integer of 32 bits without sign", "print uint32(3e9)"),
    word("uint64", "uint64(x)", "integer of 64 bits without sign", "print uint64(7)"),
    word("scalar", "scalar(x), scalar'half(x), scalar'double(x)", "x as floating-point number", "print scalar(3)/2"),
    word("vec", "vec(n), vec[T](n)", "vector of n zeros", "print vec(3), vec[int](2)"),
    word("mat", "mat(r,c), mat[T](r,c)", "matrix of zeros", "print mat(2,2)"),
    word("cube", "cube(d…), cube[T](d…)", "array of zeros", "print size(cube(2,3,4))"),
    word("cell", "cell(d…)", "cell matrix whose elements are not set", "c = cell(2); c[0] = \"a\"; print c"),
    word(
        "object",
        "object(name:=value,…)",
        "object with fields, more can be added",
        "o = object(a:=1); o.b = 2; print o.a + o.b",
    ),
];

const PARAMETERS: &[Word] = &[
    word(
        "pos",
        "pos : int or ivecN",
        "position of the thread in the launch",
        "y = zeros(3); parallel_do(3, y, __kernel__ (y : vec, pos : int) -> y[pos] = pos); print y",
    ),
    word(
        "blkpos",
        "blkpos",
        "position of the thread in its block",
        "y = zeros(4); parallel_do([[4],[2]], y, __kernel__ (y : vec, pos : int, blkpos : int) -> y[pos] = blkpos); print y",
    ),
    word(
        "blkidx",
        "blkidx",
        "position of the block in the launch",
        "y = zeros(4); parallel_do([[4],[2]], y, __kernel__ (y : vec, pos : int, blkidx : int) -> y[pos] = blkidx); print y",
    ),
    word(
        "blkdim",
        "blkdim",
        "lengths of a block",
        "y = zeros(4); parallel_do([[4],[2]], y, __kernel__ (y : vec, pos : int, blkdim : int) -> y[pos] = blkdim); print y",
    ),
    word(
        "blkcnt",
        "blkcnt",
        "numbers of blocks",
        "y = zeros(6); parallel_do([[6],[2]], y, __kernel__ (y : vec, pos : int, blkcnt : int) -> y[pos] = blkcnt); print y",
    ),
    word(
        "warpsize",
        "warpsize",
        "threads that run in step, 32",
        "y = zeros(1); parallel_do(1, y, __kernel__ (y : vec, pos : int, warpsize : int) -> y[pos] = warpsize); print y",
    ),
];

const STATEMENTS: &[Word] = &[
    word(
        "if",
        "if c … elseif d … else … endif",
        "one of several blocks; each word on a line of its own",
        "x = 3; if x > 2; print 1; endif",
    ),
    word(
        "for",
        "for i=from..step..to … endfor",
        "once for every item of a range or vector",
        "for i=1..2..5; print i; endfor",
    ),
    word("while", "while c … endwhile", "as long as c is not 0", "x = 3; while x > 0; x -= 1; endwhile; print x"),
    word(
        "repeat",
        "repeat … until c",
        "at least once, until c is not 0",
        "x = 0; repeat; x += 1; until x == 3; print x",
    ),
    word(
        "match",
        "match x with | p -> … | (q, r) -> … | _ -> … endmatch",
        "the first block whose pattern equals x",
        "match 2 with; | 1 -> print \"one\"; | _ -> print \"other\"; endmatch",
    ),
    word("break", "break", "leaves the innermost loop", "for i=0..9; break; endfor; print i"),
    word("continue", "continue", "goes on with the next iteration", "for i=0..2; continue; endfor; print i"),
    word(
        "function",
        "function [y,…] = name(x,…) … endfunction",
        "defines a function; x : T gives a type, x = e a default",
        "function y = twice(x); y = 2*x; endfunction; print twice(4)",
    ),
    word("return", "return", "leaves the function", "function y = f(x); y = x; return; endfunction; print f(1)"),
    word(
        "try",
        "try … catch e … endtry",
        "handles run-time errors; e.message and e.line",
        "try; error \"no\"; catch e; print e; endtry",
    ),
    word(
        "type",
        "type name : class … endtype",
        "defines a class or another name for a type",
        "type p : class; x : int; endtype; print p(x:=3)",
    ),
    word(
        "import",
        "import \"file.q\"",
        "runs another file once; its names are there from then on",
        "import \"system.q\"",
    ),
    word(
        "syncthreads",
        "syncthreads, syncthreads(block), (warp), (grid), (host)",
        "waits for the other threads of the block",
        "y = zeros(2); function [] = __kernel__ k(y : vec, pos : int); y[pos] = 1; syncthreads; endfunction; parallel_do(2, y, k); print y",
    ),
    word(
        "memfence",
        "memfence, memfence(block), (grid), (system)",
        "makes writes visible to other threads",
        "y = zeros(2); function [] = __kernel__ k(y : vec, pos : int); y[pos] = 1; memfence; endfunction; parallel_do(2, y, k); print y",
    ),
];
