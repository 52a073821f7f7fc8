% What kernels may contain, with the same result on the host executor and through kernel IR.
type pixel : class
    r : scalar
    g : scalar
endtype
function y : scalar = __device__ norm1(v : vec3)
    y = abs(v[0]) + abs(v[1]) + abs(v[2])
endfunction
function y : int = __device__ first_above(x : vec, limit : scalar)
    y = -1
    for i = 0..numel(x)-1
        if x[i] > limit
            y = i
            return
        endif
    endfor
endfunction
function [a, b] = __device__ minmax(x : scalar, y : scalar)
    a = min(x, y)
    b = max(x, y)
endfunction
function [] = __kernel__ small(y : vec, pos : int)
    v = [1.5, -2, pos]
    w = zeros(3)
    for k = 0..2
        w[k] = v[2-k] * k
    endfor
    m = [[1,2],[3,4]] * [[0,1],[1,0]]
    y[pos] = norm1(v) + sum(w) + m[0,0] + numel(w) + prod(size(w))
endfunction
y = zeros(4)
parallel_do(4, y, small)
print y  % out: [12.5, 13.5, 14.5, 15.5]
function [] = __kernel__ calls(y : vec, x : vec, pos : int)
    [a, b] = minmax(x[pos], 2.5)
    k = first_above(x, 1.0)
    y[pos] = 100*a + 10*b + k
endfunction
parallel_do(4, y, [0.0,1,2,3], calls)
print y  % out: [27, 127, 227, 282]
function [] = __kernel__ complexes(y : vec, z : cvec, pos : int)
    w = z[pos] * (1 + 2i) - conj(z[pos])
    z[pos] = w
    y[pos] = abs(w) + real(w / (2 - 1i))
endfunction
z = complex([3.0, 0], [4, 1])
q = zeros(2)
parallel_do(2, q, z, complexes)
print z  % out: [-8+14j, -2+2j]
print sprintf("%.4f", q[0])  % out: 10.1245
function [] = __kernel__ loops(y : vec, pos : int)
    n = 0
    i = 0
    while 1
        i += 1
        if mod(i, 2) == 0
            continue
        endif
        n += i
        if i > 7
            break
        endif
    endwhile
    repeat
        n -= 1
    until n < 20
    match pos with
    | (0, 2) -> n += 100
    | 1 -> n += 200
    | _ -> n += 300
    endmatch
    for t = 3..-1..1
        n += t
    endfor
    for s = 0..0.5..1
        n += int(2*s)
    endfor
    y[pos] = n
endfunction
parallel_do(4, y, loops)
print y  % out: [128, 228, 128, 328]
function [] = __kernel__ modes(y : mat, c : mat'circular, m : mat'mirror, e : mat'clamped, s : mat, pos : ivec2)
    y[pos] = c[pos-[1,4]] + 10*m[pos-[1,4]] + 100*e[pos-[1,4]] + 1000*s[pos-[1,1]]
endfunction
a = [[1,2,3],[4,5,6]]
b = zeros(2,3)
parallel_do(size(b), b, a, a, a, a, modes)
print b  % out: [[146, 154, 165],
         % out:  [113, 1121, 2132]]
function [] = __kernel__ objects(y : vec, p : pixel, pos : int)
    q = pixel(r:=p.r+pos, g:=2)
    y[pos] = q.r * q.g + p.g
endfunction
parallel_do(4, y, pixel(r:=1, g:=3), objects)
print y  % out: [5, 7, 9, 11]
function [] = __kernel__ bytes(a : vec[uint8'sat], b : vec[uint8'unchecked], c : vec[int16], pos : int)
    a[pos] = a[pos] + 200
    b[pos] = b[pos] + 200
    c[pos] = -300 * pos
endfunction
u = uint8'sat([10,100])
w = uint8'unchecked([10,100])
c = vec[int16](2)
parallel_do(2, u, w, c, bytes)
print u, " ", w, " ", c  % out: [210, 255] [210, 44] [0, -300]
