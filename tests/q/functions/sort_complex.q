% By size, equal ones by angle; what is no number last.
print sort([3+0j,-1,2j,1-1j,1]), " ", sort([3+0j,-1,2j],"descend")
[s,i] = sort([[3j,1],[1j,2]],0)
print s, " ", i
% out: [1+0j, -1+0j, 1-1j, 0+2j, 3+0j] [3+0j, 0+2j, -1+0j]
% out: [[0+1j, 1+0j],
% out:  [0+3j, 2+0j]] [[1, 0],
% out:  [0, 1]]
