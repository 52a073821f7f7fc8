x = inv([[1,2],[2,4]])   % error[Q0400]: the matrix has no inverse: it is singular
