print real(fftn([[1,2],[3,4]]))
% out: [[10, -2],
% out:  [-4, 0]]
