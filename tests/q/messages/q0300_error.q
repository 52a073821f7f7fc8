error "wrong ", 3   % error[Q0300]: wrong 3
