x = [1,2]
print x(1)   % error[Q0307]: a 'vec' cannot be called
