% `end` in the brackets behind a variable is its last index: of all elements, or of the dimension where it stands.
x = 10..10..50
print x[end], " ", x[end-1], " ", x[end-1..end], " ", x[[0,end]], " ", x[end..-2..0]
A = [[1,2,3],[4,5,6]]
print A[end,0], " ", A[0,end], " ", A[end,end-1], " ", A[end,:], " ", A[:,1..end]
print A[end]
% The innermost brackets count, and lengths of inner ones.
k = [2,0,1]
print x[k[end]], " ", x[k[end-1]+end-1]
c = {[1,2,3], "text", {4,5}}
print c[0][end], " ", c[1][end], " ", c[end][end]
s = object()
s.list = [7,8,9]
print s.list[end]
x[end] = 5
A[end,end] = 60
s.list[end] += 1
print x, " ", A[1,2], " ", s.list[end]
f = v -> v[end] - v[0]
print f([3,4,9])
% In loops and kernels, too.
function [] = __kernel__ turned(y : vec, x : vec, pos : int)
    y[pos] = x[end-pos]
end
y = zeros(5)
parallel_do(5, y, x, turned)
z = zeros(5)
for i = 0..4
    z[i] = x[end-i]
end
print y, " ", z
if x[end] == 5
    print "closed by its own word"
endif
% out: 50 40 [40, 50] [10, 50] [50, 30, 10]
% out: 4 3 5 [4, 5, 6] [[2, 3],
% out:  [5, 6]]
% out: 6
% out: 20 40
% out: 3 t 5
% out: 9
% out: [10, 20, 30, 40, 5] 60 10
% out: 6
% out: [5, 40, 30, 20, 10] [5, 40, 30, 20, 10]
% out: closed by its own word
