% Floats that are whole numbers convert for parameters and fields of integer types; others are errors.
function y = f(n : int)
   y = n + 1
endfunction
function y = g(p : ivec2)
   y = p[0]*10 + p[1]
endfunction
function y = total(p : ivec)
   y = sum(p)
endfunction
function y = __device__ twice(n : int)
   y = n*2
endfunction
function y = byte(n : uint8)
   y = n
endfunction
type place : class
   n : int
   p : ivec2
endtype
function [] = attempt(what)
   try
      print what()
   catch ex
      print ex
   endtry
endfunction
dx = [1, 0, -1]
print f(dx[0]), " ", f(2.0)           % out: 2 3
attempt(() -> f(2.5))                 % out: argument 'n' of 'f' needs a 'int', not a 'scalar'
attempt(() -> f(1e10))                % out: argument 'n' of 'f' needs a 'int', not a 'scalar'
attempt(() -> f(0/0.0))               % out: argument 'n' of 'f' needs a 'int', not a 'scalar'
attempt(() -> f(inf))                 % out: argument 'n' of 'f' needs a 'int', not a 'scalar'
attempt(() -> byte(255.0))            % out: 255
attempt(() -> byte(256.0))            % out: argument 'n' of 'byte' needs a 'uint8', not a 'scalar'
attempt(() -> g([1,2]))               % out: 12
attempt(() -> g([1,2.5]))             % out: argument 'p' of 'g' needs a 'vec(2)[int]', not a 'vec' of size 1x2
attempt(() -> total([1,2,3]))         % out: 6
attempt(() -> total(ones(1000)))      % out: argument 'p' of 'total' needs a 'vec[int]', not a 'vec'
attempt(() -> twice(dx[2]))           % out: -2
attempt(() -> twice(0.5))             % out: argument 'n' of 'twice' needs a 'int', not a 'scalar'
attempt(() -> place(n:=4.0, p:=[5,6])) % out: place(n:=4, p:=[5, 6])
attempt(() -> place(n:=4.5))          % out: field 'n' of 'place' needs a 'int', not a 'scalar'
attempt(() -> place(p:=[0.5,1]))      % out: field 'p' of 'place' needs a 'vec(2)[int]', not a 'vec'
q = place(1, [2,3])
print q                               % out: place(n:=1, p:=[2, 3])
% A copy: writes do not come back.
function [] = first(p : ivec)
   p[0] = 7
endfunction
v = [1,2]
first(v)
print v                               % out: [1, 2]
% A number stays one where both are possible.
function y = which(a : mat)
   y = "array"
endfunction
function y = which(a : int)
   y = "number"
endfunction
print which(3.0)                      % out: number
% Kernels and the functions that they call.
function [] = __kernel__ fill(x : vec, n : int, p : ivec2, pos : int)
   x[pos] = twice(floor(pos/2.0)) + n + p[0]
endfunction
x = zeros(4)
parallel_do(4, x, 2.0, [100,0], fill)
print x                               % out: [102, 102, 104, 104]
attempt(() -> parallel_do(4, x, 2.5, [100,0], fill))  % out: argument 'n' of 'fill' needs a 'int', not a 'scalar'
function [] = __kernel__ halves(x : vec, pos : int)
   x[pos] = twice(pos/2)
endfunction
attempt(() -> parallel_do(4, x, halves))  % out: argument 'n' of 'twice' needs a 'int', not a 'scalar'
print imfilter(ones(8,8), ones(5,7), ceil(size(ones(5,7))/2)-1, "mirror")[3,3]  % out: 35
