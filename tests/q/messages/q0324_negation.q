print -"a"   % error[Q0324]: 'neg' is not defined for 'string'
