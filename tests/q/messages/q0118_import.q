if 1
   import "system.q"   % error[Q0118]: import is only allowed at the global scope
endif
% compile
