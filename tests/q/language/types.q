% Types, conversions and declarations.
print type(zeros(2,2)), " ", type(1==1), " ", type([1,2]==[1,2]), " ", type(1..3)
x : int = 5
x = 2.7   % warning[Q0360]: a scalar value is converted to int in 'x'
print x, " ", type(x)
v : vec(2) = [1,2]
try
    v = [1,2,3]
catch e
    print e
endtry
print cast([1.9, -1.9], int), " ", int([2.5, -2.5])
print uint8'sat([-5, 300]), " ", type(uint8'sat([-5, 300]))
a = mat[uint8](1,2)
try
    a[0,0] = 300
catch e
    print e
endtry
print scalar'half(2049), " ", type(scalar'half(1) + 1), " ", type(scalar'double(1) + 1)
print type(x -> x), " ", type(sin), " ", type({1}), " ", type(object()), " ", type("a")
function y = show(x : scalar)
    y = x / 2
endfunction
print show(3), " ", type(show(3))
try
    print show("a")
catch e
    print e
endtry
function y = gen[N : int](a : vec(N), b : vec(N))
    y = N
endfunction
print gen([1,2,3],[4,5,6])
try
    print gen([1,2],[1,2,3])
catch e
    print e
endtry
print maxvalue(int8), " ", minvalue(uint16), " ", type(maxvalue(int64))
z = czeros(2)
z[0] = 1 + 2j
print z, " ", type(z), " ", real(z), " ", conj(z[0]) * z[0]
try
    r = zeros(2)
    r[0] = 1j
catch e
    print e
endtry
w : vec[int] = vec[int](3)
w[1] = 7
print w, " ", sum(w), " ", type(w + 1), " ", type(w / 2)
% out: mat int vec[int] vec
% out: 2 int
% out: Type check failed: 'vec' is not 'vec(2)'
% out: [1, -1] [2, -2]
% out: [0, 255] vec[uint8'sat]
% out: value 300 does not fit in uint8
% out: 2048 scalar'half scalar'double
% out: function function vec[??] object string
% out: 1.5 scalar
% out: argument 'x' of 'show' needs a 'scalar', not a 'string'
% out: 3
% out: argument 'b' of 'gen' needs a 'vec(2)', not a 'vec' of size 1x3
% out: 127 0 int64
% out: [1+2j, 0+0j] cvec [1, 0] 5+0j
% out: cannot store a 'cscalar' in 'r', whose elements are 'scalar'
% out: [0, 7, 0] 7 vec[int] vec
