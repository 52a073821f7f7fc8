print nnz([0,5,0,7]), " ", nnz(zeros(2,2)), " ", nnz(complex([0,1],[1,0]))
% out: 2 0 2
