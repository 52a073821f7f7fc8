print integralImage([[1,2],[3,4]])
% out: [[0, 0, 0],
% out:  [0, 1, 3],
% out:  [0, 4, 10]]
