print bi2de([[0,1,1]])
% out: [6]
