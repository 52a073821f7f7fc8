a = "a"..3   % error[Q0373]: of a range needs a number, not a 'string'
