% Three lengths for a matrix; found by the fuzzer.
print eye([1,2,3], [0])   % error[Q0314]: argument 1 of 'eye' needs one or two lengths
