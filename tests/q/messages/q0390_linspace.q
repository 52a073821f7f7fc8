x = linspace(0,1,-2)   % error[Q0390]: linspace with -2 values
