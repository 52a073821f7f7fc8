print var([1j,2])   % error[Q0325]: 'var' is not defined for complex numbers
