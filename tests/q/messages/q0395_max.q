x = max([])   % error[Q0395]: 'max' of an empty array
