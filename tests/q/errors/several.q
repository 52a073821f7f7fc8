% compile: several errors are found in one pass
x = (1 + 
y = 12b                              % error[Q0105]: malformed number
if x == 1; print x                   % error[Q0119]: 'if' needs a line of its own
endif
break                                % error[Q0117]: 'break' outside a loop
