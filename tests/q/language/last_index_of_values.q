% end stands for the last index of any value before the brackets, which is evaluated once.
calls = [0]
function y = made(n)
    calls[0] += 1
    y = reshape(0..2*n-1, 2, n)
endfunction
print made(3)[end, 0], " ", made(3)[end, end], " ", made(4)[0, end-1..end], " ", calls[0]
print (1..5)[end], " ", [4, 5, 6][end-1]
x = [0,3,0,4]
last = find(x != 0)[end,1]
print last
f = t -> sort(t)[end]
print f([3,9,2])
print strsplit("a,b,c", ",")[end]
a = {[1,2,3], [4,5]}
print a[made(1)[end,0]][end]
print max(made(2)[0,:])[end]
for i = 0..1
    print made(i + 1)[end, end]
endfor
% out: 3 5 [2, 3] 3
% out: 5 5
% out: 3
% out: 9
% out: c
% out: 5
% out: 1
% out: 1
% out: 3
