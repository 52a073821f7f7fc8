x = chol([[1,2],[2,1]])   % error[Q0400]: 'chol' needs a positive definite matrix
