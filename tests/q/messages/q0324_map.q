print sqrt("a")   % error[Q0324]: 'sqrt' is not defined for 'string'
