//! Table of the codes of errors, warnings and notes. This file is a table.

use quadra_base::CodeEntry;

/// A program that raises a code, or a command that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Options of `quadra run` that it needs.
    pub options: &'static str,
    pub text: &'static str,
    /// The text is a command and what it is about.
    pub command: bool,
}

/// The example of a code of this table.
pub fn example(code: &str) -> Option<Example> {
    // A line of an example may hold a comparison.
    let all = include_str!("examples.txt").strip_prefix("== ")?;
    let found = all.split("\n== ").find_map(|part| part.strip_prefix(code))?;
    let (options, text) = found.split_once('\n')?;
    let command = options.trim() == "$";
    Some(Example { options: if command { "" } else { options.trim() }, text, command })
}

/// Q01xx: the text does not follow the grammar. Q02xx: names and types. Q03xx: run time. Q04xx: library and kernels.
/// Q05xx: loops.
pub const TABLE: &[CodeEntry] = &[
    row(
        "Q0101",
        "a character without meaning",
        "The language has no such character outside strings and comments. Comments start with '%', negation is '!', bits are combined by the functions and, or, xor, not.",
    ),
    row(
        "Q0102",
        "a string that is not closed",
        "Strings end on the line they start on. A double quote inside is written twice.",
    ),
    row(
        "Q0103",
        "a code attribute that is not closed",
        "Attributes such as {!parallel for} end on their line. A cell literal that starts with a negation is written { !x }.",
    ),
    row(
        "Q0104",
        "an integer constant that does not fit",
        "Integer constants have 32 bits, and more where a type takes them: `h : uint32 = 2166136261`, `int64(4294967296)`. With a decimal point the number is a scalar.",
    ),
    row(
        "Q0105",
        "a malformed number",
        "A letter stands directly after a number. Suffixes are h (hexadecimal), b (binary), o (octal), i and j (imaginary).",
    ),
    row(
        "Q0106",
        "a file in another encoding",
        "Programs are UTF-8. A file that is not is read as Latin-1, which keeps comments and strings of Western Europe legible. Save it as UTF-8.",
    ),
    row(
        "Q0110",
        "something else was expected",
        "The text does not follow the grammar at this place; the message says what was expected.",
    ),
    row("Q0111", "nested too deeply", "Brackets, operators and blocks may be nested 200 levels deep."),
    row(
        "Q0112",
        "a function type without arrow",
        "Function types are written [scalar -> scalar] or [(mat, scalar) -> (mat, mat)].",
    ),
    row("Q0113", "a reserved word as a name", "The word belongs to the language. Choose another name."),
    row("Q0114", "parameters that contradict", "Every parameter has its own name, and a variadic one is the last."),
    row("Q0115", "an optional argument of a lambda", "Only functions defined with 'function' have optional arguments."),
    row("Q0116", "a closing word without opening", "The word closes a block, but none is open here."),
    row("Q0117", "break or continue outside a loop", "They belong into the body of for, while or repeat."),
    row(
        "Q0118",
        "an import within a block",
        "Files are imported at the beginning of a program, outside functions and control structures.",
    ),
    row(
        "Q0119",
        "a statement that needs its own line, or a file that cannot be imported",
        "'if', 'elseif' and 'else' are followed by a line break. Imported files are looked for beside the importing file and in the library path. Libraries of machine code and files of other machines are skipped with a warning.",
    ),
    row("Q0120", "a block that is not closed", "Every if needs endif, every for endfor, and so on."),
    row(
        "Q0121",
        "two styles of block endings",
        "A file uses either endfor, endwhile, endfunction and so on, or the old 'end' throughout.",
    ),
    row("Q0122", "a declaration of something that is no variable", "'x : T' declares variables and fields."),
    row(
        "Q0123",
        "an assignment to something that cannot be assigned",
        "The left side is a variable, an element, a field, or a list of these in brackets. To compare use '=='.",
    ),
    row("Q0124", "a semicolon in an array literal", "Rows have their own brackets: [[1,2],[3,4]]."),
    row(
        "Q0125",
        "a condition that assigns",
        "'=' in a condition assigns and is the assigned value; '==' compares. '~=' assigns, too: the exclusive or. '!=' is inequality.",
    ),
    row("Q0126", "a declaration in the order of C", "'int n = 3' is read as 'n : int = 3'. The type follows the name."),
    row(
        "Q0127",
        "an array that grows",
        "Nothing but stores of elements gives the variable a value: it begins empty and becomes as large as they need, with 0 in between. Arrays that are made otherwise keep their size. A size that is known before (zeros) is quicker, shows a mistyped name as an error, and lets loops run in parallel.",
    ),
    row(
        "Q0128",
        "a command of the prompt",
        "Commands such as clear, clc and format act on a session of the prompt. In a program they do nothing.",
    ),
    row(
        "Q0129",
        "a variable that becomes an object",
        "Nothing but stores of fields gives the variable a value: it begins as an object without fields. If another name was meant, nothing is stored where it was wanted; object() before the first store says what is meant.",
    ),
    row(
        "Q0130",
        "a function that is too large",
        "A function has room for 60,000 variables and intermediate values. Split it, or read large tables from a file.",
    ),
    row(
        "Q0131",
        "an array that is made complex",
        "Complex values cannot be written into a real array. Where a variable is made by zeros and complex values are stored in it, its elements are complex from the start: zeros becomes czeros. Write czeros to say what is meant, or real(z) to store the real part alone. Stores under a condition, arrays that are made otherwise and variables with a type are left as they are.",
    ),
    row("Q0201", "a field that is there twice", "The fields of a class have different names."),
    row("Q0202", "a class that contains itself", "Instances are stored in place. A pointer ^T breaks the circle."),
    row(
        "Q0203",
        "an unknown modifier",
        "Modifiers: 'checked 'safe 'circular 'mirror 'clamped 'unchecked 'const 'sat 'half 'single 'double.",
    ),
    row(
        "Q0204",
        "a pointer to something that is no class",
        "Only classes have pointers; arrays, cells and objects are references already.",
    ),
    row(
        "Q0210",
        "a default that uses a later parameter",
        "Defaults are computed from left to right when the function is called.",
    ),
    row("Q0211", "a missing value", "A spread or a placeholder stands where a value is needed."),
    row("Q0212", "too many indices", "Arrays have up to 16 dimensions."),
    row(
        "Q0213",
        "a type check that can never hold",
        "The type of a literal is known; the check is decided while compiling.",
    ),
    row("Q0214", "a change of a constant", "The variable was declared with 'const."),
    row("Q0215", "too many arguments", "A call takes up to 250 arguments. Pass an array or a cell."),
    row(
        "Q0216",
        "an array of instances without a named type",
        "Define one first: type point_vec : vec[point], then point_vec(10).",
    ),
    row(
        "Q0217",
        "a value that is not used",
        "The statement computes a value and does nothing with it: a comparison where an assignment was meant, or a function of the library that was thought to change its argument. Assign the value, print it, or remove the statement.",
    ),
    row(
        "Q0218",
        "two to the power of a power of two",
        "nextpow2(x) is the power of two itself, as in Quasar; in MATLAB it is the exponent.",
    ),
    row("Q0220", "an unknown type", "No class, alias or built-in type has this name."),
    row("Q0300", "an error raised by the program", "The statement 'error' ran. It can be handled with try and catch."),
    row("Q0301", "the step limit", "The run was given a limit on loop iterations and calls."),
    row(
        "Q0302",
        "a name that is not defined",
        "A variable must be assigned before it is read. Functions see the outer variables that exist where they are defined.",
    ),
    row("Q0303", "recursion without end", "50,000 calls were nested."),
    row(
        "Q0304",
        "an output that was not assigned",
        "Every output that the caller asks for is assigned before the function ends.",
    ),
    row(
        "Q0305",
        "too many outputs are asked for",
        "The function has fewer outputs than there are variables to assign.",
    ),
    row(
        "Q0306",
        "a named argument that does not fit",
        "The function has no parameter of this name, or it has a value already.",
    ),
    row("Q0307", "a call of something that is no function", "Elements are read with brackets: x[i]."),
    row("Q0308", "missing arguments", "The call gives fewer arguments than the function needs."),
    row("Q0309", "too many arguments for a function", "The call gives more arguments than the function has."),
    row("Q0310", "out of memory", "The arrays of the program would take more than the limit given by --max-memory."),
    row("Q0311", "an argument of another type", "The declared type of the parameter does not admit the value."),
    row(
        "Q0312",
        "a type check that failed",
        "The value does not belong to the type it was checked against or declared with.",
    ),
    row(
        "Q0313",
        "counts that differ in an assignment",
        "Both sides of a multiple assignment have the same number of items; '_' skips one.",
    ),
    row("Q0314", "an argument that a built-in function cannot use", "The help line shows how the function is called."),
    row("Q0315", "an assertion that does not hold", "The condition of 'assert' was 0."),
    row("Q0316", "text that cannot be evaluated", "eval takes one expression."),
    row("Q0317", "the program was interrupted", "Ctrl-C ends what runs. At the prompt the session goes on."),
    row(
        "Q0318",
        "the time limit",
        "The program ran longer than '--time-limit SECONDS' allows, on the host and on devices.",
    ),
    row(
        "Q0320",
        "incompatible sizes",
        "Element-wise operators need equal sizes, a number, or dimensions of length 1, aligned at the first dimension.",
    ),
    row(
        "Q0321",
        "arithmetic on sized integer arrays",
        "The module inttypes.q has to be imported. Single elements can always be used.",
    ),
    row("Q0322", "cells of different structure", "Operators on cells go element by element."),
    row("Q0323", "a value that was never set", "An element of a cell or a variable is read before it was assigned."),
    row(
        "Q0324",
        "an operator on values it is not defined for",
        "Operators work on numbers, arrays, cells of these, and '+' on strings.",
    ),
    row(
        "Q0325",
        "an operation that complex numbers do not have",
        "Complex numbers are not ordered. Use real(z), imag(z) or abs(z).",
    ),
    row(
        "Q0326",
        "mod by the integer 0",
        "The remainder is not defined. With a decimal point the result is the dividend.",
    ),
    row("Q0327", "integer overflow", "int has 32 bits and does not wrap on the host. Use a scalar or int64."),
    row("Q0330", "a value that does not fit an integer type", "'sat clips, 'unchecked wraps, a wider type holds more."),
    row("Q0331", "a conversion that does not exist", "See the conversion table in the reference."),
    row("Q0332", "text that is no number", "The text was to be converted to a number."),
    row(
        "Q0340",
        "an index outside the array",
        "Indices start at 0. Access modes such as 'safe, 'clamped, 'mirror and 'circular define what reading outside gives.",
    ),
    row("Q0341", "an index of the wrong kind", "Indices are numbers, ranges, ':' and vectors of numbers."),
    row("Q0342", "too few indices", "One index per dimension, or one position vector."),
    row("Q0343", "a position vector that is too short", "It needs one component per dimension."),
    row(
        "Q0344",
        "sizes that differ in an element assignment",
        "The right side is a number or has the size of the selection.",
    ),
    row("Q0345", "an element of another type", "The array cannot hold such values."),
    row("Q0346", "an index into something without elements", "Only arrays, numbers, cells and strings have elements."),
    row("Q0347", "a change of a string", "Strings are immutable; build a new one with '+'."),
    row("Q0350", "classes that are nested too deeply", "A field of class type contains its value; use a pointer."),
    row("Q0351", "construction with values that do not fit", "More values than fields, or one field twice."),
    row(
        "Q0352",
        "a class without default constructor",
        "A field has no default value; give it one in the construction.",
    ),
    row("Q0353", "a field that does not exist", "The message names the class, the help its fields."),
    row("Q0354", "a field value of another type", "The declared type of the field does not admit the value."),
    row("Q0355", "access through a null pointer", "Compare with nullptr first."),
    row("Q0356", "a field of something without fields", "Fields belong to class instances and objects."),
    row("Q0357", "a change of an immutable class", "Define it as 'mutable class' to change fields."),
    row(
        "Q0360",
        "a fraction is lost",
        "A variable that started as an integer constant stays an int under += and -=. Start it with 0.0 to keep fractions.",
    ),
    row("Q0361", "a warning of the program", "The statement 'warning' ran."),
    row("Q0370", "rows of different sizes", "All rows of a literal have the same size."),
    row("Q0371", "numbers and arrays mixed in a literal", "Use horzcat, or '...v' to splice a vector."),
    row("Q0372", "an element that is no number", "Arrays hold numbers; cells hold anything: {a, b}."),
    row("Q0373", "a range of something that is no number", "from..to or from..step..to."),
    row("Q0374", "a range without step", "The step must not be 0."),
    row("Q0375", "a range that is too long", "A range has at most 2^40 items."),
    row("Q0380", "a condition that is no single number", "Use any(x) or all(x)."),
    row(
        "Q0381",
        "an operand of 'and' or 'or' that is no single number",
        "The short-circuit operators take single numbers. For arrays use .*, max, any or all.",
    ),
    row("Q0382", "a loop over something that is no sequence", "Loops go over ranges and vectors."),
    row("Q0383", "a spread of something without elements", "'...' needs a vector or a cell."),
    row("Q0390", "a size that is no whole number from 0", "Lengths are given as numbers or as one vector."),
    row("Q0391", "a reshape that changes the number of elements", "Both shapes have the same number of elements."),
    row("Q0392", "a transpose of a cube", "Use permute(x,order)."),
    row("Q0393", "arrays that cannot be joined", "Sizes may differ only along the joined dimension."),
    row("Q0394", "an order that is no permutation", "Every dimension is named once."),
    row("Q0395", "a reduction of an empty array", "There is no largest element of nothing."),
    row("Q0396", "a division by a matrix", "'./' divides element by element, solve(A,b) solves a system."),
    row(
        "Q0397",
        "a power that matrices do not have",
        "'^' needs a square matrix and a whole exponent from 0; '.^' goes element by element.",
    ),
    row("Q0398", "a matrix product of cubes", "'*' multiplies matrices; use '.*'."),
    row(
        "Q0399",
        "inner dimensions that do not agree",
        "The columns of the left matrix must be as many as the rows of the right one.",
    ),
    row("Q0400", "a matrix that is singular or not definite", "The decomposition does not exist."),
    row("Q0401", "an optional argument of a kernel", "Kernel functions get all their arguments at every launch."),
    row(
        "Q0402",
        "a host function called by a kernel",
        "Kernel and device functions call device functions and lambdas only.",
    ),
    row("Q0403", "a statement that kernels do not have", "Printing, files and text belong to the host."),
    row("Q0404", "try within a kernel", "Errors of kernels are raised at the launch."),
    row("Q0405", "an unknown scope of a barrier", "block, warp, grid or host."),
    row("Q0406", "a kernel that is called like a function", "Kernels are launched with parallel_do or serial_do."),
    row(
        "Q0407",
        "a barrier in a function called by a built-in function",
        "Barriers belong into the kernel itself or its device functions.",
    ),
    row("Q0408", "a barrier on the host", "Host code runs in order."),
    row("Q0410", "a format that does not fit its values", "C conversions: %d %x %o %c %f %e %g %s %%."),
    row("Q0411", "a number that is no character", "Character codes run from 0 to 1114111."),
    row("Q0412", "output that cannot be written", "The output of the program is closed or full."),
    row(
        "Q0413",
        "a data file that cannot be read or written",
        "save and load use their own binary format, or .npy and .csv by the name of the file.",
    ),
    row(
        "Q0414",
        "an image that cannot be read or written",
        "PGM, PPM, PNG, JPEG, TIFF and BMP are known; the extension gives the format. Plots are SVG or PNG.",
    ),
    row("Q0415", "where a picture was written", "Without a terminal, imshow and plot name the file they wrote."),
    row("Q0417", "a file that is not open", "fopen gives the handle of a file, for reading or for writing."),
    row(
        "Q0418",
        "a file outside the sandbox",
        "With '--sandbox DIR' a program reaches the files of that directory alone. Links and '..' are followed first.",
    ),
    row("Q0420", "a launch without kernel", "The last argument of parallel_do is the kernel."),
    row("Q0421", "a launch over impossible sizes", "Sizes are whole numbers from 0, in all at most 2^40 positions."),
    row("Q0422", "an impossible block size", "A block has 1 to 1024 threads."),
    row("Q0423", "too much shared memory", "A block has 48 KiB."),
    row("Q0424", "shared memory on the host", "It exists within kernels only."),
    row(
        "Q0425",
        "a launch with the wrong number of arguments",
        "The special parameters pos, blkpos, blkidx, blkdim, blkcnt and warpsize are not passed.",
    ),
    row(
        "Q0426",
        "an argument that kernels cannot take",
        "Strings, untyped cells and dynamic objects stay on the host.",
    ),
    row(
        "Q0427",
        "a kernel output that is no number",
        "Outputs of kernels are numbers or vectors of fixed size that all threads share.",
    ),
    row(
        "Q0428",
        "a barrier that not all threads reach",
        "All threads of a block pass the same barriers: move it out of conditions.",
    ),
    row("Q0429", "a barrier in a serial launch", "serial_do runs one thread after the other."),
    row("Q0430", "a bound of shared memory", "Assertions before the allocation bound its sizes."),
    row(
        "Q0431",
        "a race",
        "Two work items of one launch access the same element, at least one writes it, no barrier orders the two accesses and they are not both atomic. Found by --check-races.",
    ),
    row(
        "Q0432",
        "shared memory that is used before it is filled",
        "The threads of a block fill the memory of shared_zeros together: syncthreads must follow before it is used.",
    ),
    row(
        "Q0433",
        "a kernel that writes to a converted copy",
        "An array of another element type is converted for the kernel; what the kernel writes there does not reach the caller.",
    ),
    row(
        "Q0501",
        "a forced loop that cannot be a kernel",
        "{!parallel for} stands before a loop whose body cannot run on a device.",
    ),
    row(
        "Q0502",
        "a forced loop with a dependency",
        "{!parallel for} stands before a loop whose iterations depend on each other; results may differ from run to run.",
    ),
    row(
        "Q0503",
        "a loop over values of unknown type",
        "The loop looks parallel, but the type of a variable is settled only at run time.",
    ),
    row(
        "Q0504",
        "a loop with a dependency",
        "The loop works on arrays, but its iterations depend on each other. It runs serially.",
    ),
    row("Q0510", "why a loop is not parallel", "Shown with -v."),
    row(
        "Q0520",
        "why a kernel is not lowered to kernel IR",
        "It runs on the host's own executor instead. Shown with -v.",
    ),
    row(
        "Q0521",
        "why a kernel does not run on the device",
        "The device cannot do what the kernel needs, so the kernel runs on the processor.",
    ),
    row("Q0522", "where a loop or kernel runs", "The device that `--device auto` chose for it. Shown with -v."),
    row(
        "Q0523",
        "nothing to compile loops and kernels with",
        "They are compiled for the processor by libLLVM, which is not installed. Everything runs without, more slowly.",
    ),
    row(
        "Q0524",
        "a launch that took too long",
        "A kernel or parallel loop ran longer than a launch may: '--time-limit SECONDS' of 'quadra run' says how long that is.",
    ),
    row("Q0525", "an unknown device", "`quadra run --help` says what kernels and parallel loops can run on."),
    row(
        "Q0526",
        "a wrong proof",
        "In the checked mode ('--checked', QUADRA_CHECKED=1) accesses that the compiler proved to stay inside their array are tested \
again, and one did not. That is a mistake of the compiler, not of the program; without the mode the host would have run the \
kernel or loop instead.",
    ),
    row(
        "Q0527",
        "NaN or infinity on the QPU",
        "The chip has neither: their bits count as numbers there, and what would make one gives some number. Test values before \
         (x != 0, x > 0), or run the program on another device.",
    ),
    row(
        "Q0528",
        "a loop or kernel that takes the host long",
        "No device takes it as it is written, so the host's interpreter runs it, some fifty times as slowly as compiled code. Shown \
on a terminal or with -v, once for each place. The help says what to write instead.",
    ),
];

