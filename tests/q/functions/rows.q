print rows(zeros(2,3))
% out: 2
