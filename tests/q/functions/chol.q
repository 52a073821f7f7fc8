print chol([[4,0],[0,9]]), " ", chol([[4,2],[2,5]])
% out: [[2, 0],
% out:  [0, 3]] [[2, 0],
% out:  [1, 2]]
a = ones(40,40) + 41*eye(40)
l = chol(a)
above = 0.0
for i = 0..39
    for j = i+1..39
        above += abs(l[i,j])
    endfor
endfor
print above, " ", max(abs(l*transpose(l) - a)) < 1e-3
% out: 0 1
