print cast([1j,2],"vec[int]")   % error[Q0331]: elements cannot be converted
