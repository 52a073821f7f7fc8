print eig([[1,2,3],[4,5,6]])   % error[Q0314]: needs a square matrix
