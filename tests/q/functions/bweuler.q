print bweuler([[1,1,1],[1,0,1],[1,1,1]]), bweuler([[1,0],[0,1]]), bweuler([[1,0],[0,1]],4), bweuler(zeros(2,2)), bweuler([[1,0,1]])
% out: 01202
