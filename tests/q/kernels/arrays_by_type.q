% Arrays that a kernel makes by the name of their type: a sorted window, a matrix, whole numbers.
function [] = __kernel__ middle(x:mat'mirror, y:mat, pos:ivec2)
    v = vec(9)
    k = 0
    for i=-1..1
        for j=-1..1
            v[k] = x[pos[0]+i,pos[1]+j]
            k += 1
        end
    end
    for a=1..8
        t = v[a]
        b = a-1
        while b >= 0 && v[b] > t
            v[b+1] = v[b]
            b -= 1
        end
        v[b+1] = t
    end
    y[pos] = v[4]
end
function [] = __kernel__ powers(y:mat, pos:ivec2)
    m = mat(2,2)
    n = vec[int](3)
    m[0,0] = pos[0] + 1
    m[1,1] = 2
    m[0,1] = m[1,0] + pos[1]
    n[2] = pos[1]
    y[pos] = m[0,0]*m[1,1] - m[0,1] + n[0] + n[2]*10
end
x = mod(reshape(0..143,[12,12])*37, 101)
y = zeros(12,12)
parallel_do(size(x),x,y,middle)
print y[0,0], " ", y[5,7], " ", sum(y)
parallel_do([3,4],y,powers)
print y[0..2,0..3]
% out: 40 55 7191
% out: [[2, 11, 20, 29],
% out:  [4, 13, 22, 31],
% out:  [6, 15, 24, 33]]
