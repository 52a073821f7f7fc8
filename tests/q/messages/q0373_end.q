a = 0..[1,2]   % error[Q0373]: of a range needs a number, not a 'vec'
