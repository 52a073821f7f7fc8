print dct([1j,2])   % error[Q0325]: 'dct' is not defined for complex numbers
