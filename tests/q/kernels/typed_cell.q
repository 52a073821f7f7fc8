% A kernel takes a cell that has a type, in the way that the help of Q0426 says; the host runs it.
% falls back: kernel 'total'
x = ones(4,4)
c = vec[mat](2)
c[0] = x
c[1] = x*2
function [] = __kernel__ total(c : vec[mat], z : mat, pos : ivec2)
    z[pos] = c[0][pos] + c[1][pos]
endfunction
z = zeros(4,4)
parallel_do([4,4], c, z, total)
print z[0,0]   % out: 3
