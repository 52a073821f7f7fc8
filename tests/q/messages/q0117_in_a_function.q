for i=0..3
   function [] = f()
       break   % error[Q0117]: 'break' outside a loop
   endfunction
endfor
% compile
