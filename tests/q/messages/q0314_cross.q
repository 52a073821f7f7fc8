print cross([1,2],[3,4])   % error[Q0314]: 'cross' needs two vectors with 3 elements
