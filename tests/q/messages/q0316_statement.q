print eval("_ + 1")   % error[Q0316]: eval:
