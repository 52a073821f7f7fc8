% A command of the prompt may stand in a program more than once; a variable may still have the name of one.
clc   % warning[Q0128]: 'clc' is a command of the prompt and does nothing in a program
x = 1
clc   % warning[Q0128]: 'clc' is a command of the prompt and does nothing in a program
warning off   % warning[Q0128]: 'warning' is a command of the prompt and does nothing in a program
warning off all   % warning[Q0128]: 'warning' is a command of the prompt and does nothing in a program
print x   % out: 1
more = 3
print more   % out: 3
