int n = 3   % warning[Q0126]: 'n' is declared as in C
n = 4.5
print n
% out: 4
