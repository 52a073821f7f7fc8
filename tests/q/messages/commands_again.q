% A command of the prompt may stand in a program more than once; a variable may still have the name of one.
clc
x = 1
clc
warning off
warning off all
print x
more = 3
print more
% out: 1
% out: 3
% warning[Q0128]: 'clc' is a command of the prompt and does nothing in a program
% warning[Q0128]: 'clc' is a command of the prompt and does nothing in a program
% warning[Q0128]: 'warning' is a command of the prompt and does nothing in a program
% warning[Q0128]: 'warning' is a command of the prompt and does nothing in a program
