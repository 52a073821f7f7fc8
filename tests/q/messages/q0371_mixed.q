a = [1,[2,3]]   % error[Q0371]: an array literal mixes numbers and arrays
