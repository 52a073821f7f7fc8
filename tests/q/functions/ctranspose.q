print ctranspose([[1+2j, 3], [4, 5-1j]])
print ctranspose([1,2])
% out: [[1-2j, 4+0j],
% out:  [3+0j, 5+1j]]
% out: [[1],
% out:  [2]]
