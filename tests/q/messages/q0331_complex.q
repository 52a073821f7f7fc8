print int(1j)   % error[Q0331]: cannot be converted to 'int'
