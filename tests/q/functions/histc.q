print histc([1,2,2,3,0,9],[1,2,3]), " ", histc(zeros(0),[0,1])
% out: [1, 2, 1] [0, 0]
