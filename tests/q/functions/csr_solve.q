print csr_solve([0,2,3],[0,1,1],[2,1,4],[4,8]), " ", csr_solve([0,1,2],[0,1],[2,4],[[2,4],[4,8]])
n = 400
d = ones(n,3) .* [-1,3,-1.5]
s = spdiags(d,[-1,0,1],n,n)
b = 1..n
print max(abs(s*(s\b) - b)) < 0.01
try
    csr_solve([0,1,1],[0],[2],[1,1])
catch e
    print e
end
% out: [1, 2] [[1, 2],
% out:  [1, 2]]
% out: 1
% out: the system has no unique solution: its matrix is singular
