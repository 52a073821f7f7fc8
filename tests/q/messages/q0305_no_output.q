function [] = f()
endfunction
a = f()   % error[Q0305]: 'f' has no output to use as a value
