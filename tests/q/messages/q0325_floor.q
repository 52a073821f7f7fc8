print floor(1.5j)   % error[Q0325]: 'floor' is not defined for complex numbers
