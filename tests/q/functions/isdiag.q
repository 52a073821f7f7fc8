print isdiag(eye(3))
% out: 1
