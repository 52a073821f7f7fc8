print eval("1 +")   % error[Q0316]: eval: syntax error
