print cummax([1j,2])   % error[Q0325]: complex numbers cannot be ordered
