a : vec'const = [1,2]
a[0] = 3   % error[Q0214]: 'a'
% compile
