order = zeros(1,6)
n = zeros(1)
function [] = __kernel__ k(order : vec, n : vec, pos : ivec2)
order[n[0]] = pos[0]*3 + pos[1]
n[0] += 1
endfunction
serial_do([2,3], order, n, k)
print order
% out: [0, 1, 2, 3, 4, 5]
