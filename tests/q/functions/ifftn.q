print real(ifftn(fftn([[1,2],[3,4]])))
% out: [[1, 2],
% out:  [3, 4]]
