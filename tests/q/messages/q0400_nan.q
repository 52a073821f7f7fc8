x = svd([[1,nan],[2,4]])   % error[Q0400]: 'svd' of a matrix with infinite elements or NaN
