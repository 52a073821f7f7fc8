if 1
   continue   % error[Q0117]: 'continue' outside a loop
endif
% compile
