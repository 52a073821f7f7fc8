print det([[1,2,3],[4,5,6]])   % error[Q0314]: argument 1 of 'det' needs a square matrix, not one of size 2x3
