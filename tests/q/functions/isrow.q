print isrow([1,2]), isrow(eye(2))
% out: 10
