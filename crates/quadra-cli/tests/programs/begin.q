function y = twice(x)
    z = x*2
    y = z + 1
end

function [] = __kernel__ paint(im : mat, k : scalar, pos : ivec2)
    v = pos[0]*10 + pos[1]
    im[pos] = v*k
end

s = 0
for i=0..4
    s += twice(i)
end
im = zeros(4,5)
parallel_do(size(im), im, 0.5, paint)
