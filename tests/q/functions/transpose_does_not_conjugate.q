print transpose([[1j,2]])
% out: [[0+1j],
% out:  [2+0j]]
