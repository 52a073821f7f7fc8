print columns(zeros(2,3))
% out: 3
