function [] = check(x)
   error "no ", x   % error[Q0300]: no 7
endfunction
check(7)
