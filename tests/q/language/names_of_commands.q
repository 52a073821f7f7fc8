% Variables may have the names of commands: elements are stored and read like those of others.
error[1] = 5    % warning[Q0127]: 'error' grows with what is stored in it
error[0] = 2
print error[0] + error[1]
warning = [1,2,3]
warning[0] = 4
warning[1..2] = 0
print warning
% An array behind the command is printed.
print [1,2][0], " ", [3][0]
% out: 7
% out: [4, 0, 0]
% out: 1 3