const fn row(code: &'static str, title: &'static str, explanation: &'static str) -> CodeEntry {
    CodeEntry { code, title, explanation }
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn codes_are_unique_and_sorted() {
        assert!(TABLE.windows(2).all(|w| w[0].code < w[1].code));
    }

    #[test]
    fn every_code_in_the_source_is_in_the_table_and_the_other_way_round() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let crates = std::fs::read_dir(crates).expect("the crate lies among others").flatten();
        let mut todo: Vec<_> = crates
            .filter(|e| e.file_name().to_string_lossy().starts_with("quasar"))
            .map(|e| e.path().join("src"))
            .collect();
        let mut used = Vec::new();
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                todo.extend(std::fs::read_dir(&path).expect("readable").flatten().map(|e| e.path()));
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("codes.rs") {
                let text = std::fs::read_to_string(&path).expect("readable");
                used.extend(text.match_indices("\"Q0").filter_map(|(i, _)| text.get(i + 1..i + 6).map(String::from)));
            }
        }
        assert!(used.len() > TABLE.len());
        for code in &used {
            assert!(TABLE.iter().any(|e| e.code == code), "{code} is not explained");
        }
        for entry in TABLE {
            assert!(used.iter().any(|c| c == entry.code), "{} is not used", entry.code);
        }
    }
}
