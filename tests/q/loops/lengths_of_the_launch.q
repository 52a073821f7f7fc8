% Arrays within iterations and items whose lengths follow from a number of the launch.
x = mod(reshape(0..79,[8,10])*31, 17)
y = zeros(8,10)
for r=1..3
    for m=0..7
        for n=0..9
            v = zeros(2*r+1)
            for k=-r..r
                v[k+r] = x[m,max(0,min(9,n+k))]
            end
            y[m,n] = max(v) - min(v) + v[r]
        end
    end
    print sum(y), " ", y[4,4]
end
function [] = __kernel__ most(x:mat'mirror, y:mat, r:int, pos:ivec2)
    n = 2*r+1
    v = vec(n*n)
    k = 0
    for i=-r..r
        for j=-r..r
            v[k] = x[pos[0]+i,pos[1]+j]
            k += 1
        end
    end
    s = -1.0
    for a=0..n*n-1
        s = max(s, v[a])
    end
    y[pos] = s + numel(v)
end
for r=0..2
    parallel_do(size(x),x,y,r,most)
    print sum(y), " ", y[0,0]
end
% Too long for registers, of no length, and a length that each iteration has for itself.
function s = lengths(n)
    s = zeros(4)
    for i=0..3
        w = zeros(n)
        for k=0..n-1
            w[k] = i*k
        end
        s[i] = sum(w) + numel(w)
    end
end
print lengths(0), " ", lengths(5), " ", lengths(64), " ", lengths(1000)
% Lengths that are one variable, and arrays by the name of their type.
c = 3
for m=0..7
    u = zeros(c)
    w = mat(c, 2)
    u[0] = x[m,1]
    w[c-1,1] = x[m,2]
    y[m,0] = sum(u) + sum(w) + numel(w)
end
print y[:,0]
s = zeros(4)
for i=0..3
    u = ones(i+1)
    s[i] = sum(u)
end
print s
% out: 1284 10
% out: 1612 18
% out: 1726 18
% out: 715 1
% out: 1914 23
% out: 3272 40
% out: [0, 0, 0, 0] [5, 15, 25, 35] [64, 2080, 4096, 6112] [1000, 500500, 1000000, 1499500]
% out: [[31],
% out:  [22],
% out:  [13],
% out:  [21],
% out:  [29],
% out:  [20],
% out:  [11],
% out:  [19]]
% out: [1, 2, 3, 4]
% falls back: the for-loop
