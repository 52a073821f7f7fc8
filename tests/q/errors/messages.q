% Messages of run-time errors, through catch.
function [] = attempt(f)
    try
        f()
        print "no error"
    catch e
        print e
    endtry
endfunction
x = [1,2,3]
A = eye(2)
c = {1, 2}
attempt(() -> x[3])
attempt(() -> A[0,2])
attempt(() -> A[-1,0])
attempt(() -> zeros(2,2,2)[0,0])
attempt(() -> A[["a"]])
attempt(() -> x["a"])
attempt(() -> x[{1}])
attempt(() -> [1,2] + [1,2,3])
attempt(() -> eye(2) * [1,2,3])
attempt(() -> ones(2,2,2) * ones(2,2,2))
attempt(() -> eye(2) / eye(2))
attempt(() -> [[1,2,3]]^2)
attempt(() -> 2147483647 + 1)
attempt(() -> mod(5, 0))
attempt(() -> "a" - 1)
attempt(() -> x && 1)
attempt(() -> (x ? 1 : 2))
attempt(() -> 1j < 2)
attempt(() -> undefined_name)
attempt(() -> lenght(x))
attempt(() -> sin())
attempt(() -> sin(1, 2))
attempt(() -> sin("a"))
attempt(() -> zeros(-1))
attempt(() -> zeros("a"))
attempt(() -> reshape(x, 2, 2))
attempt(() -> transpose(ones(2,2,2)))
attempt(() -> vertcat([1,2],[1,2,3]))
attempt(() -> inv([[1,2],[2,4]]))
attempt(() -> det([1,2]))
attempt(() -> max([]))
attempt(() -> permute(A, [0,0]))
attempt(() -> 0..0..5)
attempt(() -> "a"..3)
attempt(() -> [[1,2],[3]])
attempt(() -> [1,[2,3]])
attempt(() -> ["a"])
attempt(() -> 5(1))
attempt(() -> x(1))
attempt(() -> 5[1])
attempt(() -> (5).a)
attempt(() -> object(a:=1).b)
attempt(() -> nullptr.a)
attempt(() -> c[5])
attempt(() -> cell(2)[0] + 1)
attempt(() -> int("abc"))
attempt(() -> int(1j))
attempt(() -> int(1e10))
attempt(() -> str2num("1x"))
attempt(() -> sprintf("%d"))
attempt(() -> sprintf("%q", 1))
attempt(() -> eval("1 +"))
attempt(() -> load("no such file"))
attempt(() -> imread("no such file"))
attempt(() -> (x : mat(2,2)))
attempt(() -> cast(1, "nonsense"))
attempt(() -> assert(1 > 2))
attempt(() -> assert(1 > 2, "two is more"))
attempt(() -> parallel_do(3, x, x -> x))
attempt(() -> parallel_do(-1, __kernel__ (pos : int) -> pos))
attempt(() -> parallel_do([[4],[2000]], __kernel__ (pos : int) -> pos))
attempt(() -> parallel_do(3, x, __kernel__ (pos : int) -> pos))
attempt(() -> shared(3))
attempt(() -> {1,2} + {1,2,3})
attempt(() -> (x[0] = "a"))
attempt(() -> (x[0..1] = [1,2,3]))
attempt(() -> ((a, b) -> a)(1))
attempt(() -> ((a, b) -> a)(1, 2, 3))
attempt(() -> attempt(1, 2))
attempt(() -> attempt(g:=1))
function y = deep(n)
    y = deep(n + 1)
endfunction
attempt(() -> deep(0))
% out: index 3 is out of bounds (0..2) in 'x'
% out: index 2 is out of bounds (0..1) in 'A'
% out: index -1 is out of bounds (0..1) in 'A'
% out: 2 indices for an array with 3 dimensions
% out: a 'string' cannot be an element of an array literal
% out: a 'string' cannot be an index
% out: a 'vec[??]' cannot be an index
% out: operands have incompatible sizes 1x2 and 1x3
% out: inner dimensions of 2x2 and 1x3 do not agree
% out: '*' of arrays of sizes 2x2x2 and 2x2x2: use '.*' for cubes
% out: '/' needs a scalar divisor: use './' for element-wise division
% out: no error
% out: integer overflow in 2147483647 + 1
% out: mod by the integer 0
% out: '-' is not defined for 'string' and 'int'
% out: operand of '&&' must be a scalar, not a 'vec'
% out: condition must be a scalar, not a 'vec'
% out: complex numbers cannot be ordered
% out: 'undefined_name' is not defined
% out: 'lenght' is not defined
% out: 'sin' needs 1 argument, 0 are given
% out: 'sin' needs 1 argument, 2 are given
% out: 'sin' is not defined for 'string'
% out: a length of -1 for an array
% out: the size of an array needs numbers, not a 'string'
% out: an array of size 1x3 cannot be reshaped to 2x2
% out: transpose needs a vector or matrix, not an array of size 2x2x2
% out: 'vertcat' of arrays of sizes 1x2 and 1x3
% out: the matrix has no inverse: it is singular
% out: argument 1 of 'det' needs a square matrix, not one of size 1x2
% out: 'max' of an empty array
% out: the order of 'permute' must name every dimension once
% out: the step of a range is 0
% out: the start of a range needs a number, not a 'string'
% out: rows of an array literal have different sizes
% out: an array literal mixes numbers and arrays
% out: a 'string' cannot be an element of an array literal
% out: a 'int' cannot be called
% out: a 'vec' cannot be called
% out: index 1 is out of bounds (0..0) in array
% out: a 'int' has no fields, so there is no '.a'
% out: the object has no field 'b'
% out: field 'a' of a null pointer
% out: index 5 is out of bounds (0..1) in 'c'
% out: an operand of '+' has no value
% out: "abc" is not a number
% out: a 'cscalar' cannot be converted to 'int'
% out: value 10000000000 does not fit in int
% out: "1x" is not a number
% out: the format "%d" needs more values than are given
% out: unknown conversion '%q'
% out: eval: syntax error: expected an expression, found the end of the line
% out: load: cannot open 'no such file'
% out: imread: cannot open 'no such file'
% out: Type check failed: 'vec' is not 'mat(2,2)'
% out: unknown type 'nonsense'
% out: the assertion does not hold
% out: two is more
% out: the last argument of 'parallel_do' must be a kernel function, not a 'function'
% out: a launch over -1 positions
% out: a block has more than 1024 threads: 2000
% out: kernel '' needs 0 arguments, 1 are given
% out: shared memory can only be allocated in a kernel function
% out: cell matrices have different structures
% out: cannot store a 'string' in 'x', whose elements are 'scalar'
% out: cannot assign 1x3 values to a selection of size 2
% out: the lambda expression misses argument 'b'
% out: the lambda expression has 2 arguments, 3 are given
% out: 'attempt' has 1 arguments, 2 are given
% out: 'attempt' has no argument 'g'
% out: more than 50000 nested calls
