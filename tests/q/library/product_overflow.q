% The product of int matrices does not wrap.
A = reshape(int([50000, 1, 2, 3]), 2, 2)
print A*int([[1,2],[3,4]])
% out: [[50003, 100004],
% out:  [11, 16]]
print A*A % error[Q0327]: integer overflow in a matrix product
