clear all   % warning[Q0128]: 'clear' is a command of the prompt and does nothing in a program
close all
clc   % warning[Q0128]: 'clc' is a command of the prompt and does nothing in a program
format long   % warning[Q0128]: 'format' is a command of the prompt and does nothing in a program
clear = 3
clear
print clear + 1   % out: 4
