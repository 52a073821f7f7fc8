a = 5
print a(1)   % error[Q0307]: a 'int' cannot be called
