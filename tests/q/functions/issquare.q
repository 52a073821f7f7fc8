print issquare(eye(3)), issquare([1,2]), issquare(zeros(2,2,2))
% out: 100
